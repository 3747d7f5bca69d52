"""The tab of options of scene and solver, made from the table of `options.py` and the solvers' cards."""

from __future__ import annotations

from functools import partial

from carom.lab.bench.companions import known
from carom.lab.commands.options import CHOICE, CONTACTS, FLAG, OPTIONS, Choice, Option, integrators, solvers, values
from carom.lab.pages.desk import Desk
from carom.lab.pages.html import button, choice, field, switch, tag
from carom.lab.pages.numbers import typed
from carom.lab.seen.view import View
from carom.solvers.registry import CARDS

GROUPS = ("planet", "contacts", "forces")
STEERING = ("place", "velocity", "acceleration")


class OptionsTab:
    """The form."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def build(self) -> None:
        """Build the elements."""
        words = self.desk.words
        for group in GROUPS:
            with tag("section", classes="stack"):
                tag("h3", words(f"options.{group}"), classes="panel-title")
                if group == "planet":
                    tag("p", words("options.y-down"), classes="hint", data_show="y-down", hidden="")
                with tag("div", classes="fields"):
                    for option in OPTIONS.values():
                        if option.group == group:
                            self._option(option)
        self._method()
        self._compare()
        with tag("section", classes="stack"):
            modes = {mode: words(f"steering.{mode}") for mode in STEERING}
            choice(
                words("options.steering"),
                modes,
                key="steering",
                change=lambda mode: self.desk.edit("steering", "steering", mode=mode),
            )
            with tag("div", classes="row"):
                button(words("options.clear"), lambda: self.desk.post("clear"), icon_name="remove")
            tag("p", words("options.clear-hint"), classes="hint")

    def _option(self, option: Option) -> None:
        words, key = self.desk.words, f"option.{option.name}"

        def change(value: object) -> None:
            self.desk.edit(key, "option", name=option.name, value=value)

        if option.kind == CHOICE and option.name == "planet":
            self._planets(option)
            return
        with tag(
            "div",
            data_show=f"has.{option.name}",
            classes="whole" if option.kind == FLAG or len(option.unit) > 5 else "",
        ):
            if option.kind == CHOICE:
                named = {each: words(f"{key}.{each}") for each in option.choices}
                choice(words(key), named, key=key, change=change)
            elif option.kind == FLAG:
                switch(words(key), key=key, change=change)
            else:
                field(words(key), key=key, unit=option.unit, change=change)

    def _planets(self, option: Option) -> None:
        """Presets as a row of buttons."""
        words = self.desk.words
        with tag("div", classes="chips whole", role="group", aria_label=words("option.planet")):
            for each in option.choices:
                made = button(
                    words(f"option.planet.{each}"),
                    partial(self.desk.edit, "option.planet", "option", name="planet", value=each),
                    classes="chip",
                )
                made.props["data-pressed"] = f"planet.{each}"
        tag("span", classes="wrong whole", role="alert", data_wrong="option.planet")

    def _method(self) -> None:
        """The solver and its options."""
        words, edit = self.desk.words, self.desk.edit
        with tag("section", classes="stack"):
            tag("h3", words("options.method"), classes="panel-title")
            tag("p", data_live="method.now", classes="hint")
            with tag("div", classes="choices", role="group", aria_label=words("options.solver")):
                self._card(Choice("auto", words("options.auto"), words("options.auto-hint"), "", ""), "solver")
                for each in solvers():
                    self._card(each, "solver")
            tag("span", classes="wrong", role="alert", data_wrong="solver")
            with tag("div", classes="stack", data_show="stepped", hidden=""):
                tag("h4", words("options.integrator"), classes="field-label")
                with tag("div", classes="choices", role="group", aria_label=words("options.integrator")):
                    for each in integrators():
                        self._card(each, "integrator")
                tag("span", classes="wrong", role="alert", data_wrong="integrator")
                with tag("div", classes="fields"):
                    field(
                        words("options.step"),
                        key="step",
                        unit="s",
                        change=lambda value: edit("step", "solve", step=value),
                    )
                    contacts = {name: words(f"contacts.{name}") for name in CONTACTS}
                    choice(
                        words("options.contacts"),
                        contacts,
                        key="contacts",
                        change=lambda value: edit("contacts", "solve", contacts=value),
                    )

    def _card(self, each: Choice, what: str) -> None:
        """A solver or an integrator, with texts of its card."""
        words = self.desk.words
        with tag(
            "button", classes="choice-card", type="button", data_pressed=f"{what}.{each.name}", aria_pressed="false"
        ) as card:
            tag("span", words.of_library(each.title), classes="choice-title")
            tag("span", words.of_library(each.equation), classes="choice-equation")
            with tag("span", classes="choice-more"):
                if each.cost:
                    tag("span", f"{words('options.cost')}: {words.of_library(each.cost)}")
                if each.remark:
                    tag("span", words.of_library(each.remark))
                if each.source:
                    tag("span", f"{words('options.source')}: {each.source}")
        card.on("click", lambda _: self.desk.edit(what, "solve", **{what: each.name}), args=[])

    def _compare(self) -> None:
        """The choice of companions."""
        words = self.desk.words
        with tag("section", classes="stack"):
            tag("h3", words("options.compare"), classes="panel-title")
            tag("p", words("options.compare-hint"), classes="hint")
            with tag("div", classes="chips", role="group", aria_label=words("options.compare")):
                for name in known():
                    made = button(
                        words(f"options.{name}") if name in CARDS else name,
                        partial(self._beside, name),
                        classes="chip",
                    )
                    made.props["data-pressed"] = f"beside.{name}"
            tag("span", classes="wrong", role="alert", data_wrong="compare")

    def _beside(self, name: str) -> None:
        """Add or remove a companion."""
        there = [each.name for each in self.desk.view.companions]
        names = [each for each in there if each != name] if name in there else [*there, name]
        self.desk.edit("compare", "compare", names=names)

    def refresh(self, view: View) -> None:
        """Update what has changed."""
        live, words, solving = self.desk.live, self.desk.words, view.solving
        for name, value in values(view.scene).items():
            live.say(f"has.{name}", value is not None)
            live.say(
                f"option.{name}",
                typed(value) if isinstance(value, float | int) and not isinstance(value, bool) else value,
            )
            if name == "planet":
                for each in OPTIONS[name].choices:
                    live.say(f"planet.{each}", value == each)
        for name in ("auto", *(each.name for each in solvers())):
            live.say(f"solver.{name}", solving.wish == name)
        live.say("y-down", view.scene.dimension == 2 and view.scene.view.y_down)
        live.say("stepped", CARDS[solving.solver].has_steps)
        for one in integrators():
            live.say(f"integrator.{one.name}", solving.integrator == one.name)
        live.say("step", "" if solving.step is None else typed(solving.step))
        live.say("contacts", solving.contacts or "auto")
        live.say("steering", view.steering)
        live.say("method.now", words("options.now", solver=words(f"options.{solving.solver}")))
        beside = {each.name for each in view.companions}
        for name in known():
            live.say(f"beside.{name}", name in beside)
