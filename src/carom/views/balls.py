"""Draw balls, links, and arrows for velocities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Balls, Scene
from carom.scene.links import nearest_image
from carom.views.markup import element, number, text
from carom.views.measures import BAR_STEPS, round_below
from carom.views.sheet import Floats, PageLayout, extent, periodic_axes
from carom.views.walls import SOLID

Indices = NDArray[np.intp]

MIN_BALLS_FOR_PATHS = 5_000
"""From this number of balls on, all balls of a colour are drawn as one path, which viewers show faster."""

COLOURS = ("#2f6fb3", "#d9822b", "#3a9a6b", "#b8475a", "#7d5ba6", "#c9a227", "#3aa0a8", "#8a6552")
"""Colours of materials and of balls with a name, in their order."""
RIM, ARROW, LINK = "#ffffff", "#22282e", "#8a949e"

POINT = 0.5
"""Radius of the mark for a material point, mm."""
MAX_POINT_LIKE = 0.05
"""Largest radius on paper of balls that are drawn as points, mm: smaller planets would be invisible."""
MAX_ARROW = 0.2
"""Longest arrow, of the fastest ball, as a fraction of the larger side of the scene."""
MIN_ARROW = 0.2
"""Shorter arrows are not drawn, mm."""


def balls(scene: Scene, sheet: PageLayout, colours: Sequence[str] | None) -> Iterator[str]:
    """The balls; in 3D from low to high z, with a rim, as they cover each other."""
    names, of = _colours(scene.balls, colours)
    places, rows = with_images(scene, np.array(scene.balls.position), np.arange(len(scene.balls)))
    if scene.dimension == 3:
        order = np.argsort(places[:, 2], kind="stable")
        places, rows = places[order], rows[order]
    radii = scene.balls.radius[rows] * sheet.scale.per_metre
    radii = np.where(radii > MAX_POINT_LIKE, radii, POINT)
    x, y = sheet.point(places)
    if len(rows) < MIN_BALLS_FOR_PATHS:
        disks = _circles(x, y, radii, [names[k] for k in of[rows]], _names(scene.balls, rows))
    else:
        disks = _paths(x, y, radii, names, of[rows])
    rim: dict[str, float | str] = {"stroke": RIM, "stroke_width": 0.15} if scene.dimension == 3 else {}
    yield element("svg", "\n" + "\n".join(disks) + "\n", kind="balls", **_window(scene, sheet), **rim)


def _colours(them: Balls, given: Sequence[str] | None) -> tuple[Sequence[str], Indices]:
    """The colours, and the index of the colour of each ball."""
    if given is not None:
        if isinstance(given, str) or len(given) != len(them) or not all(isinstance(each, str) for each in given):
            raise ArgumentError.of("colours.count", where="colours", count=len(them))
        number_of = {colour: k for k, colour in enumerate(dict.fromkeys(given))}
        return list(number_of), np.array([number_of[colour] for colour in given], dtype=np.intp)
    of = them.material.codes.astype(np.intp)
    named = [k for k, name in enumerate(them.name or ()) if name]
    kinds = len(them.material.names) + len(named)
    of[named] = len(them.material.names) + np.arange(len(named))
    of[them.fixed] = kinds
    return [*(COLOURS[k % len(COLOURS)] for k in range(kinds)), SOLID], of


def with_images(scene: Scene, places: Floats, rows: Indices) -> tuple[Floats, Indices]:
    """Add the images of balls that reach across a periodic border; `rows` are the balls at the places."""
    for axis, period in periodic_axes(scene):
        reach = scene.balls.radius[rows]
        low, high = places[:, axis] < reach, places[:, axis] > period - reach
        below, above = places[low], places[high]
        below[:, axis] += period
        above[:, axis] -= period
        places, rows = np.concatenate([places, below, above]), np.concatenate([rows, rows[low], rows[high]])
    return places, rows


def _window(scene: Scene, sheet: PageLayout) -> dict[str, float | str]:
    """Where balls are shown: not beyond a periodic border; but beyond walls, so that misplaced balls are seen."""
    left, top, right, bottom = sheet.rectangle(*extent(scene))
    joined = [axis for axis, _ in periodic_axes(scene)]
    left, right = (left, right) if 0 in joined else (0.0, sheet.size[0])
    top, bottom = (top, bottom) if 1 in joined else (0.0, sheet.size[1])
    width, height = right - left, bottom - top
    window = " ".join(map(number, (left, top, width, height)))
    return {"x": left, "y": top, "width": width, "height": height, "viewBox": window}


def links(scene: Scene, sheet: PageLayout) -> Iterator[str]:
    """Thin lines for the links, as one path; a link across a periodic border continues at the other side."""
    if not len(scene.links):
        return
    one, other = scene.links.between.T
    place = scene.balls.position
    straight = place[other, :2] - place[one, :2]
    between = nearest_image(straight, _periods(scene))
    across = (between != straight).any(axis=1)
    start = np.concatenate([place[one, :2], (place[other, :2] - between)[across]])
    end = np.concatenate([place[one, :2] + between, place[other, :2][across]])
    lines = np.stack([*sheet.point(start), *sheet.point(end)], axis=1)
    d = "".join("M{:.3f} {:.3f}L{:.3f} {:.3f}".format(*line) for line in lines.tolist())
    path = element("path", fill="none", stroke=LINK, stroke_width=0.2, d=d)
    yield element("svg", f"\n{path}\n", kind="links", **_window(scene, sheet))


def _periods(scene: Scene) -> list[float]:
    """The periods of x and y, m; infinite along an axis that is not periodic."""
    joined = dict(periodic_axes(scene))
    return [joined.get(axis, np.inf) for axis in range(2)]


def _names(them: Balls, rows: Indices) -> list[str | None]:
    return [them.name[row] for row in rows] if them.name else [None] * len(rows)


def _circles(x: Floats, y: Floats, radii: Floats, colours: list[str], names: list[str | None]) -> Iterator[str]:
    """One circle per ball; its name is shown under the mouse."""
    for cx, cy, r, fill, name in zip(x, y, radii, colours, names, strict=True):
        yield element("circle", f"<title>{text(name)}</title>" if name else "", cx=cx, cy=cy, r=r, fill=fill)


def _paths(x: Floats, y: Floats, radii: Floats, colours: Sequence[str], of: Indices) -> Iterator[str]:
    """One path per colour."""
    for kind in np.unique(of).tolist():
        some = of == kind
        d = "".join(
            f"M{left:.3f} {level:.3f}a{r:.3f} {r:.3f} 0 1 0 {2 * r:.3f} 0a{r:.3f} {r:.3f} 0 1 0 {-2 * r:.3f} 0"
            for left, level, r in zip((x - radii)[some].tolist(), y[some].tolist(), radii[some].tolist(), strict=True)
        )
        yield element("path", fill=colours[kind], d=d)


def flight(scene: Scene) -> float:
    """The time of flight that arrows show, s; 0 if nothing moves in the plane."""
    fastest = float(np.hypot(*scene.balls.velocity[:, :2].T).max(initial=0.0))
    if not fastest:
        return 0.0
    low, high = extent(scene)
    part = min(MAX_ARROW, 2.0 / len(scene.balls) ** 0.5)  # two mean distances in a crowd
    return round_below(part * float((high - low).max()) / fastest, BAR_STEPS)


def arrows(scene: Scene, sheet: PageLayout, time: float) -> Iterator[str]:
    """Arrows for the displacement of each ball in a time, as one path."""
    start = np.stack(sheet.point(scene.balls.position), axis=1)
    end = np.stack(sheet.point(scene.balls.position[:, :2] + time * scene.balls.velocity[:, :2]), axis=1)
    length = np.hypot(*(end - start).T)
    some = length > MIN_ARROW
    if not some.any():
        return
    start, end, length = start[some], end[some], length[some, None]
    along = (end - start) * np.minimum(2.0 / length, 0.4)
    across = 0.4 * along[:, ::-1] * (-1.0, 1.0)
    lines = np.concatenate([start, end, end - along + across, end, end - along - across], axis=1)
    shape = "M{:.3f} {:.3f}L{:.3f} {:.3f}M{:.3f} {:.3f}L{:.3f} {:.3f}L{:.3f} {:.3f}".format
    d = "".join(shape(*line) for line in lines.tolist())
    yield element("path", kind="arrows", fill="none", stroke=ARROW, stroke_width=0.35, stroke_linejoin="round", d=d)
