"""How a picture or a film is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from carom.errors import CaromError
from carom.views.palette import Theme, palette

SMALLEST, LARGEST = 64, 16_384
"""Sides of a picture, px."""
MOST_FPS = 240.0


@dataclass(frozen=True)
class Look:
    """What a picture shows, and how large it is.

    size    width and height, px.
    theme   "light" or "dark".
    arrows  show velocities.
    trace   how long balls leave a trace, s of the scene; 0 for none.
    names   show the names of balls that have one.
    """

    size: tuple[int, int] = (1280, 720)
    theme: Theme = "light"
    arrows: bool = False
    trace: float = 0.0
    names: bool = True

    def __post_init__(self) -> None:
        palette(self.theme)
        sides: Sequence[Any] = self.size
        if len(sides) != 2 or not all(isinstance(side, int) and SMALLEST <= side <= LARGEST for side in sides):
            wrong = "x".join(map(str, sides))
            raise CaromError(f"size: {wrong} px is no size of a picture. Give sides from {SMALLEST} to {LARGEST} px.")
        if not (isfinite(self.trace) and self.trace >= 0.0):
            raise CaromError(f"trace: {self.trace} s is no length of time. Give seconds, such as 0.5.")


@dataclass(frozen=True)
class Timing:
    """Which part of a run a film shows, and how fast.

    fps    pictures a second.
    speed  seconds of the scene in a second of the film, times the pace of the scene, which is 1 but for planets and
           molecules: the same as in the laboratory.
    start  of the film in the run, s; its beginning if left out.
    end    the same; the end of the recording if left out.
    """

    fps: float = 30.0
    speed: float = 1.0
    start: float | None = None
    end: float | None = None

    def __post_init__(self) -> None:
        if not (isfinite(self.fps) and 0.0 < self.fps <= MOST_FPS):
            raise CaromError(f"fps: {self.fps:g} is no rate of pictures. Give a number up to {MOST_FPS:g}, such as 30.")
        if not (isfinite(self.speed) and self.speed > 0.0):
            raise CaromError(f"speed: {self.speed:g} is no speed. Give a number above 0, such as 0.5.")
        for name, time in (("from", self.start), ("to", self.end)):
            if time is not None and not (isfinite(time) and time >= 0.0):
                raise CaromError(f"{name}: {time} s is not a time of a run. Give seconds, 0 or more.")
        if self.start is not None and self.end is not None and self.end < self.start:
            what = f"to: {self.end:g} s is before the start, {self.start:g} s"
            raise CaromError(f"{what}. Let the film end after it begins.")


def size_of(text: str) -> tuple[int, int]:
    """A size as one writes it: 1280x720."""
    across, _, up = text.lower().replace("×", "x").partition("x")
    if not (across.strip().isdecimal() and up.strip().isdecimal()):
        raise CaromError(f"size: {text!r} is not WIDTHxHEIGHT. Write it in pixels, such as 1280x720.")
    return int(across), int(up)
