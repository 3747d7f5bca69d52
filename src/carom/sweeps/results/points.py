"""The content of a plot: points with error bars, one line per series, from the table of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import Problem, StudyError
from carom.scene.fields.base import nearest
from carom.sweeps.results.gather import Point
from carom.sweeps.running.task import DONE

if TYPE_CHECKING:
    from carom.sweeps.results.table import Table
    from carom.sweeps.study.study import PlotSpec, Study

__all__ = ["Dot", "PlotLine", "Value", "lines", "others", "spec_of", "wilson", "words"]

Floats = NDArray[np.float64]
Value = int | float | bool | str


@dataclass(frozen=True)
class Dot:
    """A point of the plot: the mean of its runs, and its error downwards and upwards."""

    x: Value
    y: float
    down: float
    up: float
    runs: int


@dataclass
class PlotLine:
    """The points of a series, from left to right; `name` is empty if there is only one series."""

    name: str
    value: Value | None
    dots: list[Dot]

    @property
    def x(self) -> Floats:
        """x of its points."""
        return np.array([dot.x for dot in self.dots], dtype=np.float64)

    @property
    def y(self) -> Floats:
        """y of its points."""
        return np.array([dot.y for dot in self.dots])

    @property
    def bars(self) -> Floats:
        """Errors of its points, downwards and upwards."""
        return np.array([[dot.down for dot in self.dots], [dot.up for dot in self.dots]])


def wilson(share: float, n: int) -> tuple[float, float]:
    """The error of a fraction of n, downwards and upwards, at one standard deviation.

    E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209: unlike √(p (1 - p)/n) it is not zero where all runs agree.
    """
    middle = (share + 0.5 / n) / (1.0 + 1.0 / n)
    half = sqrt(share * (1.0 - share) / n + 0.25 / n**2) / (1.0 + 1.0 / n)
    return max(0.0, share - middle + half), max(0.0, middle + half - share)


def lines(table: Table, study: Study) -> list[PlotLine]:
    """The lines of a plot, from the table: one dot per point of the study, as in its summary.

    If x or the series is a parameter that is drawn for each run, each run has a dot.
    """
    spec = spec_of(study, table)
    swept = spec.x in study.parameters
    columns = ["y", "x", *(["y_error"] if _with_error(spec, table) else [])]
    points: dict[tuple[Value, Value, int], Point] = {}
    for row in table.rows():
        y, error = _measured(row, spec)
        if spec.above is not None and y is None:
            continue  # the fraction counts only runs that have y
        key = (row[spec.series] if spec.series else "", row[spec.x] if swept else "", row["point"])
        run = {"status": row["status"], "y": y, "y_error": error, "x": row[spec.x]}
        points.setdefault(key, Point((), columns)).add(run)
    found: dict[Value, PlotLine] = {}
    for (series, x, _), point in points.items():
        means = point.row()
        place = x if swept else means["x"]
        if means["y"] is None or place is None:
            continue
        name = _named(spec.series, series) if spec.series else ""
        line = found.setdefault(series, PlotLine(name, series if spec.series else None, []))
        down, up = wilson(means["y"], point.done) if spec.above is not None else (means["y_error"] or 0.0,) * 2
        line.dots.append(Dot(place, means["y"], down, up, point.done))
    if not found:
        raise StudyError.of("plot.no-runs", where="plot", name=spec.y)
    for line in found.values():
        if not any(isinstance(dot.x, str) for dot in line.dots):
            line.dots.sort(key=lambda dot: float(dot.x))
    return list(found.values())


def others(study: Study, spec: PlotSpec) -> list[str]:
    """Parameters in which dots of a line at equal x differ: neither x nor series, nor zipped with one."""
    if spec.x not in study.parameters:
        return []
    shown = {spec.x, spec.series}
    shown |= {path for group in study.zip if shown & set(group) for path in group}
    return [path for path, one in study.parameters.items() if path not in shown and one.count_of > 1]


def _with_error(spec: PlotSpec, table: Table) -> bool:
    """Do the runs have errors of y?"""
    return spec.above is None and any(f"{name}_error" in table.columns for name in (spec.y, spec.per))


def _measured(row: Mapping[str, Any], spec: PlotSpec) -> tuple[float | None, float]:
    """The value of a run and its error; None without a value."""
    y, error = _number(row.get(spec.y)), _error(row, spec.y)
    if row["status"] != DONE or y is None:
        return None, nan
    if spec.per:
        by, wrong = _number(row.get(spec.per)), _error(row, spec.per)
        if not by:
            return None, nan
        y, error = y / by, hypot(error / by, y / by * wrong / by)
    return (y, error) if spec.above is None else (float(y > spec.above), 0.0)


def _error(row: Mapping[str, Any], name: str) -> float:
    """The error of a column in a run: 0 for a column without errors, NaN if it is unknown."""
    found = _number(row.get(f"{name}_error", 0.0))
    return nan if found is None else found


def _number(value: Any) -> float | None:
    """A finite number, else None."""
    return float(value) if isinstance(value, int | float | np.number) and isfinite(value) else None


def _named(path: str, value: Value) -> str:
    """The name of a series: its value if that is a text, else `parameter = value`."""
    return value if isinstance(value, str) else f"{words(path)} = {value:g}"


def words(path: str) -> str:
    """The last part of a path, with blanks instead of underscores."""
    return path.rpartition(".")[2].replace("_", " ")


def spec_of(study: Study, table: Table) -> PlotSpec:
    """The plot of a study; StudyError if it cannot be drawn."""
    spec = study.plot
    if spec is None:
        raise StudyError.of("plot.nothing", where="plot")
    wanted = {"x": spec.x, "y": spec.y, "per": spec.per, "series": spec.series}
    problems = [
        Problem("plot.no-column", where=f"plot.{key}", name=repr(name), hint=nearest(name, table.columns, "columns"))
        for key, name in wanted.items()
        if name and name not in table.columns
    ]
    if problems:
        raise StudyError(problems)
    return spec
