"""What a benchmark is: a case in a section, measured with some effort, giving the cells of one row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Value = float | str
Row = Mapping[str, Value]


class Skipped(Exception):  # noqa: N818  # not an error: the row says why it is empty
    """A case that cannot be measured here; the text says why."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    slices: int
    """How many slices of a run are timed; the best counts."""
    seconds: float
    """CPU time of a slice, at least."""
    turnover: int
    """Collisions a ball in a slice, at least, so that the solver's periodic chores fall into each."""
    warm_up: int
    """Collisions a ball before the first slice."""


FULL = Effort(slices=30, seconds=0.08, turnover=1, warm_up=8)
QUICK = Effort(slices=4, seconds=0.1, turnover=1, warm_up=4)


@dataclass(frozen=True)
class Case:
    """One row: its labels, and how its numbers are found."""

    name: str
    labels: tuple[str, ...]
    measure: Callable[[Effort], Row]
    known: tuple[Value, ...] = ()
    """Numbers that are not measured here: targets, and what others reached."""
    heavy: bool = False
    """Left out of a quick run."""


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
    """Headings of what is not measured here."""
    ratio: tuple[str, str] | None = None
    """A measured and a known column whose ratio is shown last."""
