"""The pictures of the documents can be drawn anew, the same each time, and are small."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NAMES = (
    *("bounces.png", "break.png", "hot-spot.png", "plots-break.png", "plots-gas.png"),
    *("render-break.png", "render-cloth.png", "render-water.png"),
)
LARGEST = 200_000  # bytes
PHOTOGRAPHS = ("lab-break.png", "lab-planets.png")
"""Of the laboratory, by tools/lab_pictures.py: moments of a live page, which differ from run to run."""


AGAIN = ("break", "render-break", "plots-break")
"""Drawn twice: one of each kind, which does not take long."""


def draw(folder: Path, *options: str) -> dict[str, bytes]:
    command = [sys.executable, str(ROOT / "tools/pictures.py"), str(folder), *options]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("name", NAMES)
def test_stored_pictures_are_small(name: str) -> None:
    assert 1_000 < (ROOT / "docs/images" / name).stat().st_size < LARGEST


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photographs_of_the_laboratory_are_small(name: str) -> None:
    assert 10_000 < (ROOT / "docs/images" / name).stat().st_size < 150_000


def test_pictures_are_the_same_each_time(tmp_path: Path) -> None:
    once, again = draw(tmp_path / "once"), draw(tmp_path / "again", "--only", *AGAIN)
    assert tuple(once) == NAMES
    assert sorted(again) == sorted(f"{name}.png" for name in AGAIN)
    assert {name: once[name] for name in again} == again
