/**
 * Where one looks from: a flat camera for 2D, an orbiting one for 3D. Both have the same methods, so that layers and
 * input need not know which it is. Lengths on the screen are CSS pixels.
 */

import { pixelsPerCentimetre } from "./calibration.js";

const FLIGHT = 260;
const ease = (part) => 1 - (1 - part) ** 3;

/** What both cameras share: size, and flying to a new place. */
class Camera {
  constructor() {
    this.width = 1;
    this.height = 1;
    this.flight = null;
    /** Whether a person has moved it since it was fitted. */
    this.touched = false;
    this.onchange = () => {};
  }

  /** Where it is: the fields that a flight changes. @returns {Record<string, number>} */
  place() {
    return {};
  }

  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.onchange();
  }

  /** Goes to `goal` (some of the camera's own fields), at once or in a short flight. */
  go(goal, eased) {
    this.flight = null;
    if (eased) this.flight = { from: this.place(), goal, start: null };
    else Object.assign(this, goal);
    this.onchange();
  }

  /** Moves a flying camera on. @returns {boolean} whether it still flies. */
  step(now) {
    if (!this.flight) return false;
    this.flight.start ??= now;
    const part = Math.min(1, (now - this.flight.start) / FLIGHT);
    const { from, goal } = this.flight;
    for (const name of Object.keys(goal)) {
      const weight = ease(part);
      if (name === "scale" || name === "distance") this[name] = from[name] * (goal[name] / from[name]) ** weight;
      else this[name] = from[name] + (goal[name] - from[name]) * weight;
    }
    if (part === 1) {
      Object.assign(this, goal);
      this.flight = null;
    }
    return true;
  }

  changed() {
    this.touched = true;
    this.flight = null;
    this.onchange();
  }
}

/** Pan and zoom over a plane. */
export class FlatCamera extends Camera {
  constructor() {
    super();
    this.dimension = 2;
    this.x = 0;
    this.y = 0;
    /** Pixels a metre. */
    this.scale = 100;
    this.down = false;
  }

  place() {
    return { x: this.x, y: this.y, scale: this.scale };
  }

  get sign() {
    return this.down ? 1 : -1;
  }

  /** To the screen: [x, y, pixels a metre there]. */
  project(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 + this.sign * (y - this.y) * this.scale, this.scale];
  }

  /** From the screen to the plane. */
  unproject(left, top) {
    return [this.x + (left - this.width / 2) / this.scale, this.y + (this.sign * (top - this.height / 2)) / this.scale];
  }

  /** Pixels a metre, where one looks. */
  scaleAt() {
    return this.scale;
  }

  /** A vector of the screen as one of the plane. */
  vector(dx, dy) {
    return [dx / this.scale, (this.sign * dy) / this.scale];
  }

  pan(dx, dy) {
    const [x, y] = this.vector(dx, dy);
    this.x -= x;
    this.y -= y;
    this.changed();
  }

  drag(dx, dy) {
    this.pan(dx, dy);
  }

  /** Zooms about a point of the screen, which stays where it is. */
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.unproject(left, top);
    const scale = Math.min(1e18, Math.max(1e-18, this.scale * factor));
    const ratio = this.scale / scale;
    this.x = x + (this.x - x) * ratio;
    this.y = y + (this.y - y) * ratio;
    this.scale = scale;
    this.changed();
  }

  /** Shows all of `bounds`. `inset` is [left, top, right, bottom] in pixels. */
  fit(bounds, eased = false, inset = [28, 28, 28, 44]) {
    const [low, high] = bounds;
    const wide = Math.max(high[0] - low[0], 1e-30);
    const tall = Math.max(high[1] - low[1], 1e-30);
    const [width, height] = [Math.max(20, this.width - inset[0] - inset[2]), Math.max(20, this.height - inset[1] - inset[3])];
    const scale = Math.min(width / wide, height / tall);
    const x = (low[0] + high[0]) / 2 - (inset[0] - inset[2]) / 2 / scale;
    const y = (low[1] + high[1]) / 2 - (this.sign * (inset[1] - inset[3])) / 2 / scale;
    this.touched = false;
    this.go({ x, y, scale }, eased);
  }

  /** One metre is one metre on this screen. */
  realSize(eased = false) {
    this.touched = true;
    this.go({ x: this.x, y: this.y, scale: 100 * pixelsPerCentimetre() }, eased);
  }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((part) => part / Math.hypot(...a));

/** Goes around a point, with perspective. */
export class OrbitCamera extends Camera {
  constructor() {
    super();
    this.dimension = 3;
    this.x = 0;
    this.y = 0;
    this.z = 0;
    this.distance = 5;
    this.azimuth = -0.6;
    this.elevation = 0.35;
    this.reach = 1;
    this.spread = Math.tan((17 * Math.PI) / 180);
    this.up = [0, 0, 1];
  }

  place() {
    const { x, y, z, distance, azimuth, elevation } = this;
    return { x, y, z, distance, azimuth, elevation };
  }

