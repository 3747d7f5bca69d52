"""Draw a scene to scale as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from carom.errors import ArgumentError
from carom.scene import Scene
from carom.views.balls import arrows as velocity_arrows
from carom.views.balls import balls, flight, links
from carom.views.markup import element, number, text
from carom.views.measures import LENGTHS, TIMES, quantity
from carom.views.sheet import LINE, MARGIN, PageLayout, ScaleName, layout_for
from carom.views.walls import obstacle, walls

MOST_BALLS = 200_000
"""Largest number of balls in a picture: a file of 14 MB."""

PAPER, INK = "#ffffff", "#22282e"
FONT_SIZE = 3.2
"""Font size, mm."""


class DrawableRun(Protocol):
    """A run that can be drawn, such as a `Simulation`."""

    @property
    def time(self) -> float:
        """The present time, s."""

    def snapshot(self) -> Scene:
        """The present state as a scene."""


def draw(
    what: Scene | DrawableRun,
    *,
    scale: ScaleName | None = None,
    pixels: float = 800,
    arrows: bool = False,
    colours: Sequence[str] | None = None,
) -> str:
    """A picture of a scene, or of a simulation as it stands, to scale, as the text of an SVG file.

    scale    "real" draws 1:1: a ball of 57 mm measures 57 mm on paper, and on a screen that knows its own size. "fit"
             takes the largest round scale (1:5, 200:1) at which the picture fits in a square with a side of `pixels`.
             Default: "real" for scenes from 20 mm to 600 mm, "fit" for others. The picture shows its scale.
    arrows   True: show the displacement of each ball in a time that the picture names.
    colours  one per ball, in SVG's notation; by default one per material, and per ball with a name.

    y is up, unless the scene's view has y down. A scene in 3D is seen along z, from above. Fixed balls are as dark as
    walls, material points are dots, and links are thin lines. At a periodic border, a ball is cut and continues at the
    other side. Balls that are not born yet are not shown.
    """
    scene, time = (what, None) if isinstance(what, Scene) else (what.snapshot(), what.time)
    if len(scene.balls) > MOST_BALLS:
        raise ArgumentError.of("picture.too-many-balls", where="balls", count=len(scene.balls), most=MOST_BALLS)
    scene = _without_unborn(scene)
    shown = flight(scene) if arrows else 0.0
    sheet = layout_for(scene, scale, pixels, flight=shown, remarks=_remarks(scene, time, shown))
    parts = [
        *walls(scene.boundary, sheet),
        *(obstacle(each, sheet) for each in scene.obstacles),
        *links(scene, sheet),
        *balls(scene, sheet, colours),
        *velocity_arrows(scene, sheet, shown),
        *_footer(sheet),
    ]
    return _page(scene.name or "A scene of carom", sheet, parts)


def _without_unborn(scene: Scene) -> Scene:
    """The scene without the balls that are not born yet, and their links, bends and triangles."""
    there = np.flatnonzero(scene.balls.born <= 0.0)
    return scene if len(there) == len(scene.balls) else scene.with_only(there)


def _page(title: str, sheet: PageLayout, parts: Sequence[str]) -> str:
    width, height = map(number, sheet.size)
    head = [element("title", text(title)), element("rect", width="100%", height="100%", fill=PAPER)]
    return element(
        "svg",
        "\n".join(["", *head, *parts, ""]),
        xmlns="http://www.w3.org/2000/svg",
        width=f"{width}mm",
        height=f"{height}mm",
        viewBox=f"0 0 {width} {height}",
        font_family="sans-serif",
        font_size=FONT_SIZE,
    )


def _remarks(scene: Scene, time: float | None, shown: float) -> str:
    remarks = []
    if time is not None:
        remarks.append(f"t = {time:.6g} s")
    if shown:
        remarks.append(f"arrows: {quantity(shown, TIMES)} of flight")
    if scene.dimension == 3:
        remarks.append("seen along z")
    return ", ".join(remarks)


def _footer(sheet: PageLayout) -> Iterator[str]:
    """The scale bar, the scale, and the remarks."""
    level = sheet.seen[1] + 2.0 * MARGIN + FONT_SIZE
    end = MARGIN + sheet.bar * sheet.scale.per_metre
    bar = f"M{number(MARGIN)} {number(level - 2.0)}v2H{number(end)}v-2"
    yield element("path", kind="bar", fill="none", stroke=INK, stroke_width=0.35, d=bar)
    yield element("text", quantity(sheet.bar, LENGTHS), kind="length", fill=INK, x=end + 1.5, y=level)
    right = sheet.size[0] - MARGIN
    yield element("text", str(sheet.scale), kind="scale", fill=INK, x=right, y=level, text_anchor="end")
    if sheet.remarks:
        yield element("text", text(sheet.remarks), kind="remarks", fill=INK, x=MARGIN, y=level + LINE)
