"""The tab with a table of all balls, which can be edited."""

from __future__ import annotations

import re
from functools import partial

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from carom.lab.pages.desk import Desk
from carom.lab.pages.html import button, json_of, tag
from carom.lab.pages.numbers import typed
from carom.lab.seen.view import View
from carom.lab.texts import thousands

ROWS = 12
"""Rows of a page of the table."""
CELL = re.compile(r"b\.\d{1,9}\.\w+")
"""The key of a number in the table: the ball and the field."""
UNITS = {"x": "m", "y": "m", "z": "m", "vx": "m/s", "vy": "m/s", "vz": "m/s", "mass": "kg", "radius": "m"}


class BallsTab:
    """The table. Rows are rebuilt when other balls are shown; numbers are live."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.first = 0
        self.shown: tuple[int, int, int] = (-1, -1, -1)
        """First ball, number of rows, dimension."""
        self.table: Element | None = None
        self.chosen: tuple[int, ...] = ()

    def build(self) -> None:
        """Build the elements."""
        words, post = self.desk.words, self.desk.post
        with tag("div", classes="row spread"):
            tag("h3", data_live="balls.count", classes="panel-title")
            with tag("div", classes="row"):
                tag("span", data_live="balls.page", classes="hint")
                back = button(words("word.previous"), lambda: self._turn(-1), icon_name="previous", bare=True)
                back.props["data-able"] = "balls.back"
                on = button(words("word.next"), lambda: self._turn(1), icon_name="next", bare=True)
                on.props["data-able"] = "balls.on"
        with tag("div", classes="table-scroll", tabindex="0", role="region", aria_label=words("ball.table")):
            self.table = tag("table", classes="table balls", aria_label=words("ball.table"))
        self.table.on(
            "change", self._typed, js_handler="(e) => emit(JSON.stringify([e.target.dataset.live, e.target.value]))"
        )
        choose = (
            "(e) => { const b = e.target.closest('[data-ball]'); "
            "if (b) emit(JSON.stringify([b.dataset.ball, e.shiftKey])); }"
        )
        self.table.on("click", self._choose, js_handler=choose)
        tag("p", words("ball.empty"), classes="hint", data_show="balls.none", hidden="")
        tag("p", classes="wrong", role="alert", data_wrong="balls")
        with tag("div", classes="buttons left"):
            button(words("ball.add"), lambda: post("add"), icon_name="add")
            for name, drawing in (("duplicate", "copy"), ("remove", "remove")):
                made = button(words(f"ball.{name}"), partial(post, name), icon_name=drawing)
                made.props["data-able"] = "ball.there"
            button(words("ball.select-all"), lambda: post("select-all"), classes="quiet")

    def _turn(self, pages: int) -> None:
        self.first = max(self.first + pages * ROWS, 0)

    def _typed(self, event: GenericEventArguments) -> None:
        match json_of(event):
            case [str(key), value] if CELL.fullmatch(key):
                _, index, name = key.split(".")
                self.desk.live.forget(key)
                self.desk.edit("balls", "change", typed=key, index=int(index), field=name, value=value)

    def _choose(self, event: GenericEventArguments) -> None:
        match json_of(event):
            case [str(index), more] if index.isdecimal() and len(index) < 10:
                self.desk.post("select", indices=[int(index)], mode="toggle" if more else "only")

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, words = self.desk.live, self.desk.words
        count = len(view.positions)
        self._follow(view, count)
        last = min(self.first + ROWS, count)
        if self.shown != (self.first, last - self.first, view.scene.dimension):
            self.shown = (self.first, last - self.first, view.scene.dimension)
            self._rows(last)
        live.say("balls.count", words.number("word.balls", count))
        first, end, whole = map(thousands, (self.first + 1, last, count))
        live.say("balls.page", words("word.of", first=first, last=end, count=whole) if count > ROWS else "")
        live.say("balls.back", self.first > 0)
        live.say("balls.on", last < count)
        live.say("balls.none", count == 0)
        chosen = set(view.selected)
        for index in range(self.first, last):
            live.say(f"chosen.{index}", index in chosen)
            for name, value in _numbers(view, index).items():
                live.say(f"b.{index}.{name}", typed(value, 6))

    def _follow(self, view: View, count: int) -> None:
        """Stay within the existing balls; go to the page of a newly selected ball."""
        if view.selected != self.chosen:
            self.chosen = view.selected
            if len(view.selected) == 1:
                self.first = view.selected[0] // ROWS * ROWS
        if self.first >= count:
            self.first = max(count - 1, 0) // ROWS * ROWS

    def _rows(self, last: int) -> None:
        if self.table is None:  # not built yet
            return
        words = self.desk.words
        columns = [name for name in UNITS if self.shown[2] == 3 or not name.endswith("z")]
        self.desk.live.forget("b.")
        self.desk.live.forget("chosen.")
        self.table.clear()
        with self.table:
            with tag("thead"), tag("tr"):
                tag("th", words("quantity.number"), scope="col")
                for name in columns:
                    with tag("th", scope="col"):
                        tag("span", name if len(name) < 3 else words(f"quantity.{name}"))
                        tag("small", UNITS[name])
            with tag("tbody"):
                for index in range(self.first, last):
                    self._row(index, columns)

    def _row(self, index: int, columns: list[str]) -> None:
        words = self.desk.words
        with tag("tr"):
            with tag("th", scope="row"):
                label = words("ball.select", number=index)
                pick = tag("button", str(index), classes="pick", type="button", aria_label=label, data_ball=str(index))
                pick.props["data-pressed"] = f"chosen.{index}"
            for name in columns:
                with tag("td"):
                    label = words("ball.of", quantity=words(f"quantity.{name}"), number=index)
                    tag("input", type="text", inputmode="decimal", aria_label=label, data_live=f"b.{index}.{name}")


def _numbers(view: View, index: int) -> dict[str, float]:
    """The numbers of a row."""
    place, velocity, balls = view.positions[index], view.velocities[index], view.scene.balls
    found = {axis: float(value) for axis, value in zip("xyz", place, strict=False)}
    found |= {f"v{axis}": float(value) for axis, value in zip("xyz", velocity, strict=False)}
    if index < len(balls):
        found |= {"mass": float(balls.mass[index]), "radius": float(balls.radius[index])}
    return found
