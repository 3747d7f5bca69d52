"""Checks that the parts of a study agree: paths and scene, groups, number of runs, run plan, plot."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from carom.errors import InputError, Problem
from carom.messages.phrase import Phrase
from carom.scene.fields.base import fault, nearest, shown
from carom.sweeps.study import paths
from carom.sweeps.study.plan import RUN, check_run_path, plan_problems
from carom.sweeps.study.ranges import MAX_RUNS

if TYPE_CHECKING:
    from carom.sweeps.study.study import Study, StudyAxis

__all__ = ["disagreements", "quoted", "where"]


def quoted(path: object) -> str:
    """Write a path as a key of a study file."""
    return json.dumps(path, ensure_ascii=False) if isinstance(path, str) else shown(path)


def where(path: str) -> str:
    """Where a parameter is in a study file."""
    return f"parameters.{quoted(path)}"


def _unknown(path: str, study: Study, where: str) -> Problem:
    """The problem of a path that must be a parameter and is not."""
    hint = nearest(path, study.parameters, "parameters") if study.parameters else Phrase("parameter.add")
    return Problem("parameter.unknown", where=where, path=repr(path), hint=hint)


def disagreements(study: Study) -> list[Problem]:
    """The problems of the first check that finds any."""
    for find in (_paths, _groups, _repeated_points, _too_many_runs, _repeats, _plan, _plot):
        problems = list(find(study))
        if problems:
            return problems
    return []


def _paths(study: Study) -> Iterator[Problem]:
    """Paths that the scene does not have, or that name the same place."""
    seen: dict[paths.Steps, str] = {}
    for path in study.parameters:
        try:
            steps = paths.locate(study.scene, paths.steps_of(path))
            other = next((one for one in seen if one[: len(steps)] == steps[: len(one)]), None)
            if other is not None:
                raise fault("study.same-path", other=repr(seen[other]))
            seen[steps] = path
            if steps[0] == "run":
                check_run_path(path)
            else:
                paths.prepare(study.scene, steps)
        except InputError as error:
            yield from (problem.at(where(path)) for problem in error.problems)


def _groups(study: Study) -> Iterator[Problem]:
    members = [path for group in study.zip for path in group]
    for path in dict.fromkeys(members):
        if path not in study.parameters:
            yield _unknown(path, study, "zip")
        elif members.count(path) > 1:
            yield Problem("zip.twice", where="zip", path=repr(path))
        elif study.parameters[path].drawn:
            yield Problem("zip.drawn", where="zip", path=repr(path))
    for group in study.zip:
        lengths = {path: study.parameters[path].count_of for path in group if path in study.parameters}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{path!r} has {length}" for path, length in lengths.items())
            yield Problem("zip.lengths", where="zip", told=told)


def _repeated_points(study: Study) -> Iterator[Problem]:
    """Repeated points; parameters of a group repeat a point if all their values repeat."""
    for axis in study.axes:
        found = [study.parameters[path].twice() for path in axis.paths]
        if all(value is not None for value in found) and not _are_distinct(study, axis):
            yield Problem("range.twice", where=where(axis.paths[0]), value=shown(found[0]))


def _are_distinct(study: Study, axis: StudyAxis) -> bool:
    columns = [study.parameters[path] for path in axis.paths]
    return len({tuple(column.value(k) for column in columns) for k in range(axis.length)}) == axis.length


def _too_many_runs(study: Study) -> Iterator[Problem]:
    runs = study.points * study.repeats
    if runs > MAX_RUNS:
        product = " × ".join(f"{length:,}" for length in (*(axis.length for axis in study.axes), study.repeats))
        told = f"{runs:,}" if runs < 10**15 else Phrase("about-power", power=round(math.log10(runs)))
        product = f" ({product})" if len(product) < 60 else ""
        yield Problem("study.too-many-runs", where="parameters", runs=told, product=product, most=MAX_RUNS)


def _repeats(study: Study) -> Iterator[Problem]:
    if study.repeats > 1 and not study.random:
        yield Problem("study.same-repeats", where="repeats", repeats=study.repeats)


def _plan(study: Study) -> Iterator[Problem]:
    """Problems of the run plan, with the first values of its parameters."""
    first = {path: one.value(0) for path, one in study.parameters.items()}
    try:
        yield from plan_problems(study.run.with_values(first), study.observables)
    except InputError as error:
        yield from (problem.at(where(f"{RUN}{problem.where}")) for problem in error.problems)


def _plot(study: Study) -> Iterator[Problem]:
    """Plotted paths must be parameters; columns are checked later, with the table."""
    for name in ("x", "y", "series", "per"):
        path = getattr(study.plot, name, None)
        if path is not None and path not in study.parameters and ("." in path or "[" in path):
            yield _unknown(path, study, f"plot.{name}")
