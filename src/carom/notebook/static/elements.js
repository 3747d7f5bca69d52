/**
 * Small things that the controls are made of.
 */

const PATHS = {
  run: '<path d="M6 3.8v12.4a.8.8 0 0 0 1.2.7l10-6.2a.8.8 0 0 0 0-1.4l-10-6.2A.8.8 0 0 0 6 3.8z" fill="currentColor" stroke="none"/>',
  pause: '<rect x="4.5" y="3.5" width="4" height="13" rx="1" fill="currentColor" stroke="none"/><rect x="11.5" y="3.5" width="4" height="13" rx="1" fill="currentColor" stroke="none"/>',
  start: '<path d="M5 4v12M15.5 4.6v10.8L7.5 10z"/>',
  forward: '<circle cx="14.2" cy="10" r="3.3"/><path d="M2.5 10h6M6 7.2 8.8 10 6 12.8"/>',
  arrows: '<path d="M4 16 15.5 4.5M8.5 4.5h7v7"/>',
  trace: '<path d="M2.5 14.5c3 0 3-8 6.5-8s2.5 6 5.5 6"/><circle cx="16" cy="12.4" r="1.8" fill="currentColor"/>',
  chart: '<path d="M3 3.5v13h14M6 12.5l3.2-4 2.6 2.2L16 5.5"/>',
  fit: '<path d="M3.5 7.5v-4h4M16.5 7.5v-4h-4M3.5 12.5v4h4M16.5 12.5v4h-4"/>',
  close: '<path d="m5.5 5.5 9 9M14.5 5.5l-9 9"/>',
};

/**
 * An element with a class, attributes and children.
 * @param {string} tag
 * @param {Record<string, any>} [about]
 * @param {...(Node|string)} inside
 * @returns {any}
 */
export function made(tag, about = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(about)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...inside);
  return element;
}

/**
 * A picture of our own as the content of an element.
 * @param {HTMLElement} element
 * @param {string} name
 */
export function icon(element, name) {
  if (element.dataset.icon === name) return;
  element.dataset.icon = name;
  element.innerHTML = `<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`;
}

/**
 * A button with a picture; `label` is said and shown as its title.
 * @param {string} name
 * @param {string} label
 * @param {(event: Event) => void} pressed
 * @param {Record<string, any>} [about]
 */
export function button(name, label, pressed, about = {}) {
  const element = made("button", { type: "button", title: label, "aria-label": label, onclick: pressed, ...about });
  icon(element, name);
  return element;
}

/**
 * Puts words into an element, if they are new.
 * @param {HTMLElement} element
 * @param {string} words
 */
export function say(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
