"""A study from its plan to its table: on one machine, or on a cluster by its address."""

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

LATELY = 10.0
"""The rate is that of the last so many seconds."""
IDLE = 2.0
"""s between two times at which results are put on the disk."""


@dataclass(frozen=True)
class Progress:
    """How far a sweep is: handed to `progress` about five times a second.

    phase        "starting", "compiling", "running" or "writing".
    total        runs of the study; `done`, `failed` and `timed_out` of them have ended, now or in an earlier sweep.
    kept         runs that an earlier sweep had ended, and that are not done again.
    workers      how many work now.
    rate         runs a second, lately; 0 before the first has ended.
    seconds      s since this sweep began.
    left         s until all have ended, about; None before anything is known.
    run_seconds  s that one run takes on one worker, about; None before anything is known.
    note         a word on what is being done, such as what is compiled.
    notes        lines on what was found in the results folder: a changed study, another version of carom.
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
        """Runs that need not be done any more."""
        return self.done + self.failed + self.timed_out


def sweep(  # noqa: PLR0913  # each is one choice, and has a default
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
    """Do all runs of a study, and return their table: a row a run.

    study        a `Study`, a file, the name of a ready one, or a dictionary as in a file.
    out          the folder for the results; if left out, they are in memory alone.
    client       a `dask.distributed.Client`, whose workers do the runs.
    scheduler    the address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers do them.
    workers      how many processes of this machine do them, if neither is given; one per core if left out. With 1,
                 this process does them itself: no `__main__` guard is needed, and no Dask.
    resume       go on in a folder that has results: what has ended is not done again.
    retry        with resume, do those again that failed or timed out.
    progress     is called with a `Progress`; Ctrl-C, also from it, ends the sweep in order.
    observables  of one's own, for a study that names them.
    """
    cluster.check(client=client, scheduler=scheduler, workers=workers)
    if resume and out is None:
        raise ArgumentError.of("sweep.no-folder", where="resume")
    wanted = _study(study, observables)
    wanted.check()
    with contextlib.ExitStack() as stack:
        crew = None
        if client is not None or scheduler is not None:  # who cannot be reached is told before anything is written
            crew = stack.enter_context(cluster.crew(client=client, scheduler=scheduler))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="carom-")) if out is None else out)
        table = _swept(stack, wanted, folder, crew, workers, progress, {"retry": retry} if resume else None)
        return table if out is not None else table.load()


def _swept(
    stack: contextlib.ExitStack,
    study: Study,
    folder: Path,
    crew: Crew | None,
    workers: int | None,
    progress: Callable[[Progress], object] | None,
    resume: dict[str, bool] | None,
) -> Table:
    """All of it, once it is known where, how and (with `crew`) by whom; `resume` says how to go on, if at all."""
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
    voice = Voice(progress, ledger)
    voice.say("starting")
    try:
        left = ledger.counts.left
        if left and crew is None and workers == 1:
            _work_alone(study, job, ledger, voice)
        elif left:
            if crew is None:
                waiting = partial(voice.say, "starting")
                crew = stack.enter_context(cluster.crew(workers=workers, runs=left, waiting=waiting))
            _work(study, job, ledger, crew, voice)
    except StorageError:
        raise
    except BaseException:
        with contextlib.suppress(CaromError):  # what went wrong first is told
            ledger.write_tables()
        raise
    voice.say("writing")
    ledger.write_tables()
    return Table.read(folder)


def _work(study: Study, job: Job, ledger: Ledger, crew: Crew, voice: Voice) -> None:
    """Compile and try, then do what is left."""
    import cloudpickle  # noqa: PLC0415  # comes with Dask: a user's own observables may be of a notebook

    while not crew.workers():
        crew.ended(probe.PULSE)
        voice.say("starting", note=f"waiting for a worker at {crew.where}")
    name = crew.tell(cloudpickle.dumps(job))

    def compiling(note: str) -> None:
        voice.say("compiling", crew, note=note)

    bound = _bound(study)
    pace = probe.warm_up(crew, name, probe.specimens(study), compiling, bound)
    flow = Flow(
        _left(study, ledger), ledger, crew, name, job.columns,
        tell=lambda flow: voice.say("running", crew, pace=flow.pace), pace=pace, bound=bound,
    )  # fmt: skip
    voice.say("running", crew, pace=pace)
    flow.run()


def _work_alone(study: Study, job: Job, ledger: Ledger, voice: Voice) -> None:
    """Do what is left in this process; compiling comes with the runs."""
    from carom.sweeps.running.in_process import ThisProcess, work_alone  # noqa: PLC0415  # Numba is not loaded before something runs

    here = ThisProcess()
    work_alone(_left(study, ledger), job, ledger, lambda pace: voice.say("running", here, pace=pace))


def _left(study: Study, ledger: Ledger) -> Iterator[RunSpec]:
    """Runs that are still to be done, in the order of the plan."""
    for k in range(len(study)):
        spec = study.run_at(k)
        if spec.id not in ledger.done:
            yield spec


def _bound(study: Study) -> float | None:
    """s after which a run that hangs is ended with its worker, if the study has a limit."""
    from carom.sweeps.running.task import hard_limit  # noqa: PLC0415  # as above

    limit = study.run.time_limit
    return None if limit is None else hard_limit(limit)


def _study(given: Any, observables: Sequence[Any]) -> Study:
    from carom.sweeps.study.study import Study  # noqa: PLC0415  # as above

    return Study.of(given, observables=observables)


class Voice:
    """Tells who listens how far a sweep is."""

    def __init__(self, listener: Callable[[Progress], object] | None, ledger: Ledger) -> None:
        self.listener = listener
        self.ledger = ledger
        self.begun = monotonic()
        self.kept = ledger.counts.total - ledger.counts.left
        self.passed: deque[tuple[float, int]] = deque()
        self.said = ("", -1.0)
        self.flushed = self.begun

    def say(
        self, phase: str, crew: Crew | ThisProcess | None = None, *, pace: float | None = None, note: str = ""
    ) -> None:
        """Tell it, but not more often than is useful."""
        now = monotonic()
        if now - self.flushed > IDLE:
            self.ledger.flush()
            self.flushed = now
        if self.said[0] == phase and now - self.said[1] < probe.PULSE:
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
        while len(self.passed) > 2 and now - self.passed[0][0] > LATELY:
            self.passed.popleft()
        then, before = self.passed[0]
        return (ended - before) / (now - then) if now > then else 0.0
