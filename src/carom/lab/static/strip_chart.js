/**
 * A strip chart: several series over time, with a legend, values under the pointer, a cursor at the present; a click goes to that time.
 */

import { FONT, Plot, unitText } from "./plot.js";
import { number, timeIn } from "./units.js";

const MOST = 4096;
/** What differs by less than this part of the whole, differs by rounding: about 1e-16 of it in each of a million steps, and room. */
const ROUNDING = 1e-9;

/** Draws series over time. */
export class StripChart extends Plot {
  /**
   * @param {HTMLElement} element
   * @param {{series: Array<{name: string, text: string, colour: string, dash?: number[]}>, unit: string, label: string, onscrub?: (time: number) => void}} about
   *   `colour` is a name in the theme.
   */
  constructor(element, about) {
    super(element, about);
    this.series = about.series;
    this.unit = about.unit;
    this.now = null;
    this.clear();
    const options = { signal: this.ending.signal };
    this.canvas.addEventListener("pointermove", (event) => this._point(event.offsetX), options);
    this.canvas.addEventListener("pointerleave", () => this._point(null), options);
    this.canvas.addEventListener("click", (event) => {
      if (about.onscrub && this.times.length && this.area) about.onscrub(this._time(event.offsetX));
    }, options);
  }

  clear() {
    this.whole = 0;
    this.times = [];
    this.values = this.series.map(() => []);
    this.changed();
  }

  /** Other series; what was noted goes. */
  show(series) {
    this.series = series;
    this.clear();
  }

  /** New samples: times, for each series as many values (or null), and the sizes of what the values are sums of. */
  add(times, columns, wholes = []) {
    if (!times.length) return;
    for (const whole of wholes) if (whole > this.whole) this.whole = whole;
    for (let k = 0; k < times.length; k += 1) {
      while (this.times.length && this.times[this.times.length - 1] >= times[k]) {
        this.times.pop();
        for (const list of this.values) list.pop();
      }
      this.times.push(times[k]);
      this.values.forEach((list, s) => list.push(columns[s]?.[k] ?? NaN));
    }
    while (this.times.length > MOST) this._thin();
    this.changed();
  }

  /** Leaves out every second of the older half. */
  _thin() {
    const half = this.times.length >> 1;
    const keep = (_, k) => k >= half || k % 2 === 0;
    this.times = this.times.filter(keep);
    this.values = this.values.map((list) => list.filter(keep));
  }

  /** Where the cursor stands. */
  at(time) {
    if (this.now === time) return;
    this.now = time;
    this.changed();
  }

  _point(x) {
    this.pointer = x;
    this.changed();
  }

  _time(x) {
    const { left, right } = this.area;
    const [from, to] = this.span;
    return from + Math.max(0, Math.min(1, (x - left) / (right - left))) * (to - from);
  }

  /** The axis: never so narrow that rounding fills it. */
  _range() {
    let [low, high] = [Infinity, -Infinity];
    for (const list of this.values) {
      for (const value of list) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) return [0, 1];
    this.least = ROUNDING * Math.max(this.whole, Math.abs(low), Math.abs(high));
    if (high - low < this.least) {
      if (Math.max(Math.abs(low), Math.abs(high)) < this.least) return [-this.least, this.least];
      low = high = (low + high) / 2;
    }
    const room = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    if (low >= 0 && low < 0.5 * high) return [0, high + room];
    return [low - room, high + room];
  }

