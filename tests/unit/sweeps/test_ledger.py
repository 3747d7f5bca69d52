"""A results folder: what is written down, taken up again, told and counted."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from carom.errors import StorageError, StudyError
from carom.sweeps.results import journal, ledger, progress
from carom.sweeps.results.ledger import Ledger
from sweeps.pretend import COLUMNS, WORDS, Pretend, row

TABLES = ("table.csv", "table.parquet", "summary.csv")


@pytest.fixture(autouse=True)
def _pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pretended study is read from its folder as it was written."""

    def study_in(folder: Path) -> Any:
        table: dict[str, Any] = {}
        exec((folder / "study.toml").read_text(encoding="utf-8"), {}, table)  # what dumps writes is Python too
        return Pretend(**table)

    monkeypatch.setattr(progress, "study_in", study_in)
    monkeypatch.setattr(ledger, "study_in", study_in)


def study(many: int = 30, **more: Any) -> Any:
    return Pretend(range(many), **more)


def begun(folder: Path, of: Any) -> Ledger:
    return Ledger.begin(folder, of, columns=COLUMNS)


def resumed(folder: Path, of: Any, **more: Any) -> Ledger:
    return Ledger.resume(folder, of, columns=COLUMNS, **more)


def filled(folder: Path, of: Any, status: str = "", order: int | None = None) -> None:
    """All runs, ended in some order, with their tables."""
    specs = [*of]
    if order is not None:
        random.Random(order).shuffle(specs)
    with begun(folder, of) as book:
        assert all(book.add(row(spec, status)) for spec in specs)
        book.write_tables()


def tables(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in TABLES]


def journal_lines(folder: Path) -> list[bytes]:
    return (folder / "runs.jsonl").read_bytes().splitlines(keepends=True)


def test_tables_are_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    of = study(7, repeats=3, words=WORDS)
    for k in range(3):
        filled(tmp_path / str(k), of, order=k)
    assert tables(tmp_path / "0") == tables(tmp_path / "1") == tables(tmp_path / "2")
    assert journal_lines(tmp_path / "0") != journal_lines(tmp_path / "1")
    assert len(tables(tmp_path / "0")[0].splitlines()) == 1 + len(of)


def test_tables_hold_no_timings_and_no_workers(tmp_path: Path) -> None:
    of = study(5)
    for name, seconds in (("a", 0.25), ("b", 99.0)):
        with begun(tmp_path / name, of) as book:
            for spec in of:
                book.add({**row(spec, seconds=seconds), "worker": name})
            book.write_tables()
    assert tables(tmp_path / "a") == tables(tmp_path / "b")


def test_a_run_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    of = study(3)
    with begun(tmp_path, of) as book:
        first = row(of.run_at(1), "done")
        assert first["id"] not in book.done
        assert book.add(first)
        assert first["id"] in book.done
        before = journal_lines(tmp_path)
        assert not book.add(row(of.run_at(1), "failed"))
        assert journal_lines(tmp_path) == before
        assert (book.counts.done, book.counts.failed, book.counts.left) == (1, 0, 2)
        assert repr(book) == f"<ledger of {tmp_path}: 1 of 3 runs>"


def test_what_is_added_is_with_the_system_at_once(tmp_path: Path) -> None:
    of = study(2)
    with begun(tmp_path, of) as book:
        book.add(row(of.run_at(0)))
        assert Ledger.status(tmp_path).left == 1


def test_the_disk_is_asked_for_when_it_is_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    clock = [100.0]
    monkeypatch.setattr(ledger, "sync", asked.append)
    monkeypatch.setattr(ledger, "monotonic", lambda: clock[0])
    of = study(5)
    with begun(tmp_path, of) as book:
        book.add(row(of.run_at(0)))
        assert not asked
        clock[0] += 5.0
        book.add(row(of.run_at(1)))
        assert len(asked) == 1
        book.flush()
        assert len(asked) == 1, "nothing was new"
        book.add(row(of.run_at(2)))
    assert len(asked) == 2


def test_resuming_goes_on_where_it_ended(tmp_path: Path) -> None:
    of = study(20)
    filled(tmp_path / "whole", of)
    with begun(tmp_path / "parts", of) as book:
        for k in range(0, 20, 3):
            book.add(row(of.run_at(k)))
    with resumed(tmp_path / "parts", of) as book:
        assert not book.notes
        left = [spec for spec in of if spec.id not in book.done]
        assert len(left) == book.counts.left == 13
        for spec in left:
            book.add(row(spec))
        book.write_tables()
    assert tables(tmp_path / "parts") == tables(tmp_path / "whole")


