"""A sweep with one worker: in this very process, without Dask."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import carom
from carom import extras
from carom.sweeps.running import cluster
from carom.sweeps.running.driver import Progress
from sweeps.conftest import ENVIRONMENT
from sweeps.moody import GOOD, RAISES, SLOW, random_study, study

SCRIPT = """
import carom
study = carom.Study(scene="gas", parameters={"generator.count": [5, 9]}, run={"until": 0.1})
table = carom.sweep(study, workers=1)
print(list(table["status"]))
"""


@pytest.fixture(autouse=True)
def no_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "open_crew", lambda **_: pytest.fail("this process does it"))


def test_this_process_does_all_runs(tmp_path: Path) -> None:
    table = carom.sweep(study([GOOD, RAISES], speeds=3), out=tmp_path, workers=1)
    assert list(table["status"]) == ["done", "failed"] * 3
    rows = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["worker"].rpartition(":")[2] for row in rows if "worker" in row} == {str(os.getpid())}
    assert carom.sweep(study([GOOD]), workers=1)["status"].tolist() == ["done"]


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    told = subprocess.run(
        [sys.executable, str(script)], env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (told.stdout, told.stderr, told.returncode) == ("['done', 'done']\n", "", 0)


def test_dask_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = extras.is_installed
    monkeypatch.setattr(extras, "is_installed", lambda module: module != "distributed" and there(module))
    assert len(carom.sweep(study([GOOD]), workers=1)) == 1


def test_progress_is_told_also_amid_a_run(tmp_path: Path) -> None:
    told: list[Progress] = []
    carom.sweep(study([SLOW], speeds=2, run={"every": 0.02}), out=tmp_path, workers=1, progress=told.append)
    phases = [each.phase for each in told]
    assert [phase for k, phase in enumerate(phases) if k == 0 or phases[k - 1] != phase] == [
        "starting", "running", "writing",
    ]  # fmt: skip
    running = [each for each in told if each.phase == "running"]
    assert all(each.workers == 1 for each in running)
    ended = [each.ended for each in running]
    assert ended == sorted(ended)
    assert ended.count(0) > 2  # of the first run, which takes a second
    assert ended.count(1) > 2
    assert all((each.run_seconds is not None) == (each.ended > 0) for each in running)
    assert (told[-1].total, told[-1].done) == (2, 2)


def interrupting(error: BaseException, after: int) -> Callable[[Progress], None]:
    """A listener that raises an error in the run that comes after so many."""

    def listen(progress: Progress) -> None:
        if progress.phase == "running" and progress.ended >= after:
            raise error

    return listen


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("in the listener")], ids=["Ctrl-C", "error"])
def test_what_has_ended_is_kept_if_it_is_broken_off(tmp_path: Path, error: BaseException) -> None:
    wanted = study([SLOW], speeds=4, run={"every": 0.05})
    with pytest.raises(type(error)) as caught:
        carom.sweep(wanted, out=tmp_path / "cut", workers=1, progress=interrupting(error, 1))
    assert caught.value is error
    kept = carom.Table.read(tmp_path / "cut")
    assert set(kept["status"]) == {"done"}
    assert 1 <= len(kept) < 4
    carom.sweep(wanted, out=tmp_path / "cut", workers=1, resume=True)
    carom.sweep(wanted, out=tmp_path / "straight", workers=1)
    assert (tmp_path / "cut/table.csv").read_bytes() == (tmp_path / "straight/table.csv").read_bytes()


def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    run = {"every": 0.02, "time_limit": 0.2}
    table = carom.sweep(study([SLOW, GOOD], run=run), out=tmp_path, workers=1)
    assert list(table["status"]) == ["timed out", "done"]


def test_recordings_are_kept_too(tmp_path: Path) -> None:
    carom.sweep(random_study(1).replace(run={"until": 0.2, "every": 0.1, "record": True}), out=tmp_path, workers=1)
    assert len(list(tmp_path.rglob("*.h5"))) == 2
