/**
 * What the hand can do on the stage. A gesture is {begin, move, end, click, cancel}: `end` after it has moved, `click` if it has
 * not. Places go out in the scene's own coordinates: `out` adds the origin.
 */

import { ballsIn, byLinks } from "./pick.js";
import { roundStep } from "./units.js";

const out = (bench, place) => Array.from(place, (part, k) => part + bench.scene.origin[k]);

/**
 * Where ball `i` is, relative to the origin.
 * @param {{frame: Carom.Frame}} bench
 * @param {number} i
 */
function placeOf({ frame }, i) {
  const d = frame.dimension;
  return Array.from(frame.positions.subarray(d * i, d * i + d));
}

/**
 * Moves or turns the camera; a click on empty ground lets go of the selection.
 * @param {Carom.Bench} bench
 * @param {"pan"|"drag"} how
 * @param {boolean} [deselects]
 * @returns {Carom.Gesture}
 */
export function look(bench, how, deselects = false) {
  return {
    move: (_x, _y, dx, dy) => bench.camera[how](dx, dy),
    click: () => deselects && bench.selected.length && bench.send("select-none"),
  };
}

/**
 * A tool that is dragged where there is nothing for it: says what it works on. In space the camera turns meanwhile.
 * @param {Carom.Bench} bench
 * @param {string} key
 * @returns {Carom.Gesture}
 */
export function telling(bench, key) {
  const move = bench.scene.dimension === 3 ? look(bench, "drag").move : undefined;
  const say = () => bench.note("info", bench.say(key));
  return { move, end: say, click: say };
}

/**
 * Only looks: a click selects what is under it, or nothing; a drag moves or turns the camera.
 * @param {Carom.Bench} bench
 * @param {?number} ball
 * @param {{add: boolean, how: "pan"|"drag"}} about
 * @returns {Carom.Gesture}
 */
export function watch(bench, ball, { add, how }) {
  const empty = look(bench, how, true);
  return ball === null ? empty : { ...empty, click: () => bench.send("select", { indices: [ball], mode: add ? "toggle" : "only" }) };
}

/**
 * Press, drag, release: a new ball with its velocity (S-05). Time is held meanwhile. A click lets go of the selection or, if it
 * `builds`, puts a new point by what is linked (M-16).
 * @param {Carom.Bench} bench
 * @param {boolean} [builds]
 * @returns {Carom.Gesture}
 */
export function aim(bench, builds = false) {
  let from;
  let velocity = null;
  const radius = usual(bench.scene);
  return {
    begin(x, y) {
      from = bench.camera.unproject(x, y);
      bench.send("hold");
    },
    move(x, y) {
      const to = bench.camera.unproject(x, y, from);
      const seconds = bench.layers.scales.velocity.value || 1;
      velocity = to.map((part, k) => (part - from[k]) / seconds);
      bench.hand.aim = { from, to, radius, value: Math.hypot(...velocity) };
    },
    end(x, y) {
      this.move(x, y);
      bench.send("launch", { position: out(bench, from), velocity });
    },
    click() {
      bench.send("unhold");
      if (builds && byLinks(bench, from)) bench.send("build", { position: out(bench, from) });
      else if (bench.selected.length) bench.send("select-none");
    },
    cancel: () => bench.send("unhold"),
  };
}

/** The radius that a new ball will have, as the session chooses it. @param {Carom.Scene} scene */
function usual({ radii, masses, attraction, bounds: [low, high] }) {
  if (attraction && radii.length) return radii[masses.indexOf(Math.min(...masses))];
  const sizes = Array.from(radii).filter((r) => r > 0).sort((a, b) => a - b);
  if (sizes.length) return (sizes[(sizes.length - 1) >> 1] + sizes[sizes.length >> 1]) / 2;
  return radii.length ? 0 : roundStep(Math.max(...high.map((part, k) => part - low[k])) / 40);
}

/**
 * Draws a box and selects what is in it.
 * @param {Carom.Bench} bench
 * @returns {Carom.Gesture}
 */
export function box(bench) {
  let start;
  return {
    begin: (x, y) => (start = [x, y]),
    move: (x, y) => (bench.hand.box = [...start, x, y]),
    end(x, y) {
      bench.send("select", { indices: ballsIn(bench, [...start, x, y]), mode: "add" });
    },
  };
}

/**
 * Takes the selected balls along with one of them, to where that one should be. Where it is, the newest frame says, with what has
 * been sent since: a move that was refused does not count.
 */
function along(bench, ball) {
  let sent = [];
  return (to) =>
    bench.latest("move", () => {
      const frame = bench.next ?? bench.frame;
      sent = sent.filter(({ seq }) => seq > frame.seq);
      const at = placeOf({ frame }, ball).map((part, k) => sent.reduce((sum, { by }) => sum + by[k], part));
      const by = to.map((part, k) => part - at[k]);
      sent.push({ seq: (bench.link?.seq ?? 0) + 1, by });
      return { by };
    });
}

