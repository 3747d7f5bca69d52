"""Runs that are killed, run out of disk, or have a rival: the files are whole, and the run ends in the same bits."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import carom
from carom.storage.recording import Recording

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as POSIX systems do")


def program(name: str, *arguments: object, timeout: float = 100.0) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(carom.__file__).parents[1])}
    command = [sys.executable, str(HERE / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)


def killed(folder: Path, scene: str, solver: str, kills: int, seed: int, timeout: float = 100.0) -> dict[str, Any]:
    done = program("killed.py", folder, scene, solver, kills, seed, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # as killed.py prints it


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize(("scene", "solver"), [("gas", "exact"), ("break", "stepped"), ("pour", "auto")])
def test_a_killed_run_ends_in_the_same_bits(tmp_path: Path, scene: str, solver: str) -> None:
    told = killed(tmp_path, scene, solver, 4, seed=7)
    assert told["kills"] == 4
    assert told["found"].get("part", 0) > 0
    assert told["left"] == ["killed.h5", "killed.h5.checkpoint", "whole.h5", "whole.h5.checkpoint"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("scene", "solver"), [("gas", "exact"), ("break", "exact"), ("break", "stepped"), ("pour", "auto")]
)
def test_a_run_that_is_killed_many_times(tmp_path: Path, scene: str, solver: str, seed: int) -> None:
    assert killed(tmp_path, scene, solver, 50, seed, timeout=600.0)["kills"] == 50


@pytest.mark.requirement("T-08")
def test_a_full_disk_is_told_and_what_was_written_is_whole(tmp_path: Path) -> None:
    done = program("full.py", tmp_path, 1_500_000)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["error"].startswith(f"{tmp_path / 'gas.h5'}: there is no room left on the disk. Make room and resume")
    assert 1 < told["frames"] < told["all"]
    assert told["same"]
    assert told["left"] == ["gas.h5", "gas.h5.checkpoint", "whole.h5"]


@pytest.mark.requirement("T-08")
def test_a_second_writer_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    path = tmp_path / "gas.h5"
    arguments = ["run", "gas", "--until", "1000", "--out", str(path), "--every", "1", "--checkpoint", "1s", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(Path(carom.__file__).parents[1])}
    command = [sys.executable, "-m", "carom", *arguments]
    first = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_for(path)
        second = subprocess.run([*command, "--force"], env=environment, capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert second.stderr == (
            f"{path}: another run is writing this file. Wait until that run has ended, or choose another name.\n"
        )
        first.send_signal(signal.SIGINT)
        assert first.wait(60) == 130
    finally:
        first.kill()
        first.wait()
    again = subprocess.run(
        [sys.executable, "-m", "carom", "resume", str(path), "--until", "0.001", "--quiet"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert again.returncode == 2
    assert "beyond that. Say a later --until." in again.stderr
    with Recording(path) as recording:
        assert recording.complete
        assert len(recording) >= 1


COUNT, UNTIL = 3000, 1.0
"""Balls of the gas whose command is killed, and when its run ends, s: a second of work, or some seconds."""
SOON = 0.3
"""Seconds after its checkpoint is there within which it is killed: much less than the run takes."""


@pytest.mark.requirement("T-08")
@pytest.mark.skipif(os.name == "nt", reason="there, nobody is killed by a signal")
def test_a_command_that_is_killed_and_resumed_ends_in_the_same_bits(tmp_path: Path) -> None:
    """By its number and at moments that nobody chose, until one attempt comes to its end."""
    scene = tmp_path / "gas.toml"
    scene.write_text(f'[generator]\nkind = "gas"\ncount = {COUNT}\n')
    path, chance = tmp_path / "gas.h5", random.Random(2026)
    environment = {**os.environ, "PYTHONPATH": str(Path(carom.__file__).parents[1])}
    carom_ = [sys.executable, "-m", "carom"]
    goal = ["--until", str(UNTIL), "--out", str(path), "--every", "0.1", "--checkpoint", "0.2s", "-q"]
    attempt, killed = [*carom_, "run", str(scene), *goal], 0
    while killed < 30:
        process = subprocess.Popen(attempt, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        beside = path.with_name(f"{path.name}.checkpoint")
        wait_for(beside)
        try:
            process.wait(chance.uniform(0.0, SOON) if killed < 3 else 100.0)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        told = process.communicate()[1]
        attempt = [*carom_, "resume", str(path), "-q"]
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, told.decode()
    assert killed, "nobody was killed"
    run = carom.Simulation(carom.library.load("gas", count=COUNT))
    with Recording(path) as recording:
        assert recording.complete
        assert len(recording) == 11
        for frame in recording:
            run.run(until=frame.time)
            assert frame.positions.tobytes() == run.positions.tobytes()
            assert frame.velocities.tobytes() == run.velocities.tobytes()
        assert recording.collisions is not None
        assert len(recording.collisions) == run.collisions


def wait_for(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.1)
    pytest.fail(f"{path} did not come")
