"""`carom check`."""

from pathlib import Path

import pytest

from carom import library


def test_valid(carom, unequal: Path) -> None:
    answer = carom("check", unequal)
    assert (answer.code, answer.out, answer.err) == (0, f"{unequal}: valid (2 balls, 2D)\n", "")


@pytest.mark.requirement("T-05")
def test_problems_name_file_place_and_remedy(carom, overlapping: Path) -> None:
    answer = carom("check", overlapping)
    assert (answer.code, answer.out) == (1, "")
    expected = "balls 0 and 1 overlap: centres 0.018 m apart, radii add up to 0.02 m. Move them apart or shrink them."
    assert answer.err == f"{overlapping}: {expected}\n"


def test_several_files(carom, unequal: Path, overlapping: Path, tmp_path: Path) -> None:
    answer = carom("check", overlapping, unequal, tmp_path / "missing.toml")
    assert answer.code == 1
    assert answer.out == f"{unequal}: valid (2 balls, 2D)\n"
    assert answer.err.count("\n") == 2


def test_quiet(carom, unequal: Path, overlapping: Path) -> None:
    answer = carom("check", "--quiet", unequal, overlapping)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.count("\n") == 1


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[balls]]\nposition = [0.0, 0.0]\nmass = -1.0\n", ["balls[0].mass", "-1"]),
        ("[[balls]]\nposition = [0.0, nan]\n", ["balls[0].position", "nan"]),
        ("[[balls]]\nposition = [0.0, 0.0]\nmas = 1.0\n", ["mas", "'mass'"]),
        ("[boundary]\nkind = 'bx'\n", ["boundary", "bx"]),
        ("balls = [\n", ["line"]),
        ("schema = 99\n", ["99"]),
    ],
)
def test_one_line_a_mistake(carom, tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    answer = carom("check", path)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.count("\n") == 1
    assert answer.err.startswith(f"{path}: ")
    for word in words:
        assert word in answer.err


def test_text_in_square_brackets_is_printed_as_it_is(carom, tmp_path: Path) -> None:
    path = tmp_path / "[bold]odd[1].toml"
    path.write_text("[[balls]]\nposition = [0.0, 0.0]\n", encoding="utf-8")
    assert carom("check", path).out == f"{path}: valid (1 ball, 2D)\n"


@pytest.mark.requirement("T-01")
@pytest.mark.parametrize("name", library.names())
def test_every_scene_of_the_library_is_valid(carom, tmp_path: Path, name: str) -> None:
    target = tmp_path / "mine.toml"
    assert carom("scenes", name, "--save", target).code == 0
    assert carom("check", target).code == 0


def test_no_file_is_a_mistake(carom) -> None:
    answer = carom("check")
    assert answer.code == 2
    assert answer.err.count("\n") == 1


def test_the_integrator_is_checked(carom, tmp_path: Path) -> None:
    file = tmp_path / "drag.toml"
    file.write_text("drag = 1\n[stepping]\nintegrator = 'verlett'\n", encoding="utf-8")
    answer = carom("check", file)
    line = "stepping.integrator: there is no integrator 'verlett'. Did you mean 'verlet'?"
    assert (answer.code, answer.err) == (1, f"{file}: {line}\n")
