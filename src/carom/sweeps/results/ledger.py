"""A results folder: which runs of a study have ended, and how.

    study.toml      the study, with its scene
    runs.jsonl      the journal: one line per run that has ended, in the order in which they ended
    runs/           recordings, if the study wants them: `<id>.h5`
    table.csv       one row per run, in the order of the plan
    table.parquet   the same table, with types
    summary.csv     one row per point: means over its repeats

The tables are made from the journal. Of several lines of a run the first counts; of a run that was repeated because it
failed or timed out, the first line of its last try.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from io import FileIO
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from carom.atomic_write import replacing, sync
from carom.errors import CaromError, StorageError
from carom.storage.lock import Lock
from carom.sweeps.results.journal import (
    MAX_LINE_LENGTH,
    SCHEMA,
    RunEntry,
    RunIndex,
    Scan,
    decode,
    encode,
    from_plain,
    is_row,
    one_line,
    plain,
    scan,
)
from carom.sweeps.results.progress import JOURNAL, RECORDINGS, STUDY, Counts, Status, ids, mark_of, status, study_in
from carom.sweeps.results.sheets import TABLES, TableLayout, write
from carom.sweeps.study.columns import columns as columns_of

if TYPE_CHECKING:
    from carom.sweeps.study.study import RunSpec, Study

__all__ = ["Counts", "Ledger", "Status", "sheet_of"]

MAX_UNSYNCED = 5.0
"""s after which new lines are synced to the disk, at the next line or call of `flush`."""


class Ledger:
    """The results of a study in a folder, open for writing by one process at a time.

    `Ledger.begin` and `Ledger.resume` make one. Close it, or use it in a `with`.
    """

    def __init__(self, folder: Path, study: Study, columns: Sequence[str] | None) -> None:
        self.folder, self.study = folder, study
        self.path = folder / JOURNAL
        self.sheet, self._mark = sheet_of(study, columns), mark_of(study)
        self.notes: list[str] = []
        """Remarks for the user, one per line; not errors."""
        self._index, self._tally = RunIndex(), dict.fromkeys(("done", "failed", "timed out"), 0)
        self._file: FileIO | None = None
        self._end = 0
        self._synced, self._dirty = monotonic(), False
        self._lock = Lock(self.path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _no_folder(folder, error) from error
        self._lock.acquire()

    @classmethod
    def begin(cls, folder: str | Path, study: Study, *, columns: Sequence[str] | None = None) -> Ledger:
        """Begin in a folder without results and without files that tables would overwrite.

        `columns` are those of `carom.sweeps.study.columns.columns(study)`, if they are known already.
        """
        ledger = cls(Path(folder), study, columns)
        with ledger._or_released():
            ledger._refuse_results()
            ledger._sweep_up()
            with replacing(ledger.path) as file:
                file.write(ledger._header())
            ledger._open()
            ledger._write_study()
        return ledger

    @classmethod
    def resume(
        cls, folder: str | Path, study: Study, *, retry: bool = False, columns: Sequence[str] | None = None
    ) -> Ledger:
        """Continue an earlier sweep; with `retry`, runs that failed or timed out are repeated.

        The study may have changed: runs that it shares with the earlier one are not repeated.
        """
        journal = Path(folder) / JOURNAL
        if not journal.exists():
            return cls.begin(folder, study, columns=columns)
        ledger = cls(Path(folder), study, columns)
        with ledger._or_released():
            ledger._take_up(scan(journal), retry=retry)
            ledger._sweep_up()
        return ledger

    @staticmethod
    def status(folder: str | Path, study: Study | None = None) -> Status:
        """The status of a folder, for its own study or another one; also while another process writes to it."""
        return status(Path(folder), study)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ledger of {self.folder}: {self.counts.total - self.counts.left} of {self.counts.total} runs>"

    @property
    def counts(self) -> Counts:
        """Count the runs of the study by status; runs to be repeated count as left."""
        return Counts(len(self.study), self._tally["done"], self._tally["failed"], self._tally["timed out"])

    @property
    def done(self) -> DoneRuns:
        """The ids of runs that are done: `id in ledger.done`."""
        return DoneRuns(self._index)

    @property
    def recordings(self) -> Path:
        """The folder of recordings, one `<id>.h5` per run; made at first use."""
        folder = self.folder / RECORDINGS
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise _no_folder(folder, error) from error
        return folder

    def add(self, row: Mapping[str, Any]) -> bool:
        """Write the row of a run that has ended; False, and nothing is written, if there was one already.

        The row is passed to the operating system at once: nothing is lost if this process is killed.
        """
        known = self._index.find(row["id"])
        if known is not None and not known.again:
            return False
        record = self._record(row, 1 if known is None else known.tries + 1)
        place = self._end
        self._append(encode(record))
        entry = RunEntry.of_record(record, place)
        self._index.put(record["id"], entry)
        self._tally[entry.status] += 1
        if monotonic() - self._synced >= MAX_UNSYNCED:
            self.flush()
        return True

    def flush(self) -> None:
        """Sync everything to the disk."""
        if self._dirty and self._file is not None:
            try:
                sync(self._file.fileno())
            except OSError as error:
                raise StorageError.of(self.path, error) from error
            self._dirty = False
        self._synced = monotonic()

    def close(self) -> None:
        """Sync everything to the disk, and release the lock."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._lock.release)
            if self._file is not None:
                stack.callback(self._file.close)
                stack.callback(setattr, self, "_file", None)
                self.flush()

    def rows(self) -> Iterator[tuple[RunSpec, dict[str, Any]]]:
        """Runs that have ended, with their records, in the order of the plan."""
        try:
            with self.path.open("rb") as file:
                for k in range(len(self.study)):
                    spec = self.study.run_at(k)
                    entry = self._index.find(spec.id)
                    if entry is not None:
                        file.seek(entry.place)
                        record = decode(file.readline(MAX_LINE_LENGTH))
                        if record is None or not is_row(record) or record["id"] != spec.id:
                            what = f"the line of run {spec.id} was changed by someone else"
                            raise StorageError(self.path, what, "Resume the sweep: that run will be repeated.")
                        yield spec, record
        except OSError as error:
            raise StorageError.of(self.path, error) from error

    def write_tables(self) -> None:
        """Write the tables of all runs that have ended; their bytes do not depend on the order of endings.

        Earlier tables are replaced when all new ones are complete; after an error they stay.
        """
        write(self.folder, self.sheet, self._flat())

    def _flat(self) -> Iterator[dict[str, Any]]:
        """Rows of the table."""
        for spec, record in self.rows():
            yield {
                "index": spec.index, "id": spec.id, "point": spec.point, "repeat": spec.repeat, "seed": spec.seed,
                **{path: _parameter(spec.parameters[path], kind) for path, kind in self.sheet.parameters.items()},
                "status": record["status"], "reason": one_line(record["reason"]),
                **{name: from_plain(record["values"].get(name), kind) for name, kind in self.sheet.values.items()},
            }  # fmt: skip

    def _record(self, row: Mapping[str, Any], tries: int) -> dict[str, Any]:
        values = row["values"]
        record = {
            "id": row["id"],
            "status": row["status"],
            "reason": one_line(row["reason"]),
            "values": {name: plain(values.get(name), kind) for name, kind in self.sheet.values.items()},
            "seconds": round(float(row["seconds"]), 6),
            "worker": one_line(row["worker"]),
        }
        if tries > 1:
            record["try"] = tries
        if not is_row(record):
            raise ValueError(f"this is no row of a run: {record}")
        return record

    def _header(self) -> bytes:
        from carom.storage.tape import versions  # noqa: PLC0415  # heavy; once a sweep

        now = versions()
        return encode({
            "carom": now["carom"], "versions": now, "schema": SCHEMA, "name": self.study.name,
            "columns": list(self.sheet.values), "parameters": dict(self.sheet.parameters), "runs": len(self.study),
            "digest": self.study.digest, "study": self._mark,
        })  # fmt: skip

    def _append(self, line: bytes) -> None:
        """Append a line to the journal, completely or not at all."""
        if self._file is None:
            raise StorageError(self.path, "is closed", "Resume the sweep to continue.")
        try:
            self._file.seek(self._end)
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]
        except BaseException as error:  # also Ctrl-C: no partial line may stay
            with contextlib.suppress(OSError):  # otherwise resuming removes the incomplete last line
                self._file.truncate(self._end)
            if isinstance(error, OSError):
                raise StorageError.of(self.path, error) from error
            raise
        self._end += len(line)
        self._dirty = True

    def _open(self, end: int | None = None) -> None:
        """Open the journal for appending at its end, or after its last complete line."""
        try:
            self._file = FileIO(self.path, "r+")
            self._end = self._file.seek(0, 2)
            if end is not None and end < self._end:
                self._end = self._file.truncate(end)
        except OSError as error:
            raise StorageError.of(self.path, error) from error

    @contextlib.contextmanager
    def _or_released(self) -> Iterator[None]:
        """Release the lock if the ledger cannot begin."""
        try:
            yield
        except BaseException:
            with contextlib.suppress(StorageError):
                self.close()
            raise

    def _refuse_results(self) -> None:
        if self.path.exists():
            rows = len(scan(self.path).index)
            if rows:
                what = f"holds results of {rows} run{'s' if rows > 1 else ''} already"
                raise StorageError(self.folder, what, "Resume them (--resume, resume=True) or choose another folder.")
            return
        for name in (STUDY, *TABLES):
            if (self.folder / name).exists():
                remedy = "Choose another folder, or remove that file."
                raise StorageError(self.folder / name, "exists already, and does not belong to a sweep", remedy)

    def _sweep_up(self) -> None:
        """Remove incomplete recordings and their locks."""
        with contextlib.suppress(OSError):
            for part in [*(self.folder / RECORDINGS).glob(".*.part.h5*")]:
                part.unlink()

    def _write_study(self) -> None:
        """Write the study, unless it is there: an earlier sweep may have been killed before it wrote it."""
        path, content = self.folder / STUDY, self.study.dumps().encode("utf-8")
        with contextlib.suppress(OSError):
            if path.read_bytes() == content:
                return
        with replacing(path) as file:
            file.write(content)

    def _take_up(self, found: Scan, *, retry: bool) -> None:
        """Continue a journal."""
        self._open(found.end)
        self.notes += [f"{self.path}: {line}" for line in found.damage()]
        self._index, header = found.index, found.header or {}
        self._tell_versions(header)
        wanted = self._index.among(ids(self.study), len(self.study))
        if header.get("study") != self._mark:
            self._tell_changes()
            self._write_study()
            self._append(self._header())
        else:
            self._write_study()
        if others := len(wanted) - int(wanted.sum()):
            many = (
                "1 run does not belong to the study any more: it stays"
                if others == 1
                else f"{others} runs do not belong to the study any more: they stay"
            )
            self.notes.append(f"{self.path}: {many} in the journal, but not in the tables.")
        if retry:
            self._index.again()
        self._tally = self._index.tally(wanted)

    def _tell_versions(self, header: Mapping[str, Any]) -> None:
        from carom.storage.tape import versions  # noqa: PLC0415  # heavy; once a sweep

        was, now = header.get("versions"), versions()
        earlier = was.items() if isinstance(was, dict) else ()
        others = [f"{name} {old} (now {now.get(name)})" for name, old in earlier if now.get(name) != old]
        if others:
            self.notes.append(
                f"{self.folder}: begun with {one_line(', '.join(others))}. "
                "Finished runs stay; new runs may differ from them in the last bits."
            )

    def _tell_changes(self) -> None:
        try:
            changes = self.study.changes(study_in(self.folder))
        except CaromError as error:
            changes = [f"what changed is unknown, because the earlier study cannot be read: {one_line(error)}"]
        self.notes.extend(f"{self.folder}: the study has changed: {one_line(change)}" for change in changes)


class DoneRuns:
    """The ids of runs that are done."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index

    def __contains__(self, identity: object) -> bool:
        entry = self._index.find(identity) if isinstance(identity, str) else None
        return entry is not None and not entry.again


def sheet_of(study: Study, columns: Sequence[str] | None = None) -> TableLayout:
    """The columns of a study's table."""
    sheet = TableLayout.of(study.types, columns_of(study) if columns is None else columns)
    sheet.check()
    return sheet


def _parameter(value: Any, kind: str) -> Any:
    return float(value) if kind == "float" else one_line(value) if kind == "text" else value


def _no_folder(folder: Path, error: OSError) -> StorageError:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return StorageError(folder, "is a file, or lies in one, and not a folder", "Choose another name.")
    return StorageError.of(folder, error)
