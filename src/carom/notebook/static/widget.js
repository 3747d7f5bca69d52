/**
 * A run or a recording in a notebook: the laboratory's stage and time line, with a small desk of controls. The kernel runs it.
 */

import { Bench } from "./bench.js";
import { Card } from "./card.js";
import { KernelLink } from "./kernel_link.js";
import { button, icon, made, say } from "./elements.js";
import { onTheme, themeAround } from "./theme.js";
import { number, time, withUnit } from "./units.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
/** Milliseconds without an answer after which a person is told. */
const PATIENCE = 5000;
/** Milliseconds for which a note stays. */
const NOTED = 8000;
const key = (name, command, args = {}, held = []) => ({ key: name, command, arguments: args, with: held });
const KEYS = [
  key(" ", "toggle"), key(".", "step"), key("ArrowRight", "collision"), key("ArrowLeft", "collision-back"),
  key("ArrowDown", "select-next"), key("ArrowUp", "select-previous"), key("Escape", "select-none"),
  key("]", "faster"), key("[", "slower"), key("Home", "to-start"), key("End", "to-end"),
  key("f", "view:fit"), key("+", "view:zoom-in"), key("-", "view:zoom-out"),
  ...["left", "right", "up", "down"].map((way) => key(`Arrow${way[0].toUpperCase()}${way.slice(1)}`, `view:look-${way}`, {}, ["Control"])),
];
const TEXTS = {
  "stage.label": "Stage. Space runs and pauses. Left and right: the collision before and the next. Up and down: another ball. F fits, plus and minus zoom.",
};

/** One view of a widget's model. */
class Viewer {
  /**
   * @param {Carom.Model} model
   * @param {HTMLElement} element
   */
  constructor(model, element) {
    this.model = model;
    this.ending = new AbortController();
    this._build(element);
    /** @type {?KernelLink} */
    this.link = null;
    this.bench = new Bench({
      stage: this.stage,
      timeline: this.timeline,
      energy: this.energy,
      texts: TEXTS,
      keymap: KEYS,
      looking: true,
      theme: this._theme(),
      link: (hear) => (this.link = new KernelLink(model, {
        ...hear,
        about: (about) => this._about(about),
        note: (note) => this._note(note.text, note.kind),
        working: () => this._compiling(),
        alive: () => this._alive(),
      })),
    });
    this.stage.addEventListener("carom-state", ({ detail }) => this._state(detail), { signal: this.ending.signal });
    this.stage.addEventListener("carom-scene", ({ detail }) => this._scene(detail), { signal: this.ending.signal });
    this.unwatch = onTheme(() => this._paint());
    this._paint();
    this.observer = new IntersectionObserver((seen) => this.link.see(seen.at(-1).isIntersecting));
    this.observer.observe(this.root);
    this._still();
    this.waiting = setTimeout(() => this._note("The kernel does not answer. If it is busy, wait; if it was stopped, run the cell again.", "warning", Infinity), PATIENCE);
    this.link.open();
  }

  _build(element) {
    const send = (command, args) => () => this.bench.send(command, args);
    this.stage = made("div", { class: "carom-view" });
    this.card = new Card(send("select-none"));
    this.said = made("div", { class: "carom-said", role: "status" });
    this.said.hidden = true;
    const layer = (name, label, shown) => {
      const one = button(name, label, () => this._layer(shown, one), { class: "carom-icon", "aria-pressed": "false", "data-layer": shown });
      return one;
    };
    this.tools = made("div", { class: "carom-tools", role: "group", "aria-label": "What is shown" },
      layer("arrows", "Velocities", "velocity"), layer("trace", "Where balls have been", "trace"),
      button("chart", "Energy over time", () => this._chart(), { class: "carom-icon", "aria-pressed": "false", "data-chart": "energy" }),
      button("fit", "Show all", () => this.bench.fit(), { class: "carom-icon" }));
    this.run = button("run", "Run", send("toggle"), { class: "carom-icon carom-run" });
    this.clock = made("output", { class: "carom-clock" });
    this.timeline = made("div", { class: "carom-line" });
    this.speed = made("select", { class: "carom-speed", title: "Speed", "aria-label": "Speed", onchange: () => this.bench.send("speed", { factor: Number(this.speed.value) }) },
      ...SPEEDS.map((factor) => made("option", { value: String(factor) }, `${factor} ×`)));
    this.speed.value = "1";
    const bar = made("div", { class: "carom-bar", role: "group", "aria-label": "Time" },
      button("start", "To the start", send("to-start"), { class: "carom-icon" }), this.run,
      button("forward", "To the next collision", send("collision"), { class: "carom-icon" }), this.clock, this.timeline, this.speed);
    this.energy = made("div", { class: "carom-energy" });
    this.energy.hidden = true;
    this.facts = made("div", { class: "carom-facts" });
    this.root = made("div", { class: "carom-widget", "data-lm-suppress-shortcuts": "" },
      made("div", { class: "carom-picture" }, this.stage, this.card.element, this.said), bar, this.energy, made("div", { class: "carom-foot" }, this.facts, this.tools));
    for (const name of ["keydown", "keyup"]) this.root.addEventListener(name, (event) => this._own(event));
    element.append(this.root);
  }

  // ------------------------------------------------------------ what comes in

