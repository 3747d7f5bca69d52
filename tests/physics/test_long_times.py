"""Small systems in long runs: energy does not drift with unlike masses, and times keep their digits."""

import math
from fractions import Fraction

import numpy as np
import pytest

from carom import Ball, Balls, Box, Scene, Simulation

EPS = float(np.finfo(float).eps)
Masses = tuple[float, float, float]


def three_disks(masses: Masses) -> Scene:
    """Three disks in a periodic unit box."""
    places, velocities = [(0.2, 0.2), (0.7, 0.3), (0.4, 0.75)], [(0.7, 0.31), (-0.43, 0.6), (0.1, -0.55)]
    balls = [
        Ball(position=x, velocity=v, radius=0.1, mass=m) for x, v, m in zip(places, velocities, masses, strict=True)
    ]
    return Scene(boundary=Box(size=(1.0, 1.0), periodic=True), balls=balls)


def energy(sim: Simulation) -> Fraction:
    """Kinetic, J, without rounding."""
    pairs = zip(sim.masses.tolist(), sim.velocities.tolist(), strict=True)
    return sum((Fraction(m) * sum(Fraction(u) ** 2 for u in v) / 2 for m, v in pairs), Fraction(0))


@pytest.mark.requirement("T-08", "T-13", "T-18")
@pytest.mark.parametrize(
    "masses",
    [(1.0, 2.0, 4.0), (1.0, 1.0, 2.0), (1.0, 1.0, 4.0), (1.0, 1.0, 10.0), (1.0, 1.0, 100.0), (1.0, 1.0, 126.0)],
)
def test_energy_walks_at_random_and_does_not_drift(masses: Masses) -> None:
    """After M collisions a random walk by last bits has gone √M of its steps, less than EPS of the energy each.

    Shares of the impulse such as 1/3 or 1/127 are periodic in binary: their rounding can have a mean that is not zero.
    """
    collisions = 2_000_000
    sim = Simulation(three_disks(masses))
    start = energy(sim)
    sim.run(collisions=collisions)
    assert abs(float((energy(sim) - start) / start)) < 5.0 * EPS * math.sqrt(collisions)


def bounced(x: float, v: float, r: float, length: float, t: Fraction) -> float:
    """Where a ball is at a time that goes to and fro between walls at 0 and `length`, from exact arithmetic."""
    room = Fraction(length) - 2 * Fraction(r)
    way = (Fraction(x) - Fraction(r) + Fraction(v) * t) % (2 * room)
    return float(Fraction(r) + (way if way <= room else 2 * room - way))


@pytest.mark.requirement("T-08", "T-09")
def test_one_ball_is_where_it_should_be_after_a_day() -> None:
    """Flights between two walls are equally long, so that rounded times are off the same way again and again.

    220,000 flights, each off by at most half the last bit of the time of an epoch of some 100 s, 7e-15 s, at 1.1 m/s
    could add up to 2e-9 m; most of it cancels from one epoch to the next.
    """
    t = 123_457.0
    sim = Simulation(
        Scene(boundary=Box(size=(2.0, 1.0)), balls=[Ball(position=(0.5, 0.3), velocity=(0.7, 1.1), radius=0.1)])
    ).run(until=t)
    there = [bounced(0.5, 0.7, 0.1, 2.0, Fraction(t)), bounced(0.3, 1.1, 0.1, 1.0, Fraction(t))]
    assert sim.positions[0] == pytest.approx(there, abs=2e-11)


@pytest.mark.requirement("T-08", "T-09")
def test_one_ball_that_moves_among_many_at_rest_keeps_its_digits() -> None:
    """An epoch by events alone would last 64 events of each ball, of which all but one have none."""
    count, t = 200, 30_000.0
    position = np.stack([np.full(count, 1.9), 0.004 * np.arange(count) + 0.1], axis=1)
    position[0] = 0.5, 0.3
    velocity = np.zeros((count, 2))
    velocity[0] = 0.0, 1.1
    balls = Balls(position=position, velocity=velocity, radius=0.001)
    sim = Simulation(Scene(boundary=Box(size=(2.0, 1.0)), balls=balls)).run(until=t)
    assert sim.positions[0] == pytest.approx([0.5, bounced(0.3, 1.1, 0.001, 1.0, Fraction(t))], abs=2e-10)


@pytest.mark.requirement("T-08")
def test_a_ball_that_is_set_in_motion_later_keeps_its_digits() -> None:
    """Nothing moves at first, so that the first epoch has no end by time; setting a ball in motion gives it one."""
    t = 30_000.0
    sim = Simulation(Scene(boundary=Box(size=(2.0, 1.0)), balls=[Ball(position=(0.5, 0.3), radius=0.1)]))
    sim.run(until=1.0)
    sim.change(0, velocity=(0.7, 1.1))
    sim.run(until=t)
    gone = Fraction(t) - 1
    there = [bounced(0.5, 0.7, 0.1, 2.0, gone), bounced(0.3, 1.1, 0.1, 1.0, gone)]
    assert sim.positions[0] == pytest.approx(there, abs=2e-11)
