/**
 * The hand on the stage: pointers. What is pressed decides which gesture begins; a gesture gets every move and its end.
 */

import { aim, box, corner, drag, joining, look, telling, throwing, watch } from "./gestures.js";
import { ballAt, cornerAt } from "./pick.js";

const SLOP = 4;

/** Tools that a person may take; "auto" selects, launches and pulls by what is under the pointer. (And "look", where nothing may be changed.) */
export const TOOLS = Object.freeze(["auto", "select", "launch", "pull", "link", "walls"]);

/** Turns pointer events of the stage into gestures. */
export class Input {
  /**
   * @param {Carom.Bench} bench
   * @param {HTMLElement} element
   */
  constructor(bench, element) {
    this.bench = bench;
    this.element = element;
    this.tool = "auto";
    /** @type {?Carom.Gesture} */
    this.gesture = null;
    /** @type {Map<number, [number, number]>} */
    this.pointers = new Map();
    const on = (name, method, options) => element.addEventListener(name, method.bind(this), { signal: this.ending.signal, ...options });
    this.ending = new AbortController();
    on("pointerdown", this._down);
    on("pointermove", this._move);
    on("pointerup", this._up);
    on("pointercancel", this._lose);
    on("lostpointercapture", this._lose);
    on("wheel", this._wheel, { passive: false });
    on("contextmenu", (event) => event.preventDefault());
    on("pointerleave", () => this._hover(null));
  }

  /** Whether something is under way that Esc can cancel. */
  get busy() {
    return this.gesture !== null;
  }

  /** Gives up what the hand is doing. */
  cancel() {
    this.gesture?.cancel?.();
    this._end();
  }

  _end() {
    this.gesture = null;
    const { hand } = this.bench;
    for (const name of ["aim", "spring", "joining", "box", "throwing"]) hand[name] = null;
    this.bench.changed();
  }

  /** @returns {[number, number]} */
  _place(event) {
    const area = this.element.getBoundingClientRect();
    return [event.clientX - area.left, event.clientY - area.top];
  }

  _down(event) {
    if (event.target.closest?.("button, input, a, select")) return;
    this.element.focus({ preventScroll: true });
    const [x, y] = this._place(event);
    this.pointers.set(event.pointerId, [x, y]);
    try {
      this.element.setPointerCapture(event.pointerId);
    } catch {
      // A pointer that has gone already cannot be captured.
    }
    if (this.pointers.size === 2) {
      this.cancel();
      this.pinch = this._span();
      return;
    }
    if (this.pointers.size > 2 || !this.bench.scene) return;
    event.preventDefault();
    this.start = [x, y];
    this.moved = false;
    this.gesture = this._choose(event, x, y);
    this.gesture?.begin?.(x, y);
    this.bench.changed();
  }

  /** Which gesture begins here. */
  _choose(event, x, y) {
    const { bench, tool } = this;
    const flat = bench.scene.dimension === 2;
    if (event.button === 1 || event.button === 2) return look(bench, "pan");
    const touch = event.pointerType === "touch";
    if (tool === "look") return watch(bench, ballAt(bench, x, y, touch ? 16 : undefined), { add: event.shiftKey || event.ctrlKey || event.metaKey, how: flat ? "pan" : "drag" });
    const tip = bench.layers.tip(bench);
    if (tip && tool !== "link" && Math.hypot(tip.handle[0] - x, tip.handle[1] - y) < (touch ? 18 : 10)) return throwing(bench, tip);
    const found = flat && (tool === "walls" || (tool === "auto" && !bench.frame?.running)) ? cornerAt(bench, x, y, touch ? 20 : 11) : null;
    const ball = ballAt(bench, x, y, touch ? 16 : undefined);
    if (found && (tool === "walls" || ball === null)) return corner(bench, found);
    if (tool === "link") return joining(bench, ball);
    if (ball !== null && tool !== "launch" && tool !== "walls") return drag(bench, ball, { add: event.shiftKey || event.ctrlKey || event.metaKey, pull: tool === "pull", select: tool === "select" });
    if (event.shiftKey) return box(bench);
    if (tool === "walls") return telling(bench, "stage.no-corner");
    if (tool === "launch" || (tool === "auto" && flat)) return aim(bench, tool === "auto");
    return look(bench, flat ? "pan" : "drag", tool === "auto" || tool === "select");
  }

  _move(event) {
    const [x, y] = this._place(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this._hover([x, y], event);
      return;
    }
    this.pointers.set(event.pointerId, [x, y]);
    if (this.pointers.size === 2 && this.pinch) {
      this._spread();
      return;
    }
    if (!this.gesture) return;
    if (!this.moved && Math.hypot(x - this.start[0], y - this.start[1]) < SLOP) return;
    this.moved = true;
    this.gesture.move?.(x, y, x - before[0], y - before[1]);
    this.bench.changed();
  }

  _up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.pinch) {
      if (this.pointers.size < 2) this.pinch = null;
      return;
    }
    if (!this.gesture) return;
    const [x, y] = this._place(event);
    const { gesture } = this;
    this.gesture = null;
    if (this.moved) gesture.end?.(x, y);
    else gesture.click?.(x, y);
    this._end();
  }

  _lose(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    this.pinch = null;
    if (this.gesture) this.cancel();
  }

  /** Middle and width of two fingers. */
  _span() {
    const [[ax, ay], [bx, by]] = [...this.pointers.values()];
    return { x: (ax + bx) / 2, y: (ay + by) / 2, wide: Math.hypot(ax - bx, ay - by) };
  }

  _spread() {
    const now = this._span();
    const { camera } = this.bench;
    camera.pan(now.x - this.pinch.x, now.y - this.pinch.y);
    if (this.pinch.wide > 0) camera.zoom(now.wide / this.pinch.wide, now.x, now.y);
    this.pinch = now;
  }

  /** Where one only looks, the page scrolls under a wheel until the stage has been pressed. */
  _wheel(event) {
    if (this.tool === "look" && !event.ctrlKey && document.activeElement !== this.element) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const turn = Math.max(-240, Math.min(240, event.deltaY * lines));
    const [x, y] = this._place(event);
    this.bench.camera.zoom(Math.exp(-turn * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
  }

  /** Shows by the cursor, and by corners that light up, what a press would do. */
  _hover(place, event) {
    const { bench, tool } = this;
    const { hand, scene } = bench;
    if (!scene) return;
    const before = hand.corner;
    hand.corner = null;
    let cursor = tool === "launch" || tool === "link" || (tool === "auto" && scene.dimension === 2) ? "crosshair" : "grab";
    if (place) {
      const [x, y] = place;
      const tip = tool === "look" ? null : bench.layers.tip(bench);
      const ball = ballAt(bench, x, y);
      if (scene.dimension === 2 && (tool === "walls" || (tool === "auto" && !bench.frame?.running))) hand.corner = cornerAt(bench, x, y);
      if (tip && Math.hypot(tip.handle[0] - x, tip.handle[1] - y) < 10) cursor = "pointer";
      else if (hand.corner && (tool === "walls" || ball === null)) cursor = "move";
      else if (ball !== null && tool !== "launch") cursor = tool === "link" || tool === "look" || event?.shiftKey ? "pointer" : "grab";
    }
    hand.corners = tool === "walls" || hand.corner !== null;
    this.element.style.cursor = cursor;
    if (before?.corner !== hand.corner?.corner || before?.shape !== hand.corner?.shape) bench.changed();
  }

  destroy() {
    this.cancel();
    this.ending.abort();
  }
}
