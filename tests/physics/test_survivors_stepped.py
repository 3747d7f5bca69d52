"""What a broken kernel of the stepped solver once did unnoticed: each test here was written because a mutant survived.

The mutants are in tools/mutants.toml.
"""

import math

import numpy as np
import pytest

from carom import Ball, Box, Link, Scene, Simulation

G = 9.81


@pytest.mark.requirement("M-04")
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_damped_link_across_a_seam_swings_as_any_other(axis: int) -> None:
    """A kilogram on a spring of 4 N/m that leads through a seam, along each axis of space: x'' = -c x' - 4 x."""
    c, stretch, size = 0.5, 0.1, 4.0
    held, free = np.full(3, 2.0), np.full(3, 2.0)
    held[axis], free[axis] = size - 0.3, 0.7 + stretch
    scene = Scene(
        boundary=Box(size=(size,) * 3, periodic=True),
        balls=[Ball(position=held, fixed=True), Ball(position=free)],
        links=[Link(between=(0, 1), stiffness=4.0, length=1.0, damping=c)],
    )
    sim = Simulation(scene, step=1e-3).run(until=2.0)
    w = math.sqrt(4.0 - 0.25 * c * c)
    wanted = stretch * math.exp(-0.5 * c * 2.0) * (math.cos(2.0 * w) + 0.5 * c / w * math.sin(2.0 * w))
    assert sim.positions[1, axis] - 0.7 == pytest.approx(wanted, abs=1e-6)
    assert sim.account.lost["damping"] > 0.005


@pytest.mark.requirement("S-04", "M-05")
def test_who_is_born_high_up_brings_potential_energy() -> None:
    """Under gravity: m v²/2 + m g h, and so the account closes to rounding."""
    balls = [Ball(position=(0.0, 0.0)), Ball(position=(1.0, 3.0), velocity=(0.5, 0.0), mass=2.0, born=0.5)]
    sim = Simulation(Scene(gravity=(0.0, -G), balls=balls), step=0.125).run(until=1.0)
    assert sim.account.work == pytest.approx(2.0 * (0.125 + G * 3.0), rel=1e-14)
    assert sim.account.error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.requirement("M-02", "M-11")
def test_stormer_goes_on_after_a_blow_and_through_a_seam() -> None:
    """Under gravity alone its places are on a parabola, that of a start slower by g dt/2 (the first step is Euler's).

    So they are those of the exact solver from that start, however often it has bounced and gone round the box.
    """
    step = 1.0 / 64.0
    box = Box(size=(1.0, 3.0), periodic=(True, False))
    ball = Ball(position=(0.5, 1.0), velocity=(1.7, 0.0), radius=0.1)
    scene = Scene(boundary=box, gravity=(0.0, -G), balls=[ball])
    slower = scene.replace(balls=[ball.replace(velocity=(1.7, -0.5 * G * step))])
    sim, exact = Simulation(scene, solver="stepped", step=step, integrator="stormer"), Simulation(slower)
    for k in range(1, 129):  # each step: one that is off by a period may come back in the next
        assert sim.run(until=k * step).positions == pytest.approx(exact.run(until=k * step).positions, abs=1e-9)
        assert sim.velocities == pytest.approx(exact.velocities, abs=1e-9)
    assert sim.collisions == exact.collisions > 1


@pytest.mark.requirement("M-11")
def test_balls_that_overlap_and_approach_part_at_once() -> None:
    """By rounding, or by a blow of a third: they are not let through each other."""
    balls = [
        Ball(position=(0.0, 0.0), velocity=(1.0, 0.0), radius=0.1),
        Ball(position=(0.2 - 1e-6, 0.0), velocity=(-1.0, 0.0), radius=0.1),
    ]
    sim = Simulation(Scene(gravity=(0.0, -G), balls=balls), solver="stepped", step=0.01, check=False).run(until=0.01)
    assert sim.velocities[:, 0] == pytest.approx([-1.0, 1.0], abs=1e-12)
    assert sim.positions[:, 0] == pytest.approx([-0.01, 0.21 - 1e-6], abs=1e-12)


@pytest.mark.requirement("M-11", "T-08")
@pytest.mark.parametrize("step", [0.1, 0.05])
def test_the_instant_of_contact_is_on_the_parabola(step: float) -> None:
    """A ball falls on one that is held, in long steps, and bounces as in the exact solver."""
    balls = [Ball(position=(0.0, 0.0), radius=0.1, fixed=True), Ball(position=(0.01, 1.0), radius=0.1)]
    scene = Scene(gravity=(0.0, -G), balls=balls)
    sim, exact = Simulation(scene, solver="stepped", step=step), Simulation(scene, solver="exact")
    assert sim.run(until=0.7).positions == pytest.approx(exact.run(until=0.7).positions, abs=1e-7)
    assert sim.collisions == exact.collisions == 1