  paint(c) {
    const { colour } = this;
    if (!colour) return;
    const area = (this.area = { left: 50, right: this.width - 10, top: this.series.length > 2 ? 38 : 26, bottom: this.height - 18 });
    const [low, high] = this._range();
    const power = this.levels(c, low, high, area, Math.max(2, Math.round((area.bottom - area.top) / 34)));
    const from = this.times[0] ?? 0;
    const to = Math.max(this.times[this.times.length - 1] ?? 1, from + 1e-30);
    this.span = [from, to];
    const x = (t) => area.left + ((t - from) / (to - from)) * (area.right - area.left);
    const y = (v) => area.bottom - ((v - low) / (high - low)) * (area.bottom - area.top);
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    this.series.forEach((one, s) => {
      c.beginPath();
      let pen = false;
      const step = Math.max(1, Math.floor(this.times.length / (2 * this.width)));
      for (let k = 0; k < this.times.length; k += step) {
        const value = this.values[s][k];
        if (!Number.isFinite(value)) pen = false;
        else if (pen) c.lineTo(x(this.times[k]), y(value));
        else {
          c.moveTo(x(this.times[k]), y(value));
          pen = true;
        }
      }
      c.strokeStyle = colour[one.colour] ?? one.colour;
      c.setLineDash(one.dash ?? []);
      c.stroke();
    });
    c.setLineDash([]);
    this._cursors(c, area, x, y);
    this._legend(c, area, power);
    c.font = FONT;
    c.fillStyle = colour.soft;
    c.textBaseline = "top";
    c.textAlign = "left";
    c.fillText(timeIn(to)(from), area.left, area.bottom + 4);
    c.textAlign = "right";
    c.fillText(timeIn(to)(to), area.right, area.bottom + 4);
  }

  _cursors(c, area, x, y) {
    const { colour } = this;
    if (this.now !== null && this.now >= this.span[0] && this.now < this.span[1]) line(c, x(this.now), area, colour.soft, [3, 3]);
    if (!this._pointed(area)) return;
    const k = nearest(this.times, this._time(this.pointer));
    line(c, x(this.times[k]), area, colour.soft);
    this.series.forEach((one, s) => {
      if (!Number.isFinite(this.values[s][k])) return;
      c.beginPath();
      c.arc(x(this.times[k]), y(this.values[s][k]), 3.5, 0, 7);
      c.fillStyle = colour[one.colour] ?? one.colour;
      c.fill();
    });
    this.shown = k;
  }

  /** Names and values, on a second row where the first is full. */
  _legend(c, area, power) {
    const { colour } = this;
    const k = this._pointed(area) ? this.shown : this.times.length - 1;
    c.font = FONT;
    c.textBaseline = "middle";
    c.textAlign = "right";
    c.fillStyle = colour.soft;
    const unit = unitText(power, this.unit);
    c.fillText(unit, this.width - 10, 10.5);
    c.textAlign = "left";
    const end = this.width - 16 - c.measureText(unit).width;
    let [left, y] = [4, 10];
    this.series.forEach((one, s) => {
      const value = this.values[s][k];
      const said = Number.isFinite(value) ? `${one.text} ${number(Math.abs(value) < this.least / 1000 ? 0 : value / power, 4)}` : one.text;
      const wide = c.measureText(said).width + 24;
      if (left > 4 && left + wide > end) [left, y] = [4, y + 15];
      c.fillStyle = colour[one.colour] ?? one.colour;
      c.beginPath();
      c.roundRect(left, y - 2, 9, 4, 2);
      c.fill();
      c.fillStyle = colour.ink;
      c.fillText(said, left + 13, y + 0.5);
      left += wide;
    });
  }

  _pointed(area) {
    return typeof this.pointer === "number" && this.pointer >= area.left && this.times.length > 0;
  }
}

function line(c, x, area, colour, dash = []) {
  c.beginPath();
  c.moveTo(Math.round(x) + 0.5, area.top);
  c.lineTo(Math.round(x) + 0.5, area.bottom);
  c.strokeStyle = colour;
  c.lineWidth = 1;
  c.setLineDash(dash);
  c.stroke();
  c.setLineDash([]);
}

/** The place in a rising list that is nearest to a value. */
function nearest(list, value) {
  let [low, high] = [0, list.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] > value) high = middle;
    else low = middle;
  }
  return value - list[low] < list[high] - value ? low : high;
}
