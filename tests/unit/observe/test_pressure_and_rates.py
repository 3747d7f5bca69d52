"""Pressure and rates of motions that can be worked out by hand, and of scenes that have none."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, Link, Scene, Simulation, library
from carom.errors import ArgumentError
from carom.observe.measures.rates import species
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08")


def measured(sim, name, duration):
    each = observable(name)
    each.begin(sim)
    each.collide(sim.collide(until=sim.time + duration))
    return each.sample(sim)


def test_one_ball_between_two_walls():
    """It hits a wall every (L - 2 R)/v, and gives it 2 m v: over both walls p = m v² / ((L - 2 R) A) on each."""
    ball = Ball(position=(0.5, 0.5), velocity=(0.8, 0.0), mass=3.0, radius=0.1)
    sim = Simulation(Scene(boundary=Box(size=(1, 1)), balls=[ball]))
    count = 50
    found = measured(sim, "wall_pressure", count * 0.8 / 0.8)
    given = count * 2.0 * 3.0 * 0.8
    assert found == pytest.approx(given / (4 * 0.8 * count))  # four walls, each as long as the centre can go


@pytest.mark.parametrize("radii", [(0.1, 0.1), (0.05, 0.15)], ids=["equal", "unequal"])
def test_rows_of_two_balls_in_a_ring(radii):
    """Two balls on a line meet head on, part, and meet round the ring: the free way is L - 2σ = 0.6 m each time."""
    starts = zip((0.25, 0.75), (0.5, -0.5), radii, strict=True)
    balls = [Ball(position=(x, 0.5), velocity=(v, 0.0), mass=1.0, radius=r) for x, v, r in starts]
    sim = Simulation(Scene(boundary=Box(size=(1, 1), periodic=True), balls=balls))
    every = 0.6  # it closes at 1 m/s
    assert measured(sim, "collision_rate", 30.0) == pytest.approx(1.0 / every, rel=0.02)
    assert measured(sim, "mean_free_time", 30.0) == pytest.approx(every, rel=0.02)
    assert measured(sim, "mean_free_path", 30.0) == pytest.approx(0.5 * every, rel=0.02)
    # Each collision has the virial σ · 2 m v = 0.2 J; k_B T is 2 E_k/(4 - 2) = 0.25 J.
    z = measured(sim, "compressibility", 30.0)
    assert z == pytest.approx(1.0 + 0.2 / every / (2 * 2 * 0.25), rel=0.02)
    assert measured(sim, "virial_pressure", 30.0) == pytest.approx(2 * 0.25 * z, rel=0.02)


def test_the_speed_of_the_free_path_is_that_of_both_ends():
    """Where collisions take energy, it falls in an interval: by half at each collision of the two."""
    balls = [Ball(position=(x, 0.5), velocity=(v, 0.0), mass=1.0, radius=0.1) for x, v in ((0.25, 0.5), (0.75, -0.5))]
    sim = Simulation(Scene(boundary=Box(size=(1, 1), periodic=True), balls=balls, restitution=0.5))
    found = measured(sim, "mean_free_path", 2.0)
    assert sim.collisions == 2  # after 0.3 s at 1 m/s, and 1.2 s later at 0.5 m/s
    assert found == pytest.approx(0.5 * (0.5 + 0.125) * 2 * 2.0 / 4, rel=1e-12)  # each is one of both balls


def test_both_pressures_of_a_gas_between_walls_agree():
    """The virial theorem, exactly: p_virial - p_wall is the change of Σ m r·v over d V t, with r from the middle."""
    sim = Simulation(library.load("gas", count=40, packing_fraction=0.3, periodic=False, seed=6))
    sim.run(collisions=400)
    middle = 0.5 * np.array(sim.scene.boundary.size)

    def reach():
        return float((sim.masses[:, None] * (sim.positions - middle) * sim.velocities).sum())

    one, other = observable("virial_pressure"), observable("wall_pressure")
    one.begin(sim)
    other.begin(sim)
    begin, before = sim.time, reach()
    rows = sim.collide(collisions=3000)
    one.collide(rows)
    other.collide(rows)
    difference = (reach() - before) / (2.0 * one.room * (sim.time - begin))
    p, q = one.sample(sim), other.sample(sim)
    assert p - q == pytest.approx(difference, abs=1e-9 * p)
    assert abs(difference) > 1e-6 * p  # it is there to be seen


@pytest.mark.parametrize(("dimension", "unit"), [(2, "N/m"), (3, "Pa")])
def test_units_are_those_of_the_dimension(dimension, unit):
    sim = Simulation(library.load("gas", count=20, packing_fraction=0.1, dimension=dimension, periodic=False, seed=1))
    each = {
        name: observable(name) for name in ("virial_pressure", "wall_pressure", "compressibility", "density_profile")
    }
    for one in each.values():
        one.begin(sim)
    assert each["virial_pressure"].unit == each["wall_pressure"].unit == unit
    assert each["compressibility"].unit == ""
    assert each["density_profile"].unit == ("1/m²" if dimension == 2 else "1/m³")


def test_species_are_numbered_as_they_appear():
    balls = Balls(position=np.arange(10.0).reshape(5, 2), mass=[2, 1, 2, 1, 3], radius=0.1)
    kinds, count = species(Scene(balls=balls))
    assert kinds.tolist() == [0, 1, 0, 1, 2]
    assert count == 3


def test_rates_between_species_are_of_one_piece():
    sim = Simulation(library.load("gas", count=200, packing_fraction=0.2, fraction=0.25, mass_ratio=4.0, seed=8))
    kinds, _ = species(sim.scene)
    many = np.bincount(kinds)
    each = observable("rates_by_species")
    other = observable("collision_rate")
    for one in (each, other):
        one.begin(sim)
    rows = sim.collide(until=sim.time + 1.0)
    for one in (each, other):
        one.collide(rows)
    table, rate = each.sample(sim), other.sample(sim)
    np.testing.assert_allclose(many[0] * table[0, 1], many[1] * table[1, 0])
    assert (many * table.sum(axis=1)).sum() / many.sum() == pytest.approx(rate)


def test_too_many_species_are_refused():
    balls = Balls(position=np.arange(40.0).reshape(20, 2), mass=np.arange(20) + 1.0)
    with pytest.raises(ArgumentError, match=r"20 species of balls, more than 16. Use collision_rate"):
        species(Scene(balls=balls))


@pytest.mark.parametrize(
    ("name", "scene", "words"),
    [
        (
            "wall_pressure",
            Scene(boundary=Box(size=(1, 1), periodic=True), balls=[Ball(position=(0.5, 0.5))]),
            "no walls",
        ),
        ("virial_pressure", Scene(balls=[Ball(position=(0.5, 0.5))]), "open boundary has no volume"),
        (
            "compressibility",
            Scene(
                boundary=Box(size=(1, 1)),
                balls=[Ball(position=(0.2, 0.5)), Ball(position=(0.6, 0.5))],
                links=[Link(between=(0, 1), stiffness=1.0)],
            ),
            "the scene has links",
        ),
        (
            "virial_pressure",
            Scene(boundary=Box(size=(1, 1)), balls=[Ball(position=(0.5, 0.5), fixed=True)]),
            "the scene has fixed balls",
        ),
    ],
)
def test_scenes_without_a_pressure_say_so(name, scene, words):
    with pytest.raises(ArgumentError, match=words):
        observable(name).begin(Simulation(scene))


def test_fixed_balls_count_as_partners_only():
    balls = [Ball(position=(0.5, 0.5), radius=0.1, fixed=True), Ball(position=(0.2, 0.5), velocity=(1, 0), radius=0.1)]
    sim = Simulation(Scene(boundary=Box(size=(1, 1), periodic=True), balls=balls))
    rows = sim.collide(until=3.0)
    each = observable("collision_rate")
    sim = Simulation(sim.scene)
    assert measured(sim, each.name, 3.0) == pytest.approx(len(rows) / 3.0)
