"""One run of a study: from its place in the plan to its row of the table. This is what workers do."""

from __future__ import annotations

import faulthandler
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from carom.errors import CaromError, StudyError
from carom.solvers import choose
from carom.sweeps.study.columns import REMARKS, columns, filled, kinds
from carom.sweeps.study.plan import RunPlan, RunSpec, plan_of, sample_problems, scene_of
from carom.sweeps.study.wanted import Wanted
from carom.thread_warnings import heard

if TYPE_CHECKING:
    from carom.observe.follower import Measurements
    from carom.simulation.simulation import Simulation
    from carom.sweeps.study.study import Study

__all__ = [
    "DONE", "FAILED", "STATUSES", "TIMED_OUT", "Job", "Probe", "Row", "columns", "hard_limit", "kinds", "perform",
    "probe",
]  # fmt: skip

Row = dict[str, Any]
"""`id`, `status` (one of STATUSES), `reason`, `values` by column, `seconds`, `worker` (host:pid)."""

DONE, FAILED, TIMED_OUT = STATUSES = ("done", "failed", "timed out")

LONGEST = 500
"""Letters of a reason or remark, at most."""
GRACE = 30.0
"""A run that does not look at its time limit any more is given half as long again, and so many s, before it is ended
with its process."""


@dataclass(frozen=True)
class Job:
    """What all runs of a study have in common, as workers are told it once. `Job.of(study)` makes one."""

    base: Mapping[str, Any]
    run: RunPlan
    observables: tuple[Wanted, ...]
    columns: tuple[str, ...]
    folder: str | None = None
    """Where recordings go."""
    hard: bool = False
    """May a run that hangs take the whole process with it? For workers of one thread alone."""

    @classmethod
    def of(cls, study: Study, *, folder: str | None = None, hard: bool = False) -> Job:
        """The job of a study."""
        return cls(study.base, study.run, study.observables, tuple(columns(study)), folder, hard)


@dataclass(frozen=True)
class Probe:
    """How long a run takes, s; and how long it took to compile for it."""

    seconds_per_run: float
    compile_seconds: float


class TimedOutError(Exception):
    """A run has taken longer than it may."""


class EnoughError(Exception):
    """A probe knows what it wants to know."""


# A run.


def perform(job: Job, spec: RunSpec, beat: Callable[[], object] | None = None) -> Row:
    """Do one run. Whatever goes wrong with it is in its row. `beat` is called now and then meanwhile."""
    began = perf_counter()
    values: dict[str, Any] = {}
    status, reason = DONE, ""
    with heard() as warned:
        try:
            values = _values(job, spec, beat)
        except TimedOutError as error:
            status, reason = TIMED_OUT, str(error)
        except Exception as error:  # whatever it is, the study goes on
            status, reason = FAILED, _one_line(error)
    remarks = dict.fromkeys(" ".join(words.split()) for words in warned)
    values[REMARKS] = _cut("; ".join(remarks)) or None
    return {
        "id": spec.id,
        "status": status,
        "reason": reason,
        "values": dict.fromkeys(job.columns) | {name: _plain(value) for name, value in values.items()},
        "seconds": perf_counter() - began,
        "worker": f"{socket.gethostname()}:{os.getpid()}",
    }


def _values(job: Job, spec: RunSpec, beat: Callable[[], object] | None) -> dict[str, Any]:
    """Run, and tell what came of it."""
    plan = plan_of(job.run, spec)
    endless = list(sample_problems(plan))
    if endless:
        raise StudyError(endless)
    with _limited(plan.time_limit, beat, hard=job.hard) as clock:
        sim, measured = _run(job, spec, plan, clock)
        found = filled(job.observables, measured, sim.scene.dimension)
    strange = sorted(found.keys() - set(job.columns))
    if strange:
        raise StudyError.of("sweep.column-missing", where="observables", names=list(strange))
    return {
        "time": sim.time,
        "collisions": sim.collisions,
        "kinetic_energy": sim.kinetic_energy,
        "energy": sim.energy,
        "stopped": _why(sim, plan),
        **found,
    }


def _run(job: Job, spec: RunSpec, plan: RunPlan, clock: Clock) -> tuple[Simulation, Measurements]:
    from carom.simulation.simulation import Simulation  # noqa: PLC0415  # a worker loads what it needs when it does

    wish = choose.Wish(plan.solver, plan.step, plan.integrator, plan.contacts)
    sim = Simulation(
        scene_of(job.base, spec), solver=wish.settled, step=plan.step, integrator=plan.integrator,
        contacts=plan.contacts, neighbours=plan.neighbours,
    )  # fmt: skip
    wanted = {each.name: each for each in job.observables}
    observables = [each.observable() for each in wanted.values()]
    clock.start()
    if plan.record and job.folder is not None:
        with _kept(Path(job.folder), spec.id) as path:
            return sim, _recorded(sim, observables, plan, clock, path)
    return sim, sim.measure(
        observables, until=plan.until, collisions=plan.collisions, every=plan.every, settle=plan.settle, progress=clock
    )


