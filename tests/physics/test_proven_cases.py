"""The cases of section 6.2 of the first source document, to machine precision (T-18).

Tolerances are counted in roundings: a velocity after a collision is the sum of a few products, each rounded by half a
unit in the last place.
"""

import math

import numpy as np
import pytest

from carom import Simulation, library

pytestmark = pytest.mark.requirement("T-18", "T-08")

EPS = np.finfo(float).eps


def after(sim, collisions):
    sim.run(collisions=collisions)
    return sim.velocities


def test_6_2_1_equal_balls_swap_their_velocities():
    sim = Simulation(library.load("central-vertical"))
    (first,) = sim.upcoming
    assert (first.kind, first.partners) == ("ball-ball", (0, 1))
    assert first.time == pytest.approx((0.15 - 0.01 - 0.02) / 0.6, rel=4 * EPS)
    assert after(sim, 1) == pytest.approx(np.array([(0.0, -0.1), (0.0, 0.5)]), abs=2 * EPS * 0.5)
    # Nothing sideways, not by one bit.
    assert (sim.velocities[:, 0] == 0.0).all()
    assert sim.kinetic_energy == pytest.approx(0.5 * 0.01 * (0.5**2 + 0.1**2), rel=4 * EPS)


@pytest.mark.requirement("M-11", "T-13")
def test_6_2_2_unequal_masses():
    sim = Simulation(library.load("central-horizontal"))
    energy = sim.kinetic_energy
    (first,) = sim.upcoming
    assert first.partners == (2, 3)
    assert first.time == pytest.approx((0.35 - 0.1 - 0.03) / 0.2, rel=4 * EPS)
    velocities = after(sim, 1)
    assert velocities[2:] == pytest.approx(np.array([(-0.1 / 3.0, 0.0), (0.5 / 3.0, 0.0)]), abs=2 * EPS * 0.2)
    assert sim.kinetic_energy == pytest.approx(energy, rel=4 * EPS)
    # The equal pair above it swaps a little later.
    assert after(sim, 1)[:2] == pytest.approx(np.array([(-0.1, 0.0), (0.1, 0.0)]), abs=2 * EPS * 0.2)


@pytest.mark.requirement("T-12")
def test_6_2_3_three_bodies():
    sim = Simulation(library.load("three-bodies"))
    energy = sim.kinetic_energy
    together = sim.upcoming
    assert [each.partners for each in together] == [(0, 2), (1, 2)]
    assert together[0].time == together[1].time
    # |(0.125 - 0.1 t, 0.125 - 0.1 t)| = 0.02
    assert together[0].time == pytest.approx((0.125 - 0.02 / math.sqrt(2.0)) / 0.1, rel=4 * EPS)
    velocities = after(sim, 2)
    assert sim.time == together[0].time
    assert velocities == pytest.approx(np.array([(0.0, 0.1), (0.0, 0.1), (0.0, -0.1)]), abs=4 * EPS * 0.2)
    assert sim.kinetic_energy == pytest.approx(energy, rel=4 * EPS)


@pytest.mark.requirement("T-12")
def test_6_2_4_break():
    """The blow runs through the rack as pair collisions at one instant; nothing is lost on the way."""
    sim = Simulation(library.load("break"))
    energy, momentum = sim.kinetic_energy, sim.momentum
    first = sim.step()
    assert first.partners == (0, 15)
    assert first.time == pytest.approx((0.3 - 0.1 - 0.02) / 0.5, rel=4 * EPS)
    assert sim.velocities[15] == pytest.approx((0.0, 0.0), abs=2 * EPS * 0.5)
    wave = list(sim.events(until=first.time + 1e-12))
    assert len(wave) >= 14  # each of the other balls is reached through its neighbours
    assert all(each.kind == "ball-ball" for each in wave)
    assert {ball for each in wave for ball in each.partners} >= set(range(15))
    assert np.abs(sim.momentum - momentum).max() <= 16 * EPS * np.abs(momentum).max()
    assert sim.kinetic_energy == pytest.approx(energy, rel=16 * EPS)
    # The rack is symmetrical about its axis, and so is the sum of what flies up and down.
    assert sim.momentum[1] == pytest.approx(0.0, abs=16 * EPS * momentum[0])


def test_energy_holds_far_better_than_the_original():
    """The original drifted by 1e-7. Each collision may move the energy by an ulp of what a ball has: a random walk."""
    sim = Simulation(library.load("break"))
    energy = sim.kinetic_energy
    collisions = 100_000
    sim.run(collisions=collisions)
    drift = abs(sim.kinetic_energy / energy - 1.0)
    assert drift < 8 * EPS * math.sqrt(collisions)  # 6e-13
