"""The network of collisions: which balls have collided with which."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.plots.data import accept_path, is_recording
from carom.plots.style import axes, style
from carom.solvers.collision_record import BALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

MAX_ON_RING = 60
"""Up to this number, balls are drawn on a ring; more are drawn at their positions at the start."""
FULL_STRENGTH_LINES = 200
"""More lines than this are drawn fainter."""
MAX_DRAWN = 1000
"""Largest number of balls that are drawn; of more, those in the middle."""
OBLIQUE = (0.43, 0.27)
"""Shift of a position to the right and up per unit of z, so that layers do not hide each other."""
MAX_LABELLED = 40
"""Up to this number, balls are labelled with their indices."""


@accept_path
def network(what: Any, ax: Axes | None = None, *, count: int | None = None, theme: str = "light") -> Axes:
    """Balls as dots, with a line between two that have collided: the more often, the thicker and darker.

    what   a recording with its collisions, or the path of its file; or a structured array of collisions as
           `Simulation.collide` returns it.
    count  the number of balls, for an array; by default that of the balls in the collisions.

    The size of a dot shows the number of its collisions with other balls. Few balls are on a ring in the order of
    their indices; many are at their positions at the start, without lines across periodic boundaries. 3D is drawn
    obliquely, farther layers to the right and up. Of more than 1,000 balls, the 1,000 in the middle are drawn.
    """
    rows, number, start = _ball_collisions(what, count)
    drawn = _shorter_than_half(what, start)
    pairs, times = _pairs(rows)
    degree = np.bincount(pairs.ravel(), weights=np.repeat(times, 2), minlength=number)
    places = _ring(number) if start is None or number <= MAX_ON_RING else _project(start)
    shown = _drawn_balls(start, number)
    with style(theme) as colours:
        ax = axes(ax, figsize=(5.2, 5.2))
        ax.set_axis_off()
        ax.set_aspect("equal")
        if len(pairs):
            some = shown[pairs].all(axis=1)
            if start is not None and number > MAX_ON_RING:
                some &= drawn(start[pairs])
            if some.any():
                _lines(ax, places[pairs[some]], times[some], colours.series[0])
        size = 30.0 + 170.0 * degree / max(float(degree.max(initial=0.0)), 1.0)
        if number > MAX_ON_RING:
            size *= MAX_ON_RING / int(shown.sum())
        x, y = places[shown].T
        ax.scatter(x, y, s=size[shown], c=colours.plain, edgecolors=colours.ground, linewidths=1.0, zorder=3)
        if number <= MAX_LABELLED:
            for k, beside in enumerate(1.11 * places):
                ax.annotate(str(k), tuple(beside), ha="center", va="center", fontsize=8.5, color=colours.soft)
        ax.margins(0.06)
        total = int(times.sum())
        most = f", at most {int(times.max())} between two" if len(times) else ""
        words = f"{total:,} collisions of {number:,} balls{most}"
        if not shown.all():
            words += f"\n{int(shown.sum()):,} of {number:,} balls are drawn"
        ax.set_title(words, fontweight="normal", fontsize=9.5, loc="center")
    return ax


def _ball_collisions(what: Any, count: int | None) -> tuple[NDArray[Any], int, Floats | None]:
    """The ball-ball collisions, the number of balls, and their positions at the start."""
    if is_recording(what):
        if what.collisions is None:
            raise CaromError(f"{what.path}: was recorded without its collisions. Record with events=True.")
        rows, number, start = what.collisions[:], len(what.masses), what.scene.balls.position
    else:
        rows, start = what, None
        if getattr(rows, "dtype", None) is None or not {"a", "b", "kind"} <= set(rows.dtype.names or ()):
            raise CaromError("network: these are no collisions. Give a Recording, or what Simulation.collide gives.")
        number = 0
    rows = rows[rows["kind"] == BALL]
    met = int(max(rows["a"].max(), rows["b"].max())) + 1 if len(rows) else 0
    number = max(number, met) if count is None else count
    if number < met:
        raise CaromError(f"count: {count} balls are fewer than have met, {met}. Give how many there are.")
    return rows, number, start


def _shorter_than_half(what: Any, start: Floats | None) -> Callable[[Floats], NDArray[np.bool_]]:
    """A function that selects the lines that do not cross a periodic boundary."""
    sizes = what.sizes if start is not None else None
    if sizes is None:
        return lambda ends: np.ones(len(ends), dtype=np.bool_)
    longest = np.where(what.scene.boundary.periodic, 0.5 * sizes, np.inf)
    return lambda ends: np.asarray((np.abs(ends[:, 1] - ends[:, 0]) < longest).all(axis=1))


def _project(start: Floats) -> Floats:
    """Positions in the picture; oblique projection in 3D."""
    return start if start.shape[1] == 2 else start[:, :2] + start[:, 2:] * np.array(OBLIQUE)


def _drawn_balls(start: Floats | None, number: int) -> NDArray[np.bool_]:
    """Which balls are drawn: all, or the ones in the middle."""
    shown = np.ones(number, dtype=np.bool_)
    if start is not None and number > MAX_DRAWN:
        middle = 0.5 * (start.min(axis=0) + start.max(axis=0))
        shown[np.argsort(np.abs(start - middle).max(axis=1), kind="stable")[MAX_DRAWN:]] = False
    return shown


def _pairs(rows: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs that collided, and how often."""
    both = np.sort(np.stack([rows["a"], rows["b"]], axis=1).astype(np.intp), axis=1)
    if not len(both):
        return both, np.zeros(0, dtype=np.intp)
    pairs, times = np.unique(both, axis=0, return_counts=True)
    return pairs, times


def _ring(number: int) -> Floats:
    """Positions on a circle, clockwise from the top."""
    angles = np.pi / 2.0 - 2.0 * np.pi * np.arange(number) / max(number, 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _lines(ax: Axes, ends: Floats, times: NDArray[np.intp], colour: str) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415  # an optional part
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    share = times / times.max()
    order = np.argsort(times, kind="stable")
    crowd = min(
        1.0, (FULL_STRENGTH_LINES / len(times)) ** 0.5
    )  # many lines are fainter and thinner, so that the thick ones are seen
    paint = [(*to_rgb(colour), crowd * (0.25 + 0.7 * float(part))) for part in share[order]]
    widths = crowd**0.5 * (0.6 + 3.4 * share[order])
    ax.add_collection(LineCollection(list(ends[order]), colors=paint, linewidths=widths, zorder=2))
