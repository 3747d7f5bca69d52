/**
 * Small marks over the balls: names, the next point of contact, the centre of mass, corners that can be dragged.
 */

import { SELECTED, shownRadius } from "./colours.js";
import { corners } from "./walls.js";

const MOST_NAMES = 300;
/** With more balls than this the next contact of a running scene is past before it is seen. */
const CROWD = 1000;

/**
 * Names: in a ball that has room for it, or beside it; none over another.
 * @param {Carom.Context} c
 * @param {Carom.Scene} scene
 * @param {Carom.Frame} frame
 * @param {Carom.Camera} camera
 * @param {Carom.Colours} colour
 * @param {Carom.Looks} looks
 */
export function drawNames(c, scene, frame, camera, { ground, ink, field }, looks) {
  const d = frame.dimension;
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.lineWidth = 3.5;
  c.lineJoin = "round";
  c.strokeStyle = ground;
  const taken = [];
  for (let i = 0; i < frame.count && taken.length < MOST_NAMES; i += 1) {
    const name = scene.names?.[i] || String(i);
    const [x, y, scale] = camera.project(frame.positions[d * i], frame.positions[d * i + 1], frame.positions[d * i + 2]);
    if (!(x > 0 && x < camera.width && y > 0 && y < camera.height)) continue;
    const radius = shownRadius(scene.radii[i], scale, frame.count);
    const wide = c.measureText(name).width;
    const inside = wide < 1.7 * radius && radius > 7;
    const left = inside ? x - wide / 2 : x + radius + 5;
    if (taken.some(([from, to, level]) => left < to + 4 && left + wide > from - 4 && Math.abs(level - y) < 13)) continue;
    taken.push([left, left + wide, y]);
    c.textAlign = inside ? "center" : "left";
    c.fillStyle = inside ? (looks.bits(i) & SELECTED ? "#23282e" : field) : ink;
    if (!inside) c.strokeText(name, left, y);
    c.fillText(name, inside ? x : left, y + 0.5);
  }
}

/**
 * The collisions that come next, all that fall together; none that the picture is past already.
 * @param {Carom.Bench} bench
 */
export function nextContacts({ state, frame }) {
  const coming = frame?.running && frame.count > CROWD ? [] : (state?.meters?.upcoming ?? []);
  const first = coming[0]?.time;
  return coming.filter((one) => one.place?.length && one.time <= first + 1e-12 * Math.abs(first) && !(frame?.time > one.time));
}

/**
 * Crosses where the next contacts will be.
 * @param {Carom.Context} c
 * @param {Carom.Bench} bench
 */
export function drawContacts(c, bench) {
  const { camera, colour, scene } = bench;
  for (const next of nextContacts(bench)) {
    const [x, y] = camera.project(...next.place.map((part, k) => part - scene.origin[k]));
    c.beginPath();
    for (const turn of [0.25, 0.75, 1.25, 1.75]) {
      const [dx, dy] = [Math.cos(turn * Math.PI), Math.sin(turn * Math.PI)];
      c.moveTo(x + 3 * dx, y + 3 * dy);
      c.lineTo(x + 8 * dx, y + 8 * dy);
    }
    c.strokeStyle = colour.mark;
    c.lineWidth = 1.6;
    c.stroke();
  }
}

/**
 * The centre of mass.
 * @param {Carom.Context} c
 * @param {Carom.Bench} bench
 */
export function drawCentre(c, bench) {
  const { camera, colour, scene, state } = bench;
  const [x, y] = camera.project(...state.meters.centre_of_mass.map((part, k) => part - scene.origin[k]));
  c.beginPath();
  c.arc(x, y, 6, 0, 7);
  c.fillStyle = colour.ground;
  c.fill();
  c.fillStyle = colour.centre;
  for (const turn of [0, Math.PI]) {
    c.beginPath();
    c.moveTo(x, y);
    c.arc(x, y, 6, turn, turn + Math.PI / 2);
    c.fill();
  }
  c.beginPath();
  c.arc(x, y, 6, 0, 7);
  c.strokeStyle = colour.centre;
  c.lineWidth = 1.5;
  c.stroke();
}

/**
 * Corners of walls.
 * @param {Carom.Context} c
 * @param {Carom.Bench} bench
 */
export function drawCorners(c, bench) {
  const { camera, colour, scene, hand } = bench;
  for (const corner of corners(scene)) {
    const near = hand.corner && hand.corner.shape === corner.shape && hand.corner.corner === corner.corner;
    const [x, y] = camera.project(...(near && hand.corner.now ? hand.corner.now : corner.place));
    c.beginPath();
    c.arc(x, y, near ? 7 : 5, 0, 7);
    c.fillStyle = near ? colour.select : colour.ground;
    c.fill();
    c.strokeStyle = colour.wall;
    c.lineWidth = 1.8;
    c.stroke();
  }
}
