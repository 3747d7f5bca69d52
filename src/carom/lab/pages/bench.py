"""The page of a bench: the stage fills the window, with the transport below and the panel beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Any

from fastapi import Request
from nicegui import Client, ui
from starlette.concurrency import run_in_threadpool

from carom.errors import CaromError
from carom.lab.bench.benches import Bench, Benches
from carom.lab.commands.keymap import keymap
from carom.lab.pages.balls_tab import BallsTab
from carom.lab.pages.collisions_tab import CollisionsTab
from carom.lab.pages.desk import Desk, PagePart
from carom.lab.pages.frame import head, words_of
from carom.lab.pages.html import icon, tag, text_of
from carom.lab.pages.inspector_tab import BallTab
from carom.lab.pages.live import LiveTexts
from carom.lab.pages.menus import Menus
from carom.lab.pages.meters_tab import MetersTab
from carom.lab.pages.opening import Counter
from carom.lab.pages.options_tab import OptionsTab
from carom.lab.pages.transport import Transport
from carom.lab.pages.view_tab import ViewTab
from carom.lab.seen.stream import urgent
from carom.lab.seen.view import View
from carom.lab.server.budget import Budget
from carom.lab.texts import Texts

TABS = ("ball", "balls", "meters", "collisions", "options", "view")
OTHER_TAB = 2.0
"""s after which a bench that still has a visitor belongs to another tab."""
REFRESH = 0.125
"""s between two updates of the panel; the stage does not wait for it."""
PART = 0.25
"""The fraction of the server's time for updates of all pages: with many pages, each updates less often."""
LOOKS = Budget(PART, PART)
"""The time budget for updates of all pages, s; the rest is for answering requests."""
MANY = 2000
"""With more balls, every second update is skipped while it runs, because the browser is busy with drawing."""


def declare(benches: Benches, counter: Counter) -> None:
    """Declare the page "/bench"."""

    @ui.page("/bench", response_timeout=60.0)
    async def bench_page(request: Request, client: Client) -> None:
        words = words_of(request)
        query = dict(request.query_params)
        before = query.pop("at", "")
        head(words, words("app.title"), page="bench", keymap=keymap())
        try:
            bench = await reopened(benches, before, client) or benches.open(
                *await run_in_threadpool(counter.scene, query)
            )
        except CaromError as problem:
            _sorry(words, words.message(problem))
            return
        BenchPage(words, client, bench, benches.count).build()


async def reopened(benches: Benches, identity: str, client: Client) -> Bench | None:
    """The bench that this page had before a reload; None if another tab has it.

    The old page and its socket close only when the new page has arrived, so this page is built after that.
    """
    bench = benches.find(identity)
    if bench is not None and bench.wants:
        await client.connected()
        end = monotonic() + OTHER_TAB
        while bench.wants and monotonic() < end:
            await asyncio.sleep(0.05)
    return bench if bench is not None and not bench.wants and benches.find(identity) is bench else None


def _sorry(words: Texts, problem: str) -> None:
    """Show that the scene could not be opened."""
    with tag("main", classes="sorry"):
        tag("h1", problem)
        tag("p", words("error.gone-remedy"))
        with tag("a", classes="button primary", href="/"):
            icon("home")
            tag("span", words("menu.gallery"))


class BenchPage:
    """One page and its bench."""

    def __init__(self, words: Texts, client: Client, bench: Bench, pages: Callable[[], int]) -> None:
        self.pages = pages
        """The number of benches."""
        self.desk = Desk(words, LiveTexts(client), bench)
        self.menus = Menus(self.desk)
        self.view_tab = ViewTab(self.desk)
        self.collisions = CollisionsTab(self.desk)
        self.tabs: dict[str, PagePart] = {
            "ball": BallTab(self.desk),
            "balls": BallsTab(self.desk),
            "meters": MetersTab(self.desk),
            "collisions": self.collisions,
            "options": OptionsTab(self.desk),
            "view": self.view_tab,
        }
        self.transport = Transport(self.desk)
        self.tab = TABS[0]
        self.ticks, self.ran = 0, False
        self.next_look = 0.0
        self.known: tuple[Any, ...] = ()

    def build(self) -> None:
        """Build the page."""
        words, bench = self.desk.words, self.desk.bench
        about = {"data_bench": bench.id, "data_socket": bench.socket, "data_tab": self.tab}
        with tag("div", classes="bench", id="bench", **about):
            with tag("a", words("stage.skip"), classes="skip", href="#stage") as skip:
                skip.on("click.prevent", js_handler="() => carom.focus()")
            self.menus.build()
            with tag("main", classes="middle"):
                tag("div", id="stage", classes="stage")
                self.transport.build()
            self._panel()
        tag("div", words("gallery.drop"), classes="drop", aria_hidden="true")
        tag("div", classes="toast", role="alert", id="toast")
        self.menus.dialogs()
        self.view_tab.dialogs()
        ui.timer(REFRESH, self.refresh)

    def _panel(self) -> None:
        words = self.desk.words
        with tag("aside", classes="panel", id="panel", aria_label=words("tab.label")):
            with tag("div", classes="tabs", role="tablist", aria_label=words("tab.label")) as tabs:
                for name in TABS:
                    chosen = name == self.tab
                    tag(
                        "button",
                        words(f"tab.{name}"),
                        classes="tab",
                        type="button",
                        role="tab",
                        id=f"tab-{name}",
                        data_tab=name,
                        aria_controls=f"panel-{name}",
                        aria_selected="true" if chosen else "false",
                        tabindex="0" if chosen else "-1",
                    )
            tabs.on("carom-tab", lambda event: self._turn(text_of(event)), js_handler="(e) => emit(e.detail)")
            for name, part in self.tabs.items():
                hidden = None if name == self.tab else ""
                with tag(
                    "div",
                    classes="tab-panel",
                    role="tabpanel",
                    id=f"panel-{name}",
                    aria_labelledby=f"tab-{name}",
                    hidden=hidden,
                ):
                    part.build()

    def _turn(self, name: str) -> None:
        if name in self.tabs:
            self.tab = name

    def refresh(self) -> None:
        """Update what has changed; of the panel, only the visible tab."""
        view, now = self.desk.view, monotonic()
        if (now < self.next_look and urgent(view) == self.known) or not LOOKS.spend(0.0):
            return
        self.known = urgent(view)
        self._refresh(view)
        took = monotonic() - now
        LOOKS.owe(took)
        self.next_look = now + took * self.pages() / PART

    def _refresh(self, view: View) -> None:
        self.ticks += 1
        if self.ticks % 2 and view.running and self.ran and len(view.positions) > MANY:
            return
        self.ran = view.running
        self.desk.show_message(view)
        self.menus.refresh(view)
        self.view_tab.refresh(view)
        self.transport.refresh(view)
        self.tabs[self.tab].refresh(view)
        if self.tab == "collisions":
            self.collisions.look(view)
        self.desk.live.say("ball.there", view.inspector is not None)
        self.desk.live.flush()
