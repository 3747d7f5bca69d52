"""The tasks of a worker: a batch of runs, or a probe. Imports stay light until there is work."""

from __future__ import annotations

import faulthandler
import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import carom
from carom.errors import ClusterError

if TYPE_CHECKING:
    from carom.sweeps.running.task import Job, Probe, Row
    from carom.sweeps.study.plan import RunSpec


@dataclass(frozen=True)
class Errand:
    """What a worker gets per task: the name of the job, and the runs to do.

    The runs are pickled here, because Dask would search lists for its keys.
    """

    study: str
    version: str
    runs: bytes

    @classmethod
    def of(cls, study: str, specs: Sequence[RunSpec]) -> Errand:
        """Make an errand for workers with the same version of carom."""
        return cls(study, carom.__version__, pickle.dumps(tuple(specs)))


def do_batch(errand: Errand, budget: float) -> tuple[list[Row], float]:
    """Do runs, and return their rows and the time, s; runs that have not begun after `budget` s are not done."""
    from carom.sweeps.running.task import perform  # noqa: PLC0415  # Numba is not loaded before something runs

    job, begun, seconds = _job(errand), perf_counter(), 0.0
    rows: list[Row] = []
    for spec in _specs(errand):
        if rows and seconds > budget:
            break
        rows.append(perform(job, spec))
        seconds = perf_counter() - begun
    return rows, seconds


def do_probe(errand: Errand, seconds: float, patience: float) -> list[Probe]:
    """Estimate the time of each run, in about `seconds` each after compiling.

    A trial that hangs is killed with its process after `patience` s, where that is allowed.
    """
    from carom.sweeps.running.task import probe  # noqa: PLC0415  # as above

    job = _job(errand)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        if job.hard:
            faulthandler.dump_traceback_later(patience, exit=True, file=nowhere)
        try:
            return [probe(job, spec, seconds) for spec in _specs(errand)]
        finally:
            if job.hard:
                faulthandler.cancel_dump_traceback_later()


def _specs(errand: Errand) -> tuple[RunSpec, ...]:
    specs: tuple[RunSpec, ...] = pickle.loads(errand.runs)  # noqa: S301  # as all that Dask sends
    return specs


def _job(errand: Errand) -> Job:
    """The job that this worker has got, unpickled once."""
    from distributed import get_worker  # noqa: PLC0415  # whoever works has it

    worker = get_worker()
    if errand.version != carom.__version__:
        what = f"has carom {carom.__version__}, but the study was begun with {errand.version}"
        raise ClusterError(
            worker.address, what, "Install the same version everywhere: results may differ between versions."
        )
    told: Any = worker.plugins[errand.study]
    if told.job is None:
        # A hanging run may be killed with its process only if the worker has one thread, and a nanny restarts it.
        hard = worker.nanny is not None and worker.state.nthreads == 1
        job: Job = pickle.loads(told.payload)  # noqa: S301  # as all that Dask sends
        told.job = replace(job, hard=hard)
    known: Job = told.job
    return known
