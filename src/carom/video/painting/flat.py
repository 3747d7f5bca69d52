"""Artists of matplotlib for walls, traces, links, balls, arrows and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene
from carom.video.painting.camera import Camera, FlatCamera
from carom.video.painting.canvas import POINT, Canvas
from carom.video.painting.colours import mixed, rgb
from carom.views.palette import Palette
from carom.views.shapes import Contour, contours

if TYPE_CHECKING:
    from matplotlib.artist import Artist

Floats = NDArray[np.float64]

HATCH = 8.0
"""Distance between the hatch lines in solids, px."""
FADE_STEPS = 12
"""Number of opacities along a trace."""
MAX_OWN_COLOURS = 20
"""Largest number of balls whose traces have the colours of the balls."""
MAX_ARROWS = 2500
MAX_EDGED_ARROWS = 300
"""Largest number of arrows that get an edge, so that they are visible on balls."""


class Pencil:
    """Draws in pixels, with the colours of a theme; `unit` is the size of a pixel of a picture 720 px high."""

    def __init__(self, canvas: Canvas, palette: Palette, unit: float) -> None:
        self.canvas = canvas
        self.palette = palette
        self.unit = unit

    def _width(self, pixels: float) -> float:
        return pixels * self.unit * POINT

    def patch(self, loops: Sequence[Floats], layer: float, **look: Any) -> Any:
        """A filled outline; all loops but the first are holes."""
        from matplotlib.patches import PathPatch  # noqa: PLC0415  # an optional part

        return PathPatch(_closed(loops), transform=self.canvas.transform, zorder=layer, **look)

    def lines(self, segments: Any, colours: Any, width: float, layer: float, **look: Any) -> Any:
        """Polylines."""
        from matplotlib.collections import LineCollection  # noqa: PLC0415  # an optional part

        return LineCollection(
            segments, colors=colours, linewidths=self._width(width), transform=self.canvas.transform, zorder=layer,
            capstyle=look.pop("capstyle", "round"), **look,
        )  # fmt: skip

    def stroke(self, lines: Sequence[Floats], colour: Any, width: float, layer: float, **look: Any) -> Any:
        """Polylines as one path: faint colours do not get darker where they cross."""
        from matplotlib.patches import PathPatch  # noqa: PLC0415  # an optional part
        from matplotlib.path import Path  # noqa: PLC0415

        sizes = [len(line) for line in lines]
        codes = np.full(sum(sizes), Path.LINETO, dtype=np.uint8)
        codes[np.cumsum([0, *sizes[:-1]])] = Path.MOVETO
        return PathPatch(
            Path(np.concatenate(lines), codes), facecolor="none", edgecolor=colour, linewidth=self._width(width),
            transform=self.canvas.transform, zorder=layer, joinstyle="round", **{"capstyle": "round", **look},
        )  # fmt: skip

    def circles(self, places: Floats, radii: Floats, fill: Floats, layer: float) -> Any:
        """Balls, with a rim of a colour nearer to the ground's."""
        from matplotlib.collections import CircleCollection  # noqa: PLC0415  # an optional part

        rim = np.where(radii > 3.0 * self.unit, np.minimum(1.6 * self.unit, 0.1 * radii), 0.0)
        inner = radii - rim / 2.0
        edge = mixed(fill, rgb(self.palette.ground), 0.3)
        return CircleCollection(
            np.pi * (inner * POINT) ** 2, offsets=places, offset_transform=self.canvas.transform, facecolors=fill,
            edgecolors=np.where(rim[:, None] > 0.0, edge, fill), linewidths=rim * POINT, zorder=layer,
        )  # fmt: skip

    def text(self, x: float, y: float, words: str, layer: float = 9.0, **look: Any) -> Any:
        """Text, with an edge of the ground's colour, so that it is readable over anything."""
        from matplotlib.patheffects import withStroke  # noqa: PLC0415  # an optional part
        from matplotlib.text import Text  # noqa: PLC0415

        size = look.pop("size", 12.5)
        written = Text(
            x, y, words, transform=self.canvas.transform, zorder=layer, fontsize=self._width(size),
            color=look.pop("color", self.palette.ink), parse_math=False, fontfamily="DejaVu Sans", **look,
        )  # fmt: skip
        written.set_path_effects([withStroke(linewidth=self._width(4.0), foreground=self.palette.ground)])
        return written

    def width(self, written: Any) -> float:
        """Width of a text, px."""
        written.set_figure(self.canvas.figure)
        return float(written.get_window_extent(self.canvas.agg.get_renderer()).width)

    def arrows(self, start: Floats, end: Floats, colour: str, layer: float, head: float = 7.0) -> Iterator[Artist]:
        """Arrows between pixels; few have an edge."""
        along = end - start
        size = np.hypot(*along.T)
        some = size > 1.5 * self.unit
        start, end, size = start[some], end[some], size[some, None]
        if not len(start):
            return
        way = (end - start) / size
        tip = np.minimum(head * self.unit, 0.6 * size)
        aside = 0.5 * way[:, ::-1] * (-1.0, 1.0)
        left, right = end - tip * (way - aside), end - tip * (way + aside)
        shafts, heads = np.stack([start, end], axis=1), np.stack([left, end, right], axis=1)
        strokes = [*shafts, *heads]
        if len(start) <= MAX_EDGED_ARROWS:
            yield self.stroke(strokes, self.palette.field, 4.0, layer)
        yield self.stroke(strokes, colour, 1.8, layer + 0.1)


