"""The columns of a run's row: names and values; the names are equal for all runs of a study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom import numerics
from carom.errors import InputError, StudyError
from carom.observe.observable import Floats
from carom.scene import Scene
from carom.sweeps.study.plan import RunSpec, scene_of
from carom.sweeps.study.wanted import Wanted

if TYPE_CHECKING:
    from carom.observe.follower import Measurements
    from carom.sweeps.study.study import Study

_RESERVED = ("index", "id", "point", "repeat", "seed", "status", "reason", "done", "failed", "how")
"""Columns of the table or of the summary that are not values of runs."""
BASE = ("time", "collisions", "kinetic_energy", "energy", "stopped")
"""Values of every run, at its end."""
REMARKS = "remarks"
ERROR = "_error"
"""Suffix of columns that hold errors of others."""
MAX_ENTRIES = 64
"""Columns of an observable."""


def columns(study: Study) -> list[str]:
    """The columns of the values of runs; `values` of every row has these keys.

    time, collisions, kinetic_energy, energy  at the end of the run.
    stopped                                   why it ended: "until", "collisions", or "over" (nothing more can happen).
    NAME, NAME_error                          mean of an observable over the run, and its standard error.
    NAME_last, NAME_min, …                    other statistics of its samples.
    remarks                                   warnings of carom.

    Entries of vectors are NAME_x, NAME_y, NAME_z, of other lists NAME_0, NAME_1 and so on. The mean of an observable
    with the name of one of the first five is in NAME_mean.
    """
    found = dict.fromkeys(BASE)
    if study.observables:
        ours = (*BASE, *(f"{name}{ERROR}" for name in BASE), REMARKS, *_RESERVED)
        owners = dict.fromkeys(ours, "carom's own") | dict.fromkeys(study.parameters, "that of a parameter")
        for spec in _end_runs(study):
            for each, names in _of_scene(study.observables, scene_of(study, spec)):
                _claim(names, each, owners)
                errors = each.take == "mean"
                found |= dict.fromkeys(name + end for name in names for end in (("", ERROR) if errors else ("",)))
    return [*found, REMARKS]


def _claim(names: Sequence[str], wanted: Wanted, owners: dict[str, str]) -> None:
    """Register the owner of columns and their errors; StudyError if a column has another owner."""
    owner = f"that of {str(wanted)!r}"
    claimed = [f"{name}{ending}" for name in names for ending in ("", ERROR)]
    for name in claimed:
        other = owners.setdefault(name, owner)
        if other != owner or claimed.count(name) > 1:
            problem = "columns.of-other" if other != owner else "columns.twice"
            raise StudyError.of(problem, where="observables", wanted=repr(str(wanted)), name=repr(name), other=other)


def kinds(names: Sequence[str]) -> dict[str, type]:
    """The type of each column: float, int or str."""
    known: dict[str, type] = {"collisions": int, "stopped": str, REMARKS: str}
    return {name: known.get(name, float) for name in names}


def column_values(wanted: Sequence[Wanted], measured: Measurements, dimension: int) -> dict[str, float]:
    """The values of columns, from measurements."""
    found: dict[str, float] = {}
    for each in wanted:
        kind = each.observable()
        for ending, numbers in _statistics(each, measured):
            labels = _entries(each.name, np.shape(numbers), kind.labels, dimension)
            names = [f"{_stem(name, each.take)}{ending}" for name in labels]
            found |= dict(zip(names, np.ravel(numbers).tolist(), strict=True))
    return found


def _end_runs(study: Study) -> Iterator[RunSpec]:
    """The first run and the last one, whose observables may have different numbers of entries."""
    yield study.run_at(0)
    if len(study) > 1:
        yield study.run_at(len(study) - 1)


def _of_scene(wanted: Iterable[Wanted], scene: Scene) -> Iterator[tuple[Wanted, list[str]]]:
    """The columns of a run of a scene, without errors."""
    start = Start(scene)
    for each in wanted:
        measures = each.observable()
        if measures.of_time and each.take == "mean":
            raise StudyError.of("column.function", where="observables", name=each.name)
        try:
            measures.begin(start)
            shape = np.shape(measures.sample(start))
        except InputError as error:
            raise StudyError([problem.inside("observables") for problem in error.problems]) from None
        names = _entries(each.name, shape, measures.labels, scene.dimension)
        yield each, [_stem(name, each.take) for name in names]


def _entries(name: str, shape: tuple[int, ...], labels: tuple[str, ...], dimension: int) -> list[str]:
    """Names of the entries of a sample."""
    if not shape:
        return [name]
    size = int(np.prod(shape))
    if size > MAX_ENTRIES:
        raise StudyError.of("column.too-many-entries", where="observables", name=name, size=size, most=MAX_ENTRIES)
    if len(shape) == 1 and len(labels) == size:
        return [f"{name}_{re.sub(r'[^0-9A-Za-z]+', '_', label)}" for label in labels]
    if shape == (dimension,):
        return [f"{name}_{axis}" for axis in "xyz"[:dimension]]
    return ["_".join((name, *map(str, which))) for which in np.ndindex(shape)]


def _stem(name: str, take: str) -> str:
    """The name of the column of a statistic."""
    plain = take == "mean" and name not in BASE
    return name if plain else f"{name}_{take}"


def _statistics(wanted: Wanted, measured: Measurements) -> Iterator[tuple[str, Any]]:
    """Statistics of an observable's samples, each with the suffix of its column."""
    if wanted.take == "mean":
        mean, error = measured.means(wanted.name)
        yield "", mean
        yield ERROR, error
    elif wanted.take == "last":
        yield "", measured.last[wanted.name]
    else:
        series = measured.series[wanted.name]
        _, values = series.since(float(series.times[0]) if len(series.times) else 0.0)
        yield "", _statistic(wanted.take, values)


def _statistic(take: str, values: Floats) -> Floats:
    """A statistic of samples without NaN: first, last, min, max, or the largest drift from the first."""
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    if take == "first":
        return np.asarray(values[0])
    if take in ("min", "max"):
        return np.asarray((np.fmin if take == "min" else np.fmax).reduce(values, axis=0))
    away = np.fmax.reduce(np.abs(values - values[0]), axis=0)
    scale = np.abs(values[0])
    return np.asarray(away / np.where(scale > 0.0, scale, 1.0))


@dataclass(frozen=True)
class Start:
    """A stand-in for a run at its start, from which observables tell the shape of their samples."""

    scene: Scene
    time: float = 0.0
    collisions: int = 0
    kinetic_energy: float = 0.0
    potential_energy: float = 0.0
    energy: float = 0.0

    @property
    def positions(self) -> Floats:
        """In m."""
        return self.scene.balls.position

    @property
    def velocities(self) -> Floats:
        """In m/s."""
        return self.scene.balls.velocity

    @property
    def turns(self) -> Any:
        """Zero at the start."""
        return np.zeros(self.positions.shape, np.int64)

    @property
    def masses(self) -> Floats:
        """In kg."""
        return self.scene.balls.mass

    @property
    def radii(self) -> Floats:
        """In m."""
        return self.scene.balls.radius

    @property
    def momentum(self) -> Floats:
        """The total, kg m/s."""
        return np.asarray(numerics.product(self.masses, self.velocities))

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """Zero at the start."""
        return {}
