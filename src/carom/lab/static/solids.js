/**
 * Walls and obstacles of 3D scenes as triangles and lines: [x, y, z, nx, ny, nz, role] a vertex.
 */

/** Roles, by which colours are chosen. */
export const SOLID = 0;
const GLASS = 1;
export const FLOOR = 2;
export const EDGE = 3;
const GRID = 4;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((part) => part / (Math.hypot(...a) || 1));
const along = (place, direction, by) => place.map((part, k) => part + direction[k] * by);

/** Two directions across `axis`. */
function across(axis) {
  const first = unit(cross(axis, Math.abs(axis[0]) > 0.8 ? [0, 1, 0] : [1, 0, 0]));
  return [first, cross(axis, first)];
}

/** Collects vertices of all shapes: `solid` and `glass` triangles, and `lines`. */
export class Solids {
  constructor() {
    this.solid = [];
    this.glass = [];
    this.lines = [];
  }

  /** All shapes of a scene. */
  static of(scene) {
    const all = new Solids();
    for (const shape of scene.walls ?? []) all.add(shape, scene, shape.solid ? SOLID : GLASS);
    for (const shape of scene.obstacles ?? []) all.add(shape, scene, shape.solid === false ? GLASS : SOLID);
    return all;
  }

  add(shape, scene, role) {
    if (shape.kind === "box") this._box(shape.low, shape.high, role, scene);
    else if (shape.kind === "circle") this._sphere(shape, role);
    else if (shape.kind === "cylinder") this._cylinder(shape, role);
    else if (shape.kind === "half-space") this._floor(shape, scene);
    else if (shape.kind === "mesh") this._mesh(shape, role);
  }

  _triangle(list, role, places, normals) {
    places.forEach((place, k) => list.push(...place, ...(normals ? normals[k] : unit(cross(minus(places[1], places[0]), minus(places[2], places[0])))), role));
  }

  _line(from, to, role = EDGE) {
    this.lines.push(...from, 0, 0, 0, role, ...to, 0, 0, 0, role);
  }

  _circle(centre, a, b, radius, role = EDGE) {
    const at = (k) => along(along(centre, a, radius * Math.cos((k * Math.PI) / 32)), b, radius * Math.sin((k * Math.PI) / 32));
    for (let k = 0; k < 64; k += 1) this._line(at(k), at(k + 1), role);
  }

  _list(role) {
    return role === GLASS ? this.glass : this.solid;
  }

