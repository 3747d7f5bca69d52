"""What a broken kernel of the exact solver once did unnoticed: each test here was written because a mutant survived.

The mutants are in tools/mutants.toml.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from carom import Ball, Box, Polygon, Scene, Simulation, load
from carom.solvers.exact.origin import moved_origin
from reference.laws import called

EPS = np.finfo(float).eps
CASES = Path(__file__).parent.parent / "cases"


@pytest.mark.requirement("M-11")
def test_a_contact_lasts_whichever_of_its_balls_is_told_of_first() -> None:
    """A light ball rattles between a wall and a heavy one, without restitution: its streak is twice as long.

    At each hit the heavy one keeps 4/5 of its speed, so that after 65 collisions of the light one it is still fast.
    Numbered otherwise, the balls do the same.
    """
    light = Ball(position=(0.1, 0.5), radius=0.1)
    heavy = Ball(position=(1.0, 0.5), velocity=(-1.0, 0.0), radius=0.1, mass=4.0)
    found = []
    for balls in ([light, heavy], [heavy, light]):
        sim = Simulation(Scene(boundary=Box(size=(2.0, 1.0)), restitution=0.0, balls=balls), solver="exact")
        found.append(sim.collide(until=1.0)["softened"].tolist())
    assert found[0] == found[1]
    assert found[0].index(1) == 65


@pytest.mark.requirement("B-02")
def test_off_the_edge_backwards() -> None:
    """The table of `off-the-edge` seen in a mirror: the ball slides against the direction of the wall's tangent."""
    scene = load(CASES / "off-the-edge.toml")
    assert isinstance(scene.boundary, Polygon)
    mirrored = Polygon(vertices=[(4.0 - x, y) for x, y in reversed(scene.boundary.vertices)])
    balls = [Ball(position=(3.5, 1.2), velocity=(-1.5, 0.0), radius=0.1)]
    sim = Simulation(scene.replace(boundary=mirrored, balls=balls)).run(until=0.75)
    assert sim.resting == (0,)
    sim.run(until=1.3)
    assert sim.resting == ()
    assert sim.positions[0] == pytest.approx((2.0 - 1.5 * 0.3, 1.1 - 0.5 * 9.81 * 0.3**2), abs=1e-9)


@pytest.mark.requirement("T-11")
def test_a_thousand_epochs_lose_no_digit_of_time() -> None:
    """The origin of time is a sum of two floats: after a thousand moves by 0.1 s it is right to far below one ulp."""
    move, high, low = called(moved_origin), 0.0, 0.0
    for _ in range(1000):
        high, low = move(high, low, 0.1)
    assert abs(Fraction(high) + Fraction(low) - 1000 * Fraction(0.1)) < 1000 * EPS**2 * 100
