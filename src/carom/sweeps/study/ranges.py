"""The values that a parameter takes: listed, evenly spaced, or drawn for each run.

A range computes each value from its index, so that long ranges need no memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Context, Decimal
from functools import cached_property
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from carom.messages.phrase import Phrase
from carom.scene.fields.base import Part, fault, nearest, shown
from carom.scene.fields.quantities import Whole, each, number, sequence

__all__ = [
    "MAX_RUNS",
    "AnyRange",
    "Kind",
    "Linear",
    "Log",
    "Normal",
    "Range",
    "Uniform",
    "Value",
    "Values",
    "as_range",
    "plain_value",
]

MAX_RUNS = 10_000_000
"""Runs of a study, and values of a range."""

Value: TypeAlias = bool | int | float | str
"""A value of a parameter."""
Kind: TypeAlias = Literal["bool", "int", "float", "text"]
"""The type of the values of a parameter."""

_DIGITS = Context(prec=50)
"""Decimal arithmetic: 0.1 is exact, and every machine gives the same bits."""
_END_TOLERANCE = Decimal("1e-9")
"""An end this close, in steps, is included."""
_MAX_INTEGER = 2**63 - 1


class Range(Part):
    """The values of a parameter."""

    drawn: ClassVar[bool] = False
    """Is a value drawn per run, instead of adding points to the study?"""

    @property
    def kind(self) -> Kind:
        """The type of its values."""
        return "float"

    @property
    def count_of(self) -> int:
        """The number of points that it makes: 1 if it is drawn."""
        return 1

    def value(self, index: int) -> Value:
        """The value at an index; a typical one if it is drawn."""
        raise NotImplementedError

    def draw(self, share: float) -> float:
        """The quantile of the distribution for a share between 0 and 1."""
        raise NotImplementedError

    def twice(self) -> Value | None:
        """A repeated value, or None."""
        return None

    def samples(self, most: int) -> list[tuple[int, Value]]:
        """Some values with their indices, at most `most`: the first, the last, and others in between."""
        picked = np.unique(np.linspace(0, self.count_of - 1, max(1, most)).round().astype(int)).tolist()
        return [(index, self.value(index)) for index in picked]

    def table(self) -> dict[str, Any]:
        """The form in a study file."""
        written = {name: getattr(self, name) for name in type(self).model_fields if getattr(self, name) is not None}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in written.items()}

    def __str__(self) -> str:
        inside = ", ".join(f"{name} = {shown(value)}" for name, value in self.table().items())
        return f"{{ {inside} }}"


def plain_value(value: object) -> Value:
    """Convert to a plain number, text or bool; a fault for anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if abs(value) > _MAX_INTEGER:
            raise fault("range.too-large", value=shown(value), most=_MAX_INTEGER)
        return value
    if isinstance(value, list | tuple | dict | np.ndarray):
        raise fault("range.not-single", value=shown(value))
    if isinstance(value, float):
        return number(value)
    raise fault("range.not-a-value", value=shown(value))


def _length(given: Any) -> int:
    return given.size if isinstance(given, np.ndarray) else len(given)


def _same_type(given: object) -> tuple[Value, ...]:
    """Convert to values of one type; integers among floats become floats."""
    if isinstance(given, list | tuple | range | np.ndarray) and _length(given) > MAX_RUNS:
        raise fault("range.too-many", count=_length(given), most=MAX_RUNS)
    values = sequence(list(given) if isinstance(given, range) else given, "values")
    if not values:
        raise fault("range.empty")
    plain: tuple[Value, ...] = each(plain_value, values)
    kinds = set(map(type, plain))
    if kinds == {int, float}:
        return tuple(map(float, plain))
    if len(kinds) > 1:
        named = " and ".join(sorted({_NOUNS[kind] for kind in kinds}))
        raise fault("range.mixed", value=shown(plain), kinds=named)
    return plain


_NOUNS: dict[type, str] = {bool: "true or false", int: "numbers", float: "numbers", str: "texts"}
_KINDS: dict[type, Kind] = {bool: "bool", int: "int", float: "float", str: "text"}


def _real(value: object) -> int | float:
    """Convert to a finite int or float."""
    checked = number(value)
    if isinstance(value, int | np.integer) and abs(int(value)) <= _MAX_INTEGER:
        return int(value)
    return checked


def _two_numbers(value: object) -> tuple[int | float, ...]:
    """Convert to two numbers."""
    values = sequence(value)
    if len(values) != 2:
        raise fault("range.not-two", value=shown(value))
    return each(_real, values)


def _number(value: object) -> int | float | None:
    return None if value is None else _real(value)


_Ends = Annotated[tuple[int | float, int | float], BeforeValidator(_two_numbers)]
_Step = Annotated[int | float | None, BeforeValidator(_number)]


