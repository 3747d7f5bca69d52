/**
 * Where balls have been: a bounded memory of their last places, drawn so that older ones fade.
 */

const MOST_BALLS = 400;
const SEGMENTS = 16000;
const FADES = 6;
const FEW = 20; // so few have traces in their own colours

/** Remembers and draws the ways of balls. */
export class Traces {
  constructor() {
    this.clear();
  }

  clear() {
    this.size = 0;
    this.epoch = -1;
    this.first = 0;
    this.filled = 0;
    this.last = -Infinity;
  }

  /** Notes where the balls of a frame are. @param {Carom.Frame} frame */
  note(frame) {
    if (this.epoch !== frame.epoch || this.balls !== Math.min(frame.count, MOST_BALLS)) {
      this.clear();
      this.epoch = frame.epoch;
      this.dimension = frame.dimension;
      this.balls = Math.min(frame.count, MOST_BALLS);
      this.size = Math.max(40, Math.min(900, Math.floor(SEGMENTS / Math.max(1, this.balls))));
      this.room = new Float32Array(this.size * this.balls * this.dimension);
      this.going = new Float32Array(this.room.length).fill(NaN);
      this.times = new Float64Array(this.size);
    }
    if (frame.time === this.last) return;
    if (frame.time < this.last) {
      while (this.filled && this.times[(this.first + this.filled - 1) % this.size] >= frame.time) this.filled -= 1;
    }
    this.last = frame.time;
    if (this.filled === this.size) this.first = (this.first + 1) % this.size;
    else this.filled += 1;
    const at = (this.first + this.filled - 1) % this.size;
    const width = this.balls * this.dimension;
    this.room.set(frame.positions.subarray(0, width), at * width);
    if (frame.velocities) this.going.set(frame.velocities.subarray(0, width), at * width);
    else this.going.fill(NaN, at * width, (at + 1) * width);
    this.times[at] = frame.time;
  }

  /** Goes on to place `at` along the curve that has both velocities, as bodies do that attract each other. */
  _curve(path, camera, before, at, time) {
    const d = this.dimension;
    const bend = (from, third) => camera.project(...[0, 1, 2].slice(0, d).map((k) => this.room[from + k] + third * this.going[from + k]));
    const [x, y] = camera.project(this.room[at], this.room[at + 1], d === 3 ? this.room[at + 2] : 0);
    const [ax, ay] = bend(before, time / 3);
    const [bx, by] = bend(at, -time / 3);
    if (Number.isFinite(ax + ay + bx + by)) path.bezierCurveTo(ax, ay, bx, by, x, y);
    else path.lineTo(x, y);
  }

  /**
   * Draws them; `wrap` is a length beyond which a step is a jump over a periodic edge. `curved` where bodies go smoothly: the way between
   * two pictures is then a curve, which matters when pictures are few.
   */
  draw(c, camera, looks, colour, fading, wrap = Infinity, curved = false) {
    if (this.filled < 2) return;
    const d = this.dimension;
    const width = this.balls * d;
    c.lineWidth = this.balls <= FEW ? 1.6 : 1.2;
    c.lineJoin = "round";
    const steps = fading ? FADES : 1;
    for (let part = 0; part < steps; part += 1) {
      const from = Math.floor((part * (this.filled - 1)) / steps);
      const to = Math.floor(((part + 1) * (this.filled - 1)) / steps);
      c.globalAlpha = fading ? 0.08 + 0.5 * ((part + 1) / steps) ** 1.5 : 0.45;
      const paths = new Map();
      for (let i = 0; i < this.balls; i += 1) {
        const name = this.balls <= FEW || looks.bits(i) & 6 ? looks.css(i) : colour.trace;
        let path = paths.get(name);
        if (!path) paths.set(name, (path = new Path2D()));
        let [px, py] = [NaN, NaN];
        for (let k = from; k <= to; k += 1) {
          const at = ((this.first + k) % this.size) * width + i * d;
          const [wx, wy] = [this.room[at], this.room[at + 1]];
          if (curved && k > from) {
            const row = (this.first + k - 1) % this.size;
            this._curve(path, camera, row * width + i * d, at, this.times[(this.first + k) % this.size] - this.times[row]);
            continue;
          }
          const [x, y] = camera.project(wx, wy, d === 3 ? this.room[at + 2] : 0);
          if (Math.abs(wx - px) < wrap && Math.abs(wy - py) < wrap) path.lineTo(x, y);
          else path.moveTo(x, y);
          [px, py] = [wx, wy];
        }
      }
      for (const [name, path] of paths) {
        c.strokeStyle = name;
        c.stroke(path);
      }
    }
    c.globalAlpha = 1;
  }
}