  _box(low, high, role, scene) {
    const corner = (k) => [k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]];
    for (let k = 0; k < 8; k += 1) for (const bit of [1, 2, 4]) if (!(k & bit)) this._line(corner(k), corner(k | bit));
    if (role === GLASS) {
      const down = scene.gravity ?? [0, 0, 0];
      const axis = down.some(Boolean) ? down.map(Math.abs).indexOf(Math.max(...down.map(Math.abs))) : 2;
      const level = (down[axis] > 0 ? high : low)[axis];
      const [a, b] = [0, 1, 2].filter((k) => k !== axis);
      this._plate(axis, level, [low[a], low[b], high[a], high[b]], a, b);
      return;
    }
    for (const [p, q, r, s] of [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]) {
      this._triangle(this.solid, role, [p, q, r].map(corner));
      this._triangle(this.solid, role, [p, r, s].map(corner));
    }
  }

  /** The floor of a box: a faint plate with a grid. */
  _plate(axis, level, [x, y, right, top], a, b) {
    const at = (u, v) => {
      const place = [0, 0, 0];
      place[axis] = level;
      place[a] = u;
      place[b] = v;
      return place;
    };
    const corners = [at(x, y), at(right, y), at(right, top), at(x, top)];
    this._triangle(this.glass, FLOOR, [corners[0], corners[1], corners[2]]);
    this._triangle(this.glass, FLOOR, [corners[0], corners[2], corners[3]]);
    for (let k = 1; k < 10; k += 1) {
      const [u, v] = [x + ((right - x) * k) / 10, y + ((top - y) * k) / 10];
      this._line(at(u, y), at(u, top), GRID);
      this._line(at(x, v), at(right, v), GRID);
    }
  }

  _sphere({ centre, radius }, role) {
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    if (role === GLASS) for (const [a, b] of [[0, 1], [1, 2], [0, 2]]) this._circle(centre, axes[a], axes[b], radius);
    const [rings, parts] = [24, 48];
    const normal = (i, j) => {
      const [t, p] = [(i * Math.PI) / rings, (2 * j * Math.PI) / parts];
      return [Math.sin(t) * Math.cos(p), Math.sin(t) * Math.sin(p), Math.cos(t)];
    };
    for (let i = 0; i < rings; i += 1) {
      for (let j = 0; j < parts; j += 1) {
        const normals = [normal(i, j), normal(i + 1, j), normal(i + 1, j + 1), normal(i, j + 1)];
        const places = normals.map((n) => along(centre, n, radius));
        for (const pick of [[0, 1, 2], [0, 2, 3]]) this._triangle(this._list(role), role, pick.map((k) => places[k]), pick.map((k) => normals[k]));
      }
    }
  }

  _cylinder({ from, to, radius }, role) {
    const axis = unit(minus(to, from));
    const [a, b] = across(axis);
    for (const end of [from, to]) this._circle(end, a, b, radius);
    const normal = (k) => along(along([0, 0, 0], a, Math.cos((k * Math.PI) / 24)), b, Math.sin((k * Math.PI) / 24));
    for (let k = 0; k < 48; k += 1) {
      const [n, m] = [normal(k), normal(k + 1)];
      const [p, q, r, s] = [along(from, n, radius), along(from, m, radius), along(to, m, radius), along(to, n, radius)];
      this._triangle(this._list(role), role, [p, q, r], [n, m, m]);
      this._triangle(this._list(role), role, [p, r, s], [n, m, n]);
      if (role !== GLASS) {
        this._triangle(this.solid, role, [from, q, p]);
        this._triangle(this.solid, role, [to, s, r]);
      }
      if (role === GLASS && k % 12 === 0) this._line(p, s);
    }
  }

  /** A piece of the plane, under what is drawn. */
  _floor({ point, normal }, scene) {
    const n = unit(normal);
    const [a, b] = across(n);
    const [low, high] = scene.bounds;
    const middle = low.map((part, k) => (part + high[k]) / 2);
    const foot = along(middle, n, dot(minus(point, middle), n));
    const reach = 0.75 * Math.hypot(...minus(high, low));
    const at = (u, v) => along(along(foot, a, u * reach), b, v * reach);
    this._triangle(this.glass, FLOOR, [at(-1, -1), at(1, -1), at(1, 1)]);
    this._triangle(this.glass, FLOOR, [at(-1, -1), at(1, 1), at(-1, 1)]);
    for (let k = -10; k <= 10; k += 1) {
      this._line(at(k / 10, -1), at(k / 10, 1), GRID);
      this._line(at(-1, k / 10), at(1, k / 10), GRID);
    }
  }

  /** Faces of any number of corners; edges are drawn where two faces meet at an angle. */
  _mesh({ vertices, faces }, role) {
    const edges = new Map();
    for (const face of faces) {
      const places = face.map((k) => vertices[k]);
      const normal = unit(cross(minus(places[1], places[0]), minus(places[2], places[0])));
      for (let k = 2; k < places.length; k += 1) this._triangle(this._list(role), role, [places[0], places[k - 1], places[k]]);
      face.forEach((from, k) => {
        const to = face[(k + 1) % face.length];
        const key = from < to ? `${from} ${to}` : `${to} ${from}`;
        const other = edges.get(key);
        if (!other) edges.set(key, { from, to, normal });
        else if (dot(other.normal, normal) > 0.99) other.flat = true;
      });
    }
    for (const { from, to, flat } of edges.values()) if (!flat) this._line(vertices[from], vertices[to]);
  }
}
