"""The same bits every time: in another process, watched, in pieces, by cells or lists, in whatever order in memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from carom import Simulation
from carom.solvers.exact import engine
from golden.states import FILE, LARGE, SCENES, digest, digest_of
from golden.trails import Walk, golden_trails, parting, trail

GOLDEN: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
TRAILS = golden_trails()
TESTS = Path(__file__).parents[1]


def test_every_scene_has_its_hash() -> None:
    assert sorted(GOLDEN) == sorted([*SCENES, "large"])


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("neighbours", ["auto", "cells", "lists"])
@pytest.mark.parametrize("name", SCENES)
def test_golden(name: str, neighbours: str) -> None:
    walk = Walk(name, neighbours)
    assert parting(name, TRAILS[name], trail(walk)) is None
    assert digest(walk.run) == GOLDEN[name]


def test_the_hash_tells_a_bit() -> None:
    make, _ = SCENES["periodic"]
    sim = Simulation(make(), solver="exact").run(collisions=10)
    assert digest(sim) != digest(sim.copy().run(collisions=1))
    assert digest(sim) == digest(sim.copy())


@pytest.mark.requirement("T-06")
@pytest.mark.parametrize("name", SCENES)
def test_watched_in_pieces(name: str) -> None:
    make, collisions = SCENES[name]
    sim = Simulation(make(), solver="exact")
    for _ in range(collisions // 20):
        sim.run(collisions=10)
        assert sim.positions.shape == sim.velocities.shape
        sim.run(collisions=10)
        assert sim.upcoming
    assert digest(sim) == GOLDEN[name]


def test_in_another_process() -> None:
    names = ["periodic", "table"]
    command = [sys.executable, "-m", "golden.states", *names]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=100)
    assert json.loads(run.stdout) == {name: GOLDEN[name] for name in names}


@pytest.mark.parametrize("name", ["periodic", "space"])
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_order_in_memory(name: str, neighbours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a large system: balls renumbered along a curve, again in each epoch, and memory fetched ahead."""
    monkeypatch.setattr(engine, "LARGE", 10)
    monkeypatch.setattr(engine, "ORDERED", 10)
    monkeypatch.setattr(engine, "REORDER", 1)
    assert digest_of(name, neighbours) == GOLDEN[name]


@pytest.mark.requirement("M-15")
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_large(neighbours: str) -> None:
    assert len(LARGE[0]().balls) > engine.LARGE
    assert digest_of("large", neighbours) == GOLDEN["large"]


def test_large_without_renumbering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LARGE", 10**9)
    monkeypatch.setattr(engine, "ORDERED", 10**9)
    assert digest_of("large", "cells") == GOLDEN["large"]
