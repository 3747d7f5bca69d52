"""The table of a study: its cells, its types, and what is read back."""

import csv
import io
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carom.errors import MissingExtraError, StorageError
from carom.sweeps.results import journal, sheets
from carom.sweeps.results.gather import summary
from carom.sweeps.results.ledger import Ledger
from carom.sweeps.results.sheets import csv_writer, format_cell, parse_cell
from carom.sweeps.results.table import Table
from sweeps.pretend import COLUMNS, WORDS, Pretend, row

HEAD = ["index", "id", "point", "repeat", "seed", *Pretend.types, "status", "reason", *COLUMNS]


@pytest.fixture
def study() -> Any:
    return Pretend([0.1, 1e-300, -0.0, 3.0], repeats=2, words=WORDS)


@pytest.fixture(params=["folder", "csv alone", "memory"])
def table(request: pytest.FixtureRequest, tmp_path: Path, study: Any) -> Table:
    """The same table from each of its homes."""
    written(tmp_path, study)
    if request.param == "csv alone":
        (tmp_path / "table.parquet").unlink()
    found = Table.read(tmp_path)
    if request.param == "memory":
        found = found.load()
        for each in tmp_path.iterdir():
            each.unlink()
    return found


def written(folder: Path, study: Any, status: str = "") -> None:
    with Ledger.begin(folder, study, columns=COLUMNS) as book:
        for spec in reversed([*study]):
            book.add(row(spec, status))
        book.write_tables()


def expected(study: Any) -> list[dict[str, Any]]:
    """The rows as they should be."""
    rows = []
    for spec in study:
        one = row(spec)
        values = {name: None if _nan(value) else value for name, value in one["values"].items()}
        texts = {name: values[name] or "" for name in ("stopped", "remarks")}
        head = {key: getattr(spec, key) for key in ("index", "id", "point", "repeat", "seed")}
        reason = one["reason"].replace(",\n", ", ")
        rows.append(head | spec.parameters | {"status": one["status"], "reason": reason} | values | texts)
    return rows


def _nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def test_rows_come_back_to_the_last_bit(table: Table, study: Any) -> None:
    assert [repr(found) for found in table.rows()] == [repr(wanted) for wanted in expected(study)]
    assert len(table) == len(study) == 56
    assert list(table.columns) == HEAD
    assert table.parameters == tuple(Pretend.types)
    assert table.values == tuple(COLUMNS)


def test_columns_are_arrays_of_their_kind(table: Table, study: Any) -> None:
    rows = expected(study)
    kinds = {name: table[name].dtype for name in table.columns}
    whole, text = ("index", "point", "repeat", "seed", "run.count"), ("id", "balls[0].material", "status", "reason")
    assert all(kinds.pop(name) == np.int64 for name in whole)
    assert all(kinds.pop(name) == np.object_ for name in (*text, "stopped", "remarks"))
    assert kinds.pop("run.flag") == np.bool_
    assert set(kinds) == {"x", "time", "collisions", "energy", "energy_error"}
    assert all(kind == np.float64 for kind in kinds.values())
    assert table["seed"].tolist() == [one["seed"] for one in rows]
    assert table["balls[0].material"].tolist() == [one["balls[0].material"] for one in rows]
    energy = [math.nan if one["energy"] is None else one["energy"] for one in rows]
    assert table["energy"].tobytes() == np.array(energy).tobytes()
    assert np.isnan(table["collisions"]).tolist() == [one["status"] != "done" for one in rows]
    assert (table["status"] == "done").sum() == len(table) - len(table.failed())
    assert "x" in table
    assert "y" not in table


def test_failed_rows_have_their_reasons(table: Table, study: Any) -> None:
    found = table.failed()
    assert 0 < len(found) < len(study)
    assert {one["status"] for one in found} == {"failed", "timed out"}
    assert all(one["reason"] == f"=because of {one['id']}, of course" for one in found)


def test_summary_is_that_of_the_rows(table: Table, study: Any) -> None:
    assert repr(table.summary()) == repr(summary(expected(study), [*Pretend.types], COLUMNS))
    assert len(table.summary()) == 28


def test_an_unknown_column_names_the_nearest(table: Table) -> None:
    with pytest.raises(KeyError, match=r"no column 'enegry'\. Did you mean 'energy'"):
        table["enegry"]
    with pytest.raises(KeyError, match="There are"):
        table["qqqqqq"]


