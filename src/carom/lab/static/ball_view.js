/**
 * Balls in the plane with WebGL2: discs to scale with a smooth rim. `ball_canvas.js` does the same without WebGL2.
 */

import { CORNERS, FETCH, GlView, Sheet, context, program } from "./gl.js";
import { leastRadius, parts } from "./colours.js";

const VERTEX = `
uniform highp sampler2D positions;
uniform highp sampler2D radii;
uniform highp usampler2D looks;
uniform vec2 centre;      // of the camera, m
uniform vec2 scale;       // px a metre, with the sign of y upwards
uniform vec2 size;        // of the canvas, px
uniform float ratio;      // of device pixels
uniform vec2 least;      // radii of the smallest balls and of material points, px
uniform int ring;         // draws rings of companions
uniform int rest;         // leaves out those that are not special
flat out uvec4 look;
flat out float radius;
out vec2 offset;
${FETCH}${CORNERS}
void main() {
  int i = gl_VertexID / 3;
  vec2 place = texelFetch(positions, cell(i), 0).xy;
  float r = texelFetch(radii, cell(i), 0).x;
  look = texelFetch(looks, cell(i), 0);
  radius = max(r * abs(scale.x), (r > 0.0 ? least.x : least.y) * ratio);
  if (ring == 1) radius += ratio;
  float halo = (look.a & 6u) != 0u ? 4.5 * ratio : ratio;
  offset = corners[gl_VertexID % 3] * (radius + halo);
  vec2 at = (place - centre) * scale + offset;
  gl_Position = vec4(at / size * 2.0, 0.0, 1.0);
  if (isnan(place.x) || isnan(place.y) || (rest == 1 && ring == 0 && (look.a & 7u) == 0u)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `
uniform vec3 ground;
uniform vec3 ink;
uniform vec3 mark;
uniform vec4 tint;   // of companions
uniform float ratio;
uniform int ring;
uniform int safe;
flat in uvec4 look;
flat in float radius;
in vec2 offset;
out vec4 colour;
float inside(float d, float r) { return clamp(r + 0.5 - d, 0.0, 1.0); }
void main() {
  float d = length(offset);
  if (ring == 1) {
    float there = inside(d, radius) - inside(d, radius - 1.6 * ratio);
    if (there <= 0.0) discard;
    colour = vec4(tint.rgb, 1.0) * tint.a * there;
    return;
  }
  uint bits = look.a;
  vec3 fill = vec3(look.rgb) / 255.0;
  bool marked = (bits & 2u) != 0u, selected = (bits & 4u) != 0u, fixedOne = (bits & 1u) != 0u;
  float rim = clamp(radius * 0.1, 0.0, 1.6 * ratio);
  vec3 edge = mix(fill, marked || selected ? ink : ground, marked || selected ? 0.45 : 0.3);
  vec3 shade = mix(fill, edge, radius > 3.0 * ratio ? 1.0 - inside(d, radius - rim) : 0.0);
  if (fixedOne && radius > 3.0 * ratio) {
    float stripe = abs(fract((offset.x + offset.y) / (5.0 * ratio)) - 0.5) * 2.0;
    float cut = smoothstep(0.42, 0.58, stripe) * inside(d, radius - rim - 0.5 * ratio);
    shade = mix(shade, ground, 0.62 * cut);
  }
  if (safe == 1 && marked && radius > 4.0 * ratio) {
    float r = radius * 0.62;
    shade = mix(shade, ground, inside(d, r) - inside(d, r - max(1.5 * ratio, 0.14 * radius)));
  }
  float body = inside(d, radius);
  vec4 result = vec4(shade, 1.0) * body;
  if (selected) {
    float halo = inside(d, radius + 4.0 * ratio) - inside(d, radius + 2.0 * ratio);
    result += vec4(marked ? mark : mix(fill, ink, 0.25), 1.0) * halo * (1.0 - body);
  }
  if (result.a <= 0.0) discard;
  colour = result;
}`;

/** The same for the many that are neither marked, selected nor fixed: the least work that gives a smooth disc. */
const plain = (points) => ({
  vertex: `
uniform highp sampler2D positions;
uniform highp sampler2D radii;
uniform highp usampler2D looks;
uniform vec2 centre, scale, size, least;
uniform float ratio;
uniform vec3 ground;
flat out vec3 fill;
flat out vec3 edge;
flat out vec2 radius;  // of the disc and of what is inside its rim, px
out vec2 offset;
${FETCH}${CORNERS}
void main() {
  int i = ${points ? "gl_VertexID" : "gl_VertexID / 3"};
  vec2 place = texelFetch(positions, cell(i), 0).xy;
  float r = texelFetch(radii, cell(i), 0).x;
  uvec4 look = texelFetch(looks, cell(i), 0);
  float shown = max(r * abs(scale.x), (r > 0.0 ? least.x : least.y) * ratio);
  fill = vec3(look.rgb) / 255.0;
  edge = mix(fill, ground, 0.3);
  radius = vec2(shown, shown > 3.0 * ratio ? shown - min(shown * 0.1, 1.6 * ratio) : shown + 2.0) + 0.5;
  vec2 at = (place - centre) * scale;
  ${points ? "offset = vec2(0.0); gl_PointSize = 2.0 * shown + 2.0;" : "offset = corners[gl_VertexID % 3] * (shown + 1.0); at += offset;"}
  bool hidden = (look.a & 7u) != 0u || isnan(place.x) || isnan(place.y);
  gl_Position = hidden ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(at / size * 2.0, 0.0, 1.0);
}`,
  fragment: `
