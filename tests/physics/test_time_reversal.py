"""Hard balls move the same way forwards and backwards: turned round, a run comes back to its beginning."""

import math

import numpy as np
import pytest

from carom import Ball, Box, Circle, Polygon, Scene, Simulation, library
from reference.reversal import NUDGE, there_and_back, turned_round

EPS = np.finfo(float).eps
BOUNCES = 10_000
STAR = [(0.0, 0.0), (0.75, 0.35), (1.5, 0.0), (1.1, 0.75), (1.5, 1.5), (0.75, 1.1), (0.0, 1.5), (0.4, 0.75)]


def one(boundary, radius=0.05, **others):
    d = 3 if len(getattr(boundary, "centre", ())) == 3 else 2
    ball = Ball(position=(0.8, 0.7, 0.6)[:d], velocity=(1.0, 0.37, 0.21)[:d], radius=radius)
    return Scene(boundary=boundary, balls=[ball], **others)


def row(masses):
    """Balls on a line between two walls."""
    balls = [
        Ball(position=(0.2 + 0.2 * k, 0.5), velocity=(math.cos(k), 0.0), mass=mass, radius=0.05)
        for k, mass in enumerate(masses)
    ]
    return Scene(boundary=Box(size=(1.5, 1.0)), balls=balls)


# Without chaos. With each, how fast a velocity turns if the ball is a little ahead or behind, 1/s: by v/R or g/v.
BILLIARDS = {
    "box": (one(Box(size=(1.5, 1.0))), 0.0),
    "box, falling": (one(Box(size=(1.5, 1.0)), gravity=(0.0, -1.0)), 2.0),
    "triangle": (one(Polygon(vertices=[(0.0, 0.0), (3.0, 0.1), (0.3, 4.0)])), 0.0),
    "star": (one(Polygon(vertices=STAR), radius=0.0), 0.0),
    "circle": (one(Circle(centre=(0.75, 0.75), radius=0.75)), 2.0),
    "sphere": (one(Circle(centre=(0.75, 0.75, 0.75), radius=0.75)), 2.0),
    "row of two": (row([1.0, 2.0]), 0.0),
    "row of four": (row([1.0, 3.0, 0.5, 2.0]), 0.0),
    "row of equals": (row([1.0] * 6), 0.0),
}


def bounced_back(scene):
    """The run there, the run back, the greatest speed there can be, and how far rounding may move a ball."""
    there = Simulation(scene, neighbours="cells").run(collisions=BOUNCES)
    there.run(until=there.time + 1e-4)
    back = Simulation(turned_round(there.snapshot()), neighbours="cells").run(until=there.time)
    speed = math.sqrt(2.0 * height(there) / there.masses.min())
    return there, back, speed, 2.0 * BOUNCES * EPS * speed * there.time


def height(sim):
    """The energy, above that of all balls at rest on the floor."""
    return sim.energy + float(sim.masses @ sim.radii) * sim.scene.gravity[1]


@pytest.mark.requirement("T-08", "T-11", "T-13")
@pytest.mark.parametrize("name", BILLIARDS)
def test_ten_thousand_collisions_there_and_back(name):
    """Errors grow with the path, not exponentially.

    A collision rounds a velocity by about EPS of the speed. If all errors of n collisions there and n back had one
    sign, the velocity would be off by 2n EPS of the speed in the end, and the place by half of that over the whole
    path, 2L: by 2n EPS L. (Measured: a quarter of it at most.)
    """
    scene, turning = BILLIARDS[name]
    there, back, speed, blur = bounced_back(scene)
    assert back.collisions == there.collisions >= BOUNCES
    assert np.abs(back.positions - scene.balls.position).max() <= blur
    assert np.abs(back.velocities + scene.balls.velocity).max() <= 2.0 * BOUNCES * EPS * speed + turning * blur
    assert abs(back.energy - Simulation(scene).energy) <= 4.0 * BOUNCES * EPS * height(there)


@pytest.mark.parametrize("name", BILLIARDS)
def test_a_bounce_that_is_slightly_off_would_show(name):
    """With e = 1 - NUDGE all bounces err the same way, by far more than rounding does."""
    scene, _ = BILLIARDS[name]
    there, back, _, blur = bounced_back(scene.replace(restitution=1.0 - NUDGE))
    assert np.abs(back.positions - scene.balls.position).max() > blur
    assert abs(back.energy - Simulation(scene).energy) > 4.0 * BOUNCES * EPS * height(there)


@pytest.mark.requirement("T-11")
def test_walls_along_the_axes_give_the_very_velocities_back():
    scene, _ = BILLIARDS["box"]
    there = Simulation(scene, neighbours="cells").run(collisions=BOUNCES)
    back = Simulation(turned_round(there.snapshot()), neighbours="cells").run(until=there.time)
    assert (-back.velocities).tolist() == scene.balls.velocity.tolist()


# Collisions of 100 balls until an error of NUDGE is about to spoil the order of the collisions: 6, 14, 30, 50 and 12 a
# ball. In a dense gas the free path is short, and errors grow more slowly.
GASES = {
    "thin": ({"packing_fraction": 0.1}, 300),
    "gas": ({"packing_fraction": 0.3}, 700),
    "liquid": ({"packing_fraction": 0.5}, 1500),
    "dense": ({"packing_fraction": 0.65}, 2500),
    "mixture": (
        {"packing_fraction": 0.3, "periodic": False, "fraction": 0.5, "mass_ratio": 4.0, "radius_ratio": 2.0},
        600,
    ),
}


def gas(name):
    parameters, collisions = GASES[name]
    return library.load("gas", count=100, seed=3, **parameters), collisions


@pytest.mark.requirement("T-08", "T-11", "T-13")
@pytest.mark.parametrize("name", GASES)
def test_a_gas_there_and_back(name):
    scene, collisions = gas(name)
    result = there_and_back(Simulation, scene, collisions)
    assert result.back == result.there >= collisions
    assert result.allowed <= 1e-3 * scene.balls.radius.min()
    assert result.error <= result.allowed


@pytest.mark.parametrize("name", GASES)
def test_a_collision_that_is_slightly_off_would_show(name):
    """A hundred times the nudge less speed after a collision, and no gas comes back."""
    scene, collisions = gas(name)
    result = there_and_back(Simulation, scene.replace(restitution=1.0 - 100.0 * NUDGE), collisions)
    assert result.error > result.allowed
