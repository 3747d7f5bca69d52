"""The data of plots: from a recording, the path of its file, or arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.storage.recorded_frame import RecordedFrame
from carom.storage.recording import Recording

Floats = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

MAX_FRAMES = 400
"""Largest number of frames that are read for a plot, evenly spread."""
REBUILT_FRAMES = 200
"""Number of frames that are rebuilt from events for a recording with a single frame."""


def accept_path(plot: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Let a plot function take the path of a recording, which is open while the plot is drawn."""

    @wraps(plot)
    def drawn(what: Any, /, *args: P.args, **options: P.kwargs) -> R:
        if not isinstance(what, str | Path):
            return plot(what, *args, **options)
        with Recording(what) as recording:
            return plot(recording, *args, **options)

    return drawn


def as_numbers(what: Any, name: str, words: str) -> Floats:
    """An array of numbers; `words` say in the error what may be given."""
    try:
        return np.asarray(what, dtype=np.float64)
    except (TypeError, ValueError):
        raise CaromError(f"{name}: a {type(what).__name__} cannot be plotted here. {words}") from None


def is_recording(what: Any) -> bool:
    """True for an object with frames, a scene and observables."""
    return hasattr(what, "times") and hasattr(what, "scene") and hasattr(what, "observables")


def as_pair(what: Any, words: str) -> tuple[Floats, Any]:
    """A pair of (times, values)."""
    if not isinstance(what, tuple | list) or len(what) != 2:
        raise CaromError(f"a {type(what).__name__} cannot be plotted here. Give a Recording, or {words}.")
    return as_numbers(what[0], "times", f"Give a Recording, or {words}."), what[1]


def as_rows(values: Any, rows: int, name: str) -> Floats:
    """An array that must have `rows` rows."""
    array = np.atleast_1d(as_numbers(values, name, "Give an array of numbers."))
    if len(array) != rows:
        raise CaromError(f"{name}: has {len(array)} rows, and there are {rows} times. Give as many of both.")
    return array


def frame_count_for(recording: Any, values: int, least: int, most: int) -> int:
    """The number of frames that have about `values` values, one per ball; between `least` and `most`."""
    return int(np.clip(values // max(len(recording.masses), 1), least, most))


def sample_frames(recording: Any, most: int = MAX_FRAMES) -> Iterator[RecordedFrame]:
    """Frames of a recording, evenly spread; if it has a single frame, frames rebuilt from events, if possible."""
    if not len(recording):
        raise CaromError(f"{recording.path}: holds no frame yet. Look again later, or record longer.")
    start, end = recording.span
    if len(recording) == 1 and recording.exact and end > start:
        for time in np.linspace(start, end, min(most, REBUILT_FRAMES)):
            yield RecordedFrame(recording, recording.at(float(time)), 0)
        return
    for k in np.unique(np.linspace(0, len(recording) - 1, min(len(recording), most)).round().astype(int)).tolist():
        yield RecordedFrame(recording, recording[k], k)


def select_balls(balls: Any, count: int, most: int) -> NDArray[np.intp]:
    """The indices of the requested balls; by default all, or some that are spread evenly."""
    if balls is None:
        return np.linspace(0, count - 1, min(count, most)).round().astype(np.intp)
    rows = np.atleast_1d(np.asarray(balls))
    if rows.dtype.kind not in "iu" or rows.ndim != 1 or ((rows < 0) | (rows >= count)).any():
        raise CaromError(f"balls: {balls!r} are not numbers of balls. Give some from 0 to {count - 1}.")
    return rows.astype(np.intp)