  /** What the notebook keeps: it is seen at once, and without a kernel. */
  _still() {
    const kept = this.model.get("_still");
    if (!kept) return;
    const { about, scene, state } = JSON.parse(kept);
    this._about(about);
    this.bench._scene(scene);
    this.bench._state(state);
    this.link.frame(this.model.get("_frame"));
  }

  _about(about) {
    this.about = about;
    this.bench.charts.timeline.from = about.start ?? 0;
  }

  _alive() {
    if (!this.waiting) return;
    clearTimeout(this.waiting);
    this.waiting = 0;
    this._note("");
  }

  /** A height that suits what is seen, unless one was wished for. @param {Carom.Scene} scene */
  _scene(scene) {
    this.name = scene.name;
    const [low, high] = scene.bounds;
    const tall = (high[1] - low[1]) / (high[0] - low[0]) || 1;
    const wide = this.stage.clientWidth || 700;
    const fitting = scene.dimension === 3 ? 0.6 * wide : tall * (wide - 40) + 60;
    const height = this.model.get("_height") || Math.round(Math.max(220, Math.min(420, fitting)));
    this.stage.style.height = `${height}px`;
    this._pressed();
  }

  /** @param {Carom.State} state */
  _state(state) {
    const running = state.running;
    icon(this.run, running ? "pause" : "run");
    this.run.title = running ? "Pause" : "Run";
    this.run.setAttribute("aria-label", this.run.title);
    say(this.clock, time(state.time, 4));
    if (document.activeElement !== this.speed) this._speed(state);
    this.card.put(state.inspector, state.selected.length - 1);
    this._facts(state);
    if (state.message && state.message.number !== this.noted) {
      this.noted = state.message.number;
      this._note(state.message.text, state.message.kind);
    } else if (state.working) this._note("Going there…");
    else if (this.working) this._note("");
    this.working = state.working;
  }

  /** Until the next state. */
  _compiling() {
    this.working = "compiling";
    this._note("Preparing the first run: kernels are being compiled…", "info", Infinity);
  }

  _speed({ speed, pace }) {
    const factor = String(SPEEDS.reduce((best, one) => (Math.abs(Math.log(one / speed)) < Math.abs(Math.log(best / speed)) ? one : best)));
    if (this.speed.value !== factor) this.speed.value = factor;
    this.speed.title = pace === 1 ? "Speed: 1 × is real time" : `Speed: at 1 × a second shows ${time(pace, 3)}`;
  }

  /** @param {Carom.State} state */
  _facts({ meters, solving, rate, running }) {
    const count = this.bench.scene?.radii.length ?? 0;
    const parts = [
      this.name, `${count.toLocaleString("en")} ball${count === 1 ? "" : "s"}`,
      this.about?.kind === "recording" ? "recording" : solving.integrator ? `${solving.solver}: ${solving.integrator}` : solving.solver,
      meters.collisions === null ? null : `${meters.collisions.toLocaleString("en")} collision${meters.collisions === 1 ? "" : "s"}`,
      meters.total === null ? null : `energy ${Math.abs(meters.total) < 1e15 ? withUnit(meters.total, "J", 4) : `${number(meters.total, 4)} J`}`,
      running && rate < 0.8 ? `at ${Math.round(100 * rate)} % of the speed asked for` : null,
    ].filter(Boolean);
    const words = parts.join("\u2002·\u2002");
    say(this.facts, words);
  }

  _note(text, kind = "info", stays = NOTED) {
    clearTimeout(this.noting);
    this.said.hidden = !text;
    this.said.dataset.kind = kind;
    say(this.said, text);
    if (text && Number.isFinite(stays)) this.noting = setTimeout(() => (this.said.hidden = true), stays);
  }

  // ------------------------------------------------------------ what a person does

  /**
   * Plain keys in the widget are its own, and no commands of the notebook; what is pressed with Ctrl, as saving, is the notebook's.
   * Front ends that hear keys before we do leave out what has this attribute; it is settled when Ctrl itself goes down.
   */
  _own(event) {
    const theirs = event.ctrlKey || event.metaKey;
    this.root.toggleAttribute("data-lm-suppress-shortcuts", !theirs);
    if (!theirs) event.stopPropagation();
  }

  _layer(name, pressed) {
    this.bench.layer(name, !this.bench.shown()[name]);
    this._pressed();
    pressed.blur();
    this.bench.focus();
  }

  _pressed() {
    const shown = this.bench.shown();
    for (const one of this.tools.querySelectorAll("[data-layer]")) one.setAttribute("aria-pressed", String(Boolean(shown[one.dataset.layer])));
  }

  _chart() {
    this.energy.hidden = !this.energy.hidden;
    this.tools.querySelector("[data-chart]").setAttribute("aria-pressed", String(!this.energy.hidden));
  }

  _theme() {
    const wished = this.model.get("_theme");
    return wished === "auto" ? themeAround(this.root) : wished;
  }

  _paint() {
    const theme = this._theme();
    if (this.root.dataset.theme === theme) return;
    this.root.dataset.theme = theme;
    this.bench.theme(theme);
  }

  destroy() {
    clearTimeout(this.waiting);
    clearTimeout(this.noting);
    this.ending.abort();
    this.unwatch();
    this.observer.disconnect();
    this.bench.destroy();
    this.root.remove();
  }
}

export default {
  render({ model, el }) {
    const viewer = new Viewer(model, el);
    return () => viewer.destroy();
  },
};
