/**
 * What stands in the stage's element, and the way out of it for the keyboard.
 */

const REACHABLE = "a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex]:not([tabindex='-1'])";

/**
 * Puts the focus (since Tab means the next ball on the stage) on what comes after an element in the page, or on the first thing there is.
 * @param {HTMLElement} element
 */
export function leave(element) {
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(REACHABLE)]).filter((one) => !element.contains(one) && one.getClientRects().length > 0);
  const after = all.find((one) => element.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = after ?? all[0];
  if (next) next.focus();
  else element.blur();
}

/** Whether the last thing a person did was to press a key: only then the focus of the stage, which is often put there for them, is shown. */
let byKey = false;
addEventListener("keydown", () => (byKey = true), { capture: true });
addEventListener("pointerdown", () => (byKey = false), { capture: true });

/**
 * Makes an element a stage: its canvases, from below upwards, and a line for a lost connection.
 * @param {HTMLElement} stage
 * @param {string} label
 */
export function furnish(stage, label) {
  stage.classList.add("carom-stage");
  stage.tabIndex = 0;
  stage.setAttribute("role", "application");
  stage.addEventListener("focus", () => stage.classList.toggle("carom-by-key", byKey));
  stage.addEventListener("pointerdown", () => stage.classList.remove("carom-by-key"));
  stage.setAttribute("aria-label", label);
  const canvas = (name) => {
    const made = document.createElement("canvas");
    made.className = `carom-canvas carom-${name}`;
    made.setAttribute("aria-hidden", "true");
    stage.append(made);
    return made;
  };
  const canvases = { under: canvas("under"), balls: canvas("balls"), over: canvas("over") };
  const lost = document.createElement("div");
  lost.className = "carom-lost";
  lost.setAttribute("role", "status");
  lost.hidden = true;
  stage.append(lost);
  return { canvases, lost };
}

/**
 * Calls when the window goes to a screen with another density of pixels.
 * @param {() => void} heard
 * @returns {AbortController}
 */
export function onDensity(heard) {
  const ending = new AbortController();
  const here = matchMedia(`(resolution: ${globalThis.devicePixelRatio || 1}dppx)`);
  here.addEventListener("change", heard, { once: true, signal: ending.signal });
  return ending;
}
