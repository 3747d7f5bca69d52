/**
 * Our socket: frames and messages in, commands out. See docs/lab.md for the bytes.
 */

const HEADER = 40;
const VERSION = 1;
const WAITING = 64;
/** Failures in a row, some eight seconds, after which it is said what a person can do. */
const PATIENCE = 6;
/** Close codes after which trying again is of no use: 1008 and the application's own. */
const isFinal = (code) => code === 1008 || (code >= 4000 && code < 5000);

/**
 * A frame as typed views of its bytes; nothing is copied.
 * @param {ArrayBuffer} buffer
 * @returns {{number: number, time: number, epoch: number, seq: number, count: number, dimension: number, rate: number,
 *   running: boolean, held: boolean, past: boolean, positions: Float32Array, velocities: ?Float32Array,
 *   forces: ?Float32Array, companions: Float32Array[], marks: Uint32Array}}
 * @throws {RangeError} if the bytes are not a frame of ours.
 */
export function parseFrame(buffer) {
  if (buffer.byteLength < HEADER) throw new RangeError(`A frame has at least ${HEADER} bytes, here are ${buffer.byteLength}.`);
  const head = new DataView(buffer);
  const version = head.getUint8(0);
  const kind = head.getUint8(1);
  if (version !== VERSION || kind !== 1) throw new RangeError(`Frame of version ${version}, kind ${kind}: reload the page.`);
  const flags = head.getUint16(2, true);
  const count = head.getUint32(24, true);
  const dimension = head.getUint16(28, true);
  const beside = head.getUint16(30, true);
  const marked = head.getUint32(36, true);
  const size = count * dimension;
  const blocks = 1 + (flags & 1) + ((flags >> 1) & 1) + beside;
  const length = HEADER + 4 * (size * blocks + marked);
  if (buffer.byteLength !== length) throw new RangeError(`A frame of ${count} balls has ${length} bytes, here are ${buffer.byteLength}.`);
  let offset = HEADER;
  const floats = () => {
    const part = new Float32Array(buffer, offset, size);
    offset += 4 * size;
    return part;
  };
  return {
    number: head.getUint32(4, true),
    time: head.getFloat64(8, true),
    epoch: head.getUint32(16, true),
    seq: head.getUint32(20, true),
    count,
    dimension,
    rate: head.getFloat32(32, true),
    running: (flags & 4) !== 0,
    held: (flags & 8) !== 0,
    past: (flags & 16) !== 0,
    positions: floats(),
    velocities: flags & 1 ? floats() : null,
    forces: flags & 2 ? floats() : null,
    companions: Array.from({ length: beside }, floats),
    marks: new Uint32Array(buffer, offset, marked),
  };
}

/** A socket that comes back when it is lost, with acknowledgements and numbered commands. */
export class Connection {
  /**
   * @param {string} url Of the socket; a path is taken from this page's host.
   * @param {Carom.Hear} hear What to call for each kind of message; `open(true)` and `open(false, how)` as the socket comes and
   *   goes; `how` is "long" if it has been tried in vain for a while, "ended" if it will not be tried again.
   */
  constructor(url, hear) {
    const address = new URL(url, globalThis.location?.href);
    if (address.protocol.startsWith("http")) address.protocol = address.protocol.replace("http", "ws");
    this.url = address.href;
    this.hear = hear;
    this.seq = 0;
    /** The last command that the server has done. */
    this.done = 0;
    this.met = false;
    this.wanted = null;
    this.waiting = [];
    this.closed = false;
    this.pause = 250;
    this.failures = 0;
    this._open();
  }

  _open() {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.pause = 250;
      this.failures = 0;
      if (this.wanted) this._write({ want: this.wanted });
      for (const text of this.waiting.splice(0)) socket.send(text);
      this.hear.open?.(true);
    };
    socket.onmessage = (event) => this._take(event.data);
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.failures += 1;
      const over = isFinal(event.code);
      this.hear.open?.(false, over ? "ended" : this.failures >= PATIENCE ? "long" : "");
      if (this.closed) return;
      if (over) {
        this.closed = true;
        this.hear.note?.({ kind: "error", text: event.reason || "This bench has ended: reload the page." });
        return;
      }
      this.timer = setTimeout(() => this._open(), this.pause);
      this.pause = Math.min(2 * this.pause, 4000);
    };
    this.socket = socket;
  }

  _take(data) {
    if (typeof data !== "string") {
      let frame;
      try {
        frame = parseFrame(data);
      } catch (error) {
        this.hear.note?.({ kind: "error", text: error.message });
        return;
      }
      this.done = Math.max(this.done, frame.seq);
      this.hear.frame?.(frame);
      return;
    }
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      this.hear.note?.({ kind: "error", text: "The server sent a message that cannot be read." });
      return;
    }
    for (const name of ["scene", "state", "chart", "note"]) {
      if (message?.[name] === undefined) continue;
      if (name === "state") this._heard(message.state.seq ?? 0);
      this.hear[name]?.(message[name]);
    }
  }

  /** The bench of a page that was loaded anew has counted further than this page: go on from there. */
  _heard(seq) {
    if (!this.met) this.seq = Math.max(this.seq, seq);
    this.met = true;
    this.done = Math.max(this.done, seq);
  }

  _write(message) {
    const text = JSON.stringify(message);
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else if (!("ack" in message) && !("want" in message) && this.waiting.length < WAITING) this.waiting.push(text);
  }

  /** Sends a command; its number comes back in `done` when it has been done. */
  send(name, args = {}) {
    this.seq += 1;
    this._write({ seq: this.seq, do: name, with: args });
    return this.seq;
  }

  /** Says that a frame was drawn, or dropped. */
  ack(number) {
    this._write({ ack: number });
  }

  /** Asks for velocities and forces in frames, or for none. */
  want(velocities, forces) {
    if (this.wanted?.velocities === velocities && this.wanted?.forces === forces) return;
    this.wanted = { velocities, forces };
    this._write({ want: this.wanted });
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close(1000);
  }
}
