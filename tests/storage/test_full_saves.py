"""Saves on a full disk: the file that was there stays as it was, the error names it, and nothing else is left."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import carom

HERE = Path(__file__).parent
TARGETS = (
    "scene.toml", "scene.json", "end.json", "study.toml", "break.svg", "run.xyz", "run.gsd", "run.h5md", "report.html",
    "still.png", "still.svg", "film.mp4", "film.gif", "new/%03d.png", "new.h5", "plot.svg", "results/table.csv",
    "python.json", "python.checkpoint",
)  # fmt: skip
LARGE = ("run.xyz", "run.h5md", "results/table.csv", "python.checkpoint")
"""Those that get a part of what they need, too."""


def on_a_full_disk(folder: Path, target: str, limit: int) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(Path(carom.__file__).parents[1])}
    command = [sys.executable, str(HERE / "full_saves.py"), str(folder), target, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100.0, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # as full_saves.py prints it


@pytest.mark.requirement("T-08")
@pytest.mark.skipif(os.name == "nt", reason="a full disk is made as POSIX systems can")
@pytest.mark.parametrize(("target", "limit"), [*((name, 300) for name in TARGETS), *((name, 10_000) for name in LARGE)])
def test_a_save_on_a_full_disk_destroys_nothing(tmp_path: Path, target: str, limit: int) -> None:
    told = on_a_full_disk(tmp_path, target, limit)
    assert told["code"] == 1
    assert told["said"].startswith(f"{target}: ")
    assert len(told["said"].splitlines()) == 1
    assert "there is no room left on the disk. Make room and try again" in told["said"] or (
        "ffmpeg could not write the film" in told["said"] and target.startswith("film")
    )
    assert told["changed"] == []
    assert told["new"] == []
