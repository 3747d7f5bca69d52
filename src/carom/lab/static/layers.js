/**
 * All that is drawn on 2D canvases around the balls: what lies under them and what lies over them. In 3D everything is projected.
 */

import { ArrowScale, arrow, arrows, largest } from "./arrows.js";
import { drawHand } from "./hand_marks.js";
import { label, legend, ruler } from "./ruler.js";
import { number, roundStep, speed, withUnit } from "./units.js";
import { Traces } from "./traces.js";
import { Walls } from "./walls.js";
import { drawCentre, drawContacts, drawCorners, drawNames, nextContacts } from "./marks.js";
import { shownRadius } from "./colours.js";

/** Pixels between the handle of an arrow that leaves the stage and the edge, to grip it. */
const HANDLE = 14;

/** Every layer, and whether it is on at first. */
const LAYERS = Object.freeze({
  walls: true, links: true, velocity: false, momentum: false, force: false, trace: false, centre: false, contact: true, cells: false, names: false, ruler: true, legend: true,
});

/** The part of the way from a place to another that stays on a stage so wide, with room for a handle; all of it, if it begins beside. */
function inside(from, to, wide) {
  const edge = to > from ? wide - HANDLE : HANDLE;
  const part = (edge - from) / (to - from);
  return part > 0 && part < 1 ? part : 1;
}

/** Draws the layers of a bench. What it needs of it: scene, frame, state, camera, colour, looks, hand, say, still. */
export class Layers {
  /**
   * @param {HTMLCanvasElement} under
   * @param {HTMLCanvasElement} over
   */
  constructor(under, over) {
    this.under = under.getContext("2d");
    this.over = over.getContext("2d");
    /** @type {Record<string, boolean>} */
    this.on = { ...LAYERS };
    this.chosen = new Set();
    this.stale();
    this.traces = new Traces();
    this.walls = new Walls();
    // Velocities have one scale for a scene: the hand throws by it, and the longer arrow is the faster one.
    this.scales = { velocity: { value: 0 }, momentum: new ArrowScale(), force: new ArrowScale() };
  }

  /**
   * For a new scene. Where bodies attract each other, one sees where they have been, unless a person wished otherwise.
   * @param {Carom.Scene} scene
   */
  reset(scene) {
    if (!this.chosen.has("trace")) this.on.trace = LAYERS.trace || Boolean(scene?.attraction);
    this.smooth = Boolean(scene?.attraction);
    this.traces.clear();
    this.fresh = true;
  }

  /** Shows or hides a layer, as a person wishes. */
  choose(name, on) {
    this.on[name] = Boolean(on);
    this.chosen.add(name);
  }

  /** Which vectors frames must carry. */
  needs(selected) {
    return { velocities: this.on.velocity || this.on.momentum || (this.on.trace && this.smooth) || selected, forces: this.on.force };
  }

  /**
   * Chooses how long arrows are: seconds (or metres per unit) that a vector is multiplied by.
   * @param {Carom.Bench} bench
   */
  measure(bench) {
    const { frame, scene, camera, state } = bench;
    if (!frame) return;
    const reach = Math.min(camera.width, camera.height) / camera.scaleAt();
    const d = frame.dimension;
    if (this.fresh && frame.velocities) {
      this.scales.momentum.value = this.scales.force.value = 0;
      this.fresh = false;
    }
    this.scales.velocity.value = state?.arrow_time ?? 0;
    if (this.on.momentum && frame.velocities) {
      let most = 0;
      for (let i = 0; i < frame.count; i += 1) most = Math.max(most, (scene.masses?.[i] ?? 1) * Math.hypot(...frame.velocities.subarray(d * i, d * i + d)));
      this.scales.momentum.suit(most, reach);
    }
    if (this.on.force && frame.forces) this.scales.force.suit(largest(frame.forces, d), reach);
  }

  /**
   * Draws what has changed: a canvas that would look the same is left alone, which spares machines without a GPU most of the work.
   * @param {Carom.Bench} bench
   */
  draw(bench) {
    const { frame, scene } = bench;
    if (!scene) return;
    if (frame && this.on.trace) this.traces.note(frame);
    this.measure(bench);
    const [under, over] = this._keys(bench);
    if (under !== this.keys[0]) this._under(this._clean(this.under, bench), bench);
    if (over !== this.keys[1]) this._over(this._clean(this.over, bench), bench);
    this.keys = [under, over];
  }

