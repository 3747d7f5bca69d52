"""The transport below the stage: run, pause, steps, speed, time; and the strip of messages above it."""

from __future__ import annotations

from math import log10

from carom.lab.pages.desk import Desk
from carom.lab.pages.html import button, icon, tag, text_of
from carom.lab.pages.numbers import clock, factor, seconds
from carom.lab.seen.view import View

SLOW = 0.8
"""Below this fraction of the speed, a message says so."""


class Transport:
    """The controls of time."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.slow_for = 0

    def build(self) -> None:
        """Build the elements."""
        self._strip()
        words, post = self.desk.words, self.desk.post
        with tag("footer", classes="transport", role="group", aria_label=words("transport.label"), id="transport"):
            with tag("div", classes="transport-buttons"):
                button(words("transport.restart"), lambda: post("restart"), icon_name="restart", bare=True)
                button(words("transport.back"), lambda: post("collision-back"), icon_name="back", bare=True)
                run = tag("button", classes="button primary run", type="button", data_title="run.title", id="run")
                run.on("click", lambda _: post("toggle"), args=[])
                with run:
                    with tag("span", data_show="paused", classes="icon"):
                        icon("run")
                    with tag("span", data_show="running", classes="icon", hidden=""):
                        icon("pause")
                button(words("transport.forward"), lambda: post("collision"), icon_name="forward", bare=True)
                button(words("transport.step"), lambda: post("step"), icon_name="step", bare=True)
            with tag("div", classes="clock"):
                tag("span", words("transport.time"), classes="sr")
                tag("output", classes="clock-time", id="time", data_live="time", aria_live="off")
                tag("span", classes="clock-end", data_live="end")
            tag("div", id="timeline", classes="timeline", aria_label=words("transport.timeline"))
            self._speed()

    def _speed(self) -> None:
        words = self.desk.words
        with tag("label", classes="speed"):
            tag("span", words("transport.speed"), classes="sr")
            slider = tag(
                "input", type="range", min="-2", max="2", step="0.05", id="speed", data_live="speed", list="speeds"
            )
            slider.props["value"] = "0"
            with tag("span", classes="speed-words"):
                tag("output", classes="speed-value", data_live="speed.value")
                tag("span", classes="speed-pace", data_live="pace")
        with tag("datalist", id="speeds"):
            for mark in (-2, -1, 0, 1, 2):
                tag("option", value=str(mark))
        slider.on(
            "input",
            lambda event: self._slide(text_of(event)),
            js_handler="(e) => { if (Math.abs(e.target.value) < 0.08) e.target.value = 0; emit(e.target.value); }",
            throttle=0.05,
        )

    def _slide(self, text: str) -> None:
        """Set the speed; the slider shows its power of ten."""
        try:
            power = float(text)
        except ValueError:
            return
        self.desk.post("speed", factor=10.0 ** min(power, 9.0))

    def _strip(self) -> None:
        words = self.desk.words
        with tag("div", classes="strip", id="strip", data_show="strip.shown", data_state="strip.kind", hidden=""):
            tag("span", classes="spinner", data_show="strip.busy", hidden="", aria_hidden="true")
            tag("span", data_live="strip", role="status", aria_live="polite")
            end = button(words("transport.to-end"), lambda: self.desk.post("to-end"), classes="quiet small", hidden="")
            end.props["data-show"] = "strip.past"
            cancel = button(
                words("strip.cancel"), lambda: self.desk.post("cancel"), classes="quiet small", hidden="", id="cancel"
            )
            cancel.props["data-show"] = "strip.busy"
            gone = button(
                words("strip.dismiss"), self.desk.dismiss, icon_name="close", bare=True, classes="small", hidden=""
            )
            gone.props["data-show"] = "strip.message"

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, words = self.desk.live, self.desk.words
        live.say("running", view.running)
        live.say("paused", not view.running)
        live.say("run.title", words("transport.pause" if view.running else "transport.run"))
        live.say("time", clock(view.time, words))
        live.say("end", f"/ {clock(view.end, words)}" if view.time < view.end else "")
        live.say("speed", f"{log10(view.speed):.2f}")
        live.say("speed.value", f"{factor(view.speed)}\u202f×")
        live.say("pace", self._pace(view))
        self._say_strip(view)

    def _pace(self, view: View) -> str:
        words = self.desk.words
        if view.pace == 1.0:
            return words("transport.pace-real")
        return words("transport.pace", pace=seconds(view.pace * view.speed, words, 2))

    def _say_strip(self, view: View) -> None:
        live, words, message = self.desk.live, self.desk.words, self.desk.message
        self.slow_for = self.slow_for + 1 if view.running and 0.0 < view.rate < SLOW else 0
        slow = self.slow_for > 5  # short delays are not reported
        past = view.time < view.end and not view.running
        said = message
        if not said and view.working:
            said = words(f"strip.{view.working}")
        elif not said and slow:
            said = words("strip.slow", times=f"{1.0 / view.rate:.2g}" if view.rate > 0.01 else f"{1.0 / view.rate:.0f}")
        elif not said and view.held:
            said = words("strip.held")
        elif not said and past:
            said = words("strip.past")
        live.say("strip", said)
        live.say("strip.shown", bool(said))
        live.say("strip.kind", self.desk.kind if message else "warning" if slow else "calm")
        live.say("strip.message", bool(message))
        live.say("strip.busy", bool(view.working) and not message)
        live.say("strip.past", past and not message and not view.working)
