"""The tab of the selected ball: all its properties, live and editable."""

from __future__ import annotations

from functools import partial

from carom.lab.pages.desk import Desk
from carom.lab.pages.html import button, field, reading, switch, tag
from carom.lab.pages.numbers import collision, quantity, seconds, typed, vector
from carom.lab.seen.view import Inspector, View

AXES = "xyz"
LETTERS = 12
"""Characters that a field shows beside its unit; a cut number would be wrong."""


class BallTab:
    """The inspector."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def build(self) -> None:
        """Build the elements."""
        words, post = self.desk.words, self.desk.post
        with tag("div", classes="row spread"):
            tag("h3", data_live="ball.heading", classes="panel-title")
            with tag("div", classes="row"):
                button(words("ball.previous"), lambda: post("select-previous"), icon_name="previous", bare=True)
                button(words("ball.next"), lambda: post("select-next"), icon_name="next", bare=True)
        tag("p", data_live="ball.look", classes="look", data_show="ball.look")
        tag("p", data_live="ball.note", classes="hint", data_show="ball.note")
        with tag("div", data_show="ball.there", hidden="", classes="stack"):
            self._fields()
            self._readings()
        with tag("div", classes="buttons left"):
            button(words("ball.add"), lambda: post("add"), icon_name="add")
            for name, drawing in (("duplicate", "copy"), ("remove", "remove")):
                made = button(words(f"ball.{name}"), partial(post, name), icon_name=drawing)
                made.props["data-able"] = "ball.there"

    def _fields(self) -> None:
        with tag("div", classes="fields"):
            for prefix, unit in (("", "m"), ("v", "m/s")):
                for axis in AXES:
                    with tag("div", data_show="three" if axis == "z" else None, hidden="" if axis == "z" else None):
                        self._field(f"{prefix}{axis}", unit)
        with tag("div", classes="fields"):
            self._field("mass", "kg")
            self._field("radius", "m")
            self._field("material", "", mode="text")
            self._field("name", "", mode="text")
        switch(
            self.desk.words("quantity.fixed"),
            key="ball.fixed",
            change=lambda on: self.desk.edit("ball.fixed", "change-selected", field="fixed", value=on),
        )

    def _field(self, name: str, unit: str, mode: str = "decimal") -> None:
        key = f"ball.{name}"
        field(
            self.desk.words(f"quantity.{name}"),
            key=key,
            unit=unit,
            inputmode=mode,
            change=lambda value: self.desk.edit(key, "change-selected", field=name, value=value),
        )

    def _readings(self) -> None:
        words = self.desk.words
        with tag("dl", classes="readings"):
            for name in ("speed", "force", "momentum", "kinetic", "age", "last", "next"):
                reading(words(f"quantity.{name}"), f"ball.read.{name}")

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, words, ball = self.desk.live, self.desk.words, view.inspector
        live.say("ball.there", ball is not None)
        many = len(view.selected)
        live.say(
            "ball.note", words("ball.none") if ball is None else words.number("ball.many", many) if many > 1 else ""
        )
        live.say("ball.look", words.of_library(view.scene.look_at) if ball is None else "")
        if ball is None:
            live.say("ball.heading", words("tab.ball"))
            return
        live.say("ball.heading", ball.name or words("ball.heading", number=ball.index))
        self._say(ball)

    def _say(self, ball: Inspector) -> None:
        live, words = self.desk.live, self.desk.words
        for axis, place, velocity in zip(AXES, ball.position, ball.velocity, strict=False):
            live.say(f"ball.{axis}", typed(place, letters=LETTERS))
            live.say(f"ball.v{axis}", typed(velocity, letters=LETTERS))
        live.say("ball.mass", typed(ball.mass, letters=LETTERS))
        live.say("ball.radius", typed(ball.radius, letters=LETTERS))
        live.say("ball.material", ball.material)
        live.say("ball.name", ball.name or "")
        live.say("ball.fixed", ball.fixed)
        live.say("ball.read.speed", quantity(ball.speed, "m/s"))
        live.say("ball.read.force", vector(ball.force, "N"))
        live.say("ball.read.momentum", vector(ball.momentum, "kg·m/s"))
        live.say("ball.read.kinetic", quantity(ball.kinetic, "J"))
        live.say("ball.read.age", seconds(ball.age, words))
        live.say("ball.read.last", collision(ball.last_collision, words))
        live.say("ball.read.next", collision(ball.next_collision, words))
