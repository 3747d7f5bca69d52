/**
 * The numbers of the selected ball, on a card over the picture.
 */

import { button, made, say } from "./elements.js";
import { length, number, speed, time, withUnit } from "./units.js";

const mass = (value) => (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-6 ? `${number(value, 4)} kg` : withUnit(value * 1000, "g", 4).replace(/ kg$/, " kg"));
const vector = (values, said, unit) => `(${values.map((part) => number(part, 3)).join(", ")})${said ? ` ${unit}` : ""}`;

/**
 * Rows of a card: what is said of a ball.
 * @type {[string, string, (ball: Carom.Ball) => ?string][]}
 */
const ROWS = [
  ["position", "place", (ball) => vector(ball.position, true, "m")],
  ["velocity", "velocity", (ball) => vector(ball.velocity, true, "m/s")],
  ["speed", "speed", (ball) => speed(ball.speed, 4)],
  ["kinetic", "kinetic energy", (ball) => withUnit(ball.kinetic, "J", 4)],
  ["momentum", "momentum", (ball) => vector(ball.momentum, true, "kg·m/s")],
  ["force", "force", (ball) => (ball.force?.some(Boolean) ? vector(ball.force, true, "N") : null)],
  ["mass", "mass", (ball) => mass(ball.mass)],
  ["radius", "radius", (ball) => (ball.radius > 0 ? length(ball.radius, 4) : "material point")],
  ["last", "last collision", (ball) => met(ball.last_collision)],
  ["next", "next collision", (ball) => met(ball.next_collision)],
];

/** "1.25 s · 3" as a person reads it. */
function met(words) {
  if (!words) return null;
  const [at, other] = words.split(" · ");
  const seconds = Number.parseFloat(at);
  const who = /^\d+$/.test(other) ? `ball ${other}` : other;
  return `${who}, ${Number.isFinite(seconds) ? time(seconds, 4) : at}`;
}

/** A card of numbers; hidden while no ball is selected. */
export class Card {
  /** @param {() => void} onclose */
  constructor(onclose) {
    this.name = made("strong");
    this.rows = new Map();
    this.list = made("dl");
    for (const [key, label] of ROWS) {
      const value = made("dd");
      const row = made("div", { "data-row": key }, made("dt", {}, label), value);
      this.rows.set(key, { row, value });
      this.list.append(row);
    }
    const head = made("header", {}, this.name, button("close", "Select no ball", onclose, { class: "carom-icon carom-small" }));
    this.element = made("section", { class: "carom-card", "aria-label": "The selected ball" }, head, this.list);
    this.element.hidden = true;
    for (const name of ["pointerdown", "wheel"]) this.element.addEventListener(name, (event) => event.stopPropagation());
  }

  /** @param {?Carom.Ball} ball The inspector of a state. @param {number} more How many others are selected. */
  put(ball, more = 0) {
    this.element.hidden = !ball;
    if (!ball) return;
    say(this.name, `${ball.name ? `${ball.name} (${ball.index})` : `Ball ${ball.index}`}${ball.fixed ? ", fixed" : ""}${more > 0 ? ` and ${more} more` : ""}`);
    for (const [key, , words] of ROWS) {
      const said = words(ball);
      const { row, value } = this.rows.get(key);
      row.hidden = said === null;
      if (said !== null) say(value, said);
    }
  }
}
