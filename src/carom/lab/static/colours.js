/**
 * Colours by theme and palette, and the look of each ball.
 */

/** Bits of a look's fourth byte. */
export const FIXED = 1;
export const MARKED = 2;
export const SELECTED = 4;
export const QUIET = 8;

const THEMES = {
  light: {
    ground: "#f5f4f1", field: "#fffefd", ink: "#23282e", soft: "#6a737d", faint: "#d9dcdf", wall: "#59636e", solid: "#c9cfd6", solidEdge: "#7c8793", plain: "#2b3138",
    mark: "#e03127", select: "#f7bf15", velocity: "#1d6fd1", momentum: "#0d8a72", force: "#b3541e", centre: "#8a3fb5", trace: "#2b3138", link: "#7b8794", cloth: "#4d84c4", star: "#e08a1e", panel: "#ffffffd9",
    companions: ["#c8641b", "#7d4bb0", "#b0306f", "#6d7d1c"],
    materials: ["#2f6fb3", "#2f8f6b", "#7d5ba6", "#8a6552", "#3a93a8", "#a0527f", "#5f7d2e"],
  },
  dark: {
    ground: "#121519", field: "#1b1f25", ink: "#e8ebee", soft: "#98a2ad", faint: "#30363d", wall: "#8d98a4", solid: "#4b5560", solidEdge: "#77828e", plain: "#dfe3e7",
    mark: "#ff5a4f", select: "#ffd23f", velocity: "#6fb1ff", momentum: "#4fd1b3", force: "#ffa566", centre: "#cf92f2", trace: "#dfe3e7", link: "#8592a0", cloth: "#6ea3e0", star: "#f2a541", panel: "#1b1f24d9",
    companions: ["#ffa566", "#c79cf0", "#f27fb0", "#b9cc5a"],
    materials: ["#6ea8e6", "#5cc49a", "#b394dd", "#c39b82", "#63c3d6", "#d98ab6", "#a3c267"],
  },
};

/** Blue and orange, told apart by their rims too, for those who do not see red beside green. */
const SAFE = {
  light: { mark: "#d55e00", select: "#0072b2", plain: "#3a3f45", companions: ["#c77700", "#a3497f", "#7a7a7a", "#8a6a1f"], materials: ["#56789a", "#7d7d7d", "#9a9a9a", "#5c6b7a", "#8f8577", "#6e6e8a", "#a8a8b8"] },
  dark: { mark: "#ff9d3c", select: "#4db5ff", plain: "#d9dde1", companions: ["#f0a020", "#d98ab6", "#9a9a9a", "#d6c07a"], materials: ["#a9bfd4", "#b5b5b5", "#8f8f8f", "#93a3b3", "#c4b9aa", "#a6a6c4", "#d0d0dc"] },
};

/**
 * All colours by name, as CSS texts.
 * @param {string} theme
 * @param {string} palette
 */
export function colours(theme, palette) {
  const name = theme === "dark" ? "dark" : "light";
  return { ...THEMES[name], ...(palette === "safe" ? SAFE[name] : {}), dark: name === "dark", safe: palette === "safe" };
}

/**
 * "#rrggbb" as three numbers from 0 to 255.
 * @param {string} text
 * @returns {[number, number, number]}
 */
export function bytes(text) {
  const part = (/** @type {number} */ at) => parseInt(text.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

/**
 * "#rrggbb" as three numbers from 0 to 1, for GL.
 * @param {string} text
 * @returns {[number, number, number]}
 */
export function parts(text) {
  const [red, green, blue] = bytes(text);
  return [red / 255, green / 255, blue / 255];
}

/** The body about which all others go, or -1: it shines. @param {Carom.Scene} scene */
function starOf({ attraction, masses }) {
  if (!attraction || !(masses?.length > 1)) return -1;
  const heaviest = masses.reduce((best, mass, i) => (mass > masses[best] ? i : best), 0);
  return masses.every((mass, i) => i === heaviest || 10 * mass < masses[heaviest]) ? heaviest : -1;
}

/** How each ball looks: red, green, blue, and bits. One for a scene; marks and selection are put on it frame by frame. */
export class Looks {
  constructor() {
    this.base = new Uint8Array(0);
    /** What is drawn, four bytes a ball. */
    this.data = new Uint8Array(0);
    /** Counts up with every change. */
    this.version = 0;
    /** @type {number[]} */
    this.special = [];
    /** @type {number[]} */
    this.fixed = [];
  }

  /**
   * For a new scene, theme or palette.
   * @param {Carom.Scene} scene
   * @param {Carom.Colours} colour
   */
  reset(scene, colour) {
    this.colour = colour;
    const count = scene.radii.length;
    this.base = new Uint8Array(4 * count);
    const plain = bytes(colour.plain);
    const kinds = colour.materials.map(bytes);
    for (let i = 0; i < count; i += 1) {
      const kind = scene.colours?.[i] ?? 0;
      this.base.set(kind > 0 ? kinds[(kind - 1) % kinds.length] : plain, 4 * i);
    }
    const star = colour.safe ? -1 : starOf(scene);
    if (star >= 0) this.base.set(bytes(colour.star), 4 * star);
    for (const i of scene.fixed ?? []) this.base[4 * i + 3] |= FIXED;
    for (const face of scene.triangles ?? []) for (const i of face) this.base[4 * i + 3] |= QUIET;
    this.data = this.base.slice();
    this.special = [];
    this.fixed = scene.fixed ?? [];
    this.key = "";
    this.version += 1;
  }

  /** Marks partners of the next collision and the selected. */
  put(marks, selected) {
    const key = `${marks.join()}|${selected.join()}`;
    if (key === this.key) return;
    this.key = key;
    for (const i of this.special) for (let k = 0; k < 4; k += 1) this.data[4 * i + k] = this.base[4 * i + k];
    this.special = [];
    const paint = (i, colour, bit) => {
      if (!(i >= 0 && 4 * i < this.data.length)) return;
      this.data.set(colour, 4 * i);
      this.data[4 * i + 3] = (this.data[4 * i + 3] | bit) & ~QUIET;
      this.special.push(i);
    };
    const [red, yellow] = [bytes(this.colour.mark), bytes(this.colour.select)];
    for (const i of marks) paint(i, red, MARKED);
    for (const i of selected) paint(i, yellow, SELECTED);
    this.version += 1;
  }

  /** The balls that look special: fixed, marked or selected; what is drawn last is above. */
  list() {
    if (this.listed === this.version) return this.specials;
    this.listed = this.version;
    this.specials = [...new Set([...this.fixed, ...this.special])];
    return this.specials;
  }

  css(i) {
    return `rgb(${this.data[4 * i]},${this.data[4 * i + 1]},${this.data[4 * i + 2]})`;
  }

  bits(i) {
    return this.data[4 * i + 3];
  }
}

/**
 * Radius on the screen, in pixels, below which no ball is drawn: few may be larger, so that planets are seen.
 * @param {number} count
 */
export function leastRadius(count) {
  return count > 2000 ? 0.75 : count > 200 ? 1.25 : count > 20 ? 2.5 : 3.5;
}

/**
 * Radius on the screen of a ball: to scale, and never too small to be seen.
 * @param {number} radius
 * @param {number} scale
 * @param {number} count
 */
export function shownRadius(radius, scale, count) {
  return Math.max(radius * scale, radius > 0 ? leastRadius(count) : Math.max(1.25, leastRadius(count)));
}
