"""The exact solver against the documented definition of the motion, bit for bit.

Every scene runs into a second epoch at least, so that the moves of the origin of time are compared too.
"""

from typing import Any

import numpy as np
import pytest

from carom import Balls, Box, Scene, Simulation
from reference.brute_force import BALL_BALL, BALL_WALL, BruteForce
from reference.scenes import box_scene, filled, lattice_scene


def volley(rows: int) -> Scene:
    """Equal balls on a lattice that fly along the axes at one speed: few collisions are alone at their instant."""
    scene = lattice_scene(rows, 2, (True, False))
    k = np.arange(rows * rows)
    directions = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
    return scene.replace(
        balls=Balls(position=scene.balls.position, velocity=directions[(k * 7 + k // rows) % 4], radius=0.25)
    )


def giant(ratio: float) -> Scene:
    """A ball among others that are smaller by a ratio: neighbours are looked for over very different distances."""
    scene = Scene(boundary=Box(size=(10.0, 10.0), periodic=(True, False)))
    return filled(scene, (0.0, 0.0), (10.0, 10.0), [3.0] + [3.0 / ratio] * 40, seed=8)


SCENES: dict[str, Any] = {
    "2D walls": lambda: box_scene(1, (False, False)),
    "2D periodic": lambda: box_scene(2, (True, True)),
    "2D mixed, restitution": lambda: box_scene(3, (True, False), restitution=0.97),
    "2D lattice with ties": lambda: lattice_scene(5, 2, (True, False)),
    "2D at once": lambda: volley(6),
    "2D gravity": lambda: box_scene(4, (True, False), gravity=(0.0, -2.0)),
    "2D radii 1 to 300": lambda: giant(300.0),
    "3D mixed": lambda: box_scene(5, (True, False, True)),
    "3D gravity, walls": lambda: box_scene(6, (False, False, False), gravity=(0.5, 0.0, -2.0)),
}
NEIGHBOURS = ("cells", "lists")
KINDS = {BALL_BALL: "ball-ball", BALL_WALL: "ball-wall"}


@pytest.fixture(scope="module", params=SCENES, ids=lambda name: name.replace(" ", "-").replace(",", ""))
def reference(request: pytest.FixtureRequest) -> tuple[Scene, list[Any], BruteForce]:
    """A scene, its collisions by brute force, and the state after them."""
    scene = SCENES[request.param]()
    brute = BruteForce(scene)
    hits = []
    while brute.epochs < 1 or brute.events < 400:
        hits.append(brute.step())
    return scene, hits, brute


@pytest.mark.requirement("T-10", "T-11", "T-12", "T-13", "M-11", "M-15", "M-17")
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_same_events_and_same_bits(reference: tuple[Scene, list[Any], BruteForce], neighbours: str) -> None:
    scene, hits, brute = reference
    sim = Simulation(scene, neighbours=neighbours)
    for k, (collision, hit) in enumerate(zip(sim.events(collisions=len(hits)), hits, strict=True)):
        found = (collision.time, collision.kind, collision.partners, collision.wall, collision.impulse)
        assert (k, *found) == (k, hit.time, KINDS[hit.kind], hit.partners, hit.wall, hit.impulse)
    assert sim.time == brute.time
    assert sim.positions.tobytes() == brute.positions.tobytes()
    assert sim.velocities.tobytes() == brute.velocities.tobytes()


@pytest.mark.requirement("T-10")
def test_what_is_told_does_not_depend_on_the_neighbours(reference: tuple[Scene, list[Any], BruteForce]) -> None:
    """Place, normal and impulse too, to the bit."""
    scene, hits, _ = reference
    one, other = (Simulation(scene, neighbours=each).collide(collisions=len(hits)) for each in NEIGHBOURS)
    for field in one.dtype.names or ():
        assert one[field].tobytes() == other[field].tobytes(), field
