"""The tab of past collisions, the last first; a click goes to that instant."""

from __future__ import annotations

from typing import Any

from nicegui.element import Element

from carom.lab.pages.desk import Desk
from carom.lab.pages.html import icon, tag, text_of
from carom.lab.pages.numbers import plain
from carom.lab.seen.view import View

SHOWN = 40


class CollisionsTab:
    """The table and its export. It is read only while it is visible, and when there is something new."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.rows: Element | None = None
        self.known: tuple[int, int, float] = (-1, -1, -1.0)

    def build(self) -> None:
        """Build the elements."""
        words, bench = self.desk.words, self.desk.bench
        with tag("div", classes="row spread"):
            tag("h3", data_live="collisions.count", classes="panel-title")
            with tag("a", classes="button", href=f"/bench/{bench.id}/collisions.csv", download=""):
                icon("download")
                tag("span", words("collisions.csv"))
        with (
            tag("div", classes="table-scroll tall", tabindex="0", role="region", aria_label=words("collisions.table")),
            tag("table", classes="table", aria_label=words("collisions.table")) as table,
        ):
            with tag("thead"), tag("tr"):
                for name in ("quantity.time", "collisions.who", "collisions.impulse"):
                    tag("th", words(name), scope="col")
            self.rows = tag("tbody")
            del table
        tag("p", words("collisions.none"), classes="hint", data_show="collisions.none", hidden="")
        tag("p", words("collisions.shown", n=SHOWN), classes="hint", data_show="collisions.more", hidden="")
        go = "(e) => { const b = e.target.closest('[data-time]'); if (b) emit(b.dataset.time); }"
        self.rows.on("click", lambda event: self.desk.post("scrub", time=text_of(event)), js_handler=go)

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, words, count = self.desk.live, self.desk.words, view.meters.collisions
        live.say("collisions.count", words.number("word.collisions", count))
        live.say("collisions.none", count == 0)
        live.say("collisions.more", count > SHOWN)

    def look(self, view: View) -> None:
        """Fill the table, while it is visible."""
        state = (view.epoch, view.meters.collisions, view.end)
        if state[:2] == self.known[:2]:
            return
        self.known = state
        told = list(reversed(self.desk.bench.runner.collisions(SHOWN)))
        rows = [[repr(each["time"]), f"{each['time']:.6g}\u202fs", _who(each), _impulse(each)] for each in told]
        self.desk.live.call("collisions", rows, self.desk.words("collisions.go", time="{time}"))


def _who(row: dict[str, Any]) -> str:
    wall = row.get("wall")
    return " · ".join([*map(str, row["partners"]), *([str(wall)] if wall else [])])


def _impulse(row: dict[str, Any]) -> str:
    impulse = row.get("impulse")
    return "—" if impulse is None else f"{plain(float(impulse), 3)}\u202fN·s"
