"""Who met whom: the network of collisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.plots.data import is_recording, of_a_file_too
from carom.plots.style import axes, style
from carom.solvers.collision_record import BALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

RING = 60
"""Up to so many balls stand on a ring, others where they were at the start."""
CROWD = 200
"""More lines than this are drawn fainter."""
CROWDED = 1000
"""Of more balls, so many in the middle are drawn."""
LEANING = (0.43, 0.27)
"""How far a place moves to the right and up with its z, so that layers do not hide each other."""
NUMBERED = 40
"""So many have their numbers beside them."""


@of_a_file_too
def network(what: Any, ax: Axes | None = None, *, count: int | None = None, theme: str = "light") -> Axes:
    """Balls as dots, with a line between two that have met: the more often, the thicker and darker.

    what   a recording with its collisions, or the name of its file; or a structured array of collisions, as
           `Simulation.collide` gives it.
    count  how many balls there are, if an array is given; as many as met anybody if left out.

    The size of a dot tells how many collisions with other balls it had. Few balls stand on a ring in the order of their
    numbers; many, where they were at the start, without lines across joined borders. Space is seen at a slant, farther
    layers to the right and up. Of more than 1,000 balls, so many in the middle are drawn.
    """
    rows, number, start = _met(what, count)
    drawn = _near(what, start)
    pairs, times = _pairs(rows)
    degree = np.bincount(pairs.ravel(), weights=np.repeat(times, 2), minlength=number)
    places = _ring(number) if start is None or number <= RING else _slanted(start)
    shown = _middle(start, number)
    with style(theme) as colours:
        ax = axes(ax, figsize=(5.2, 5.2))
        ax.set_axis_off()
        ax.set_aspect("equal")
        if len(pairs):
            some = shown[pairs].all(axis=1)
            if start is not None and number > RING:
                some &= drawn(start[pairs])
            if some.any():
                _lines(ax, places[pairs[some]], times[some], colours.series[0])
        size = 30.0 + 170.0 * degree / max(float(degree.max(initial=0.0)), 1.0)
        if number > RING:
            size *= RING / int(shown.sum())
        x, y = places[shown].T
        ax.scatter(x, y, s=size[shown], c=colours.plain, edgecolors=colours.ground, linewidths=1.0, zorder=3)
        if number <= NUMBERED:
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


def _met(what: Any, count: int | None) -> tuple[NDArray[Any], int, Floats | None]:
    """Collisions between balls, how many balls there are, and where they were at the start."""
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


def _near(what: Any, start: Floats | None) -> Callable[[Floats], NDArray[np.bool_]]:
    """Which lines do not go across a joined border, where they would cross the whole picture."""
    sizes = what.sizes if start is not None else None
    if sizes is None:
        return lambda ends: np.ones(len(ends), dtype=np.bool_)
    longest = np.where(what.scene.boundary.periodic, 0.5 * sizes, np.inf)
    return lambda ends: np.asarray((np.abs(ends[:, 1] - ends[:, 0]) < longest).all(axis=1))


def _slanted(start: Floats) -> Floats:
    """Places in the picture."""
    return start if start.shape[1] == 2 else start[:, :2] + start[:, 2:] * np.array(LEANING)


def _middle(start: Floats | None, number: int) -> NDArray[np.bool_]:
    """Who is drawn: all, or as many in the middle as can be told apart."""
    shown = np.ones(number, dtype=np.bool_)
    if start is not None and number > CROWDED:
        middle = 0.5 * (start.min(axis=0) + start.max(axis=0))
        shown[np.argsort(np.abs(start - middle).max(axis=1), kind="stable")[CROWDED:]] = False
    return shown


def _pairs(rows: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs that met, and how often."""
    both = np.sort(np.stack([rows["a"], rows["b"]], axis=1).astype(np.intp), axis=1)
    if not len(both):
        return both, np.zeros(0, dtype=np.intp)
    pairs, times = np.unique(both, axis=0, return_counts=True)
    return pairs, times


def _ring(number: int) -> Floats:
    """Places on a circle, clockwise from the top."""
    angles = np.pi / 2.0 - 2.0 * np.pi * np.arange(number) / max(number, 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _lines(ax: Axes, ends: Floats, times: NDArray[np.intp], colour: str) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415  # an optional part
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    share = times / times.max()
    order = np.argsort(times, kind="stable")
    crowd = min(1.0, (CROWD / len(times)) ** 0.5)  # many lines are fainter and thinner, so that the thick ones are seen
    paint = [(*to_rgb(colour), crowd * (0.25 + 0.7 * float(part))) for part in share[order]]
    widths = crowd**0.5 * (0.6 + 3.4 * share[order])
    ax.add_collection(LineCollection(list(ends[order]), colors=paint, linewidths=widths, zorder=2))
