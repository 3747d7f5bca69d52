/**
 * The charts beside a stage, each in its element where it has one.
 */

import { Histogram } from "./histogram.js";
import { StripChart } from "./strip_chart.js";
import { Timeline } from "./timeline.js";

/** Milliseconds between two pictures of the time line while time runs: no eye sees it move faster, and on machines without a GPU each costs. */
const CALM = 100;
const AXES = [["x", "velocity"], ["y", "force"], ["z", "centre"]];

/** Time line, energies, momenta and speeds of a bench. */
export class Charts {
  /**
   * @param {Carom.About} about
   * @param {Carom.Bench} bench
   */
  constructor({ timeline, energy, momentum, speeds }, bench) {
    this.bench = bench;
    this.axes = 2;
    this.beside = [];
    const scrub = (time) => bench.latest("scrub", { time });
    const text = (key) => bench.say(key);
    this.timeline = timeline && new Timeline(timeline, { label: text("stage.timeline"), onscrub: scrub, ondrop: () => bench.flush(), onend: () => bench.send("to-end") });
    this.energy = energy && new StripChart(energy, { series: this._energies(), unit: "J", label: text("stage.chart.energy"), onscrub: scrub });
    this.momentum = momentum && new StripChart(momentum, { series: this._momenta(), unit: "kg·m/s", label: text("stage.chart.momentum"), onscrub: scrub });
    this.speeds = speeds && new Histogram(speeds, { label: text("stage.chart.histogram"), text });
    this.all = [this.timeline, this.energy, this.momentum, this.speeds].filter(Boolean);
  }

  _energies() {
    const { say, colour } = this.bench;
    const own = [["kinetic", "velocity"], ["potential", "momentum"], ["total", "ink"]].map(([name, tint]) => ({ name, text: say(`stage.chart.${name}`), colour: tint }));
    return [...own, ...this.beside.map((name, k) => ({ name, text: name, colour: colour.companions[k % colour.companions.length], dash: [4, 3] }))];
  }

  _momenta() {
    return AXES.slice(0, this.axes).map(([name, colour]) => ({ name, text: name, colour }));
  }

  /** New samples. @param {Carom.Chart} chart */
  add(chart) {
    const axes = chart.momentum?.[0]?.length ?? this.axes;
    const beside = Object.keys(chart.companions ?? {});
    if (axes !== this.axes) {
      this.axes = axes;
      this.momentum?.show(this._momenta());
    }
    if (beside.join() !== this.beside.join() && (beside.length || chart.reset)) {
      this.beside = beside;
      if (this.energy) {
        const { times, values, series } = this.energy;
        const known = new Map(series.map(({ name }, s) => [name, values[s]]));
        this.energy.show(this._energies());
        this.energy.times = times;
        this.energy.values = this.energy.series.map(({ name }) => known.get(name) ?? times.map(() => NaN));
      }
    }
    if (chart.reset) for (const one of [this.energy, this.momentum]) one?.clear();
    const times = chart.time ?? [];
    this.energy?.add(times, [chart.kinetic, chart.potential, chart.total, ...this.beside.map((name) => chart.companions?.[name])]);
    this.momentum?.add(times, AXES.slice(0, this.axes).map((_, axis) => (chart.momentum ?? []).map((one) => one[axis])), chart.motion);
  }

  /** @param {Carom.State} state */
  state(state) {
    this.put = performance.now();
    this.timeline?.put(state.time, state.end, state.collision_times);
    this.energy?.at(state.time);
    this.momentum?.at(state.time);
    if (this.speeds && state.meters) this.speeds.put(state.meters.speeds, state.meters.maxwell, state.meters.speeds_end);
  }

  /**
   * A frame was drawn.
   * @param {Carom.Frame} frame
   * @param {?Carom.State} state
   */
  now(frame, state) {
    if (!this.timeline || !state || (frame.running && performance.now() - this.put < CALM)) return;
    this.put = performance.now();
    this.timeline.put(frame.time, frame.past ? state.end : frame.time, null);
  }

  colours(colour) {
    for (const one of this.all) one.colours(colour);
  }

  words() {
    if (this.energy) this.energy.series = this._energies();
    for (const one of this.all) one.changed();
  }

  destroy() {
    for (const one of this.all) one.destroy();
  }
}
