"""What a broken kernel of the exact solver once did unnoticed: each test here was written because a mutant survived.

The mutants are in tools/mutants.toml.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from carom import Ball, Open, Polygon, Scene, Simulation, load

EPS = np.finfo(float).eps
CASES = Path(__file__).parent.parent / "cases"


@pytest.mark.requirement("M-11")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_ball_that_was_hit_a_moment_ago_loses_nothing(order: tuple[int, int, int]) -> None:
    """The contact time counts from the last collision of either ball, whichever of them is told of first.

    Of three equal balls on a line the right one hits the middle one at t = 1 s, with e = 1/2; the left one hits it
    0.05 s later, within the contact time: those two exchange their velocities.
    """
    # The middle one then goes left by 0.75 · 0.05 = 0.0375 m, the left one right by 1.05 m.
    balls = [
        Ball(position=(-1.05 - 0.0375 - 0.2, 0.0), velocity=(1.0, 0.0), radius=0.1),
        Ball(position=(0.0, 0.0), radius=0.1),
        Ball(position=(1.2, 0.0), velocity=(-1.0, 0.0), radius=0.1),
    ]
    scene = Scene(boundary=Open(), restitution=0.5, contact_time=0.1, balls=[balls[k] for k in order])
    sim = Simulation(scene)
    assert [each.time for each in sim.events(collisions=2)] == pytest.approx([1.0, 1.05])
    expected = np.array([-0.75, 1.0, -0.25])
    assert sim.velocities[:, 0] == pytest.approx(expected[list(order)], abs=8 * EPS)
    assert sim.report.softened == 1


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
    sim = Simulation(Scene(boundary=Open(), balls=[Ball(position=(0.0, 0.0))]), solver="exact")
    engine = sim._solver
    for _ in range(1000):
        engine.clock["now"] = 0.1
        engine._move_origin()
    high, low = engine.world.origin
    assert abs(Fraction(high) + Fraction(low) - 1000 * Fraction(0.1)) < 1000 * EPS**2 * 100
