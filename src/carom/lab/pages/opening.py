"""From what a person opens to a scene: a scene of the library with parameters, a file, a link."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from typing import Any

from carom.errors import ArgumentError
from carom.lab import share
from carom.lab.commands.arguments import file_format
from carom.scene import Scene, library

GROUPS: Mapping[str, tuple[str, ...]] = {
    "collisions": ("Collisions", "Billiards"),
    "gravity": ("Gravity field",),
    "planets": ("Planetary system",),
    "springs": ("Material points",),
    "gases": ("Gases and chaos",),
    "empty": ("Empty",),
}
"""The gallery's groups, and those of the library that they hold."""
MOVED = {"sinai": "gases", "stadium": "gases", "polygon-table": "gases"}
"""Scenes that stand elsewhere than their group: billiards that are about chaos."""


def group_of(entry: library.Entry) -> str:
    """The gallery's group of a scene."""
    return MOVED.get(entry.name) or next((name for name, held in GROUPS.items() if entry.group in held), "collisions")


def entry_of(name: str) -> library.Entry:
    """What the library says of a scene; SceneError if there is none of that name."""
    for entry in library.catalogue():
        if entry.name == name:
            return entry
    library.load(name)  # says what is wrong, and what there is
    raise AssertionError(name)


@cache
def dimension_of(name: str) -> int:
    """2 or 3, of a scene of the library as it is without parameters; all of them take some tenths of a second."""
    return library.load(name).dimension


def parameters(entry: library.Entry, typed: Mapping[str, str]) -> dict[str, Any]:
    """What was typed for the parameters of a generator, as numbers; what is left empty, or as it was, is left out."""
    found: dict[str, Any] = {}
    for each in entry.parameters:
        text = typed.get(each.name, "").strip()
        if text and text != shown(each.default):
            found[each.name] = _value(each, text)
    return share.limited(found)


def shown(default: Any) -> str:
    """A default as a person would type it."""
    if default is None:
        return ""
    if isinstance(default, bool):
        return "true" if default else "false"
    return f"{default:g}" if isinstance(default, float) and float(f"{default:g}") == default else str(default)


def _value(parameter: library.Parameter, text: str) -> Any:
    """The number, truth or word that a text stands for."""
    if isinstance(parameter.default, bool):
        return text == "true"
    if isinstance(parameter.default, str):
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ArgumentError.of("number.digits", where=parameter.name, value=repr(text)) from None


class Counter:
    """Scenes that came from outside, each for a ticket, so that the address of a page can name them."""

    LARGEST = 32 * 2**20
    """Bytes of a file or a link."""
    MOST = 64
    """Scenes that are kept; the oldest are forgotten,"""
    BALLS = 1_000_000
    """as they are when all of them hold more balls than this."""

    def __init__(self, first: Scene | None = None, entry: str = "") -> None:
        self.first = first
        self.entry = entry
        self.kept: OrderedDict[str, Scene] = OrderedDict()

    def ticket(self, told: Any) -> str:
        """A ticket for a file, {"text", "filename"}, or a link, {"link"}; CaromError if it holds no scene."""
        if isinstance(told, dict) and isinstance(told.get("text"), str):
            text, name = told["text"], str(told.get("filename") or "")
            return self.keep(share.read(text, file_format(text, name), name or "scene"))
        if isinstance(told, dict) and isinstance(told.get("link"), str):
            return self.keep(share.opened(told["link"]))
        raise ArgumentError.of("upload.unreadable", where="file")

    def keep(self, scene: Scene) -> str:
        """A ticket for a scene."""
        ticket = secrets.token_urlsafe(9)
        self.kept[ticket] = scene
        while len(self.kept) > self.MOST or (
            len(self.kept) > 1 and sum(len(each.balls) for each in self.kept.values()) > self.BALLS
        ):
            self.kept.popitem(last=False)
        return ticket

    def scene(self, query: Mapping[str, str]) -> tuple[Scene, str]:
        """The scene that the query of an address asks for, and its name in the library, or empty."""
        if "ticket" in query:
            scene = self.kept.get(query["ticket"])
            if scene is None:
                raise ArgumentError.of("ticket.not-kept", where="ticket")
            return scene, ""
        if "scene" in query:
            entry = entry_of(query["scene"])
            return library.load(entry.name, **parameters(entry, query)), entry.name
        if self.first is not None:
            return self.first, self.entry
        return library.load("empty"), "empty"
