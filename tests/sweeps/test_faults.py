"""Workers that die, runs that raise or never end, clients and schedulers that are killed: the study ends, whole."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

import carom
from carom.errors import ClusterError
from carom.sweeps.results.table import Table
from carom.sweeps.running import task
from carom.sweeps.running.driver import Progress
from sweeps.conftest import ENVIRONMENT, DaskCluster, gone, running_cluster, until
from sweeps.moody import GOOD, GRACE, HANGS, KILLS, RAISES, SLOW, study

posix = pytest.mark.skipif(os.name != "posix", reason="kills processes as POSIX systems do")
pytestmark = posix


def journal(folder: Path) -> list[dict[str, Any]]:
    """The rows of a journal; its last line may be torn."""
    whole = (folder / "runs.jsonl").read_text(encoding="utf-8").rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines()[1:]]


def whole(folder: Path, runs: int) -> bool:
    """Has every run ended well, and once?"""
    ids = [row["id"] for row in journal(folder)]
    assert len(ids) == len(set(ids)), "a run stands twice in the journal"
    table = Table.read(folder)
    return len(table) == runs and set(table["status"]) == {"done"}


class Once:
    """Does something once, as soon as so many runs have ended."""

    def __init__(self, runs: int, action: Any) -> None:
        self.runs, self.action, self.done = runs, action, False

    def __call__(self, progress: Progress) -> None:
        if not self.done and progress.phase == "running" and progress.ended >= self.runs:
            self.done = True
            self.action()


@contextmanager
def sweeping(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A client of its own with two workers, of which some runs have ended."""
    script = str(Path(__file__).with_name("sweeping.py"))
    process = subprocess.Popen(
        [sys.executable, script, str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True,
    )  # fmt: skip
    try:
        until(lambda: (folder / "runs.jsonl").exists() and len(journal(folder)) >= 5)
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_worker_is_killed_in_the_middle(tmp_path: Path) -> None:
    ended: list[int] = []

    def kill() -> None:
        workers = [child for child in psutil.Process().children() if "spawn_main" in " ".join(child.cmdline())]
        ended.append(workers[0].pid)
        os.kill(workers[0].pid, signal.SIGKILL)

    carom.sweep(study([SLOW], speeds=60), out=tmp_path, workers=2, progress=Once(4, kill))
    assert whole(tmp_path, 60)
    assert gone(ended[0])
    assert not [child for child in psutil.Process().children() if "spawn_main" in " ".join(child.cmdline())]


def test_runs_that_raise_kill_or_hang_are_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "GRACE", GRACE)
    moods = [GOOD, KILLS, HANGS, 1.5, RAISES, 1.6, 1.7]
    table = carom.sweep(study(moods, run={"time_limit": 0.2}), out=tmp_path, workers=2)
    found = dict(zip(moods, table["status"], strict=True))
    reasons = dict(zip(moods, table["reason"], strict=True))
    assert found == {**dict.fromkeys(moods, "done"), KILLS: "failed", HANGS: "timed out", RAISES: "failed"}
    assert "ValueError: I do not like it" in reasons[RAISES]
    assert "its worker died 2 times while it ran" in reasons[KILLS]
    assert "4.3 s" in reasons[HANGS]
    assert table["moody"][0] == 1.0
    assert len(journal(tmp_path)) == len(moods)


def test_a_client_is_killed_and_goes_on(tmp_path: Path) -> None:
    with sweeping(tmp_path) as process:
        workers = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        assert workers
        process.kill()
    before = journal(tmp_path)
    assert 5 <= len(before) < 60
    until(lambda: all(map(gone, workers)), 20.0)
    carom.sweep(study([SLOW], speeds=60), out=tmp_path, workers=2, resume=True)
    assert whole(tmp_path, 60)
    assert journal(tmp_path)[: len(before)] == before, "what had ended is as it was"


