"""The start page: all scenes of the library, with a picture and a sentence each."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import Client, ui
from nicegui.element import Element
from starlette.concurrency import run_in_threadpool

from carom.errors import CaromError, InputError
from carom.lab.pages.frame import dialog, head, language_and_theme, words_of
from carom.lab.pages.html import button, choice, field, icon, json_of, tag
from carom.lab.pages.live import LiveTexts
from carom.lab.pages.opening import GROUPS, dimension_of, entry_of, group_of, parameters, shown
from carom.lab.texts import Texts
from carom.scene import library


def declare() -> None:
    """Declare the page "/"."""

    @ui.page("/")
    def gallery(request: Request, client: Client) -> None:
        words = words_of(request)
        head(words, words("app.title"), page="gallery")
        Gallery(words, client).build()


class Gallery:
    """The page of one visitor."""

    def __init__(self, words: Texts, client: Client) -> None:
        self.words = words
        self.live = LiveTexts(client)
        self.form: Element | None = None
        self.entry: library.Entry | None = None

    def build(self) -> None:
        """Build the page."""
        words = self.words
        with tag("div", classes="gallery"):
            with tag("header", classes="gallery-head"):
                with tag("div", classes="brand"):
                    ui.html(_LOGO, sanitize=False, tag="span").classes("logo")
                    with tag("div"):
                        tag("h1", words("app.title"))
                        tag("p", words("app.claim"))
                with tag("div", classes="bar"):
                    language_and_theme(words)
            self._tools()
            with tag("main"):
                tag("h2", words("gallery.heading"), classes="sr")
                tag("p", words("gallery.nothing"), classes="nothing", hidden="", data_nothing="", role="status")
                for group in GROUPS:
                    self._group(group)
        tag("div", words("gallery.drop"), classes="drop", aria_hidden="true")
        tag("div", classes="toast", role="alert", id="toast", data_live="toast")
        with dialog("parameters", words("gallery.parameters-short"), words):
            self.form = tag("div", classes="dialog-body")

    def _tools(self) -> None:
        words = self.words
        with tag("div", classes="gallery-tools"):
            with tag("label", classes="search"):
                icon("search")
                tag("span", words("gallery.search"), classes="sr")
                tag("input", type="search", id="search", placeholder=words("gallery.search"), autocomplete="off")
            with tag("label", classes="button file-button", tabindex="-1"):
                icon("file")
                tag("span", words("gallery.open-file"))
                tag(
                    "input",
                    type="file",
                    id="file",
                    classes="sr",
                    accept=".toml,.json",
                    aria_label=words("gallery.open-file"),
                )
            tag("span", words("gallery.drop-hint"), classes="hint")

    def _group(self, group: str) -> None:
        entries = [entry for entry in library.catalogue() if group_of(entry) == group]
        with tag("section", classes="group", aria_labelledby=f"group-{group}", data_group=""):
            tag("h3", self.words(f"group.{group}"), id=f"group-{group}")
            with tag("ul", classes="cards"):
                for entry in entries:
                    self._card(entry)

    def _card(self, entry: library.Entry) -> None:
        words, name = self.words, entry.name
        title, sentence = words.of_library(entry.title), words.of_library(entry.sentence)
        searched = " ".join((title, sentence, entry.title, name, words(f"group.{group_of(entry)}"))).casefold()
        with tag("li", classes="card", data_search=searched, data_scene=name):
            with tag("a", classes="card-link", href=f"/bench?{urlencode({'scene': name})}"):
                with tag("span", classes="picture", aria_hidden="true"):
                    for theme in ("light", "dark"):
                        source = f"/lab/thumbnails/{name}.svg?theme={theme}"
                        tag("img", src=source, alt="", loading="lazy", classes=f"only-{theme}", draggable="false")
                    if dimension_of(name) == 3:
                        tag("span", words("gallery.three"), classes="badge")
                tag("span", title, classes="card-title")
                tag("span", sentence, classes="card-sentence")
            if entry.parameters:
                button(
                    words("gallery.parameters", title=title),
                    lambda: self._ask(name),
                    icon_name="sliders",
                    bare=True,
                    classes="card-more",
                )

    def _ask(self, name: str) -> None:
        """Show the form of a generator's parameters."""
        if self.form is None:  # not built yet
            return
        self.entry = entry_of(name)
        self.form.clear()
        words = self.words
        with self.form:
            tag("p", words.of_library(self.entry.sentence), classes="lead")
            with tag("form", classes="form", id="parameters", novalidate="") as form:
                for each in self.entry.parameters:
                    self._parameter(each)
                with tag("div", classes="buttons"):
                    button(words("gallery.defaults"), lambda: self._ask(name), classes="quiet")
                    send = button(words("gallery.start"), classes="primary")
                    send.props["type"] = "submit"
            # Enter in a field submits the form before the field reports its change: read all fields at once.
            read = "(e) => { e.preventDefault(); emit(JSON.stringify(caromShell.read(e.target))); }"
            form.on("submit", lambda event: self._open(json_of(event)), js_handler=read)
        self.live.call("open", "parameters", words.of_library(self.entry.title))

    def _parameter(self, each: library.Parameter) -> None:
        words = self.words
        label = words.of_library(each.name.replace("_", " "))
        if isinstance(each.default, bool):
            options = {"true": words("word.yes"), "false": words("word.no")}
            choice(label, options, key=f"parameter.{each.name}", value=shown(each.default))
        else:
            mode = "text" if isinstance(each.default, str) else "decimal"
            value, unit = shown(each.default), each.unit
            field(label, key=f"parameter.{each.name}", unit=unit, value=value, inputmode=mode, classes="wide")
        tag("span", words.of_library(each.meaning), classes="meaning")

    async def _open(self, typed: Any) -> None:
        """Open the scene with the typed parameters; show errors beside the fields."""
        entry = self.entry
        if entry is None or not isinstance(typed, dict):  # nothing was asked, or nothing was told
            return
        words = self.words
        self.live.call("wrong", "", "")
        values = {key.removeprefix("parameter."): str(value) for key, value in typed.items()}
        try:
            chosen = parameters(entry, values)
            await run_in_threadpool(library.load, entry.name, **chosen)
        except InputError as problem:
            for each in problem.problems:
                known = each.where in values
                said = each.told(words.language) if known else each.line(words.language)
                self.live.call("wrong", f"parameter.{each.where}" if known else "", said)
            return
        except CaromError as problem:
            self.live.call("wrong", "", words.message(problem))
            return
        address = {"scene": entry.name, **{key: shown(value) for key, value in chosen.items()}}
        self.live.client.open(f"/bench?{urlencode(address)}")


_LOGO = (
    '<svg viewBox="0 0 32 32" width="40" height="40" aria-hidden="true">'
    '<circle cx="11" cy="19" r="8" fill="var(--accent)"/>'
    '<circle cx="23.5" cy="10.5" r="6" fill="var(--warm)"/></svg>'
)
