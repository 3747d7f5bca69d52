"""Common parts of all pages: head, language, theme."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request
from nicegui import ui

from carom.lab.pages.html import button, tag
from carom.lab.texts import Texts, preferred, texts
from carom.messages.phrase import LANGUAGES

LANGUAGE_COOKIE = "carom-language"

SHEETS = (
    "stage",
    *(f"shell_{name}" for name in ("tokens", "controls", "dialogs", "gallery", "bench", "panel", "menus", "narrow")),
)
"""Style sheets in order: later rules override earlier ones."""

_EARLY = """
<meta name="theme-color" content="#f5f6f8">
<script>
(() => {{
  const wish = localStorage.getItem("carom-theme");
  const dark = wish ? wish === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.lang = {language};
}})();
</script>
{sheets}
<script type="application/json" id="carom-config">{config}</script>
<script type="module" src="/lab/static/shell.js"></script>
"""


def words_of(request: Request) -> Texts:
    """The texts in the chosen language; by default that of the browser."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    return texts(chosen if chosen in LANGUAGES else preferred(request.headers.get("accept-language", "")))


def head(words: Texts, title: str, **config: Any) -> None:
    """Write the head of a page; `config` is passed to `shell.js`."""
    told = json.dumps({"words": words.words, "language": words.language, **config}, ensure_ascii=False)
    language = json.dumps(words.language)
    sheets = "\n".join(f'<link rel="stylesheet" href="/lab/static/{name}.css">' for name in SHEETS)
    ui.add_head_html(_EARLY.format(language=language, config=told.replace("<", "\\u003c"), sheets=sheets))
    ui.page_title(title)


def language_and_theme(words: Texts) -> None:
    """The choice of language and theme."""
    with (
        tag("label", classes="language"),
        tag("select", aria_label=words("header.language"), data_language="") as box,
    ):
        for language in LANGUAGES:
            selected = "" if language == words.language else None
            tag("option", texts(language)("language"), value=language, selected=selected, lang=language)
    box.on("change", js_handler="(e) => caromShell.language(e.target.value)")
    button(words("header.theme"), icon_name="theme", bare=True, script="caromShell.toggleTheme()")


def dialog(name: str, title: str, words: Texts, classes: str = "") -> Any:
    """A native dialog, which keeps the focus and closes with Esc. A context."""
    box = tag("dialog", classes=f"dialog {classes}", id=f"dialog-{name}", aria_labelledby=f"dialog-{name}-title")
    with box, tag("div", classes="dialog-head"):
        tag("h2", title, id=f"dialog-{name}-title")
        button(words("word.close"), icon_name="close", bare=True, script=f"caromShell.close('{name}')")
    return box
