"""`Scene`: everything that exists at the start of a run, without how it is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field, PlainValidator, PrivateAttr, SerializeAsAny, model_validator

from carom.errors import SceneError
from carom.scene.agreement import DimensionClaim, check_attraction, check_falling, common_dimension, periods
from carom.scene.balls import Ball, Balls
from carom.scene.fields.base import Part, fault, raw_default, shown, unset
from carom.scene.fields.changes import SceneChanges
from carom.scene.fields.columns import Numbers, frozen
from carom.scene.fields.quantities import Flag, Fraction, Label, NotNegative, Text, Whole, each, sequence
from carom.scene.forces import (
    AnyGravity,
    Attraction,
    Drag,
    GravityLike,
    Planet,
    as_attraction,
    as_drag,
    as_gravity,
)
from carom.scene.friction import Coulomb, Friction, as_friction
from carom.scene.links import Bend, Bends, Link, Links, triangle_problems, triangles_of
from carom.scene.materials import Restitution, as_restitution
from carom.scene.shapes.base import Boundary, Obstacle
from carom.scene.shapes.box import Open
from carom.scene.shapes.features import Feature
from carom.scene.shapes.kinds import AnyBoundary, AnyObstacle, as_boundary, as_obstacle
from carom.scene.stepping import Stepping
from carom.scene.structures import AnyStructure, Pieces, Structure, as_structures


def _in_columns(one: type[Any], many: type[Any], noun: str) -> Callable[[Any], Any]:
    """Make a check for columns, a table of columns, or a list of single parts (or tables) and columns."""

    def check(value: Any) -> Any:
        if isinstance(value, many | dict):
            return many.of(value)
        if isinstance(value, one):
            raise fault("parts.single", noun=noun, name=one.__name__)
        if not isinstance(value, list | tuple):
            raise fault("parts.not-a-list", value=shown(value), noun=noun)
        return many.concatenate(each(lambda item: item if isinstance(item, many) else one.of(item), value))

    return check


def _as_obstacles(value: Any) -> tuple[Obstacle, ...]:
    return each(as_obstacle, sequence(value, "obstacles"))


class View(Part):
    """How a scene is drawn."""

    y_down: Flag = Field(default=False, description="true draws y downward")


class Scene(Part):
    """Everything that exists: space, balls, links, obstacles, forces, restitution and friction.

    A scene is immutable; `replace` makes a changed copy. `balls` are always columns (`Balls`), and so are `links` and
    `bends`; `structures` are converted to them. `gravity` is a vector, `restitution` a `Restitution` and `friction` a
    `Friction`, whatever the form of the input.
    """

    name: Label = Field(default="", description="title of the scene")
    description: Text = Field(default="", description="what the scene is about")
    look_at: Text = Field(default="", description="a sentence on what to look at")
    boundary: Annotated[SerializeAsAny[Boundary], BeforeValidator(as_boundary, json_schema_input_type=AnyBoundary)] = (
        Field(
            default=Open(),
            title="Boundary",
            description="the boundary of space: box, polygon, circle, cylinder or open",
        )
    )
    gravity: Annotated[tuple[float, ...], PlainValidator(as_gravity, json_schema_input_type=AnyGravity)] = Field(
        default_factory=unset,
        description="acceleration of gravity, in m/s², or the planet that causes it; default: none",
    )
    drag: Annotated[Drag | None, BeforeValidator(as_drag, json_schema_input_type=NotNegative | Drag | None)] = Field(
        default=None, description="drag on each ball, linear in kg/s, or a table; default: none"
    )
    attraction: Annotated[Attraction | None, BeforeValidator(as_attraction)] = Field(
        default=None, description="Newtonian attraction between all balls; default: none"
    )
    restitution: Annotated[
        Restitution, BeforeValidator(as_restitution, json_schema_input_type=Fraction | Restitution)
    ] = Field(default=Restitution(), description="coefficient of restitution, 0 to 1")
    friction: Annotated[
        Friction, BeforeValidator(as_friction, json_schema_input_type=NotNegative | Coulomb | Friction)
    ] = Field(default=Friction(), description="coefficients of friction, 0 and above; default: none")
    contact_time: NotNegative | None = Field(
        default=None, description="duration of a contact, in s, for balls that come to rest; chosen by default"
    )
    stepping: Annotated[Stepping, BeforeValidator(Stepping.of)] = Field(
        default=Stepping(), description="the solver, and preferences for the stepped one"
    )
    view: Annotated[View, BeforeValidator(View.of)] = Field(default=View(), description="how the scene is drawn")
    obstacles: Annotated[
        tuple[Obstacle, ...], BeforeValidator(_as_obstacles, json_schema_input_type=list[AnyObstacle])
    ] = Field(default=(), description="solid things that balls meet from outside")
    balls: Annotated[
        Balls, BeforeValidator(_in_columns(Ball, Balls, "ball"), json_schema_input_type=list[Ball] | Balls)
    ] = raw_default((), "the balls: one table each, or one table of columns")
    links: Annotated[
        Links, BeforeValidator(_in_columns(Link, Links, "link"), json_schema_input_type=list[Link] | Links)
    ] = raw_default((), "springs between balls: one table each, or one table of columns")
    bends: Annotated[
        Bends, BeforeValidator(_in_columns(Bend, Bends, "bend"), json_schema_input_type=list[Bend] | Bends)
    ] = raw_default((), "resistance to bending: one table each, or one table of columns")
    triangles: Annotated[
        Numbers, PlainValidator(triangles_of, json_schema_input_type=list[tuple[Whole, Whole, Whole]])
    ] = raw_default((), "triangles of linked balls that other balls bounce off, three numbers of balls each; in 3D")

    structures: Annotated[
        tuple[Structure, ...], BeforeValidator(as_structures, json_schema_input_type=list[AnyStructure])
    ] = Field(
        default=(), description="ropes, cloths and the like; they are converted to balls and links after the others"
    )

    _planet: Planet | None = PrivateAttr(default=None)

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(  # noqa: PLR0913  # a scene has these parts
            self,
            *,
            boundary: Boundary = ...,
            balls: Balls | Sequence[Ball | Balls] = ...,
            links: Links | Sequence[Link | Links] = ...,
            bends: Bends | Sequence[Bend | Bends] = ...,
            triangles: ArrayLike = ...,
            structures: Sequence[Structure] = ...,
            obstacles: Sequence[Obstacle] = ...,
            gravity: GravityLike = ...,
            drag: float | Drag | None = ...,
            attraction: Attraction | None = ...,
            restitution: float | Restitution = ...,
            friction: float | Coulomb | Friction = ...,
            contact_time: float | None = ...,
            stepping: Stepping = ...,
            name: str = ...,
            description: str = ...,
            look_at: str = ...,
            view: View = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _agrees(self) -> Scene:
        dimension = common_dimension(self._dimension_claims())
        self._resolve_gravity(dimension)
        if self.attraction is not None:
            check_attraction(self.boundary)
        if self.structures:
            self._build()
        if not len(self.balls):
            self.__dict__.update(balls=Balls(position=np.empty((0, dimension))))
        self._resolve_links()
        return self

    def _build(self) -> None:
        """Convert the structures to balls, links, bends and triangles."""
        try:
            made = each(lambda structure: structure.pieces(), self.structures)
        except SceneError as error:
            raise SceneError(problem.inside("structures") for problem in error.problems) from None
        all_of_it = Pieces.joined([Pieces(self.balls), *made])
        self.__dict__.update(
            balls=all_of_it.balls,
            links=Links.concatenate([self.links, all_of_it.links]),
            bends=Bends.concatenate([self.bends, all_of_it.bends]),
            triangles=triangles_of(np.concatenate([self.triangles, all_of_it.triangles])),
            structures=(),
        )
        self.model_fields_set.discard("structures")  # so that a changed copy does not build them again
        self.model_fields_set.update(("balls", "links", "bends", "triangles"))

    def _resolve_gravity(self, dimension: int) -> None:
        """Convert gravity to a vector; its planet is stored separately."""
        given: Any = self.gravity
        planet = given if isinstance(given, Planet) else None
        gravity = planet.vector(dimension) if planet else given or (0.0,) * dimension
        check_falling(self.boundary, gravity)
        self.__dict__.update(gravity=gravity)
        self._keep(_planet=planet)

    def _resolve_links(self) -> None:
        """Set rest lengths and angles of links and bends; a changed copy keeps them, even if its balls have moved."""
        if not len(self.links) and not len(self.bends) and not len(self.triangles):
            return
        problems = [
            *self.links.check_balls(len(self.balls)),
            *self.bends.check_balls(len(self.balls)),
            *triangle_problems(self.triangles, len(self.balls), self.dimension),
        ]
        if problems:
            raise SceneError(problems)
        around = periods(self.boundary, self.dimension)
        links = self.links.resolved(self.balls.position, around)
        self.__dict__.update(links=links, bends=self.bends.resolved(self.balls.position, around))

    def _keep(self, **private: Any) -> None:
        """Set private attributes, although a part is frozen."""
        if self.__pydantic_private__ is not None:
            self.__pydantic_private__.update(private)

    def _dimension_claims(self) -> Iterator[DimensionClaim]:
        """The dimensions that parts of the scene claim."""
        yield DimensionClaim.of("boundary", self.boundary)
        if len(self.balls):
            yield DimensionClaim("balls", self.balls.dimension)
        for index, solid in enumerate(self.obstacles):
            yield DimensionClaim.of(f"obstacles[{index}]", solid)
        for index, structure in enumerate(self.structures):
            yield DimensionClaim(f"structures[{index}]", structure.dimension)
        gravity: Any = self.gravity  # at this point as in the input
        if isinstance(gravity, Planet):
            if gravity.down.endswith("z"):
                yield DimensionClaim("gravity.down", 3, problem_id="gravity.down-in-plane")
        elif gravity:
            yield DimensionClaim("gravity", len(gravity))

    @cached_property
    def origin(self) -> Mapping[str, Any]:
        """The library entry that made the scene, as `kind`, and its parameters; empty for any other scene.

        A changed copy has none. It does not count in comparisons of scenes.
        """
        return {}

    def replace(self, **changes: Unpack[SceneChanges]) -> Self:  # type: ignore[override]  # a part takes any keyword
        """A copy with some fields changed, and checked."""
        if self.planet is not None:
            changes.setdefault("gravity", self.planet)
        return super().replace(**changes)

    def with_balls(self, balls: Balls) -> Scene:
        """A copy with other balls. The other parts are checked again only if they could disagree with them."""
        fewer = len(balls) < max(len(self.balls), 1)
        if balls.dimension != self.dimension or (fewer and (len(self.links) or len(self.bends) or len(self.triangles))):
            return self.replace(balls=balls)
        made = self.model_copy(update={"balls": balls})
        made.__dict__.pop("origin", None)  # a changed copy has no origin
        return made

    def with_only(self, rows: NDArray[np.intp]) -> Scene:
        """A copy with the balls of these numbers only, and the links, bends and triangles between them."""
        return self.replace(balls=self.balls[rows], **self.connections_of(rows))

    def connections_of(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        """Links, bends and triangles between the balls of these numbers, which become 0, 1, 2 and so on."""
        number = np.full(len(self.balls), -1)
        number[rows] = np.arange(len(rows))
        triangles = number[self.triangles]
        return {
            "links": self.links.renumbered(number),
            "bends": self.bends.renumbered(number),
            "triangles": triangles[(triangles >= 0).all(axis=1)],
        }

    @property
    def piles_up(self) -> bool:
        """True if balls can come to rest on each other: they lose energy, and a force presses them together.

        Losses at walls count if two balls that are not linked can collide. Corners of a cloth collide with no ball.
        """
        solid = self.balls.radius > 0.0
        solid[self.triangles.ravel()] = False
        losses = [self.restitution.ball_ball, *(pair.value for pair in self.restitution.pairs)]
        if np.unique(self.links.groups(len(self.balls))[solid]).size > 1:
            losses.append(self.restitution.ball_wall)
        touch = self.attraction.touch if self.attraction else None
        pressed = touch == "bounce" or (any(self.gravity) and touch != "pass")
        return int(solid.sum()) > 1 and min(losses) < 1.0 and pressed

    @property
    def stacks(self) -> bool:
        """True if balls can come to rest where the exact solver cannot hold them: on balls, in corners or bowls."""
        floor = self.boundary.bounded or len(self.obstacles) > 0 or bool(self.balls.fixed.any())
        lossy = min(self.restitution.ball_wall, *(pair.value for pair in self.restitution.pairs), 1.0) < 1.0
        return any(self.gravity) and ((self.piles_up and floor) or (lossy and self.boundary.traps_balls(self.gravity)))

    @property
    def features(self) -> Iterator[Feature]:
        """The features that balls collide with, in the order in which solvers number them."""
        yield from self.boundary.walls
        for index, solid in enumerate(self.obstacles):
            yield from solid.solids(f"obstacle {index}")

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.gravity)

    @property
    def planet(self) -> Planet | None:
        """The planet of which the scene has its gravity; None if gravity is a vector."""
        return self._planet

    @property
    def forces_needed(self) -> list[str]:
        """Features of the scene that the exact solver cannot treat, as short phrases; empty if there are none."""
        drag, links = self.drag, self.links
        found = {
            "links": len(links) > 0,
            "bending": len(self.bends) > 0,
            "triangles": len(self.triangles) > 0,
            "drag": drag is not None and (drag.linear > 0.0 or drag.quadratic > 0.0),
            "attraction between balls": self.attraction is not None,
            "friction": not self.friction.none,
            "births": bool(self.balls.born.any()),
        }
        walls = [("the boundary", self.boundary), *((f"obstacle {k}", each) for k, each in enumerate(self.obstacles))]
        return [phrase for phrase, there in found.items() if there] + [
            f"the {wall.kind} of {whose}" + (" in three dimensions" if 2 in wall.exact_in else "")
            for whose, wall in walls
            if self.dimension not in wall.exact_in
        ]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scene)
            and self.planet == other.planet
            and np.array_equal(self.triangles, other.triangles)
            and all(getattr(self, name) == getattr(other, name) for name in _PLAIN)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays cannot be hashed

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        frozen(self.triangles)  # pickle forgets that an array is read-only


_PLAIN = tuple(name for name in Scene.model_fields if name != "triangles")
