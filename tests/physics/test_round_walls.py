"""Balls that slide along round walls: they stay inside, time goes on, and they move as on a circle."""

import numpy as np
import pytest

from carom import Ball, Box, Circle, Polygon, Scene, Simulation
from carom.errors import StackError
from reference.separation import deepest_overlap

EPS = np.finfo(float).eps
SLACK = 65536 * EPS
STADIUM = Polygon(vertices=[(0.5, 0.0), (1.5, 0.0), (1.5, 1.0), (0.5, 1.0)], bulges=(0.0, 1.0, 0.0, 1.0))
PILLAR = Circle(centre=(1.3, 0.2), radius=0.2)
LENS = Polygon(vertices=[(0.0, 0.0), (2.0, 0.0), (2.0, 1.0)], bulges=(0.3, 0.5, 0.4), holes=[PILLAR])
ROUND = {"stadium": STADIUM, "lens": LENS, "circle": Circle(centre=(1.0, 0.5), radius=0.5)}


def one(boundary, position, velocity, radius, **more):
    """A single ball."""
    ball = Ball(position=tuple(position), velocity=tuple(velocity), radius=radius)
    return Simulation(Scene(boundary=boundary, balls=[ball], **more), solver="exact")


def tangential(dimension, rng):
    """A direction, and one at a right angle to it."""
    normal = rng.normal(size=dimension)
    normal /= np.linalg.norm(normal)
    along = rng.normal(size=dimension)
    along -= (along @ normal) * normal
    return normal, along / np.linalg.norm(along)


@pytest.mark.requirement("B-03", "T-11")
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("inward", [0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6])
def test_who_starts_along_a_round_wall_stays_inside_and_time_goes_on(dimension, inward):
    """Touching at the start, along the wall or inward by a little: rounding decides on which side the ball begins.

    A hop of at least u = v √(2 slack/ρ) takes 2 ρ u/v².
    """
    rng = np.random.default_rng(4)
    for _ in range(40):
        normal, along = tangential(dimension, rng)
        sim = one(Circle(centre=(0.0,) * dimension, radius=1.0), 0.9 * normal, along - inward * normal, 0.1)
        energy = sim.kinetic_energy
        sim.run(until=1.0, collisions=200)
        assert sim.time > min(1.0, 199 * 2.0 * 0.9 * np.sqrt(2.0 * SLACK / 0.9) * 0.99)
        assert abs(np.linalg.norm(sim.positions[0]) - 0.9) < 1e-9
        assert abs(sim.kinetic_energy - energy) < 1e-13 * energy


@pytest.mark.requirement("T-08", "T-09")
@pytest.mark.parametrize("e", [1.0, 0.5, 0.0])
def test_sliding_along_a_circle_is_uniform_motion_on_it(e):
    """x = ρ (cos ωt, sin ωt), ω = v/ρ.

    Hops lie inside the circle by the slack, and their chords are shorter than the arcs by (u/v)²/6 of the way.
    """
    rho, v, radius = 0.5, 2.0, 0.25
    sim = one(Circle(centre=(0.0, 0.0), radius=rho + radius), (rho, 0.0), (0.0, v), radius, restitution=e)
    for quarter in (1, 2):
        time = quarter * np.pi / 2.0 * rho / v
        sim.run(until=time)
        wanted = rho * np.array([np.cos(v * time / rho), np.sin(v * time / rho)])
        assert np.abs(sim.positions[0] - wanted).max() < 10.0 * SLACK
    assert sim.kinetic_energy == pytest.approx(2.0, rel=1e-11)


