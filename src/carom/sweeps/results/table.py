"""The table of a study: one row per run."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from carom.errors import StorageError
from carom.extras import require
from carom.sweeps.results.journal import last_header, one_line
from carom.sweeps.results.progress import JOURNAL
from carom.sweeps.results.sheets import CSV, TableLayout, arrow_schema, parse_cell

__all__ = ["Table"]

MAX_ROWS_SHOWN, MAX_COLUMNS_SHOWN = 10, 14
"""What a notebook shows of a table."""
ROWS_PER_CHUNK = 2**13
"""Rows that are converted to arrays together."""


class Table:
    """The results of a study: one row per run, in the order of the plan.

    `table["energy"]` is a column as a NumPy array, `table["generator.count"]` that of a parameter. Integers that every
    run has (index, seed, parameters) are int64, values of runs are float64 with NaN for missing ones, and texts are
    arrays of objects. The table of a folder reads each column from its CSV at first use; the Parquet file is for other
    programs.
    """

    def __init__(
        self, sheet: TableLayout, *, folder: Path | None = None, arrays: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        self._sheet, self._kinds = sheet, sheet.kinds
        self._folder = folder
        self._arrays: dict[str, NDArray[Any]] = dict(arrays or {})
        self._long: int | None = None

    @classmethod
    def read(cls, folder: str | Path) -> Table:
        """Open the table of a results folder."""
        folder = Path(folder)
        if not (folder / JOURNAL).is_file():
            raise StorageError(folder, "holds no results of a sweep", "Check the name of the folder.")
        if not (folder / CSV).is_file():
            raise StorageError(folder, "holds no table yet", "Resume the sweep: it is written at the end.")
        return cls(_sheet_in(folder), folder=folder)

    def load(self) -> Self:
        """Read the whole table into memory; the folder is not needed any more. Returns the table."""
        self._read(*(name for name in self.columns if name not in self._arrays))
        self._folder, self._long = None, len(self)
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self._kinds)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The paths of the parameters, which are columns too."""
        return tuple(self._sheet.parameters)

    @property
    def values(self) -> tuple[str, ...]:
        """The columns of the values of runs."""
        return tuple(self._sheet.values)

    def __len__(self) -> int:
        if self._long is None:
            self._long = len(self["index"])
        return self._long

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._kinds:
            near = get_close_matches(str(name), self._kinds, 1)
            raise KeyError(
                f"no column {name!r}. {f'Did you mean {near[0]!r}?' if near else f'There are: {self.columns}'}"
            )
        if name not in self._arrays:
            self._read(name)
        return self._arrays[name]

    def __repr__(self) -> str:
        names = one_line(", ".join((*self.parameters, *self.values)))
        return f"<table of {len(self)} runs, {len(self._kinds)} columns: {names}>"

    def _repr_html_(self) -> str:
        names = self.columns[:MAX_COLUMNS_SHOWN]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(row[name]))}</td>" for name in names) + "</tr>"
            for row in islice(self.rows(), MAX_ROWS_SHOWN)
        )
        more = [f"{len(self) - MAX_ROWS_SHOWN} more runs"] if len(self) > MAX_ROWS_SHOWN else []
        more += [f"{len(self.columns) - len(names)} more columns"] if len(self.columns) > len(names) else []
        note = f"<caption>and {' and '.join(more)}</caption>" if more else ""
        return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as plain Python values; missing numbers are None."""
        if self._folder is not None:
            names, kinds = self.columns, tuple(self._kinds.values())
            with _storage_errors(self._folder / CSV):
                for line in self._lines(self._folder):
                    yield dict(zip(names, map(_value, line, kinds), strict=True))
            return
        lists = [self._plain(name) for name in self.columns]
        for row in zip(*lists, strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def failed(self) -> list[dict[str, Any]]:
        """The rows of runs that failed or timed out; `reason` says why."""
        return [row for row in self.rows() if row["status"] != "done"]

    def summary(self) -> list[dict[str, Any]]:
        """Means over repeats with errors, one row per point: see `carom.sweeps.results.gather.summary`."""
        from carom.sweeps.results.gather import summary  # noqa: PLC0415  # only who asks needs it

        return summary(self.rows(), self.parameters, self.values)

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table."""
        require("sweep", "a table of pyarrow", "pyarrow")
        import pyarrow as pa  # noqa: PLC0415  # an extra

        schema = arrow_schema(self._kinds)
        return pa.table([pa.array(self._plain(each.name), each.type) for each in schema], schema=schema)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        require("pandas", "a table of pandas")
        import pandas as pd  # noqa: PLC0415  # an extra

        return pd.DataFrame({name: self[name] for name in self.columns})

    def _plain(self, name: str) -> list[Any]:
        """A column as plain Python values."""
        values: list[Any] = self[name].tolist()
        kind = self._kinds[name]
        if kind in {"text", "bool"}:
            return values
        return [None if value != value else int(value) if kind == "int" else value for value in values]  # noqa: PLR0124  # not a number

    def _read(self, *names: str) -> None:
        """Read columns from the folder."""
        if self._folder is None or not names:
            return
        parts = {name: [self._array(name, [])] for name in names}
        places = {name: self.columns.index(name) for name in names}
        lines = self._lines(self._folder)
        while some := list(islice(lines, ROWS_PER_CHUNK)):
            with _storage_errors(self._folder / CSV):
                for name, at in places.items():
                    parts[name].append(self._array(name, [line[at] for line in some]))
        self._arrays |= {name: np.concatenate(each) for name, each in parts.items()}

    def _lines(self, folder: Path) -> Iterator[list[str]]:
        """The rows of the CSV file, as texts."""
        path = folder / CSV
        with _storage_errors(path), path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file, strict=True)
            names = [parse_cell(name, "text") for name in next(lines, [])]
            if names != list(self._kinds):
                raise ValueError("its columns differ from the journal's")
            for line in lines:
                if len(line) != len(names):
                    raise ValueError(f"line {lines.line_num} has {len(line)} cells, not {len(names)}")
                yield line

    def _array(self, name: str, cells: list[str]) -> NDArray[Any]:
        """Convert cells of a column to an array; only values of runs can be missing."""
        kind = self._kinds[name]
        values = [_value(text, kind) for text in cells]
        if kind == "text":
            return np.array(values, np.object_)
        if kind == "bool":
            return np.array(values, np.bool_)
        if kind == "int" and name not in self._sheet.values:
            return np.array(values, np.int64)
        return np.array([np.nan if value is None else value for value in values], np.float64)


def _value(text: str, kind: str) -> Any:
    """Parse a cell; control characters are removed from texts."""
    value = parse_cell(text, kind)
    return one_line(value) if kind == "text" and not value.isprintable() else value


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    """Turn errors of reading into StorageError."""
    try:
        yield
    except OSError as error:
        raise StorageError.of(path, error) from error
    except (TypeError, ValueError, KeyError, OverflowError, csv.Error) as error:
        what = f"was changed since carom wrote it ({one_line(error)[:200]})"
        raise StorageError(path, what, "Resume the sweep: it is written anew.") from error


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _sheet_in(folder: Path) -> TableLayout:
    """The columns named by the last header of a folder's journal."""
    header = last_header(folder / JOURNAL)
    return TableLayout.of(header["parameters"], header["columns"])
