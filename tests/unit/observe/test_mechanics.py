"""Energy, momentum and their kin, on motions that are known."""

import numpy as np
import pytest

from carom import Ball, Box, Scene, Simulation
from carom.observe.observable import observable


def test_angular_momentum_of_a_collision_in_the_open():
    balls = [
        Ball(position=(0, 0.3), velocity=(2, 0), mass=2.0, radius=0.5),
        Ball(position=(3, 0), velocity=(-1, 0.2), mass=1.0, radius=0.5),
    ]
    sim = Simulation(Scene(balls=balls))
    before = observable("angular_momentum").sample(sim)
    assert before == pytest.approx(-0.3 * 2.0 * 2.0 + 3.0 * 0.2)
    sim.run(until=3.0)
    assert sim.collisions == 1
    assert observable("angular_momentum").sample(sim) == pytest.approx(before, rel=1e-13)


def test_angular_momentum_in_space_is_a_vector():
    ball = Ball(position=(1, 2, 3), velocity=(-1, 0.5, 2), mass=3.0)
    sim = Simulation(Scene(balls=[ball]))
    expected = 3.0 * np.cross((1, 2, 3), (-1, 0.5, 2))
    np.testing.assert_allclose(observable("angular_momentum").sample(sim), expected)


def test_the_centre_of_mass_goes_straight_on_through_seams():
    balls = [
        Ball(position=(0.2, 0.5), velocity=(1.0, 0.1), mass=2.0, radius=0.05),
        Ball(position=(0.7, 0.5), velocity=(-0.3, 0.0), mass=1.0, radius=0.05),
    ]
    sim = Simulation(Scene(boundary=Box(size=(1, 1), periodic=True), balls=balls))
    centre = observable("centre_of_mass")
    before, drift = centre.sample(sim), sim.momentum / 3.0
    sim.run(until=20.0)
    assert sim.collisions > 5
    np.testing.assert_allclose(centre.sample(sim), before + 20.0 * drift, rtol=1e-12)


def test_energies_are_those_of_the_run():
    sim = Simulation(Scene(gravity=(0, -9.81), balls=[Ball(position=(0, 5), velocity=(1, 0), mass=2.0)]))
    sim.run(until=0.5)
    assert observable("energy").sample(sim) == pytest.approx(2.0 * 9.81 * 5.0 + 1.0)
    kinetic, potential = (observable(name).sample(sim) for name in ("kinetic_energy", "potential_energy"))
    assert kinetic + potential == observable("energy").sample(sim)
    assert kinetic == pytest.approx(1.0 + (9.81 * 0.5) ** 2)
