"""The journal of a sweep: a line of JSON for each run that has ended, and one for each study that was begun.

A line ends with a checksum of itself. A line that another byte got into is found, whatever the byte, and its run is
done again. Numbers that JSON has no word for are `null` (not a number) and the texts "inf" and "-inf".
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from carom.errors import StorageError
from carom.storage.hdf5.open_file import regular_file_size
from carom.sweeps.results.sheets import KINDS
from carom.sweeps.running.task import STATUSES

__all__ = [
    "SCHEMA",
    "Entry",
    "Index",
    "Scan",
    "decoded",
    "encoded",
    "is_header",
    "is_row",
    "last_header",
    "one_line",
    "plain",
    "scan",
    "valued",
]

SCHEMA = 1
"""Of the journal's lines."""
LONGEST_LINE = 2**20
"""Bytes; a longer line is not one of ours."""
LONGEST_TEXT = 2000
"""Characters of a reason or a remark that are kept."""
FEW = 20
"""Line numbers of garbled lines that are told."""
FOLD = 2**14
"""Entries that wait in a dictionary until they are sorted into the index."""
MOST_TRIES = 2**20
"""Of a run that is done again and again."""
LONG = 1e12
"""No run takes so many seconds."""
WORD = 2**63
"""Whole numbers of a table are below this."""
ID = re.compile(r"[0-9a-f]{16}")
CHECK = b',"crc":"'
END = b'"}\n'
HEADER = b'{"carom":'
"""What the line of a study that was begun starts with."""
CONTROL = dict.fromkeys((*range(32), *range(127, 160)), " ")
"""Characters that a terminal acts on instead of showing them."""


def encoded(record: Mapping[str, Any]) -> bytes:
    """A record as a line."""
    body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii")[:-1]
    return body + CHECK + b"%08x" % crc32(body) + END