class Values(Range):
    """Listed values."""

    values: Annotated[
        tuple[Value, ...], BeforeValidator(_same_type, json_schema_input_type=list[bool | float | str])
    ] = Field(description="the values: numbers, texts, or true and false")

    @property
    def kind(self) -> Kind:
        """The type of its values."""
        return _KINDS[type(self.values[0])]

    @property
    def count_of(self) -> int:
        """The number of values."""
        return len(self.values)

    def value(self, index: int) -> Value:
        """The value at an index."""
        return self.values[index]

    def twice(self) -> Value | None:
        """The first repeated value."""
        if len(set(self.values)) == len(self.values):
            return None
        seen: set[Value] = set()
        return next(value for value in self.values if value in seen or seen.add(value))  # type: ignore[func-returns-value]  # add returns None


class _Spaced(Range):
    """Values between two ends."""

    def _ends(self) -> tuple[int | float, int | float]:
        raise NotImplementedError

    def _check_ends(self, how_many: int, word: str) -> None:
        """A fault for ranges that are empty, miss their end, or repeat a value."""
        first, last = self._ends()
        if how_many < 1:
            raise fault("range.no-steps", where=word, word=word)
        if how_many > MAX_RUNS:
            raise fault("range.more-than", where=word, most=MAX_RUNS)
        if how_many == 1 or first == last:
            values = Phrase("count.value", n=how_many)
            raise fault("range.one-value", where=word, first=shown(first), last=shown(last), values=values, word=word)

    def _well_separated(self) -> bool:
        """Are values certainly further apart than adjacent floats?"""
        raise NotImplementedError

    def _check_distinct(self) -> None:
        """A fault for values so close that floats cannot distinguish them."""
        if self._well_separated():
            return
        values = [self.value(index) for index in range(self.count_of)] if self.count_of <= _MAX_COMPARED else []
        if len(set(values)) < self.count_of:
            raise fault("range.too-close", count=self.count_of)


class Linear(_Spaced):
    """Evenly spaced values from the first to the last, by their count or a step."""

    linear: _Ends = Field(description="the first value and the last")
    count: Whole | None = Field(default=None, description="how many values, both ends included")
    step: _Step = Field(
        default=None, description="distance of values, instead of count; the end is included if a step meets it"
    )

    @model_validator(mode="after")
    def _agrees(self) -> Linear:
        if (self.count is None) == (self.step is None):
            raise fault("range.count-nor-step" if self.count is None else "range.count-and-step")
        first, last = self.linear
        if self.step is not None and (self.step == 0 or (last - first) * self.step < 0):
            problem = "range.step-backwards" if self.step else "range.step-zero"
            ends = {"first": shown(first), "last": shown(last)}
            raise fault(problem, where="step", step=shown(self.step), back=shown(-self.step), **ends)
        self._check_ends(self.count_of, "count" if self.step is None else "step")
        self._check_distinct()
        return self

    def _ends(self) -> tuple[int | float, int | float]:
        return self.linear

    def _well_separated(self) -> bool:
        first, last = map(_exact, self.linear)
        steps = Decimal(self.count_of - 1)
        by = _DIGITS.divide(_DIGITS.subtract(last, first), steps) if self.step is None else _exact(self.step)
        return self.kind == "int" or abs(by) > math.ulp(max(abs(float(end)) for end in self.linear))

    @cached_property
    def count_of(self) -> int:
        """The number of values."""
        if self.count is not None:
            return self.count
        first, last = map(_exact, self.linear)
        steps = _DIGITS.divide(_DIGITS.subtract(last, first), _exact(self.step or 1))
        return math.floor(_DIGITS.add(steps, _END_TOLERANCE)) + 1

    @cached_property
    def kind(self) -> Kind:
        """Integers if the ends and all values are."""
        first, last = self.linear
        by = 1 if self.step is None else self.step
        if not all(isinstance(one, int) for one in (first, last, by)):
            return "float"
        even = self.step is not None or (last - first) % (self.count_of - 1) == 0
        return "int" if even else "float"

    def value(self, index: int) -> Value:
        """The value at an index, computed in decimals: the third of 0.1, 0.2, … is 0.3."""
        first, last = map(_exact, self.linear)
        if self.step is None:
            whole = _DIGITS.multiply(_DIGITS.subtract(last, first), Decimal(index))
            exact = _DIGITS.add(first, _DIGITS.divide(whole, Decimal(self.count_of - 1)))
        else:
            step = _exact(self.step)
            exact = _DIGITS.add(first, _DIGITS.multiply(step, Decimal(index)))
            beside = _DIGITS.divide(_DIGITS.subtract(exact, last), step)
            exact = last if abs(beside) <= _END_TOLERANCE else exact
        return int(exact) if self.kind == "int" else float(exact)


