"""`Ball`, and `Balls`: many balls in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, ValidationInfo, field_validator, model_validator

from carom.errors import ArgumentError, Problem, SceneError
from carom.messages.phrase import Phrase
from carom.scene.fields.base import Part, and_more, fault, nearest, raw_default, shown, unset
from carom.scene.fields.changes import BallChanges, BallsChanges
from carom.scene.fields.columns import (
    Flags,
    Floats,
    Materials,
    flag_column,
    frozen,
    mass_column,
    material_column,
    name_column,
    not_negative_column,
    vectors,
    vectors_like,
)
from carom.scene.fields.quantities import Flag, Mass, NotNegative, Title, Vector, VectorLike, Word, same_length


class Ball(Part):
    """One ball; of radius 0, a material point."""

    by_position: ClassVar = ("position",)

    position: Vector = Field(description="place of the centre, in m, two or three numbers")
    velocity: Vector = Field(default_factory=unset, description="velocity, in m/s; default: zero")
    mass: Mass = Field(default=1.0, description="mass, in kg, above 0")
    radius: NotNegative = Field(default=0.0, description="radius, in m; 0 is a material point")
    fixed: Flag = Field(default=False, description="true holds the ball in place, as with infinite mass")
    material: Word = Field(default="ball", description="name of the material, for restitution between pairs")
    name: Title = Field(default=None, description="a name to show")
    born: NotNegative = Field(default=0.0, description="time of birth, in s; 0: exists from the start")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self,
            position: VectorLike,
            *,
            velocity: VectorLike = ...,
            mass: float = ...,
            radius: float = ...,
            fixed: bool = ...,
            material: str = ...,
            name: str | None = ...,
            born: float = ...,
        ) -> None: ...

    @field_validator("velocity", mode="before", json_schema_input_type=Vector)
    @classmethod
    def _zero_if_left_out(cls, value: Any, info: ValidationInfo) -> Any:
        return (0.0,) * len(info.data.get("position", (0, 0))) if value is None else value

    @model_validator(mode="after")
    def _is_consistent(self) -> Ball:
        problems = same_length("velocity", self.velocity, len(self.position), "position")
        if self.fixed and any(self.velocity):
            problems.append(Problem("ball.fixed-moves", where="velocity", velocity=str(self.velocity), others=""))
        if problems:
            raise SceneError(problems)
        return self

    if TYPE_CHECKING:

        def replace(self, **changes: Unpack[BallChanges]) -> Self:  # type: ignore[override]  # a part takes any keyword
            """A copy with some fields changed."""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.position)


def _column(name: str, check: Callable[[Any, int], Any], accepts: Any) -> Any:
    """A validator that checks the column `name` against the number of balls."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        # Without valid positions, whose problem is reported already, the number of balls is unknown.
        return check(value, len(info.data["position"])) if "position" in info.data else value

    return field_validator(name, mode="plain", json_schema_input_type=accepts)(validate)