def test_resuming_a_folder_without_results_begins(tmp_path: Path) -> None:
    with resumed(tmp_path / "new" / "deep", study(2)) as book:
        assert book.counts.left == 2
    assert (tmp_path / "new/deep/study.toml").read_text(encoding="utf-8") == study(2).dumps()


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    of = study(4)
    filled(tmp_path, of)
    lines, path = journal_lines(tmp_path), tmp_path / "runs.jsonl"
    path.write_bytes(b"".join(lines)[:-cut])
    assert Ledger.status(tmp_path).left == 1
    with resumed(tmp_path, of) as book:
        assert book.notes == [f"{path}: the last line was incomplete and is removed; its run is repeated."]
        assert book.counts.left == 1
        assert journal_lines(tmp_path) == lines[:-1]
        book.add(row(of.run_at(3)))
    assert journal_lines(tmp_path) == lines


@pytest.mark.parametrize(
    "garbled",
    [
        b"what is this\n",
        b"\n",
        b"\xff\x00\xfe\n",
        b"[" * 100_000 + b"\n",
        b"x" * (2**20 + 5) + b"\n",
        journal.encode({"id": "no", "status": "done", "reason": "", "values": {}, "seconds": 1.0}),
        journal.encode({"id": "0" * 16, "status": "well", "reason": "", "values": {}, "seconds": 1.0}),
        journal.encode({"id": "0" * 16, "status": "done", "reason": "", "values": {"a": [1]}, "seconds": 1.0}),
        journal.encode({"id": "0" * 16, "status": "done", "reason": "", "values": {"a": 2**63}, "seconds": 1.0}),
        journal.encode({"id": "0" * 16, "status": "done", "reason": "", "values": {}, "seconds": 10**400}),
        journal.encode({"id": "0" * 16, "status": "done", "reason": "", "values": {}, "seconds": 1.0, "try": 0}),
        journal.encode({"carom": "1", "schema": 1}),
    ],
)  # fmt: skip
def test_a_garbled_line_is_told_and_its_run_done_again(tmp_path: Path, garbled: bytes) -> None:
    of = study(6)
    filled(tmp_path, of)
    lines, path = journal_lines(tmp_path), tmp_path / "runs.jsonl"
    path.write_bytes(b"".join([*lines[:3], garbled, *lines[4:]]))
    with resumed(tmp_path, of) as book:
        (note,) = book.notes
        assert note.startswith(f"{path}: line 4 cannot be read; these runs are repeated. Check the disk")
        assert [spec.index for spec in of if spec.id not in book.done] == [2]
        assert book.add(row(of.run_at(2)))
        was = tables(tmp_path)
        book.write_tables()
        assert tables(tmp_path) == was


def test_any_other_byte_in_a_line_is_found(tmp_path: Path) -> None:
    of = study(1)
    filled(tmp_path, of, "done")
    _, line = journal_lines(tmp_path)
    assert journal.decode(line) is not None
    for at in range(len(line) - 1):
        for bit in (1, 16):
            other = line[:at] + bytes([line[at] ^ bit]) + line[at + 1 :]
            assert journal.decode(other) is None, other


def test_many_garbled_lines_are_counted_and_the_first_named(tmp_path: Path) -> None:
    of = study(50)
    filled(tmp_path, of)
    lines = journal_lines(tmp_path)
    (tmp_path / "runs.jsonl").write_bytes(lines[0] + b"?\n" * 50)
    with resumed(tmp_path, of) as book:
        assert "lines 2, 3, 4" in book.notes[0]
        assert "and 30 more cannot be read" in book.notes[0]
        assert book.counts.left == 50


def test_a_garbled_first_line_loses_no_run(tmp_path: Path) -> None:
    of = study(4)
    filled(tmp_path, of)
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"?\n" + b"".join(journal_lines(tmp_path)[1:]))
    assert Ledger.status(tmp_path).left == 0
    with resumed(tmp_path, of) as book:
        assert book.counts.left == 0
        assert len(book.notes) == 1
    with resumed(tmp_path, of) as book:
        assert book.counts.left == 0


