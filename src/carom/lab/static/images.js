/**
 * Balls over the edge of a periodic box are seen at both sides: their images are drawn as further balls.
 */

import { Looks } from "./colours.js";

const grown = { frame: null, looks: new Looks(), version: 0 };

/** The offsets of images along each axis of a scene; null if it has no periodic box. */
function period(scene) {
  const box = scene.walls?.find((shape) => shape.kind === "box" && shape.periodic?.some(Boolean));
  return box ? { low: box.low, high: box.high, axes: box.periodic.map((is, k) => (is ? k : -1)).filter((k) => k >= 0) } : null;
}

/**
 * Scene, radii, frame and looks with the images added, or as they are where there are none.
 * @param {Carom.Scene} scene
 * @param {?Carom.Frame} frame
 * @param {Carom.Looks} looks
 */
export function withImages(scene, frame, looks) {
  const box = frame && !frame.companions.length && !scene.triangles?.length ? period(scene) : null;
  if (!box) return { scene, radii: scene.radii, frame, looks };
  const d = frame.dimension;
  let images = [];
  for (const axis of box.axes) {
    const wide = box.high[axis] - box.low[axis];
    const more = [];
    const step = (at, r) => (at - r < box.low[axis] ? wide : at + r > box.high[axis] ? -wide : 0);
    const look = (i, place) => {
      const by = step(place[axis], scene.radii[i]);
      if (by) more.push([i, Array.from(place, (part, k) => (k === axis ? part + by : part))]);
    };
    for (let i = 0; i < frame.count; i += 1) if (step(frame.positions[d * i + axis], scene.radii[i])) look(i, frame.positions.subarray(d * i, d * i + d));
    for (const [i, place] of images) look(i, place);
    images = images.concat(more);
  }
  if (!images.length) return { scene, radii: scene.radii, frame, looks };
  const positions = new Float32Array(frame.positions.length + d * images.length);
  positions.set(frame.positions);
  const all = grown.looks;
  all.data = new Uint8Array(looks.data.length + 4 * images.length);
  all.data.set(looks.data);
  const radii = Array.from(scene.radii);
  images.forEach(([i, place], k) => {
    positions.set(place, d * (frame.count + k));
    all.data.set(looks.data.subarray(4 * i, 4 * i + 4), 4 * (frame.count + k));
    radii.push(scene.radii[i]);
  });
  all.version = grown.version -= 1;
  all.special = [];
  for (let i = 0; i < all.data.length / 4; i += 1) if (all.data[4 * i + 3] & 7) all.special.push(i);
  return { scene, radii, frame: { ...frame, positions, count: frame.count + images.length }, looks: all };
}
