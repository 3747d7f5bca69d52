"""No size limit in either direction (T-14): nanometres, metres and kilometres do the same."""

import numpy as np
import pytest

from carom import Balls, Box, Circle, Polygon, Scene, Simulation, library

pytestmark = pytest.mark.requirement("T-14")

EPS = np.finfo(float).eps


def scaled(scene, length):
    """The scene with all lengths, and so all velocities, multiplied; times stay."""
    balls = scene.balls
    boundary = scene.boundary
    if isinstance(boundary, Box):
        boundary = Box(size=tuple(length * s for s in boundary.size), periodic=boundary.periodic)
    elif isinstance(boundary, Polygon):
        boundary = Polygon(
            vertices=[(length * x, length * y) for x, y in boundary.vertices],
            holes=[
                Circle(centre=tuple(length * c for c in h.centre), radius=length * h.radius) for h in boundary.holes
            ],
        )
    return Scene(
        boundary=boundary,
        balls=Balls(
            position=length * balls.position,
            velocity=length * balls.velocity,
            mass=balls.mass,
            radius=length * balls.radius,
        ),
    )


POLYGON = Scene(
    boundary=Polygon(
        vertices=[(0.0, 0.0), (1.0, 0.0), (1.2, 0.7), (0.6, 0.4), (0.1, 0.8)],
        holes=[Circle(centre=(0.9, 0.4), radius=0.0625)],
    ),
    balls=Balls(
        position=[(0.2, 0.2), (0.4, 0.1), (0.7, 0.2), (0.2, 0.5)],
        velocity=[(0.5, 0.3), (-0.2, 0.4), (0.1, -0.6), (0.3, 0.1)],
        radius=0.03125,
    ),
)

SCENES = [
    pytest.param(library.load("break"), id="break"),
    pytest.param(library.load("gas", count=40, packing_fraction=0.3, seed=10), id="periodic gas"),
    pytest.param(POLYGON, id="polygon"),
]


@pytest.mark.parametrize(
    "power", [-30, 10, -200, 200], ids=["nanometres", "kilometres", "absurdly small", "absurdly large"]
)
@pytest.mark.parametrize("scene", SCENES)
def test_scaled_by_a_power_of_two_it_is_the_same_bits(scene, power):
    factor = 2.0**power
    metres, other = Simulation(scene), Simulation(scaled(scene, factor))
    for _ in range(4):
        metres.run(collisions=100)
        other.run(collisions=100)
        assert other.time == metres.time
        assert other.collisions_by_kind == metres.collisions_by_kind
        assert (other.positions == factor * metres.positions).all()
        assert (other.velocities == factor * metres.velocities).all()


@pytest.mark.parametrize("length", [1e-9, 1e3])
def test_the_break_in_nanometres_and_in_kilometres(length):
    """Scaled by a power of ten all numbers are rounded anew, and a rack magnifies that; at first it is the same."""
    metres, other = (Simulation(scaled(library.load("central-horizontal"), k)) for k in (1.0, length))
    metres.run(until=10.0)
    other.run(until=10.0)
    assert other.collisions == metres.collisions > 8
    assert other.positions == pytest.approx(length * metres.positions, rel=1e-12)


@pytest.mark.parametrize("time", [2.0**-40, 2.0**40])
def test_slow_and_fast_worlds(time):
    """Velocities multiplied by a power of two: the same places, at times divided by it."""
    scene = library.load("gas", count=40, packing_fraction=0.3, periodic=False, seed=11)
    balls = scene.balls
    fast = Balls(position=balls.position, velocity=time * balls.velocity, mass=balls.mass, radius=balls.radius)
    one, two = Simulation(scene).run(collisions=400), Simulation(scene.replace(balls=fast)).run(collisions=400)
    assert two.time * time == one.time
    assert (two.positions == one.positions).all()
    assert (two.velocities == time * one.velocities).all()
