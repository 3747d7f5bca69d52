"""The scene: everything that exists at the start, and nothing about how it is solved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from carom.errors import Problem, SceneError
from carom.scene.balls import Ball, Balls
from carom.scene.base import Part, fault, left_out, shown, written
from carom.scene.boundary import AnyBoundary, AnyObstacle, Boundary, Box, Obstacle, Open, as_boundary, as_obstacle
from carom.scene.materials import Restitution, as_restitution
from carom.scene.quantities import Flag, Fraction, NotNegative, Text, Vector, VectorLike, each, sequence, vector


def _as_balls(value: Any) -> Balls:
    """Balls from columns, from a table of columns, or from a list of balls (or tables) and columns."""
    if isinstance(value, Balls | dict):
        return Balls.of(value)
    if isinstance(value, Ball):
        raise fault("is a single ball, not a list", "Write a list: [Ball(...)].")
    if not isinstance(value, list | tuple):
        raise fault(f"{shown(value)} is not a list of balls", "Write a list of balls, or a table of columns.")
    return Balls.concatenate(each(lambda item: item if isinstance(item, Balls) else Ball.of(item), value))


def _as_obstacles(value: Any) -> tuple[Obstacle, ...]:
    return each(as_obstacle, sequence(value, "obstacles"))


def _as_gravity(value: Any) -> tuple[float, ...]:
    return () if value is None else vector(value)


class View(Part):
    """How a scene is drawn."""

    y_down: Flag = Field(default=False, description="true draws y downward")


class Scene(Part):
    """What exists: space, balls, obstacles, gravity and restitution.

    A scene is immutable; `replace` makes a changed copy. `balls` is always columnar (`Balls`), `gravity` a vector and
    `restitution` a `Restitution`, however they were given.
    """

    name: Text = Field(default="", description="title of the scene")
    description: Text = Field(default="", description="what the scene is about")
    look_at: Text = Field(default="", description="a sentence on what to look at")
    boundary: Annotated[Boundary, BeforeValidator(as_boundary, json_schema_input_type=AnyBoundary)] = Field(
        default=Open(), description="what bounds the space: box, polygon, circle or open"
    )
    gravity: Annotated[tuple[float, ...], BeforeValidator(_as_gravity, json_schema_input_type=Vector)] = Field(
        default_factory=left_out, description="acceleration of gravity, in m/s²; none if left out"
    )
    restitution: Annotated[
        Restitution, BeforeValidator(as_restitution, json_schema_input_type=Fraction | Restitution)
    ] = Field(default=Restitution(), description="part of the speed of approach that comes back, 0 to 1")
    contact_time: NotNegative | None = Field(
        default=None, description="duration of a contact, in s, for balls that come to rest; chosen if left out"
    )
    view: Annotated[View, BeforeValidator(View.of)] = Field(default=View(), description="how the scene is drawn")
    obstacles: Annotated[
        tuple[Obstacle, ...], BeforeValidator(_as_obstacles, json_schema_input_type=list[AnyObstacle])
    ] = Field(default=(), description="solid circles and polygons that balls meet from outside")
    balls: Annotated[Balls, BeforeValidator(_as_balls, json_schema_input_type=list[Ball] | Balls)] = written(
        (), "the balls: one table each, or one table of columns"
    )

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a scene has these parts
            self,
            *,
            boundary: Boundary = ...,
            balls: Balls | Sequence[Ball | Balls] = ...,
            obstacles: Sequence[Obstacle] = ...,
            gravity: VectorLike | None = ...,
            restitution: float | Restitution = ...,
            contact_time: float | None = ...,
            name: str = ...,
            description: str = ...,
            look_at: str = ...,
            view: View = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _agrees(self) -> Scene:
        dimension = _common_dimension(self._witnesses())
        gravity = self.gravity or (0.0,) * dimension
        _check_falling(self.boundary, gravity)
        balls = self.balls if len(self.balls) else Balls(position=np.empty((0, dimension)))
        self.__dict__.update(gravity=gravity, balls=balls)
        return self

    def _witnesses(self) -> Iterator[tuple[str, int]]:
        """Whatever tells the dimension, with what it tells."""
        if not isinstance(self.boundary, Open):
            yield "boundary", self.boundary.dimension
        if len(self.balls):
            yield "balls", self.balls.dimension
        for index, solid in enumerate(self.obstacles):
            yield f"obstacles[{index}]", solid.dimension
        if self.gravity:
            yield "gravity", len(self.gravity)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.gravity)


def _common_dimension(witnesses: Iterable[tuple[str, int]]) -> int:
    """The dimension that all agree on; 2 if nothing tells."""
    told = list(witnesses)
    if not told:
        return 2
    first, dimension = told[0]
    problems = [
        Problem(who, f"has {other} dimensions, but {first} has {dimension}", "Give both the same number of components.")
        for who, other in told
        if other != dimension
    ]
    if problems:
        raise SceneError(problems)
    return dimension


def _check_falling(space: Boundary, gravity: Sequence[float]) -> None:
    """Nothing may fall for ever round a periodic axis."""
    if not isinstance(space, Box):
        return
    falling = [axis for axis, (pull, around) in enumerate(zip(gravity, space.periodic, strict=True)) if pull and around]
    if falling:
        axis = falling[0]
        what = f"{gravity[axis]} m/s² along the periodic axis {'xyz'[axis]} would let the energy grow without end"
        raise fault(what, "Set it to 0, or give the axis walls (periodic = false).", where=f"gravity[{axis}]")
