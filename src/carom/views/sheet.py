"""The layout of a drawing: the visible part of the plane (m), its scale, and its place on a sheet of paper (mm)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene import Scene
from carom.views.measures import BAR_STEPS, LENGTHS, SCALE_STEPS, plain, quantity, round_above, round_below

Floats = NDArray[np.float64]
ScaleName = Literal["real", "fit"]

PIXEL = 25.4 / 96.0
"""A pixel of SVG and CSS, mm."""
MIN_DEFAULT_REAL, MAX_DEFAULT_REAL = 0.02, 0.6
"""Range of sizes of scenes that are drawn at real size by default, m: from a thumb to the width of a screen."""
MIN_REAL_SIZE, MAX_REAL_SIZE = 0.001, 10.0
"""Range of sizes of scenes that can be drawn at real size, m: from visible to what a plotter can draw."""
MIN_PIXELS, MAX_PIXELS = 400.0, 100_000.0

MARGIN = 4.0
FOOTER = 9.0
LINE = 5.0
"""Height of a second line in the footer."""
LETTER_WIDTH = 1.65
"""Mean width of a letter."""
MIN_WIDTH = 42.0
"""Smallest width, in which scale bar and scale are side by side."""
MAX_BAR = 40.0
POINT_EXTENT = 0.1
"""Side of the square that is shown for a scene without extent, m."""


@dataclass(frozen=True)
class Scale:
    """A scale: `sheet` mm of paper show `scene` mm; one of the two is 1."""

    sheet: float = 1.0
    scene: float = 1.0

    def __str__(self) -> str:
        return f"{plain(self.sheet)}:{plain(self.scene)}"

    @property
    def per_metre(self) -> float:
        """Millimetres of paper per metre of the scene."""
        return 1000.0 * self.sheet / self.scene

    @classmethod
    def fitting(cls, size: float) -> Scale:
        """The largest round scale at which `size` mm of a scene fit into 1 mm of paper."""
        if size > 1.0:
            return cls(scene=round_above(size, SCALE_STEPS))
        return cls(sheet=round_below(1.0 / size, SCALE_STEPS))


@dataclass(frozen=True)
class PageLayout:
    """The layout of a rectangle of the plane (m) on a sheet of paper (mm)."""

    low: Floats
    high: Floats
    scale: Scale
    y_down: bool
    remarks: str

    @property
    def seen(self) -> tuple[float, float]:
        """Width and height of the visible part, mm."""
        across, up = ((self.high - self.low) * self.scale.per_metre).tolist()
        return across, up

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the sheet, mm."""
        across, up = self.seen
        return max(across, MIN_WIDTH, LETTER_WIDTH * len(self.remarks)) + 2.0 * MARGIN, up + self.above_and_below

    @property
    def above_and_below(self) -> float:
        """Height of margins and footer, mm."""
        return 2.0 * MARGIN + FOOTER + (LINE if self.remarks else 0.0)

    def x(self, places: Any) -> Any:
        """Distance from the left edge of the sheet, mm."""
        left = (self.size[0] - self.seen[0]) / 2.0
        return left + (places - self.low[0]) * self.scale.per_metre

    def y(self, places: Any) -> Any:
        """Distance from the top edge of the sheet, mm; y is up, unless the scene's view has y down."""
        from_top = places - self.low[1] if self.y_down else self.high[1] - places
        return MARGIN + from_top * self.scale.per_metre

    def point(self, places: Floats) -> tuple[Floats, Floats]:
        """Coordinates of places on the sheet, mm: all x, all y."""
        return self.x(places[:, 0]), self.y(places[:, 1])

    def rectangle(self, low: Floats, high: Floats) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a rectangle of the plane, mm."""
        top, bottom = sorted((float(self.y(low[1])), float(self.y(high[1]))))
        return float(self.x(low[0])), top, float(self.x(high[0])), bottom

    @property
    def bar(self) -> float:
        """Length of the scale bar, m."""
        return round_below(min(max(self.seen[0], MIN_WIDTH) / 3.0, MAX_BAR) / self.scale.per_metre, BAR_STEPS)


def layout_for(
    scene: Scene, scale: ScaleName | None, pixels: float, *, flight: float = 0.0, remarks: str = ""
) -> PageLayout:
    """The layout that shows all of a scene, and the motion of its balls during the time `flight`, s."""
    low, high = extent(scene)
    largest = float((high - low).max())
    if flight:
        tips = scene.balls.position[:, :2] + flight * scene.balls.velocity[:, :2]
        low, high = np.minimum(low, tips.min(axis=0)), np.maximum(high, tips.max(axis=0))
    sheet = PageLayout(low, high, Scale(), scene.view.y_down, remarks)
    if scale is None:
        scale = "real" if MIN_DEFAULT_REAL <= round(largest, 6) <= MAX_DEFAULT_REAL else "fit"  # to a micrometre
    if scale == "real":
        _check_real(largest)
        return sheet
    if scale != "fit":
        raise ArgumentError.of("scale.unknown", where="scale", value=repr(scale))
    room, (across, up) = _room(pixels), sheet.seen
    need = max(across / (room - 2.0 * MARGIN), up / (room - sheet.above_and_below))
    return replace(sheet, scale=Scale.fitting(need))


def _check_real(largest: float) -> None:
    if not MIN_REAL_SIZE <= largest <= MAX_REAL_SIZE:
        raise ArgumentError.of("scale.too-large", where="scale", size=quantity(largest, LENGTHS))


def _room(pixels: Any) -> float:
    """The side of a square of `pixels` pixels, mm."""
    number = isinstance(pixels, int | float | np.integer | np.floating) and not isinstance(pixels, bool)
    if not number or not MIN_PIXELS <= pixels <= MAX_PIXELS:
        raise ArgumentError.of("pixels.outside", where="pixels", value=repr(pixels), low=MIN_PIXELS, high=MAX_PIXELS)
    return float(pixels) * PIXEL


def extent(scene: Scene) -> tuple[Floats, Floats]:
    """Lower and upper corner of a scene in the plane x, y, m; along a periodic axis, those of the box."""
    balls = scene.balls
    corners = [np.array(place[:2]) for feature in scene.features for place in feature.bounds]
    if len(balls):
        reach = balls.radius[:, None]
        corners += [(balls.position - reach).min(axis=0)[:2], (balls.position + reach).max(axis=0)[:2]]
    if not corners:
        corners = [np.zeros(2)]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    for axis, period in periodic_axes(scene):
        low[axis], high[axis] = 0.0, period
    if not (high > low).any():
        low, high = low - POINT_EXTENT / 2.0, high + POINT_EXTENT / 2.0
    return low, high


def periodic_axes(scene: Scene) -> list[tuple[int, float]]:
    """The periodic ones of the axes x and y, with their periods, m."""
    box = scene.boundary.box
    return [] if box is None else [(axis, box.size[axis]) for axis in range(2) if box.periodic[axis]]
