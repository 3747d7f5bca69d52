"""Checks the values of a study before it runs, and compares it with an earlier one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from carom.errors import InputError, Problem, SceneError, SolverError
from carom.observe.observable import observable
from carom.scene import Scene, library
from carom.scene.fields.base import place, shown
from carom.solvers import choose
from carom.sweeps.study.agreement import where
from carom.sweeps.study.plan import RUN, RunPlan, RunSpec, plan_problems, scene_of
from carom.sweeps.study.ranges import Value

if TYPE_CHECKING:
    from carom.sweeps.study.study import Study

__all__ = ["changes", "problems"]

MAX_BUILDS = 200
"""Scenes that are built to check values."""
MAX_BALLS = 100_000
"""Balls of a scene that is built for the check."""
MAX_TOTAL_BALLS = 1_000_000
"""Balls of all these scenes; beyond, only the options of generators are checked."""
MAX_LINES = 20


def problems(study: Study) -> list[Problem]:
    """Problems of values: of the first of each parameter, of single ones, and of the last of each."""
    found = list(_unknown_observables(study))
    budget = MAX_TOTAL_BALLS
    wrong: dict[str, list[Problem]] = {}
    for path, values in _trials(study):
        if _FIRST in wrong or path in wrong or (path == _LAST and wrong):
            continue  # problems of the first values are problems of all, and one bad value per parameter is enough
        told, size = _problems_of(study, path, values, budget)
        budget -= size
        if told:
            wrong[path] = told
    return found + list(dict.fromkeys(problem for told in wrong.values() for problem in told))


_FIRST, _LAST = "(first)", "(last)"
"""Stand for a path where values of all parameters are tried."""


def _trials(study: Study) -> Iterator[tuple[str, dict[str, Value]]]:
    """Values to try, with the parameter that they test."""
    first = {path: one.value(0) for path, one in study.parameters.items()}
    yield _FIRST, first
    together = {path: group for group in study.zip for path in group}
    share = max(2, (MAX_BUILDS - 2) // max(1, len(study.parameters)))
    for path, one in study.parameters.items():
        for index, value in one.samples(share):
            beside = {other: study.parameters[other].value(index) for other in together.get(path, ())}
            if first[path] != value:
                yield path, first | beside | {path: value}
    last = {path: one.value(one.count_of - 1) for path, one in study.parameters.items()}
    if last != first:
        yield _LAST, last


def _problems_of(study: Study, path: str, values: dict[str, Value], budget: int) -> tuple[list[Problem], int]:
    """Problems of one choice of values, and how many balls were made to find them."""
    size = 0
    try:
        run = study.run.with_values(values)
    except InputError as error:
        return [_at_parameter(problem, path, values, RUN) for problem in error.problems], 0
    found = [_at_parameter(problem, path, values) for problem in plan_problems(run, study.observables)]
    try:
        scene = _built(study, values, budget)
        size = len(scene.balls) if scene is not None else 0
        if scene is not None:
            found += [_at_parameter(problem, path, values) for problem in _solver_problems(scene, run)]
    except InputError as error:
        found += [_at_parameter(problem, path, values) for problem in error.problems]
    return found, size


def _built(study: Study, values: dict[str, Value], budget: int) -> Scene | None:
    """Build the scene of these values; if it would be large, check only its options and return None."""
    table = study.base.get("generator")
    if isinstance(table, dict):
        prefix = "generator."
        given = {path.removeprefix(prefix): value for path, value in values.items() if path.startswith(prefix)}
        options = {**table, **given}
        kind = options.pop("kind", None)
        if isinstance(kind, str) and kind in library.generators():
            try:
                made = library.generators()[kind].of(options)
            except InputError as error:
                raise SceneError(problem.inside("generator") for problem in error.problems) from None
            if made.expected > min(MAX_BALLS, budget):
                return None
    return scene_of(study.base, RunSpec(0, "", 0, 0, study.seed, values)) if budget > 0 else None


def _solver_problems(scene: Scene, run: RunPlan) -> Iterator[Problem]:
    """Problems of the solver options for a scene."""
    from carom.solvers.stepped.integrators.cards import problems as of_integrator  # noqa: PLC0415  # it loads the kernels

    if run.integrator is not None:
        yield from of_integrator(run.integrator, "run.integrator")
    try:
        choose.solver_for(scene, choose.Wish(run.solver, run.step, run.integrator, run.contacts, (), run.neighbours))
    except InputError as error:
        yield from (problem.inside("run") for problem in error.problems)
    except SolverError as error:
        yield Problem("study.not-solved", where="run.solver", reason=str(error).rstrip("."))


def _at_parameter(problem: Problem, path: str, values: Mapping[str, Value], prefix: str = "") -> Problem:
    """Move a problem to the parameter that causes it, with the value that was tried."""
    at = f"{prefix}{problem.where}"
    if at in values:
        return problem.at(where(at))
    if path == _FIRST:
        return problem.at(at if at.startswith(RUN) else f"scene.{at}".rstrip("."))
    texts = {"inside": f"{at}: " if at else "", "what": problem.phrase("what"), "remedy": problem.phrase("remedy")}
    if path == _LAST:
        return Problem("study.with-last", where="parameters", **texts)
    return Problem("study.with-value", where=where(path), value=shown(values[path]), **texts)


def _unknown_observables(study: Study) -> Iterator[Problem]:
    for index, one in enumerate(study.observables):
        if one.own is None:
            try:
                observable(one.name)
            except InputError as error:
                (problem,) = error.problems
                yield Problem(
                    "observables.give-again",
                    where=f"observables[{index}]",
                    what=problem.phrase("what"),
                    remedy=problem.phrase("remedy"),
                )


# Changes.


def changes(before: Study, after: Study) -> list[str]:
    """The changes from one study to another, one line each."""
    lines = [*_field_changes(before, after), *_range_changes(before, after), *_observable_changes(before, after)]
    lines += [f"run.{line}" for line in _value_changes(before.run.table(), after.run.table())]
    lines += [f"scene: {line}" for line in _value_changes(before.scene, after.scene)]
    more = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], f"... and {more} more"] if more > 0 else lines


def _field_changes(before: Study, after: Study) -> Iterator[str]:
    for name in ("name", "description", "repeats", "seed", "zip"):
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            yield f"{name}: {shown(one)} became {shown(other)}"
    if before.plot != after.plot:
        yield "plot: changed"
    if list(before.parameters) != list(after.parameters) and set(before.parameters) == set(after.parameters):
        yield "parameters: order changed"


def _range_changes(before: Study, after: Study) -> Iterator[str]:
    for path in dict.fromkeys([*before.parameters, *after.parameters]):
        one, other = before.parameters.get(path), after.parameters.get(path)
        if one is None:
            yield f"{where(path)}: new, {other}"
        elif other is None:
            yield f"{where(path)}: removed, was {one}"
        elif one != other:
            yield f"{where(path)}: {one} became {other}"


def _observable_changes(before: Study, after: Study) -> Iterator[str]:
    one, other = list(map(str, before.observables)), list(map(str, after.observables))
    yield from (f"observables: new, {name}" for name in other if name not in one)
    yield from (f"observables: removed, {name}" for name in one if name not in other)
    if one != other and sorted(one) == sorted(other):
        yield "observables: order changed"


def _value_changes(before: Any, after: Any, steps: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Compare two documents value by value."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            yield from _value_changes(before.get(key, _MISSING), after.get(key, _MISSING), (*steps, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _value_changes(one, other, (*steps, index))
    elif before is _MISSING:
        yield f"{place(steps)}: new, {shown(after)}"
    elif after is _MISSING:
        yield f"{place(steps)}: removed, was {shown(before)}"
    elif _are_different(before, after):
        many = isinstance(before, list) and isinstance(after, list)
        yield (
            f"{place(steps)}: {len(before)} became {len(after)}"
            if many
            else (f"{place(steps)}: {shown(before)} became {shown(after)}")
        )


def _are_different(one: Any, other: Any) -> bool:
    return (type(one) is not type(other) and isinstance(one, bool) != isinstance(other, bool)) or one != other


_MISSING = object()
