"""One run of a study, as workers do it: from its specification to its row of the table."""

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
from carom.sweeps.study.columns import REMARKS, column_values, columns, kinds
from carom.sweeps.study.plan import RunPlan, RunSpec, plan_of, sample_problems, scene_of
from carom.sweeps.study.wanted import Wanted
from carom.thread_warnings import captured_warnings

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

MAX_TEXT_LENGTH = 500
"""Characters of a reason or remark."""
GRACE = 30.0
"""A run that hangs is killed with its process after 1.5 times its time limit plus this, s."""


@dataclass(frozen=True)
class Job:
    """What all runs of a study share; workers get it once. `Job.of(study)` makes one."""

    base: Mapping[str, Any]
    run: RunPlan
    observables: tuple[Wanted, ...]
    columns: tuple[str, ...]
    folder: str | None = None
    """The folder of recordings."""
    hard: bool = False
    """May a hanging run be killed with its process? Only for workers with one thread."""

    @classmethod
    def of(cls, study: Study, *, folder: str | None = None, hard: bool = False) -> Job:
        """Make the job of a study."""
        return cls(study.base, study.run, study.observables, tuple(columns(study)), folder, hard)


@dataclass(frozen=True)
class Probe:
    """The time of a run and of compiling for it, s."""

    seconds_per_run: float
    compile_seconds: float


class TimedOutError(Exception):
    """A run has exceeded its time limit."""


class EnoughError(Exception):
    """A probe has run long enough."""


# A run.


def perform(job: Job, spec: RunSpec, beat: Callable[[], object] | None = None) -> Row:
    """Do one run, and return its row, which also reports errors. `beat` is called repeatedly meanwhile."""
    began = perf_counter()
    values: dict[str, Any] = {}
    status, reason = DONE, ""
    with captured_warnings() as warned:
        try:
            values = _values(job, spec, beat)
        except TimedOutError as error:
            status, reason = TIMED_OUT, str(error)
        except Exception as error:  # whatever it is, the other runs go on
            status, reason = FAILED, _one_line(error)
    remarks = dict.fromkeys(" ".join(words.split()) for words in warned)
    values[REMARKS] = _shortened("; ".join(remarks)) or None
    return {
        "id": spec.id,
        "status": status,
        "reason": reason,
        "values": dict.fromkeys(job.columns) | {name: _plain(value) for name, value in values.items()},
        "seconds": perf_counter() - began,
        "worker": f"{socket.gethostname()}:{os.getpid()}",
    }


def _values(job: Job, spec: RunSpec, beat: Callable[[], object] | None) -> dict[str, Any]:
    """Do a run, and return the values of its row."""
    plan = plan_of(job.run, spec)
    endless = list(sample_problems(plan))
    if endless:
        raise StudyError(endless)
    with _clock(plan.time_limit, beat, hard=job.hard) as clock:
        sim, measured = _run(job, spec, plan, clock)
        found = column_values(job.observables, measured, sim.scene.dimension)
    strange = sorted(found.keys() - set(job.columns))
    if strange:
        raise StudyError.of("sweep.column-missing", where="observables", names=list(strange))
    return {
        "time": sim.time,
        "collisions": sim.collisions,
        "kinetic_energy": sim.kinetic_energy,
        "energy": sim.energy,
        "stopped": _stop_reason(sim, plan),
        **found,
    }


def _run(job: Job, spec: RunSpec, plan: RunPlan, clock: Clock) -> tuple[Simulation, Measurements]:
    from carom.simulation.simulation import Simulation  # noqa: PLC0415  # workers import modules when needed

    wish = choose.Wish(plan.solver, plan.step, plan.integrator, plan.contacts)
    sim = Simulation(
        scene_of(job.base, spec), solver=wish.settled, step=plan.step, integrator=plan.integrator,
        contacts=plan.contacts, neighbours=plan.neighbours,
    )  # fmt: skip
    wanted = {each.name: each for each in job.observables}
    observables = [each.observable() for each in wanted.values()]
    clock.start()
    if plan.record and job.folder is not None:
        with _recording_path(Path(job.folder), spec.id) as path:
            return sim, _run_recorded(sim, observables, plan, clock, path)
    return sim, sim.measure(
        observables, until=plan.until, collisions=plan.collisions, every=plan.every, settle=plan.settle, progress=clock
    )


def _run_recorded(sim: Simulation, observables: list[Any], plan: RunPlan, clock: Clock, path: Path) -> Measurements:
    """Do a run with a recording, and read the measurements from it."""
    from carom.observe.follower import measurements  # noqa: PLC0415  # as above
    from carom.simulation.internal import run_evenly  # noqa: PLC0415  # as above
    from carom.storage.recording import Recording  # noqa: PLC0415  # as above

    with sim.record(path, every=plan.every, events=plan.events, observables=observables, force=True) as recorder:
        run_evenly(sim, plan.until, plan.collisions, clock)
    with Recording(path) as recording:
        values = {name: series.values for name, series in recording.observables.items()}
        return measurements(recorder.sampler, sim, recording.times, values, plan.settle)


