"""The linearised motion, against two nearby runs and an orbit whose instability is known."""

import math

import numpy as np
import pytest

from carom import Ball, Box, Circle, Polygon, Scene, Simulation, library
from carom.errors import ArgumentError
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08")

TINY = 1e-9


def nearby(scene, until):
    """The tangent vector at a time, and the difference of two runs that began a tiny bit apart, over that bit."""
    d = scene.dimension
    sim, each = Simulation(scene), observable("lyapunov")
    each.begin(sim)
    balls = scene.balls
    shifted = balls.replace(
        position=balls.position + TINY * each.dq[:, :d], velocity=balls.velocity + TINY * each.dv[:, :d]
    )
    other = Simulation(scene.replace(balls=shifted), check=False)
    each.collide(sim.collide(until=until))
    other.run(until=until)
    assert sim.collisions == other.collisions > 3
    places = each.dq + each.dv * (until - each.times)[:, None]
    apart = other.positions - sim.positions
    if isinstance(scene.boundary, Box):
        size, around = np.array(scene.boundary.size), np.array(scene.boundary.periodic)
        apart -= np.where(around, np.round(apart / size) * size, 0.0)
    return places[:, :d], each.dv[:, :d], apart / TINY, (other.velocities - sim.velocities) / TINY


SCENES = {
    "periodic mixture": (
        library.load("gas", count=30, packing_fraction=0.2, fraction=0.4, mass_ratio=5.0, radius_ratio=2.0, seed=3),
        0.05,
    ),
    "walls and gravity": (
        library.load("gas", count=30, packing_fraction=0.2, periodic=False, seed=3).replace(gravity=(0.0, -9.81)), 0.05,
    ),
    "in space": (library.load("gas", count=30, packing_fraction=0.2, dimension=3, seed=3), 0.02),
    "losing energy": (
        library.load("gas", count=30, packing_fraction=0.2, periodic=False, seed=3).replace(restitution=0.8), 0.05,
    ),
    "in a circle": (
        Scene(
            boundary=Circle(centre=(0, 0), radius=1.0),
            balls=[Ball(position=(0.3, 0.1), velocity=(1.0, 0.4), radius=0.1), Ball(position=(-0.4, 0), radius=0.2)],
        ),
        6.0,
    ),
    "round obstacle in periodic space": (
        Scene(
            boundary=Box(size=(1, 1), periodic=True),
            obstacles=[Circle(centre=(0.02, 0.5), radius=0.2)],
            balls=[Ball(position=(0.5, 0.31), velocity=(1.0, 0.37), radius=0.05)],
        ),
        4.0,
    ),
    "corners and arcs": (
        Scene(
            boundary=Polygon(vertices=[(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], bulges=[0.2, 0, 0, 0, 0, 0.3]),
            balls=[Ball(position=(0.5, 0.5), velocity=(1.0, 0.93), radius=0.15)],
        ),
        8.0,
    ),
    "fixed ball and gravity": (
        Scene(
            boundary=Box(size=(1, 1)), gravity=(0.0, -2.0),
            balls=[
                Ball(position=(0.5, 0.3), radius=0.1, fixed=True),
                Ball(position=(0.45, 0.8), velocity=(0.3, 0.0), radius=0.05),
            ],
        ),
        4.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCENES)
def test_the_linearised_motion_is_the_limit_of_two_nearby_runs(name):
    """What is left is of second order, a tiny bit times how much has grown, and rounding over that bit."""
    places, velocities, apart, faster = nearby(*SCENES[name])
    scale = max(np.abs(places).max(), np.abs(velocities).max())
    allowed = 1e-2 * np.abs(velocities).max()
    assert np.abs(places - apart).max() < 1e-2 * np.abs(places).max()
    assert np.abs(velocities - faster).max() < allowed
    assert scale > 0.0


def test_an_orbit_between_two_discs():
    """To and fro between discs of radius R, L apart: ln(x + √(x² - 1)) a bounce, with x = 1 + L/R.

    The linear map of a bounce has the trace 2 + 2 L/R (N. Chernov and R. Markarian, Chaotic Billiards, ch. 3).
    """
    r, gap, speed, ball = 0.3, 0.7, 2.0, 0.1
    centres = [(2.0 - 0.5 * gap - r, 2.0), (2.0 + 0.5 * gap + r, 2.0)]
    scene = Scene(
        boundary=Box(size=(4, 4)),
        obstacles=[Circle(centre=centre, radius=r - ball) for centre in centres],
        balls=[Ball(position=(2, 2), velocity=(speed, 0), radius=ball, mass=0.3)],
    )
    sim, each = Simulation(scene), observable("lyapunov")
    each.begin(sim)
    for _ in range(6):
        each.collide(sim.collide(until=sim.time + 4.0 * gap / speed))
        found = each.sample(sim)
    x = 1.0 + gap / r
    assert found == pytest.approx(math.log(x + math.sqrt(x * x - 1.0)) * speed / gap, rel=1e-9)


def test_a_rectangle_is_not_chaotic():
    """Differences grow as the time, not exponentially: ln(T)/T, which goes to nothing."""
    scene = Scene(boundary=Box(size=(1, 0.7)), balls=[Ball(position=(0.3, 0.3), velocity=(1.0, 0.618), radius=0.1)])
    sim, each = Simulation(scene), observable("lyapunov")
    each.begin(sim)
    total = 0.0
    for _ in range(100):
        each.collide(sim.collide(until=sim.time + 10.0))
        total += each.sample(sim) * 10.0
    assert abs(total) / 1000.0 < 0.02


def test_a_very_long_interval_does_not_overflow():
    sim, each = Simulation(library.load("gas", count=20, packing_fraction=0.3, seed=3)), observable("lyapunov")
    each.begin(sim)
    each.collide(sim.collide(collisions=30_000))
    duration = sim.time
    once = each.sample(sim)
    assert once * duration > 800.0  # more than the exponent of any number
    again, parts = Simulation(sim.scene), observable("lyapunov")
    parts.begin(again)
    total = 0.0
    for _ in range(10):
        before = again.time
        parts.collide(again.collide(collisions=3000))
        total += parts.sample(again) * (again.time - before)
    assert once == pytest.approx(total / duration, rel=1e-6)


def test_forces_are_refused():
    scene = Scene(boundary=Box(size=(1, 1)), drag=0.1, balls=[Ball(position=(0.5, 0.5), velocity=(1, 0))])
    with pytest.raises(ArgumentError, match="the scene has drag, and only free flight"):
        observable("lyapunov").begin(Simulation(scene))
