"""Balls that touch exactly: a rack is broken at many angles, and every break comes to its end."""

import numpy as np
import pytest

from carom import Ball, Scene, Simulation, library

BREAKS = [(speed, angle, offset) for speed in (2.0, 10.0) for angle in (2.0, 2.5, 3.0, 3.5) for offset in (0.0, 2e-4)]


@pytest.mark.requirement("T-12", "B-01")
@pytest.mark.parametrize("e", [1.0, 0.95])
def test_every_break_of_a_tight_rack_ends(e: float) -> None:
    """Pairs whose approach is less than rounding met again and again at one instant; some of these breaks have one."""
    for speed, angle, offset in BREAKS:
        scene = library.load("pool-break", offset=offset, ball_ball=e, ball_wall=e)
        velocity = scene.balls.velocity.copy()
        velocity[0] = speed * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        sim = Simulation(scene.replace(balls=scene.balls.replace(velocity=velocity)))
        energy = sim.kinetic_energy
        sim.run(until=2.0)
        assert sim.time == 2.0
        if e == 1.0:
            assert sim.kinetic_energy == pytest.approx(energy, rel=1e-13)


@pytest.mark.parametrize("aside", [1e-20, 1e-30, 1e-45, 1e-100])
def test_balls_that_touch_and_hardly_approach_part(aside: float) -> None:
    """They slide along each other; the normal is off by so little that rounding swallows any impulse along it."""
    one = Ball(position=(0.0, aside), velocity=(1.0, -1.0), radius=0.5, mass=1.0)
    two = Ball(position=(-1.0, 0.0), velocity=(1.0, 0.0), radius=0.5, mass=1.0)
    sim = Simulation(Scene(balls=[one, two])).run(until=1.0, collisions=1000)
    assert sim.time == 1.0
    assert sim.collisions <= 1
    np.testing.assert_allclose(sim.velocities, [[1.0, -1.0], [1.0, 0.0]], atol=1e-15)
