"""The plan of runs: their end, their solver, their identity and their scene."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from pydantic import BeforeValidator, Field

from carom.errors import Problem
from carom.scene import Scene, library
from carom.scene.fields.base import Part, fault, nearest, shown
from carom.scene.fields.quantities import Flag, NotNegative, Positive, Whole, Word, one_of
from carom.scene.io.files import build
from carom.sweeps.study import paths
from carom.sweeps.study.ranges import Range, Value
from carom.sweeps.study.wanted import Wanted

__all__ = [
    "RUN",
    "SEED",
    "SWEPT",
    "RunPlan",
    "RunSpec",
    "has_seed",
    "plan_of",
    "plan_problems",
    "sample_problems",
    "scene_of",
]

RUN = "run."
"""Prefix of paths into the run plan."""
SEED = "generator.seed"
"""The path of the seed of a run, unless the study sweeps it."""
SWEPT = ("until", "collisions", "every", "settle", "solver", "step", "integrator", "contacts", "neighbours")
"""Fields of a run plan that may be parameters; others change neither a run nor its row."""
MAX_SAMPLES = 10_000_000
"""Samples of a run, which are in memory until it ends."""


def _some(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise fault("plan.collisions", value=shown(value))
    return value


class RunPlan(Part):
    """The end of a run, its solver, and its samples."""

    until: Positive | None = Field(default=None, description="time at which a run ends, in s")
    collisions: Annotated[Whole | None, BeforeValidator(_some)] = Field(
        default=None, description="number of collisions after which a run ends"
    )
    every: Positive | None = Field(default=None, description="time between two samples of the observables, in s")
    settle: NotNegative = Field(default=0.0, description="samples before this time are not used in means, in s")
    solver: Annotated[Literal["auto", "exact", "stepped"], BeforeValidator(one_of("auto", "exact", "stepped"))] = Field(
        default="auto", description="the solver; auto is the exact one wherever it applies"
    )
    step: Positive | None = Field(default=None, description="length of a step, in s; chosen automatically by default")
    integrator: Word | None = Field(default=None, description="name of the integrator; chosen automatically by default")
    contacts: Annotated[Literal["auto", "impacts", "pile"], BeforeValidator(one_of("auto", "impacts", "pile"))] = Field(
        default="auto", description="impacts for gases and bounces, pile for bodies that come to rest, or auto"
    )
    neighbours: Annotated[Literal["auto", "cells", "lists"], BeforeValidator(one_of("auto", "cells", "lists"))] = Field(
        default="auto", description="how the exact solver finds partners; affects only the speed"
    )
    time_limit: Positive | None = Field(default=None, description="longest wall-clock time of one run, in s")
    record: Flag = Field(default=False, description="true saves a recording of each run")
    events: Flag = Field(default=False, description="true saves collisions in the recordings too")

    def table(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as in a study file."""
        fields = type(self).model_fields
        return {name: getattr(self, name) for name in fields if getattr(self, name) != fields[name].default}

    def with_values(self, values: Mapping[str, Value]) -> RunPlan:
        """Return the plan with the values of its parameters set."""
        changes = {path.removeprefix(RUN): value for path, value in values.items() if path.startswith(RUN)}
        return self.replace(**changes) if changes else self


def plan_problems(run: RunPlan, wanted: Sequence[Wanted]) -> Iterator[Problem]:
    """Problems between the fields of a run plan with its parameters set."""
    if run.until is None and run.collisions is None:
        yield Problem("plan.no-end", where="run")
    sampled = next((one for one in wanted if one.take != "last"), None)
    if sampled is not None and run.every is None:
        yield Problem("plan.no-every", where="run.every", name=repr(sampled.name))
    if run.until is not None and run.settle >= run.until:
        yield Problem("plan.settle", where="run.settle", settle=run.settle, until=run.until)
    yield from sample_problems(run)
    if run.events and not run.record:
        yield Problem("plan.events", where="run.events")


def sample_problems(run: RunPlan) -> Iterator[Problem]:
    """The problem of too many samples."""
    if run.until is not None and run.every is not None and run.until / MAX_SAMPLES > run.every:
        yield Problem(
            "plan.too-many-samples",
            where="run.every",
            every=run.every,
            most=MAX_SAMPLES,
            until=run.until,
            longer=run.until / 1000,
        )


def check_run_path(path: str) -> None:
    """A fault for a path that is no parameter of the run plan."""
    steps, name = paths.steps_of(path), path.removeprefix(RUN)
    if len(steps) != 2 or steps[1] not in RunPlan.model_fields:
        raise fault("plan.unknown", name=repr(name), hint=nearest(name, SWEPT))
    if steps[1] not in SWEPT:
        raise fault("plan.not-swept", name=repr(name))


# One run.


@dataclass(frozen=True)
class RunSpec:
    """One run of a study: small, plain, and independent of its place in the sweep.

    index       its number, in the order of the study
    id          16 hex digits, a hash of all that affects its bits or its row
    point       number of its point, shared by its repeats
    repeat      number of the repeat, from 0
    seed        63 bits from the study's seed, the parameters of the scene and the repeat, so that runs that differ
                only in the solver start alike
    parameters  values by path, in the order of the study, drawn ones included
    """

    index: int
    id: str
    point: int
    repeat: int
    seed: int
    parameters: dict[str, Value]


class _HasBase(Protocol):
    @property
    def base(self) -> Mapping[str, Any]: ...


class _HasRun(Protocol):
    @property
    def run(self) -> RunPlan: ...


def scene_of(study: _HasBase | Mapping[str, Any], spec: RunSpec) -> Scene:
    """Build the scene of a run from a study or its `base`, with parameters and seed set."""
    content: Any = study if isinstance(study, Mapping) else study.base
    for path, value in spec.parameters.items():
        if not path.startswith(RUN):
            content = paths.set_value(content, paths.steps_of(path), value)
    if SEED not in spec.parameters and has_seed(content):
        content = paths.set_value(content, paths.steps_of(SEED), spec.seed)
    return build(content)


def plan_of(study: _HasRun | RunPlan, spec: RunSpec) -> RunPlan:
    """The plan of a run: that of the study, with parameters set."""
    return (study if isinstance(study, RunPlan) else study.run).with_values(spec.parameters)


def has_seed(content: Mapping[str, Any]) -> bool:
    """Has the generator of a document an option `seed`?"""
    table = content.get("generator")
    kind = table.get("kind") if isinstance(table, dict) else None
    known = library.generators()
    return isinstance(kind, str) and kind in known and "seed" in known[kind].model_fields


# Ids and seeds from content, so that a run does not depend on its place in the study.


def hashable(value: Value) -> list[Any]:
    """A value prepared for hashing: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, bool | str):
        return [type(value).__name__, value]
    return ["number", float(value) if float(value) == value else value]


def digest_of(content: Any) -> str:
    """Hash plain content: 64 hex digits."""
    return hashlib.sha256(_CANONICAL.encode(content).encode()).hexdigest()


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def seed_of(digest: str) -> int:
    """63 bits from a hash."""
    return int(np.random.SeedSequence(int(digest, 16)).generate_state(1, np.uint64)[0] >> np.uint64(1))


def draw_value(law: Range, seed: int, path: str) -> float:
    """Draw a value from the seed of a run, independent of other parameters."""
    stream = int(digest_of(path)[:8], 16)
    bits = int(np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)[0] >> np.uint64(11))
    return law.draw((bits + 0.5) / 2**53)
