"""Opens scenes from the library with parameters, from a file, or from a link."""

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
"""The gallery's groups, with the library's groups in them."""
MOVED = {"sinai": "gases", "stadium": "gases", "polygon-table": "gases"}
"""Scenes in another group of the gallery: billiards about chaos."""


def group_of(entry: library.Entry) -> str:
    """The gallery's group of a scene."""
    return MOVED.get(entry.name) or next((name for name, held in GROUPS.items() if entry.group in held), "collisions")


def entry_of(name: str) -> library.Entry:
    """The library's entry of a scene; SceneError if there is none."""
    for entry in library.catalogue():
        if entry.name == name:
            return entry
    library.load(name)  # raises an error with suggestions
    raise AssertionError(name)


@cache
def dimension_of(name: str) -> int:
    """The dimension of a scene of the library with default parameters."""
    return library.load(name).dimension


def parameters(entry: library.Entry, typed: Mapping[str, str]) -> dict[str, Any]:
    """Convert typed parameters of a generator; empty and unchanged ones are omitted."""
    found: dict[str, Any] = {}
    for each in entry.parameters:
        text = typed.get(each.name, "").strip()
        if text and text != shown(each.default):
            found[each.name] = _value(each, text)
    return share.check_size(found)


def shown(default: Any) -> str:
    """Format a default for typing."""
    if default is None:
        return ""
    if isinstance(default, bool):
        return "true" if default else "false"
    return f"{default:g}" if isinstance(default, float) and float(f"{default:g}") == default else str(default)


def _value(parameter: library.Parameter, text: str) -> Any:
    """Parse a number, truth value or word."""
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
    """Stores scenes from outside under tickets, so that the address of a page can name them."""

    LARGEST = 32 * 2**20
    """Largest file or link, bytes."""
    MOST = 64
    """Largest number of stored scenes; the oldest are dropped."""
    BALLS = 1_000_000
    """Largest number of balls of all stored scenes."""

    def __init__(self, first: Scene | None = None, entry: str = "") -> None:
        self.first = first
        self.entry = entry
        self.kept: OrderedDict[str, Scene] = OrderedDict()

    def ticket(self, told: Any) -> str:
        """Make a ticket for a file, {"text", "filename"}, or a link, {"link"}; CaromError if it has no scene."""
        if isinstance(told, dict) and isinstance(told.get("text"), str):
            text, name = told["text"], str(told.get("filename") or "")
            return self.keep(share.read(text, file_format(text, name), name or "scene"))
        if isinstance(told, dict) and isinstance(told.get("link"), str):
            return self.keep(share.from_link(told["link"]))
        raise ArgumentError.of("upload.unreadable", where="file")

    def keep(self, scene: Scene) -> str:
        """Store a scene, and return its ticket."""
        ticket = secrets.token_urlsafe(9)
        self.kept[ticket] = scene
        while len(self.kept) > self.MOST or (
            len(self.kept) > 1 and sum(len(each.balls) for each in self.kept.values()) > self.BALLS
        ):
            self.kept.popitem(last=False)
        return ticket

    def scene(self, query: Mapping[str, str]) -> tuple[Scene, str]:
        """The scene of the query of an address, and its name in the library, or empty."""
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
