"""The header, and the dialogs: the menu of Esc, the keys, the link."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool

from carom.errors import CaromError
from carom.lab.commands.keymap import KEYS
from carom.lab.pages.desk import Desk
from carom.lab.pages.frame import dialog, language_and_theme
from carom.lab.pages.html import button, icon, tag
from carom.lab.pages.keys import groups
from carom.lab.pages.opening import entry_of
from carom.lab.seen.view import View


class Menus:
    """The header above the stage, and its dialogs."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def build(self) -> None:
        """Build the header."""
        words, post = self.desk.words, self.desk.post
        with tag("header", classes="top"):
            with tag(
                "a", classes="button bare", href="/", aria_label=words("header.gallery"), title=words("header.gallery")
            ):
                icon("home")
            tag("h1", classes="scene-title", data_live="scene.title", id="scene-title")
            with tag("div", classes="bar"):
                for name in ("undo", "redo"):
                    made = button(words(f"header.{name}"), partial(post, name), icon_name=name, bare=True)
                    made.props["data-able"] = f"can.{name}"
                    made.props["data-title"] = f"title.{name}"
                    made.props["disabled"] = ""
                with tag("div", classes="bar on-wide"):
                    language_and_theme(words)
                button(words("header.help"), icon_name="help", bare=True, script="caromShell.open('help')")
                button(
                    words("header.panel"),
                    icon_name="panel",
                    bare=True,
                    script="caromShell.togglePanel()",
                    classes="on-wide",
                )
                button(words("header.menu"), icon_name="menu", bare=True, script="caromShell.menu()", id="menu-button")

    def dialogs(self) -> None:
        """Build the dialogs of the header."""
        self._menu()
        self._keys()
        self._share()

    def _menu(self) -> None:
        words, bench = self.desk.words, self.desk.bench
        with dialog("menu", words("menu.title"), words, "menu"), tag("div", classes="dialog-body menu-list"):
            close = "caromShell.close('menu');"
            button(
                words("menu.resume"),
                icon_name="run",
                classes="primary",
                script=f"{close} caromShell.resume()",
                autofocus="",
            )
            to_options = "caromShell.close('menu', () => caromShell.tab('options', true))"
            button(words("menu.options"), icon_name="options", script=to_options)
            restart = button(words("menu.restart"), lambda: self.desk.post("restart"), icon_name="restart")
            restart.on("click", js_handler=f"() => {{ {close} }}")
            with tag("a", classes="button", href=f"/bench/{bench.id}/scene.toml", download="", id="save"):
                icon("download")
                tag("span", words("menu.save"))
            button(words("menu.share"), self._link, icon_name="share", script=close)
            tag("h3", words("menu.export"), classes="menu-heading")
            with tag("div", classes="menu-row"):
                button(words("menu.png"), icon_name="picture", script=f"{close} carom.png()")
                with tag("button", classes="button", type="button", id="record") as record:
                    icon("video")
                    tag("span", words("menu.video"), id="record-words")
                record.on("click", js_handler=f"() => {{ {close} caromShell.record(); }}")
                with tag("a", classes="button", href=f"/bench/{bench.id}/collisions.csv", download=""):
                    icon("table")
                    tag("span", words("menu.csv"))
            with tag("a", classes="button", href="/"):
                icon("home")
                tag("span", words("menu.gallery"))
            with tag("div", classes="menu-row on-narrow"):
                language_and_theme(words)

    def _keys(self) -> None:
        words = self.desk.words
        with dialog("help", words("help.title"), words, "wide"), tag("div", classes="dialog-body"):
            with tag("dl", classes="keys"):
                for said, combinations in groups(KEYS, words):
                    with tag("div", classes="key-row"):
                        with tag("dt"):
                            for keys in combinations:
                                with tag("span", classes="combination"):
                                    for key in keys:
                                        tag("kbd", key)
                        tag("dd", said)
            tag("h3", words("help.pointer"), classes="panel-title")
            with tag("ul", classes="notes"):
                for name in ("launch", "click", "drag", "zoom"):
                    tag("li", words(f"help.{name}"))
            tag("p", words("help.way-out"), classes="hint")
            tag("p", words("help.beside"), classes="hint")

    def _share(self) -> None:
        words = self.desk.words
        with dialog("share", words("share.title"), words), tag("div", classes="dialog-body"):
            tag("p", words("share.text"), classes="lead")
            with tag("label", classes="field"):
                tag("span", words("share.link"), classes="field-label")
                tag("input", type="text", id="share-link", readonly="", data_live="share.link")
            with tag("div", classes="buttons"):
                button(words("word.copy"), classes="primary", script="caromShell.copy('share-link')", id="copy")

    async def _link(self) -> None:
        """Show the link with the scene, or why there is none."""
        try:
            link = await run_in_threadpool(self.desk.bench.runner.share)
        except CaromError as problem:
            self.desk.live.call("toast", str(problem))
            return
        self.desk.live.call("share", f"/#scene={quote(link, safe='-_.~')}")

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, words = self.desk.live, self.desk.words
        live.say("scene.title", self.title(view))
        for name, taken in (("undo", view.can_undo), ("redo", view.can_redo)):
            live.say(f"can.{name}", taken is not None)
            named = words(f"command.{taken}") if taken else ""
            known = named and not named.startswith("command.")
            live.say(f"title.{name}", f"{words(f'header.{name}')}: {named}" if known else words(f"header.{name}"))

    def title(self, view: View) -> str:
        """The name of the scene, translated if it is the library's."""
        if view.entry:
            return self.desk.words.of_library(entry_of(view.entry).title)
        return view.scene.name or self.desk.words("header.untitled")
