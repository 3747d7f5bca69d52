"""The pictures of the documents can be drawn anew, the same each time, and are small."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parent.parent.parent
NAMES = (
    *("bounces.png", "break.png", "film-break.gif", "hot-spot.png", "plots-break.png", "plots-gas.png"),
    *("render-break.png", "render-cloth.png", "render-water.png"),
)
LARGEST = 200_000  # bytes
PHOTOGRAPHS = ("lab-break.png", "lab-planets.png")
"""Of the laboratory, by tools/lab_pictures.py: moments of a live page, which differ from run to run."""


AGAIN = ("break", "render-break", "plots-break")
"""Drawn twice: one of each kind, which does not take long. `make pictures` draws the others too."""


def draw(folder: Path, *options: str) -> dict[str, bytes]:
    command = [sys.executable, str(ROOT / "tools/pictures.py"), str(folder), *options]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("name", NAMES)
def test_stored_pictures_are_small(name: str) -> None:
    assert 1_000 < (ROOT / "docs/images" / name).stat().st_size < LARGEST


def test_the_film_is_the_one_that_the_command_makes(tmp_path: Path) -> None:
    made = draw(tmp_path, "--only", "film-break")["film-break.gif"]
    assert made[:6] == b"GIF89a"
    with Image.open(ROOT / "docs/images/film-break.gif") as stored, Image.open(tmp_path / "film-break.gif") as again:
        assert [(each.size, getattr(each, "n_frames", 1)) for each in (stored, again)] == [((480, 270), 21)] * 2


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photographs_of_the_laboratory_are_small(name: str) -> None:
    assert 10_000 < (ROOT / "docs/images" / name).stat().st_size < 150_000


def test_each_stored_picture_can_be_drawn() -> None:
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "tools/pictures.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert sorted(tool.DRAWN) == sorted(Path(name).stem for name in NAMES)


def test_pictures_are_the_same_each_time(tmp_path: Path) -> None:
    once, again = (draw(tmp_path / name, "--only", *AGAIN) for name in ("once", "again"))
    assert sorted(again) == sorted(f"{name}.png" for name in AGAIN)
    assert once == again
