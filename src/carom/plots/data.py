"""What plots are drawn of: a recording, the name of its file, or arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.observe.frame import Frame
from carom.scene import Scene
from carom.storage.recording import Recording

Floats = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

MOST_FRAMES = 400
"""So many frames of a recording are read for a plot of all of it, spread evenly, where more would show nothing more."""
REBUILT = 200
"""Instants that are rebuilt of a recording with a single frame."""


def of_a_file_too(plot: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Let a plot take the name of a recording, which is open while it is drawn."""

    @wraps(plot)
    def drawn(what: Any, /, *args: P.args, **options: P.kwargs) -> R:
        if not isinstance(what, str | Path):
            return plot(what, *args, **options)
        with Recording(what) as recording:
            return plot(recording, *args, **options)

    return drawn


def numbers(what: Any, name: str, words: str) -> Floats:
    """An array of numbers; `words` tell what may be given instead of what is none."""
    try:
        return np.asarray(what, dtype=np.float64)
    except (TypeError, ValueError):
        raise CaromError(f"{name}: a {type(what).__name__} cannot be plotted here. {words}") from None


def is_recording(what: Any) -> bool:
    """Has it frames and a scene?"""
    return hasattr(what, "times") and hasattr(what, "scene") and hasattr(what, "observables")


def pair(what: Any, words: str) -> tuple[Floats, Any]:
    """Two arrays that belong together, as (times, values)."""
    if not isinstance(what, tuple | list) or len(what) != 2:
        raise CaromError(f"a {type(what).__name__} cannot be plotted here. Give a Recording, or {words}.")
    return numbers(what[0], "times", f"Give a Recording, or {words}."), what[1]


def fitting(values: Any, rows: int, name: str) -> Floats:
    """An array with so many rows."""
    array = np.atleast_1d(numbers(values, name, "Give an array of numbers."))
    if len(array) != rows:
        raise CaromError(f"{name}: has {len(array)} rows, and there are {rows} times. Give as many of both.")
    return array


def merging(scene: Scene) -> bool:
    """Do masses and radii change, since balls merge?"""
    return scene.attraction is not None and scene.attraction.touch == "merge"


def sampled(recording: Any, values: int, least: int, most: int) -> int:
    """How many frames give about so many values, one a ball; between the least and the most."""
    return int(np.clip(values // max(len(recording.masses), 1), least, most))


def instants(recording: Any, most: int = MOST_FRAMES) -> Iterator[Instant]:
    """Frames of a recording, spread evenly; of one that holds a single frame, instants between its ends, if it can."""
    if not len(recording):
        raise CaromError(f"{recording.path}: holds no frame yet. Look again later, or record longer.")
    scene = recording.scene
    start, end = recording.span
    if len(recording) == 1 and recording.exact and end > start:
        for time in np.linspace(start, end, min(most, REBUILT)):
            yield Instant(scene, recording.at(float(time)), recording.masses, recording.radii)
        return
    changing = merging(scene)
    for k in np.unique(np.linspace(0, len(recording) - 1, min(len(recording), most)).round().astype(int)):
        bulk = recording.bulk(int(k)) if changing else (recording.masses, recording.radii)
        yield Instant(scene, recording[int(k)], *bulk)


@dataclass(frozen=True)
class Instant:
    """A frame of a recording as an observable wants to see it: without what was not recorded.

    Masses (kg) and radii (m) are those of its time: they change where balls merge.
    """

    scene: Scene
    frame: Frame
    masses: Floats
    radii: Floats

    @property
    def time(self) -> float:
        """Of the frame, s."""
        return self.frame.time

    @property
    def positions(self) -> Floats:
        """Of the balls, m."""
        return self.frame.positions

    @property
    def velocities(self) -> Floats:
        """Of the balls, m/s."""
        return self.frame.velocities


def chosen(balls: Any, count: int, most: int) -> NDArray[np.intp]:
    """The numbers of the balls that are asked for; if nobody says, all, or some that are spread evenly."""
    if balls is None:
        return np.linspace(0, count - 1, min(count, most)).round().astype(np.intp)
    rows = np.atleast_1d(np.asarray(balls))
    if rows.dtype.kind not in "iu" or rows.ndim != 1 or ((rows < 0) | (rows >= count)).any():
        raise CaromError(f"balls: {balls!r} are not numbers of balls. Give some from 0 to {count - 1}.")
    return rows.astype(np.intp)
