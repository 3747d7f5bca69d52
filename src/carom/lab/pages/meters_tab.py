"""The tab of measurements: numbers, strip charts, the histogram of speeds."""

from __future__ import annotations

from nicegui.element import Element

from carom.lab.pages.desk import Desk
from carom.lab.pages.html import reading, tag
from carom.lab.pages.numbers import quantity, seconds, vector
from carom.lab.seen.view import Upcoming, View
from carom.lab.texts import thousands

SHOWN = 4
"""Next collisions in the list."""


class MetersTab:
    """Numbers above, charts below; the charts are drawn by the stage's modules."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.extra: Element | None = None
        self.rows: tuple[str, ...] = ()

    def build(self) -> None:
        """Build the elements."""
        words = self.desk.words
        with tag("section", classes="stack"):
            tag("h3", words("meters.collisions"), classes="panel-title")
            with tag("dl", classes="readings"):
                reading(words("meters.collisions"), "meter.collisions")
                for place in range(SHOWN):
                    with tag("div", classes="reading", data_show=f"meter.next.{place}", hidden=""):
                        tag("dt", words("quantity.next") if place == 0 else "")
                        tag("dd", classes="number", data_live=f"meter.next.{place}")
            self.extra = tag("dl", classes="readings")
        with tag("section", classes="stack"):
            tag("h3", words("meters.energy"), classes="panel-title")
            with tag("dl", classes="readings"):
                for name in ("kinetic", "potential", "total", "drift"):
                    reading(words(f"quantity.{name}"), f"meter.{name}")
            tag("div", id="energy", classes="chart", role="img", aria_label=words("meters.energy-chart"))
        with tag("section", classes="stack"):
            tag("h3", words("meters.momentum"), classes="panel-title")
            with tag("dl", classes="readings"):
                reading(words("quantity.momentum"), "meter.momentum")
                reading(words("quantity.centre"), "meter.centre")
            tag("div", id="momentum", classes="chart", role="img", aria_label=words("meters.momentum-chart"))
        with tag("section", classes="stack"):
            tag("h3", words("meters.speeds-chart"), classes="panel-title")
            with tag("dl", classes="readings"):
                for name in ("temperature", "kt", "pressure", "height"):
                    with tag("div", classes="reading", data_show=f"meter.{name}", hidden=""):
                        tag("dt", words(f"quantity.{name}"))
                        tag("dd", classes="number", data_live=f"meter.{name}")
            tag("div", id="speeds-chart", classes="chart", role="img", aria_label=words("meters.speeds-chart"))

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, meters, flat = self.desk.live, view.meters, view.scene.dimension == 2
        live.say("meter.collisions", thousands(meters.collisions))
        for place in range(SHOWN):
            there = place < len(meters.upcoming)
            live.say(f"meter.next.{place}", self._upcoming(meters.upcoming[place], view.time) if there else "")
        for name in ("kinetic", "potential", "total", "drift"):
            live.say(f"meter.{name}", quantity(getattr(meters, name), "J"))
        live.say("meter.momentum", vector(meters.momentum, "kg·m/s") if meters.momentum else "—")
        live.say("meter.centre", vector(meters.centre_of_mass, "m") if meters.centre_of_mass else "—")
        units = {"temperature": "K", "kt": "J", "pressure": "N/m" if flat else "Pa", "height": "m"}
        for name, unit in units.items():
            value = getattr(meters, name)
            live.say(f"meter.{name}", "" if value is None else quantity(value, unit))
        self._extra(view)

    def _upcoming(self, one: Upcoming, now: float) -> str:
        """The time from now and the partners; if it is over by now, the time at the search."""
        words = self.desk.words
        who = " · ".join([*map(str, one.partners), *([one.wall] if one.wall else [])])
        left = one.time - now if one.time > now else one.wait
        return f"{words('meters.in', time=seconds(left, words, 2))} · {who}"

    def _extra(self, view: View) -> None:
        """Rows that appear and vanish: kinds of collision, losses, companions."""
        live, words, meters = self.desk.live, self.desk.words, view.meters
        rows = {f"kind.{kind}": (self._kind(kind), thousands(count)) for kind, count in meters.by_kind.items() if count}
        lost = {kind: energy for kind, energy in meters.lost.items() if energy}
        rows |= {
            f"lost.{kind}": (words("meters.lost", kind=kind), quantity(energy, "J")) for kind, energy in lost.items()
        }
        rows |= {f"beside.{each.name}": (each.name, quantity(each.total, "J")) for each in view.companions}
        if self.extra is not None and tuple(rows) != self.rows:
            self.rows = tuple(rows)
            live.forget("meter.extra.")
            self.extra.clear()
            with self.extra:
                for key, (label, _) in rows.items():
                    reading(label, f"meter.extra.{key}")
        for key, (_, value) in rows.items():
            live.say(f"meter.extra.{key}", value)

    def _kind(self, kind: str) -> str:
        said = self.desk.words(f"kind.{kind}")
        return kind if said.startswith("kind.") else said
