"""`carom draw`."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from carom import Simulation, draw, library, load
from carom.cli.progress import RunBar
from carom.errors import StackError


@pytest.mark.requirement("T-07")
def test_a_file_at_its_real_size(carom, unequal: Path, tmp_path: Path) -> None:
    target = tmp_path / "unequal.svg"
    answer = carom("draw", unequal, "-o", target)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"{unequal} drawn as {target}.\n"
    text = target.read_text(encoding="utf-8")
    assert text == draw(load(unequal), scale="real")
    assert [circle.get("r") for circle in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}circle")] == [
        "20",
        "10",
    ]


def test_the_name_of_the_picture_is_that_of_the_scene(carom, unequal: Path, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert carom("draw", unequal).code == 0
    assert carom("draw", "pool-break", "--scale", "fit", "--arrows", "--quiet").out == ""
    assert sorted(path.name for path in folder.iterdir()) == ["pool-break.svg", "unequal.svg"]
    assert (folder / "pool-break.svg").read_text(encoding="utf-8") == draw(library.load("pool-break"), arrows=True)


def test_at_a_later_time(carom, unequal: Path, tmp_path: Path) -> None:
    target = tmp_path / "later.svg"
    assert carom("draw", unequal, "--at", "1.5", "-o", target).code == 0
    text = target.read_text(encoding="utf-8")
    assert text == draw(Simulation(load(unequal)).run(until=1.5))
    assert "t = 1.5 s" in text


def test_nothing_is_overwritten_unasked(carom, unequal: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious.svg"
    target.write_text("precious", encoding="utf-8")
    answer = carom("draw", unequal, "-o", target)
    assert answer.code == 2
    assert "--force" in answer.err
    assert target.read_text(encoding="utf-8") == "precious"
    assert carom("draw", unequal, "-o", target, "--force").code == 0
    assert target.read_text(encoding="utf-8") != "precious"


def test_a_mistake_in_a_scene_can_be_looked_at(carom, overlapping: Path, tmp_path: Path) -> None:
    target = tmp_path / "overlapping.svg"
    assert carom("draw", overlapping, "-o", target).code == 0
    assert target.exists()


def test_but_it_does_not_run(carom, overlapping: Path, tmp_path: Path) -> None:
    target = tmp_path / "overlapping.svg"
    answer = carom("draw", overlapping, "--at", "1", "-o", target)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"{overlapping}: balls 0 and 1 overlap")
    assert not target.exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--scale", "huge"], 2, "'real', 'fit'"),
        (["--at", "soon"], 2, "soon"),
        (["-o", "picture.png"], 2, "pictures are saved as .svg"),
        (["-o", "nowhere/picture.svg"], 2, "there is no folder"),
    ],
)
def test_options_that_cannot_be(carom, unequal: Path, options: list[str], code: int, words: str) -> None:
    answer = carom("draw", unequal, *options)
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.count("\n") == 1
    assert words in answer.err


def test_a_name_that_is_nearly_right(carom, tmp_path: Path) -> None:
    answer = carom("draw", "braek", "-o", tmp_path / "picture.svg")
    assert answer.code == 2
    assert "Did you mean 'break'?" in answer.err


def test_too_large_for_its_real_size(carom, tmp_path: Path) -> None:
    scene = tmp_path / "wide.toml"
    scene.write_text('[boundary]\nkind = "box"\nsize = [50.0, 20.0]\n', encoding="utf-8")
    answer = carom("draw", scene, "--scale", "real", "-o", tmp_path / "wide.svg")
    assert answer.code == 1
    assert answer.err == f"{scene}: scale: at its real size the picture would be 50 m large. Use scale='fit'.\n"


@pytest.mark.parametrize(("error", "code"), [(StackError((0, 1), 0.5), 1), (KeyboardInterrupt(), 130)])
def test_a_run_that_does_not_come_so_far(carom, unequal: Path, tmp_path: Path, monkeypatch, error, code: int) -> None:
    def fail(self: RunBar, fraction: float) -> None:
        raise error

    monkeypatch.setattr(RunBar, "__call__", fail)
    target = tmp_path / "picture.svg"
    answer = carom("draw", unequal, "--at", "2", "-o", target)
    assert (answer.code, answer.out) == (code, "")
    assert "Traceback" not in answer.err
    assert not target.exists()
    assert code != 1 or answer.err.startswith(f"{unequal}: balls 0 and 1 rest on each other")
