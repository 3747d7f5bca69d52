/**
 * The time line: all that has happened, with its collisions; drag it, or use the keys, to go back and forth.
 */

import { FONT, Plot } from "./plot.js";
import { ticks, timeIn, unitOfTime } from "./units.js";

const EDGE = 12;

/** A slider over the time of the run. */
export class Timeline extends Plot {
  /** @param {HTMLElement} element @param {{label: string, onscrub: (time: number) => void, ondrop?: () => void, onend: () => void}} about */
  constructor(element, about) {
    super(element, about);
    this.about = about;
    this.time = 0;
    this.end = 0;
    /** Where time begins. */
    this.from = 0;
    this.marks = [];
    this.canvas.setAttribute("aria-hidden", "true");
    const set = (name, value) => element.setAttribute(name, value);
    set("role", "slider");
    set("tabindex", "0");
    set("aria-label", about.label);
    element.classList.add("carom-timeline");
    const options = { signal: this.ending.signal };
    element.addEventListener("pointerdown", (event) => this._down(event), options);
    element.addEventListener("pointermove", (event) => this._move(event), options);
    for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, () => this._drop(), options);
    element.addEventListener("pointerleave", () => this._hover(null), options);
    element.addEventListener("keydown", (event) => this._key(event), options);
  }

  /** Time now, end of the run, times of collisions. */
  put(time, end, marks) {
    if (this.dragged === undefined) this.time = time;
    this.end = Math.max(end, time);
    if (marks) this.marks = marks;
    const { element } = this;
    element.setAttribute("aria-valuemin", String(this.from));
    element.setAttribute("aria-valuemax", String(this.end));
    element.setAttribute("aria-valuenow", String(this.time));
    element.setAttribute("aria-valuetext", `${timeIn(this.end)(this.time)} / ${timeIn(this.end)(this.end)}`);
    this.changed();
  }

  _at(event) {
    const left = event.clientX - this.element.getBoundingClientRect().left;
    return this.from + Math.max(0, Math.min(1, (left - EDGE) / (this.width - 2 * EDGE))) * (this.end - this.from);
  }

  _go(time) {
    this.time = time;
    this.changed();
    this.about.onscrub(time);
  }

  _down(event) {
    if (event.button !== 0 || !(this.end > this.from)) return;
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture?.(event.pointerId);
    this.dragged = this._at(event);
    this._go(this.dragged);
  }

  _move(event) {
    if (this.dragged === undefined) this._hover(this._at(event));
    else {
      this.dragged = this._at(event);
      this.pointed = this.dragged;
      this._go(this.dragged);
    }
  }

  _drop() {
    this.dragged = undefined;
    this.about.ondrop?.();
  }

  _hover(time) {
    this.pointed = time;
    this.changed();
  }

  _key(event) {
    const small = (this.end - this.from) / 100;
    const steps = { ArrowLeft: -small, ArrowDown: -small, ArrowRight: small, ArrowUp: small, PageDown: -10 * small, PageUp: 10 * small };
    if (event.key === "Home") this._go(this.from);
    else if (event.key === "End") this.about.onend();
    else if (steps[event.key]) this._go(Math.max(this.from, Math.min(this.end, this.time + steps[event.key])));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  paint(c) {
    const { colour, end, from } = this;
    if (!colour) return;
    const middle = this.height > 34 ? this.height / 2 - 5 : this.height / 2;
    const x = (t) => EDGE + (end > from ? (t - from) / (end - from) : 0) * (this.width - 2 * EDGE);
    const bar = (left, right, fill) => {
      c.fillStyle = fill;
      c.beginPath();
      c.roundRect(left, middle - 2.5, Math.max(0, right - left), 5, 2.5);
      c.fill();
    };
    bar(EDGE, this.width - EDGE, colour.faint);
    bar(EDGE, x(this.time), colour.velocity);
    c.beginPath();
    for (const t of this.marks) {
      if (t > end || t < from) continue;
      c.moveTo(Math.round(x(t)) + 0.5, middle - 9);
      c.lineTo(Math.round(x(t)) + 0.5, middle - 5);
    }
    c.strokeStyle = `${colour.mark}99`;
    c.lineWidth = 1;
    c.stroke();
    if (this.height > 34 && end > from) this._scale(c, x);
    c.beginPath();
    c.arc(x(this.time), middle, 7, 0, 7);
    c.fillStyle = colour.velocity;
    c.fill();
    c.lineWidth = 2;
    c.strokeStyle = colour.ground;
    c.stroke();
    if (this.pointed !== null && this.pointed !== undefined && end > from) this._say(c, x(this.pointed), middle);
  }

  _scale(c, x) {
    c.font = FONT;
    c.fillStyle = this.colour.soft;
    c.textBaseline = "bottom";
    const said = timeIn(this.end);
    const [unit] = unitOfTime(this.end);
    for (const k of ticks(this.from / unit, this.end / unit, Math.max(2, Math.round(this.width / 130)))) {
      const t = k * unit;
      const at = x(t);
      c.textAlign = at < 40 ? "left" : at > this.width - 40 ? "right" : "center";
      c.fillText(said(t), at < 40 ? EDGE - 4 : at > this.width - 40 ? this.width - EDGE + 4 : at, this.height - 1);
    }
  }

  _say(c, at, middle) {
    const said = timeIn(this.end)(this.pointed, 4);
    c.font = FONT;
    const wide = c.measureText(said).width + 10;
    const left = Math.max(0, Math.min(this.width - wide, at - wide / 2));
    c.fillStyle = this.colour.panel;
    c.fillRect(left, this.height - 15, wide, 15);
    c.fillStyle = this.colour.ink;
    c.textAlign = "left";
    c.textBaseline = "bottom";
    c.fillText(said, left + 5, this.height - 1);
    c.strokeStyle = this.colour.soft;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(at, middle - 6);
    c.lineTo(at, middle + 6);
    c.stroke();
  }
}
