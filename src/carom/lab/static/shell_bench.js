/** The shell's part on a bench's page: it makes the stage, and turns what the stage says into dialogs, tabs and titles. */

import { calibrated as isCalibrated, pixelsPerCentimetre } from "./calibration.js";
import { hearKeys } from "./shell_keys.js";
import { byId, say, there } from "./shell.js";

const shell = window.caromShell;
const root = document.documentElement;
const CARD = [8.56, 5.398]; // a bank card, cm
let recording = false;
let resumeAfter = false;
let state = null;

/**
 * Begin, when the page's elements are there.
 * @param {{keymap: Carom.Key[], words: Record<string, string>}} config
 */
export async function start(config) {
  const stage = await there("#stage, .sorry");
  if (stage.id !== "stage") return;
  await there("#dialog-calibrate");
  const { Bench } = await import("./bench.js");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  window.carom = new Bench({
    stage,
    timeline: byId("timeline"),
    energy: byId("energy"),
    momentum: byId("momentum"),
    speeds: byId("speeds-chart"),
    url: byId("bench").dataset.socket,
    keymap: config.keymap,
    texts: config.words,
    theme: root.dataset.theme,
    palette: localStorage.getItem("carom-palette") ?? "plain",
    reducedMotion: still.matches,
  });
  const hear = (/** @type {string} */ name, /** @type {(event: any) => void} */ heard) => stage.addEventListener(name, heard);
  hear("carom-state", (event) => {
    state = event.detail;
    nameScene(state.entry);
  });
  hear("carom-scene", () => shell.live({ "layer.trace": carom.shown().trace }));
  hear("carom-local", (event) => LOCAL[event.detail.name]?.());
  hear("carom-menu", () => shell.menu());
  hear("carom-help", () => shell.open("help"));
  hear("carom-note", (event) => shell.toast(event.detail.text));
  restore();
  keepAddress(byId("bench").dataset.bench);
  hearTabs();
  hearKeys();
  hearDialogs();
  if (innerWidth > 720) carom.focus();
}

/** A page that is loaded anew finds its bench again by its address. */
function keepAddress(id) {
  const address = new URL(location.href);
  address.searchParams.set("at", id);
  history.replaceState(null, "", address);
}

/** Another scene on the same bench, as by PageDown: the address names it, so that it can be kept and opened again. */
function nameScene(entry) {
  const address = new URL(location.href);
  if (!entry || entry === address.searchParams.get("scene")) return;
  const at = address.searchParams.get("at");
  address.search = String(new URLSearchParams({ scene: entry, ...(at ? { at } : {}) }));
  history.replaceState(null, "", address);
}

/** What was chosen before, in this browser. */
function restore() {
  const palette = localStorage.getItem("carom-palette");
  if (palette) shell.live({ "view.palette": palette });
  const layers = JSON.parse(localStorage.getItem("carom-layers") ?? "{}");
  for (const [name, on] of Object.entries(layers)) {
    carom.layer(name, on);
    shell.live({ [`layer.${name}`]: on });
  }
}

function layer(name, on) {
  const layers = JSON.parse(localStorage.getItem("carom-layers") ?? "{}");
  localStorage.setItem("carom-layers", JSON.stringify({ ...layers, [name]: on }));
  carom.layer(name, on);
}

function palette(name) {
  localStorage.setItem("carom-palette", name);
  carom.palette(name);
}

/** Turn to a tab; `focus` if a person asked for it from elsewhere. */
function tab(name, focus = false) {
  const bench = byId("bench");
  const again = bench.dataset.tab === name && bench.classList.contains("open");
  bench.dataset.tab = name;
  bench.classList.toggle("open", focus || !again);
  bench.classList.remove("closed");
  for (const each of tabs()) {
    const chosen = each.dataset.tab === name;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    byId(`panel-${each.dataset.tab}`).hidden = !chosen;
    if (chosen && focus) each.focus();
  }
  document.querySelector("[role=tablist]").dispatchEvent(new CustomEvent("carom-tab", { detail: name }));
}

