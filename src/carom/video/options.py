"""Options of pictures and films."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from carom.errors import CaromError
from carom.views.palette import Theme, palette

MIN_SIDE, MAX_SIDE = 64, 16_384
"""Range of sides of a picture, px."""
MAX_FPS = 240.0


@dataclass(frozen=True)
class Look:
    """Content and size of a picture.

    size    width and height, px.
    theme   "light" or "dark".
    arrows  True: show velocities.
    trace   duration of the traces of balls, s of the scene; 0 for none.
    names   True: show the names of balls.
    """

    size: tuple[int, int] = (1280, 720)
    theme: Theme = "light"
    arrows: bool = False
    trace: float = 0.0
    names: bool = True

    def __post_init__(self) -> None:
        palette(self.theme)
        sides: Sequence[Any] = self.size
        if len(sides) != 2 or not all(isinstance(side, int) and MIN_SIDE <= side <= MAX_SIDE for side in sides):
            wrong = "x".join(map(str, sides))
            raise CaromError(f"size: {wrong} px is no size of a picture. Give sides from {MIN_SIDE} to {MAX_SIDE} px.")
        if not (isfinite(self.trace) and self.trace >= 0.0):
            raise CaromError(f"trace: {self.trace} s is no length of time. Give seconds, such as 0.5.")


@dataclass(frozen=True)
class Timing:
    """The part of a run that a film shows, and its playback speed.

    fps    pictures per second.
    speed  playback speed as in the laboratory: 1 is real time, or for planets and molecules the default of the scene.
    start  time in the run at which the film starts, s; default: the start of the run.
    end    time in the run at which the film ends, s; default: the end of the recording.
    """

    fps: float = 30.0
    speed: float = 1.0
    start: float | None = None
    end: float | None = None

    def __post_init__(self) -> None:
        if not (isfinite(self.fps) and 0.0 < self.fps <= MAX_FPS):
            raise CaromError(f"fps: {self.fps:g} is no rate of pictures. Give a number up to {MAX_FPS:g}, such as 30.")
        if not (isfinite(self.speed) and self.speed > 0.0):
            raise CaromError(f"speed: {self.speed:g} is no speed. Give a number above 0, such as 0.5.")
        for name, time in (("from", self.start), ("to", self.end)):
            if time is not None and not (isfinite(time) and time >= 0.0):
                raise CaromError(f"{name}: {time} s is not a time of a run. Give seconds, 0 or more.")
        if self.start is not None and self.end is not None and self.end < self.start:
            what = f"to: {self.end:g} s is before the start, {self.start:g} s"
            raise CaromError(f"{what}. Let the film end after it begins.")


def size_of(text: str) -> tuple[int, int]:
    """Parse a size such as 1280x720."""
    across, _, up = text.lower().replace("×", "x").partition("x")
    if not (across.strip().isdecimal() and up.strip().isdecimal()):
        raise CaromError(f"size: {text!r} is not WIDTHxHEIGHT. Write it in pixels, such as 1280x720.")
    return int(across), int(up)
