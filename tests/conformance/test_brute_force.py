"""The exact solver against the documented definition of the motion, bit for bit.

Every scene runs into a second epoch at least, so that the moves of the origin of time are compared too.
"""

from typing import Any

import numpy as np
import pytest
from reference.brute_force import BALL_BALL, BruteForce
from reference.scenes import box_scene, lattice_scene

from carom import Scene, Simulation

SCENES: dict[str, Any] = {
    "2D walls": lambda: box_scene(1, (False, False)),
    "2D periodic": lambda: box_scene(2, (True, True)),
    "2D mixed, restitution": lambda: box_scene(3, (True, False), restitution=0.97),
    "2D lattice with ties": lambda: lattice_scene(5, 2, (True, False)),
    "2D gravity": lambda: box_scene(4, (True, False), gravity=(0.0, -2.0)),
    "3D mixed": lambda: box_scene(5, (True, False, True)),
    "3D gravity, walls": lambda: box_scene(6, (False, False, False), gravity=(0.5, 0.0, -2.0)),
}
NEIGHBOURS = ("cells", "lists")


@pytest.fixture(scope="module", params=SCENES, ids=lambda name: name.replace(" ", "-").replace(",", ""))
def reference(request: pytest.FixtureRequest) -> tuple[Scene, list[Any], BruteForce]:
    """A scene, its collisions by brute force, and the state after them."""
    scene = SCENES[request.param]()
    brute = BruteForce(scene, Simulation(scene).report.contact_time)
    hits = []
    while brute.epochs < 1 or brute.events < 400:
        hits.append(brute.step())
    return scene, hits, brute


@pytest.mark.requirement("T-11", "T-12", "T-13", "M-11", "M-15", "M-17")
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_same_events_and_same_bits(reference: tuple[Scene, list[Any], BruteForce], neighbours: str) -> None:
    scene, hits, brute = reference
    sim = Simulation(scene, neighbours=neighbours)
    logs = sim.collide(collisions=len(hits))
    for k, (log, hit) in enumerate(zip(logs, hits, strict=True)):
        partners = (int(log["a"]), int(log["b"])) if log["kind"] == BALL_BALL else (int(log["a"]),)
        assert (k, float(log["time"]), int(log["kind"]), partners) == (k, hit.time, hit.kind, hit.partners)
        # J m₁ (m₂/M) or J m₂ (m₁/M): two roundings differ, whoever is called the first.
        assert log["impulse"] == pytest.approx(hit.impulse, rel=8 * np.finfo(float).eps)
    assert sim.time == brute.time
    assert sim.positions.tobytes() == brute.positions.tobytes()
    assert sim.velocities.tobytes() == brute.velocities.tobytes()


@pytest.mark.requirement("T-10")
def test_names_of_walls(reference: tuple[Scene, list[Any], BruteForce]) -> None:
    scene, hits, _ = reference
    sim = Simulation(scene)
    walls = [collision.wall for collision in sim.events(collisions=300)]
    assert walls == [hit.wall for hit in hits[:300]]
