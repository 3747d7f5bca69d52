"""The journal of a sweep: one line of JSON per run that has ended, and one header per study that was started.

A line ends with its checksum, so that any changed byte is detected and the run is repeated. NaN is written as `null`,
infinities as the texts "inf" and "-inf".
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
    "RunEntry",
    "RunIndex",
    "Scan",
    "decode",
    "encode",
    "from_plain",
    "is_header",
    "is_row",
    "last_header",
    "one_line",
    "plain",
    "scan",
]

SCHEMA = 1
"""Version of the format of lines."""
MAX_LINE_LENGTH = 2**20
"""Bytes; a longer line was not written by carom."""
MAX_TEXT_LENGTH = 2000
"""Characters of a reason or a remark; longer texts are cut."""
MAX_LINES_NAMED = 20
"""Garbled lines that a warning names."""
MAX_UNSORTED = 2**14
"""Entries that are held in a dictionary before they are sorted into the index."""
MAX_TRIES = 2**20
"""Times that a run may be repeated."""
MAX_SECONDS = 1e12
"""A run cannot take longer, s."""
MAX_INTEGER = 2**63
"""Integers in a table are below this."""
ID = re.compile(r"[0-9a-f]{16}")
CHECK = b',"crc":"'
END = b'"}\n'
HEADER = b'{"carom":'
"""The first bytes of a header."""
CONTROL = dict.fromkeys((*range(32), *range(127, 160)), " ")
"""Control characters, which a terminal would obey."""


def encode(record: Mapping[str, Any]) -> bytes:
    """Encode a record as a line with its checksum."""
    body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii")[:-1]
    return body + CHECK + b"%08x" % crc32(body) + END


def decode(line: bytes) -> dict[str, Any] | None:
    """Decode the record of a line; None if it is garbled."""
    body, found, check = line.rpartition(CHECK)
    if not found or check != b"%08x" % crc32(body) + END:
        return None
    try:
        record = json.loads(body + b"}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _refuse(word: str) -> None:
    raise ValueError(word)  # NaN and Infinity are not JSON


def one_line(text: object) -> str:
    """Shorten a text to one line without control characters, which any file can hold."""
    words = " ".join(str(text).translate(CONTROL).split())
    if len(words) > MAX_TEXT_LENGTH:
        words = words[: MAX_TEXT_LENGTH - 1] + "…"
    return words.encode("utf-8", "backslashreplace").decode("utf-8")


def plain(value: Any, kind: str) -> float | int | str | None:
    """Convert a value of a run to one that JSON can hold."""
    if value is None or kind == "text":
        return None if value is None else one_line(value)
    if kind == "int":
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else None if math.isnan(number) else str(number)


def from_plain(value: Any, kind: str) -> float | int | str | None:
    """Convert back what `plain` returned; None also for a value of another kind."""
    try:
        if kind == "text":
            return "" if value is None else one_line(value)
        return None if value is None else int(value) if kind == "int" else float(value)
    except (ValueError, OverflowError):
        return None


def is_row(record: Mapping[str, Any]) -> bool:
    """Is it a complete record of a run that has ended?"""
    identity, values, seconds, tries = (record.get(key) for key in ("id", "values", "seconds", "try"))
    return (
        isinstance(identity, str)
        and ID.fullmatch(identity) is not None
        and record.get("status") in STATUSES
        and isinstance(record.get("reason"), str)
        and isinstance(values, dict)
        and all(_is_plain(value) for value in values.values())
        and isinstance(seconds, int | float)
        and 0.0 <= seconds < MAX_SECONDS
        and (tries is None or (isinstance(tries, int) and 0 < tries < MAX_TRIES))
    )


def is_header(record: Mapping[str, Any]) -> bool:
    """Is it a complete header? Headers of other schemas may have other keys."""
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
    return (
        value is None
        or isinstance(value, float | str)
        or (isinstance(value, int) and -MAX_INTEGER <= value < MAX_INTEGER)
    )


@dataclass(frozen=True)
class RunEntry:
    """Where the line of a run is, and how the run ended."""

    place: int
    status: str
    tries: int = 1
    again: bool = False
    """Is the run to be repeated?"""

    def packed(self) -> int:
        """The entry as one integer below 2^63, for files of up to 2^39 bytes."""
        return self.place << 24 | self.again << 23 | self.tries << 2 | STATUSES.index(self.status)

    @classmethod
    def of_record(cls, record: Mapping[str, Any], place: int) -> RunEntry:
        """The entry of a row at a place of the journal."""
        return cls(place, record["status"], record.get("try") or 1)

    @classmethod
    def of(cls, packed: int) -> RunEntry:
        """Unpack an entry."""
        return cls(packed >> 24, STATUSES[packed & 3], packed >> 2 & 2**21 - 1, bool(packed >> 23 & 1))


class RunIndex:
    """The entries of runs that have ended, by id: 16 bytes per run, and a few thousand in a dictionary."""

    def __init__(self) -> None:
        self._ids = np.zeros(0, np.uint64)
        self._entries = np.zeros(0, np.int64)
        self._fresh: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids) + len(self._fresh)

    def find(self, identity: str) -> RunEntry | None:
        """The entry of a run, or None."""
        number = int(identity, 16)
        packed = self._fresh.get(number)
        if packed is None:
            at = self._at(number)
            packed = None if at is None else int(self._entries[at])
        return None if packed is None else RunEntry.of(packed)

    def put(self, identity: str, entry: RunEntry) -> None:
        """Set the entry of a run."""
        number, packed = int(identity, 16), entry.packed()
        at = self._at(number)
        if at is not None:
            self._entries[at] = packed
            return
        self._fresh[number] = packed
        if len(self._fresh) >= MAX_UNSORTED:
            self._fold()

    def again(self) -> None:
        """Mark all runs that failed or timed out as to be repeated."""
        self._fold()
        self._entries |= ((self._entries & 3) != STATUSES.index("done")).astype(np.int64) << 23

    def among(self, ids: Iterator[str], many: int) -> NDArray[np.bool_]:
        """For each entry, in the order of ids: is it among these?"""
        self._fold()
        wanted, numbers = np.zeros(len(self._ids), np.bool_), (int(each, 16) for each in ids)
        for start in range(0, many, MAX_UNSORTED):
            some = np.fromiter(numbers, np.uint64, min(MAX_UNSORTED, many - start))
            places = np.minimum(np.searchsorted(self._ids, some), max(len(self._ids) - 1, 0))
            if len(self._ids):
                wanted[places[self._ids[places] == some]] = True
        return wanted

    def tally(self, wanted: NDArray[np.bool_] | None = None) -> dict[str, int]:
        """Count the runs by how they ended (of those wanted), without runs that are to be repeated."""
        self._fold()
        entries = self._entries if wanted is None else self._entries[wanted]
        counts = np.bincount(entries[entries >> 23 & 1 == 0] & 3, minlength=len(STATUSES))
        return dict(zip(STATUSES, counts.tolist(), strict=False))

    def _at(self, number: int) -> int | None:
        at = int(np.searchsorted(self._ids, np.uint64(number)))
        return at if at < len(self._ids) and int(self._ids[at]) == number else None

    def _fold(self) -> None:
        """Sort the dictionary into the index."""
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
    """The content of a journal."""

    index: RunIndex = field(default_factory=RunIndex)
    header: dict[str, Any] | None = None
    """The last header."""
    garbled: list[int] = field(default_factory=list)
    """Numbers of the first unreadable lines."""
    lost: int = 0
    """How many lines are unreadable."""
    rows: int = 0
    seconds: float = 0.0
    """Sum over all rows, s."""
    end: int = 0
    """Where the last complete line ends, bytes."""
    size: int = 0

    def take(self, place: int, number: int, line: bytes) -> None:
        """Read a line into this scan."""
        record = decode(line)
        if record is not None and is_header(record):
            self.header = record
        elif record is not None and is_row(record):
            self.rows += 1
            self.seconds += float(record["seconds"])
            self._count(place, record)
        else:
            self.lost += 1
            if len(self.garbled) < MAX_LINES_NAMED:
                self.garbled.append(number)

    def damage(self) -> list[str]:
        """Warnings about unreadable lines."""
        told = []
        if self.lost:
            lines = "line " if self.lost == 1 else "lines "
            lines += ", ".join(map(str, self.garbled))
            lines += f" and {self.lost - len(self.garbled)} more" if self.lost > len(self.garbled) else ""
            told.append(f"{lines} cannot be read; these runs are repeated. Check the disk if the file was not edited.")
        if self.end < self.size:
            told.append("the last line was incomplete and is removed; its run is repeated.")
        return told

    def _count(self, place: int, record: Mapping[str, Any]) -> None:
        """Count a row. The first row of a run counts; of a run that was repeated, the first of its last try."""
        entry = RunEntry.of_record(record, place)
        known = self.index.find(record["id"])
        if known is None or (known.status != "done" and entry.tries > known.tries):
            self.index.put(record["id"], entry)


def scan(path: Path) -> Scan:
    """Read a journal without an incomplete last line. Another process may be writing to it."""
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
        raise StorageError(path, "is no journal of a sweep", "Choose another folder, or remove that file.")
    if found.header is not None:
        _refuse_other_schema(path, found.header)
    return found


def last_header(path: Path) -> dict[str, Any]:
    """The last header of a journal; rows are skipped."""
    found = None
    regular_file_size(path)
    try:
        with path.open("rb") as file:
            for _, _, _, line in _lines(file):
                record = decode(line) if line.startswith(HEADER) else None
                if record is not None and is_header(record):
                    found = record
    except OSError as error:
        raise StorageError.of(path, error) from error
    if found is None:
        raise StorageError(path, "has no readable first line", "Resume the sweep: it is written anew.")
    _refuse_other_schema(path, found)
    return found


def _refuse_other_schema(path: Path, header: Mapping[str, Any]) -> None:
    if header.get("schema") != SCHEMA:
        what = f"is a journal of schema {one_line(header.get('schema'))[:100]}, and this carom knows {SCHEMA}"
        raise StorageError(path, what, "Use the version of carom that wrote it, or choose another folder.")


def _lines(file: BinaryIO) -> Iterator[tuple[int, int, int, bytes]]:
    """Complete lines with their starts, ends and numbers; a line that is too long comes as empty bytes."""
    place = number = 0
    while line := file.readline(MAX_LINE_LENGTH):
        last, size = line, len(line)
        while len(last) == MAX_LINE_LENGTH and not last.endswith(b"\n"):
            line, last = b"", file.readline(MAX_LINE_LENGTH)
            size += len(last)
        if not last.endswith(b"\n"):
            return
        number += 1
        yield place, place + size, number, line
        place += size
