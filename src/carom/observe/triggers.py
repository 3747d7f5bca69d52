"""When something is kept: every so many seconds, at chosen times, every so many collisions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.scene.fields.base import shown

NEVER = np.inf
MANY = 2**62
DIGITS = Context(prec=60)
"""Of decimals, whatever others have set for theirs."""


class Trigger(Protocol):
    """Says when the next sample is due. It holds no state: samples are counted by who asks."""

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:
        """The time (s) and the number of collisions of which whichever comes first calls for the next sample.

        `start` and `first` are time and collisions when it began, `taken` is how many samples were taken since.
        """

    def check(self, start: float) -> None:
        """Refuse a start from which it cannot count."""

    def described(self) -> dict[str, Any]:
        """What it is, for a file."""


@dataclass(frozen=True)
class Every:
    """Every dt seconds from the start, the start included."""

    dt: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "dt", _positive("every", self.dt))

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:  # noqa: ARG002  # by time alone
        """The next multiple of dt after the start, as one would write it: the third of 0.1 is 0.3.

        A product of decimals, so that nothing adds up, and a frame at the end is not lost by the last bit.
        """
        whole = DIGITS.multiply(Decimal(taken), Decimal(repr(self.dt)))
        return float(DIGITS.add(Decimal(repr(float(start))), whole)), MANY

    def check(self, start: float) -> None:
        """Refuse a start beside which dt is nothing: no time would ever pass."""
        if self.due(start, 0, 1)[0] == start:
            what = f"{self.dt:g} s is too short to be told apart at t = {start:.9g} s"
            raise ArgumentError([Problem("every", what, "Give a longer time, such as 0.1.")])

    def described(self) -> dict[str, Any]:
        """What it is, for a file."""
        return {"every": self.dt}


@dataclass(frozen=True)
class Times:
    """At chosen times, s."""

    times: NDArray[np.float64]

    def __init__(self, times: Iterable[float]) -> None:
        try:
            numbers = np.array([*times], dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.array([np.nan])
        if numbers.ndim != 1 or not np.isfinite(numbers).all():
            raise ArgumentError([Problem("at", f"{shown(times)} is not a list of times", "Give numbers of seconds.")])
        object.__setattr__(self, "times", np.unique(numbers))

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:  # noqa: ARG002  # by time alone
        """The next of the times."""
        return (float(self.times[taken]) if taken < len(self.times) else NEVER), MANY

    def check(self, start: float) -> None:
        """Any start will do."""

    def described(self) -> dict[str, Any]:
        """What it is, for a file."""
        return {"at": self.times.tolist()}


@dataclass(frozen=True)
class Collisions:
    """Every n collisions, the start included.

    For looking at a run; averages are taken at fixed times, or fast moments would count more than slow ones.
    """

    n: int

    def __post_init__(self) -> None:
        given: Any = self.n
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            what = f"{shown(given)} is not a number of collisions"
            raise ArgumentError([Problem("every", what, "Use a whole number, 1 or more.")])

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:
        """The start, then after so many collisions."""
        return (start if taken == 0 else NEVER), (first + taken * self.n if taken else MANY)

    def check(self, start: float) -> None:
        """Any start will do."""

    def described(self) -> dict[str, Any]:
        """What it is, for a file."""
        return {"collisions": int(self.n)}


@dataclass(frozen=True)
class Once:
    """At the start, and no more: what comes after is in the events."""

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:  # noqa: ARG002  # the start alone
        """The start."""
        return (start if taken == 0 else NEVER), MANY

    def check(self, start: float) -> None:
        """Any start will do."""

    def described(self) -> dict[str, Any]:
        """What it is, for a file."""
        return {}


def triggers_for(every: Any, at: Any) -> tuple[Trigger, ...]:
    """The triggers that `every=…` and `at=…` say; for none, the start alone."""
    found: list[Trigger] = []
    if every is not None:
        found.append(every if isinstance(every, Every | Collisions | Times) else Every(every))
    if at is not None:
        found.append(at if isinstance(at, Times) else Times(at))
    return tuple(found) or (Once(),)


def read(text: dict[str, Any]) -> Trigger:
    """The trigger that a file describes, which may come from anyone."""
    match text:
        case {"every": dt, **others} if not others:
            return Every(dt)
        case {"at": times, **others} if not others:
            return Times(times)
        case {"collisions": n, **others} if not others:
            return Collisions(n)
        case {**others} if not others:
            return Once()
    raise ArgumentError([Problem("triggers", f"{shown(text)} tells no moments", "Give a file as carom has saved it.")])


def is_number(value: Any) -> bool:
    """Is it a single number? A boolean is none, and neither is a text of digits."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _positive(where: str, value: Any) -> float:
    if not is_number(value) or not 0.0 < value < np.inf:
        what = f"{shown(value)} is not a time above 0"
        raise ArgumentError([Problem(where, what, "Give a number of seconds, such as 0.1.")])
    return float(value)
