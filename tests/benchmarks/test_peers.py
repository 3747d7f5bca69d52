"""Peers that run in a Python of their own, and an earlier version of carom: by stand-ins, for they are optional."""

import json
import sys
from pathlib import Path

import pytest
from benchmarks.model import Effort, Skipped

from benchmarks import earlier, peers, pooltool_environment, report

TINY = Effort(slices=2, seconds=0.001, turnover=1, warm_up=1)

POOLTOOL = """
import types, enum
class GameType(enum.Enum):
    NINEBALL = "nineball"
class Table:
    @classmethod
    def default(cls): return "table"
class Cue:
    def __init__(self, cue_ball_id): self.id = cue_ball_id
    def set_state(self, V0, phi): self.state = V0, phi
class System:
    def __init__(self, table, balls, cue): self.table, self.balls, self.cue, self.events = table, balls, cue, []
    def copy(self): return System(self.table, self.balls, self.cue)
def get_rack(game, table): return [game, table]
def simulate(shot, inplace):
    assert inplace and shot.cue.state == (8, 45.0) and not shot.events
    shot.events += [sum(range(1000)) for _ in range(99)]
aim = types.SimpleNamespace(at_ball=lambda shot, name: 45.0)
"""


@pytest.fixture
def imitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python with a pooltool of the same interface."""
    (tmp_path / "pooltool.py").write_text(POOLTOOL)
    folder = tmp_path / "pooltool_billiards-0.6.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: pooltool-billiards\nVersion: 0.6.0\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv(pooltool_environment.NAMED, str(python))
    return python


def test_pooltool_breaks_in_a_python_of_its_own(imitation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    told = peers.pooltool_break(3)
    assert (told["version"], told["events"]) == ("0.6.0", 99)
    assert told["rate"] > 0.0
    row = peers.against_pooltool(TINY)
    assert row[peers.VERSION] == "0.6.0"
    assert {peers.OURS, peers.THEIRS, peers.VERSION} == set(row)


def test_a_pooltool_that_fails_says_why(imitation: Path) -> None:
    (imitation.parent / "pooltool.py").write_text("raise ImportError('no module named panda3d')")
    with pytest.raises(Skipped, match=r"pooltool cannot break \(ImportError: no module named panda3d\)"):
        peers.pooltool_break(1)


def test_a_python_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(pooltool_environment.NAMED, str(tmp_path / "python"))
    with pytest.raises(Skipped, match="cannot be run"):
        peers.pooltool_break(1)


def test_without_an_environment_it_is_told_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(pooltool_environment.NAMED, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Skipped, match=pooltool_environment.MAKE):
        pooltool_environment.python()


def test_a_release_of_panda3d_takes_the_place_of_the_pre_release() -> None:
    asked = [
        'panda3d==1.11.0.dev3702; sys_platform != "darwin"',
        'panda3d>=1.10.13,<1.11; sys_platform == "darwin"',
        "panda3d-gltf>=1.2.0",
        "llvmlite<0.46,>=0.44.0",
    ]
    assert pooltool_environment.wanted(asked) == ["panda3d-gltf>=1.2.0", "llvmlite<0.46,>=0.44.0", "panda3d==1.10.16"]


def test_an_earlier_version_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(earlier.NAMED, raising=False)
    section = earlier.section()
    with pytest.raises(Skipped, match="CAROM_EARLIER") as reason:
        section.cases[0].measure(TINY)
    assert len(report.cells(section, section.cases[0], str(reason.value))) == len(section.labels) + len(section.columns)


@pytest.mark.timeout(400)  # two processes load or compile kernels
def test_an_earlier_version_races_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkout itself stands in for the earlier one."""
    monkeypatch.setenv(earlier.NAMED, str(earlier.ROOT))
    row = earlier.race(TINY, work=("gas", "200", "0.3"), unit=1e6)
    assert set(row) == set(earlier.section().columns)
    assert row[earlier.EARLIER] > 0.0
    assert row[earlier.RATIO] == pytest.approx(row[earlier.NOW] / row[earlier.EARLIER])
    json.dumps(row)
