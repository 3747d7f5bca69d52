"""The tool that compares Pythons and settings finds the first event that differs, and tells what."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from golden.player import answer
from golden.trails import Walk, golden_trails

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("same_bits", ROOT / "tools/same_bits.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["same_bits"] = module
    spec.loader.exec_module(module)
    return module


def asked(scene: str) -> Callable[[int], Any]:
    return lambda moment: answer({"do": "state", "scene": scene, "way": "auto", "moment": moment})


def astray(scene: str, since: int, ball: int) -> Callable[[int], Any]:
    """As `asked`, but a ball is faster by a last bit from a moment on."""

    def state(moment: int) -> Any:
        walk = Walk(scene)
        walk.go(min(since, moment))
        if moment >= since:
            v = walk.run.velocities[ball]
            walk.run.change(ball, velocity=(np.nextafter(v[0], np.inf), *v[1:]))
        run = walk.go(moment)
        rows = np.hstack([run.positions, run.velocities]).tolist()
        return {"time": run.time.hex(), "numbers": [[each.hex() for each in row] for row in rows], "events": []}

    return state


@pytest.mark.parametrize(("scene", "since", "ball"), [("periodic", 1234, 17), ("gas", 42, 5)])
def test_the_first_difference_is_found(tool: ModuleType, scene: str, since: int, ball: int) -> None:
    one, two = asked(scene), astray(scene, since, ball)
    moment = tool.first_difference(one, two, 0, 1250 if scene == "periodic" else 64)
    assert moment == since
    (line,) = tool.story(one(moment), two(moment))
    assert line.startswith(f"ball {ball}, vx: ")
    assert line.endswith(", 1 last bits apart")
    assert tool.story(one(moment), one(moment)) == []


def test_what_happened_at_the_moment_is_told() -> None:
    told = asked("bouncing")(1)["events"]
    assert len(told) == 1
    assert told[0].startswith("ball-wall (")
    assert asked("slope")(1)["events"] == []


def test_floats_are_counted_through_zero(tool: ModuleType) -> None:
    least = 5e-324
    assert tool.apart(least.hex(), (-least).hex()) == 2
    assert tool.apart((1.0).hex(), float(np.nextafter(1.0, 0.0)).hex()) == 1


def test_the_table(tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "argv", ["same_bits", "--scenes", "bouncing,table", "--settings", "plain,lists,threads"])
    assert tool.main() == 0
    rows = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[4:8] for row in rows] == [["as it is", "2", "32", "all"], ["neighbours by lists", "2", "32", "all"]]


def test_a_difference_is_told(tool: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    """A golden trail that nobody walks: all agree with each other, and not with it."""
    trails = golden_trails()
    trails["slope"][3] = trails["slope"][3][:-1] + "x"
    file = tmp_path / "trails.json"
    file.write_text(json.dumps(trails), encoding="utf-8")
    monkeypatch.setattr(tool, "TRAILS", file)
    monkeypatch.setattr(sys, "argv", ["same_bits", "--scenes", "slope", "--settings", "plain"])
    assert tool.main() == 1
    assert "slope: not the golden bits after 32, but after 24" in capsys.readouterr().out


def test_what_is_not_there_is_refused(tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "argv", ["same_bits", "--scenes", "moon"])
    with pytest.raises(SystemExit):
        tool.main()
    assert "moon: not among periodic" in capsys.readouterr().err
