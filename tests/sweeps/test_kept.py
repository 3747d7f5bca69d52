"""Results of sweeps that are killed, run out of disk or have a rival: nothing that has ended is lost or done twice."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import carom
from carom.sweeps.results import journal, sheets
from carom.sweeps.results.ledger import Ledger
from carom.sweeps.results.table import Table
from carom.sweeps.study.study import Study
from sweeps.pretend import COLUMNS, Pretend, row

HERE = Path(__file__).parent
FILES = ["runs.jsonl", "study.toml", "summary.csv", "table.csv", "table.parquet"]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills and limits processes as POSIX systems do")


def program(*arguments: object, timeout: float = 100.0) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(carom.__file__).parents[1]), str(HERE)])}
    command = [sys.executable, str(HERE / "kept.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@posix
def test_a_writer_killed_at_random_moments_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    told = program("killed", tmp_path, 1000, 6, 5)
    assert told["parts"] > 0
    assert told["rivals"] > 0
    assert told["left"] == FILES


@posix
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_writer_killed_many_times(tmp_path: Path, seed: int) -> None:
    assert program("killed", tmp_path, 3000, 50, seed, timeout=600.0)["parts"] > 5


@posix
def test_a_full_disk_is_told_and_what_had_ended_is_whole(tmp_path: Path) -> None:
    told = program("full", tmp_path, 300, 20_000)
    first, *others = told["said"]
    assert first.startswith(f"{tmp_path / 'full/runs.jsonl'}: there is no room left on the disk. Make room and resume")
    assert told["state"]["whole"]
    assert 0 < told["state"]["left"] == told["state"]["told"] < 300
    assert len(others) == 3
    assert all("there is no room left on the disk" in other for other in others)
    assert told["same"]
    assert told["left"] == FILES


def test_memory_stays_flat_whatever_the_number_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The short form, with small groups of rows; `test_100_000_runs` is the long one."""
    monkeypatch.setattr(journal, "MAX_UNSORTED", 100)
    monkeypatch.setattr(sheets, "ROWS_PER_GROUP", 100)
    peak(tmp_path / "first", 10)  # what is imported at first
    few, many = peak(tmp_path / "few", 200), peak(tmp_path / "many", 1400)
    assert many - few < 1200 * 64  # the index takes 16 bytes a run, 48 while it is sorted; a row would take 2000


@pytest.mark.slow
def test_100_000_runs(tmp_path: Path) -> None:
    peak(tmp_path / "first", 10)
    few, many = peak(tmp_path / "few", 20_000), peak(tmp_path / "many", 100_000)
    assert many - few < 80_000 * 64


def peak(folder: Path, runs: int) -> int:
    """The most memory that writing down so many runs and their tables takes, bytes."""
    study: Any = Pretend(range(max(runs // 10, 1)), repeats=10)
    tracemalloc.start()
    try:
        with Ledger.begin(folder, study, columns=COLUMNS) as ledger:
            for k in range(runs):
                ledger.add(row(study.run_at(k)))
            ledger.write_tables()
        with Ledger.resume(folder, study, columns=COLUMNS) as ledger:
            assert ledger.counts.left == 0
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(Table.read(folder)) == runs
    return most


def test_a_real_study_is_kept_and_taken_up_again_wider(tmp_path: Path) -> None:
    def study(*values: float) -> Study:
        run = {"until": 1.0, "every": 0.1}
        return Study(scene="gas", parameters={"generator.packing_fraction": values}, repeats=2, run=run, seed=3)

    narrow, wide = study(0.1, 0.2), study(0.2, 0.3, 0.4)
    with Ledger.begin(tmp_path, narrow) as ledger:
        for k in range(len(narrow)):
            ledger.add(row(narrow.run_at(k), "done"))
        ledger.write_tables()
    assert Table.read(tmp_path)["generator.packing_fraction"].tolist() == [0.1, 0.1, 0.2, 0.2]
    with Ledger.resume(tmp_path, Study.load(tmp_path)) as ledger:
        assert ledger.counts.left == 0
        assert not ledger.notes
    with Ledger.resume(tmp_path, wide) as ledger:
        assert ledger.counts.left == 4
        assert "generator.packing_fraction" in ledger.notes[0]
        assert "2 runs do not belong to the study any more" in ledger.notes[-1]
        ledger.write_tables()
    assert Table.read(tmp_path)["generator.packing_fraction"].tolist() == [0.2, 0.2]
    assert Ledger.status(tmp_path).unwanted == 2
    assert Ledger.status(tmp_path, narrow).left == 0
