"""The table of a study: a row a run."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from carom.errors import MissingExtraError, StorageError
from carom.sweeps.journal import decoded
from carom.sweeps.sheets import CSV, KINDS, PARQUET, Sheet, arrow_schema, has_parquet, uncelled
from carom.sweeps.standing import JOURNAL

__all__ = ["Table"]

SHOWN_ROWS, SHOWN_COLUMNS = 10, 14
"""What a notebook shows of a table."""


class Table:
    """What the runs of a study gave: a row a run, in the order of the plan.

    `table["energy"]` is a column as a NumPy array, `table["generator.count"]` that of a parameter. Whole numbers that
    every run has (index, seed, parameters) are int64, numbers that runs gave float64, not a number where one is
    missing; texts are arrays of objects. A table of a folder is read column by column, when they are asked for.
    """

    def __init__(
        self, sheet: Sheet, *, folder: Path | None = None, arrays: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        self._sheet, self._kinds = sheet, sheet.kinds
        self._folder = folder
        self._arrays: dict[str, NDArray[Any]] = dict(arrays or {})
        self._long: int | None = None

    @classmethod
    def read(cls, folder: str | Path) -> Table:
        """The table of a results folder."""
        folder = Path(folder)
        if not (folder / JOURNAL).is_file():
            raise StorageError(folder, "holds no results of a sweep", "Check the name of the folder.")
        if not (folder / CSV).is_file():
            raise StorageError(folder, "holds no table yet", "Resume the sweep: it is written at the end.")
        return cls(_sheet_in(folder), folder=folder)

    def load(self) -> Self:
        """The same table, all in memory: it needs its folder no more."""
        for name in self.columns:
            self[name]
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
        """The columns that hold what the runs gave."""
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
            self._arrays[name] = self._column(name)
        return self._arrays[name]

    def __repr__(self) -> str:
        return f"<table of {len(self)} runs, {len(self._kinds)} columns: {', '.join((*self.parameters, *self.values))}>"

    def _repr_html_(self) -> str:
        names = self.columns[:SHOWN_COLUMNS]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(row[name]))}</td>" for name in names) + "</tr>"
            for row in islice(self.rows(), SHOWN_ROWS)
        )
        more = [f"{len(self) - SHOWN_ROWS} more runs"] if len(self) > SHOWN_ROWS else []
        more += [f"{len(self.columns) - len(names)} more columns"] if len(self.columns) > len(names) else []
        note = f"<caption>and {' and '.join(more)}</caption>" if more else ""
        return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Row after row, as plain Python values; a number that is missing is None."""
        if self._folder is not None:
            yield from self._read_rows(self._folder)
            return
        lists = [self._plain(name) for name in self.columns]
        for row in zip(*lists, strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def failed(self) -> list[dict[str, Any]]:
        """The rows of runs that failed or timed out; `reason` tells why."""
        return [row for row in self.rows() if row["status"] != "done"]

    def summary(self) -> list[dict[str, Any]]:
        """Means over repeats with their errors, a row a point: see `carom.sweeps.gather.summary`."""
        from carom.sweeps.gather import summary  # noqa: PLC0415  # only who asks needs it

        return summary(self.rows(), self.parameters, self.values)

    def to_arrow(self) -> Any:
        """The table as one of pyarrow."""
        if not has_parquet():
            raise MissingExtraError("a table of pyarrow", "sweep")
        import pyarrow as pa  # noqa: PLC0415  # an extra

        schema = arrow_schema(self._kinds)
        return pa.table([pa.array(self._plain(each.name), each.type) for each in schema], schema=schema)

    def to_pandas(self) -> Any:
        """The table as a DataFrame of pandas."""
        try:
            import pandas as pd  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise MissingExtraError("a table of pandas", "pandas") from error
        return pd.DataFrame({name: self[name] for name in self.columns})

    def _plain(self, name: str) -> list[Any]:
        """A column as plain Python values."""
        values: list[Any] = self[name].tolist()
        kind = self._kinds[name]
        if kind in {"text", "bool"}:
            return values
        return [None if value != value else int(value) if kind == "int" else value for value in values]  # noqa: PLR0124  # not a number

    def _column(self, name: str) -> NDArray[Any]:
        """A column, read from the folder."""
        if self._folder is None:
            raise KeyError(name)
        path = self._folder / PARQUET
        if path.is_file() and has_parquet():
            import pyarrow as pa  # noqa: PLC0415  # an extra
            import pyarrow.parquet as pq  # noqa: PLC0415  # the same

            try:
                values = pq.read_table(path, columns=[name]).column(name).to_pylist()
            except (OSError, KeyError, pa.ArrowException) as error:
                raise StorageError(path, "cannot be read", "Resume the sweep: it is written anew.") from error
        else:
            values = [row[name] for row in self._read_rows(self._folder)]
        try:
            return _array(values, self._kinds[name], every=name not in self._sheet.values)
        except (TypeError, ValueError, OverflowError) as error:
            raise _changed(self._folder / CSV, error) from error

    def _read_rows(self, folder: Path) -> Iterator[dict[str, Any]]:
        """Rows as CSV holds them."""
        path = folder / CSV
        try:
            with path.open(encoding="utf-8", newline="") as file:
                lines = csv.reader(file, strict=True)
                names = [uncelled(name, "text") for name in next(lines, [])]
                if names != list(self._kinds):
                    raise ValueError("its columns are others than the journal's")
                for line in lines:
                    cells = zip(names, line, self._kinds.values(), strict=True)
                    yield {name: uncelled(text, kind) for name, text, kind in cells}
        except OSError as error:
            raise StorageError.of(path, error) from error
        except (ValueError, KeyError, csv.Error) as error:
            raise _changed(path, error) from error


def _array(values: list[Any], kind: str, *, every: bool) -> NDArray[Any]:
    """A column of one kind; `every` tells that no run lacks it."""
    if kind == "text":
        out = np.empty(len(values), np.object_)
        out[:] = values
        return out
    if kind == "bool":
        return np.array(values, np.bool_)
    if kind == "int" and every:
        return np.array(values, np.int64)
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _changed(path: Path, error: Exception) -> StorageError:
    what = f"is not as carom wrote it ({str(error)[:200]})"
    return StorageError(path, what, "Resume the sweep: it is written anew.")


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _sheet_in(folder: Path) -> Sheet:
    """The columns that the journal of a folder was last begun with."""
    path, header = folder / JOURNAL, None
    try:
        with path.open("rb") as file:
            for line in file:
                if line.startswith(b'{"carom":'):
                    header = decoded(line) or header
    except OSError as error:
        raise StorageError.of(path, error) from error
    parameters, columns = (header or {}).get("parameters"), (header or {}).get("columns")
    if not isinstance(parameters, dict) or not isinstance(columns, list) or not set(parameters.values()) <= set(KINDS):
        raise StorageError(path, "has no first line that can be read", "Resume the sweep: it is written anew.")
    return Sheet.of(parameters, columns)
