"""`PartTable`: many parts of one kind in columns, which name balls by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationInfo, field_validator

from carom.errors import Problem
from carom.messages.phrase import Phrase
from carom.scene.fields.base import Part, and_more, fault, shown
from carom.scene.fields.columns import Numbers, frozen
from carom.scene.fields.quantities import each, sequence, whole

One = TypeVar("One", bound=Part)


def column(name: str, of: str, check: Callable[[Any, int], Any], accepts: Any) -> Any:
    """A validator that checks the column `name` against the number of rows of the column `of`."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        # Without a valid first column, whose problem is reported already, the number of rows is unknown.
        return check(value, len(info.data[of])) if of in info.data else value

    return field_validator(name, mode="plain", json_schema_input_type=accepts)(validate)


class PartTable(Part, Generic[One]):
    """Columns: read-only NumPy arrays, and no Python object per row. The first column holds numbers of balls.

    `len(rows)` counts them, `rows[3]` is a single one, and `rows[10:20]` or `rows[mask]` are rows again.
    """

    one: ClassVar[type[Part]]
    noun: ClassVar[str]
    blanks: ClassVar[dict[str, float]] = {}
    """The value in a column for None in a single part."""

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(cls.model_fields)

    @property
    def numbers(self) -> Numbers:
        """The first column: the balls of each row."""
        numbers: Numbers = getattr(self, self.columns()[0])
        return numbers

    @classmethod
    def concatenate(cls, parts: Iterable[One | PartTable[One]]) -> Self:
        """Join parts, in their order."""
        columns: list[Any] = []
        for single, group in groupby(parts, key=lambda part: isinstance(part, cls.one)):
            members: list[Any] = list(group)
            columns += [cls._stacked(members)] if single else [part for part in members if len(part)]
        if len(columns) == 1 and isinstance(columns[0], cls):
            return columns[0]
        if not columns:
            return cls.none()
        return cls(**{name: np.concatenate([getattr(part, name) for part in columns]) for name in cls.columns()})

    @classmethod
    @cache
    def none(cls) -> Self:
        """No rows at all."""
        first, *others = cls.columns()
        return cls(**{first: [], **dict.fromkeys(others, np.empty(0))})

    @classmethod
    def _stacked(cls, singles: Sequence[Any]) -> Self:
        return cls(**{name: [getattr(each, name) for each in singles] for name in cls.columns()})

    def renumbered(self, numbers: NDArray[Any]) -> Self:
        """A copy for renumbered balls: `numbers` has the new number of each ball, or -1 if it was removed.

        Rows with a removed ball are left out.
        """
        if not len(self):
            return self
        balls = np.asarray(numbers, dtype=np.intp)[self.numbers]
        stay = (balls >= 0).all(axis=1)
        first, *others = self.columns()
        return type(self)(**{first: balls[stay]}, **{name: getattr(self, name)[stay] for name in others})

    def check_balls(self, number_of: int) -> list[Problem]:
        """A problem if a row names a ball that does not exist."""
        where = f"{self.noun}s.{self.columns()[0]}"
        return missing_balls(self.numbers, number_of, where)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[One]:  # type: ignore[override]  # pydantic iterates over fields, this class over rows
        return (self[index] for index in range(len(self)))

    @overload
    def __getitem__(self, which: int) -> One: ...
    @overload
    def __getitem__(self, which: slice | Sequence[int] | NDArray[Any]) -> Self: ...
    def __getitem__(self, which: int | slice | Sequence[int] | NDArray[Any]) -> One | Self:
        if isinstance(which, int | np.integer):
            return self._single(int(which))
        rows = np.arange(len(self))[which]
        return type(self)(**{name: getattr(self, name)[rows] for name in self.columns()})

    def _single(self, index: int) -> One:
        values = {name: getattr(self, name)[index].tolist() for name in self.columns()}
        blank = {name: None for name, value in self.blanks.items() if values[name] == value}
        return self.one(**{**values, **blank})  # type: ignore[return-value]  # `one` is the class of One

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self.columns()
        )

    __hash__ = None  # type: ignore[assignment]  # arrays cannot be hashed

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"

    __str__ = __repr__

    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        for name in self.columns():  # pickle forgets that an array is read-only
            frozen(getattr(self, name))


def missing_balls(numbers: Numbers, number_of: int, where: str) -> list[Problem]:
    """A problem if the numbers name a ball beyond `number_of`."""
    if not len(numbers) or numbers.max() < number_of:
        return []
    beyond = np.argwhere(numbers >= number_of)
    row, which = beyond[0].tolist()
    return [
        Problem(
            "row.no-ball" if number_of else "row.no-balls",
            where=f"{where}[{row}][{which}]",
            ball=numbers[row, which],
            others=and_more(len(beyond) - 1),
            balls=Phrase("count.ball", n=number_of),
            last=number_of - 1,
        )
    ]


def balls_named(how_many: int) -> Callable[[object], tuple[int, ...]]:
    """Make a check for the different balls that a single part names."""
    many = {2: "two", 3: "three"}[how_many]

    def check(value: object) -> tuple[int, ...]:
        numbers = each(whole, sequence(value, "numbers of balls"))
        if len(numbers) != how_many:
            raise fault("row.balls", value=shown(value), balls=Phrase("count.ball", n=len(numbers)), many=many)
        twice = [number for number in numbers if numbers.count(number) > 1]
        if twice:
            raise fault("row.ball-twice", numbers=shown(numbers), twice=twice[0], many=many)
        return numbers

    return check
