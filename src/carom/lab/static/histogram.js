/**
 * Speeds of the balls as a histogram, with Maxwell's curve.
 */

import { FONT, Plot } from "./plot.js";
import { speed, ticks } from "./units.js";

/** Draws a histogram of speeds. */
export class Histogram extends Plot {
  constructor(element, about) {
    super(element, about);
    this.text = about.text ?? ((key) => key);
    this.heights = [];
    this.curve = [];
    this.end = 0;
  }

  /** Heights of equal bins from 0 to `end`, and the curve at their middles. */
  put(heights, curve, end) {
    this.heights = heights ?? [];
    this.curve = curve ?? [];
    this.end = end;
    this.changed();
  }

  paint(c) {
    const { colour, heights, curve, end } = this;
    if (!colour || !heights.length || !(end > 0)) return;
    const area = { left: 12, right: this.width - 12, top: 24, bottom: this.height - 18 };
    const most = Math.max(...heights, ...curve, 1e-300) * 1.06;
    const x = (part) => area.left + part * (area.right - area.left);
    const y = (value) => area.bottom - (value / most) * (area.bottom - area.top);
    c.fillStyle = `${colour.velocity}66`;
    heights.forEach((value, k) => {
      const [left, right] = [x(k / heights.length), x((k + 1) / heights.length)];
      c.fillRect(left + 0.5, y(value), Math.max(1, right - left - 1), area.bottom - y(value));
    });
    c.strokeStyle = colour.soft;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(area.left, area.bottom + 0.5);
    c.lineTo(area.right, area.bottom + 0.5);
    c.stroke();
    this._curve(c, x, y);
    c.font = FONT;
    c.fillStyle = colour.soft;
    c.textBaseline = "top";
    c.textAlign = "center";
    for (const value of ticks(0, end, Math.max(2, Math.round(this.width / 90)))) {
      const at = x(value / end);
      c.textAlign = at < 30 ? "left" : at > this.width - 40 ? "right" : "center";
      c.fillText(speed(value), at, area.bottom + 4);
    }
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.fillStyle = `${colour.velocity}aa`;
    c.fillRect(4, 6, 9, 9);
    c.fillStyle = colour.ink;
    const first = this.text("stage.chart.speeds");
    c.fillText(first, 17, 11);
    if (!curve.length) return;
    const left = 17 + c.measureText(first).width + 14;
    c.fillStyle = colour.force;
    c.fillRect(left, 9, 12, 2.5);
    c.fillStyle = colour.ink;
    c.fillText(this.text("stage.chart.maxwell"), left + 17, 11);
  }

  _curve(c, x, y) {
    const { curve } = this;
    if (!curve.length) return;
    c.beginPath();
    c.moveTo(x(0), y(0));
    curve.forEach((value, k) => c.lineTo(x((k + 0.5) / curve.length), y(value)));
    c.strokeStyle = this.colour.force;
    c.lineWidth = 1.8;
    c.lineJoin = "round";
    c.stroke();
  }
}
