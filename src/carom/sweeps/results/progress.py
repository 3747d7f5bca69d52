"""The status of a sweep, read from its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from carom.errors import StorageError
from carom.sweeps.results.journal import one_line, scan

if TYPE_CHECKING:
    from carom.sweeps.study.study import Study

__all__ = ["JOURNAL", "RECORDINGS", "STUDY", "Counts", "Status", "ids", "mark_of", "status", "study_in"]

JOURNAL, STUDY, RECORDINGS = "runs.jsonl", "study.toml", "runs"


@dataclass(frozen=True)
class Counts:
    """Counts of runs by status."""

    total: int
    done: int = 0
    failed: int = 0
    timed_out: int = 0

    @property
    def left(self) -> int:
        """Runs that have not ended yet."""
        return self.total - self.done - self.failed - self.timed_out


@dataclass(frozen=True)
class Status(Counts):
    """The status of a results folder now."""

    name: str = ""
    seconds: float = 0.0
    """Mean time of a run, s."""
    written: float | None = None
    """Time of the last write, s since 1970."""
    unwanted: int = 0
    """Runs in the journal that do not belong to the study any more."""


def status(folder: Path, study: Study | None = None) -> Status:
    """The status of a folder, for its own study or another one; also while another process writes to it."""
    journal = folder / JOURNAL
    if not journal.is_file():
        raise StorageError(folder, "holds no results of a sweep", "Check the name of the folder.")
    found = scan(journal)
    study = study if study is not None else study_in(folder)
    tally = found.index.tally(found.index.among(ids(study), len(study)))
    return Status(
        total=len(study),
        done=tally["done"],
        failed=tally["failed"],
        timed_out=tally["timed out"],
        name=one_line(study.name),
        seconds=found.seconds / found.rows if found.rows else 0.0,
        written=_written(journal),
        unwanted=len(found.index) - sum(tally.values()),
    )


def mark_of(study: Study) -> str:
    """A hash of a study; different studies have different ones."""
    return hashlib.sha256(study.dumps().encode("utf-8")).hexdigest()[:16]


def study_in(folder: Path) -> Study:
    """The study of a results folder."""
    from carom.sweeps.study.study import Study  # noqa: PLC0415  # seldom needed

    return Study.load(folder / STUDY)


def ids(study: Study) -> Iterator[str]:
    """The ids of all runs of a study."""
    return (study.run_at(k).id for k in range(len(study)))


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
