/**
 * What small charts share: a canvas that fits its element, axes, text.
 */

import { number, ticks } from "./units.js";

export const FONT = "11px system-ui, -apple-system, 'Segoe UI', sans-serif";

/** A canvas in an element, as large as it, drawn at most once a picture. */
export class Plot {
  /** @param {HTMLElement} element @param {{label?: string}} about A name for those who cannot see it. */
  constructor(element, { label = "" } = {}) {
    this.element = element;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "carom-plot";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    element.append(this.canvas);
    this.canvas.addEventListener("contextrestored", () => this.changed());
    this.context = this.canvas.getContext("2d");
    this.width = 0;
    this.height = 0;
    this.ending = new AbortController();
    this.observer = new ResizeObserver(() => this._resize());
    this.observer.observe(element);
    this._resize();
  }

  _resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const ratio = globalThis.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.changed();
  }

  /** Asks for a new picture. */
  changed() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      if (this.width < 8 || this.height < 8) return;
      this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      this.context.clearRect(0, 0, this.width, this.height);
      this.paint(this.context);
    });
  }

  /** Draws it; each chart in its own way. @param {Carom.Context} _c */
  paint(_c) {}

  /** @param {Carom.Colours} colour */
  colours(colour) {
    this.colour = colour;
    this.changed();
  }

  /** Level lines with their values. */
  levels(c, low, high, area, wanted = 4) {
    c.font = FONT;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.lineWidth = 1;
    const power = scaleOf(Math.max(Math.abs(low), Math.abs(high)));
    for (const value of ticks(low, high, wanted)) {
      const y = area.bottom - ((value - low) / (high - low)) * (area.bottom - area.top);
      c.strokeStyle = this.colour.faint;
      c.beginPath();
      c.moveTo(area.left, Math.round(y) + 0.5);
      c.lineTo(area.right, Math.round(y) + 0.5);
      c.stroke();
      c.fillStyle = this.colour.soft;
      c.fillText(number(value / power, 4), area.left - 5, y);
    }
    return power;
  }

  destroy() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    this.ending.abort();
    this.canvas.remove();
  }
}

/**
 * A power of ten by which very large or small values are divided on an axis.
 * @param {number} size
 */
function scaleOf(size) {
  if (!(size > 0) || (size < 1e4 && size >= 1e-2)) return 1;
  return 10 ** (3 * Math.floor(Math.log10(size) / 3));
}

/**
 * "×10⁶ J" or "J".
 * @param {number} power
 * @param {string} unit
 */
export function unitText(power, unit) {
  if (power === 1) return unit;
  return `${number(power, 1).replace(/^1·/, "")} ${unit}`;
}