def decoded(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None if it is garbled."""
    body, found, check = line.rpartition(CHECK)
    if not found or check != b"%08x" % crc32(body) + END:
        return None
    try:
        record = json.loads(body + b"}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _refuse(word: str) -> None:
    raise ValueError(word)  # NaN and the like, which are not JSON


def one_line(text: object) -> str:
    """A text without line breaks and control characters, not too long, and of characters that every file can hold."""
    words = " ".join(str(text).translate(CONTROL).split())
    if len(words) > LONGEST_TEXT:
        words = words[: LONGEST_TEXT - 1] + "…"
    return words.encode("utf-8", "backslashreplace").decode("utf-8")


def plain(value: Any, kind: str) -> float | int | str | None:
    """A value of a run as JSON can hold it."""
    if value is None or kind == "text":
        return None if value is None else one_line(value)
    if kind == "int":
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else None if math.isnan(number) else str(number)


def valued(value: Any, kind: str) -> float | int | str | None:
    """The value that `plain` wrote; None also for one that is not of its kind."""
    try:
        if kind == "text":
            return "" if value is None else one_line(value)
        return None if value is None else int(value) if kind == "int" else float(value)
    except (ValueError, OverflowError):
        return None


def is_row(record: Mapping[str, Any]) -> bool:
    """Is it the record of a run that has ended, with all that one has?"""
    identity, values, seconds, tries = (record.get(key) for key in ("id", "values", "seconds", "try"))
    return (
        isinstance(identity, str)
        and ID.fullmatch(identity) is not None
        and record.get("status") in STATUSES
        and isinstance(record.get("reason"), str)
        and isinstance(values, dict)
        and all(_is_plain(value) for value in values.values())
        and isinstance(seconds, int | float)
        and 0.0 <= seconds < LONG
        and (tries is None or (isinstance(tries, int) and 0 < tries < MOST_TRIES))
    )


def is_header(record: Mapping[str, Any]) -> bool:
    """Is it the record of a study that was begun, with all that one has? One of another schema may have others."""
    if "carom" not in record or record.get("schema") != SCHEMA:
        return "carom" in record
    kinds = {
        "carom": str,
        "versions": dict,
        "name": str,
        "columns": list,
        "parameters": dict,
        "runs": int,
        "study": str,
    }
    return (
        all(isinstance(record.get(key), kind) for key, kind in kinds.items())
        and all(isinstance(name, str) for name in record["columns"])
        and all(kind in KINDS for kind in record["parameters"].values())
    )


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, float | str) or (isinstance(value, int) and -WORD <= value < WORD)


@dataclass(frozen=True)
class Entry:
    """Where a run's line is, and how the run ended."""

    place: int
    status: str
    tries: int = 1
    again: bool = False
    """Is it to be done again?"""

    def packed(self) -> int:
        """All in one number below 2^63, for files up to 2^39 bytes."""
        return self.place << 24 | self.again << 23 | self.tries << 2 | STATUSES.index(self.status)

    @classmethod
    def of_record(cls, record: Mapping[str, Any], place: int) -> Entry:
        """The entry of a row that stands there."""
        return cls(place, record["status"], record.get("try") or 1)

    @classmethod
    def of(cls, packed: int) -> Entry:
        """The entry of a number."""
        return cls(packed >> 24, STATUSES[packed & 3], packed >> 2 & 2**21 - 1, bool(packed >> 23 & 1))


class Index:
    """The entry of each run that has ended, by its id: 16 bytes a run, and some thousand in a dictionary."""

    def __init__(self) -> None:
        self._ids = np.zeros(0, np.uint64)
        self._entries = np.zeros(0, np.int64)
        self._fresh: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids) + len(self._fresh)

    def find(self, identity: str) -> Entry | None:
        """The entry of a run, if it has one."""
        number = int(identity, 16)
        packed = self._fresh.get(number)
        if packed is None:
            at = self._at(number)
            packed = None if at is None else int(self._entries[at])
        return None if packed is None else Entry.of(packed)

    def put(self, identity: str, entry: Entry) -> None:
        """Give a run an entry, or another one."""
        number, packed = int(identity, 16), entry.packed()
        at = self._at(number)
        if at is not None:
            self._entries[at] = packed
            return
        self._fresh[number] = packed
        if len(self._fresh) >= FOLD:
            self._fold()

    def again(self) -> None:
        """Mark all that did not end well as to be done again."""
        self._fold()
        self._entries |= ((self._entries & 3) != STATUSES.index("done")).astype(np.int64) << 23

    def among(self, ids: Iterator[str], many: int) -> NDArray[np.bool_]:
        """Of each entry, in the order of ids: is it among these?"""
        self._fold()
        wanted, numbers = np.zeros(len(self._ids), np.bool_), (int(each, 16) for each in ids)
        for start in range(0, many, FOLD):
            some = np.fromiter(numbers, np.uint64, min(FOLD, many - start))
            places = np.minimum(np.searchsorted(self._ids, some), max(len(self._ids) - 1, 0))
            if len(self._ids):
                wanted[places[self._ids[places] == some]] = True
        return wanted

    def tally(self, wanted: NDArray[np.bool_] | None = None) -> dict[str, int]:
        """How many (of those wanted) have ended how, and are not to be done again."""
        self._fold()
        entries = self._entries if wanted is None else self._entries[wanted]
        counts = np.bincount(entries[entries >> 23 & 1 == 0] & 3, minlength=len(STATUSES))
        return dict(zip(STATUSES, counts.tolist(), strict=False))

    def _at(self, number: int) -> int | None:
        at = int(np.searchsorted(self._ids, np.uint64(number)))
        return at if at < len(self._ids) and int(self._ids[at]) == number else None

    def _fold(self) -> None:
        """Sort what waits into the index."""
        if not self._fresh:
            return
        ids = np.fromiter(self._fresh.keys(), np.uint64, len(self._fresh))
        entries = np.fromiter(self._fresh.values(), np.int64, len(self._fresh))
        order = np.argsort(ids)
        places = np.searchsorted(self._ids, ids[order])
        self._ids = np.insert(self._ids, places, ids[order])
        self._entries = np.insert(self._entries, places, entries[order])
        self._fresh.clear()


