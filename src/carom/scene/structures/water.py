"""Water: many points, in a block or in a jet."""

from __future__ import annotations

from math import cos, pi, prod, sin
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from carom import numerics
from carom.scene.fields.base import fault
from carom.scene.fields.columns import Floats
from carom.scene.fields.quantities import Mass, Positive, Sizes, Vector, VectorLike, Whole, Word, sizes
from carom.scene.structures.base import MAX_POINTS, Pieces, Structure, given_twice, grid


def _some_sizes(value: object) -> tuple[float, ...] | None:
    return None if value is None else sizes(value)


class Water(Structure):
    """Points without links: a block, at rest or moving, or a jet, born layer by layer.

    Restitution 0 for pairs of its material keeps it from rebounding.
    """

    kind: Literal["water"] = "water"
    material: Word = Field(default="water", description="material of the points")
    spacing: Positive = Field(description="approximate distance between neighbouring points, in m")
    density: Mass = Field(default=1000.0, description="mass per volume, in kg/m³; in 2D per area, in kg/m²")
    corner: Vector | None = Field(default=None, description="lower corner of a block, in m")
    size: Annotated[Sizes | None, BeforeValidator(_some_sizes)] = Field(
        default=None, description="lengths of the sides of a block, in m"
    )
    nozzle: Vector | None = Field(default=None, description="centre of the nozzle of a jet, in m")
    width: Positive | None = Field(default=None, description="width of a jet, in 3D its diameter, in m")
    duration: Positive | None = Field(default=None, description="duration of a jet, in s")
    seed: Whole | None = Field(
        default=None, description="a whole number: the points of a jet come at random; default: in layers"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a structure has these options
            self,
            *,
            spacing: float,
            density: float = ...,
            corner: VectorLike | None = ...,
            size: VectorLike | None = ...,
            nozzle: VectorLike | None = ...,
            width: float | None = ...,
            duration: float | None = ...,
            seed: int | None = ...,
            velocity: VectorLike | None = ...,
            radius: float = ...,
            material: str = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Water:
        if self.corner is None and self.nozzle is None:
            raise fault("water.no-size", where="corner")
        if self.corner is not None and self.nozzle is not None:
            raise given_twice("nozzle", "corner")
        block, jet = ("size",), ("width", "duration", "velocity")
        needed, foreign, noun = (block, ("width", "duration", "seed"), "block") if self.corner else (jet, block, "jet")
        for name in needed:
            if getattr(self, name) is None:
                description = type(self).model_fields[name].description
                raise fault("water.missing", where=name, noun=noun, description=description)
        for name in foreign:
            if getattr(self, name) is not None:
                raise fault("water.not-for", where=name, noun=noun)
        self._check_lengths(*(("corner", "size") if self.corner else ("nozzle",)))
        if self.nozzle and not any(self.velocity or ()):
            raise fault("water.no-velocity", where="velocity")
        self._check_number()
        return self

    @property
    def expected(self) -> float:
        """Approximate number of points."""
        spans = self.size or ((self.width or 0.0,) * (self.dimension - 1) + ((self.duration or 0.0) * self._speed,))
        return prod(max(span / self.spacing, 1.0) for span in spans)

    def _check_number(self) -> None:
        number = self.expected
        if number > MAX_POINTS:
            raise fault("water.too-many", where="spacing", spacing=str(self.spacing), number=number, most=MAX_POINTS)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.corner or self.nozzle or ())

    @property
    def _speed(self) -> float:
        return numerics.length(self.velocity or (0.0,))

    def pieces(self) -> Pieces:
        """Points."""
        return self._block() if self.corner else self._jet()

    def _block(self) -> Pieces:
        """Points in the middle of equal cells."""
        axes = [c + s * _middles(self._cells(s)) for c, s in zip(self.corner or (), self.size or (), strict=True)]
        position = grid(*axes)
        mass = self.density * prod(self.size or ()) / len(position)
        return Pieces(self._balls(position, mass))

    def _cells(self, length: float) -> int:
        """Number of points along a length, m."""
        return max(round(length / self.spacing), 1)

    def _jet(self) -> Pieces:
        """Points across the nozzle, born layer by layer, or at random."""
        width, duration = self.width or 0.0, self.duration or 0.0
        layer = self._layer(width)
        layers = self._cells(duration * self._speed)
        number = layers * len(layer)
        if self.seed is None:
            offsets, born = np.tile(layer, (layers, 1)), np.repeat(duration / layers * np.arange(layers), len(layer))
        else:
            rng = np.random.default_rng(self.seed)
            offsets, born = self._scattered(rng, number, width), np.sort(duration * rng.random(number))
        section = width if self.dimension == 2 else pi * width**2 / 4.0
        mass = self.density * section * self._speed * duration / number
        return Pieces(self._balls(np.array(self.nozzle) + numerics.product(offsets, self._across()), mass, born=born))

    def _layer(self, width: float) -> Floats:
        """Places of a layer across the nozzle, relative to its centre, m."""
        line = width * (_middles(self._cells(width)) - 0.5)
        if self.dimension == 2:
            return line[:, None]
        square = np.stack([axis.ravel() for axis in np.meshgrid(line, line, indexing="ij")], axis=1)
        layer: Floats = square[np.hypot(*square.T) <= width / 2.0]
        return layer

    def _scattered(self, rng: np.random.Generator, number: int, width: float) -> Floats:
        """Random places across the nozzle, uniform over its area, m."""
        if self.dimension == 2:
            return width * (rng.random((number, 1)) - 0.5)
        distance, angle = width / 2.0 * np.sqrt(rng.random(number)), 2.0 * pi * rng.random(number)
        return np.stack([distance * numerics.each(cos, angle), distance * numerics.each(sin, angle)], axis=1)

    def _across(self) -> Floats:
        """Unit vectors perpendicular to the velocity, one or two rows."""
        along = np.array(self.velocity) / self._speed
        if self.dimension == 2:
            return np.array([[-along[1], along[0]]])
        aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
        aside /= numerics.length(aside)
        return np.array([aside, np.cross(along, aside)])


def _middles(number: int) -> Floats:
    """The middles of equal parts of 1."""
    return (np.arange(number) + 0.5) / number
