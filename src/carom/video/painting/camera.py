"""Cameras: project places to pixels, y up, straight onto a plane or from aside in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PADDING, FOOTER = 28.0, 52.0
"""Padding round the scene, and height of the footer for ruler and legend, px of a picture 720 px high."""
AZIMUTH, ELEVATION, ORBIT_ELEVATION = -0.6, 0.35, 0.95
"""Directions of the camera in space, rad, as in the laboratory; the last is the elevation for orbiting bodies."""
HALF_VIEW = np.tan(np.radians(17.0))
"""Half of the visible width or height, the smaller one, at distance 1."""


@dataclass(frozen=True)
class FlatCamera:
    """Projects a plane without perspective."""

    middle: Floats
    scale: float
    """Pixels per metre."""
    size: tuple[int, int]
    y_down: bool
    lift: float
    """Height of `middle` above the middle of the picture, px."""

    @classmethod
    def on(cls, low: Floats, high: Floats, size: tuple[int, int], unit: float, *, y_down: bool) -> FlatCamera:
        """A camera that shows all between two corners; `unit` is the size of a pixel of a picture 720 px high."""
        width, height = size[0] - 2.0 * PADDING * unit, size[1] - (PADDING + FOOTER) * unit
        across, up = (max(float(part), 1e-300) for part in high - low)
        scale = min(max(width, 8.0) / across, max(height, 8.0) / up)
        middle = (low[:2] + high[:2]) / 2.0
        return cls(middle, scale, size, y_down, (FOOTER - PADDING) * unit / 2.0)

    def project(self, places: Floats) -> Floats:
        """Places of the plane as pixels from the lower left, in the last axis."""
        upward = -self.scale if self.y_down else self.scale
        at = np.array([self.size[0] / 2.0, self.size[1] / 2.0 + self.lift])
        return np.asarray(at + (places[..., :2] - self.middle) * np.array([self.scale, upward]))

    def scales(self, places: Floats) -> Floats:
        """Pixels per metre at each place."""
        return np.full(places.shape[:-1], self.scale)


@dataclass(frozen=True)
class OrbitCamera:
    """Projects space with perspective."""

    middle: Floats
    distance: float
    size: tuple[int, int]
    right: Floats
    up: Floats
    forward: Floats
    reach: float
    lift: float

    @classmethod
    def on(  # what is seen, in how large a picture, and which way is up
        cls, low: Floats, high: Floats, size: tuple[int, int], unit: float, up: Floats, *, round_: bool
    ) -> OrbitCamera:
        """A camera that shows all between two corners; with `round_`, the disc in it about the upright axis."""
        right, upward, forward = _basis(up, ORBIT_ELEVATION if round_ else ELEVATION)
        reach = max(float(np.linalg.norm(high - low)) / 2.0, 1e-300)
        camera = cls((low + high) / 2.0, 1.0, size, right, upward, forward, reach, 12.0 * unit)
        wide, tall = size[0] / 2.0 - 24.0 * unit, size[1] / 2.0 - 46.0 * unit
        corners = _corners((high - low) / 2.0, up, round_=round_)
        side = np.maximum(np.abs(corners @ right) / max(wide, 4.0), np.abs(corners @ upward) / max(tall, 4.0))
        away = max(1.02 * reach, float((side * camera.focal - corners @ forward).max()))
        return cls(camera.middle, away, size, right, upward, forward, reach, camera.lift)

    @property
    def focal(self) -> float:
        """Focal length: pixels per length at distance 1."""
        return float(min(self.size) / 2.0 / HALF_VIEW)

    @property
    def scale(self) -> float:
        """Pixels per metre at the middle of the scene."""
        return self.focal / self.distance

    def seen(self, places: Floats) -> Floats:
        """Places in the frame of the camera: right, up, away, in parts of the camera's distance."""
        offset = (places - self.middle) / self.distance
        frame = np.stack([self.right, self.up, self.forward], axis=1)
        return np.asarray(offset @ frame + np.array([0.0, 0.0, 1.0]))

    def project(self, places: Floats) -> Floats:
        """Places as pixels from the lower left; NaN behind the camera."""
        seen = self.seen(places)
        depth = np.where(seen[..., 2:] > 0.0, seen[..., 2:], np.nan)
        at = np.array([self.size[0] / 2.0, self.size[1] / 2.0 + self.lift])
        return np.asarray(at + seen[..., :2] / depth * self.focal)

    def scales(self, places: Floats) -> Floats:
        """Pixels per metre at each place."""
        depth = self.seen(places)[..., 2]
        return np.asarray(self.focal / np.where(depth > 0.0, depth, np.nan) / self.distance)


Camera = FlatCamera | OrbitCamera


def upright(gravity: tuple[float, ...]) -> Floats:
    """The upward direction in space: against gravity, or along z without it."""
    down = np.array(gravity, dtype=np.float64)
    size = float(np.linalg.norm(down))
    return -down / size if size else np.array([0.0, 0.0, 1.0])


def _basis(up: Floats, elevation: float) -> tuple[Floats, Floats, Floats]:
    aside = np.array([0.0, 1.0, 0.0]) if abs(up[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    first = np.cross(np.cross(up, aside), up)
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    c, s = np.cos(AZIMUTH), np.sin(AZIMUTH)
    forward = -(up * np.sin(elevation) + np.cos(elevation) * (s * first - c * second))
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    return right, np.cross(right, forward), forward


def _corners(half: Floats, up: Floats, *, round_: bool) -> Floats:
    """Corners of a box, or points on the rims of the drum in it, from its middle."""
    signs = np.array([[1.0 if k >> axis & 1 else -1.0 for axis in range(3)] for k in range(8)])
    if not round_:
        return signs * half
    upright_axis = int(np.argmax(np.abs(up)))
    a, b = (axis for axis in range(3) if axis != upright_axis)
    angles = np.arange(64) * np.pi / 32.0
    corners = np.where(np.arange(64)[:, None] % 2, half, -half)
    corners[:, a], corners[:, b] = half[a] * np.cos(angles), half[b] * np.sin(angles)
    return corners