/**
 * Drag a ball. A click selects it. A drag moves it together with all selected balls. Where the solver knows forces, a run
 * goes on and a spring pulls the ball instead; any other run is held meanwhile.
 * @param {Carom.Bench} bench
 * @param {number} ball
 * @param {{add: boolean, pull: boolean, select: boolean}} how
 * @returns {Carom.Gesture}
 */
export function drag(bench, ball, { add, pull, select }) {
  const pulls = pull || (bench.frame.running && bench.state?.solving?.has_forces && !select);
  const together = bench.selected.includes(ball) && bench.selected.length > 1 ? along(bench, ball) : null;
  let grab = null;
  let start = null;
  let held = false;
  let taken = false;
  const target = (x, y) => {
    const to = bench.camera.unproject(x, y, start);
    return to.map((part, k) => part + grab[k]);
  };
  const take = () => {
    if (taken) return;
    taken = true;
    if (!pulls && !bench.selected.includes(ball)) bench.send("select", { indices: [ball], mode: add ? "add" : "only" });
    if (!pulls && bench.frame.running) {
      held = true;
      bench.send("hold");
    }
  };
  return {
    begin(x, y) {
      start = placeOf(bench, ball);
      const at = bench.camera.unproject(x, y, start);
      grab = start.map((part, k) => (pulls ? 0 : part - at[k]));
    },
    move(x, y) {
      take();
      const to = target(x, y);
      if (pulls) {
        bench.hand.spring = { from: () => placeOf(bench, ball), to };
        bench.latest("pull", { index: ball, target: out(bench, to) });
      } else if (together) {
        together(to);
      } else {
        bench.latest("place", { index: ball, position: out(bench, to) });
      }
    },
    end(x, y) {
      this.move(x, y);
      bench.flush();
      if (pulls) bench.send("release", { index: ball });
      if (held) bench.send("unhold");
    },
    click: () => bench.send("select", { indices: [ball], mode: add ? "toggle" : "only" }),
    cancel() {
      bench.drop();
      if (!taken) return;
      if (pulls) bench.send("release", { index: ball });
      else if (together) together(start);
      else bench.send("place", { index: ball, position: out(bench, start) });
      if (held) bench.send("unhold");
    },
  };
}

/**
 * The tip of the selected ball's velocity in the hand.
 * @param {Carom.Bench} bench
 * @param {Carom.Tip} tip
 * @returns {Carom.Gesture}
 */
export function throwing(bench, tip) {
  let start;
  const before = tip.velocity;
  const now = (x, y) => {
    const by = bench.camera.vector(x - start[0], y - start[1], tip.place);
    const seconds = bench.layers.scales.velocity.value || 1;
    return before.map((part, k) => part + by[k] / seconds);
  };
  const held = bench.frame.running;
  return {
    begin(x, y) {
      start = [x, y];
      if (held) bench.send("hold");
    },
    move(x, y) {
      bench.hand.throwing = now(x, y);
      bench.latest("throw", { index: tip.index, velocity: bench.hand.throwing });
    },
    end(x, y) {
      this.move(x, y);
      bench.flush();
      if (held) bench.send("unhold");
    },
    click: () => held && bench.send("unhold"),
    cancel() {
      bench.drop();
      bench.send("throw", { index: tip.index, velocity: Array.from(before) });
      if (held) bench.send("unhold");
    },
  };
}

/**
 * A corner of a wall in the hand.
 * @param {Carom.Bench} bench
 * @param {Carom.Corner} found
 * @returns {Carom.Gesture}
 */
export function corner(bench, found) {
  const send = (place) => bench.latest("drag-corner", { shape: found.shape, corner: found.corner, position: out(bench, place) });
  return {
    begin: () => (bench.hand.corner = found),
    move(x, y) {
      bench.hand.corner = { ...found, now: bench.camera.unproject(x, y) };
      bench.hand.corners = true;
      send(bench.hand.corner.now);
    },
    end(x, y) {
      this.move(x, y);
      bench.flush();
      bench.hand.corner = null;
    },
    cancel() {
      bench.drop();
      send(found.place);
      bench.flush();
      bench.hand.corner = null;
    },
  };
}

/**
 * Links: from ball to ball; a click on empty ground builds a new point there, linked to those near it.
 * @param {Carom.Bench} bench
 * @param {?number} ball
 * @returns {Carom.Gesture}
 */
export function joining(bench, ball) {
  if (ball === null) {
    const build = (x, y) => bench.send("build", { position: out(bench, bench.camera.unproject(x, y)) });
    return { ...telling(bench, "stage.no-ball"), click: build };
  }
  return {
    move(x, y) {
      bench.hand.joining = { from: () => placeOf(bench, ball), to: bench.camera.unproject(x, y, placeOf(bench, ball)) };
    },
    end(x, y) {
      const other = bench.ballAt(x, y);
      if (other === null || other === ball) return;
      const known = bench.scene.links?.some(([i, j]) => (i === ball && j === other) || (i === other && j === ball));
      bench.send(known ? "unlink" : "link", { i: ball, j: other });
    },
    click: () => bench.send("select", { indices: [ball], mode: "only" }),
  };
}
