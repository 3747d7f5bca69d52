/** Keys beside the stage: those of the stage that no control needs, and the way to it and back. */

import { TYPED } from "./keys.js";

const shell = window.caromShell;
/** What Space presses. A tab is turned to by arrow keys or Enter. */
const PRESSED = "button:not([role=tab]), summary, input[type=checkbox], input[type=radio], [role=button]";

/** Whether the last thing a person did was to point, and whether the focus came so. */
let pointing = false;
let pointed = false;
/** Whether Space was taken from the control that has the focus. */
let taken = false;

/** Space, letters and signs act on the stage wherever nothing is typed; Space presses a control that the keyboard has reached. */
function forStage(event) {
  const at = event.target;
  if (event.key.length !== 1 || at.closest?.(TYPED)) return false;
  return event.key !== " " || pointed || !at.closest?.(PRESSED);
}

function down(event) {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (document.getElementById("stage").contains(document.activeElement)) return;
  if (event.key === "F6") {
    event.preventDefault();
    carom.focus();
  } else if (event.target.closest?.("input, select, textarea") && event.key === "Escape") {
    event.target.blur();
  } else if (event.key === "Escape") {
    event.preventDefault();
    shell.menu();
  } else if (forStage(event)) {
    carom.keys.down(event);
    taken = event.key === " ";
  }
}

function up(event) {
  carom.keys.up(event);
  if (event.key !== " ") return;
  if (taken) event.preventDefault(); // some browsers press a button only now
  taken = false;
}

/** Hears keys of the whole page: F6 goes to the stage and back, Esc opens the menu, and what `forStage` tells goes to the stage. */
export function hearKeys() {
  addEventListener("pointerdown", () => (pointing = pointed = true), { capture: true });
  addEventListener("keydown", () => (pointing = false), { capture: true });
  addEventListener("focusin", () => (pointed = pointing));
  addEventListener("keydown", down);
  addEventListener("keyup", up);
  addEventListener("blur", () => carom.keys.release());
}
