"""What a benchmark is: a case in a section, measured with some effort, giving the cells of one row."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Value = float | str
Row = Mapping[str, Value]


class Skipped(Exception):  # noqa: N818  # not an error: the row says why it is empty
    """A case that cannot be measured here; the text says why."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    slices: int
    """How many slices of a run are timed, at least; the best counts."""
    seconds: float
    """CPU time of a slice, at least."""
    turnover: int
    """Collisions a ball in a slice, at least, so that the solver's periodic chores fall into each."""
    warm_up: int
    """Collisions a ball before the first slice."""
    patience: float = 0.0
    """CPU time of all slices, at least, s: a neighbour on a shared machine may be busy for seconds."""
    rounds: int = 1
    """How many times cases of the main table are measured (once with all others, and again after them), and starts."""

    def goes_on(self) -> Iterator[None]:
        """Once for each slice: until they are enough, and have taken long enough."""
        begin, done = time.process_time(), 0
        while done < self.slices or time.process_time() - begin < self.patience:
            yield
            done += 1


FULL = Effort(slices=30, seconds=0.05, turnover=1, warm_up=8, patience=8.0, rounds=3)
QUICK = Effort(slices=4, seconds=0.1, turnover=1, warm_up=4)


@dataclass(frozen=True)
class Case:
    """One row: its labels, and how its numbers are found."""

    name: str
    labels: tuple[str, ...]
    measure: Callable[[Effort], Row]
    known: tuple[Value, ...] = ()
    """Numbers that are not measured: what the measured ones are to reach."""
    heavy: bool = False
    """Left out of a quick run."""
    best_of_rounds: str = ""
    """A measured column whose best of all rounds counts; else there is one round."""


@dataclass(frozen=True)
class Section:
    """One table."""

    key: str
    title: str
    text: str
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    """The keys of what the cases measure, which are the headings too."""
    cases: tuple[Case, ...]
    known: tuple[str, ...] = ()
    """Headings of what is not measured: what a column is to reach."""