def _recorded(sim: Simulation, observables: list[Any], plan: RunPlan, clock: Clock, path: Path) -> Measurements:
    """The same with a recording, of which the measurements are read."""
    from carom.observe.follower import measurements  # noqa: PLC0415  # as above
    from carom.simulation.internal import run_evenly  # noqa: PLC0415  # as above
    from carom.storage.recording import Recording  # noqa: PLC0415  # as above

    with sim.record(path, every=plan.every, events=plan.events, observables=observables, force=True) as recorder:
        run_evenly(sim, plan.until, plan.collisions, clock)
    with Recording(path) as recording:
        values = {name: series.values for name, series in recording.observables.items()}
        return measurements(recorder.sampler, sim, recording.times, values, plan.settle)


@contextmanager
def _kept(folder: Path, name: str) -> Iterator[Path]:
    """A file to record to, which gets its name when the run has ended: no two runs write to the same.

    What a run has left that did not end well is kept too, unless there is a file of the same run already.
    """
    path, kept = folder / f".{name}.{socket.gethostname()}.{os.getpid()}.part.h5", folder / f"{name}.h5"
    well = False
    try:
        yield path
        well = True
    finally:
        with suppress(FileNotFoundError):  # a run that did not begin
            if well or not kept.exists():
                path.replace(kept)
            else:
                path.unlink()


def _why(sim: Simulation, plan: RunPlan) -> str:
    """Why a run has ended."""
    if plan.collisions is not None and sim.collisions >= plan.collisions:
        return "collisions"
    return "until" if plan.until is not None and sim.time >= plan.until else "over"


# Time.


class Clock:
    """Told of a run's progress, it ends one that takes too long; compiling is not counted."""

    def __init__(self, limit: float | None, beat: Callable[[], object] | None = None) -> None:
        self.limit = limit
        self.beat = beat
        self.compiled = 0.0
        self.began = perf_counter()

    def start(self) -> None:
        """Let time count from now."""
        self.began, self.compiled = perf_counter(), 0.0

    @property
    def seconds(self) -> float:
        """Since the start."""
        return perf_counter() - self.began - self.compiled

    def __call__(self, part: float) -> None:
        """A part of the run is done."""
        if self.beat is not None:
            self.beat()
        if self.limit is not None and part < 1.0 and self.seconds > self.limit:
            raise TimedOutError(f"took longer than the {self.limit:g} s of run.time_limit")

    def compiling(self, seconds: float) -> None:
        """So long was spent on compiling."""
        self.compiled += seconds


def hard_limit(limit: float) -> float:
    """So many s after its start, a run with a time limit is ended with its process."""
    return 1.5 * limit + GRACE


@contextmanager
def _limited(limit: float | None, beat: Callable[[], object] | None, *, hard: bool) -> Iterator[Clock]:
    """A clock for a run; one that hangs in a kernel, and so never looks at the clock, is ended with its process."""
    from carom.kernels.progress import Compilations  # noqa: PLC0415  # it loads Numba

    clock = Clock(limit, beat)

    def arm() -> None:
        if hard and limit is not None:
            faulthandler.dump_traceback_later(hard_limit(limit), exit=True, file=_void())

    def disarm() -> None:
        if hard and limit is not None:
            faulthandler.cancel_dump_traceback_later()

    def compiled(seconds: float) -> None:
        clock.compiling(seconds)
        arm()

    arm()
    try:
        with Compilations(disarm, compiled, here=True):  # which may take longer than the run, and ends by itself
            yield clock
    finally:
        disarm()


@cache
def _void() -> int:
    """Where nobody reads; open as long as the process lives."""
    return os.open(os.devnull, os.O_WRONLY)


class Stopwatch(Clock):
    """Notes how far a run has come, and when; it has seen enough after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(None)
        self.enough = seconds
        self.made = perf_counter()
        self.part, self.took = 0.0, 0.0

    def __call__(self, part: float) -> None:
        """A part of the run is done."""
        self.part, self.took = part, self.seconds
        if part < 1.0 and self.took > self.enough:
            raise EnoughError

    def until(self, part: float) -> float:
        """How long it takes to come so far, from the making of the scene on, s."""
        return self.began - self.made + self.took * (part / self.part if self.part > 0.0 else 1.0)


def probe(job: Job, spec: RunSpec, seconds: float = 1.0) -> Probe:
    """How long a run takes, from one that is broken off after so many seconds; compiling comes before it.

    Nothing is recorded. What a run raises is raised.
    """
    bare, plan = replace(job, folder=None), plan_of(job.run, spec)
    cold, warm = (_watched(bare, spec, plan, Stopwatch(enough)) for enough in (0.0, seconds))
    return Probe(warm.until(1.0), max(0.0, cold.until(cold.part) - warm.until(cold.part)))


def _watched(job: Job, spec: RunSpec, plan: RunPlan, watch: Stopwatch) -> Stopwatch:
    """A run with a stopwatch; what is told of it is lost."""
    with heard(), suppress(EnoughError):
        sim, measured = _run(job, spec, plan, watch)
        filled(job.observables, measured, sim.scene.dimension)
        watch(1.0)
    return watch


# What is told.


def _one_line(error: Exception) -> str:
    """What went wrong, in a line."""
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines)
    return _cut(text if isinstance(error, CaromError) and text else f"{type(error).__name__}: {text}".rstrip(": "))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _plain(value: Any) -> Any:
    """None for what is not a number."""
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124  # NaN is not itself