/** @returns {HTMLElement[]} */
const tabs = () => [...document.querySelectorAll("[role=tab]")].filter((each) => each instanceof HTMLElement);

function hearTabs() {
  const list = /** @type {HTMLElement} */ (document.querySelector("[role=tablist]"));
  list.addEventListener("click", ({ target }) => {
    const name = tabs().find((each) => each.contains(/** @type {Node} */ (target)))?.dataset.tab;
    if (name) tab(name);
  });
  list.addEventListener("keydown", (event) => {
    const all = tabs();
    const here = all.findIndex((each) => each === document.activeElement);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || here < 0) return;
    event.preventDefault();
    tab(all[(to + all.length) % all.length].dataset.tab, true);
  });
}

/** Closing dialogs: time goes on after the menu, and the stage has the keyboard again. */
function hearDialogs() {
  byId("dialog-menu").addEventListener("close", resume);
  for (const dialog of document.querySelectorAll("dialog"))
    dialog.addEventListener("close", () => document.querySelector("dialog[open]") || carom.focus());
}

/** The menu of Esc: time stands still while it is open. */
function menu() {
  resumeAfter = Boolean(state?.running);
  if (resumeAfter) carom.send("pause", {});
  shell.open("menu");
}

function resume() {
  if (resumeAfter) carom.send("run", {});
  resumeAfter = false;
}

function togglePanel() {
  byId("bench").classList.toggle("closed");
}

/** Hold a bank card against the screen. */
function calibrate() {
  const slider = byId("calibrate-slider");
  const show = () => {
    const card = byId("bank-card");
    card.style.width = `${CARD[0] * slider.value}px`;
    card.style.height = `${CARD[1] * slider.value}px`;
    const value = Number(slider.value).toFixed(1);
    byId("calibrate-value").textContent = say("calibrate.value", { value });
  };
  slider.value = pixelsPerCentimetre();
  slider.oninput = show;
  show();
  shell.open("calibrate");
}

function calibrated() {
  const value = Number(byId("calibrate-slider").value);
  carom.calibrate(value);
  shell.close("calibrate");
  carom.realSize();
}

/** One centimetre is one centimetre; who has not calibrated the screen does so first. */
function realSize() {
  if (isCalibrated()) carom.realSize();
  else calibrate();
}

/** Begins a film, or ends and saves it; says so where the browser cannot film. */
async function record() {
  if (recording) carom.record(false);
  else {
    try {
      await carom.record(true);
    } catch {
      shell.toast(say("menu.video-impossible"));
      return;
    }
  }
  recording = !recording;
  byId("record-words").textContent = say(recording ? "menu.video-stop" : "menu.video");
  byId("menu-button").classList.toggle("recording", recording);
}

function share(path) {
  shell.live({ "share.link": new URL(path, location.href).href });
  shell.open("share");
  byId("share-link").select();
}

async function copy(id) {
  const field = byId(id);
  field.select();
  await navigator.clipboard.writeText(field.value);
  const words = document.querySelector("#copy span");
  words.textContent = say("word.copied");
  setTimeout(() => (words.textContent = say("word.copy")), 2000);
}

/** The rows of the table of collisions: [exact time, time, who, impulse]. */
function collisions(rows, label) {
  const body = document.querySelector("#panel-collisions tbody");
  body.replaceChildren(
    ...rows.map(([exact, time, who, impulse]) => {
      const row = document.createElement("tr");
      const go = Object.assign(document.createElement("button"), { className: "pick", type: "button", textContent: time });
      go.dataset.time = exact;
      go.setAttribute("aria-label", label.replace("{time}", time));
      for (const content of [go, who, impulse]) row.insertCell().append(content);
      return row;
    }),
  );
}

/** What keys ask of the shell, by name. */
const LOCAL = { calibrate, "real-size": realSize };

Object.assign(shell, {
  layer, palette, tab, menu, resume: () => (resumeAfter = true), togglePanel, calibrate, calibrated, realSize, record, share, copy,
  collisions,
});