flat in vec3 fill;
flat in vec3 edge;
flat in vec2 radius;
in vec2 offset;
out vec4 colour;
void main() {
  float d = length(${points ? "(gl_PointCoord - 0.5) * (2.0 * radius.x + 1.0)" : "offset"});
  colour = vec4(mix(edge, fill, clamp(radius.y - d, 0.0, 1.0)), 1.0) * clamp(radius.x - d, 0.0, 1.0);
}`,
});

/** Balls larger than this, in pixels, are triangles: a point is not drawn at all when its middle is off the canvas. */
const POINTS_UP_TO = 10;
/** Up to so many special balls are drawn one by one. */
const ONE_BY_ONE = 96;

/** Draws the balls of a flat scene on its own canvas. */
export class BallView extends GlView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} lost Called when the graphics are back.
   * @returns {?BallView} null where there is no WebGL2.
   */
  static on(canvas, lost) {
    const gl = context(canvas);
    return gl ? new BallView(canvas, gl, lost) : null;
  }

  _make() {
    const { gl } = this;
    this.program = program(gl, VERTEX, FRAGMENT);
    this.plain = [false, true].map((points) => program(gl, plain(points).vertex, plain(points).fragment));
    this.positions = new Sheet(gl, 2);
    this.radii = new Sheet(gl, 1);
    this.looks = new Sheet(gl, 4, "byte");
    this.array = gl.createVertexArray();
    this.sizes = null;
    this.placed = null;
    this.seen = null; // no version yet: images count theirs downwards from 0
  }

  /**
   * Draws one picture.
   * @param {Carom.Picture} what
   */
  draw({ radii, frame, camera, looks, colour, ratio }) {
    const { gl } = this;
    if (this.dead) return;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!frame || !frame.count) return;
    if (this.sizes !== radii) {
      this.radii.put(radii);
      this.sizes = radii;
      this.largest = radii.reduce((most, r) => Math.max(most, r), 0);
    }
    if (this.seen !== looks.version) {
      this.looks.put(looks.data);
      this.seen = looks.version;
    }
    gl.bindVertexArray(this.array);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const about = { camera, colour, ratio, count: frame.count };
    frame.companions.forEach((positions, k) => {
      const at = this._use(this.program, positions, about);
      gl.uniform1i(at.ring, 1);
      gl.uniform4f(at.tint, ...parts(colour.companions[k % colour.companions.length]), 0.9);
      gl.drawArrays(gl.TRIANGLES, 0, 3 * frame.count);
    });
    const points = this.largest * camera.scale <= POINTS_UP_TO;
    this._use(this.plain[points ? 1 : 0], frame.positions, about);
    gl.drawArrays(points ? gl.POINTS : gl.TRIANGLES, 0, (points ? 1 : 3) * frame.count);
    const special = looks.list();
    if (!special.length) return;
    const at = this._use(this.program, frame.positions, about);
    gl.uniform1i(at.ring, 0);
    gl.uniform1i(at.rest, special.length > ONE_BY_ONE ? 1 : 0);
    if (special.length > ONE_BY_ONE) gl.drawArrays(gl.TRIANGLES, 0, 3 * frame.count);
    else for (const i of special) gl.drawArrays(gl.TRIANGLES, 3 * i, 3);
  }

  /** Takes a program into use, with all that it needs. */
  _use({ made, at }, positions, { camera, colour, ratio, count }) {
    const { gl } = this;
    gl.useProgram(made);
    gl.uniform2f(at.centre, camera.x, camera.y);
    gl.uniform2f(at.scale, camera.scale * ratio, -camera.sign * camera.scale * ratio);
    gl.uniform2f(at.size, this.canvas.width, this.canvas.height);
    gl.uniform1f(at.ratio, ratio);
    gl.uniform2f(at.least, leastRadius(count), Math.max(1.25, leastRadius(count)));
    gl.uniform3fv(at.ground, parts(colour.field));
    if (at.ink) gl.uniform3fv(at.ink, parts(colour.ink));
    if (at.mark) gl.uniform3fv(at.mark, parts(colour.mark));
    if (at.safe) gl.uniform1i(at.safe, colour.safe ? 1 : 0);
    this.radii.use(1, at.radii);
    this.looks.use(2, at.looks);
    gl.activeTexture(gl.TEXTURE0);
    if (this.placed !== positions) this.positions.put(positions);
    this.placed = positions;
    this.positions.use(0, at.positions);
    return at;
  }
}
