"""The columns of a study's table, and how tables are written: CSV and Parquet.

The columns are fixed by the study: `index`, `id`, `point`, `repeat`, `seed`, the parameters by their paths, `status`,
`reason`, and the values of runs. The type of a column (integer, float, text) is fixed too, whatever the runs returned.

CSV follows RFC 4180: commas, quotes where needed, lines that end with CR LF; UTF-8. Numbers are written so that reading
them gives the same bits. Missing values and NaN are empty cells; infinity is `inf`. A text that a spreadsheet could run
as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break), or that begins with `'`, gets a `'` in front,
which carom removes on reading. Parquet holds texts unchanged, and missing values as nulls.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from carom.atomic_write import replacing
from carom.errors import StudyError
from carom.sweeps.study import columns

__all__ = [
    "CSV",
    "KINDS",
    "PARQUET",
    "SUMMARY",
    "TABLES",
    "RowWriter",
    "TableLayout",
    "arrow_schema",
    "csv_writer",
    "format_cell",
    "has_parquet",
    "parquet_writer",
    "parse_cell",
    "write",
]

CSV, PARQUET, SUMMARY = TABLES = ("table.csv", "table.parquet", "summary.csv")
KINDS = ("int", "float", "text", "bool")
BEFORE = {"index": "int", "id": "text", "point": "int", "repeat": "int", "seed": "int"}
"""Columns before the parameters."""
AFTER = {"status": "text", "reason": "text"}
"""Columns between parameters and values."""
ROWS_PER_GROUP = 2**13
"""Rows in a group of Parquet."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""Beginnings of texts that a spreadsheet could run as formulas."""


@dataclass(frozen=True)
class TableLayout:
    """The columns of a table: names and types."""

    parameters: Mapping[str, str]
    values: Mapping[str, str]

    @classmethod
    def of(cls, parameters: Mapping[str, str], names: Sequence[str]) -> TableLayout:
        """The columns for these parameters, with their types, and these values."""
        words = {float: "float", int: "int", str: "text"}
        return cls(dict(parameters), {name: words[kind] for name, kind in columns.kinds(names).items()})

    @property
    def kinds(self) -> dict[str, str]:
        """The type of each column, in order: one of KINDS."""
        return {**BEFORE, **self.parameters, **AFTER, **self.values}

    def check(self) -> None:
        """StudyError if two columns have the same name."""
        seen = {**BEFORE, **AFTER}
        for where, names in (("parameters", self.parameters), ("observables", self.values)):
            for name in names:
                if name in seen:
                    raise StudyError.of("sheet.name-twice", where=where, name=repr(name))
            seen |= dict(names)


def format_cell(value: Any) -> str:
    """A value as a cell of CSV."""
    if value is None or value != value:  # noqa: PLR0124  # not a number
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return repr(value)


def parse_cell(text: str, kind: str) -> Any:
    """Parse the value of a cell: None if it is empty, except for texts. ValueError if it is invalid."""
    if kind == "text":
        return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text
    if not text:
        return None
    if kind == "bool":
        return {"true": True, "false": False}[text]
    return int(text) if kind == "int" else float(text)


class RowWriter(Protocol):
    """Writes rows to a file."""

    def row(self, values: Sequence[Any]) -> None:
        """Write a row."""


class _Csv:
    def __init__(self, text: io.TextIOBase) -> None:
        self._writer = csv.writer(text, lineterminator="\r\n")

    def row(self, values: Sequence[Any]) -> None:
        self._writer.writerow([format_cell(value) for value in values])


@contextmanager
def csv_writer(file: BinaryIO, names: Iterable[str]) -> Iterator[RowWriter]:
    """Write CSV to an open file, first a line of names."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        writer = _Csv(text)
        writer.row(list(names))
        yield writer
        text.flush()
    finally:
        text.detach()


class _Parquet:
    def __init__(self, file: BinaryIO, kinds: Mapping[str, str]) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415  # an extra

        self._schema = arrow_schema(kinds)
        self._waiting: list[Sequence[Any]] = []
        self.writer = pq.ParquetWriter(file, self._schema)

    def row(self, values: Sequence[Any]) -> None:
        self._waiting.append(values)
        if len(self._waiting) == ROWS_PER_GROUP:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa  # noqa: PLC0415  # an extra

        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            arrays = [pa.array(column, each.type) for column, each in zip(columns, self._schema, strict=True)]
            self.writer.write_batch(pa.record_batch(arrays, schema=self._schema))
            self._waiting.clear()


def arrow_schema(kinds: Mapping[str, str]) -> Any:
    """The Arrow schema of the columns."""
    import pyarrow as pa  # noqa: PLC0415  # an extra

    types = {"int": pa.int64(), "float": pa.float64(), "text": pa.string(), "bool": pa.bool_()}
    return pa.schema([(name, types[kind]) for name, kind in kinds.items()])


@contextmanager
def parquet_writer(file: BinaryIO, kinds: Mapping[str, str]) -> Iterator[RowWriter]:
    """Write Parquet to an open file, in groups of rows."""
    parquet = _Parquet(file, kinds)
    try:
        yield parquet
        parquet.flush()
    finally:
        parquet.writer.close()


def write(folder: Path, sheet: TableLayout, rows: Iterable[dict[str, Any]]) -> None:
    """Write the tables of rows that come in the order of the plan, without holding them in memory.

    They replace earlier tables when all are complete. Without pyarrow there is no Parquet.
    """
    from carom.sweeps.results.gather import points  # noqa: PLC0415  # only who writes tables needs it

    parquet = has_parquet()
    with ExitStack() as files:
        names = (CSV, SUMMARY, PARQUET) if parquet else (CSV, SUMMARY)
        plain, means, *typed = [files.enter_context(replacing(folder / name)) for name in names]
        with ExitStack() as stack:
            sheets = [stack.enter_context(csv_writer(plain, sheet.kinds))]
            sheets += [stack.enter_context(parquet_writer(file, sheet.kinds)) for file in typed]
            writer: RowWriter | None = None
            for mean in points(_through(rows, sheets), list(sheet.parameters), list(sheet.values)):
                writer = writer or stack.enter_context(csv_writer(means, mean))
                writer.row(list(mean.values()))
        for file in (plain, means, *typed):
            file.flush()
    if not parquet:
        with suppress(OSError):
            (folder / PARQUET).unlink()  # it would belong to other runs


def _through(rows: Iterable[dict[str, Any]], sheets: Sequence[RowWriter]) -> Iterator[dict[str, Any]]:
    """Write rows as they pass through."""
    for row in rows:
        values = list(row.values())
        for sheet in sheets:
            sheet.row(values)
        yield row


def has_parquet() -> bool:
    """Is pyarrow installed?"""
    try:
        import pyarrow.parquet  # noqa: F401, PLC0415  # an extra
    except ImportError:
        return False
    return True
