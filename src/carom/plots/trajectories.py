"""Trajectories of balls: in the plane, and along one axis over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import CaromError
from carom.plots.data import accept_path, as_numbers, as_pair, as_rows, is_recording, select_balls
from carom.plots.style import axes, mark, note, style
from carom.scene import Scene
from carom.views.palette import Palette
from carom.views.shapes import contours
from carom.views.sheet import extent
from carom.views.units import length_unit, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

AXES = ("x", "y", "z")
MAX_BALLS = 200
"""Largest number of balls that are drawn by default."""
MAX_TIMES = 4000
MAX_COLOURED = 7


@accept_path
def trajectories(what: Any, ax: Axes | None = None, *, balls: Any = None, theme: str = "light") -> Axes:
    """Trajectories of balls in the plane x, y, with the walls; a dot marks the last position of each ball.

    what   a recording, or the path of its file; or positions, in m, as an array (times, balls, d).
    balls  indices of the balls to draw; by default all, or 200 that are spread evenly.

    For a recording with events, trajectories bend exactly where balls collide. They are interrupted at periodic
    boundaries.
    """
    scene: Scene | None = what.scene if is_recording(what) else None
    if is_recording(what):
        count = len(what.masses)
        rows = select_balls(balls, count, MAX_BALLS)
        places = _trajectories(what, rows)[1]
    else:
        places = _places(what)
        count = places.shape[1]
        rows = select_balls(balls, count, MAX_BALLS)
        places = places[:, rows]
    radii = scene.balls.radius[rows] if scene is not None else np.zeros(len(rows))
    low, high = _limits(scene, places[:, :, :2])
    scale, unit = length_unit(float((high - low).max()))
    with style(theme) as colours:
        ax = axes(ax)
        ax.grid(False)
        if scene is not None:
            _walls(ax, scene, colours, scale)
        _draw_trajectories(ax, _split_at_seams(places[:, :, :2], scene) / scale, colours)
        _dots(ax, places[-1, :, :2] / scale, radii / scale, colours, clear=places.shape[2] == 3)
        _frame(ax, low / scale, high / scale, unit)
        _note_selection(ax, balls, len(rows), count)
        if scene is not None and scene.view.y_down:
            ax.invert_yaxis()
    return ax


@accept_path
def space_time(what: Any, ax: Axes | None = None, *, axis: str = "x", balls: Any = None, theme: str = "light") -> Axes:
    """Positions along an axis over time: one line per ball, whose slope is its velocity.

    what   a recording, or the path of its file; or (times, positions), in s and m, with positions as an array
           (times, balls) or (times, balls, d).
    axis   "x", "y" or "z".
    balls  indices of the balls to draw; by default all, or 200 that are spread evenly.
    """
    if axis not in AXES:
        raise CaromError(f"axis: {axis!r} is none. Use 'x', 'y' or 'z'.")
    scene: Scene | None = what.scene if is_recording(what) else None
    times, places, rows, count = _lines(what, balls)
    k = AXES.index(axis)
    if places.ndim == 2:
        places, k = places[:, :, None], 0
    if k >= places.shape[2]:
        raise CaromError(f"axis: there is no {axis} in {places.shape[2]} dimensions. Use 'x' or 'y'.")
    along = _split_at_seams(places, scene)[:, :, k]
    scale, unit = length_unit(float(np.nanmax(np.abs(along), initial=0.0)))
    second, name = time_unit(float(np.abs(times).max(initial=0.0)))
    with style(theme) as colours:
        ax = axes(ax)
        few = len(rows) <= MAX_COLOURED
        for j in range(len(rows)):
            colour = colours.series[j % len(colours.series)] if few else colours.plain
            label = str(int(rows[j])) if few else None
            width, opacity = (1.4, 1.0) if few else (0.7, 0.6)
            ax.plot(
                times / second, along[:, j] / scale, color=colour, linewidth=width, alpha=opacity, label=label,
                marker=mark(times),
            )  # fmt: skip
        ax.set_xlabel(f"time in {name}")
        ax.set_ylabel(f"{axis} in {unit}")
        if len(times) > 1:
            ax.margins(x=0.0)
        _note_selection(ax, balls, len(rows), count)
        if few and len(rows) > 1:
            ax.legend(title="ball", loc="center left", bbox_to_anchor=(1.0, 0.5), title_fontsize=9.0)
    return ax


def _lines(what: Any, balls: Any) -> tuple[Floats, Floats, NDArray[np.intp], int]:
    """Times, positions of the drawn balls, their indices, and the number of all balls."""
    if is_recording(what):
        rows = select_balls(balls, len(what.masses), MAX_BALLS)
        return *_trajectories(what, rows), rows, len(what.masses)
    times, places = _timed(what)
    rows = select_balls(balls, places.shape[1], MAX_BALLS)
    return times, places[:, rows], rows, places.shape[1]


def _note_selection(ax: Axes, balls: Any, drawn: int, count: int) -> None:
    """Note that only some balls are drawn, unless the caller chose them."""
    if balls is None and drawn < count:
        note(ax, f"{drawn:,} of {count:,} balls")


def _trajectories(recording: Any, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Times and positions of some balls: at frames, and if rebuilt from events also at even times and collisions."""
    times = np.asarray(recording.times)
    if not len(times):
        raise CaromError(f"{recording.path}: holds no frame yet. Look again later, or record longer.")
    if not recording.exact:
        some = np.unique(np.linspace(0, len(times) - 1, min(len(times), MAX_TIMES)).round().astype(int))
        return times[some], np.stack([recording[int(k)].positions[rows] for k in some])
    start, end = recording.span
    wished = np.linspace(start, end, 500)
    hits = recording.collisions
    if hits is not None and 0 < len(hits) <= MAX_TIMES:
        wished = np.unique(np.concatenate([wished, hits[:]["time"]]))
    wished = wished[(wished >= start) & (wished <= end)]
    return wished, np.stack([recording.at(float(time)).positions[rows] for time in wished])


