"""What a run's row holds: the names of its values, which are the same for all runs of a study."""

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

_OTHERS = ("index", "id", "point", "repeat", "seed", "status", "reason", "done", "failed", "how")
"""Columns of the table or of the summary that no run fills."""
BASE = ("time", "collisions", "kinetic_energy", "energy", "stopped")
"""Of each run, at its end."""
REMARKS = "remarks"
ERROR = "_error"
"""Ends the name of a column that holds the errors of another."""
MOST_ENTRIES = 64
"""An observable may fill so many columns."""


def columns(study: Study) -> list[str]:
    """The columns that a study's runs fill, whatever becomes of them: `values` of a row has just these.

    time, collisions, kinetic_energy, energy  at the end of the run.
    stopped                                   why it ended: "until", "collisions", or "over" (nothing more can happen).
    NAME, NAME_error                          mean of an observable over the run, and its standard error.
    NAME_last, NAME_min, …                    what else is taken of its samples.
    remarks                                   what carom warned of.

    Entries of vectors are NAME_x, NAME_y, NAME_z, of other lists NAME_0, NAME_1 and so on. An observable that is called
    as one of the first five has its mean in NAME_mean.
    """
    found = dict.fromkeys(BASE)
    if study.observables:
        ours = (*BASE, *(f"{name}{ERROR}" for name in BASE), REMARKS, *_OTHERS)
        owners = dict.fromkeys(ours, "carom's own") | dict.fromkeys(study.parameters, "that of a parameter")
        for spec in _ends(study):
            for each, names in _of_scene(study.observables, scene_of(study, spec)):
                _claim(names, each, owners)
                errors = each.take == "mean"
                found |= dict.fromkeys(name + end for name in names for end in (("", ERROR) if errors else ("",)))
    return [*found, REMARKS]


def _claim(names: Sequence[str], wanted: Wanted, owners: dict[str, str]) -> None:
    """Note whose columns these are; refuse those of others. In the summary, each has its error beside it."""
    owner = f"that of {str(wanted)!r}"
    claimed = [f"{name}{ending}" for name in names for ending in ("", ERROR)]
    for name in claimed:
        other = owners.setdefault(name, owner)
        if other != owner or claimed.count(name) > 1:
            problem = "columns.of-other" if other != owner else "columns.twice"
            raise StudyError.of(problem, where="observables", wanted=repr(str(wanted)), name=repr(name), other=other)


def kinds(names: Sequence[str]) -> dict[str, type]:
    """Of each column, what it holds: float, int or str."""
    known: dict[str, type] = {"collisions": int, "stopped": str, REMARKS: str}
    return {name: known.get(name, float) for name in names}


def filled(wanted: Sequence[Wanted], measured: Measurements, dimension: int) -> dict[str, float]:
    """The values of the columns that are wanted, from what was measured."""
    found: dict[str, float] = {}
    for each in wanted:
        kind = each.observable()
        for ending, numbers in _taken(each, measured):
            labels = _entries(each.name, np.shape(numbers), kind.labels, dimension)
            names = [f"{_stem(name, each.take)}{ending}" for name in labels]
            found |= dict(zip(names, np.ravel(numbers).tolist(), strict=True))
    return found


def _ends(study: Study) -> Iterator[RunSpec]:
    """The first run and the last one: between them, an observable may have more entries."""
    yield study.run_at(0)
    if len(study) > 1:
        yield study.run_at(len(study) - 1)


def _of_scene(wanted: Iterable[Wanted], scene: Scene) -> Iterator[tuple[Wanted, list[str]]]:
    """The columns that a run of a scene fills, without those of errors."""
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
    """The names of the entries of a sample."""
    if not shape:
        return [name]
    size = int(np.prod(shape))
    if size > MOST_ENTRIES:
        raise StudyError.of("column.too-many-entries", where="observables", name=name, size=size, most=MOST_ENTRIES)
    if len(shape) == 1 and len(labels) == size:
        return [f"{name}_{re.sub(r'[^0-9A-Za-z]+', '_', label)}" for label in labels]
    if shape == (dimension,):
        return [f"{name}_{axis}" for axis in "xyz"[:dimension]]
    return ["_".join((name, *map(str, which))) for which in np.ndindex(shape)]


def _stem(name: str, take: str) -> str:
    """The column of an entry."""
    plain = take == "mean" and name not in BASE
    return name if plain else f"{name}_{take}"


def _taken(wanted: Wanted, measured: Measurements) -> Iterator[tuple[str, Any]]:
    """What is taken of an observable's samples, each with the ending of its column."""
    if wanted.take == "mean":
        mean, error = measured.means(wanted.name)
        yield "", mean
        yield ERROR, error
    elif wanted.take == "last":
        yield "", measured.last[wanted.name]
    else:
        series = measured.series[wanted.name]
        _, values = series.since(float(series.times[0]) if len(series.times) else 0.0)
        yield "", _of_samples(wanted.take, values)


def _of_samples(take: str, values: Floats) -> Floats:
    """The first, the least, the largest, or how far it went from the first; NaN samples are left out."""
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
    """The start of a scene, as observables read a run: enough to know the shape of what they measure."""

    scene: Scene
    time: float = 0.0
    collisions: int = 0
    kinetic_energy: float = 0.0
    potential_energy: float = 0.0
    energy: float = 0.0

    @property
    def positions(self) -> Floats:
        """Of the balls, m."""
        return self.scene.balls.position

    @property
    def velocities(self) -> Floats:
        """Of the balls, m/s."""
        return self.scene.balls.velocity

    @property
    def turns(self) -> Any:
        """None yet."""
        return np.zeros(self.positions.shape, np.int64)

    @property
    def masses(self) -> Floats:
        """Of the balls, kg."""
        return self.scene.balls.mass

    @property
    def radii(self) -> Floats:
        """Of the balls, m."""
        return self.scene.balls.radius

    @property
    def momentum(self) -> Floats:
        """Of all balls, kg m/s."""
        return np.asarray(numerics.product(self.masses, self.velocities))

    @property
    def collisions_by_kind(self) -> dict[str, int]:
        """None yet."""
        return {}
