/**
 * A bench in the browser: the stage, the time line and the charts, fed by our socket. Nothing here knows the page around it; a shell
 * hands in elements and data, calls methods and hears events (docs/lab.md).
 */

import { Charts } from "./charts.js";
import { Connection } from "./protocol.js";
import { Film, download, fileName, picture } from "./capture.js";
import { calibrate, calibrated } from "./calibration.js";
import { Input, TOOLS } from "./input.js";
import { Keys } from "./keys.js";
import { Layers } from "./layers.js";
import { Looks, colours } from "./colours.js";
import { Rows } from "./rows.js";
import { ballAt } from "./pick.js";
import { FROM_ABOVE, cameraOf, fitted, isOpen, viewOf } from "./views.js";
import { furnish, leave, onDensity } from "./furnishing.js";
import { speaker } from "./words.js";
import { withImages } from "./images.js";

/** Pixels by which a key moves or turns the view. */
const LOOK = 48;

/** Everything that moves of one bench. */
export class Bench {
  /** @param {Carom.About} about */
  constructor(about) {
    this.about = about;
    this.stage = about.stage;
    this.say = speaker(about.texts);
    this.still = about.reducedMotion ?? matchMedia("(prefers-reduced-motion: reduce)").matches;
    /** @type {?Carom.Scene} */
    this.scene = null;
    /** @type {?Carom.Frame} */
    this.frame = null;
    /** @type {?Carom.State} */
    this.state = null;
    /** @type {number[]} */
    this.selected = [];
    /** @type {Carom.Hand} */
    this.hand = { aim: null, spring: null, joining: null, box: null, throwing: null, corner: null, corners: false };
    this.looks = new Looks();
    this.ratio = 0;
    this.names = { theme: about.theme ?? "light", palette: about.palette ?? "plain" };
    this.colour = colours(this.names.theme, this.names.palette);
    this.rows = new Rows((name, args) => this.send(name, args), () => this.link?.done ?? 0);
    const { canvases, lost } = furnish(this.stage, this.say("stage.label"));
    this.canvases = canvases;
    this.lost = lost;
    this.layers = new Layers(this.canvases.under, this.canvases.over);
    for (const canvas of [canvases.under, canvases.over]) {
      canvas.addEventListener("contextrestored", () => {
        this.layers.stale();
        this.changed();
      });
    }
    this.camera = cameraOf(2);
    this.camera.onchange = () => this.changed();
    this.input = new Input(this, this.stage);
    if (about.looking) this.input.tool = "look";
    this.keys = new Keys(about.keymap, this, this.stage);
    this.charts = new Charts(about, this);
    this._paint();
    this.observer = new ResizeObserver(() => this._resize());
    this.observer.observe(this.stage);
    this._resize();
    /** @type {Carom.Hear} */
    const hear = {
      frame: (frame) => this._frame(frame),
      scene: (scene) => this._scene(scene),
      state: (state) => this._state(state),
      chart: (chart) => this.charts.add(chart),
      note: (note) => this._tell("carom-note", note),
      open: (open, how) => this._linked(open, how),
    };
    /** @type {Carom.Link | undefined} */
    this.link = undefined;
    if (about.link) this.link = about.link(hear);
    else if (about.url) this.link = new Connection(about.url, hear);
  }

  /** The view that a scene needs; a canvas never changes its kind, so that a new kind gets a new one. */
  _see(dimension) {
    if (this.view && this.dimension === dimension) return;
    this.dimension = dimension;
    this.view?.destroy();
    const fresh = () => {
      const canvas = /** @type {HTMLCanvasElement} */ (this.canvases.balls.cloneNode());
      this.canvases.balls.replaceWith(canvas);
      this.canvases.balls = canvas;
      return canvas;
    };
    const made = viewOf(dimension, this.about.webgl !== false, fresh, () => this.changed());
    this.view = made.view;
    this.solid = made.solid;
    this.camera = cameraOf(dimension);
    this.camera.onchange = () => this.changed();
    this._resize(true);
  }

  _resize(anew = false) {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 3);
    const same = !anew && this.camera.width === width && this.camera.height === height && this.ratio === ratio;
    if (same || !width || !height) return;
    const first = this.camera.width <= 1;
    if (this.ratio !== ratio) {
      this.density?.abort();
      this.density = onDensity(() => this._resize());
    }
    this.ratio = ratio;
    for (const canvas of Object.values(this.canvases)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.layers.stale();
    this.camera.resize(width, height);
    if (this.scene && (first || !(this.camera.touched || this.input?.busy))) this.fit(false);
    this.changed();
  }

