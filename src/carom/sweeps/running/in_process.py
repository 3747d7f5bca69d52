"""Runs a study in this process, one run after the other, without Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from carom.sweeps.running.task import perform

if TYPE_CHECKING:
    from carom.sweeps.results.ledger import Ledger
    from carom.sweeps.running.task import Job
    from carom.sweeps.study.plan import RunSpec

__all__ = ["ThisProcess", "work_alone"]


class ThisProcess:
    """The only worker: this process."""

    where = "this process"

    def workers(self) -> dict[str, int]:
        """Threads by the address of the worker."""
        return {self.where: 1}


class ListenerError(BaseException):
    """An error of the progress listener, which is not an error of the run."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        super().__init__(error)


def work_alone(plan: Iterable[RunSpec], job: Job, ledger: Ledger, tell: Callable[[float | None], None]) -> None:
    """Do the runs of a plan; `tell` is called often, with the time of a run in s, or None.

    A run that exceeds its time limit ends when it next checks the clock; one that hangs cannot be killed.
    """
    pace: float | None = None
    ended, seconds = 0, 0.0

    def beat() -> None:
        try:
            tell(pace)
        except Exception as error:
            raise ListenerError(error) from error

    try:
        for spec in plan:
            beat()
            row = perform(job, spec, beat)
            ledger.add(row)
            ended, seconds = ended + 1, seconds + row["seconds"]
            pace = seconds / ended
        beat()
    except ListenerError as broken:
        raise broken.error from None
