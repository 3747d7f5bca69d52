"""How a scene lies on a sheet: what part of the plane is seen, at what scale, and where. Sheets are measured in mm."""

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
SMALLEST_REAL, LARGEST_REAL = 0.02, 0.6
"""Scenes of this size are drawn at their real size, if nothing else is asked for: a thumb's, a screen's width, m."""
SMALLEST_SHEET, LARGEST_SHEET = 0.001, 10.0
"""Scenes of this size can be drawn at their real size: what the eye can see, what a plotter can draw, m."""
FEWEST_PIXELS, MOST_PIXELS = 400.0, 100_000.0

MARGIN = 4.0
FOOTER = 9.0
LINE = 5.0
"""Height of a second line in the footer."""
LETTER = 1.65
"""Width of a letter, on average."""
NARROWEST = 42.0
"""The bar and the scale stand side by side in this."""
LONGEST_BAR = 40.0
NOWHERE = 0.1
"""Side of the square that is shown of a scene without extent, m."""


@dataclass(frozen=True)
class Scale:
    """So many mm of the sheet for so many mm of the scene, one of the two being 1."""

    sheet: float = 1.0
    scene: float = 1.0

    def __str__(self) -> str:
        return f"{plain(self.sheet)}:{plain(self.scene)}"

    @property
    def per_metre(self) -> float:
        """Mm of the sheet for a metre of the scene."""
        return 1000.0 * self.sheet / self.scene

    @classmethod
    def fitting(cls, size: float) -> Scale:
        """The largest round scale at which `size` mm of a scene are not above 1 mm of the sheet."""
        if size > 1.0:
            return cls(scene=round_above(size, SCALE_STEPS))
        return cls(sheet=round_below(1.0 / size, SCALE_STEPS))


@dataclass(frozen=True)
class Sheet:
    """A rectangle of the plane (m), and where it lies on a sheet of paper (mm)."""

    low: Floats
    high: Floats
    scale: Scale
    y_down: bool
    remarks: str

    @property
    def seen(self) -> tuple[float, float]:
        """Width and height of what is seen, on the sheet."""
        across, up = ((self.high - self.low) * self.scale.per_metre).tolist()
        return across, up

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the sheet."""
        across, up = self.seen
        return max(across, NARROWEST, LETTER * len(self.remarks)) + 2.0 * MARGIN, up + self.above_and_below

    @property
    def above_and_below(self) -> float:
        """Height of what is not seen of the scene: margins and footer."""
        return 2.0 * MARGIN + FOOTER + (LINE if self.remarks else 0.0)

    def x(self, places: Any) -> Any:
        """From the left of the sheet."""
        left = (self.size[0] - self.seen[0]) / 2.0
        return left + (places - self.low[0]) * self.scale.per_metre

    def y(self, places: Any) -> Any:
        """From the top of the sheet; y is up, unless the scene's view says otherwise."""
        from_top = places - self.low[1] if self.y_down else self.high[1] - places
        return MARGIN + from_top * self.scale.per_metre

    def point(self, places: Floats) -> tuple[Floats, Floats]:
        """Where places are on the sheet: all x, all y."""
        return self.x(places[:, 0]), self.y(places[:, 1])

    def rectangle(self, low: Floats, high: Floats) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of what lies between two corners."""
        top, bottom = sorted((float(self.y(low[1])), float(self.y(high[1]))))
        return float(self.x(low[0])), top, float(self.x(high[0])), bottom

    @property
    def bar(self) -> float:
        """Length of the bar that shows the scale, m."""
        return round_below(min(max(self.seen[0], NARROWEST) / 3.0, LONGEST_BAR) / self.scale.per_metre, BAR_STEPS)


def sheet_for(scene: Scene, scale: ScaleName | None, pixels: float, *, flight: float = 0.0, remarks: str = "") -> Sheet:
    """The sheet on which all of a scene is seen, and the flight of its balls for a time."""
    low, high = extent(scene)
    largest = float((high - low).max())
    if flight:
        tips = scene.balls.position[:, :2] + flight * scene.balls.velocity[:, :2]
        low, high = np.minimum(low, tips.min(axis=0)), np.maximum(high, tips.max(axis=0))
    sheet = Sheet(low, high, Scale(), scene.view.y_down, remarks)
    if scale is None:
        scale = "real" if SMALLEST_REAL <= round(largest, 6) <= LARGEST_REAL else "fit"  # to a micrometre
    if scale == "real":
        _check_real(largest)
        return sheet
    if scale != "fit":
        raise ArgumentError.of("scale.unknown", where="scale", value=repr(scale))
    room, (across, up) = _room(pixels), sheet.seen
    need = max(across / (room - 2.0 * MARGIN), up / (room - sheet.above_and_below))
    return replace(sheet, scale=Scale.fitting(need))


def _check_real(largest: float) -> None:
    if not SMALLEST_SHEET <= largest <= LARGEST_SHEET:
        raise ArgumentError.of("scale.too-large", where="scale", size=quantity(largest, LENGTHS))


def _room(pixels: Any) -> float:
    """The side of a square of so many pixels, mm."""
    number = isinstance(pixels, int | float | np.integer | np.floating) and not isinstance(pixels, bool)
    if not number or not FEWEST_PIXELS <= pixels <= MOST_PIXELS:
        raise ArgumentError.of(
            "pixels.outside", where="pixels", value=repr(pixels), low=FEWEST_PIXELS, high=MOST_PIXELS
        )
    return float(pixels) * PIXEL


def extent(scene: Scene) -> tuple[Floats, Floats]:
    """Lower and upper corner of what a scene fills in the plane x, y; along a periodic axis, that is the box."""
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
        low, high = low - NOWHERE / 2.0, high + NOWHERE / 2.0
    return low, high


def periodic_axes(scene: Scene) -> list[tuple[int, float]]:
    """Those of the axes x, y that are periodic, with their periods, m."""
    box = scene.boundary.box
    return [] if box is None else [(axis, box.size[axis]) for axis in range(2) if box.periodic[axis]]