def _closed(loops: Sequence[Floats]) -> Any:
    """Closed lines as one path; the first goes counter-clockwise, holes the other way, so that they stay empty."""
    from matplotlib.path import Path  # noqa: PLC0415  # an optional part

    paths = []
    for k, loop in enumerate(loops):
        x, y = loop.T
        area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
        turned = loop[::-1] if (area < 0.0) == (k == 0) else loop
        paths.append(Path(np.concatenate([turned, turned[:1]]), closed=True))
    return Path.make_compound_path(*paths)


def walls(scene: Scene, camera: FlatCamera, pencil: Pencil) -> list[Artist]:
    """The field, its walls, and solids."""
    reach = 2.0 * sum(camera.size) / camera.scale
    drawn: list[Artist] = []
    for shape in contours(scene, reach):
        loops = [camera.project(loop) for loop in shape.loops if len(loop)]
        if loops:
            drawn += _solid(loops, pencil, camera.size) if shape.solid else _field(shape, loops, pencil)
    return drawn


def _field(shape: Contour, loops: list[Floats], pencil: Pencil) -> Iterator[Artist]:
    """The space of the balls, and the walls round it; periodic sides are dashed."""
    palette = pencil.palette
    yield pencil.patch(loops, 0.0, facecolor=palette.field, edgecolor="none")
    if not any(shape.joined):
        closed = [np.concatenate([loop, loop[:1]]) for loop in loops]
        yield pencil.lines(closed, palette.wall, 2.0, 3.0, joinstyle="miter")
        return
    corners = loops[0]
    for k in range(4):
        side = [corners[[k, (k + 1) % 4]]]
        if shape.joined[1 - k % 2]:
            yield pencil.lines(side, palette.soft, 1.2, 3.0, linestyles=[(0.0, (5.0, 5.0))])
        else:
            yield pencil.lines(side, palette.wall, 2.0, 3.0)


def _solid(loops: list[Floats], pencil: Pencil, size: tuple[int, int]) -> Iterator[Artist]:
    """A solid with soft hatching."""
    palette = pencil.palette
    surface = pencil.patch(loops, 0.5, facecolor=(*rgb(palette.solid), 0.5), edgecolor="none")
    yield surface
    points = np.concatenate(loops)
    low, high = np.maximum(points.min(axis=0), 0.0), np.minimum(points.max(axis=0), size)
    if (high > low).all():
        hatch = pencil.lines(_diagonals(low, high, HATCH * pencil.unit), (*rgb(palette.solid_edge), 0.4), 1.0, 0.6)
        hatch.set_clip_path(surface)
        yield hatch
    closed = [np.concatenate([loop, loop[:1]]) for loop in loops]
    yield pencil.lines(closed, palette.wall, 1.6, 3.0, joinstyle="round")


