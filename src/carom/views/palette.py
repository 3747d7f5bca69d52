"""Colours of pictures and of the laboratory, by theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from carom.errors import CaromError

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """Colours by purpose, as "#rrggbb"; equal to those in `src/carom/lab/static/colours.js`."""

    ground: str
    field: str
    ink: str
    soft: str
    faint: str
    wall: str
    solid: str
    solid_edge: str
    plain: str
    mark: str
    velocity: str
    trace: str
    link: str
    cloth: str
    star: str
    materials: tuple[str, ...]
    series: tuple[str, ...]
    """Colours of the lines of a plot, in order; distinguishable with red-green colour blindness."""

    @property
    def dark(self) -> bool:
        """True if light is drawn on dark."""
        return self is DARK


LIGHT = Palette(
    ground="#f5f4f1", field="#fffefd", ink="#23282e", soft="#6a737d", faint="#d9dcdf", wall="#59636e",
    solid="#c9cfd6", solid_edge="#7c8793", plain="#2b3138", mark="#e03127", velocity="#1d6fd1", trace="#2b3138",
    link="#7b8794", cloth="#4d84c4", star="#e08a1e",
    materials=("#2f6fb3", "#2f8f6b", "#7d5ba6", "#8a6552", "#3a93a8", "#a0527f", "#5f7d2e"),
    series=("#1d6fd1", "#d98211", "#0b7a63", "#5c1650", "#98a1aa", "#167f9a", "#8c4c18"),
)  # fmt: skip

DARK = Palette(
    ground="#121519", field="#1b1f25", ink="#e8ebee", soft="#98a2ad", faint="#30363d", wall="#8d98a4",
    solid="#4b5560", solid_edge="#77828e", plain="#dfe3e7", mark="#ff5a4f", velocity="#6fb1ff", trace="#dfe3e7",
    link="#8592a0", cloth="#6ea3e0", star="#f2a541",
    materials=("#6ea8e6", "#5cc49a", "#b394dd", "#c39b82", "#63c3d6", "#d98ab6", "#a3c267"),
    series=("#6fb1ff", "#f2a541", "#4fd1b3", "#d63fb3", "#6b7682", "#1ac9dd", "#b28440"),
)  # fmt: skip


def palette(theme: str) -> Palette:
    """The colours of a theme: "light" or "dark"."""
    if theme == "light":
        return LIGHT
    if theme == "dark":
        return DARK
    raise CaromError(f"theme: {theme!r} is unknown. Use 'light' or 'dark'.")
