/**
 * What lies under a point of the screen.
 */

import { QUIET, shownRadius } from "./colours.js";
import { corners } from "./walls.js";

const REACH = 9;
/** A new point is linked to those within so many lengths of the links that are there, as the session has it. */
const LENGTHS = 1.6;

/**
 * The ball under a point, or null; a small one may be missed by some pixels. In 3D the nearest to the eye.
 * @param {Carom.Bench} bench
 * @param {number} left
 * @param {number} top
 * @param {number} [reach]
 */
export function ballAt({ scene, frame, camera, looks }, left, top, reach = REACH) {
  if (!frame) return null;
  const d = frame.dimension;
  let [best, least] = [null, Infinity];
  for (let i = 0; i < frame.count; i += 1) {
    const [x, y, scale] = camera.project(frame.positions[d * i], frame.positions[d * i + 1], frame.positions[d * i + 2]);
    const away = Math.hypot(left - x, top - y);
    if (!(away <= 4000)) continue;
    const radius = shownRadius(scene.radii[i], scale, frame.count);
    if (away > Math.max(radius, looks.bits(i) & QUIET ? 7 : reach)) continue;
    const rank = d === 3 ? -scale + Math.max(0, away - radius) * 1e-3 * scale : away - radius;
    if (rank < least) [best, least] = [i, rank];
  }
  return best;
}

/**
 * All balls whose middles are inside a rectangle of the screen.
 * @param {Carom.Bench} bench
 * @param {number[]} box
 */
export function ballsIn({ frame, camera }, [x, y, tx, ty]) {
  const found = [];
  if (!frame) return found;
  const d = frame.dimension;
  for (let i = 0; i < frame.count; i += 1) {
    const [px, py] = camera.project(frame.positions[d * i], frame.positions[d * i + 1], frame.positions[d * i + 2]);
    if (px >= Math.min(x, tx) && px <= Math.max(x, tx) && py >= Math.min(y, ty) && py <= Math.max(y, ty)) found.push(i);
  }
  return found;
}

/**
 * Whether a new point at a place would have something to be linked to.
 * @param {Carom.Bench} bench
 * @param {number[]} place
 */
export function byLinks({ scene, frame }, place) {
  if (!frame || !scene.links?.length) return false;
  const d = frame.dimension;
  const apart = (i, other) => Math.hypot(...place.map((_, k) => frame.positions[d * i + k] - other(k)));
  const lengths = scene.links.map(([i, j]) => apart(i, (k) => frame.positions[d * j + k])).filter(Number.isFinite).sort((a, b) => a - b);
  const reach = LENGTHS * lengths[lengths.length >> 1];
  return scene.links.some((pair) => pair.some((i) => apart(i, (k) => place[k]) <= reach));
}

/**
 * The draggable corner of a wall under a point, or null.
 * @param {Carom.Bench} bench
 * @param {number} left
 * @param {number} top
 * @param {number} [reach]
 */
export function cornerAt({ scene, camera }, left, top, reach = 11) {
  let [best, least] = [null, reach];
  for (const corner of corners(scene)) {
    const [x, y] = camera.project(...corner.place);
    const away = Math.hypot(left - x, top - y);
    if (away < least) [best, least] = [corner, away];
  }
  return best;
}
