"""Solids with flat faces: half-spaces, blocks and wedges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from carom import numerics
from carom.errors import Problem, SceneError
from carom.scene.fields.base import fault, shown
from carom.scene.fields.quantities import (
    LARGEST,
    SMALLEST,
    Number,
    Vector,
    VectorLike,
    Word,
    plane_vector,
    same_length,
    vector,
)
from carom.scene.shapes.base import Obstacle
from carom.scene.shapes.features import Cuboid, Plane, Prism
from carom.scene.shapes.outline import Outline


def _direction(value: object) -> tuple[float, ...]:
    """Check a vector that is not zero."""
    result = vector(value)
    if max(map(abs, result)) < SMALLEST:
        raise fault("vector.no-direction", value=shown(value))
    return result


Direction = Annotated[tuple[float, ...], Field(min_length=2, max_length=3), BeforeValidator(_direction)]


class HalfSpace(Obstacle):
    """The solid on one side of a plane, such as the ground; in 2D, of a line. The normal points into free space."""

    by_position: ClassVar = ("point", "normal")

    kind: Literal["half-space"] = "half-space"
    point: Vector = Field(description="a point of the surface, in m, two or three numbers")
    normal: Direction = Field(description="direction out of the solid, of any length, two or three numbers")
    material: Word = Field(default="wall", description="material of the surface")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, point: VectorLike, normal: VectorLike, *, material: str = ...) -> None: ...

    @model_validator(mode="after")
    def _is_consistent(self) -> HalfSpace:
        problems = same_length("normal", self.normal, len(self.point), "point")
        if problems:
            raise SceneError(problems)
        return self

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.point)

    @property
    def unit_normal(self) -> tuple[float, ...]:
        """The normal, of length 1."""
        return Plane(self.point, self.normal, self.material, "").unit_normal

    def solids(self, name: str = "") -> Iterator[Plane]:
        """The surface as a feature."""
        yield Plane(self.point, self.normal, self.material, name)


class Block(Obstacle):
    """A solid rectangle, or in 3D a cuboid, with sides along the axes."""

    by_position: ClassVar = ("low", "high")

    kind: Literal["block"] = "block"
    low: Vector = Field(description="lower corner, in m, two or three numbers")
    high: Vector = Field(description="upper corner, in m, as many numbers, each above that of the lower corner")
    material: Word = Field(default="wall", description="material of the faces")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(self, low: VectorLike, high: VectorLike, *, material: str = ...) -> None: ...

    @model_validator(mode="after")
    def _has_extent(self) -> Block:
        problems = same_length("high", self.high, len(self.low), "low")
        problems = problems or [
            Problem("block.corners", where=f"high[{axis}]", high=high, low=low)
            for axis, (low, high) in enumerate(zip(self.low, self.high, strict=True))
            if not high > low
        ]
        if problems:
            raise SceneError(problems)
        return self

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.low)

    def solids(self, name: str = "") -> Iterator[Cuboid]:
        """The block as a feature."""
        yield Cuboid(self.low, self.high, self.material, name)

    @property
    def half_width(self) -> float:
        """Half of its shortest side, m."""
        return 0.5 * min(high - low for low, high in zip(self.low, self.high, strict=True))

    @property
    def handles(self) -> tuple[tuple[float, float], ...]:
        """Its corners in the plane, counter-clockwise from the lower one."""
        return tuple(Cuboid(self.low, self.high, self.material, "").base)

    def with_handle(self, number: int, to: Sequence[float]) -> Block:
        """A copy with one of these corners moved."""
        low, high = list(self.low), list(self.high)
        (low if number in (0, 3) else high)[0] = to[0]
        (low if number in (0, 1) else high)[1] = to[1]
        return self.replace(low=low, high=high)


def _span(value: object) -> Sequence[float]:
    low, high = plane_vector(value)
    if not low < high:
        raise fault("wedge.backwards", value=shown(value))
    return low, high


class Wedge(Obstacle):
    """The solid below a slope: y < slope x + intercept, between two x and above a bottom; in 3D unbounded along z."""

    flat: ClassVar = True

    kind: Literal["wedge"] = "wedge"
    slope: Number = Field(description="rise over run of the surface")
    intercept: Number = Field(description="height of the surface at x = 0, in m")
    x: Annotated[tuple[float, float], BeforeValidator(_span)] = Field(description="range of x, two numbers, in m")
    bottom: Number = Field(description="height of the underside, in m")
    material: Word = Field(default="wall", description="material of the faces")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self, *, slope: float, intercept: float, x: VectorLike, bottom: float, material: str = ...
        ) -> None: ...

    @model_validator(mode="after")
    def _has_extent(self) -> Wedge:
        heights = [self.height(x) for x in self.x]
        highest = max(map(abs, heights))
        if highest > LARGEST:
            raise fault("wedge.too-high", where="slope", slope=self.slope, highest=highest, limit=LARGEST)
        if not max(heights) > self.bottom:
            raise fault("wedge.bottom", where="bottom", bottom=self.bottom, surface=max(heights))
        return self

    def height(self, x: float) -> float:
        """Height of the surface over x, m."""
        return self.slope * x + self.intercept

    @property
    def corners(self) -> list[tuple[float, float]]:
        """Its corners in the plane, counter-clockwise: three or four."""
        (left, right), bottom = self.x, self.bottom
        at_left, at_right = self.height(left), self.height(right)
        across = (bottom - self.intercept) / self.slope if self.slope else 0.0
        begin = left if at_left >= bottom else across
        end = right if at_right >= bottom else across
        top = [(x, y) for x, y in ((right, at_right), (left, at_left)) if y > bottom]
        return [(begin, bottom), (end, bottom), *top]

    @property
    def outline(self) -> Outline:
        """Its outline in the plane, counter-clockwise."""
        return Outline.closed(self.corners)

    def solids(self, name: str = "") -> Iterator[Prism]:
        """The wedge as a feature."""
        yield Prism(self.outline, (self.material,) * len(self.corners), name)

    @property
    def half_width(self) -> float:
        """Its area over the length of its outline, m: half the width of a long strip, less for a compact shape."""
        x, y = np.array(self.corners).T
        area = 0.5 * abs(float(numerics.product(x, np.roll(y, -1)) - numerics.product(y, np.roll(x, -1))))
        return area / float(np.hypot(x - np.roll(x, -1), y - np.roll(y, -1)).sum())
