"""What the plot of a study shows: points with error bars, a line a series, from the table of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import Problem, StudyError
from carom.scene.base import nearest

if TYPE_CHECKING:
    from carom.sweeps.study import PlotSpec, Study
    from carom.sweeps.table import Table

__all__ = ["Dot", "Line", "Value", "lines", "spec_of", "wilson", "words"]

FEW = 3
"""From so many runs on, their scatter tells the error of their mean."""

Floats = NDArray[np.float64]
Value = int | float | bool | str


@dataclass(frozen=True)
class Dot:
    """A point of the plot: the mean of its runs, and how far down and up its error reaches."""

    x: Value
    y: float
    down: float
    up: float
    runs: int


@dataclass
class Line:
    """The points of a series, from left to right; `name` is empty if there is but one."""

    name: str
    value: Value | None
    dots: list[Dot]

    @property
    def x(self) -> Floats:
        """Where its points are."""
        return np.array([dot.x for dot in self.dots], dtype=np.float64)

    @property
    def y(self) -> Floats:
        """How high they are."""
        return np.array([dot.y for dot in self.dots])

    @property
    def bars(self) -> Floats:
        """Their errors, down and up."""
        return np.array([[dot.down for dot in self.dots], [dot.up for dot in self.dots]])


@dataclass
class _Sum:
    """What is kept of the runs of a point."""

    x: float = 0.0
    n: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """Σ (y - mean)²."""
    errors: float = 0.0
    """Σ of the squares of the runs' own errors."""

    def add(self, y: float, error: float) -> None:
        """One run more (B. P. Welford, Technometrics 4 (1962) 419)."""
        self.n += 1
        step = y - self.mean
        self.mean += step / self.n
        self.squares += step * (y - self.mean)
        self.errors += error**2

    def dot(self, x: Value, *, share: bool) -> Dot:
        """The point: its error from the scatter of its runs, if there are enough, else from the runs' own errors."""
        if share:
            return Dot(x, self.mean, *wilson(self.mean, self.n), self.n)
        scatter = self.squares / (self.n - 1) / self.n if self.n >= FEW else self.errors / self.n**2
        return Dot(x, self.mean, sqrt(scatter), sqrt(scatter), self.n)


def wilson(share: float, n: int) -> tuple[float, float]:
    """How far down and up the error of a share of n reaches, at one standard deviation.

    E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209: unlike √(p (1 - p)/n) it is not zero where all runs agree.
    """
    middle = (share + 0.5 / n) / (1.0 + 1.0 / n)
    half = sqrt(share * (1.0 - share) / n + 0.25 / n**2) / (1.0 + 1.0 / n)
    return max(0.0, share - middle + half), max(0.0, middle + half - share)


def lines(table: Table, study: Study) -> list[Line]:
    """What a study's plot shows, from its table."""
    spec = spec_of(study, table)
    sums: dict[tuple[Value, Value], _Sum] = {}
    for row in table.rows():
        found = _measured(row, spec)
        if found is None:
            continue
        series = row[spec.series] if spec.series else ""
        place = row[spec.x] if spec.x in study.parameters else row["point"]
        one = sums.setdefault((series, place), _Sum())
        if spec.x not in study.parameters:
            one.x += (float(row[spec.x]) - one.x) / (one.n + 1)
        one.add(*found)
    if not sums:
        raise StudyError([Problem("plot", f"no run has ended that has {spec.y}", "Do some runs first.")])
    return _sorted(sums, study, spec)


def _measured(row: Mapping[str, Any], spec: PlotSpec) -> tuple[float, float] | None:
    """What a run has to say, and its error; None if it has nothing."""
    if row["status"] != "done":
        return None
    y, error = _number(row.get(spec.y)), _number(row.get(f"{spec.y}_error"))
    if spec.per and y is not None:
        by, wrong = _number(row.get(spec.per)), _number(row.get(f"{spec.per}_error"))
        if not by:
            return None
        error = sqrt(((error or 0.0) / by) ** 2 + (y / by * (wrong or 0.0) / by) ** 2)
        y /= by
    if y is None or _number(row.get(spec.x), text=True) is None:
        return None
    if spec.above is not None:
        return float(y > spec.above), 0.0
    return y, error or 0.0


def _number(value: Any, *, text: bool = False) -> float | None:
    """A number that can be drawn; with `text`, a word counts as one."""
    if isinstance(value, str) and text:
        return 0.0
    if isinstance(value, int | float | np.number) and isfinite(value):
        return float(value)
    return None


def _sorted(sums: Mapping[tuple[Value, Value], _Sum], study: Study, spec: PlotSpec) -> list[Line]:
    """The lines in the order in which their series appear; numbers from left to right."""
    found: dict[Value, Line] = {}
    for (series, place), each in sums.items():
        name = _named(spec.series, series) if spec.series else ""
        x = place if spec.x in study.parameters else each.x
        line = found.setdefault(series, Line(name, series if spec.series else None, []))
        line.dots.append(each.dot(x, share=spec.above is not None))
    for line in found.values():
        if not any(isinstance(dot.x, str) for dot in line.dots):
            line.dots.sort(key=lambda dot: float(dot.x))
    return list(found.values())


def _named(path: str, value: Value) -> str:
    """A series in words: texts speak for themselves."""
    return value if isinstance(value, str) else f"{words(path)} = {value:g}"


def words(path: str) -> str:
    """The last part of a path as words."""
    return path.rpartition(".")[2].replace("_", " ")


def spec_of(study: Study, table: Table) -> PlotSpec:
    """What is to be drawn, if it can be."""
    spec = study.plot
    if spec is None:
        remedy = 'Add a [plot] table with x and y, such as x = "generator.count" and y = "energy".'
        raise StudyError([Problem("plot", "the study does not say what to draw", remedy)])
    wanted = {"x": spec.x, "y": spec.y, "per": spec.per, "series": spec.series}
    problems = [
        Problem(f"plot.{key}", f"the table has no column {name!r}", nearest(name, table.columns, "columns"))
        for key, name in wanted.items()
        if name and name not in table.columns
    ]
    if problems:
        raise StudyError(problems)
    return spec