  // ------------------------------------------------------------ what comes in

  /** @param {Carom.Scene} scene */
  _scene(scene) {
    const before = this.scene;
    this.scene = scene;
    scene.origin ??= new Array(scene.dimension).fill(0);
    scene.bounds ??= [new Array(scene.dimension).fill(-1), new Array(scene.dimension).fill(1)];
    this._see(scene.dimension);
    this.camera.down = Boolean(scene.y_down);
    if (scene.dimension === 3) this.camera.gravity = scene.gravity;
    this.looks.reset(scene, this.colour);
    const other = !before || before.name !== scene.name || before.dimension !== scene.dimension;
    if (other) {
      this.layers.reset(scene);
      if (isOpen(scene)) Object.assign(this.camera, FROM_ABOVE);
      this.fit(false);
    } else if (scene.origin.some((part, k) => part !== before.origin[k])) {
      ["x", "y", "z"].slice(0, scene.dimension).forEach((axis, k) => (this.camera[axis] += before.origin[k] - scene.origin[k]));
    }
    this._tell("carom-scene", scene);
    this.changed();
  }

  /** @param {Carom.Frame} frame */
  _frame(frame) {
    if (this.next) this.link.ack(this.next.number);
    this.next = null;
    if (!this.scene || frame.epoch !== this.scene.epoch) {
      this.link.ack(frame.number);
      return;
    }
    this.next = frame;
    this.rows.flow();
    this.changed();
  }

  /** @param {Carom.State} state */
  _state(state) {
    this.state = state;
    this.selected = state.selected ?? [];
    this._corner(state.corner);
    this._want();
    this.charts.state(state);
    this.rows.flow();
    this._tell("carom-state", state);
    this.changed();
  }

  /** The corner that keys have chosen lights up; what the mouse holds goes first. */
  _corner(chosen) {
    if (this.hand.corner?.now) return;
    if (chosen) this.hand.corner = { shape: chosen[0], corner: chosen[1], keys: true };
    else if (this.hand.corner?.keys) this.hand.corner = null;
    else return;
    this.hand.corners = Boolean(chosen);
  }

  _linked(open, how) {
    this.lost.textContent = open ? "" : this.say(how ? `stage.lost-${how}` : "stage.lost");
    this.lost.hidden = open;
    if (open) {
      this.rows.drop();
      this._want();
    }
    this._tell("carom-link", { open });
  }

  /** Says a word to the person, as the server does. */
  note(kind, text) {
    this._tell("carom-note", { kind, text });
  }

  _want() {
    const needs = this.layers.needs(this.selected.length === 1);
    this.link?.want(needs.velocities, needs.forces);
  }