def test_control_c_reaches_all_and_ends_in_order(tmp_path: Path) -> None:
    with sweeping(tmp_path) as process:
        workers = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "interrupted\n", "")
    until(lambda: all(map(gone, workers)), 20.0)
    table = Table.read(tmp_path)
    assert 5 <= len(table) == len(journal(tmp_path)) < 60
    assert (tmp_path / "table.csv").exists()


STUDY = """
scene = {{ generator = {{ kind = "gas", count = 200 }} }}
repeats = 300
observables = [{{ name = "energy", take = "last" }}]
[run]
until = {until}
"""


@contextmanager
def command(folder: Path, end: float, *options: str) -> Iterator[subprocess.Popen[str]]:
    """`carom sweep` of a study, in a group of its own, as a terminal starts it."""
    (folder / "study.toml").write_text(STUDY.format(until=end))
    typed = ["sweep", "study.toml", "--out", "results", "--quiet", *options]
    process = subprocess.Popen(
        [sys.executable, "-m", "carom", *typed], cwd=folder, env=ENVIRONMENT, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def spawned(process: subprocess.Popen[str]) -> list[int]:
    """The workers that a process has started."""
    children = psutil.Process(process.pid).children(recursive=True)
    return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]


@pytest.mark.parametrize("workers", [1, 2])
def test_control_c_while_workers_start_is_one_line(tmp_path: Path, workers: int) -> None:
    """It reaches all processes of the terminal, also workers that have hardly begun."""
    with command(tmp_path, 1.0, "--workers", "2") as process:
        until(lambda: len(spawned(process)) >= workers)
        started = spawned(process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    again = "carom sweep study.toml --out results --resume"
    told = f"stopped by Ctrl-C; runs that have ended are in results. Continue: {again}\n"
    assert (process.returncode, out, err) == (130, "", told)
    until(lambda: all(map(gone, started)), 20.0)


def test_control_c_while_workers_start_is_raised_in_python(tmp_path: Path) -> None:
    script = str(Path(__file__).with_name("sweeping.py"))
    process = subprocess.Popen(
        [sys.executable, script, str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True,
    )  # fmt: skip
    try:
        until(lambda: spawned(process))
        started = spawned(process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "interrupted\n", "")
    until(lambda: all(map(gone, started)), 20.0)


def test_a_lost_scheduler_is_one_line(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with (
        running_cluster(tmp_path / "scratch", 1) as dask_cluster,
        command(tmp_path, 2.0, "--scheduler", dask_cluster.address) as process,
    ):
        until(lambda: (results / "runs.jsonl").exists() and len(journal(results)) >= 3)
        dask_cluster.scheduler.kill()
        out, err = process.communicate(timeout=90)
    go_on = "Runs that have ended are saved; continue with resume=True (--resume).\n"
    assert (process.returncode, out) == (1, "")
    assert re.fullmatch(rf"{dask_cluster.address}: the scheduler was lost( \(.*\))?\. {re.escape(go_on)}", err)


def test_a_cluster_whose_worker_and_then_scheduler_are_killed(tmp_path: Path, dask_cluster: DaskCluster) -> None:
    def kill() -> None:
        os.kill(dask_cluster.workers()[0], signal.SIGKILL)

    until(dask_cluster.workers)
    carom.sweep(study([SLOW], speeds=60), out=tmp_path / "one", scheduler=dask_cluster.address, progress=Once(4, kill))
    assert whole(tmp_path / "one", 60)

    lost = "the scheduler was lost.*resume"
    with pytest.raises(ClusterError, match=lost) as caught:
        carom.sweep(
            study([SLOW], speeds=60),
            out=tmp_path / "two",
            scheduler=dask_cluster.address,
            progress=Once(4, dask_cluster.scheduler.kill),
        )
    assert "\n" not in str(caught.value)
    before = journal(tmp_path / "two")
    assert 4 <= len(before) < 60
    assert (tmp_path / "two/table.csv").exists()
    carom.sweep(study([SLOW], speeds=60), out=tmp_path / "two", workers=2, resume=True)
    assert whole(tmp_path / "two", 60)
    assert journal(tmp_path / "two")[: len(before)] == before