@pytest.mark.parametrize("ended", [3, 4])
def test_a_row_of_another_study_is_not_counted(tmp_path: Path, ended: int) -> None:
    of = study(4)
    with begun(tmp_path, of) as book:
        for k in range(ended):
            book.add(row(of.run_at(k), "done"))
    with (tmp_path / "runs.jsonl").open("ab") as file:
        file.write(journal.encode({**row(of.run_at(0), "done"), "id": "0" * 16, "values": {}}))
    state = Ledger.status(tmp_path)
    assert (state.done, state.left, state.unwanted) == (ended, 4 - ended, 1)
    with resumed(tmp_path, of) as book:
        assert book.counts.left == 4 - ended
        assert "1 run does not belong to the study any more" in book.notes[0]


def test_a_garbled_first_line_and_a_wider_study_lose_no_run(tmp_path: Path) -> None:
    filled(tmp_path, Pretend([1.0, 2.0, 3.0]))
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"?\n" + b"".join(journal_lines(tmp_path)[1:]))
    wider: Any = Pretend([3.0, 4.0, 5.0])
    for _ in range(2):
        with resumed(tmp_path, wider) as book:
            assert book.counts.left == 2
    assert Ledger.status(tmp_path).left == 2


def test_other_runs_of_the_same_text_are_told_and_done(tmp_path: Path) -> None:
    filled(tmp_path, study(4))
    other: Any = study(4)
    other.digest = "e" * 64
    with resumed(tmp_path, other) as book:
        assert book.counts.left == 4
        assert "4 runs do not belong to the study any more" in book.notes[0]


def test_of_two_lines_of_a_run_the_first_counts(tmp_path: Path) -> None:
    of = study(3)
    filled(tmp_path, of, "done")
    was = tables(tmp_path)
    line = json.loads(journal_lines(tmp_path)[2])
    line.pop("crc")
    for other in ({"status": "failed"}, {"values": {}}, {"status": "failed", "try": 2}):
        with (tmp_path / "runs.jsonl").open("ab") as file:
            file.write(journal.encode({**line, **other}))
    with resumed(tmp_path, of) as book:
        book.write_tables()
        assert book.counts.done == 3
    assert tables(tmp_path) == was


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("my diary\nday 1\n", encoding="utf-8")
    for way in (begun, resumed, lambda folder, _: Ledger.status(folder)):
        with pytest.raises(StorageError) as told:
            way(tmp_path, study(2))
        assert str(told.value) == (f"{path}: is no journal of a sweep. Choose another folder, or remove that file.")
    assert path.read_text(encoding="utf-8") == "my diary\nday 1\n"
    assert [each.name for each in tmp_path.iterdir()] == ["runs.jsonl"]


def test_a_journal_of_a_later_carom_is_not_touched(tmp_path: Path) -> None:
    of = study(2)
    filled(tmp_path, of)
    lines = journal_lines(tmp_path)
    (tmp_path / "runs.jsonl").write_bytes(journal.encode({"carom": "9", "schema": 2}) + b"".join(lines[1:]))
    with pytest.raises(StorageError, match=r"is a journal of schema '?2'?, and this carom knows 1\. Use the version"):
        resumed(tmp_path, of)


def test_beginning_where_results_are_tells_how_many(tmp_path: Path) -> None:
    of = study(5)
    with begun(tmp_path, of) as book:
        pass
    with begun(tmp_path, of) as book:  # nothing had ended yet
        book.add(row(of.run_at(0)))
    with pytest.raises(StorageError) as told:
        begun(tmp_path, of)
    assert str(told.value) == (
        f"{tmp_path}: holds results of 1 run already. Resume them (--resume, resume=True) or choose another folder."
    )


@pytest.mark.parametrize("name", ["study.toml", *TABLES])
def test_a_file_of_the_user_is_not_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    for way in (begun, resumed):
        with pytest.raises(StorageError, match="exists already, and does not belong to a sweep"):
            way(tmp_path, study(2))
    assert [(each.name, each.read_text(encoding="utf-8")) for each in tmp_path.iterdir()] == [(name, "mine")]


def test_a_changed_study_says_what_changed_and_keeps_what_it_still_wants(tmp_path: Path) -> None:
    filled(tmp_path / "a", Pretend([1.0, 2.0, 3.0]))
    wider: Any = Pretend([2.0, 3.0, 4.0, 5.0])
    with resumed(tmp_path / "a", wider) as book:
        changed, unwanted = book.notes
        assert changed == f"{tmp_path / 'a'}: the study has changed: xs: [1.0, 2.0, 3.0] is now [2.0, 3.0, 4.0, 5.0]"
        assert unwanted.startswith(
            f"{tmp_path / 'a/runs.jsonl'}: 1 run does not belong to the study any more: it stays in the journal"
        )
        assert [spec.index for spec in wider if spec.id not in book.done] == [2, 3]
        assert book.counts.left == 2
        for spec in wider:
            book.add(row(spec))
        book.write_tables()
    filled(tmp_path / "b", wider)
    assert tables(tmp_path / "a") == tables(tmp_path / "b")
    state = Ledger.status(tmp_path / "a")
    assert (state.total, state.left, state.unwanted) == (4, 0, 1)
    back: Any = Pretend([1.0, 2.0, 3.0])
    state = Ledger.status(tmp_path / "a", back)
    assert (state.total, state.left, state.unwanted) == (3, 0, 2)
    with resumed(tmp_path / "a", back) as book:  # nothing was thrown away
        assert book.counts.left == 0
        book.write_tables()
    filled(tmp_path / "c", back)
    assert tables(tmp_path / "a") == tables(tmp_path / "c")


