/**
 * Shaders of the 3D view. Places are in the camera's own frame: right, up, towards the eye; lengths are parts of the camera's
 * distance, so that neither molecules nor planets leave the range of small floats.
 */

import { CORNERS, FETCH } from "./gl.js";

const CAMERA = `
uniform vec3 eye, right, up, forward;
uniform float unit;  // 1 / the camera's distance
uniform vec4 lens;   // 2·focal/width, 2·focal/height, near, far
vec3 seen(vec3 place) { vec3 o = (place - eye) * unit; return vec3(dot(o, right), dot(o, up), -dot(o, forward)); }
vec4 onto(vec3 v) {
  float n = lens.z, f = lens.w;
  return vec4(v.x * lens.x, v.y * lens.y, -v.z * (f + n) / (f - n) - 2.0 * f * n / (f - n), -v.z);
}
`;

/** Light from the upper left, a sky and a soft gleam. */
const LIGHT = `
vec3 lit(vec3 fill, vec3 normal, vec3 toEye, float gleam) {
  vec3 lamp = normalize(vec3(-0.45, 0.7, 0.65));
  float day = max(dot(normal, lamp), 0.0);
  float sky = 0.5 + 0.5 * normal.y;
  float shine = pow(max(dot(normalize(lamp + toEye), normal), 0.0), 40.0);
  return fill * (0.34 + 0.2 * sky + 0.55 * day) + gleam * shine;
}
`;

/** Balls as true spheres: a triangle around each, a ray for each pixel. */
export const SPHERE = {
  vertex: `
uniform highp sampler2D positions;
uniform highp sampler2D radii;
uniform highp usampler2D looks;
uniform float pixel;     // size of a pixel at distance 1
uniform vec2 least; // radii of the smallest balls and of material points, px
uniform int ring;
flat out uvec4 look;
flat out vec3 middle;
flat out float radius;
flat out int marker;  // too small to scale: a mark, which is round on the screen, as a sphere aside of the middle is not
out vec3 aside;   // from the middle to the plane through it that faces the eye: small, so that it is precise at any distance
${FETCH}${CORNERS}${CAMERA}
void main() {
  int i = gl_VertexID / 3;
  vec3 place = texelFetch(positions, cell(i), 0).xyz;
  look = texelFetch(looks, cell(i), 0);
  middle = seen(place);
  float distance = length(middle);
  float r = texelFetch(radii, cell(i), 0).x * unit;
  radius = max(r, (r > 0.0 ? least.x : least.y) * pixel * -middle.z);
  if ((look.a & 4u) != 0u) radius = max(radius, 4.0 * pixel * -middle.z);
  marker = radius > r ? 1 : 0;
  vec3 toward = marker == 1 ? vec3(0.0, 0.0, -1.0) : middle / distance;
  vec3 a = normalize(cross(toward, vec3(0.0, 1.0, 0.001)));
  vec3 b = cross(a, toward);
  float halo = (look.a & 4u) != 0u ? 5.0 * pixel * distance : 1.5 * pixel * distance;
  float part = radius / distance;
  float wide = radius / sqrt(max(1.0 - part * part, 1e-6)) + halo;
  vec2 corner = corners[gl_VertexID % 3] * wide;
  aside = a * corner.x + b * corner.y;
  gl_Position = onto(middle + aside);
  if (!(distance > radius) || -middle.z < lens.z || isnan(place.x) || (look.a & 8u) != 0u) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`,
  fragment: `
uniform vec4 lens;
uniform float pixel;
uniform vec3 ground, ink, mark;
uniform vec4 tint;
uniform int ring, safe;
flat in uvec4 look;
flat in vec3 middle;
flat in float radius;
flat in int marker;
in vec3 aside;
out vec4 colour;
${LIGHT}
float depthOf(float z) {
  float n = lens.z, f = lens.w;
  return 0.5 + 0.5 * (-z * (f + n) / (f - n) - 2.0 * f * n / (f - n)) / -z;
}
void main() {
  vec3 d = marker == 1 ? vec3(0.0, 0.0, -1.0) : normalize(middle + aside);
  vec3 nearest = aside - d * dot(aside, d);   // of the ray, from the middle
  float miss = length(nearest);
  float width = pixel * -middle.z;
  float there = clamp((radius - miss) / width + 0.5, 0.0, 1.0);
  gl_FragDepth = depthOf(middle.z);
  if (ring == 1) {
    float hoop = there - clamp((radius - 2.0 * width - miss) / width + 0.5, 0.0, 1.0);
    if (hoop <= 0.02) discard;
    colour = vec4(tint.rgb, 1.0) * tint.a * hoop;
    return;
  }
  bool marked = (look.a & 2u) != 0u, selected = (look.a & 4u) != 0u;
  if (there <= 0.0) {
    if (!selected) discard;
    float halo = clamp((radius + 4.0 * width - miss) / width + 0.5, 0.0, 1.0) - clamp((radius + 2.0 * width - miss) / width + 0.5, 0.0, 1.0);
    if (halo <= 0.02) discard;
    colour = vec4(marked ? mark : vec3(look.rgb) / 255.0, 1.0) * halo;
    return;
  }
  float h = sqrt(max(radius * radius - miss * miss, 0.0));
  vec3 normal = (nearest - d * h) / max(radius, 1e-37);
  vec3 fill = vec3(look.rgb) / 255.0;
  if ((look.a & 1u) != 0u && radius > 4.0 * width) {
    float stripe = abs(fract((normal.x + normal.y) * radius / (7.0 * width)) - 0.5) * 2.0;
    fill = mix(fill, ground, 0.5 * smoothstep(0.4, 0.6, stripe));
  }
  if (safe == 1 && marked && radius > 4.0 * width) {
    float at = miss / radius;
    fill = mix(fill, ground, smoothstep(0.45, 0.5, at) - smoothstep(0.62, 0.67, at));
  }
  colour = vec4(lit(fill, normal, -d, 0.22), 1.0) * there;
  if (there > 0.5) gl_FragDepth = depthOf(middle.z + radius * normal.z);
}`,
};

