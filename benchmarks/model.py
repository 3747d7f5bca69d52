"""The parts of a benchmark: a case in a section, measured with some effort, gives the cells of one row."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Value = float | str
Row = Mapping[str, Value]


class Skipped(Exception):  # noqa: N818  # not an error: the row shows the reason
    """A case that cannot be measured here; the text says why."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    slices: int
    """Least number of timed slices; the best counts."""
    seconds: float
    """Least CPU time of a slice, s."""
    turnover: int
    """Least number of collisions per ball in a slice, so that each has the solver's periodic work."""
    warm_up: int
    """Collisions per ball before the first slice."""
    patience: float = 0.0
    """Least CPU time of all slices, s: other processes may disturb for seconds."""
    rounds: int = 1
    """Number of measurements of starts, and of cases of the main table (once with all others, then again)."""

    def goes_on(self) -> Iterator[None]:
        """Yield per slice, until there are enough and they have taken long enough."""
        begin, done = time.process_time(), 0
        while done < self.slices or time.process_time() - begin < self.patience:
            yield
            done += 1


FULL = Effort(slices=30, seconds=0.05, turnover=1, warm_up=8, patience=8.0, rounds=3)
QUICK = Effort(slices=4, seconds=0.1, turnover=1, warm_up=4)


@dataclass(frozen=True)
class Case:
    """One row: its labels, and the function that measures it."""

    name: str
    labels: tuple[str, ...]
    measure: Callable[[Effort], Row]
    known: tuple[Value, ...] = ()
    """Goals for the measured numbers."""
    heavy: bool = False
    """Skipped in a quick run."""
    best_of_rounds: str = ""
    """The column by which the best of several rounds is chosen; empty for one round."""


@dataclass(frozen=True)
class Section:
    """One table."""

    key: str
    title: str
    text: str
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    """Keys of the measured values, and headings."""
    cases: tuple[Case, ...]
    known: tuple[str, ...] = ()
    """Headings of goals."""
