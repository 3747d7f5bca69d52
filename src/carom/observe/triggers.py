"""Triggers, which say when samples are taken: at fixed intervals, at chosen times, every n collisions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.scene.fields.base import shown

NEVER = np.inf
UNREACHABLE_COUNT = 2**62
"""Collisions: more than any run has."""
DIGITS = Context(prec=60)
"""The decimal context used here, independent of the user's."""


class Trigger(Protocol):
    """Says when the next sample is due. It has no state: the caller counts the samples."""

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:
        """The time (s) and the number of collisions at which the next sample is due, whichever comes first.

        `start` and `first` are the time and the number of collisions at the start, `taken` the samples since.
        """

    def check(self, start: float) -> None:
        """Raise an error if it cannot count from this start."""

    def described(self) -> dict[str, Any]:
        """The trigger as JSON for a file."""


@dataclass(frozen=True)
class Every:
    """Every dt seconds from the start, the start included."""

    dt: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "dt", _positive("every", self.dt))

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:  # noqa: ARG002  # by time alone
        """The start plus the next multiple of dt, rounded as decimals: the third multiple of 0.1 is 0.3.

        A decimal product accumulates no error, so that no frame at the end is lost by the last bit.
        """
        whole = DIGITS.multiply(Decimal(taken), Decimal(repr(self.dt)))
        return float(DIGITS.add(Decimal(repr(float(start))), whole)), UNREACHABLE_COUNT

    def check(self, start: float) -> None:
        """Raise an error if dt is too small to change the start time in floating point."""
        if self.due(start, 0, 1)[0] == start:
            raise ArgumentError.of("trigger.too-short", where="every", dt=self.dt, start=start)

    def described(self) -> dict[str, Any]:
        """The trigger as JSON for a file."""
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
            raise ArgumentError.of("trigger.not-times", where="at", value=shown(times))
        object.__setattr__(self, "times", np.unique(numbers))

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:  # noqa: ARG002  # by time alone
        """The next of the times."""
        return (float(self.times[taken]) if taken < len(self.times) else NEVER), UNREACHABLE_COUNT

    def check(self, start: float) -> None:
        """Accept any start."""

    def described(self) -> dict[str, Any]:
        """The trigger as JSON for a file."""
        return {"at": self.times.tolist()}


@dataclass(frozen=True)
class Collisions:
    """Every n collisions, the start included.

    Use it to look at a run. For averages take fixed times: otherwise busy periods count more than quiet ones.
    """

    n: int

    def __post_init__(self) -> None:
        given: Any = self.n
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise ArgumentError.of("trigger.not-collisions", where="every", value=shown(given))

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:
        """The start, then every n collisions."""
        return (start if taken == 0 else NEVER), (first + taken * self.n if taken else UNREACHABLE_COUNT)

    def check(self, start: float) -> None:
        """Accept any start."""

    def described(self) -> dict[str, Any]:
        """The trigger as JSON for a file."""
        return {"collisions": int(self.n)}


@dataclass(frozen=True)
class Once:
    """At the start only; what comes after is in the recorded collisions."""

    def due(self, start: float, first: int, taken: int) -> tuple[float, int]:  # noqa: ARG002  # the start alone
        """The start."""
        return (start if taken == 0 else NEVER), UNREACHABLE_COUNT

    def check(self, start: float) -> None:
        """Accept any start."""

    def described(self) -> dict[str, Any]:
        """The trigger as JSON for a file."""
        return {}


def triggers_for(every: Any, at: Any) -> tuple[Trigger, ...]:
    """The triggers for the arguments `every` and `at`; without both, the start only."""
    found: list[Trigger] = []
    if every is not None:
        found.append(every if isinstance(every, Every | Collisions | Times) else Every(every))
    if at is not None:
        found.append(at if isinstance(at, Times) else Times(at))
    return tuple(found) or (Once(),)


def read(text: dict[str, Any]) -> Trigger:
    """The trigger that a file describes; the file is not trusted."""
    match text:
        case {"every": dt, **others} if not others:
            return Every(dt)
        case {"at": times, **others} if not others:
            return Times(times)
        case {"collisions": n, **others} if not others:
            return Collisions(n)
        case {**others} if not others:
            return Once()
    raise ArgumentError.of("trigger.no-moments", where="triggers", value=shown(text))


def is_number(value: Any) -> bool:
    """True for a single number; a boolean or a text of digits is not one."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _positive(where: str, value: Any) -> float:
    if not is_number(value) or not 0.0 < value < np.inf:
        raise ArgumentError.of("trigger.not-above-0", where=where, value=shown(value))
    return float(value)