/** Links: lines between balls, their places fetched by number. */
export const LINK = {
  vertex: `
uniform highp sampler2D positions;
in uint ball;
${FETCH}${CAMERA}
void main() {
  vec3 place = texelFetch(positions, cell(int(ball)), 0).xyz;
  gl_Position = onto(seen(place));
  if (isnan(place.x)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`,
  fragment: `
uniform vec4 tint;
out vec4 colour;
void main() { colour = vec4(tint.rgb, 1.0) * tint.a; }`,
};

/** Cloth: triangles between balls with smooth normals, lit on both sides. */
export const CLOTH = {
  vertex: `
uniform highp sampler2D positions;
uniform highp sampler2D normals;
in uint ball;
out vec3 place;
out vec3 normal;
${FETCH}${CAMERA}
void main() {
  place = seen(texelFetch(positions, cell(int(ball)), 0).xyz);
  vec3 n = texelFetch(normals, cell(int(ball)), 0).xyz;
  normal = vec3(dot(n, right), dot(n, up), -dot(n, forward));
  gl_Position = onto(place);
}`,
  fragment: `
uniform vec3 fill, back;
in vec3 place;
in vec3 normal;
out vec4 colour;
${LIGHT}
void main() {
  vec3 toEye = normalize(-place);
  vec3 n = normalize(normal);
  bool front = dot(n, toEye) > 0.0;
  colour = vec4(lit(front ? fill : back, front ? n : -n, toEye, 0.06), 1.0);
}`,
};

/** Walls and obstacles. */
export const SHAPE = {
  vertex: `
in vec3 place;
in vec3 normal;
in float role;
flat out int kind;
out vec3 at;
out vec3 facing;
${CAMERA}
void main() {
  at = seen(place);
  facing = vec3(dot(normal, right), dot(normal, up), -dot(normal, forward));
  kind = int(role);
  gl_Position = onto(at);
}`,
  fragment: `
uniform vec4 tints[5];
flat in int kind;
in vec3 at;
in vec3 facing;
out vec4 colour;
${LIGHT}
void main() {
  vec4 tint = tints[kind];
  vec3 toEye = normalize(-at);
  if (kind == 0) {
    vec3 n = normalize(facing);
    colour = vec4(lit(tint.rgb, dot(n, toEye) < 0.0 ? -n : n, toEye, 0.08), 1.0);
    return;
  }
  float a = tint.a;
  if (kind == 1) a *= 0.35 + 1.6 * pow(1.0 - abs(dot(normalize(facing), toEye)), 2.0);
  colour = vec4(tint.rgb, 1.0) * a;
}`,
};
