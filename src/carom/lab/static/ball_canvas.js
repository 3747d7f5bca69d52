/**
 * Balls in the plane without WebGL2: the same picture on a 2D canvas.
 */

import { FIXED, MARKED, QUIET, SELECTED, shownRadius } from "./colours.js";

const TURN = 2 * Math.PI;

/** Draws the balls of a flat scene with Canvas2D. */
export class BallCanvas {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  /** Draws one picture. @param {Carom.Picture} what */
  draw({ radii, frame, camera, looks, colour, ratio }) {
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    if (!frame || !frame.count) return;
    frame.companions.forEach((positions, k) => this._rings(positions, radii, frame, camera, colour.companions[k % colour.companions.length]));
    this._flat(radii, frame, camera, looks, colour);
  }

  _rings(positions, radii, frame, camera, tint) {
    const c = this.context;
    const d = frame.dimension;
    c.strokeStyle = tint;
    c.lineWidth = 1.6;
    c.beginPath();
    for (let i = 0; i < frame.count; i += 1) {
      const [x, y, scale] = camera.project(positions[d * i], positions[d * i + 1], positions[d * i + 2]);
      if (!(x > -50 && x < camera.width + 50 && y > -50 && y < camera.height + 50)) continue;
      const r = shownRadius(radii[i], scale, frame.count) + 0.2;
      c.moveTo(x + r, y);
      c.arc(x, y, r, 0, TURN);
    }
    c.stroke();
  }

  /** Plain balls of one colour are one path; others one by one, above them. */
  _flat(radii, frame, camera, looks, colour) {
    const c = this.context;
    const paths = new Map();
    const single = [];
    for (let i = 0; i < frame.count; i += 1) {
      const [x, y, scale] = camera.project(frame.positions[2 * i], frame.positions[2 * i + 1]);
      const r = shownRadius(radii[i], scale, frame.count);
      if (!(x > -r - 6 && x < camera.width + r + 6 && y > -r - 6 && y < camera.height + r + 6)) continue;
      if (looks.bits(i) & ~QUIET) {
        single.push([i, x, y, r]);
        continue;
      }
      const name = looks.css(i);
      let path = paths.get(name);
      if (!path) paths.set(name, (path = new Path2D()));
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, TURN);
    }
    for (const [name, path] of paths) {
      c.fillStyle = name;
      c.fill(path);
    }
    for (const [i, x, y, r] of single) this._one(i, x, y, r, looks, colour);
  }

  _one(i, x, y, r, looks, colour, round = false) {
    const c = this.context;
    const bits = looks.bits(i);
    c.beginPath();
    c.arc(x, y, r, 0, TURN);
    c.fillStyle = looks.css(i);
    c.fill();
    if (round && r > 3) {
      const light = c.createRadialGradient(x - r * 0.35, y - r * 0.4, r * 0.1, x, y, r);
      light.addColorStop(0, "#ffffff66");
      light.addColorStop(0.5, "#ffffff00");
      light.addColorStop(1, "#00000066");
      c.fillStyle = light;
      c.fill();
    }
    if (bits & FIXED && r > 3) this._hatch(x, y, r, colour);
    if (bits & (MARKED | SELECTED) && r > 3) {
      c.lineWidth = Math.min(1.6, r * 0.1);
      c.strokeStyle = `${colour.ink}88`;
      c.stroke();
    }
    if (bits & MARKED && colour.safe && r > 4) {
      c.beginPath();
      c.arc(x, y, r * 0.55, 0, TURN);
      c.lineWidth = Math.max(1.5, 0.14 * r);
      c.strokeStyle = colour.ground;
      c.stroke();
    }
    if (bits & SELECTED) {
      c.beginPath();
      c.arc(x, y, r + 3, 0, TURN);
      c.lineWidth = 2;
      c.strokeStyle = bits & MARKED ? colour.mark : looks.css(i);
      c.stroke();
    }
  }

  _hatch(x, y, r, colour) {
    const c = this.context;
    c.save();
    c.clip();
    c.beginPath();
    for (let k = -2 * r; k < 2 * r; k += 7) {
      c.moveTo(x + k - r, y + r);
      c.lineTo(x + k + r, y - r);
    }
    c.lineWidth = 2.4;
    c.strokeStyle = `${colour.ground}a0`;
    c.stroke();
    c.restore();
  }

  destroy() {}
}