def _diagonals(low: Floats, high: Floats, apart: float) -> Floats:
    """Parallel diagonal lines over a rectangle; they do not depend on its position."""
    first, last = np.floor((low[0] - high[1]) / apart), np.ceil((high[0] - low[1]) / apart)
    foot = np.arange(first, last + 1.0) * apart  # x - y is constant along a line
    ends = np.array([low[1], high[1]])
    return np.stack([foot[:, None] + ends, np.broadcast_to(ends, (len(foot), 2))], axis=2)


def traces(  # the ways, and how they are seen
    places: Floats, ages: Floats, jump: float, camera: Camera, colours: Floats, pencil: Pencil
) -> Iterator[Artist]:
    """Traces of balls, fainter with age; a trace is interrupted at a periodic border."""
    if len(places) < 2:
        return
    few = places.shape[1] <= MAX_OWN_COLOURS
    seen = camera.project(places)
    step = np.abs(np.diff(places, axis=0)).max(axis=2)
    there = ~np.isnan(seen.sum(axis=2))
    whole = (step < jump) & there[1:] & there[:-1]
    fade = fading(ages)
    paint = colours if few else np.broadcast_to(rgb(pencil.palette.trace), colours.shape)
    kinds = list(_by_colour(paint))
    for level in np.unique(fade):
        first, last = np.flatnonzero(fade == level)[[0, -1]]
        opacity = float(opacities(level))
        for balls, colour in kinds:
            lines = [line for k in balls for line in _lines(seen[first : last + 2, k], whole[first : last + 1, k])]
            if lines:
                yield pencil.stroke(lines, (*colour, opacity), 1.6 if few else 1.2, 2.0, capstyle="butt")


def fading(ages: Floats) -> Floats:
    """Fade step, from 0 (faint) on, of each part of a trace between two ages."""
    return np.clip(np.floor((1.0 - (ages[1:] + ages[:-1]) / 2.0) * FADE_STEPS), 0.0, FADE_STEPS - 1.0)


def opacities(level: Floats) -> Floats:
    """Opacity of a fade step, from 0 to 1."""
    return np.asarray(0.1 + 0.6 * ((level + 1.0) / FADE_STEPS) ** 1.5)


def _by_colour(paint: Floats) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """For each colour, the balls that have it, and the colour."""
    kinds, of = np.unique(paint, axis=0, return_inverse=True)
    for k, colour in enumerate(kinds):
        yield np.flatnonzero(of.ravel() == k), colour


def _lines(places: Floats, whole: NDArray[np.bool_]) -> Iterator[Floats]:
    """A trace as polylines, interrupted at parts that are not `whole`."""
    if whole.all():
        yield places
        return
    edges = np.flatnonzero(np.diff(np.concatenate([[False], whole, [False]])))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        yield places[start : stop + 1]


def names(  # who, where, and how they are seen
    scene: Scene, seen: Floats, radii: Floats, pencil: Pencil, size: tuple[int, int]
) -> Iterator[Artist]:
    """Names: within a ball that has room, else beside it, without overlaps."""
    taken: list[tuple[float, float, float]] = []
    unit = pencil.unit
    for name, (x, y), radius in zip(scene.balls.name or (), seen, radii, strict=False):
        if not name or not (0.0 < x < size[0] and 0.0 < y < size[1]):
            continue
        written = pencil.text(float(x), float(y), name, verticalalignment="center_baseline")
        wide = pencil.width(written)
        inside = wide < 1.7 * radius and radius > 7.0 * unit
        left = float(x - wide / 2.0 if inside else x + radius + 5.0 * unit)
        if any(left < to + 4 * unit and left + wide > start - 4 * unit and abs(level - y) < 13 * unit
               for start, to, level in taken):  # fmt: skip
            continue
        taken.append((left, left + wide, float(y)))
        if inside:
            written.set(horizontalalignment="center", color=pencil.palette.field, path_effects=[])
        else:
            written.set_x(left)
        yield written
