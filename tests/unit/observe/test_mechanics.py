"""Energy, momentum and their kin, on motions that are known."""

import numpy as np
import pytest

from carom import Ball, Box, Link, Recording, Scene, Simulation
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


TOWER = Scene(
    gravity=(0.0, -10.0),
    balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(0.0, 1.0)), Ball(position=(4.0, 9.0), fixed=True)],
    links=[Link(between=(0, 1), stiffness=1000.0, length=1.0, breaking=0.5)],
)


@pytest.mark.requirement("M-16")
def test_the_height_of_a_tower_is_measured_and_recorded(tmp_path):
    """A mass on a spring sinks to and fro about L - m g/k; the ball that nothing holds does not count."""
    sim = Simulation(TOWER, step=1e-3)
    with sim.record(tmp_path / "tower.h5", every=0.05, observables=["height"]):
        sim.run(until=1.0)
    with Recording(tmp_path / "tower.h5") as recording:
        heights = recording.observables["height"].values
    assert len(heights) == 21
    assert heights[0] == 1.0
    assert 0.98 <= heights.min() < 0.981
    assert heights[-1] == sim.height == observable("height").sample(sim)
    assert float(sim.measure(["height"], every=0.05, until=2.0).samples["height"].max()) <= 1.0


@pytest.mark.requirement("M-16")
def test_what_has_broken_off_or_is_not_born_is_no_part_of_the_tower():
    sim = Simulation(TOWER, step=1e-3)
    sim.push(1, (0.0, 30.0))
    assert observable("height").sample(sim.run(until=1.0)) == 0.0
    born = TOWER.balls.replace(born=[0.0, 5.0, 0.0])
    values = Simulation(TOWER.replace(balls=born), step=1e-3).measure(["height"], every=0.5, until=1.0)
    assert float(values.samples["height"].max()) == 0.0
