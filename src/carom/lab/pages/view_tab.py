"""The tab of the view: layers, colours, size, tools, all handled in the browser."""

from __future__ import annotations

from carom.lab.pages.desk import Desk
from carom.lab.pages.frame import dialog
from carom.lab.pages.html import button, choice, switch, tag
from carom.lab.seen.view import View

LAYERS = ("velocity", "momentum", "force", "trace", "centre", "contact", "cells", "names", "ruler", "legend")
SHOWN = ("contact", "ruler", "legend")
"""Layers that are on by default."""
TOOLS = ("auto", "select", "launch", "pull", "link", "walls")


class ViewTab:
    """Layers and view."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def build(self) -> None:
        """Build the elements."""
        words = self.desk.words
        with tag("section", classes="stack"):
            tag("h3", words("view.size"), classes="panel-title")
            with tag("div", classes="buttons left"):
                button(words("view.fit"), icon_name="fit", script="carom.fit()")
                button(words("view.real"), script="caromShell.realSize()")
                button(words("view.zoom-in"), icon_name="closer", bare=True, script="carom.zoom(1.25)")
                button(words("view.zoom-out"), icon_name="farther", bare=True, script="carom.zoom(0.8)")
            button(words("view.calibrate"), classes="quiet", script="caromShell.calibrate()")
        with tag("section", classes="stack"):
            tag("h3", words("view.layers"), classes="panel-title")
            with tag("div", classes="switches"):
                for name in LAYERS:
                    on = name in SHOWN
                    switch(words(f"layer.{name}"), key=f"layer.{name}", on=on, script=f"caromShell.layer('{name}', on)")
        with tag("section", classes="stack"):
            tools = {name: words(f"tool.{name}") for name in TOOLS}
            choice(words("tool.label"), tools, key="view.tool", value="auto", script="carom.tool(value)")
            palettes = {"plain": words("view.palette-plain"), "safe": words("view.palette-safe")}
            choice(words("view.palette"), palettes, key="view.palette", script="caromShell.palette(value)")

    def dialogs(self) -> None:
        """The dialog to calibrate the screen with a bank card, 85.60 mm by 53.98 mm."""
        words = self.desk.words
        with dialog("calibrate", words("calibrate.title"), words, "wide"), tag("div", classes="dialog-body"):
            tag("p", words("calibrate.text"), classes="lead")
            with tag("div", classes="bank-card", id="bank-card", aria_hidden="true"):
                tag("span", classes="chip")
                tag("span", "85.60 × 53.98 mm")
            with tag("label", classes="field"):
                tag("span", words("calibrate.slider"), classes="field-label")
                tag("input", type="range", min="15", max="100", step="0.1", id="calibrate-slider")
            tag("output", id="calibrate-value", classes="hint")
            with tag("div", classes="buttons"):
                button(words("word.cancel"), classes="quiet", script="caromShell.close('calibrate')")
                button(words("calibrate.save"), classes="primary", script="caromShell.calibrated()")

    def refresh(self, view: View) -> None:
        """Update for the dimension of the scene."""
        self.desk.live.say("three", view.scene.dimension == 3)