class Log(_Spaced):
    """Values from the first to the last with a constant ratio."""

    log: _Ends = Field(description="the first value and the last, both above 0")
    count: Whole = Field(description="how many values, both ends included")

    @model_validator(mode="after")
    def _agrees(self) -> Log:
        for index, end in enumerate(self.log):
            if end <= 0:
                raise fault("range.not-positive", where=f"log[{index}]", value=shown(end))
        self._check_ends(self.count, "count")
        self._check_distinct()
        return self

    def _ends(self) -> tuple[int | float, int | float]:
        return self.log

    def _well_separated(self) -> bool:
        low, high = sorted(self.log)
        by = _DIGITS.divide(_DIGITS.ln(_DIGITS.divide(_exact(high), _exact(low))), Decimal(self.count - 1))
        return by > max(math.ulp(low) / low, math.ulp(1.0))

    @property
    def count_of(self) -> int:
        """The number of values."""
        return self.count

    @cached_property
    def kind(self) -> Kind:
        """Integers if the ends and all values are."""
        whole = all(isinstance(end, int) for end in self.log) and self.count <= _MAX_COMPARED
        return "int" if whole and all(self._number(k).is_integer() for k in range(self.count)) else "float"

    def value(self, index: int) -> Value:
        """first·(last/first)^(index/(count-1)); the ends are exact."""
        found = self._number(index)
        return int(found) if self.kind == "int" else found

    def _number(self, index: int) -> float:
        if index in {0, self.count - 1}:
            return float(self.log[0 if index == 0 else 1])
        first, last = (_DIGITS.ln(_exact(end)) for end in self.log)
        share = _DIGITS.divide(Decimal(index), Decimal(self.count - 1))
        between = _DIGITS.add(first, _DIGITS.multiply(_DIGITS.subtract(last, first), share))
        return float(_DIGITS.exp(between))


_MAX_COMPARED = 1000
"""More values than this are not compared one by one."""


class Uniform(Range):
    """Drawn per run, uniformly between two numbers."""

    drawn: ClassVar[bool] = True
    uniform: _Ends = Field(description="the least and the greatest")

    @model_validator(mode="after")
    def _agrees(self) -> Uniform:
        low, high = self.uniform
        if not low < high:
            raise fault("range.nothing", where="uniform", low=shown(low), high=shown(high))
        return self

    def value(self, index: int) -> Value:  # noqa: ARG002  # drawn ranges have one typical value
        """The lower end, as a typical value."""
        return float(self.uniform[0])

    def samples(self, most: int) -> list[tuple[int, Value]]:  # noqa: ARG002  # two are enough
        """Both ends, to try."""
        return [(0, float(end)) for end in self.uniform]

    def draw(self, share: float) -> float:
        """The quantile of the uniform distribution."""
        low, high = map(float, self.uniform)
        return low + (high - low) * share


class Normal(Range):
    """Drawn per run from a normal distribution."""

    drawn: ClassVar[bool] = True
    normal: _Ends = Field(description="mean and standard deviation")

    @model_validator(mode="after")
    def _agrees(self) -> Normal:
        if self.normal[1] <= 0:
            raise fault("range.deviation", where="normal[1]", value=shown(self.normal[1]))
        return self

    def value(self, index: int) -> Value:  # noqa: ARG002  # drawn ranges have one typical value
        """The mean, as a typical value."""
        return float(self.normal[0])

    def draw(self, share: float) -> float:
        """The quantile of the normal distribution."""
        mean, deviation = map(float, self.normal)
        return NormalDist(mean, deviation).inv_cdf(share)


_BY_KEY: dict[str, type[Range]] = {
    "values": Values, "linear": Linear, "log": Log, "uniform": Uniform, "normal": Normal,
}  # fmt: skip
AnyRange: TypeAlias = list[bool | float | str] | Values | Linear | Log | Uniform | Normal
"""The forms in a study file."""


def as_range(value: Any) -> Range:
    """Make a range from a list of values or a table of a study."""
    if isinstance(value, Range):
        return value
    if isinstance(value, list | tuple | range | np.ndarray):
        return Values.of({"values": value})
    if not isinstance(value, Mapping):
        raise fault("range.not-one", value=shown(value), known=_KEYS)
    named = [key for key in _BY_KEY if key in value]
    if len(named) > 1:
        raise fault("range.both", one=named[0], other=named[1])
    if not named:
        unknown = next((key for key in value if key not in {"count", "step"}), None)
        if unknown is None:
            raise fault("range.not-said", known=_KEYS)
        raise fault("range.kind", value=shown(unknown), hint=nearest(str(unknown)[:60], _BY_KEY, "kinds"))
    return _BY_KEY[named[0]].of(value)


_KEYS = ", ".join(_BY_KEY)


def _exact(value: int | float) -> Decimal:
    """A number as a decimal, as it is printed."""
    return Decimal(repr(value))