@dataclass
class Scan:
    """What a journal holds."""

    index: Index = field(default_factory=Index)
    header: dict[str, Any] | None = None
    """The last one."""
    garbled: list[int] = field(default_factory=list)
    """Numbers of the first lines that cannot be read."""
    lost: int = 0
    """How many cannot be read."""
    rows: int = 0
    seconds: float = 0.0
    """Of all rows together, s."""
    end: int = 0
    """Where the last whole line ends, bytes."""
    size: int = 0

    def take(self, place: int, number: int, line: bytes) -> None:
        """Take account of a line."""
        record = decoded(line)
        if record is not None and is_header(record):
            self.header = record
        elif record is not None and is_row(record):
            self.rows += 1
            self.seconds += float(record["seconds"])
            self._count(place, record)
        else:
            self.lost += 1
            if len(self.garbled) < FEW:
                self.garbled.append(number)

    def damage(self) -> list[str]:
        """What a user should be told of lines that cannot be read, a line each."""
        told = []
        if self.lost:
            lines = "line " if self.lost == 1 else "lines "
            lines += ", ".join(map(str, self.garbled))
            lines += f" and {self.lost - len(self.garbled)} more" if self.lost > len(self.garbled) else ""
            told.append(
                f"{lines} cannot be read; what was there is done again. Check the disk if nobody edited the file."
            )
        if self.end < self.size:
            told.append("the last line was torn and is cut off; its run is done again.")
        return told

    def _count(self, place: int, record: Mapping[str, Any]) -> None:
        """The first row of a run counts; of one that did not end well, the first of the last try."""
        entry = Entry.of_record(record, place)
        known = self.index.find(record["id"])
        if known is None or (known.status != "done" and entry.tries > known.tries):
            self.index.put(record["id"], entry)


def scan(path: Path) -> Scan:
    """Read a journal; a torn last line is left out. Another process may be writing to it."""
    found = Scan()
    regular_file_size(path)
    try:
        with path.open("rb") as file:
            for place, found.end, number, line in _lines(file):
                found.take(place, number, line)
            found.size = max(found.end, file.seek(0, 2))
    except OSError as error:
        raise StorageError.of(path, error) from error
    if found.header is None and not found.rows and found.size:
        raise StorageError(path, "is no journal of a sweep", "Choose another folder, or take that file away.")
    if found.header is not None:
        _refuse_other_schema(path, found.header)
    return found


def last_header(path: Path) -> dict[str, Any]:
    """The header that a journal was last begun with; rows are passed over."""
    found = None
    regular_file_size(path)
    try:
        with path.open("rb") as file:
            for _, _, _, line in _lines(file):
                record = decoded(line) if line.startswith(HEADER) else None
                if record is not None and is_header(record):
                    found = record
    except OSError as error:
        raise StorageError.of(path, error) from error
    if found is None:
        raise StorageError(path, "has no first line that can be read", "Resume the sweep: it is written anew.")
    _refuse_other_schema(path, found)
    return found


def _refuse_other_schema(path: Path, header: Mapping[str, Any]) -> None:
    if header.get("schema") != SCHEMA:
        what = f"is a journal of schema {one_line(header.get('schema'))[:100]}, and this carom knows {SCHEMA}"
        raise StorageError(path, what, "Use the version of carom that wrote it, or choose another folder.")


def _lines(file: BinaryIO) -> Iterator[tuple[int, int, int, bytes]]:
    """Whole lines with their beginnings, ends and numbers; one that is far too long comes as nothing."""
    place = number = 0
    while line := file.readline(LONGEST_LINE):
        last, size = line, len(line)
        while len(last) == LONGEST_LINE and not last.endswith(b"\n"):
            line, last = b"", file.readline(LONGEST_LINE)
            size += len(last)
        if not last.endswith(b"\n"):
            return
        number += 1
        yield place, place + size, number, line
        place += size
