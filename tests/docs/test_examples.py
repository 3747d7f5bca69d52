"""The examples run, and say what they should."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

SAYS = {
    "bouncing_ball": ["0   0.451523641  0.451523641", "over at 4.063712769 s", "1 ball rests on a wall"],
    "count_pi": ["masses 1 : 1 ", " 3 collisions", " 31415 collisions", " 314159 collisions"],
    "gas_pressure": ["Maxwell's law says 0.886 m/s"],
    "own_table": ["× hole 0", "× another ball", "energy kept to"],
    "two_breaks": ["a ball's width after"],
}


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.chdir(folder)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    return capsys.readouterr().out


def test_every_example_is_tried() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(SAYS)


@pytest.mark.parametrize("name", sorted(SAYS))
def test_example_says_what_it_should(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run(name, tmp_path, monkeypatch, capsys)
    assert [words for words in SAYS[name] if words not in said] == []


def test_pressure_is_that_of_the_equation_of_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some 10^4 hits on the walls tell the pressure to 1 %; walls and the finite box add up to 4 % more."""
    said = run("gas_pressure", tmp_path, monkeypatch, capsys)
    rows = [line.split() for line in said.splitlines() if "%" in line]
    assert len(rows) == 3
    for _, measured, expected, *_ in rows:
        assert float(measured) == pytest.approx(float(expected), rel=0.05)
