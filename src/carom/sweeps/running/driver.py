"""`carom.sweep`: run a study on this machine or a cluster, and make its table."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from carom.errors import ArgumentError, CaromError, StorageError
from carom.sweeps.running import cluster, probe
from carom.sweeps.running.flow import Flow

if TYPE_CHECKING:
    from carom.sweeps.results.ledger import Ledger
    from carom.sweeps.results.table import Table
    from carom.sweeps.running.cluster import Crew
    from carom.sweeps.running.in_process import ThisProcess
    from carom.sweeps.running.task import Job
    from carom.sweeps.study.plan import RunSpec
    from carom.sweeps.study.study import Study

__all__ = ["Progress", "sweep"]

RATE_WINDOW = 10.0
"""The rate is an average over this many seconds."""
SYNC_INTERVAL = 2.0
"""s between two syncs of results to the disk."""


@dataclass(frozen=True)
class Progress:
    """The progress of a sweep: passed to `progress` about five times per second.

    phase        "starting", "compiling", "running" or "writing".
    total        runs of the study; `done`, `failed`, `timed_out` count those that have ended, also in earlier sweeps.
    kept         runs that ended in an earlier sweep and are not repeated.
    workers      number of workers now.
    rate         runs per second in the last seconds; 0 before the first has ended.
    seconds      s since this sweep began.
    left         estimated s until all have ended; None if unknown.
    run_seconds  estimated s of one run on one worker; None if unknown.
    note         what is being done, such as what is compiled.
    notes        remarks on the results folder: a changed study, another version of carom.
    """

    phase: str
    total: int
    done: int = 0
    failed: int = 0
    timed_out: int = 0
    kept: int = 0
    workers: int = 0
    rate: float = 0.0
    seconds: float = 0.0
    left: float | None = None
    run_seconds: float | None = None
    note: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ended(self) -> int:
        """Runs that have ended."""
        return self.done + self.failed + self.timed_out


def sweep(  # noqa: PLR0913  # keyword-only options of a public call
    study: Study | str | Path | dict[str, Any],
    *,
    out: str | Path | None = None,
    client: Any = None,
    scheduler: str | None = None,
    workers: int | None = None,
    resume: bool = False,
    retry: bool = False,
    progress: Callable[[Progress], object] | None = None,
    observables: Sequence[Any] = (),
) -> Table:
    """Run a study, and return its table: one row per run.

    study        a `Study`, a study file, the name of a ready study, or a dictionary as in a file.
    out          the folder for the results; by default they are only in memory.
    client       a `dask.distributed.Client` whose workers do the runs.
    scheduler    the address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers do the runs.
    workers      number of processes on this machine, if neither is given; by default one per core. With 1, this
                 process does the runs itself, which needs no `__main__` guard and no Dask.
    resume       continue in a folder with results: runs that have ended are not repeated.
    retry        with resume, repeat runs that failed or timed out.
    progress     called with a `Progress`; Ctrl-C, also raised by it, ends the sweep cleanly.
    observables  custom observables that the study names.
    """
    cluster.check(client=client, scheduler=scheduler, workers=workers)
    if resume and out is None:
        raise ArgumentError.of("sweep.no-folder", where="resume")
    wanted = _as_study(study, observables)
    wanted.check()
    with contextlib.ExitStack() as stack:
        crew = None
        if client is not None or scheduler is not None:  # fails before anything is written
            crew = stack.enter_context(cluster.open_crew(client=client, scheduler=scheduler))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="carom-")) if out is None else out)
        table = _sweep(stack, wanted, folder, crew, workers, progress, {"retry": retry} if resume else None)
        return table if out is not None else table.load()


def _sweep(
    stack: contextlib.ExitStack,
    study: Study,
    folder: Path,
    crew: Crew | None,
    workers: int | None,
    progress: Callable[[Progress], object] | None,
    resume: dict[str, bool] | None,
) -> Table:
    """Run a study in a folder; `resume` holds the options of `Ledger.resume`, None to begin anew."""
    from carom.sweeps.results.ledger import Ledger  # noqa: PLC0415  # `import carom` is light
    from carom.sweeps.results.table import Table  # noqa: PLC0415  # as above
    from carom.sweeps.running.task import Job  # noqa: PLC0415  # as above

    job = Job.of(study)
    ledger = stack.enter_context(
        Ledger.begin(folder, study, columns=job.columns)
        if resume is None
        else Ledger.resume(folder, study, columns=job.columns, **resume)
    )
    if study.run.record:
        job = replace(job, folder=str(ledger.recordings.resolve()))
    reporter = Reporter(progress, ledger)
    reporter.report("starting")
    try:
        left = ledger.counts.left
        if left and crew is None and workers == 1:
            _work_alone(study, job, ledger, reporter)
        elif left:
            if crew is None:
                waiting = partial(reporter.report, "starting")
                crew = stack.enter_context(cluster.open_crew(workers=workers, runs=left, waiting=waiting))
            _work(study, job, ledger, crew, reporter)
    except StorageError:
        raise
    except BaseException:
        with contextlib.suppress(CaromError):  # the first error is the one to raise
            ledger.write_tables()
        raise
    reporter.report("writing")
    ledger.write_tables()
    return Table.read(folder)


def _work(study: Study, job: Job, ledger: Ledger, crew: Crew, reporter: Reporter) -> None:
    """Compile on the workers, then do the remaining runs."""
    import cloudpickle  # noqa: PLC0415  # comes with Dask; pickles custom observables of notebooks too

    while not crew.workers():
        crew.outcomes(probe.PROGRESS_INTERVAL)
        reporter.report("starting", note=f"waiting for a worker at {crew.where}")
    name = crew.share(cloudpickle.dumps(job))

    def compiling(note: str) -> None:
        reporter.report("compiling", crew, note=note)

    bound = _kill_after(study)
    pace = probe.warm_up(crew, name, probe.trials(study), compiling, bound)
    flow = Flow(
        _remaining(study, ledger), ledger, crew, name, job.columns,
        tell=lambda flow: reporter.report("running", crew, pace=flow.pace), pace=pace, bound=bound,
    )  # fmt: skip
    reporter.report("running", crew, pace=pace)
    flow.run()


def _work_alone(study: Study, job: Job, ledger: Ledger, reporter: Reporter) -> None:
    """Do the remaining runs in this process; kernels are compiled in the first ones."""
    from carom.sweeps.running.in_process import ThisProcess, work_alone  # noqa: PLC0415  # Numba is not loaded before something runs

    here = ThisProcess()
    work_alone(_remaining(study, ledger), job, ledger, lambda pace: reporter.report("running", here, pace=pace))


def _remaining(study: Study, ledger: Ledger) -> Iterator[RunSpec]:
    """The remaining runs, in the order of the plan."""
    for k in range(len(study)):
        spec = study.run_at(k)
        if spec.id not in ledger.done:
            yield spec


def _kill_after(study: Study) -> float | None:
    """The time after which a hanging run is killed with its worker, s; None without a limit."""
    from carom.sweeps.running.task import hard_limit  # noqa: PLC0415  # as above

    limit = study.run.time_limit
    return None if limit is None else hard_limit(limit)


def _as_study(given: Any, observables: Sequence[Any]) -> Study:
    from carom.sweeps.study.study import Study  # noqa: PLC0415  # as above

    return Study.of(given, observables=observables)


class Reporter:
    """Reports the progress of a sweep to a listener."""

    def __init__(self, listener: Callable[[Progress], object] | None, ledger: Ledger) -> None:
        self.listener = listener
        self.ledger = ledger
        self.begun = monotonic()
        self.kept = ledger.counts.total - ledger.counts.left
        self.passed: deque[tuple[float, int]] = deque()
        self.said = ("", -1.0)
        self.flushed = self.begun

    def report(
        self, phase: str, crew: Crew | ThisProcess | None = None, *, pace: float | None = None, note: str = ""
    ) -> None:
        """Report the progress, at most once per interval and phase."""
        now = monotonic()
        if now - self.flushed > SYNC_INTERVAL:
            self.ledger.flush()
            self.flushed = now
        if self.said[0] == phase and now - self.said[1] < probe.PROGRESS_INTERVAL:
            return
        self.said = (phase, now)
        if self.listener is not None:
            self.listener(self._progress(phase, crew, now, pace, note))

    def _progress(
        self, phase: str, crew: Crew | ThisProcess | None, now: float, pace: float | None, note: str
    ) -> Progress:
        counts, threads = self.ledger.counts, crew.workers() if crew is not None else {}
        rate = self._rate(now, counts.total - counts.left) if phase == "running" else 0.0
        left = counts.left / rate if rate else None
        if left is None and pace is not None and threads:
            left = counts.left * pace / sum(threads.values())
        return Progress(
            phase, counts.total, counts.done, counts.failed, counts.timed_out, self.kept, len(threads), rate,
            now - self.begun, left, pace, note, tuple(self.ledger.notes),
        )  # fmt: skip

    def _rate(self, now: float, ended: int) -> float:
        self.passed.append((now, ended))
        while len(self.passed) > 2 and now - self.passed[0][0] > RATE_WINDOW:
            self.passed.popleft()
        then, before = self.passed[0]
        return (ended - before) / (now - then) if now > then else 0.0
