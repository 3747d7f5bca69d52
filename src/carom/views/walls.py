"""Draw the floor with its walls, and obstacles. The floor is light, solids are dark."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from carom.scene import Boundary, Obstacle
from carom.scene.shapes.features import Cuboid, Plane, Prism, Room, Round, Solid
from carom.scene.shapes.outline import Outline
from carom.views.markup import element, number
from carom.views.sheet import MARGIN, PageLayout

FLOOR, SOLID = "#eef1f4", "#3a434d"

WALL = 1.0
"""Thickness of a wall, mm; it is outside the space of the balls."""


def walls(boundary: Boundary, sheet: PageLayout) -> Iterator[str]:
    """The floor, and walls round it: a broad dark outline with the floor on top."""
    broad: dict[str, float | str] = {"kind": "wall", "fill": SOLID, "stroke": SOLID, "stroke_width": 2.0 * WALL}
    for wall in boundary.walls:
        if isinstance(wall, Room):
            yield from _room(wall, sheet)
        elif isinstance(wall, Round):
            yield _circle(wall, sheet, **broad)
            yield _circle(wall, sheet, kind="floor", fill=FLOOR)
        elif isinstance(wall, Prism):
            outline = _path(wall.outline, sheet)
            holes = "".join(_path(hole.outline, sheet) for hole in wall.holes)
            yield element("path", **broad, stroke_linejoin="round", d=outline)
            yield element("path", kind="floor", fill=FLOOR, fill_rule="evenodd", d=outline + holes)
        else:
            yield _solid(wall, sheet)


def obstacle(solid: Obstacle, sheet: PageLayout) -> str:
    """The section of an obstacle with the plane x, y; a half-space is cut off at the edges of the sheet."""
    return "\n".join(_solid(feature, sheet) for feature in solid.solids())


def _solid(feature: Solid, sheet: PageLayout) -> str:
    match feature:
        case Round():
            return _circle(feature, sheet, kind="obstacle", fill=SOLID)
        case Cuboid(low, high):
            left, top, right, bottom = sheet.rectangle(np.array(low[:2]), np.array(high[:2]))
            place = {"x": left, "y": top, "width": right - left, "height": bottom - top}
            return element("rect", kind="obstacle", fill=SOLID, **place)
        case Plane():
            return _half_space(feature, sheet)
        case Prism(outline):
            return element("path", kind="obstacle", fill=SOLID, d=_path(outline, sheet))


def _half_space(solid: Plane, sheet: PageLayout) -> str:
    """The part of the sheet behind a line; nothing if the surface is not upright."""
    nx, ny, *along_z = solid.unit_normal
    if any(along_z):
        return element("g", kind="obstacle")
    ny = ny if sheet.y_down else -ny
    x, y = float(sheet.x(solid.point[0])), float(sheet.y(solid.point[1]))
    right, bottom = sheet.size[0], sheet.seen[1] + 2.0 * MARGIN  # below is the footer
    corners = [(0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom)]
    heights = [(px - x) * nx + (py - y) * ny for px, py in corners]
    points: list[str] = []
    for k, (here, height) in enumerate(zip(corners, heights, strict=True)):
        last, before = corners[k - 1], heights[k - 1]
        if (before > 0.0) != (height > 0.0):  # the line crosses this side of the sheet
            part = before / (before - height)
            points.append(" ".join(number(a + part * (b - a)) for a, b in zip(last, here, strict=True)))
        if height <= 0.0:
            points.append(f"{number(here[0])} {number(here[1])}")
    return element("path", kind="obstacle", fill=SOLID, d=f"M{'L'.join(points)}Z")


def _room(box: Room, sheet: PageLayout) -> Iterator[str]:
    """The floor; strips for walls, and dashed lines for periodic sides."""
    left, top, right, bottom = sheet.rectangle(np.zeros(2), np.array(box.size[:2]))
    yield element("rect", kind="floor", fill=FLOOR, x=left, y=top, width=right - left, height=bottom - top)
    wide, high = (0.0 if around else WALL for around in box.periodic[:2])  # walls meet at their outer corners
    for x, x_strip in ((left, left - WALL), (right, right)):
        if box.periodic[0]:
            yield _seam(x1=x, y1=top, x2=x, y2=bottom)
        else:
            yield _strip(x=x_strip, y=top - high, width=WALL, height=bottom - top + 2.0 * high)
    for y, y_strip in ((top, top - WALL), (bottom, bottom)):
        if box.periodic[1]:
            yield _seam(x1=left, y1=y, x2=right, y2=y)
        else:
            yield _strip(x=left - wide, y=y_strip, width=right - left + 2.0 * wide, height=WALL)


def _strip(**place: float) -> str:
    return element("rect", kind="wall", fill=SOLID, **place)


def _seam(**place: float) -> str:
    return element("line", kind="seam", stroke=SOLID, stroke_width=0.25, stroke_dasharray="2 1.5", **place)


def _circle(circle: Round, sheet: PageLayout, **look: float | str) -> str:
    x, y, *_ = circle.centre
    return element("circle", **look, cx=sheet.x(x), cy=sheet.y(y), r=circle.radius * sheet.scale.per_metre)


def _path(outline: Outline, sheet: PageLayout) -> str:
    """A closed outline. An arc with a positive bulge turns left; SVG's positive sense is to the right, as y is down."""
    points = [f"{number(x)} {number(y)}" for x, y in zip(*sheet.point(outline.end), strict=True)]
    radii = (outline.radius * sheet.scale.per_metre).tolist()
    pieces = [f"M{points[-1]}"]
    for point, bulge, radius in zip(points, outline.bulge.tolist(), radii, strict=True):
        r, long, right = number(radius), int(abs(bulge) > 1.0), int((bulge > 0.0) == sheet.y_down)
        pieces.append(f"A{r} {r} 0 {long} {right} {point}" if bulge else f"L{point}")
    return "".join([*pieces, "Z"])
