"""Closed outlines in the plane, of straight edges and circular arcs: area, inside or outside, distance.

An edge with bulge b (the tangent of a quarter of its arc's angle) and chord L has the radius R = L (1 + b²) / 4|b|.
A positive bulge is on the right side of the edge, which is outside for a counter-clockwise outline.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import numerics
from carom.messages.phrase import Phrase
from carom.scene.fields.base import shown
from carom.scene.fields.columns import Flags, Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Outline:
    """Edges from `start` to `end`, each straight or an arc."""

    start: Floats
    end: Floats
    bulge: Floats

    @classmethod
    def closed(cls, vertices: ArrayLike, bulges: ArrayLike = 0.0) -> Outline:
        """The outline through the vertices and back to the first."""
        start = np.array(vertices, dtype=np.float64)
        return cls(start, np.roll(start, -1, axis=0), np.array(np.broadcast_to(bulges, len(start)), dtype=np.float64))

    def some(self, edges: Indices) -> Outline:
        """The edges with these indices."""
        return Outline(self.start[edges], self.end[edges], self.bulge[edges])

    @cached_property
    def chord(self) -> Floats:
        """Vectors from start to end, m."""
        return self.end - self.start

    @cached_property
    def radius(self) -> Floats:
        """Radius of each arc; infinite for a straight edge."""
        size = np.abs(self.bulge)
        with np.errstate(divide="ignore"):
            radius: Floats = _norm(self.chord) * (1.0 + size * size) / (4.0 * size)
        return radius

    @cached_property
    def centre(self) -> Floats:
        """Centre of each arc; NaN for a straight edge."""
        with np.errstate(divide="ignore", invalid="ignore"):
            height = np.where(self.bulge == 0.0, np.nan, (1.0 - self.bulge**2) / (4.0 * self.bulge))
        left = np.stack([-self.chord[:, 1], self.chord[:, 0]], axis=1)
        return (self.start + self.end) / 2 + height[:, None] * left

    @cached_property
    def apex(self) -> Floats:
        """Middle of each arc, or of the straight edge."""
        right = np.stack([self.chord[:, 1], -self.chord[:, 0]], axis=1)
        return (self.start + self.end) / 2 + self.bulge[:, None] / 2 * right

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """Lower and upper corners of a box round each edge."""
        rise = self.apex - (self.start + self.end) / 2
        corners = np.stack([self.start, self.end, self.start + rise, self.end + rise])
        lower, upper = corners.min(axis=0), corners.max(axis=0)
        round_ones = np.abs(self.bulge) > 1.0
        reach = self.radius[round_ones, None]
        lower[round_ones] = self.centre[round_ones] - reach
        upper[round_ones] = self.centre[round_ones] + reach
        return lower, upper

    @cached_property
    def area(self) -> float:
        """Enclosed area, m²; negative if clockwise."""
        (x, y), (dx, dy) = (self.start - self.start[0]).T, self.chord.T
        curved = self.bulge != 0.0
        angle = 4.0 * numerics.each(math.atan, self.bulge[curved])
        segments = self.radius[curved] ** 2 * (angle - numerics.each(math.sin, angle))
        return float((np.sum(x * dy - y * dx) + np.sum(segments)) / 2)

    @cached_property
    def length(self) -> float:
        """Length of all edges, m."""
        straight = np.hypot(*self.chord.T)
        curved = self.bulge != 0.0
        arcs = self.radius[curved] * 4.0 * np.arctan(np.abs(self.bulge[curved]))
        return float(straight[~curved].sum() + arcs.sum())

    def contains(self, points: Floats) -> Flags:
        """Mask of points inside, by parity of the edges that a ray meets and of the arc segments around the point."""
        order = np.argsort(points[:, 1], kind="stable")
        x, y = points[order].T
        inside = np.zeros(len(points), dtype=np.bool_)
        for k, part in self._slices(y, 0.0):
            right = self._on_the_right(k, x[part], y[part])
            low, high = sorted((self.start[k, 1], self.end[k, 1]))
            spans = (low <= y[part]) & (y[part] < high)
            inside[part] ^= spans & (right != (self.chord[k, 1] > 0.0))
            if self.bulge[k]:
                near = np.hypot(x[part] - self.centre[k, 0], y[part] - self.centre[k, 1]) < self.radius[k]
                inside[part] ^= near & (right == (self.bulge[k] > 0.0))
        return _restored(inside, order)

    def distance(self, points: Floats, reach: float) -> tuple[Floats, Indices]:
        """Distance of each point from the nearest edge, and that edge; infinite beyond `reach`, m."""
        order = np.argsort(points[:, 1], kind="stable")
        ordered = points[order]
        nearest = np.full(len(points), np.inf)
        edge = np.zeros(len(points), dtype=np.intp)
        for k, part in self._slices(ordered[:, 1], reach):
            x = ordered[part, 0]
            some = part.start + np.flatnonzero((x >= self.box[0][k, 0] - reach) & (x <= self.box[1][k, 0] + reach))
            away = self._distance_from(k, ordered[some])
            closer = away < nearest[some]
            nearest[some[closer]] = away[closer]
            edge[some[closer]] = k
        nearest[nearest > reach] = np.inf
        return _restored(nearest, order), _restored(edge, order)

    def text(self, k: int) -> Phrase:
        """A phrase for edge k."""
        return Phrase("edge.ends", start=shown(tuple(self.start[k].tolist())), end=shown(tuple(self.end[k].tolist())))

    def _slices(self, y: Floats, reach: float) -> Iterator[tuple[int, slice]]:
        """For each edge, the slice of the points, sorted by y, that are level with it."""
        lower, upper = self.box
        first = np.searchsorted(y, lower[:, 1] - reach, side="left")
        last = np.searchsorted(y, upper[:, 1] + reach, side="right")
        for k in np.flatnonzero(first < last).tolist():
            yield k, slice(int(first[k]), int(last[k]))

    def _on_the_right(self, k: int, x: Floats, y: Floats) -> Flags:
        """Mask of points on the right of edge k; points on its line count by the side of larger x (or y, if level)."""
        (x0, y0), (dx, dy) = self.start[k], self.chord[k]
        cross = dx * (y - y0) - dy * (x - x0)
        doubtful = bool(dy > 0.0 or (dy == 0.0 and dx < 0.0))
        right: Flags = (cross < 0.0) | ((cross == 0.0) & doubtful)
        return right

    def _distance_from(self, k: int, points: Floats) -> Floats:
        if self.bulge[k]:
            return self._distance_from_arc(k, points)
        chord = self.chord[k]
        along = np.clip(numerics.product(points - self.start[k], chord) / numerics.product(chord, chord), 0.0, 1.0)
        return _norm(points - self.start[k] - along[:, None] * chord)

    def _distance_from_arc(self, k: int, points: Floats) -> Floats:
        """Distance from the circle if the foot point is on the arc, else from the nearer end."""
        offset = points - self.centre[k]
        away = _norm(offset)
        with np.errstate(divide="ignore", invalid="ignore"):
            foot = self.centre[k] + offset * (self.radius[k] / away)[:, None]
        on_arc = (away == 0.0) | (self.side(k, foot) >= 0.0)
        ends = np.minimum(_norm(points - self.start[k]), _norm(points - self.end[k]))
        return np.where(on_arc, np.abs(away - self.radius[k]), ends)

    def side(self, k: int, points: Floats) -> Floats:
        """Positive for points on the arc's side of the chord of edge k."""
        (dx, dy), (x, y) = self.chord[k], (points - self.start[k]).T
        side: Floats = (dy * x - dx * y) * np.sign(self.bulge[k])
        return side


def _norm(vectors: Floats) -> Floats:
    length: Floats = np.hypot(vectors[:, 0], vectors[:, 1])
    return length


def _restored(ordered: NDArray[Any], order: Indices) -> NDArray[Any]:
    """Values of sorted points in their original order."""
    result = np.empty_like(ordered)
    result[order] = ordered
    return result
