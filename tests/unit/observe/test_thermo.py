"""Degrees of freedom, and with them temperature."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, Circle, Scene, Simulation, library
from carom.observe.measures.geometry import conserved_axes, volume, wall_area
from carom.observe.measures.thermo import BOLTZMANN, thermal
from carom.observe.observable import observable

pytestmark = pytest.mark.requirement("T-08", "T-19")


def scene_of(boundary, dimension=2, count=12, **more):
    rng = np.random.default_rng(7)
    grid = np.stack(np.meshgrid(*[np.arange(3) + 1.0] * dimension), axis=-1).reshape(-1, dimension)[:count]
    velocity = rng.standard_normal((len(grid), dimension))
    balls = Balls(position=grid, velocity=velocity, mass=rng.uniform(1.0, 2.0, len(grid)), radius=0.1)
    return Scene(boundary=boundary, balls=balls, **more)


@pytest.mark.parametrize(
    ("boundary", "more", "lost"),
    [
        (Box(size=(4, 4)), {}, 0),
        (Box(size=(4, 4), periodic=True), {}, 2),
        (Box(size=(4, 4), periodic=(True, False)), {}, 1),
        (Box(size=(4, 4), periodic=(True, False)), {"gravity": (0.0, -9.81)}, 1),
        (Box(size=(4, 4), periodic=True), {"obstacles": [Circle(centre=(1.5, 1.5), radius=0.1)]}, 0),
        (Circle(centre=(2, 2), radius=4), {}, 1),
        (Circle(centre=(2, 2), radius=4), {"gravity": (0.0, -9.81)}, 0),
    ],
)
def test_degrees_of_freedom_in_the_plane(boundary, more, lost):
    sim = Simulation(scene_of(boundary, **more))
    assert thermal(sim).freedom == 2 * len(sim.scene.balls) - lost


@pytest.mark.parametrize(
    ("boundary", "lost"),
    [
        (Box(size=(4, 4, 4)), 0),
        (Box(size=(4, 4, 4), periodic=True), 3),
        (Circle(centre=(2, 2, 2), radius=5), 3),
    ],
)
def test_degrees_of_freedom_in_space(boundary, lost):
    sim = Simulation(scene_of(boundary, 3))
    assert thermal(sim).freedom == 3 * len(sim.scene.balls) - lost


def test_a_fixed_ball_has_no_heat_and_holds_momentum():
    scene = scene_of(Box(size=(4, 4), periodic=True))
    fixed = Ball(position=(0.5, 0.5), radius=0.1, fixed=True)
    sim = Simulation(scene.replace(balls=[scene.balls, fixed]))
    assert thermal(sim).freedom == 2 * len(scene.balls)
    assert not conserved_axes(sim.scene).any()


def test_common_motion_is_no_heat():
    """A gas that drifts is as hot as one that does not; in a box with walls the same motion counts."""
    still = library.load("gas", count=50, packing_fraction=0.1, seed=2)
    balls = still.balls
    drifting = still.replace(balls=balls.replace(velocity=balls.velocity + np.array([10.0, -3.0])))
    one, other = (observable("temperature").sample(Simulation(scene)) for scene in (still, drifting))
    assert other == pytest.approx(one, rel=1e-12)
    energy = 0.5 * (balls.mass * (balls.velocity**2).sum(axis=1)).sum()
    assert one == pytest.approx(2.0 * energy / (2 * 49), rel=1e-12)


def test_rotation_of_a_round_vessel_is_no_heat():
    scene = scene_of(Circle(centre=(2, 2), radius=4))
    arms = scene.balls.position - 2.0
    turning = scene.balls.velocity + 5.0 * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
    one, other = (
        observable("temperature").sample(Simulation(scene.replace(balls=scene.balls.replace(velocity=velocity))))
        for velocity in (scene.balls.velocity, turning)
    )
    assert other == pytest.approx(one, rel=1e-12)


def test_rotation_of_a_ball_in_space_is_no_heat():
    scene = scene_of(Circle(centre=(2, 2, 2), radius=5), 3)
    turning = scene.balls.velocity + np.cross([1.0, -4.0, 2.0], scene.balls.position - 2.0)
    one, other = (
        observable("temperature").sample(Simulation(scene.replace(balls=scene.balls.replace(velocity=velocity))))
        for velocity in (scene.balls.velocity, turning)
    )
    assert other == pytest.approx(one, rel=1e-12)


def test_kelvin():
    sim = Simulation(
        library.load("gas", count=30, packing_fraction=0.1, mass=6.6e-27, radius=1e-10, speed=1300.0, seed=1)
    )
    assert observable("kelvin").sample(sim) * BOLTZMANN == pytest.approx(observable("temperature").sample(sim))
    assert 100.0 < observable("kelvin").sample(sim) < 1000.0  # helium at this speed is not far from room temperature


def test_room_of_centres():
    box = scene_of(Box(size=(4, 5), periodic=(True, False)))
    assert volume(box, 0.1) == pytest.approx(4.0 * 4.8)
    assert wall_area(box, 0.1) == pytest.approx(8.0)
    ball = scene_of(Circle(centre=(2, 2, 2), radius=5), 3)
    assert volume(ball, 1.0) == pytest.approx(4.0 / 3.0 * np.pi * 64.0)
    assert wall_area(ball, 1.0) == pytest.approx(4.0 * np.pi * 16.0)
