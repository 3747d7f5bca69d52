"""Means over the repeats of each point of a study, with error bars."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum, isfinite, isnan, nan, sqrt
from typing import Any

from carom.sweeps.running.task import DONE
from carom.sweeps.study.columns import kinds

MIN_RUNS_FOR_SCATTER = 3
"""From this many runs on, the error of a mean is computed from their scatter."""


def summary(
    rows: Iterable[Mapping[str, Any]], parameters: Sequence[str], columns: Sequence[str]
) -> list[dict[str, Any]]:
    """List the rows of `points`."""
    return list(points(rows, parameters, columns))


def points(
    rows: Iterable[Mapping[str, Any]], parameters: Sequence[str], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """One row per point: `point`, the parameters, `done`, `failed`, `how`, and each column with its error.

    rows        rows of the table in the order of points: `point`, `status`, parameters by path, values by column
    parameters  the paths that the study varies; a parameter that is drawn for each run is None
    columns     the columns of values, as `task.columns` gives them; texts are left out

    The value is the mean over the runs that are done; runs that failed or timed out are only counted. Its
    standard error comes from the scatter of the runs if there are three or more (`how` is "scatter"); else it is that
    of the runs' own errors, added in squares (`how` is "own"), None where a run has none. Runs that have no number in a
    column are left out of it. Sums are rounded once, so that the order of the runs changes no bit.
    """
    for point, runs in groupby(rows, key=lambda row: row["point"]):
        gathered = Point(parameters, columns)
        for run in runs:
            gathered.add(run)
        yield {"point": point, **gathered.row()}


class Point:
    """Accumulates the runs of a point."""

    def __init__(self, parameters: Sequence[str], columns: Sequence[str]) -> None:
        held = kinds(columns)
        errors = {name for name in columns if name.endswith("_error") and name.removesuffix("_error") in held}
        self.shared = Shared(parameters)
        self.columns = {
            name: Gathered(name, f"{name}_error" in errors)
            for name in columns
            if held[name] is not str and name not in errors
        }
        self.done = self.failed = 0

    def add(self, run: Mapping[str, Any]) -> None:
        """Add a run."""
        self.shared.add(run)
        if run["status"] != DONE:
            self.failed += 1
            return
        self.done += 1
        for each in self.columns.values():
            each.add(run)

    def row(self) -> dict[str, Any]:
        """The row of the point: see `points`."""
        scatter = self.done >= MIN_RUNS_FOR_SCATTER
        out: dict[str, Any] = {**self.shared.values, "done": self.done, "failed": self.failed}
        out["how"] = "scatter" if scatter else "own"
        for name, each in self.columns.items():
            out[name], out[f"{name}_error"] = each.mean(scatter=scatter)
        return out


class Shared:
    """Accumulates the values that all runs of a point share; None where they differ."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.values: dict[str, Any] = {}

    def add(self, run: Mapping[str, Any]) -> None:
        """Add a run."""
        if not self.values:
            self.values = {name: run.get(name) for name in self.names}
            return
        for name, value in self.values.items():
            if value is not None and run.get(name) != value:
                self.values[name] = None


class Gathered:
    """Accumulates the numbers of a column, and their errors, over the runs of a point: 16 bytes per run."""

    def __init__(self, name: str, with_errors: bool) -> None:
        self.name = name
        self.numbers = array("d")
        self.errors = array("d") if with_errors else None

    def add(self, run: Mapping[str, Any]) -> None:
        """Add a run, if it has a number."""
        number = _number(run.get(self.name))
        if isnan(number):
            return
        self.numbers.append(number)
        if self.errors is not None:
            self.errors.append(_number(run.get(f"{self.name}_error")))

    def mean(self, *, scatter: bool) -> tuple[float | None, float | None]:
        """The mean and its error; None for what there is not."""
        count = len(self.numbers)
        if not count:
            return None, None
        mean = fsum(self.numbers) / count
        error = nan
        if scatter:
            error = (
                sqrt(fsum((value - mean) ** 2 for value in self.numbers) / (count * (count - 1))) if count > 1 else nan
            )
        elif self.errors is not None:
            error = sqrt(fsum(value**2 for value in self.errors)) / count
        return mean, None if isnan(error) else error


def _number(value: Any) -> float:
    """A finite number; NaN for everything else."""
    return float(value) if isinstance(value, int | float) and isfinite(value) else nan
