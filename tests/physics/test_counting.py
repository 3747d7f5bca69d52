"""Collisions that count: the digits of π, Newton's cradle, and many that fall together."""

import numpy as np
import pytest

from carom import Ball, Box, Open, Scene, Simulation, library

EPS = np.finfo(float).eps


@pytest.mark.requirement("T-08", "T-11", "T-13")
@pytest.mark.parametrize(("digits", "count"), [(0, 3), (1, 31), (2, 314), (3, 3141), (4, 31415)])
def test_galperins_billiard_counts_the_digits_of_pi(digits, count):
    """G. Galperin, "Playing pool with π", Regular and Chaotic Dynamics 8 (2003) 375-394: floor(10^n π) collisions."""
    sim = Simulation(library.load("galperin-pi", digits=digits))
    energy = sim.kinetic_energy
    seen = 0
    for each in sim.events(collisions=count + 10):
        if each.wall == "x+":
            break
        seen += 1
    assert seen == count
    # Two roundings of the heavy ball's speed a collision, at worst all in one direction.
    assert sim.kinetic_energy == pytest.approx(energy, rel=EPS * (count + 16))


@pytest.mark.requirement("T-12", "T-13")
@pytest.mark.parametrize("released", [1, 2, 3])
def test_newtons_cradle(released):
    """As many balls leave the row as came in, at the same speed, and the others stand."""
    sim = Simulation(library.load("newtons-cradle", count=5, released=released))
    while any(each.kind == "ball-ball" for each in sim.upcoming):
        sim.step()
    wanted = np.zeros((5, 2))
    wanted[5 - released :, 0] = 0.5
    assert sim.velocities == pytest.approx(wanted, abs=8 * EPS * 0.5)
    assert sim.collisions == released * (5 - released)


@pytest.mark.requirement("T-12", "T-10")
def test_all_collisions_that_fall_together_are_listed():
    """Four balls run at a fifth from four sides, and meet it at once; far away a sixth meets a wall later."""
    sides = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
    balls = [Ball(position=(0.5, 0.5), radius=0.03125)]
    balls += [Ball(position=(0.5 + 0.25 * x, 0.5 + 0.25 * y), velocity=(-x, -y), radius=0.03125) for x, y in sides]
    balls += [Ball(position=(0.0625, 0.0625), velocity=(-0.0625, 0.0), radius=0.03125)]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls))
    together = sim.upcoming
    assert [each.partners for each in together] == [(0, 1), (0, 2), (0, 3), (0, 4)]
    assert {each.time for each in together} == {0.1875}
    # Resolved as a sequence of pairs, and nothing is lost.
    energy, momentum = sim.kinetic_energy, sim.momentum
    sim.run(until=0.1875)
    assert sim.collisions >= 4
    assert sim.kinetic_energy == pytest.approx(energy, rel=8 * EPS)
    assert sim.momentum == pytest.approx(momentum, abs=8 * EPS)
    assert sim.upcoming[0].time > 0.1875


@pytest.mark.requirement("T-12")
def test_a_ball_meets_two_walls_of_a_corner_at_once():
    balls = [Ball(position=(0.5, 0.5), velocity=(-0.25, -0.25), radius=0.125)]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls))
    assert [(each.time, each.wall, each.partners) for each in sim.upcoming] == [(1.5, "x-", (0,)), (1.5, "y-", (0,))]
    sim.run(until=1.5)
    assert (sim.collisions, sim.velocities.tolist()) == (2, [[0.25, 0.25]])


@pytest.mark.requirement("T-12")
def test_order_of_a_tie_is_kind_then_numbers():
    """Two pairs and two walls at the same instant: pairs first, each by the balls' numbers."""
    xs = [(0.125, -1), (0.375, 1), (0.625, -1), (0.875, 1)]
    balls = [Ball(position=(x, 0.5), velocity=(v, 0.0), radius=0.0625) for x, v in xs]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls))
    expected = [((1, 2), None), ((0,), "x-"), ((3,), "x+")]
    assert [(each.partners, each.wall) for each in sim.upcoming] == expected
    assert [(each.partners, each.wall) for each in sim.events(collisions=3)] == expected


def test_upcoming_is_what_comes():
    """What is foretold is what happens: time, partners, place, normal and impulse."""
    sim = Simulation(library.load("gas", count=30, packing_fraction=0.3, periodic=False, seed=3))
    for _ in range(300):
        foretold = sim.upcoming[0]
        came = sim.step()
        assert (came.time, came.kind, came.partners, came.wall) == (
            foretold.time, foretold.kind, foretold.partners, foretold.wall,
        )  # fmt: skip
        assert came.place == pytest.approx(foretold.place, abs=1e-15)
        assert came.normal == pytest.approx(foretold.normal, abs=1e-12)
        assert came.impulse == pytest.approx(foretold.impulse, rel=1e-9)


def test_two_that_never_meet():
    balls = [Ball(position=(0.0, 0.0), velocity=(1.0, 0.0)), Ball(position=(1.0, 0.0), velocity=(1.0, 0.0))]
    sim = Simulation(Scene(boundary=Open(), balls=balls))
    assert sim.upcoming == []
    assert sim.step() is None
    assert sim.run(until=5.0).positions.tolist() == [[5.0, 0.0], [6.0, 0.0]]
