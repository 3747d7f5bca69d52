"""Points in a mesh: cloth and soft bodies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from carom import numerics
from carom.scene.fields.base import fault, shown
from carom.scene.fields.columns import Flags, Floats, Numbers, ball_numbers
from carom.scene.fields.quantities import (
    Mass,
    NotNegative,
    Positive,
    Sizes,
    Vector,
    VectorLike,
    Word,
    each,
    one_of,
    sequence,
)
from carom.scene.links import Links
from carom.scene.shapes.solids import Direction
from carom.scene.structures.base import Pieces, Structure, grid, points, shares

Choice = Annotated[Literal["structural", "shear", "bending"], BeforeValidator(one_of("structural", "shear", "bending"))]
Held = Annotated[
    Literal["none", "edge", "two corners", "corners"], BeforeValidator(one_of("none", "edge", "two corners", "corners"))
]

MAX_MESH_POINTS = 1_000_000
"""Largest number of points of a mesh; each may have 16 links."""


def _counts(value: object) -> tuple[int, ...]:
    counts = each(points(2), sequence(value, "numbers of points"))
    if prod(counts) > MAX_MESH_POINTS:
        raise fault("mesh.too-many", counts=shown(counts), points=prod(counts), most=MAX_MESH_POINTS)
    return counts


class _Mesh(Structure):
    """Base class of cloths and soft bodies: points in rows, linked to their neighbours."""

    stiffness: NotNegative = Field(description="of each link, in N/m")
    damping: NotNegative = Field(default=0.0, description="of each link, in N s/m")
    links: Choice = Field(
        default="bending",
        description="structural: to the next points; shear: to the diagonal ones too; bending: to the next but one too",
    )
    shear_stiffness: NotNegative | None = Field(
        default=None, description="of each link to a diagonal point, in N/m; default: that of the others"
    )
    bending_stiffness: NotNegative | None = Field(
        default=None, description="of each link to the next point but one, in N/m; default: that of the others"
    )
    breaking: Positive | None = Field(default=None, description="strain at which a link breaks; default: never")

    if TYPE_CHECKING:  # fields of each subclass
        corner: Vector
        counts: tuple[int, ...]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.corner)

    @property
    def expected(self) -> float:
        """Number of balls."""
        return prod(self.counts)

    def _joined(self, counts: Sequence[int], position: Floats) -> Links:
        """The links of the chosen kinds."""
        one_way = [step for step in product((-1, 0, 1), repeat=len(counts)) if step > (0,) * len(counts)]
        straight = [step for step in one_way if sum(map(abs, step)) == 1]
        sorts = [(self.stiffness, straight)]
        if self.links != "structural":
            diagonal = [step for step in one_way if sum(map(abs, step)) > 1]
            sorts.append((_or(self.shear_stiffness, self.stiffness), diagonal))
        if self.links == "bending":
            twice = [tuple(2 * each for each in step) for step in straight]
            sorts.append((_or(self.bending_stiffness, self.stiffness), twice))
        parts = []
        for stiffness, offsets in sorts:
            between = np.concatenate([_pairs(counts, offset) for offset in offsets])
            length = np.linalg.norm(position[between[:, 1]] - position[between[:, 0]], axis=1)
            parts.append(
                Links(between=between, stiffness=stiffness, damping=self.damping, length=length, breaking=self.breaking)
            )
        return Links.concatenate(parts)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _numbers(counts: Sequence[int]) -> Numbers:
    """Numbers of the points of a mesh; the first axis of the mesh is the last of the array."""
    return np.arange(prod(counts)).reshape(counts[::-1])


def _pairs(counts: Sequence[int], offset: Sequence[int]) -> Numbers:
    """Pairs of points that are `offset` rows apart, along each axis."""
    numbers = _numbers(counts)
    here = tuple(slice(max(-step, 0), max(n - max(step, 0), 0)) for step, n in zip(offset, counts, strict=True))
    there = tuple(slice(max(step, 0), max(n - max(-step, 0), 0)) for step, n in zip(offset, counts, strict=True))
    return np.stack([numbers[here[::-1]].ravel(), numbers[there[::-1]].ravel()], axis=1)


def _mesh_shares(counts: Sequence[int]) -> Floats:
    """The share of each point in the mass of a mesh; the mass of a cell is shared by its corners."""
    part: Floats = np.ones(1)
    for n in counts:
        part = np.multiply.outer(shares(n), part).ravel()
    return part


class Cloth(_Mesh):
    """A cloth: points in rows along two sides of a parallelogram; in 3D with triangles that other balls bounce off."""

    kind: Literal["cloth"] = "cloth"
    material: Word = Field(default="cloth", description="material of the points")
    corner: Vector = Field(description="place of the first corner, in m")
    sides: Annotated[tuple[Direction, Direction], BeforeValidator(lambda value: _two(value, "vectors"))] = Field(
        description="from the first corner along the two sides, in m, two vectors"
    )
    counts: Annotated[tuple[int, int], BeforeValidator(lambda value: _counts(_two(value, "numbers of points")))] = (
        Field(description="numbers of points along the two sides, 2 and more each")
    )
    mass_per_area: Mass = Field(default=0.2, description="mass per area, in kg/m²")
    held: Held = Field(
        default="none",
        description="none, edge (the first side), two corners (its ends) or corners (all four)",
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a structure has these options
            self,
            *,
            corner: VectorLike,
            sides: Sequence[VectorLike],
            counts: Sequence[int],
            stiffness: float,
            mass_per_area: float = ...,
            damping: float = ...,
            links: str = ...,
            shear_stiffness: float | None = ...,
            bending_stiffness: float | None = ...,
            breaking: float | None = ...,
            held: str = ...,
            velocity: VectorLike | None = ...,
            radius: float = ...,
            material: str = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _has_area(self) -> Cloth:
        self._check_lengths("corner")
        for index, side in enumerate(self.sides):
            if len(side) != self.dimension:
                raise fault(
                    "mesh.corner-dimension",
                    where=f"sides[{index}]",
                    side=str(side),
                    length=len(side),
                    dimension=self.dimension,
                )
        if not self.area > 0.0:
            raise fault("mesh.parallel", where="sides", sides=shown(self.sides))
        return self

    @property
    def area(self) -> float:
        """Area, m²."""
        (ax, ay, az), (bx, by, bz) = ((*side, 0.0)[:3] for side in self.sides)
        return numerics.length([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])

    def pieces(self) -> Pieces:
        """Points, links and triangles."""
        (across, along), n = np.indices(self.counts[::-1]).reshape(2, -1), self.counts
        parts = np.stack([along / (n[0] - 1), across / (n[1] - 1)], axis=1)
        position = np.array(self.corner) + numerics.product(parts, self.sides)
        mass = self.mass_per_area * self.area * _mesh_shares(n)
        triangles = self._triangles()[: None if self.dimension == 3 else 0]
        balls = self._balls(position, mass, self._held(along, across))
        return Pieces(balls, self._joined(n, position), triangles=ball_numbers(triangles, 3, "triangle"))

    def _held(self, along: Numbers, across: Numbers) -> Flags:
        ends = (along == 0) | (along == self.counts[0] - 1)
        held: Flags = {
            "none": np.zeros(len(along), dtype=np.bool_),
            "edge": across == 0,
            "two corners": ends & (across == 0),
            "corners": ends & ((across == 0) | (across == self.counts[1] - 1)),
        }[self.held]
        return held

    def _triangles(self) -> Numbers:
        """Two triangles per cell."""
        numbers = _numbers(self.counts)
        here, right, above, beyond = (
            corner.ravel() for corner in (numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, :-1], numbers[1:, 1:])
        )
        return np.concatenate([np.stack([here, right, beyond], axis=1), np.stack([here, beyond, above], axis=1)])


def _two(value: object, noun: str) -> Sequence[Any]:
    values = sequence(value, noun)
    if len(values) != 2:
        raise fault("mesh.not-two", value=shown(value), noun=noun)
    return values


class SoftBody(_Mesh):
    """A soft body: points in a rectangle, or in 3D in a block."""

    kind: Literal["soft-body"] = "soft-body"
    material: Word = Field(default="soft", description="material of the points")
    corner: Vector = Field(description="place of the lower corner, in m")
    size: Sizes = Field(description="lengths of the sides, in m, two or three positive numbers")
    counts: tuple[int, ...] = Field(description="numbers of points along the sides, 2 and more each")
    mass: Mass = Field(default=1.0, description="total mass, in kg")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a structure has these options
            self,
            *,
            corner: VectorLike,
            size: VectorLike,
            counts: Sequence[int],
            stiffness: float,
            mass: float = ...,
            damping: float = ...,
            links: str = ...,
            shear_stiffness: float | None = ...,
            bending_stiffness: float | None = ...,
            breaking: float | None = ...,
            velocity: VectorLike | None = ...,
            radius: float = ...,
            material: str = ...,
        ) -> None: ...

    @field_validator("counts", mode="before", json_schema_input_type=list[int])
    @classmethod
    def _one_a_side(cls, value: Any, info: ValidationInfo) -> Any:
        counts = _counts(value)
        if "size" in info.data and len(counts) != len(info.data["size"]):
            raise fault("mesh.counts", value=shown(value), counts=len(counts), dimension=len(info.data["size"]))
        return counts

    @model_validator(mode="after")
    def _is_consistent(self) -> SoftBody:
        self._check_lengths("corner", "size")
        return self

    def pieces(self) -> Pieces:
        """Points and links."""
        axes = [c + np.linspace(0.0, s, n) for c, s, n in zip(self.corner, self.size, self.counts, strict=True)]
        position = grid(*axes)
        return Pieces(self._balls(position, self.mass * _mesh_shares(self.counts)), self._joined(self.counts, position))