  /** Which way is up: against gravity. */
  set gravity(gravity) {
    if (gravity && Math.hypot(...gravity) > 0) this.up = unit(gravity).map((part) => -part);
    else this.up = [0, 0, 1];
  }

  /** Pixels at distance 1. */
  get focal() {
    return Math.min(this.height, this.width) / 2 / this.spread;
  }

  /** Right, up and forward, and the eye. */
  basis() {
    const aside = Math.abs(this.up[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
    const first = unit(cross(cross(this.up, aside), this.up));
    const second = cross(this.up, first);
    const [c, s, e] = [Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.elevation)];
    const away = this.up.map((part, k) => part * Math.sin(this.elevation) + e * (c * -second[k] + s * first[k]));
    const forward = away.map((part) => -part);
    const right = unit(cross(forward, this.up));
    const up = cross(right, forward);
    const eye = [this.x + away[0] * this.distance, this.y + away[1] * this.distance, this.z + away[2] * this.distance];
    return { right, up, forward, eye };
  }

  /** Nearest and farthest that is drawn. */
  range() {
    const far = this.distance + 4 * this.reach;
    return [Math.max(this.distance - 4 * this.reach, far * 2e-3), far];
  }

  project(x, y, z) {
    const { right, up, forward, eye } = this.basis();
    const offset = [x - eye[0], y - eye[1], z - eye[2]];
    const depth = dot(offset, forward);
    const scale = depth > 0 ? this.focal / depth : NaN;
    return [this.width / 2 + dot(offset, right) * scale, this.height / 2 - dot(offset, up) * scale, scale];
  }

  /** From the screen to the plane that faces the camera through `anchor` (where one looks, if left out). */
  unproject(left, top, anchor = [this.x, this.y, this.z]) {
    const { right, up, forward, eye } = this.basis();
    const depth = dot(anchor.map((part, k) => part - eye[k]), forward);
    const scale = depth / this.focal;
    const [a, b] = [(left - this.width / 2) * scale, (this.height / 2 - top) * scale];
    return eye.map((part, k) => part + forward[k] * depth + right[k] * a + up[k] * b);
  }

  scaleAt(anchor = [this.x, this.y, this.z]) {
    return this.project(...anchor)[2];
  }

  vector(dx, dy, anchor) {
    const scale = this.scaleAt(anchor);
    const { right, up } = this.basis();
    return right.map((part, k) => (part * dx - up[k] * dy) / scale);
  }

  pan(dx, dy) {
    const [x, y, z] = this.vector(dx, dy);
    this.x -= x;
    this.y -= y;
    this.z -= z;
    this.changed();
  }

  /** Orbits. */
  drag(dx, dy) {
    this.azimuth -= dx * 0.007;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + dy * 0.007));
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.min(40 * this.reach, Math.max(0.02 * this.reach, this.distance / factor));
    this.changed();
  }

  /** Shows all of `bounds`; if what is there goes `round` about the upright axis, a disc of it is enough. */
  fit(bounds, eased = false, round = false) {
    const [low, high] = bounds;
    const [x, y, z] = low.map((part, k) => (part + high[k]) / 2);
    this.reach = Math.max(1e-30, Math.hypot(...low.map((part, k) => high[k] - part)) / 2);
    this.touched = false;
    this.go({ x, y, z, distance: this._away(low, high, round) }, eased);
  }

  /** Corners of a box, or points round the rims of the drum in it, from its middle. */
  _corners(low, high, round) {
    const half = low.map((part, axis) => (high[axis] - part) / 2);
    if (!round) return Array.from({ length: 8 }, (_, k) => half.map((part, axis) => ((k >> axis) & 1 ? part : -part)));
    const upright = this.up.map(Math.abs).indexOf(Math.max(...this.up.map(Math.abs)));
    const [a, b] = [0, 1, 2].filter((axis) => axis !== upright);
    return Array.from({ length: 64 }, (_, k) => {
      const corner = half.map((part) => (k & 1 ? part : -part));
      corner[a] = half[a] * Math.cos((k * Math.PI) / 32);
      corner[b] = half[b] * Math.sin((k * Math.PI) / 32);
      return corner;
    });
  }

  /** From how far all of it is seen. */
  _away(low, high, round) {
    const { right, up, forward } = this.basis();
    const [wide, tall] = [Math.max(20, this.width / 2 - 24), Math.max(20, this.height / 2 - 30)];
    let distance = 1.02 * this.reach;
    for (const corner of this._corners(low, high, round)) {
      const side = Math.max(Math.abs(dot(corner, right)) / wide, Math.abs(dot(corner, up)) / tall);
      distance = Math.max(distance, side * this.focal - dot(corner, forward));
    }
    return distance;
  }

  realSize(eased = false) {
    this.touched = true;
    this.go({ distance: this.focal / (100 * pixelsPerCentimetre()) }, eased);
  }
}
