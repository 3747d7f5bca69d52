"""A study in this very process, run after run: no workers, and no Dask."""

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
    """Who works: one, which is here."""

    where = "this process"

    def workers(self) -> dict[str, int]:
        """Threads by address."""
        return {self.where: 1}


class ListenerError(BaseException):
    """Whoever is told of the progress has raised an error: it is not that of a run."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        super().__init__(error)


def work_alone(plan: Iterable[RunSpec], job: Job, ledger: Ledger, tell: Callable[[float | None], None]) -> None:
    """Do the runs of a plan, one after the other; `tell` is called often, with the s that a run takes.

    A run with a time limit is ended when it next looks at the clock: a hung one cannot be ended with its process.
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
