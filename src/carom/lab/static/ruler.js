/**
 * The ruler in SI units, and the legend.
 */

import { length, rulerLength } from "./units.js";
import { arrow } from "./arrows.js";

const FONT = "12px system-ui, -apple-system, 'Segoe UI', sans-serif";
/** Width that is left to the ruler, px. */
const RULER = 200;

/**
 * A label with a ground of its own, so that it can be read over anything.
 * @param {Carom.Context} c
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {Carom.Colours} colour
 * @param {"center"|"right"|"left"} [align]
 */
export function label(c, text, x, y, colour, align = "center") {
  c.font = FONT;
  const wide = c.measureText(text).width + 12;
  const left = align === "center" ? x - wide / 2 : align === "right" ? x - wide : x;
  c.fillStyle = colour.panel;
  c.beginPath();
  c.roundRect(left, y - 10, wide, 20, 6);
  c.fill();
  c.fillStyle = colour.ink;
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.fillText(text, left + 6, y + 0.5);
}

/**
 * A bar of a round length at the lower left.
 * @param {Carom.Context} c
 * @param {Carom.Camera} camera
 * @param {Carom.Colours} colour
 */
export function ruler(c, camera, colour) {
  const scale = camera.scaleAt();
  if (!(scale > 0)) return;
  const metres = rulerLength(Math.min(170, camera.width * 0.4) / scale);
  const wide = metres * scale;
  const [x, y] = [18, camera.height - 16];
  c.strokeStyle = colour.ground;
  c.lineWidth = 5;
  c.lineCap = "round";
  const bar = new Path2D();
  bar.moveTo(x, y - 6);
  bar.lineTo(x, y);
  bar.lineTo(x + wide, y);
  bar.lineTo(x + wide, y - 6);
  c.stroke(bar);
  c.strokeStyle = colour.ink;
  c.lineWidth = 1.5;
  c.stroke(bar);
  c.font = FONT;
  c.textAlign = "left";
  c.textBaseline = "bottom";
  c.lineWidth = 4;
  c.lineJoin = "round";
  c.strokeStyle = colour.ground;
  const said = length(metres);
  c.strokeText(said, x + 6, y - 4);
  c.fillStyle = colour.ink;
  c.fillText(said, x + 6, y - 4);
}

/**
 * What the colours and arrows mean, in a line at the lower right; more lines where it is narrow. `rows` are {text, dot} or {text, arrow, span}.
 * @param {Carom.Context} c
 * @param {{text: string, dot?: string, arrow?: string, span?: number}[]} rows
 * @param {Carom.Colours} colour
 * @param {number} width
 * @param {number} height
 */
export function legend(c, rows, colour, width, height) {
  c.font = FONT;
  const lines = [[]];
  let left = 0;
  for (const row of rows) {
    const mark = row.dot ? 10 : row.span;
    const wide = mark + 6 + c.measureText(row.text).width + 18;
    if (left + wide > width - RULER && lines.at(-1).length) {
      lines.push([]);
      left = 0;
    }
    lines.at(-1).push({ row, mark, wide });
    left += wide;
  }
  lines.forEach((line, k) => {
    const y = height - 22 - 20 * (lines.length - 1 - k);
    let x = width - 6 - line.reduce((sum, item) => sum + item.wide, 0);
    for (const { row, mark, wide } of line) {
      entry(c, row, mark, x, y, colour);
      x += wide;
    }
  });
}

function entry(c, row, mark, x, y, colour) {
  c.beginPath();
  if (row.dot) {
    c.arc(x + 5, y, 5, 0, 7);
    c.fillStyle = row.dot;
    c.fill();
  } else {
    arrow(c, x, y, x + mark, y, 6);
    c.strokeStyle = row.arrow;
    c.lineWidth = 1.8;
    c.stroke();
  }
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.lineWidth = 4;
  c.lineJoin = "round";
  c.strokeStyle = colour.ground;
  c.strokeText(row.text, x + mark + 6, y + 0.5);
  c.fillStyle = colour.ink;
  c.fillText(row.text, x + mark + 6, y + 0.5);
}
