/**
 * Scenes in 3D with WebGL2: balls as shaded spheres with true perspective, links, cloth, and walls.
 */

import { CLOTH, LINK, SHAPE, SPHERE } from "./shaders.js";
import { GlView, Sheet, context, program } from "./gl.js";
import { Solids } from "./solids.js";
import { leastRadius, parts } from "./colours.js";

const STRIDE = 28;

/** Draws a 3D scene on its own canvas. */
export class SolidView extends GlView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} lost Called when the graphics are back.
   * @returns {?SolidView} null where there is no WebGL2.
   */
  static on(canvas, lost) {
    const gl = context(canvas, { depth: true, antialias: true });
    return gl ? new SolidView(canvas, gl, lost) : null;
  }

  _make() {
    const { gl } = this;
    this.programs = Object.fromEntries(Object.entries({ sphere: SPHERE, link: LINK, cloth: CLOTH, shape: SHAPE }).map(([name, source]) => [name, program(gl, source.vertex, source.fragment)]));
    this.positions = new Sheet(gl, 3);
    this.beside = new Sheet(gl, 3);
    this.normals = new Sheet(gl, 3);
    this.radii = new Sheet(gl, 1);
    this.looks = new Sheet(gl, 4, "byte");
    this.empty = gl.createVertexArray();
    this.scene = null;
    this.sizes = null;
    this.seen = null; // no version yet: images count theirs downwards from 0
    this.lists = [];
  }

  /** A list of ball numbers, for links and cloth. */
  _indices(name, numbers) {
    const { gl } = this;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Uint32Array(numbers), gl.STATIC_DRAW);
    const place = gl.getAttribLocation(this.programs[name].made, "ball");
    gl.enableVertexAttribArray(place);
    gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_INT, 4, 0);
    this.lists.push([array, buffer]);
    return { array, count: numbers.length };
  }

  _vertices(numbers) {
    const { gl } = this;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    const attribute = (/** @type {string} */ name, /** @type {number} */ size, /** @type {number} */ offset) => {
      const place = gl.getAttribLocation(this.programs.shape.made, name);
      if (place < 0) return;
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, STRIDE, offset);
    };
    attribute("place", 3, 0);
    attribute("normal", 3, 12);
    attribute("role", 1, 24);
    this.lists.push([array, buffer]);
    return { array, count: numbers.length / 7 };
  }

  _take(scene) {
    const { gl } = this;
    for (const [array, buffer] of this.lists.splice(0)) {
      gl.deleteVertexArray(array);
      gl.deleteBuffer(buffer);
    }
    this.scene = scene;
    this.links = this._indices("link", (scene.links ?? []).flat());
    this.faces = (scene.triangles ?? []).flat();
    this.cloth = this._indices("cloth", this.faces);
    const solids = Solids.of(scene);
    this.solid = this._vertices(solids.solid);
    this.glass = this._vertices(solids.glass);
    this.lines = this._vertices(solids.lines);
  }

  /** Mean of the normals of the faces around each ball. */
  _normals(at, count) {
    const sum = this.sum?.length === 3 * count ? this.sum.fill(0) : (this.sum = new Float32Array(3 * count));
    const { faces } = this;
    for (let f = 0; f < faces.length; f += 3) {
      const [i, j, k] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
      const [ax, ay, az] = [at[j] - at[i], at[j + 1] - at[i + 1], at[j + 2] - at[i + 2]];
      const [bx, by, bz] = [at[k] - at[i], at[k + 1] - at[i + 1], at[k + 2] - at[i + 2]];
      const [x, y, z] = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
      const size = Math.sqrt(Math.sqrt(x * x + y * y + z * z)) || 1;
      for (const q of [i, j, k]) {
        sum[q] += x / size;
        sum[q + 1] += y / size;
        sum[q + 2] += z / size;
      }
    }
    this.normals.put(sum);
  }

  /** Draws one picture. @param {Carom.Picture} what */
  draw(what) {
    const { scene, radii, frame, camera, looks, colour, ratio, layers } = what;
    const { gl } = this;
    if (this.dead) return;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!scene) return;
    if (this.scene !== scene) this._take(scene);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    const walls = layers?.walls !== false;
    if (walls) this._shapes(camera, colour, [[this.solid, gl.TRIANGLES]]);
    if (frame?.count) {
      if (this.sizes !== radii) {
        this.radii.put(radii);
        this.sizes = radii;
      }
      if (this.seen !== looks.version) {
        this.looks.put(looks.data);
        this.seen = looks.version;
      }
      this.positions.put(frame.positions);
      this._cloth(frame, camera, colour);
      this._spheres(frame, camera, colour, ratio);
      if (layers?.links !== false) this._links(camera, colour);
    }
    if (walls) {
      gl.depthMask(false);
      this._shapes(camera, colour, [[this.glass, gl.TRIANGLES], [this.lines, gl.LINES]]);
      gl.depthMask(true);
    }
  }

  _camera(at, camera) {
    const { gl } = this;
    const { right, up, forward, eye } = camera.basis();
    const [near, far] = camera.range().map((part) => part / camera.distance);
    gl.uniform1f(at.unit, 1 / camera.distance);
    gl.uniform3fv(at.eye, eye);
    gl.uniform3fv(at.right, right);
    gl.uniform3fv(at.up, up);
    gl.uniform3fv(at.forward, forward);
    gl.uniform4f(at.lens, (2 * camera.focal) / camera.width, (2 * camera.focal) / camera.height, near, far);
  }

  _shapes(camera, colour, lists) {
    const { gl } = this;
    const { made, at } = this.programs.shape;
    gl.useProgram(made);
    this._camera(at, camera);
    const tint = (name, alpha) => [...parts(colour[name]), alpha];
    gl.uniform4fv(at.tints, [...tint("solid", 1), ...tint("solidEdge", 0.13), ...tint("solid", 0.22), ...tint("wall", 0.75), ...tint("soft", 0.2)]);
    for (const [list, mode] of lists) {
      if (!list.count) continue;
      gl.bindVertexArray(list.array);
      gl.drawArrays(mode, 0, list.count);
    }
  }

  _cloth(frame, camera, colour) {
    const { gl } = this;
    if (!this.cloth.count) return;
    this._normals(frame.positions, frame.count);
    const { made, at } = this.programs.cloth;
    gl.useProgram(made);
    this._camera(at, camera);
    this.positions.use(0, at.positions);
    this.normals.use(3, at.normals);
    const fill = parts(colour.cloth);
    gl.uniform3fv(at.fill, fill);
    gl.uniform3fv(at.back, fill.map((part) => part * 0.78));
    gl.bindVertexArray(this.cloth.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.cloth.count);
  }

  _spheres(frame, camera, colour, ratio) {
    const { gl } = this;
    const { made, at } = this.programs.sphere;
    gl.useProgram(made);
    this._camera(at, camera);
    gl.uniform1f(at.pixel, 1 / (camera.focal * ratio));
    gl.uniform2f(at.least, leastRadius(frame.count) * ratio, Math.max(1.25, leastRadius(frame.count)) * ratio);
    gl.uniform3fv(at.ground, parts(colour.ground));
    gl.uniform3fv(at.mark, parts(colour.mark));
    gl.uniform1i(at.safe, colour.safe ? 1 : 0);
    gl.bindVertexArray(this.empty);
    this.radii.use(1, at.radii);
    this.looks.use(2, at.looks);
    gl.uniform1i(at.ring, 1);
    frame.companions.forEach((positions, k) => {
      gl.activeTexture(gl.TEXTURE0);
      this.beside.put(positions);
      this.beside.use(0, at.positions);
      gl.uniform4f(at.tint, ...parts(colour.companions[k % colour.companions.length]), 0.9);
      gl.drawArrays(gl.TRIANGLES, 0, 3 * frame.count);
    });
    gl.uniform1i(at.ring, 0);
    this.positions.use(0, at.positions);
    gl.drawArrays(gl.TRIANGLES, 0, 3 * frame.count);
  }

  _links(camera, colour) {
    const { gl } = this;
    if (!this.links.count) return;
    const { made, at } = this.programs.link;
    gl.useProgram(made);
    this._camera(at, camera);
    this.positions.use(0, at.positions);
    gl.uniform4f(at.tint, ...parts(colour.link), this.cloth.count ? 0.28 : 0.95);
    gl.bindVertexArray(this.links.array);
    gl.drawArrays(gl.LINES, 0, this.links.count);
  }
}
