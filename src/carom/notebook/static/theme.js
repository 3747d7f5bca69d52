/**
 * Light or dark: what the notebook around us is.
 */

/** The colour behind an element, as far as anything is painted there. */
function behind(element) {
  for (let one = element; one; one = one.parentElement ?? one.getRootNode()?.host) {
    const found = /rgba?\(([^)]+)\)/.exec(getComputedStyle(one).backgroundColor);
    const [r, g, b, a = 1] = (found?.[1] ?? "0,0,0,0").split(/[\s,/]+/).map(Number);
    if (a > 0.5) return [r, g, b];
  }
  return [255, 255, 255];
}

/**
 * "dark" or "light". JupyterLab says which; elsewhere the colour behind the widget tells.
 * @param {HTMLElement} element
 */
export function themeAround(element) {
  const said = document.body.dataset.jpThemeLight;
  if (said !== undefined) return said === "false" ? "dark" : "light";
  const [r, g, b] = behind(element.parentElement ?? document.body);
  return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}

/**
 * Calls whenever the notebook's theme may have changed.
 * @param {() => void} heard
 * @returns {() => void} which ends it.
 */
export function onTheme(heard) {
  const watch = new MutationObserver(heard);
  for (const one of [document.body, document.documentElement]) {
    watch.observe(one, { attributes: true, attributeFilter: ["class", "style", "theme", "data-jp-theme-light", "data-jp-theme-name", "data-theme", "data-vscode-theme-kind"] });
  }
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", heard);
  return () => {
    watch.disconnect();
    system.removeEventListener("change", heard);
  };
}