def test_other_forms(table: Table, study: Any) -> None:
    rows = expected(study)
    arrow, frame = table.to_arrow(), table.to_pandas()
    assert arrow.column_names == list(frame.columns) == HEAD
    assert [repr(one) for one in arrow.to_pylist()] == [repr(one) for one in rows]
    types = {str(field.type) for field in arrow.schema}
    assert types == {"int64", "double", "string", "bool"}
    assert frame["seed"].tolist() == [one["seed"] for one in rows]
    assert frame["energy"].isna().sum() == sum(one["energy"] is None for one in rows)


def test_it_shows_itself(table: Table) -> None:
    assert repr(table).startswith("<table of 56 runs, 17 columns: x, balls[0].material, run.count")
    html = table._repr_html_()
    assert html.count("<tr>") == 11
    assert "and 46 more runs and 3 more columns" in html


def test_html_holds_no_markup_of_texts(tmp_path: Path) -> None:
    of: Any = Pretend([1.0], words=["<script>alert(1)</script>"])
    written(tmp_path, of, "done")
    html = Table.read(tmp_path)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "more runs" not in html


def test_summary_csv_is_written_too(tmp_path: Path, study: Any) -> None:
    written(tmp_path, study)
    with (tmp_path / "summary.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    wanted = Table.read(tmp_path).summary()
    assert list(found[0]) == list(wanted[0])
    assert [list(one.values()) for one in found] == [[format_cell(value) for value in one.values()] for one in wanted]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.1, "float", "0.1"),
        (1e22, "float", "1e+22"),
        (-0.0, "float", "-0.0"),
        (5e-324, "float", "5e-324"),
        (math.inf, "float", "inf"),
        (-math.inf, "float", "-inf"),
        (None, "float", ""),
        (None, "int", ""),
        (-(2**62), "int", str(-(2**62))),
        (True, "bool", "true"),
        (False, "bool", "false"),
        ("", "text", ""),
        ("plain", "text", "plain"),
        ("'", "text", "''"),
        ("it's", "text", "it's"),
        ("'=1", "text", "''=1"),
        *((f"{sign}cmd()", "text", f"'{sign}cmd()") for sign in ("=", "+", "-", "@", "\t", "\r", "\n")),
        ('a,"b"\nc', "text", 'a,"b"\nc'),
    ],
)
def test_cells(value: Any, kind: str, text: str) -> None:
    assert format_cell(value) == text
    assert repr(parse_cell(text, kind)) == repr(value)


def test_not_a_number_is_empty() -> None:
    assert format_cell(math.nan) == ""


def test_csv_is_that_of_rfc_4180() -> None:
    file = io.BytesIO()
    with csv_writer(file, ["a,b", '"q"', "=1"]) as writer:
        writer.row([1.5, "line\nbreak", "x,y"])
    assert file.getvalue() == b'"a,b","""q""",\'=1\r\n1.5,"line\nbreak","x,y"\r\n'


def test_types_do_not_depend_on_what_came_out(tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415  # an extra

    of: Any = Pretend([1.0, 2.0])
    for status in ("done", "failed"):
        written(tmp_path / status, of, status)
    with Ledger.begin(tmp_path / "none", of, columns=COLUMNS) as book:
        book.write_tables()
    schemas = [pq.read_schema(tmp_path / name / "table.parquet") for name in ("done", "failed", "none")]
    assert schemas[0].equals(schemas[1])
    assert schemas[0].equals(schemas[2])
    empty = Table.read(tmp_path / "none")
    assert len(empty) == 0
    assert empty["energy"].dtype == np.float64
    assert empty.summary() == []


def test_rows_are_grouped_in_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415  # an extra

    monkeypatch.setattr(sheets, "ROWS_PER_GROUP", 4)
    of: Any = Pretend(range(10))
    written(tmp_path, of)
    file = pq.ParquetFile(tmp_path / "table.parquet")
    assert file.num_row_groups == 3
    assert file.read().column("x").to_pylist() == [float(k) for k in range(10)]


def test_without_pyarrow_there_is_csv_alone(tmp_path: Path, study: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, study)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with Ledger.resume(tmp_path, study, columns=COLUMNS) as book:
        book.write_tables()
    assert not (tmp_path / "table.parquet").exists()
    table = Table.read(tmp_path)
    assert len(table) == len(study)
    with pytest.raises(MissingExtraError, match=r"carom\[sweep\]"):
        table.to_arrow()
    with pytest.raises(MissingExtraError, match="pandas"):
        table.to_pandas()


def test_no_table_yet(tmp_path: Path, study: Any) -> None:
    with pytest.raises(StorageError, match="holds no results of a sweep"):
        Table.read(tmp_path)
    Ledger.begin(tmp_path, study, columns=COLUMNS).close()
    with pytest.raises(StorageError, match=r"holds no table yet\. Resume the sweep"):
        Table.read(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"a,b\r\n",
        b"\xff\xfe",
        b'"',
        "{head}\r\n1,2\r\n",
        "{head}\r\n" + "x," * 16 + "x\r\n",
        "{head}\r\n" + "," * 16,
    ],
)
def test_a_table_that_someone_changed_is_told(tmp_path: Path, study: Any, wrong: bytes | str) -> None:
    written(tmp_path, study)
    (tmp_path / "table.parquet").unlink()
    content = wrong.format(head=",".join(HEAD)).encode() if isinstance(wrong, str) else wrong
    (tmp_path / "table.csv").write_bytes(content)
    with pytest.raises(StorageError, match=r"table\.csv: was changed since carom wrote it .* Resume the sweep"):
        Table.read(tmp_path)["index"]