def test_a_new_name_alone_keeps_all_runs(tmp_path: Path) -> None:
    filled(tmp_path, study(4))
    with resumed(tmp_path, study(4, name="Another")) as book:
        assert book.counts.left == 0
        assert not book.notes
    assert "Another" in (tmp_path / "study.toml").read_text(encoding="utf-8")
    assert Ledger.status(tmp_path).name == "Another"


def test_an_earlier_study_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(folder: Path) -> Any:
        raise StudyError([], str(folder))

    filled(tmp_path, study(4))
    monkeypatch.setattr(ledger, "study_in", unreadable)
    with resumed(tmp_path, study(6)) as book:
        assert "what changed is unknown" in book.notes[0]
        assert book.counts.left == 2


def test_other_versions_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = study(2)
    filled(tmp_path, of)
    lines = journal_lines(tmp_path)
    header = json.loads(lines[0])
    header.pop("crc")
    header["versions"]["carom"] = "0.0.1"
    (tmp_path / "runs.jsonl").write_bytes(journal.encode(header) + b"".join(lines[1:]))
    with resumed(tmp_path, of) as book:
        (note,) = book.notes
    assert note.startswith(f"{tmp_path}: begun with carom 0.0.1 (now ")
    assert note.endswith("Finished runs stay; new runs may differ from them in the last bits.")


def test_retry_does_again_what_did_not_end_well(tmp_path: Path) -> None:
    of = study(60)
    filled(tmp_path, of)
    state = Ledger.status(tmp_path)
    assert state.failed > 1
    assert state.timed_out > 1
    with resumed(tmp_path, of) as book:
        assert book.counts.left == 0
    with resumed(tmp_path, of, retry=True) as book:
        again = [spec for spec in of if spec.id not in book.done]
        assert book.counts.left == len(again) == state.failed + state.timed_out
        first, second, *_ = again
        assert book.add(row(first, "done"))
        assert not book.add(row(first, "failed"))
        assert book.add(row(second, "failed"))
        book.write_tables()  # with the earlier rows of those that were not done again
    after = Ledger.status(tmp_path)
    assert after.done == state.done + 1
    assert after.left == 0
    with resumed(tmp_path, of) as book:
        was = tables(tmp_path)
        book.write_tables()
        assert tables(tmp_path) == was
    with resumed(tmp_path, of, retry=True) as book:
        assert first.id in book.done
        assert second.id not in book.done


def test_a_line_that_someone_changed_meanwhile_is_told(tmp_path: Path) -> None:
    of = study(3)
    with begun(tmp_path, of) as book:
        for spec in of:
            book.add(row(spec))
        lines = journal_lines(tmp_path)
        (tmp_path / "runs.jsonl").write_bytes(b"".join([lines[0], lines[2], lines[1], lines[3]]))
        with pytest.raises(StorageError, match="was changed by someone else"):
            book.write_tables()
        assert not (tmp_path / "table.csv").exists()


def test_status_tells_all(tmp_path: Path) -> None:
    of = study(10, name="Ten")
    with begun(tmp_path, of) as book:
        for k, status in enumerate(("done", "done", "failed", "timed out")):
            book.add(row(of.run_at(k), status, seconds=float(k)))
    state = Ledger.status(tmp_path)
    assert (state.total, state.done, state.failed, state.timed_out, state.left) == (10, 2, 1, 1, 6)
    assert (state.name, state.seconds, state.unwanted) == ("Ten", 1.5, 0)
    assert state.written == (tmp_path / "runs.jsonl").stat().st_mtime


@pytest.mark.parametrize("name", ["", "not-there"])
def test_status_of_no_results(tmp_path: Path, name: str) -> None:
    with pytest.raises(StorageError, match="holds no results of a sweep"):
        Ledger.status(tmp_path / name)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageError) as told:
            begun(path, study(1))
        assert str(told.value) == f"{path}: is a file, or lies in one, and not a folder. Choose another name."