@contextmanager
def _recording_path(folder: Path, name: str) -> Iterator[Path]:
    """A temporary path for a recording, which is renamed when the run has ended: no two runs share a file.

    The recording of a failed run is kept too, unless there is a file of this run already.
    """
    path, kept = folder / f".{name}.{socket.gethostname()}.{os.getpid()}.part.h5", folder / f"{name}.h5"
    well = False
    try:
        yield path
        well = True
    finally:
        with suppress(FileNotFoundError):  # the run did not begin
            if well or not kept.exists():
                path.replace(kept)
            else:
                path.unlink()


def _stop_reason(sim: Simulation, plan: RunPlan) -> str:
    """Why a run has ended, as in the column `stopped`."""
    if plan.collisions is not None and sim.collisions >= plan.collisions:
        return "collisions"
    return "until" if plan.until is not None and sim.time >= plan.until else "over"


# Time.


class Clock:
    """A progress listener that stops a run at its time limit; compiling is not counted."""

    def __init__(self, limit: float | None, beat: Callable[[], object] | None = None) -> None:
        self.limit = limit
        self.beat = beat
        self.compiled = 0.0
        self.began = perf_counter()

    def start(self) -> None:
        """Start the clock."""
        self.began, self.compiled = perf_counter(), 0.0

    @property
    def seconds(self) -> float:
        """Time since the start without compiling, s."""
        return perf_counter() - self.began - self.compiled

    def __call__(self, part: float) -> None:
        """Note the fraction of the run that is done."""
        if self.beat is not None:
            self.beat()
        if self.limit is not None and part < 1.0 and self.seconds > self.limit:
            raise TimedOutError(f"took longer than the {self.limit:g} s of run.time_limit")

    def compiling(self, seconds: float) -> None:
        """Add time that was spent on compiling."""
        self.compiled += seconds


def hard_limit(limit: float) -> float:
    """The time after which a hanging run is killed with its process, s."""
    return 1.5 * limit + GRACE


@contextmanager
def _clock(limit: float | None, beat: Callable[[], object] | None, *, hard: bool) -> Iterator[Clock]:
    """A clock for a run; a run that hangs in a kernel, without checking the clock, is killed with its process."""
    from carom.kernels.progress import Compilations  # noqa: PLC0415  # it loads Numba

    clock = Clock(limit, beat)

    def arm() -> None:
        if hard and limit is not None:
            faulthandler.dump_traceback_later(hard_limit(limit), exit=True, file=_null_file())

    def disarm() -> None:
        if hard and limit is not None:
            faulthandler.cancel_dump_traceback_later()

    def compiled(seconds: float) -> None:
        clock.compiling(seconds)
        arm()

    arm()
    try:
        with Compilations(disarm, compiled, here=True):  # compiling may take longer than the run, and does not hang
            yield clock
    finally:
        disarm()


@cache
def _null_file() -> int:
    """A file descriptor of /dev/null, open as long as the process lives."""
    return os.open(os.devnull, os.O_WRONLY)


class Stopwatch(Clock):
    """Measures the progress of a run over time, and stops it after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(None)
        self.limit_seconds = seconds
        self.made = perf_counter()
        self.part, self.took = 0.0, 0.0

    def __call__(self, part: float) -> None:
        """Note the fraction of the run that is done."""
        self.part, self.took = part, self.seconds
        if part < 1.0 and self.took > self.limit_seconds:
            raise EnoughError

    def until(self, part: float) -> float:
        """The time from making the scene to a fraction of the run, s."""
        return self.began - self.made + self.took * (part / self.part if self.part > 0.0 else 1.0)


def probe(job: Job, spec: RunSpec, seconds: float = 1.0) -> Probe:
    """Estimate the time of a run from its first seconds; compiling is measured apart.

    Nothing is recorded. Errors of the run are raised.
    """
    bare, plan = replace(job, folder=None), plan_of(job.run, spec)
    cold, warm = (_run_with_stopwatch(bare, spec, plan, Stopwatch(enough)) for enough in (0.0, seconds))
    return Probe(warm.until(1.0), max(0.0, cold.until(cold.part) - warm.until(cold.part)))


def _run_with_stopwatch(job: Job, spec: RunSpec, plan: RunPlan, watch: Stopwatch) -> Stopwatch:
    """Do a run with a stopwatch; its warnings are ignored."""
    with captured_warnings(), suppress(EnoughError):
        sim, measured = _run(job, spec, plan, watch)
        column_values(job.observables, measured, sim.scene.dimension)
        watch(1.0)
    return watch


# Texts.


def _one_line(error: Exception) -> str:
    """The message of an error on one line."""
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines)
    return _shortened(
        text if isinstance(error, CaromError) and text else f"{type(error).__name__}: {text}".rstrip(": ")
    )


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[: MAX_TEXT_LENGTH - 1]}…"


def _plain(value: Any) -> Any:
    """Replace NaN by None."""
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124  # NaN is not itself
