/**
 * Arrows of velocity, momentum and force, with a scale that stays while it serves.
 */

import { roundStep } from "./units.js";

const FEWEST = 0.025;
const MOST = 0.3;
const WISHED = 0.13;
const MOST_ARROWS = 2500;
/** Up to so many arrows have an edge, so that they are seen on balls too. */
const FEW = 300;

/** Keeps how long an arrow of one unit is: metres a unit of what it shows. */
export class ArrowScale {
  constructor() {
    this.value = 0;
  }

  /** Chooses a round scale for arrows up to `largest` in a view of `reach` metres; keeps the old one while it fits. */
  suit(largest, reach) {
    if (!(largest > 0)) return this.value;
    const part = (largest * this.value) / reach;
    if (!(part > FEWEST && part < MOST)) this.value = roundStep((WISHED * reach) / largest);
    return this.value;
  }
}

/**
 * The largest length among vectors, `d` numbers each.
 * @param {Float32Array} vectors
 * @param {number} d
 */
export function largest(vectors, d) {
  let most = 0;
  for (let i = 0; i < vectors.length; i += d) {
    const size = d === 3 ? vectors[i] ** 2 + vectors[i + 1] ** 2 + vectors[i + 2] ** 2 : vectors[i] ** 2 + vectors[i + 1] ** 2;
    if (size > most) most = size;
  }
  return Math.sqrt(most);
}

/**
 * Adds an arrow between two points of the screen to a path.
 * @param {Path2D|Carom.Context} path
 * @param {number} x
 * @param {number} y
 * @param {number} tx
 * @param {number} ty
 * @param {number} [head]
 */
export function arrow(path, x, y, tx, ty, head = 7) {
  const size = Math.hypot(tx - x, ty - y);
  if (!(size > 1.5)) return;
  const [dx, dy] = [(tx - x) / size, (ty - y) / size];
  const tip = Math.min(head, size * 0.6);
  path.moveTo(x, y);
  path.lineTo(tx, ty);
  path.moveTo(tx - tip * (dx + 0.5 * dy), ty - tip * (dy - 0.5 * dx));
  path.lineTo(tx, ty);
  path.lineTo(tx - tip * (dx - 0.5 * dy), ty - tip * (dy + 0.5 * dx));
}

/**
 * Draws an arrow on each ball: `vectors` times `scale` metres, times `weights` if given.
 * @param {Carom.Context} c
 * @param {Carom.Frame} frame
 * @param {Carom.Camera} camera
 * @param {Float32Array} vectors
 * @param {number} scale
 * @param {string} colour
 * @param {string} ground
 * @param {?number[]} [weights]
 */
export function arrows(c, frame, camera, vectors, scale, colour, ground, weights = null) {
  const d = frame.dimension;
  const path = new Path2D();
  const step = Math.max(1, Math.ceil(frame.count / MOST_ARROWS));
  for (let i = 0; i < frame.count; i += step) {
    const by = scale * (weights ? weights[i] : 1);
    const at = d * i;
    const [px, py, pz] = [frame.positions[at], frame.positions[at + 1], d === 3 ? frame.positions[at + 2] : 0];
    const [x, y] = camera.project(px, py, pz);
    if (!(x > -200 && x < camera.width + 200 && y > -200 && y < camera.height + 200)) continue;
    const [tx, ty] = camera.project(px + vectors[at] * by, py + vectors[at + 1] * by, d === 3 ? pz + vectors[at + 2] * by : 0);
    arrow(path, x, y, tx, ty);
  }
  c.lineCap = "round";
  c.lineJoin = "round";
  if (frame.count <= FEW) {
    c.strokeStyle = ground;
    c.lineWidth = 4;
    c.stroke(path);
  }
  c.strokeStyle = colour;
  c.lineWidth = 1.8;
  c.stroke(path);
}
