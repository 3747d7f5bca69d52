/**
 * Pictures and films of the stage.
 */

const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/**
 * Hands a file to the person.
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * A name for a file, from a scene's.
 * @param {string} name
 * @param {string} ending
 */
export function fileName(name, ending) {
  return `${(name || "carom").replace(/[^\p{L}\p{N}._-]+/gu, "-")}.${ending}`;
}

/**
 * Lays canvases over each other on a ground.
 * @param {HTMLCanvasElement[]} canvases
 * @param {string} ground
 * @param {HTMLCanvasElement} [into]
 */
function compose(canvases, ground, into = document.createElement("canvas")) {
  const [first] = canvases;
  if (into.width !== first.width || into.height !== first.height) {
    into.width = first.width;
    into.height = first.height;
  }
  const c = into.getContext("2d");
  c.fillStyle = ground;
  c.fillRect(0, 0, into.width, into.height);
  for (const canvas of canvases) c.drawImage(canvas, 0, 0, into.width, into.height);
  return into;
}

/**
 * Saves canvases that lie over each other as one picture.
 * @param {HTMLCanvasElement[]} canvases
 * @param {string} ground
 * @param {string} name
 * @returns {Promise<Blob>}
 */
export function picture(canvases, ground, name) {
  const canvas = compose(canvases, ground);
  return new Promise((done) => {
    canvas.toBlob((blob) => {
      download(blob, name);
      done(blob);
    });
  });
}

/** Films the stage, picture by picture, until it is stopped. */
export class Film {
  /** Whether this browser can film. */
  static possible() {
    return typeof MediaRecorder !== "undefined" && KINDS.some((kind) => MediaRecorder.isTypeSupported(kind));
  }

  constructor(width, height) {
    this.canvas = document.createElement("canvas");
    this.canvas.width = width;
    this.canvas.height = height;
    this.canvas.getContext("2d");
    this.parts = [];
    const kind = KINDS.find((one) => MediaRecorder.isTypeSupported(one));
    this.recorder = new MediaRecorder(this.canvas.captureStream(60), { mimeType: kind, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = (event) => event.data.size && this.parts.push(event.data);
    this.recorder.start(500);
  }

  take(canvases, ground) {
    compose(canvases, ground, this.canvas);
  }

  /** Ends the film. @returns {Promise<Blob>} */
  stop() {
    return new Promise((done) => {
      this.recorder.onstop = () => done(new Blob(this.parts, { type: "video/webm" }));
      this.recorder.stop();
    });
  }
}