  /** Draws everything anew the next time. */
  stale() {
    this.keys = ["", ""];
  }

  /**
   * What the two canvases depend on, as texts.
   * @param {Carom.Bench} bench
   */
  _keys(bench) {
    const { frame, scene, state, camera, colour, hand, selected } = bench;
    const { on } = this;
    const meters = state?.meters;
    const common = [camera.place(), camera.width, camera.height, camera.down, bench.ratio, scene.epoch, colour.dark, colour.safe, on, bench.still];
    const flat = scene.dimension === 2;
    const number = frame?.number ?? 0;
    const below = (on.trace && flat) || (on.links && scene.links?.length && !bench.solid) ? number : -1;
    const above = on.velocity || on.momentum || on.force || on.names || (on.trace && !flat) || selected.length === 1 ? number : -1;
    const busy = hand.aim || hand.spring || hand.joining || hand.box || hand.throwing || hand.corner ? (this.ticks = (this.ticks ?? 0) + 1) : 0;
    const words = [this._rows(bench), on.contact && nextContacts(bench), on.centre && meters?.centre_of_mass, hand.corners, selected];
    return [JSON.stringify([common, below]), JSON.stringify([common, above, busy, words])];
  }

  _clean(c, { camera, ratio }) {
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, camera.width, camera.height);
    return c;
  }

  /**
   * @param {Carom.Context} c
   * @param {Carom.Bench} bench
   */
  _under(c, bench) {
    const { scene, frame, camera, colour, looks } = bench;
    if (scene.dimension === 2) {
      if (this.on.walls) this.walls.fields(c, scene, camera, colour);
      if (this.on.cells) this._cells(c, scene, camera, colour);
      if (this.on.walls) this.walls.draw(c, scene, camera, colour);
    }
    if (frame && this.on.trace && scene.dimension === 2) this.traces.draw(c, camera, looks, colour, !bench.still, this._wrap(scene), scene.attraction);
    if (frame && this.on.links && scene.links?.length && !bench.solid) this._links(c, scene, frame, camera, colour);
  }

  _wrap(scene) {
    const box = scene.walls?.find((shape) => shape.periodic?.some(Boolean));
    return box ? Math.min(box.high[0] - box.low[0], box.high[1] - box.low[1]) / 2 : Infinity;
  }

  _links(c, scene, frame, camera, colour) {
    const d = frame.dimension;
    const at = frame.positions;
    const path = new Path2D();
    for (const [i, j] of scene.links) {
      const [x, y] = camera.project(at[d * i], at[d * i + 1], at[d * i + 2]);
      const [tx, ty] = camera.project(at[d * j], at[d * j + 1], at[d * j + 2]);
      path.moveTo(x, y);
      path.lineTo(tx, ty);
    }
    c.strokeStyle = colour.link;
    c.lineWidth = scene.links.length > 2000 ? 0.8 : 1.6;
    c.stroke(path);
  }

  /** A grid with the size of the largest ball. */
  _cells(c, scene, camera, colour) {
    const size = 2 * scene.radii.reduce((most, r) => Math.max(most, r), 0);
    if (!(size * camera.scale > 5)) return;
    const [low, high] = scene.bounds;
    const path = new Path2D();
    const [left, top] = camera.project(low[0], low[1]);
    const [right, bottom] = camera.project(high[0], high[1]);
    for (let x = left; x <= right + 0.5; x += size * camera.scale) {
      path.moveTo(x, top);
      path.lineTo(x, bottom);
    }
    const step = size * camera.scale * Math.sign(bottom - top);
    for (let y = top; (bottom - y) * Math.sign(step) >= -0.5; y += step) {
      path.moveTo(left, y);
      path.lineTo(right, y);
    }
    c.strokeStyle = colour.faint;
    c.lineWidth = 1;
    c.stroke(path);
  }

  /**
   * @param {Carom.Context} c
   * @param {Carom.Bench} bench
   */
  _over(c, bench) {
    const { scene, frame, state, camera, colour, looks, selected } = bench;
    if (frame) {
      if (this.on.trace && scene.dimension === 3) this.traces.draw(c, camera, looks, colour, !bench.still, this._wrap(scene), scene.attraction);
      if (this.on.momentum && frame.velocities) arrows(c, frame, camera, frame.velocities, this.scales.momentum.value, colour.momentum, colour.field, scene.masses);
      if (this.on.velocity && frame.velocities) arrows(c, frame, camera, frame.velocities, this.scales.velocity.value, colour.velocity, colour.field);
      if (this.on.force && frame.forces) arrows(c, frame, camera, frame.forces, this.scales.force.value, colour.force, colour.field);
      if (selected.length === 1 && !bench.hand.aim) this._tip(c, bench);
      if (this.on.names) drawNames(c, scene, frame, camera, colour, looks);
    }
    if (this.on.contact) drawContacts(c, bench);
    if (this.on.centre && state?.meters?.centre_of_mass?.length) drawCentre(c, bench);
    if (bench.hand.corners) drawCorners(c, bench);
    drawHand(c, bench);
    if (this.on.ruler) ruler(c, camera, colour);
    if (this.on.legend) legend(c, this._rows(bench), colour, camera.width, camera.height);
  }

  /**
   * Where the tip of the selected ball's velocity is on the screen, and where its handle is.
   * @param {Carom.Bench} bench
   * @returns {?Carom.Tip}
   */
  tip(bench) {
    const { frame, selected, camera, scene } = bench;
    if (selected.length !== 1 || !frame || selected[0] >= frame.count) return null;
    const d = frame.dimension;
    const i = selected[0];
    const place = Array.from(frame.positions.subarray(d * i, d * i + d));
    const held = bench.hand.throwing;
    const velocity = held ?? (frame.velocities ? Array.from(frame.velocities.subarray(d * i, d * i + d)) : bench.state?.inspector?.index === i ? bench.state.inspector.velocity : null);
    if (!velocity) return null;
    const [x, y, scale] = camera.project(...place);
    const [tx, ty] = camera.project(...place.map((part, k) => part + velocity[k] * this.scales.velocity.value));
    const size = Math.hypot(tx - x, ty - y);
    const least = shownRadius(scene.radii[i], scale, frame.count) + 12;
    const part = Math.min(inside(x, tx, camera.width), inside(y, ty, camera.height));
    const handle = size >= least ? [x + (tx - x) * part, y + (ty - y) * part] : size > 0.5 ? [x + ((tx - x) / size) * least, y + ((ty - y) / size) * least] : [x + least * 0.71, y - least * 0.71];
    return { x, y, tx, ty, handle, velocity, place, index: i };
  }

  _tip(c, bench) {
    const tip = this.tip(bench);
    if (!tip) return;
    const { colour } = bench;
    const path = new Path2D();
    arrow(path, tip.x, tip.y, tip.tx, tip.ty, 8);
    c.lineCap = "round";
    c.strokeStyle = colour.ground;
    c.lineWidth = 5;
    c.stroke(path);
    c.strokeStyle = colour.velocity;
    c.lineWidth = 2.2;
    c.stroke(path);
    if (bench.about?.looking) return;
    c.beginPath();
    c.arc(...tip.handle, 4.5, 0, 7);
    c.fillStyle = colour.ground;
    c.fill();
    c.lineWidth = 1.8;
    c.stroke();
    if (bench.hand.throwing) label(c, speed(Math.hypot(...tip.velocity)), tip.handle[0], tip.handle[1] - 20, colour);
  }

  /** @param {Carom.Bench} bench */
  _rows({ frame, selected, colour, camera, say, state }) {
    const rows = [];
    if (frame?.marks.length) rows.push({ dot: colour.mark, text: say("stage.legend.next") });
    if (selected.length) rows.push({ dot: colour.select, text: say("stage.legend.selected") });
    const add = (name, unit) => {
      const scale = this.scales[name].value;
      if (!this.on[name] || !scale) return;
      const value = roundStep(44 / camera.scaleAt() / scale);
      const said = name === "velocity" ? speed(value) : name === "force" ? withUnit(value, unit) : `${number(value)} ${unit}`;
      rows.push({ arrow: colour[name], span: value * scale * camera.scaleAt(), text: `${say(`stage.legend.${name}`)}: ${said}` });
    };
    add("velocity", "m/s");
    add("momentum", "kg·m/s");
    add("force", "N");
    if (this.on.centre) rows.push({ dot: colour.centre, text: say("stage.legend.centre") });
    frame?.companions.forEach((_, k) => rows.push({ dot: colour.companions[k % colour.companions.length], text: state?.companions?.[k]?.name ?? `${say("stage.legend.companion")} ${k + 1}` }));
    return rows;
  }
}