class Balls(Part):
    """Many balls in columns: read-only NumPy arrays, and no Python object per ball.

    `len(balls)` counts them, `balls[3]` or `balls["cue"]` is a `Ball`, and `balls[10:20]` or `balls[mask]` are `Balls`.
    """

    by_position: ClassVar = ("position",)

    position: Floats = Field(description="places of the centres, in m, one row of two or three numbers per ball")
    velocity: Floats = Field(default_factory=unset, description="velocities, in m/s, one for all or one per ball")
    mass: Floats = raw_default(1.0, "masses, in kg, above 0, one for all or one per ball")
    radius: Floats = raw_default(0.0, "radii, in m, one for all or one per ball")
    fixed: Flags = raw_default(False, "true holds a ball in place; one for all or one per ball")
    material: Materials = raw_default("ball", "names of materials, one for all or one per ball")
    name: tuple[str | None, ...] | None = Field(default=None, description="names to show, one per ball")
    born: Floats = raw_default(0.0, "times of birth, in s, one for all or one per ball")

    if TYPE_CHECKING:  # more may be given than is stored

        def __init__(
            self,
            position: ArrayLike,
            *,
            velocity: ArrayLike = ...,
            mass: ArrayLike = ...,
            radius: ArrayLike = ...,
            fixed: ArrayLike = ...,
            material: str | Sequence[str] | NDArray[np.str_] | Materials = ...,
            name: Sequence[str | None] | None = ...,
            born: ArrayLike = ...,
        ) -> None: ...

    @field_validator("position", mode="plain", json_schema_input_type=list[Vector])
    @classmethod
    def _positions(cls, value: Any) -> Floats:
        return vectors(value)

    @field_validator("velocity", mode="plain", json_schema_input_type=Vector | list[Vector])
    @classmethod
    def _velocities(cls, value: Any, info: ValidationInfo) -> Any:
        if "position" not in info.data:
            return value
        position = info.data["position"]
        return vectors_like(np.zeros(position.shape[1]) if value is None else value, position)

    _masses = _column("mass", mass_column, Mass | list[Mass])
    _radii = _column("radius", not_negative_column, NotNegative | list[NotNegative])
    _fixed = _column("fixed", flag_column, bool | list[bool])
    _materials = _column("material", material_column, Word | list[Word])
    _names = _column("name", name_column, list[Title] | None)
    _births = _column("born", not_negative_column, NotNegative | list[NotNegative])

    @model_validator(mode="after")
    def _fixed_balls_rest(self) -> Balls:
        moving = self.fixed & self.velocity.any(axis=1) if self.fixed.any() else self.fixed
        if moving.any():
            index, more = int(np.argmax(moving)), int(np.count_nonzero(moving)) - 1
            velocity = str(tuple(self.velocity[index].tolist()))
            raise fault("ball.fixed-moves", where=f"velocity[{index}]", velocity=velocity, others=and_more(more))
        return self

    if TYPE_CHECKING:

        def replace(self, **changes: Unpack[BallsChanges]) -> Self:  # type: ignore[override]  # as for a ball
            """A copy with some columns changed."""

    @classmethod
    def concatenate(cls, parts: Iterable[Ball | Balls]) -> Balls:
        """Join balls of equal dimension, in their order."""
        given = [part for part in parts if isinstance(part, Ball) or len(part)]
        _check_dimensions(given)
        columns: list[Balls] = []
        for single, group in groupby(given, key=lambda part: isinstance(part, Ball)):
            members = list(group)
            columns += [_stacked(cast("list[Ball]", members))] if single else cast("list[Balls]", members)
        if len(columns) <= 1:
            return columns[0] if columns else cls(position=np.empty((0, 2)))
        names = tuple(name for part in columns for name in part.name or (None,) * len(part))
        return cls._of_checked(
            **{name: np.concatenate([getattr(part, name) for part in columns]) for name in _ARRAYS},
            material=_merged([part.material for part in columns]),
            name=names if any(names) else None,
        )

    @classmethod
    def _of_checked(cls, **columns: Any) -> Balls:
        """Balls of columns that are valid already: checking them again would take most of the time."""
        for name in _ARRAYS:
            frozen(columns[name])
        return cls.model_construct(_fields_set=set(columns), **columns)

    def moved(self, position: Floats, velocity: Floats) -> Balls:
        """A copy with other positions and velocities, of which only these are checked."""
        place, v = vectors(position), vectors_like(velocity, position)
        others = {name: getattr(self, name) for name in type(self).model_fields if name not in {"position", "velocity"}}
        return self._of_checked(position=place, velocity=v, **others)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.position.shape[1])

    def index(self, name: str) -> int:
        """The number of the ball with a name."""
        names = self.name or ()
        found = [k for k, each in enumerate(names) if each == name]
        if len(found) == 1:
            return found[0]
        if found:
            numbers = found[:10]
            raise ArgumentError.of(
                "ball.name-twice", where="index", count=len(found), name=shown(name), numbers=numbers
            )
        known = list(dict.fromkeys(each for each in names if each))
        hint = nearest(name, known[:20], "names") if known else Phrase("ball.no-names")
        raise ArgumentError.of("ball.no-name", where="index", name=shown(name), hint=hint)

    def __len__(self) -> int:
        return len(self.position)

    def __iter__(self) -> Iterator[Ball]:  # type: ignore[override]  # pydantic iterates over fields, this class over balls
        return (self[index] for index in range(len(self)))

    @overload
    def __getitem__(self, which: int | str) -> Ball: ...
    @overload
    def __getitem__(self, which: slice | Sequence[int] | NDArray[Any]) -> Balls: ...
    def __getitem__(self, which: int | str | slice | Sequence[int] | NDArray[Any]) -> Ball | Balls:
        if isinstance(which, str):
            return self._ball(self.index(which))
        if isinstance(which, int | np.integer):
            return self._ball(int(which))
        rows = np.arange(len(self))[which]
        return Balls(
            **{name: getattr(self, name)[rows] for name in _ARRAYS},
            material=Materials(self.material.names, self.material.codes[rows]),
            name=self.name and [self.name[row] for row in rows],
        )

    def _ball(self, index: int) -> Ball:
        return Ball(
            position=self.position[index],
            velocity=self.velocity[index],
            mass=float(self.mass[index]),
            radius=float(self.radius[index]),
            fixed=bool(self.fixed[index]),
            material=self.material.names[self.material.codes[index]],
            name=self.name[index] if self.name else None,
            born=float(self.born[index]),
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Balls)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS)
            and self.material == other.material
            and self.name == other.name
        )

    __hash__ = None  # type: ignore[assignment]  # arrays cannot be hashed

    def __repr__(self) -> str:
        return f"<Balls: {len(self)} in {self.dimension}D>"

    __str__ = __repr__

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        for name in _ARRAYS:  # pickle forgets that an array is read-only
            frozen(getattr(self, name))


_ARRAYS = ("position", "velocity", "mass", "radius", "fixed", "born")


def _check_dimensions(parts: Sequence[Ball | Balls]) -> None:
    for index, part in enumerate(parts):
        if part.dimension != parts[0].dimension:
            raise SceneError.of(
                "balls.other-dimension", where=f"[{index}]", dimension=part.dimension, first=parts[0].dimension
            )


def _stacked(balls: Sequence[Ball]) -> Balls:
    """Single balls, which are valid already, as columns."""
    names = tuple(ball.name for ball in balls)
    return Balls._of_checked(  # noqa: SLF001  # each ball is valid already
        **{name: np.array([getattr(ball, name) for ball in balls]) for name in _ARRAYS},
        material=material_column([ball.material for ball in balls], len(balls)),
        name=names if any(names) else None,
    )


def _merged(parts: list[Materials]) -> Materials:
    """Join the materials of several parts."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    number_of = {name: number for number, name in enumerate(names)}
    renumbered = [np.array([number_of[name] for name in part.names], dtype=np.int32)[part.codes] for part in parts]
    return Materials(names, frozen(np.concatenate(renumbered)))
