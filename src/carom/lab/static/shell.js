/** The shell's own part in the browser: theme, language, dialogs, files, and what `Live` says from the server. */

const config = JSON.parse(document.getElementById("carom-config").textContent);
const root = document.documentElement;

/**
 * The words for a key, {names} filled in.
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 */
export function say(key, values = {}) {
  const text = config.words[key] ?? key;
  return String(text).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * The element with an id. Who asks knows of which kind it is.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * All elements that a selector finds.
 * @param {string} selector
 * @returns {any[]}
 */
const all = (selector) => [...document.querySelectorAll(selector)];

/** Light or dark; kept in this browser. */
function setTheme(name) {
  root.dataset.theme = name;
  localStorage.setItem("carom-theme", name);
  window.carom?.theme(name);
}

/** Another language: kept in a cookie, since the server writes the pages. */
function language(name) {
  document.cookie = `carom-language=${name}; path=/; max-age=31536000; samesite=strict`;
  location.reload();
}

/** Put texts, values and states where their keys are. Who is typed into is left alone. */
function live(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (key === "scene.title") document.title = `${value} · carom`;
    for (const element of all(`[data-live="${CSS.escape(key)}"]`)) put(element, value);
    for (const element of all(`[data-show="${CSS.escape(key)}"]`)) element.hidden = !value;
    for (const element of all(`[data-able="${CSS.escape(key)}"]`)) element.disabled = !value;
    for (const element of all(`[data-pressed="${CSS.escape(key)}"]`))
      element.setAttribute("aria-pressed", String(Boolean(value)));
    for (const element of all(`[data-state="${CSS.escape(key)}"]`)) element.dataset.kind = value;
    for (const element of all(`[data-title="${CSS.escape(key)}"]`)) {
      element.title = value;
      element.setAttribute("aria-label", value);
    }
  }
}

function put(element, value) {
  if (element.matches("input[type=checkbox]")) element.checked = Boolean(value);
  else if (element.matches("input, select")) {
    element.caromValue = value ?? "";
    widen(element);
    if (element.matches("select") || !kept(element)) element.value = element.caromValue;
  } else if (element.textContent !== (value ?? "")) element.textContent = value ?? "";
}

/** A field of the table of balls is never narrower than the longest number that it has shown. */
function widen(element) {
  if (!element.closest(".table.balls")) return;
  const letters = Math.max(element.caromValue.length, Number(element.style.getPropertyValue("--letters")));
  element.style.setProperty("--letters", letters);
}

/** Whether what was typed into a field stays there: while someone is in it, and while it is wrong, to be mended. */
function kept(element) {
  return element === document.activeElement || element.getAttribute("aria-invalid") === "true";
}

/** A field shows again what is, unless someone is in it. */
function show(element) {
  if (element.caromValue !== undefined && !kept(element)) element.value = element.caromValue;
}

const ANSWER = 400;

/** Who leaves a field without a change, or with one that came to nothing, sees what is. */
function hearFields() {
  addEventListener("focusout", ({ target }) => setTimeout(() => show(target), ANSWER));
}

/** Say beside a field what is wrong, and mark it (`field`, if it has another key); an empty key clears all, or says it for no field. */
function wrong(key, text, field = key) {
  if (!key && !text) {
    all("[data-wrong]").forEach((element) => (element.textContent = ""));
    for (const element of all("[aria-invalid]")) {
      element.removeAttribute("aria-invalid");
      show(element);
    }
  } else if (field) {
    for (const element of all(`input[data-live="${CSS.escape(field)}"]`)) element.setAttribute("aria-invalid", "true");
  }
  const places = key ? all(`[data-wrong="${CSS.escape(key)}"]`) : [];
  places.forEach((element) => (element.textContent = text));
  if (!places.length) toast(text);
}

let toastTimer = 0;

/** A word that goes away by itself. */
function toast(text) {
  const element = byId("toast");
  if (!element) return;
  element.textContent = text;
  clearTimeout(toastTimer);
  if (text) toastTimer = setTimeout(() => (element.textContent = ""), 8000);
}

/** Open a dialog of the page, under another title if one is given. */
function open(name, title) {
  const dialog = byId(`dialog-${name}`);
  if (title) byId(`dialog-${name}-title`).textContent = title;
  if (!dialog.open) dialog.showModal();
}

/** Close a dialog of the page; `then`, if given, is done when the stage has got the keyboard back. */
function close(name, then) {
  const dialog = byId(`dialog-${name}`);
  if (then) dialog.addEventListener("close", then, { once: true });
  dialog.close();
}

/** What has been typed into a form, by the keys of its fields. */
function read(form) {
  const fields = [...form.querySelectorAll("[data-live]")].filter((each) => each.matches("input, select"));
  return Object.fromEntries(fields.map((each) => [each.dataset.live, each.value]));
}

/** Ask the server for a ticket for a file or a link, and go there. */
async function ask(told) {
  try {
    const answer = await fetch("/lab/open", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(told),
    });
    const { ticket, error } = await answer.json();
    if (ticket) location.assign(`/bench?ticket=${encodeURIComponent(ticket)}`);
    else toast(error);
  } catch {
    toast(say("error.offline"));
  }
}

const LARGEST = 30e6;

/** Open a scene file. */
async function openFile(file) {
  if (!file) return;
  if (file.size > LARGEST) return toast(say("error.too-large", { size: "30 MB" }));
  const text = await file.text();
  if (text.includes("\0")) return toast(say("error.not-text", { name: file.name }));
  await ask({ text, filename: file.name });
}

function fold(text) {
  return text.toLocaleLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}

/** Show the cards that hold all words of what is searched for. */
function search(text) {
  const words = fold(text).split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of all("[data-group]")) {
    let here = 0;
    for (const card of group.querySelectorAll("[data-search]")) {
      const fits = words.every((word) => fold(card.dataset.search).includes(word));
      card.hidden = !fits;
      here += fits;
    }
    group.hidden = !here;
    found += here;
  }
  for (const element of all("[data-nothing]")) element.hidden = found > 0;
}

/**
 * Resolves when the page's elements are there: they are drawn a while after this module has loaded.
 * @param {string} selector
 * @returns {Promise<HTMLElement>}
 */
export function there(selector) {
  return new Promise((resolve) => {
    const look = () => {
      const [element] = all(selector);
      if (element) resolve(element);
      else requestAnimationFrame(look);
    };
    look();
  });
}

function hearFiles() {
  let depth = 0;
  const files = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => {
    if (files(event)) root.classList.toggle("dropping", ++depth > 0);
  });
  addEventListener("dragleave", (event) => {
    if (files(event)) root.classList.toggle("dropping", --depth > 0);
  });
  addEventListener("dragover", (event) => files(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    depth = 0;
    root.classList.remove("dropping");
    openFile(event.dataTransfer.files[0]);
  });
  addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.id === "file") openFile(target.files[0]);
  });
}

/** A link that holds a scene: #scene=… */
function openLink() {
  const link = new URLSearchParams(location.hash.slice(1)).get("scene");
  if (link) {
    history.replaceState(null, "", location.pathname);
    ask({ link });
  }
}

window.caromShell = {
  toggleTheme: () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"),
  language, live, wrong, toast, open, close, read,
};

// A click beside a dialog closes it.
addEventListener("click", (event) => event.target instanceof HTMLDialogElement && event.target.close());

hearFiles();
if (config.page === "gallery") {
  openLink();
  addEventListener("hashchange", openLink);
  addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.id === "search") search(target.value);
  });
} else if (config.page === "bench") {
  hearFields();
  import("./shell_bench.js").then(({ start }) => start(config));
}
