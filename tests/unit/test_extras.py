"""What is optional and missing is told in one line, by whatever needs it, before any work is done."""

import sys
import tomllib
from pathlib import Path

import pytest

import carom
from carom import Scene, Simulation, library
from carom.cli import main
from carom.cli.commands import sweep
from carom.errors import MissingExtraError
from carom.extras import MODULES, is_installed, require

ROOT = Path(__file__).parents[2]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def lose(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Let modules be as if they were not installed."""
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "run.h5"
    sim = Simulation(library.load("gas", count=16))
    with sim.record(path, every=0.1):
        sim.run(until=0.2)
    return path


@pytest.mark.parametrize("extra", sorted(MODULES))
def test_the_table_is_that_of_the_package(extra: str) -> None:
    promised = {one.partition(">")[0].replace("-", "_") for one in DECLARED[extra]}
    assert set(MODULES[extra]) <= promised


def test_every_extra_for_users_is_in_the_table() -> None:
    everything = next(one for one in DECLARED["all"] if one.startswith("carom["))
    assert sorted(MODULES) == sorted(everything.removeprefix("carom[").removesuffix("]").split(","))


def test_what_is_there_is_not_complained_of() -> None:
    require("plots", "a plot")
    assert is_installed("carom")


def test_all_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, "imageio_ffmpeg", "matplotlib")
    with pytest.raises(MissingExtraError) as caught:
        require("video", "a film")
    assert str(caught.value) == 'a film needs imageio-ffmpeg and matplotlib: pip install "carom[video]"'
    assert isinstance(caught.value, ImportError)


COMMANDS = [
    (["lab", "break", "--no-browser"], "nicegui", "lab"),
    (["render", "break", "film.mp4"], "imageio_ffmpeg", "video"),
    (["render", "break", "film.gif"], "matplotlib", "video"),
    (["render", "RUN", "still.svg"], "matplotlib", "video"),
    (["analyse", "RUN", "--report", "report.html"], "matplotlib", "plots"),
    (["export", "RUN", "run.gsd"], "gsd", "exports"),
    (["sweep", "pi"], "distributed", "sweep"),
    (["sweep", "pi", "--plot", "plot.svg"], "matplotlib", "plots"),
]


@pytest.mark.parametrize(("command", "module", "extra"), COMMANDS, ids=str)
def test_a_command_says_what_it_needs_and_does_nothing(
    command: list[str],
    module: str,
    extra: str,
    recorded: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lose(monkeypatch, module)
    monkeypatch.chdir(tmp_path)
    code = main([str(recorded) if word == "RUN" else word for word in command])
    said = capsys.readouterr()
    assert (code, said.out) == (1, "")
    assert said.err.count("\n") == 1
    assert f' needs {module.replace("_", "-")}: pip install "carom[{extra}]"' in said.err
    assert list(tmp_path.iterdir()) == []


FUNCTIONS = [
    ("matplotlib", "plots", lambda path: carom.plots.speeds(carom.Recording(path))),
    ("matplotlib", "video", lambda path: carom.video.film(Scene(), path.with_suffix(".mp4"))),
    ("distributed", "sweep", lambda path: carom.sweep("pi")),
    ("anywidget", "notebook", lambda path: __import__("carom.notebook").notebook.show(Scene())),
]


@pytest.mark.parametrize(("module", "extra", "call"), FUNCTIONS, ids=[each[1] for each in FUNCTIONS])
def test_a_function_says_what_it_needs(
    module: str, extra: str, call, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch, module)
    with pytest.raises(MissingExtraError, match=rf' needs {module}: pip install "carom\[{extra}\]"$'):
        call(recorded)


def test_a_plot_that_cannot_be_drawn_after_a_sweep_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(monkeypatch, "matplotlib")
    monkeypatch.setattr("carom.sweeps.results.plot.lines", lambda *_: [])
    monkeypatch.setattr("carom.sweeps.results.plot.spec_of", lambda *_: type("Spec", (), {"law": None}))
    assert not sweep.draw_plot(None, None, tmp_path / "plot.svg")
    assert capsys.readouterr().err.endswith(
        'plot.svg: not drawn. a plot needs matplotlib: pip install "carom[plots]"\n'
    )
