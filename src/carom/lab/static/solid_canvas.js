/**
 * Scenes in 3D without WebGL2: faces, balls and lines on a 2D canvas, the far ones first.
 */

import { QUIET, bytes, shownRadius } from "./colours.js";
import { BallCanvas } from "./ball_canvas.js";
import { EDGE, FLOOR, Solids } from "./solids.js";

const LAMP = [-0.45, 0.7, 0.65].map((part) => part / Math.hypot(0.45, 0.7, 0.65));

/** Draws a 3D scene with Canvas2D. */
export class SolidCanvas extends BallCanvas {
  /** Draws one picture. @param {Carom.Picture} what */
  draw(what) {
    const { scene, frame, camera, colour, ratio, layers } = what;
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    if (!scene) return;
    if (this.scene !== scene) {
      this.scene = scene;
      this.solids = Solids.of(scene);
    }
    this.basis = camera.basis();
    const walls = layers?.walls !== false;
    if (walls) this._plates(camera, colour);
    const things = walls ? this._faces(this.solids.solid, camera, colour.solid) : [];
    if (frame?.count) {
      things.push(...this._cloth(scene, frame, camera, colour), ...this._balls(what));
      frame.companions.forEach((positions, k) => this._rings(positions, what.radii, frame, camera, colour.companions[k % colour.companions.length]));
    }
    things.sort((a, b) => a.scale - b.scale);
    for (const thing of things) thing.paint();
    if (walls) this._lines(camera, colour);
  }

  _balls({ radii, frame, camera, looks, colour }) {
    const found = [];
    for (let i = 0; i < frame.count; i += 1) {
      const [x, y, scale] = camera.project(frame.positions[3 * i], frame.positions[3 * i + 1], frame.positions[3 * i + 2]);
      if (!(scale > 0) || looks.bits(i) & QUIET) continue;
      found.push({ scale, paint: () => this._one(i, x, y, shownRadius(radii[i], scale, frame.count), looks, colour, true) });
    }
    return found;
  }

  /** A lit triangle between three places, or null behind the eye. */
  _triangle(places, camera, rgb) {
    const seen = places.map((place) => camera.project(...place));
    if (!seen.every(([, , scale]) => scale > 0)) return null;
    const [a, b, d] = places;
    const [u, v] = [b.map((part, k) => part - a[k]), d.map((part, k) => part - a[k])];
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...normal) || 1;
    const along = (axis) => (normal[0] * axis[0] + normal[1] * axis[1] + normal[2] * axis[2]) / size;
    const facing = [along(this.basis.right), along(this.basis.up), -along(this.basis.forward)];
    const side = facing[2] < 0 ? -1 : 1;
    const day = Math.max(0, side * facing.reduce((sum, part, k) => sum + part * LAMP[k], 0));
    const shade = 0.44 + 0.1 * side * facing[1] + 0.5 * day;
    const fill = `rgb(${rgb.map((part) => Math.min(255, part * shade)).join()})`;
    return {
      scale: (seen[0][2] + seen[1][2] + seen[2][2]) / 3,
      paint: () => {
        const c = this.context;
        c.beginPath();
        seen.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
        c.closePath();
        c.fillStyle = fill;
        c.strokeStyle = fill;
        c.lineWidth = 0.7;
        c.fill();
        c.stroke();
      },
    };
  }

  _faces(numbers, camera, tint) {
    const rgb = bytes(tint);
    const found = [];
    for (let at = 0; at < numbers.length; at += 21) {
      found.push(this._triangle([0, 7, 14].map((step) => numbers.slice(at + step, at + step + 3)), camera, rgb));
    }
    return found.filter(Boolean);
  }

  _cloth(scene, frame, camera, colour) {
    const rgb = bytes(colour.cloth);
    const place = (i) => Array.from(frame.positions.subarray(3 * i, 3 * i + 3));
    return (scene.triangles ?? []).map((face) => this._triangle(face.map(place), camera, rgb)).filter(Boolean);
  }

  /** Floors, under everything. */
  _plates(camera, colour) {
    const c = this.context;
    const { glass } = this.solids;
    c.fillStyle = `${colour.solid}38`;
    c.beginPath();
    for (let at = 0; at < glass.length; at += 21) {
      if (glass[at + 6] !== FLOOR) continue;
      [0, 7, 14].forEach((step) => {
        const [x, y] = camera.project(...glass.slice(at + step, at + step + 3));
        if (step) c.lineTo(x, y);
        else c.moveTo(x, y);
      });
      c.closePath();
    }
    c.fill();
  }

  _lines(camera, colour) {
    const c = this.context;
    const { lines } = this.solids;
    const paths = [new Path2D(), new Path2D()];
    for (let at = 0; at < lines.length; at += 14) {
      const [x, y, scale] = camera.project(...lines.slice(at, at + 3));
      const [tx, ty, other] = camera.project(...lines.slice(at + 7, at + 10));
      if (!(scale > 0 && other > 0)) continue;
      const path = paths[lines[at + 6] === EDGE ? 0 : 1];
      path.moveTo(x, y);
      path.lineTo(tx, ty);
    }
    c.lineWidth = 1;
    c.strokeStyle = `${colour.wall}b0`;
    c.stroke(paths[0]);
    c.strokeStyle = `${colour.soft}38`;
    c.stroke(paths[1]);
  }
}
