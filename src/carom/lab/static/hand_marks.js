/**
 * What the hand is doing, drawn over everything.
 */

import { arrow } from "./arrows.js";
import { label } from "./ruler.js";
import { shownRadius } from "./colours.js";
import { speed } from "./units.js";

/**
 * What the hand is doing: aiming, pulling, linking, drawing a box.
 * @param {Carom.Context} c
 * @param {Carom.Bench} bench
 */
export function drawHand(c, bench) {
  const { hand, camera, colour } = bench;
  if (hand.aim) {
    const { from, to, radius, value } = hand.aim;
    const [x, y, scale] = camera.project(...from);
    const [tx, ty] = camera.project(...to);
    c.beginPath();
    c.arc(x, y, shownRadius(radius, scale, 1), 0, 7);
    c.fillStyle = `${colour.plain}55`;
    c.fill();
    c.strokeStyle = colour.plain;
    c.lineWidth = 1.5;
    c.setLineDash([4, 3]);
    c.stroke();
    c.setLineDash([]);
    const path = new Path2D();
    arrow(path, x, y, tx, ty, 10);
    c.lineCap = "round";
    c.strokeStyle = colour.velocity;
    c.lineWidth = 2.6;
    c.stroke(path);
    label(c, speed(value), tx, ty + (ty < y ? -18 : 18), colour);
  }
  if (hand.spring) {
    const [from, to] = [hand.spring.from(), hand.spring.to].map((place) => camera.project(...place));
    coil(c, from, to, colour.force);
  }
  if (hand.joining) {
    const [from, to] = [hand.joining.from(), hand.joining.to].map((place) => camera.project(...place));
    c.beginPath();
    c.moveTo(from[0], from[1]);
    c.lineTo(to[0], to[1]);
    c.strokeStyle = colour.link;
    c.setLineDash([5, 4]);
    c.lineWidth = 2;
    c.stroke();
    c.setLineDash([]);
  }
  if (hand.box) {
    const [x, y, tx, ty] = hand.box;
    c.fillStyle = `${colour.select}22`;
    c.strokeStyle = colour.select;
    c.lineWidth = 1.5;
    c.setLineDash([5, 4]);
    c.fillRect(x, y, tx - x, ty - y);
    c.strokeRect(x, y, tx - x, ty - y);
    c.setLineDash([]);
  }
}

function coil(c, from, to, colour) {
  const size = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const [dx, dy] = size ? [(to[0] - from[0]) / size, (to[1] - from[1]) / size] : [1, 0];
  c.beginPath();
  c.moveTo(from[0], from[1]);
  const turns = Math.max(4, Math.min(24, Math.round(size / 9)));
  for (let k = 1; k < turns; k += 1) {
    const side = k % 2 ? 5 : -5;
    c.lineTo(from[0] + dx * size * (k / turns) - dy * side, from[1] + dy * size * (k / turns) + dx * side);
  }
  c.lineTo(to[0], to[1]);
  c.strokeStyle = colour;
  c.lineWidth = 1.8;
  c.lineJoin = "round";
  c.stroke();
  c.beginPath();
  c.arc(to[0], to[1], 5, 0, 7);
  c.stroke();
}