def test_a_closed_ledger_says_so(tmp_path: Path) -> None:
    of = study(2)
    book = begun(tmp_path, of)
    book.close()
    book.close()
    with pytest.raises(StorageError, match=r"is closed\. Resume the sweep"):
        book.add(row(of.run_at(0)))
    begun(tmp_path, of).close()  # its lock is free


def test_a_ledger_that_cannot_begin_holds_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = study(2)
    monkeypatch.setattr(Ledger, "_write_study", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        begun(tmp_path, of)
    monkeypatch.undo()
    begun(tmp_path, of).close()


def test_what_is_no_row_is_not_written(tmp_path: Path) -> None:
    of = study(2)
    with begun(tmp_path, of) as book:
        before = journal_lines(tmp_path)
        for wrong in ({"id": "x"}, {"status": "well"}, {"seconds": float("nan")}):
            with pytest.raises(ValueError, match=r"no row|base 16"):
                book.add({**row(of.run_at(0)), **wrong})
        assert journal_lines(tmp_path) == before


def test_recordings_cut_short_are_taken_away(tmp_path: Path) -> None:
    of = study(2)
    with begun(tmp_path, of) as book:
        folder = book.recordings
    kept, part = folder / "0123456789abcdef.h5", folder / ".0123456789abcdef.here.77.part.h5"
    kept.touch()
    part.touch()
    with resumed(tmp_path, of) as book:
        assert [*book.recordings.iterdir()] == [kept]


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("x", "status", "seed"):
        with pytest.raises(StudyError, match=f"the table would have two columns called '{name}'"):
            Ledger.begin(tmp_path / "new", study(2), columns=[*COLUMNS, name])
    assert not (tmp_path / "new").exists()


def test_long_and_odd_texts_become_a_line(tmp_path: Path) -> None:
    of = study(1)
    with begun(tmp_path, of) as book:
        book.add({**row(of.run_at(0), "failed"), "reason": "a\nb\r\n" + "c" * 5000 + "\udcff"})
        ((_, record),) = book.rows()
    assert record["reason"].startswith("a b ccc")
    assert record["reason"].endswith("c…")
    assert len(record["reason"]) == 2000
    assert journal.one_line("x\udcff") == "x\\udcff"


def test_an_index_finds_what_was_put_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MAX_UNSORTED", 7)
    chance, index, known = random.Random(3), journal.RunIndex(), {}
    for k in range(500):
        identity = f"{chance.choice([k % 40, chance.getrandbits(64)]):016x}"
        entry = journal.RunEntry(k, chance.choice(journal.STATUSES), 1 + k % 5, chance.random() < 0.5)
        index.put(identity, entry)
        known[identity] = entry
        assert len(index) == len(known)
    assert all(index.find(identity) == entry for identity, entry in known.items())
    assert index.find("f" * 15 + "0") is None
    some = [*list(known)[::3], "f" * 15 + "1"]
    wanted = index.among(iter(some), len(some))
    fresh = [known[identity] for identity in some[:-1] if not known[identity].again]
    assert index.tally(wanted) == {status: sum(e.status == status for e in fresh) for status in journal.STATUSES}


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions as POSIX systems have them")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbidden)  # whoever runs this may be root, whom nothing is forbidden
    with pytest.raises(StorageError, match=r"does not permit it\. Check the permissions"):
        begun(tmp_path, study(1))


@pytest.mark.parametrize("old", [None, "xs = [9.0]\n"])
def test_a_study_that_a_killed_sweep_did_not_write_is_written(tmp_path: Path, old: str | None) -> None:
    of, path = study(2), tmp_path / "study.toml"
    filled(tmp_path, of)
    path.unlink()
    if old is not None:
        path.write_text(old, encoding="utf-8")
    with resumed(tmp_path, of) as book:
        assert book.counts.left == 0
    assert path.read_text(encoding="utf-8") == of.dumps()


def test_a_disk_that_fails_at_the_end_is_told_and_the_lock_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: int) -> None:
        raise OSError(5, "Input/output error")

    of = study(2)
    book = begun(tmp_path, of)
    book.add(row(of.run_at(0)))
    monkeypatch.setattr(ledger, "sync", failing)
    with pytest.raises(StorageError, match="Input/output error"):
        book.close()
    book.close()
    monkeypatch.undo()
    resumed(tmp_path, of).close()
