/**
 * Walls and obstacles of flat scenes on a 2D canvas. Ground where no ball can be is hatched softly.
 */

const TURN = 2 * Math.PI;

function trace(path, points, camera) {
  points.forEach(([px, py], k) => {
    const [x, y] = camera.project(px, py);
    if (k) path.lineTo(x, y);
    else path.moveTo(x, y);
  });
  path.closePath();
}

/** One shape as a path on the screen. */
function outline(shape, camera) {
  const path = new Path2D();
  if (shape.kind === "box") {
    const [low, high] = [shape.low, shape.high];
    trace(path, [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]], camera);
  } else if (shape.kind === "loop") {
    trace(path, shape.points, camera);
    for (const hole of shape.holes ?? []) trace(path, hole, camera);
  } else if (shape.kind === "circle") {
    const [x, y, scale] = camera.project(...shape.centre);
    path.moveTo(x + shape.radius * scale, y);
    path.arc(x, y, shape.radius * scale, 0, TURN);
  } else if (shape.kind === "half-space") {
    const reach = (camera.width + camera.height) * 2;
    const [x, y] = camera.project(...shape.point);
    const [nx, ny] = [shape.normal[0], camera.sign * shape.normal[1]];
    const size = Math.hypot(nx, ny) || 1;
    const [tx, ty, dx, dy] = [(-ny / size) * reach, (nx / size) * reach, (-nx / size) * reach, (-ny / size) * reach];
    path.moveTo(x - tx, y - ty);
    path.lineTo(x + tx, y + ty);
    path.lineTo(x + tx + dx, y + ty + dy);
    path.lineTo(x - tx + dx, y - ty + dy);
    path.closePath();
  }
  return path;
}

function hatch(c, colour) {
  const tile = document.createElement("canvas");
  tile.width = 8;
  tile.height = 8;
  const t = tile.getContext("2d");
  t.strokeStyle = colour;
  t.lineWidth = 1;
  t.beginPath();
  for (const k of [-8, 0, 8]) {
    t.moveTo(k, 8);
    t.lineTo(k + 8, 0);
  }
  t.stroke();
  return c.createPattern(tile, "repeat");
}

/** Paints boundary and obstacles. */
export class Walls {
  constructor() {
    this.pattern = null;
    this.key = "";
  }

  /** The ground inside walls. */
  fields(c, scene, camera, colour) {
    c.fillStyle = colour.field;
    for (const shape of scene.walls ?? []) if (!shape.solid && shape.kind !== "half-space") c.fill(outline(shape, camera), "evenodd");
  }

  draw(c, scene, camera, colour) {
    if (this.key !== colour.faint) {
      this.key = colour.faint;
      this.pattern = hatch(c, `${colour.solidEdge}66`);
    }
    c.lineJoin = "round";
    for (const shape of scene.walls ?? []) {
      if (shape.kind === "box" && (shape.periodic ?? []).some(Boolean)) this._open(c, shape, camera, colour);
      else if (shape.solid || shape.kind === "half-space") this._solid(c, shape, camera, colour);
      else {
        c.strokeStyle = colour.wall;
        c.lineWidth = 2;
        c.stroke(outline(shape, camera));
      }
    }
    for (const shape of scene.obstacles ?? []) this._solid(c, shape, camera, colour, shape.solid === false);
  }

  _solid(c, shape, camera, colour, hollow = false) {
    const path = outline(shape, camera);
    if (!hollow) {
      c.fillStyle = `${colour.solid}80`;
      c.fill(path, "evenodd");
      c.fillStyle = this.pattern;
      c.fill(path, "evenodd");
    }
    c.strokeStyle = colour.wall;
    c.lineWidth = 1.6;
    c.stroke(path);
  }

  /** Edges that are open, where what goes out comes in at the other side, are dashed. */
  _open(c, shape, camera, colour) {
    const [low, high] = [camera.project(...shape.low), camera.project(...shape.high)];
    const side = (axis, at) => {
      c.beginPath();
      if (axis === 0) {
        c.moveTo(at[0], low[1]);
        c.lineTo(at[0], high[1]);
      } else {
        c.moveTo(low[0], at[1]);
        c.lineTo(high[0], at[1]);
      }
      c.setLineDash(shape.periodic[axis] ? [6, 6] : []);
      c.lineWidth = shape.periodic[axis] ? 1.2 : 2;
      c.strokeStyle = shape.periodic[axis] ? colour.soft : colour.wall;
      c.stroke();
      c.setLineDash([]);
    };
    for (const axis of [0, 1]) for (const at of [low, high]) side(axis, at);
  }
}

/**
 * Corners that can be dragged: [{shape, corner, place}], with the shape's name as `drag-corner` has it.
 * @param {Carom.Scene} scene
 * @returns {Carom.Corner[]}
 */
export function corners(scene) {
  const found = [];
  const take = (shape, name) => (shape.vertices ?? []).forEach((place, corner) => found.push({ shape: name, corner, place }));
  if (scene.dimension !== 2) return found;
  for (const shape of scene.walls ?? []) if (shape.kind === "loop") take(shape, "boundary");
  (scene.obstacles ?? []).forEach((shape, k) => shape.kind === "loop" && take(shape, shape.of ?? k));
  return found;
}