  _tell(name, detail) {
    this.stage.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  // ------------------------------------------------------------ what goes out

  /** Sends a command. */
  send(name, args = {}) {
    return this.link?.send(name, args) ?? 0;
  }

  /** Sends a command of a row of which only the last counts, as drags are; `args` may be a function that makes them. */
  latest(name, args) {
    this.rows.put(name, args);
  }

  /** Sends at once what still waits of such rows. */
  flush() {
    this.rows.flush();
  }

  /** Forgets what still waits. */
  drop() {
    this.rows.drop();
  }

  // ------------------------------------------------------------ drawing

  /** Asks for a new picture; there is none while nothing changes. */
  changed() {
    this.asked ||= requestAnimationFrame((now) => this._draw(now));
  }

  _draw(now) {
    this.asked = 0;
    if (this.gone) return;
    const fresh = this.next;
    if (fresh) {
      this.frame = fresh;
      this.next = null;
      this.charts.now(fresh, this.state);
    }
    if (this.camera.step(now)) this.changed();
    if (this.view && this.scene) {
      const frame = this.frame?.epoch === this.scene.epoch ? this.frame : null;
      if (frame) this.looks.put(frame.marks, this.selected);
      this.view.draw({ ...withImages(this.scene, frame, this.looks), camera: this.camera, colour: this.colour, ratio: this.ratio, layers: this.layers.on });
      this.layers.draw(this);
      this.film?.take(this._all(), this.colour.ground);
    }
    if (fresh) this.link.ack(fresh.number);
  }

  _all() {
    const { under, balls, over } = this.canvases;
    return [under, balls, over];
  }

  _paint() {
    this.colour = colours(this.names.theme, this.names.palette);
    this.stage.style.setProperty("--carom-ground", this.colour.ground);
    this.stage.style.setProperty("--carom-ink", this.colour.ink);
    if (this.scene) this.looks.reset(this.scene, this.colour);
    this.charts.colours(this.colour);
    this.changed();
  }

  // ------------------------------------------------------------ for the shell

  /** Shows or hides a layer. */
  layer(name, on) {
    if (!(name in this.layers.on)) throw new RangeError(`There is no layer ${name}: ${Object.keys(this.layers.on).join(", ")}.`);
    this.layers.choose(name, on);
    if (name === "trace" && !on) this.layers.traces.clear();
    this._want();
    this.changed();
  }

  /** Which layers are on, by name. */
  shown() {
    return { ...this.layers.on };
  }

  theme(name) {
    this.names.theme = name;
    this._paint();
  }

  palette(name) {
    this.names.palette = name;
    this._paint();
  }

  /** Other words, when the language changes. */
  words(texts) {
    this.say = speaker(texts);
    this.stage.setAttribute("aria-label", this.say("stage.label"));
    this.charts.words();
    this.changed();
  }

  tool(name) {
    if (!TOOLS.includes(name)) throw new RangeError(`There is no tool ${name}: ${TOOLS.join(", ")}.`);
    this.input.cancel();
    this.input.tool = name;
    this.hand.corners = name === "walls";
    this.changed();
  }

  /** Shows everything. */
  fit(eased = !this.still) {
    if (!this.scene) return;
    fitted(this.camera, this.scene, eased && Boolean(this.frame));
  }

  /** A metre on the screen is a metre (T-07). */
  realSize() {
    this.camera.realSize(!this.still);
  }

  zoom(factor) {
    this.camera.zoom(factor);
  }

  /** Keeps how many CSS pixels are a centimetre on this screen. */
  calibrate(pixels) {
    calibrate(pixels);
  }

  /** Saves a picture. @returns {Promise<Blob>} */
  png() {
    this._draw(performance.now());
    return picture(this._all(), this.colour.ground, fileName(this.scene?.name, "png"));
  }

  /** Begins a film, or ends and saves it. */
  async record(on) {
    if (on && !this.film) {
      if (!Film.possible()) throw new Error("This browser cannot record video.");
      this.film = new Film(this.canvases.over.width, this.canvases.over.height);
      this.changed();
    } else if (!on && this.film) {
      const { film } = this;
      this.film = null;
      download(await film.stop(), fileName(this.scene?.name, "webm"));
    }
  }

  /** A command of the browser's own, as keys name it. */
  local(name) {
    const own = {
      menu: () => this._tell("carom-menu", {}),
      help: () => this._tell("carom-help", {}),
      fit: () => this.fit(),
      "real-size": () => (calibrated() ? this.realSize() : this._tell("carom-local", { name: "calibrate" })),
      "zoom-in": () => this.zoom(1.25),
      "zoom-out": () => this.zoom(0.8),
      "look-left": () => this.camera.drag(LOOK, 0),
      "look-right": () => this.camera.drag(-LOOK, 0),
      "look-up": () => this.camera.drag(0, LOOK),
      "look-down": () => this.camera.drag(0, -LOOK),
      leave: () => leave(this.stage),
    };
    if (own[name]) own[name]();
    else this._tell("carom-local", { name });
  }

  /** Gives up what the hand is doing. @returns {boolean} whether it did anything. */
  cancel() {
    if (!this.input.busy) return false;
    this.input.cancel();
    return true;
  }

  ballAt(x, y) {
    return ballAt(this, x, y);
  }

  focus() {
    this.stage.focus({ preventScroll: true });
  }

  destroy() {
    this.gone = true;
    cancelAnimationFrame(this.asked);
    this.input.destroy();
    this.keys.destroy();
    this.drop();
    this.link?.close();
    this.observer.disconnect();
    this.density?.abort();
    this.charts.destroy();
    this.view?.destroy();
    for (const canvas of this._all()) canvas.remove();
    this.lost.remove();
  }
}
