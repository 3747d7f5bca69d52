"""Polygons with straight and curved edges and with holes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from itertools import count as count_up
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from carom.errors import Problem, SceneError, first_problems
from carom.messages.phrase import Phrase
from carom.scene.fields.base import fault, raw_default, shown
from carom.scene.fields.quantities import (
    Number,
    PlaneVector,
    Word,
    each,
    number,
    one_each,
    plane_vector,
    sequence,
    word,
)
from carom.scene.shapes.base import Boundary, Obstacle
from carom.scene.shapes.crossings import box_pairs, first_crossing
from carom.scene.shapes.features import Prism
from carom.scene.shapes.outline import Outline
from carom.scene.shapes.round import Circle

MIN_BULGE, MAX_BULGE = 1e-6, 1e6
"""Range of bulges other than 0, in which the radius of the arc is comparable with the edge."""

MAX_HOLE_PROBLEMS = 20
"""Largest number of misplaced holes that are listed."""
MAX_HOLE_PAIRS = 20_000
"""Largest number of pairs of holes with overlapping boxes; separate holes have few."""
MAX_CORNERS = 100_000
"""Largest number of corners: checking that edges do not cross takes time."""
MAX_LEVEL_SINE = 1e-12
"""Largest sine of the angle of an edge that counts as level, or as upright."""


def _vertices(value: object) -> tuple[Any, ...]:
    return each(plane_vector, sequence(value, "points"))


def _bulge(value: object) -> float:
    bulge = number(value)
    if bulge and not MIN_BULGE <= abs(bulge) <= MAX_BULGE:
        raise fault("bulge.unreasonable", value=shown(value), low=MIN_BULGE, high=MAX_BULGE)
    return bulge


class Polygon(Boundary, Obstacle):
    """A region of the plane with a simple closed outline, and holes in it; in 3D a prism, unbounded along z.

    Edge k goes from vertex k to the next. Its bulge is the tangent of a quarter of the angle of the arc that
    replaces it: 0 leaves it straight, 1 makes it a half circle; positive goes outward, negative into the polygon.
    The vertices may be given in either direction; they are stored counter-clockwise, from the same first vertex.
    A hole is a circle, a polygon, or a list of vertices; holes are solid.
    """

    by_position: ClassVar = ("vertices",)
    exact_in: ClassVar = (2,)
    flat: ClassVar = True

    kind: Literal["polygon"] = "polygon"
    vertices: Annotated[tuple[PlaneVector, ...], BeforeValidator(_vertices)] = Field(
        description="corners, in m, a list of pairs of numbers, in order round the outline"
    )
    bulges: tuple[Number, ...] = Field(default=(), description="one number per edge, 0 for straight; default: all 0")
    material: tuple[str, ...] = raw_default("wall", "material of the walls, one for all or one per edge")
    holes: tuple[Polygon | Circle, ...] = Field(
        default=(), description="solid holes: lists of vertices, circles or polygons"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self,
            vertices: ArrayLike,
            *,
            bulges: ArrayLike = ...,
            material: str | Sequence[str] = ...,
            holes: Sequence[Circle | Polygon | ArrayLike] = ...,
        ) -> None: ...

    @field_validator("bulges", mode="before", json_schema_input_type=list[Number])
    @classmethod
    def _one_an_edge(cls, value: Any, info: ValidationInfo) -> Any:
        if "vertices" not in info.data:
            return ()
        edges, given = len(info.data["vertices"]), sequence(value)
        return one_each(given, _bulge, edges, "edge") if len(given) else (0.0,) * edges

    @field_validator("material", mode="before", json_schema_input_type=Word | list[Word])
    @classmethod
    def _material_an_edge(cls, value: Any, info: ValidationInfo) -> Any:
        return one_each(value, word, len(info.data["vertices"]), "edge") if "vertices" in info.data else ()

    @field_validator("holes", mode="before", json_schema_input_type=list["list[PlaneVector] | Circle | Polygon"])
    @classmethod
    def _solid(cls, value: Any, info: ValidationInfo) -> Any:
        materials = set(info.data.get("material", ()))
        material = materials.pop() if len(materials) == 1 else "wall"
        return each(lambda hole: _hole(hole, material), sequence(value, "holes"))

    @model_validator(mode="after")
    def _is_simple(self) -> Polygon:
        _check_vertices(self.vertices, self.bulges)
        turn = 1.0 if Outline.closed(self.vertices).area >= 0.0 else -1.0
        outline = Outline.closed(self.vertices, turn * np.array(self.bulges))
        _check_outline(outline, turn)
        if turn < 0:
            self._reverse()
        _check_holes(self.outline, self.holes)
        return self

    def _reverse(self) -> None:
        """Reverse the direction, from the same first vertex; bulges and materials stay with their edges."""
        self.__dict__.update(
            vertices=self.vertices[:1] + self.vertices[:0:-1],
            bulges=self.bulges[::-1],
            material=self.material[::-1],
        )

    @property
    def outline(self) -> Outline:
        """The outline without the holes, counter-clockwise."""
        return Outline.closed(self.vertices, self.bulges)

    @property
    def walls(self) -> Iterator[Prism]:
        """The outline around the balls, and the holes in it."""
        holes = tuple(part for k, hole in enumerate(self.holes) for part in hole.solids(f"hole {k}"))
        yield Prism(self.outline, self.material, "", inside=True, holes=holes)

    def solids(self, name: str = "") -> Iterator[Prism]:
        """Its inside."""
        yield Prism(self.outline, self.material, name)

    def check_solid(self) -> None:
        """Refuse holes in an obstacle."""
        if self.holes:
            raise fault("obstacle.no-holes", where="holes")

    @property
    def handles(self) -> tuple[tuple[float, float], ...]:
        """Its vertices."""
        return tuple((x, y) for x, y in self.vertices)

    def with_handle(self, number: int, to: Sequence[float]) -> Polygon:
        """A copy with one of its vertices moved."""
        return self.replace(vertices=[to if k == number else vertex for k, vertex in enumerate(self.vertices)])

    def traps_balls(self, gravity: Sequence[float]) -> bool:
        """True if it has an arc, or an edge that faces up and is not level; the region is on the left of its edges."""
        (dx, dy), (gx, gy) = self.outline.chord.T, gravity[:2]
        size = MAX_LEVEL_SINE * np.hypot(dx, dy) * np.hypot(gx, gy)
        faces_up, falls = dy * gx - dx * gy > size, np.abs(dx * gx + dy * gy) > size
        return bool(any(gravity[:2]) and (any(self.bulges) or (faces_up & falls).any()))

    def volume(self, inset: float = 0.0) -> float:  # noqa: ARG002  # as in the base class
        """Its area without the holes, m², whatever the inset."""
        return abs(self.outline.area) - sum(abs(hole.outline.area) for hole in self.holes)

    def wall_area(self, inset: float = 0.0) -> float:  # noqa: ARG002  # as in the base class
        """The length of its edges and those of the holes, m, whatever the inset."""
        return sum(each.outline.length for each in (self, *self.holes))


Hole: TypeAlias = Polygon | Circle


def _hole(value: Any, material: str) -> Hole:
    """Make a hole from a circle, a polygon, a table or a list of vertices."""
    if isinstance(value, dict):
        value = (Polygon if "vertices" in value or value.get("kind") == "polygon" else Circle).of(value)
    elif not isinstance(value, Polygon | Circle):
        value = Polygon(vertices=value, material=material)
    made: Hole = value
    if isinstance(made, Polygon) and made.holes:
        raise fault("hole.no-holes", where="holes")
    if made.dimension != 2:
        raise fault("circle.is-sphere", where="centre")
    return made


def _check_vertices(vertices: Sequence[Sequence[float]], bulges: Sequence[float]) -> None:
    least = 2 if any(bulges) else 3
    if len(vertices) < least:
        corners = Phrase("count.corner", n=len(vertices))
        raise fault("polygon.too-few-corners", where="vertices", corners=corners, least=least)
    if len(vertices) > MAX_CORNERS:
        raise fault("polygon.too-many-corners", where="vertices", count=len(vertices), most=MAX_CORNERS)
    points = np.array(vertices)
    repeated = np.flatnonzero((points == np.roll(points, -1, axis=0)).all(axis=1))
    if repeated.size:
        raise _repeated(int(repeated[0]), vertices)


def _repeated(index: int, vertices: Sequence[Sequence[float]]) -> SceneError:
    last = index == len(vertices) - 1
    problem, other = ("vertex.closes", 0) if last else ("vertex.twice", index + 1)
    return fault(problem, where=f"vertices[{index}]", vertex=shown(vertices[index]), other=other)


def _check_outline(outline: Outline, turn: float) -> None:
    crossing = first_crossing(outline)
    if crossing:
        one, other = crossing
        raise fault(
            "polygon.crosses-itself",
            where="vertices",
            one=one,
            here=outline.text(one),
            other=other,
            there=outline.text(other),
        )
    if not outline.area * turn > 0.0:
        problem = "polygon.inside-out" if outline.area else "polygon.no-area"
        raise fault(problem, where="vertices", area=abs(outline.area))


def _check_holes(outline: Outline, holes: Sequence[Hole]) -> None:
    """Check that holes are inside the outline, and apart from it and each other."""
    loops = [hole.outline for hole in holes]
    problems = list(islice(chain(_holes_outside(outline, loops), _holes_that_meet(loops)), MAX_HOLE_PROBLEMS + 1))
    if problems:
        raise SceneError(first_problems(problems, at_least=len(problems) > MAX_HOLE_PROBLEMS, limit=MAX_HOLE_PROBLEMS))


def _holes_outside(outline: Outline, loops: Sequence[Outline]) -> Iterator[Problem]:
    if not loops:
        return
    inside = outline.contains(np.array([loop.start[0] for loop in loops]))
    lower, upper = outline.box
    for index, loop in enumerate(loops):
        near = (lower <= loop.box[1].max(axis=0)) & (upper >= loop.box[0].min(axis=0))
        edges = np.flatnonzero(near.all(axis=1))
        crossing = first_crossing(outline.some(edges), loop) if len(edges) else None
        if crossing:
            yield Problem("hole.meets-outline", where=f"holes[{index}]", edge=edges[crossing[0]])
        elif not inside[index]:
            yield Problem("hole.outside", where=f"holes[{index}]")


def _holes_that_meet(loops: Sequence[Outline]) -> Iterator[Problem]:
    if len(loops) < 2:
        return
    lower = np.array([loop.box[0].min(axis=0) for loop in loops])
    upper = np.array([loop.box[1].max(axis=0) for loop in loops])
    tried = count_up(0)
    for ones, others in box_pairs(lower, upper):
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            if next(tried) > MAX_HOLE_PAIRS:
                yield Problem("holes.tangled", where="holes", count=len(loops))
                return
            if _meet(loops[one], loops[other]):
                yield Problem("hole.meets-hole", where=f"holes[{other}]", other=one)


def _meet(one: Outline, other: Outline) -> bool:
    """True if two closed outlines cross or touch, or one is inside the other."""
    return bool(first_crossing(one, other) or one.contains(other.start[:1])[0] or other.contains(one.start[:1])[0])
