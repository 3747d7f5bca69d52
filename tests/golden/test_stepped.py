"""The stepped solver gives the same bits every time: watched, in parts, copied, at any rate of frames."""

import json

import pytest

from carom import Simulation
from golden.states import digest
from golden.stepped import FILE, SCENES, start
from golden.trails import Walk, golden_trails, parting, trail

GOLDEN: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
TRAILS = golden_trails()


def look(sim: Simulation) -> None:
    """Look at everything there is."""
    for name in ("positions", "velocities", "energy", "momentum", "account", "resting", "turns", "collisions_by_kind"):
        getattr(sim, name)
    sim.snapshot()


def test_every_scene_has_its_hash() -> None:
    assert sorted(GOLDEN) == sorted(SCENES)


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", SCENES)
def test_golden(name: str) -> None:
    walk = Walk(name)
    assert parting(name, TRAILS[name], trail(walk)) is None
    assert digest(walk.run) == GOLDEN[name]


@pytest.mark.requirement("T-06", "S-01")
@pytest.mark.parametrize("name", SCENES)
def test_watched_at_any_rate_of_frames(name: str) -> None:
    """Milliseconds that are no part of the step, looked at now and then, and copied on the way."""
    sim, end = start(name), SCENES[name][2]
    for k in range(round(1000 * end) - 1):
        sim.advance(1e-3)
        if k % 100 == 50:
            look(sim)
        if k % 500 == 250:
            sim = sim.copy()
    assert digest(sim.run(until=end)) == GOLDEN[name]


@pytest.mark.requirement("T-06")
@pytest.mark.parametrize("name", ["gas", "pile", "slope"])
def test_listened_to_in_parts(name: str) -> None:
    """By events, by arrays of them, and by hooks."""
    sim, end = start(name), SCENES[name][2]
    told = len(list(sim.events(until=end / 4))) + len(sim.collide(until=end / 2))
    assert told == sim.collisions
    steps: list[float] = []
    sim.after_step(lambda: steps.append(sim.energy))
    sim.run(until=end)
    assert len(steps) == round(end / SCENES[name][1] / 2)
    assert digest(sim) == GOLDEN[name]