def _places(what: Any) -> Floats:
    words = "Give a Recording, or an array (times, balls, d)."
    places = as_numbers(what, "trajectories", words)
    if places.ndim != 3 or places.shape[2] not in {2, 3} or not places.size:
        raise CaromError(f"trajectories: an array of shape {places.shape} are no ways of balls. {words}")
    return places


def _timed(what: Any) -> tuple[Floats, Floats]:
    times, values = as_pair(what, "(times, places)")
    places = as_rows(values, len(times), "places")
    return times, places[:, None] if places.ndim == 1 else places


def _split_at_seams(places: Floats, scene: Scene | None) -> Floats:
    """The positions with NaN where a ball crosses a periodic boundary, so that no line is drawn across."""
    box = None if scene is None else scene.boundary.box
    if box is None or not any(box.periodic):
        return places
    size = np.array(box.size)[: places.shape[2]]
    joined = np.array(box.periodic)[: places.shape[2]]
    jump = (np.abs(np.diff(places, axis=0)) > np.where(joined, 0.5 * size, np.inf)).any(axis=2)
    broken = places.copy()
    broken[1:][jump] = np.nan
    return broken


def _limits(scene: Scene | None, places: Floats) -> tuple[Floats, Floats]:
    low, high = np.nanmin(places, axis=(0, 1)), np.nanmax(places, axis=(0, 1))
    if scene is not None:
        first, last = extent(scene)
        low, high = np.minimum(low, first), np.maximum(high, last)
    margin = 0.03 * float((high - low).max()) or 0.05
    return low - margin, high + margin


def _walls(ax: Axes, scene: Scene, colours: Palette, scale: float) -> None:
    from matplotlib.patches import PathPatch  # noqa: PLC0415  # an optional part
    from matplotlib.path import Path  # noqa: PLC0415

    low, high = extent(scene)
    for shape in contours(scene, 3.0 * float((high - low).max())):
        loops = [np.concatenate([loop, loop[:1]]) / scale for loop in shape.loops if len(loop)]
        if not loops:
            continue
        path = Path.make_compound_path(*(Path(loop, closed=True) for loop in loops))
        fill = {"facecolor": colours.solid, "alpha": 0.55} if shape.solid else {"facecolor": "none"}
        line = "--" if any(shape.joined) else "-"
        ax.add_patch(PathPatch(path, edgecolor="none", **fill))
        ax.add_patch(PathPatch(path, facecolor="none", edgecolor=colours.wall, linewidth=1.4, linestyle=line))


def _draw_trajectories(ax: Axes, ways: Floats, colours: Palette) -> None:
    few = ways.shape[1] <= MAX_COLOURED
    faint = float(np.clip(3.0 / ways.shape[1] ** 0.5, 0.2, 0.7))
    for j in range(ways.shape[1]):
        colour = colours.series[j % len(colours.series)] if few else colours.plain
        ax.plot(ways[:, j, 0], ways[:, j, 1], color=colour, linewidth=1.2 if few else 0.8, alpha=0.9 if few else faint)


def _dots(ax: Axes, places: Floats, radii: Floats, colours: Palette, *, clear: bool) -> None:
    """Balls to scale at their last positions; points as small marks. `clear` balls are outlines that hide nothing."""
    from matplotlib.collections import EllipseCollection  # noqa: PLC0415  # an optional part

    few = len(places) <= MAX_COLOURED
    paint = [colours.series[j % len(colours.series)] if few else colours.plain for j in range(len(places))]
    ax.scatter(places[:, 0], places[:, 1], s=5.0, c=paint, zorder=3, linewidths=0.0)
    wide = 2.0 * radii
    look: dict[str, Any] = {"facecolors": paint, "edgecolors": colours.field, "linewidths": 0.6, "zorder": 3}
    if clear:
        look |= {"facecolors": "none", "edgecolors": paint, "linewidths": 0.8, "alpha": 0.6}
    at: dict[str, Any] = {"units": "xy", "offsets": places, "offset_transform": ax.transData}
    ax.add_collection(EllipseCollection(wide, wide, np.zeros(len(wide)), **at, **look))


def _frame(ax: Axes, low: Floats, high: Floats, unit: str) -> None:
    ax.set_xlim(float(low[0]), float(high[0]))
    ax.set_ylim(float(low[1]), float(high[1]))
    ax.set_aspect("equal")
    ax.set_xlabel(f"x in {unit}")
    ax.set_ylabel(f"y in {unit}")
