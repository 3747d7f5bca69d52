/**
 * The little of WebGL2 that both views share: programs, and arrays of numbers held in textures. Balls are drawn with three
 * vertices each, fetched from textures by gl_VertexID: on machines without a GPU that is far quicker than instancing.
 */

const WIDTH = 1024;

/**
 * Compiles a program; its uniforms are in `at` by name.
 * @param {WebGL2RenderingContext} gl
 * @param {string} vertex
 * @param {string} fragment
 */
export function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  const compile = (/** @type {number} */ kind, /** @type {string} */ source) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${source}`);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
    gl.deleteShader(shader);
  };
  compile(gl.VERTEX_SHADER, vertex);
  compile(gl.FRAGMENT_SHADER, fragment);
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) {
    const said = gl.getAttachedShaders(made).map((shader) => gl.getShaderInfoLog(shader)).join("\n");
    throw new Error(`A shader cannot be made: ${gl.getProgramInfoLog(made)} ${said}`);
  }
  /** @type {Record<string, WebGLUniformLocation>} */
  const at = {};
  const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let k = 0; k < count; k += 1) {
    const { name } = gl.getActiveUniform(made, k);
    at[name.replace("[0]", "")] = gl.getUniformLocation(made, name);
  }
  return { made, at };
}

/** A list of numbers, `parts` of them an element, in a texture. */
export class Sheet {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {number} parts
   * @param {"float" | "byte"} kind
   */
  constructor(gl, parts, kind = "float") {
    this.gl = gl;
    this.parts = parts;
    const formats = kind === "float"
      ? { 1: [gl.R32F, gl.RED], 2: [gl.RG32F, gl.RG], 3: [gl.RGB32F, gl.RGB] }
      : { 4: [gl.RGBA8UI, gl.RGBA_INTEGER] };
    const [inner, format] = formats[parts];
    this.inner = inner;
    this.format = format;
    this.type = kind === "float" ? gl.FLOAT : gl.UNSIGNED_BYTE;
    this.Kind = kind === "float" ? Float32Array : Uint8Array;
    this.texture = gl.createTexture();
    this.rows = 0;
  }

  /** Puts the numbers there; more room is taken when it is needed. */
  put(numbers) {
    const { gl } = this;
    const rows = Math.max(1, Math.ceil(numbers.length / this.parts / WIDTH));
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    if (rows !== this.rows) {
      this.rows = rows;
      this.room = new this.Kind(rows * WIDTH * this.parts);
      gl.texImage2D(gl.TEXTURE_2D, 0, this.inner, WIDTH, rows, 0, this.format, this.type, null);
      for (const [what, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) {
        gl.texParameteri(gl.TEXTURE_2D, what, value);
      }
    }
    this.room.set(numbers);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDTH, rows, this.format, this.type, this.room);
  }

  use(unit, place) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniform1i(place, unit);
  }
}

/** GLSL that finds element `i` of a sheet. */
export const FETCH = `ivec2 cell(int i) { return ivec2(i & ${WIDTH - 1}, i >> ${Math.log2(WIDTH)}); }\n`;

/** GLSL: corners of a triangle around the unit circle. */
export const CORNERS = "const vec2 corners[3] = vec2[3](vec2(0.0, 2.0), vec2(-1.7320508, -1.0), vec2(1.7320508, -1.0));\n";

/**
 * A WebGL2 context, or null where there is none.
 * @param {HTMLCanvasElement} canvas
 * @param {WebGLContextAttributes} [options]
 * @returns {?WebGL2RenderingContext}
 */
export function context(canvas, options = {}) {
  return canvas.getContext("webgl2", { alpha: true, premultipliedAlpha: true, antialias: false, depth: false, powerPreference: "high-performance", ...options });
}

/** A view on a canvas of its own, made anew by `_make` when its graphics were lost and are back; `lost` is called then. */
export class GlView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {WebGL2RenderingContext} gl
   * @param {() => void} lost
   */
  constructor(canvas, gl, lost) {
    this.canvas = canvas;
    this.gl = gl;
    this._make();
    this._lost = (event) => {
      event.preventDefault();
      this.dead = true;
    };
    this._back = () => {
      this.dead = false;
      this._make();
      lost();
    };
    canvas.addEventListener("webglcontextlost", this._lost);
    canvas.addEventListener("webglcontextrestored", this._back);
  }

  /** Makes programs and arrays of numbers; each view has its own. */
  _make() {}

  /** Give the graphics back. */
  destroy() {
    this.canvas.removeEventListener("webglcontextlost", this._lost);
    this.canvas.removeEventListener("webglcontextrestored", this._back);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