def test_a_table_has_one_truth(tmp_path: Path, study: Any) -> None:
    """Rows and columns come from the same file: whatever another one holds, or how much it says it does."""
    import pyarrow as pa  # noqa: PLC0415  # an extra
    import pyarrow.parquet as pq  # noqa: PLC0415  # the same

    written(tmp_path, study)
    path = tmp_path / "table.parquet"
    once = pq.read_table(path)
    pq.write_table(pa.concat_tables([once, once, once]), path)
    table = Table.read(tmp_path)
    assert len(table) == len(table["energy"]) == len([*table.rows()]) == len(study)
    path.write_bytes(b"PAR1 and nothing else")
    assert len(Table.read(tmp_path)) == len(study)


def test_a_long_table_is_read_in_parts(tmp_path: Path, study: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, study)
    monkeypatch.setattr("carom.sweeps.results.table.ROWS_PER_CHUNK", 5)
    table = Table.read(tmp_path).load()
    assert [repr(found) for found in table.rows()] == [repr(wanted) for wanted in expected(study)]


@pytest.mark.parametrize(
    "change",
    [
        {"columns": [[1]]},
        {"columns": [1, 2]},
        {"columns": None},
        {"parameters": {"x": []}},
        {"parameters": {"x": "complex"}},
        {"parameters": []},
    ],
)
def test_a_header_of_nonsense_is_passed_over(tmp_path: Path, study: Any, change: dict[str, Any]) -> None:
    written(tmp_path, study)
    path = tmp_path / "runs.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    good = journal.decode(first)
    assert good is not None
    bad = journal.encode({**good, **change})
    path.write_bytes(b"".join([first, *rest, bad]))
    assert list(Table.read(tmp_path).columns) == HEAD
    path.write_bytes(b"".join([bad, *rest]))
    with pytest.raises(StorageError, match=r"runs\.jsonl: has no readable first line"):
        Table.read(tmp_path)


def test_a_header_is_not_looked_for_in_a_line_that_is_far_too_long(
    tmp_path: Path, study: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, study)
    path = tmp_path / "runs.jsonl"
    first = path.read_bytes().splitlines(keepends=True)[0]
    good = journal.decode(first)
    assert good is not None
    monkeypatch.setattr(journal, "MAX_LINE_LENGTH", 4096)
    with path.open("ab") as file:
        file.write(journal.encode({**good, "columns": ["a"] * 4096}))
    assert list(Table.read(tmp_path).columns) == HEAD


def test_a_journal_of_another_schema_has_no_table(tmp_path: Path, study: Any) -> None:
    written(tmp_path, study)
    (tmp_path / "runs.jsonl").write_bytes(journal.encode({"carom": "9", "schema": "\x1b[2J2"}))
    with pytest.raises(StorageError, match=r"is a journal of schema \[2J2, and this carom knows 1\. Use the version"):
        Table.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;owned\x07 a\r\n b\x7f", "]0;owned a b"),
        ("\x9b31mred", "31mred"),
        ("a\x00b", "a b"),
        ("ä € 𝄞", "ä € 𝄞"),
    ],
)
def test_what_a_terminal_would_act_on_is_not_shown(tmp_path: Path, text: str, shown: str) -> None:
    assert journal.one_line(text) == shown
    of: Any = Pretend([1.0], words=["word"])
    written(tmp_path, of, "failed")
    path = tmp_path / "table.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("word", f'"{text}"'), encoding="utf-8", newline="")
    table = Table.read(tmp_path)
    assert next(table.rows())["balls[0].material"] == table["balls[0].material"][0] == shown


def test_a_journal_without_a_first_line_is_told(tmp_path: Path, study: Any) -> None:
    written(tmp_path, study)
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(StorageError, match="has no readable first line"):
        Table.read(tmp_path)
