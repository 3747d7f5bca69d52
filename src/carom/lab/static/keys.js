/**
 * Keys on the stage, by a keymap that is handed in as data (see docs/lab.md).
 */

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 1], ArrowDown: [1, -1] };
const ONCE = new Set(["toggle", "run", "pause", "restart", "clear", "add", "next-scene", "previous-scene", "undo", "redo", "duplicate", "remove"]);
const AGAIN = /^view:look-/;
const SAME = { "=": "+", _: "-" };
const HOLDABLE = /^[a-z]$/;
/** Where a person types, or chooses by letters. */
export const TYPED = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=button])";

/** The axis that is nearest to the camera's upright, and its sign. */
const upright = (vector) => {
  const axis = vector.reduce((best, part, k) => (Math.abs(part) > Math.abs(vector[best]) ? k : best), 0);
  return [axis, Math.sign(vector[axis])];
};

/**
 * The name of a key as the keymap has it.
 * @param {{key: string, code?: string}} event
 */
function nameOf(event) {
  const key = event.key === "Spacebar" ? " " : event.key;
  if (key.length === 1) {
    const low = key.toLowerCase();
    if (/[a-z0-9]/.test(low) || !/^Key[A-Z]$/.test(event.code ?? "")) return low;
    return event.code.slice(3).toLowerCase();
  }
  return key;
}

/** Listens to keys while the stage has the focus. */
export class Keys {
  /**
   * @param {Carom.Key[] | undefined} keymap
   * @param {Carom.Bench} bench
   * @param {HTMLElement} element
   */
  constructor(keymap, bench, element) {
    this.keymap = keymap ?? [];
    this.bench = bench;
    this.held = new Set();
    this.arrows = new Set();
    this.ending = new AbortController();
    const options = { signal: this.ending.signal };
    element.addEventListener("keydown", (event) => this.down(event), options);
    element.addEventListener("keyup", (event) => this.up(event), options);
    element.addEventListener("blur", () => this.release(), options);
  }

  /** The entry of the keymap that an event stands for, or undefined. */
  find(event) {
    const key = nameOf(event);
    const other = SAME[key];
    const lone = key.length === 1 && !/[a-z0-9 ]/.test(key);
    const fits = (entry, name, strict) => {
      if (entry.key !== name) return false;
      const wanted = new Set(entry.with ?? []);
      if (wanted.has("Control") !== (event.ctrlKey || event.metaKey) || wanted.has("Alt") !== event.altKey) return false;
      if (strict && !lone && wanted.has("Shift") !== event.shiftKey) return false;
      const letters = [...wanted].filter((part) => HOLDABLE.test(part));
      const down = [...this.held].filter((letter) => letter !== name && this._holds(letter));
      return letters.length === down.length && letters.every((letter) => down.includes(letter));
    };
    return (
      this.keymap.find((entry) => fits(entry, key, true)) ??
      (other ? this.keymap.find((entry) => fits(entry, other, true)) : undefined)
    );
  }

  /** Whether a letter is one that others are held together with. */
  _holds(letter) {
    return this.keymap.some((entry) => entry.with?.includes(letter));
  }

  /** A key goes down, on the stage or, by the page's wish, beside it. */
  down(event) {
    if (event.isComposing || event.target.closest?.(TYPED)) return;
    const key = nameOf(event);
    if (key === "Escape" && this.bench.cancel()) {
      event.preventDefault();
      return;
    }
    if (ARROWS[key] && this._steers() && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      if (!this.arrows.has(key)) {
        this.arrows.add(key);
        this._steer();
      }
      return;
    }
    const entry = this.find(event);
    if (HOLDABLE.test(key) && !event.ctrlKey && !event.metaKey && !event.altKey) this.held.add(key);
    if (!entry) {
      if (this._holds(key)) event.preventDefault();
      return;
    }
    event.preventDefault();
    if (event.repeat && (ONCE.has(entry.command) || (entry.command.startsWith("view:") && !AGAIN.test(entry.command)))) return;
    if (entry.command.startsWith("view:")) this.bench.local(entry.command.slice(5));
    else this.bench.send(entry.command, this._arguments(key, entry));
  }

  /**
   * Up is up on the screen, also where y counts downwards.
   * @param {string} key
   * @param {Carom.Key} entry
   */
  _arguments(key, { command, arguments: given = {} }) {
    const turned = command === "nudge" && key in ARROWS && given.field === "y" && this.bench.scene?.y_down;
    return turned ? { ...given, steps: -given.steps } : given;
  }

  /** A key comes up, wherever that is. */
  up(event) {
    const key = nameOf(event);
    this.held.delete(key);
    if (this.arrows.delete(key)) this._steer();
  }

  /** No key is held any more. */
  release() {
    this.held.clear();
    if (this.arrows.size) {
      this.arrows.clear();
      this._steer();
    }
  }

  /** Whether arrows steer a running scene (M-13) instead of moving the selected ball. */
  _steers() {
    const { state, frame } = this.bench;
    return Boolean(frame?.running && state?.steering && state.steering !== "place");
  }

  _steer() {
    const { scene } = this.bench;
    const direction = new Array(scene?.dimension ?? 2).fill(0);
    const [upward, way] = scene?.dimension === 3 ? upright(this.bench.camera.up) : [1, scene?.y_down ? -1 : 1];
    for (const name of this.arrows) {
      const [axis, sign] = ARROWS[name];
      if (axis === 0) direction[0] += sign;
      else direction[upward] += way * sign;
    }
    this.bench.send("steer", { direction });
  }

  destroy() {
    this.release();
    this.ending.abort();
  }
}