@pytest.mark.requirement("B-03", "M-11", "T-08")
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("e", [0.95, 0.5, 0.0])
def test_what_is_left_in_a_round_room_is_what_turns(dimension, e):
    """Hits take the radial velocity, and leave the angular momentum: E = L²/2mρ² in the end, with m = 1."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        x, v = 0.2 * rng.normal(size=dimension), rng.normal(size=dimension)
        turning = np.linalg.norm(np.cross(np.append(x, 0.0)[:3], np.append(v, 0.0)[:3]))
        sim = one(Circle(centre=(0.0,) * dimension, radius=1.0), x, v, 0.1, restitution=e)
        sim.run(until=1000.0 / np.linalg.norm(v), collisions=20_000)
        assert sim.report.softened > 1000
        assert np.linalg.norm(sim.positions[0]) < 0.9 + 1e-9
        assert sim.kinetic_energy == pytest.approx(0.5 * (turning / 0.9) ** 2, rel=1e-9)


@pytest.mark.requirement("B-02", "B-03")
@pytest.mark.parametrize("height", [0.1, 0.1 + 1e-15, 0.1 + 1e-12, 0.1 + 1e-9])
@pytest.mark.parametrize("e", [1.0, 0.5, 0.0])
def test_who_rolls_along_an_edge_into_an_arc_follows_it(height, e):
    sim = one(STADIUM, (1.0, height), (1.0, 0.0), 0.1, restitution=e)
    sim.run(until=1.0, collisions=200_000)
    assert sim.time == 1.0
    assert sim.positions[0] == pytest.approx((1.5 + 0.4 * np.sin(0.5 / 0.4), 0.5 - 0.4 * np.cos(0.5 / 0.4)), abs=1e-4)
    assert deepest_overlap(sim.snapshot()) < 1e-10


@pytest.mark.requirement("B-02", "B-03")
@pytest.mark.parametrize("name", ROUND)
@pytest.mark.parametrize("gravity", [0.0, 1e-5, 1.0])
@pytest.mark.parametrize("e", [0.95, 0.5, 0.0])
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_crowds_that_lose_energy_stay_in_round_rooms(name, gravity, e, neighbours):
    """They end up along the walls, where a ball once slipped out; those that lie on each other may say so."""
    rng = np.random.default_rng(6)
    places = [(0.8, 0.35), (0.9, 0.45), (1.0, 0.6), (1.1, 0.5)]
    balls = [Ball(position=place, velocity=rng.normal(size=2), radius=0.03) for place in places]
    scene = Scene(boundary=ROUND[name], balls=balls, restitution=e, gravity=(0.0, -gravity))
    sim = Simulation(scene, neighbours=neighbours)
    for _ in range(20):
        try:
            sim.run(until=1000.0, collisions=2000)
        except StackError:
            assert gravity > 0.0
            break
        assert deepest_overlap(sim.snapshot()) < 1e-9


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("e", [1.0, 0.5])
def test_who_grazes_a_pin_goes_on(dimension, e):
    """It touches at the start and moves across the line of centres: rounding may say that it approaches."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        normal, along = tangential(dimension, rng)
        pin = Ball(position=(2.0,) * dimension, radius=0.5, fixed=True)
        ball = Ball(position=tuple(2.0 + 0.6 * normal), velocity=tuple(along), radius=0.1)
        sim = Simulation(Scene(boundary=Box(size=(4.0,) * dimension), balls=[pin, ball], restitution=e))
        sim.run(until=0.5, collisions=50)
        assert sim.time == 0.5
        assert sim.positions[1] == pytest.approx(2.0 + 0.6 * normal + 0.5 * along, abs=1e-9)


def falling(boundary, gravity, **more):
    """A ball that loses energy, as any user would write it."""
    return Simulation(Scene(boundary=boundary, balls=[Ball(position=(1.0, 0.6), radius=0.05)], gravity=gravity, **more))


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize(
    ("boundary", "gravity"),
    [
        (Box(size=(2.0, 2.0)), (-5.0, -9.81)),
        (Polygon(vertices=[(0.0, 1.0), (1.0, 0.0), (2.0, 1.0)]), (0.0, -9.81)),
        (Circle(centre=(1.0, 0.5), radius=0.5), (0.0, -9.81)),
        (STADIUM, (0.0, -9.81)),
    ],
    ids=["corner", "hopper", "bowl", "stadium"],
)
def test_who_comes_to_rest_where_two_walls_hold_it_is_solved_in_steps(boundary, gravity):
    sim = falling(boundary, gravity, restitution=0.5)
    assert sim.solver == "stepped"
    sim.run(until=4.0)
    assert np.abs(sim.velocities).max() < 0.05 or isinstance(boundary, Circle | Polygon)
    assert deepest_overlap(sim.snapshot()) < 1e-6


@pytest.mark.parametrize(
    ("boundary", "gravity", "more"),
    [
        (Box(size=(2.0, 2.0)), (0.0, -9.81), {"restitution": 0.5}),
        (Circle(centre=(1.0, 0.5), radius=0.5), (0.0, -9.81), {}),
        (Polygon(vertices=[(0.0, 0.0), (2.0, 0.0), (1.0, 2.0)]), (0.0, -9.81), {"restitution": 0.5}),
    ],
    ids=["floor", "bowl without loss", "tent"],
)
def test_where_one_floor_holds_it_or_nothing_is_lost_it_is_exact(boundary, gravity, more):
    assert falling(boundary, gravity, **more).solver == "exact"
