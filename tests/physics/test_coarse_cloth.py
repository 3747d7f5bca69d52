"""A cloth lies on what is narrower than its mesh, and hands on to its corners what it meets between them."""

import warnings

import numpy as np
import pytest

from carom import Ball, Block, Circle, Cloth, Cylinder, HalfSpace, Scene, Simulation, Wedge
from carom.errors import StepWarning
from carom.solvers.stepped.regions.mesh import MOST, longest_edges

G = 9.81
COUNT = 6
MESH = 1.0 / (COUNT - 1)
CORNERS = np.array(((-1.0, 0.0, -1.0), (1.0, 0.0, -1.0), (0.0, 0.0, 1.5)))


def over(*obstacles, **more):
    """A cloth of 1 m with a mesh of 0.2 m, 0.1 m over the origin; no corner of it is over the z axis."""
    cloth = Cloth(
        corner=(-0.5, 0.1, -0.5),
        sides=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        counts=(COUNT, COUNT),
        stiffness=300.0,
        damping=0.2,
    )
    return Scene(gravity=(0.0, -G, 0.0), restitution=0.0, obstacles=obstacles, structures=[cloth], **more)


def samples(sim, fine=12):
    """Places all over the cloth, m."""
    x = sim.positions[sim.scene.triangles]
    shares = np.array([(i, j, fine - i - j) for i in range(fine + 1) for j in range(fine + 1 - i)]) / fine
    return np.einsum("sc,tcd->tsd", shares, x).reshape(-1, 3)


BALL = Circle(centre=(0.0, 0.0, 0.0), radius=0.06)
BAR = Block(low=(-0.05, -0.05, -2.0), high=(0.05, 0.05, 2.0))
POST = Block(low=(-0.05, -2.0, -0.05), high=(0.05, 0.05, 0.05))
KNIFE = Wedge(slope=1.0, intercept=0.0, x=(-0.2, 0.05), bottom=-2.0)
WITHIN = {
    "ball": (BALL, lambda x: BALL.radius - np.linalg.norm(x, axis=1)),
    "bar": (BAR, lambda x: 0.05 - np.maximum(np.abs(x[:, 0]), np.abs(x[:, 1]))),
    "post": (POST, lambda x: 0.05 - np.maximum(np.maximum(np.abs(x[:, 0]), np.abs(x[:, 2])), x[:, 1])),
}


@pytest.mark.requirement("M-08", "M-14")
@pytest.mark.parametrize("name", WITHIN)
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "in a pile"])
def test_what_is_narrower_than_the_mesh_does_not_come_through(name, beside):
    """Half as wide as the mesh at most: without feelers the corners would fall past it on all sides."""
    obstacle, depth = WITHIN[name]
    more = {"balls": [Ball(position=(0.2, 0.5, 0.2), radius=0.02, mass=0.005)]} if beside else {}
    sim = Simulation(over(obstacle, **more), contacts="pile" if beside else "impacts")
    deepest = -np.inf
    for t in np.arange(0.02, 0.6, 0.02):
        x = samples(sim.run(until=t))
        deepest = max(deepest, depth(x).max())
        above = x[np.hypot(x[:, 0], x[:, 2]) < 0.05]
        assert not len(above) or above[:, 1].min() > 0.0
    # Between two feelers, which are no farther apart than its half width, it may stand out by a part of that.
    assert deepest < 0.4 * obstacle.half_width
    assert deepest > -0.02  # it has been there


@pytest.mark.requirement("M-08")
def test_a_fast_cloth_does_not_jump_over_it():
    """At 400 m/s the cloth comes 0.2 m in a step, and the ball is 0.12 m wide."""
    scene = over(BALL)
    fast = scene.balls.replace(velocity=scene.balls.velocity - (0.0, 400.0, 0.0))
    x = samples(Simulation(scene.replace(balls=fast), step=5e-4).run(until=5e-4))
    assert x[:, 1].min() == pytest.approx(-0.1, abs=1e-3)
    assert x[np.hypot(x[:, 0], x[:, 2]) < 0.04][:, 1].min() > 0.0


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_blow_between_the_corners_takes_what_the_law_of_impact_says(e):
    """On a triangle that falls flat on a small ball: ½ m (1 - e²) u², with 1/m = Σ s²/mₖ at the place of the blow.

    The feeler that is hit is the one right above, with shares of 1/3.
    """
    mass = (0.1, 0.2, 0.3)
    corners = [Ball(position=x, velocity=(0.0, -2.0, 0.0), mass=m) for x, m in zip(CORNERS, mass, strict=True)]
    middle = CORNERS.mean(axis=0)
    scene = Scene(
        restitution=e,
        balls=corners,
        triangles=[(0, 1, 2)],
        obstacles=[Circle(centre=middle - (0.0, 0.805, 0.0), radius=0.5)],
    )
    assert 5 * 0.5 < longest_edges(scene).max() < 6 * 0.5  # so that there are feelers at thirds
    sim = Simulation(scene, step=0.01).run(until=0.16)
    soft = sum(1.0 / 9.0 / m for m in mass)
    lost = 0.5 * (1.0 - e * e) * 4.0 / soft
    assert sim.account.lost["restitution"] == pytest.approx(lost, rel=1e-12, abs=1e-14)
    assert abs(sim.account.error) < 1e-13
    J = (1.0 + e) * 2.0 / soft
    assert sim.velocities[:, 1] == pytest.approx([-2.0 + J / 3.0 / m for m in mass], rel=1e-12)


@pytest.mark.requirement("M-08")
def test_the_account_closes_on_a_narrow_bar():
    sim = Simulation(over(BAR))
    sim.run(until=0.5)
    account = sim.account
    assert account.lost["restitution"] > 0.0
    # The error is that of the springs' integrator, as without anything to meet.
    free = Simulation(over(HalfSpace(point=(0.0, -100.0, 0.0), normal=(0.0, 1.0, 0.0)))).run(until=0.5).account
    assert abs(account.error) < 0.05 * account.lost["restitution"] + 10.0 * abs(free.error)


@pytest.mark.requirement("M-08")
def test_a_mesh_that_is_fine_enough_needs_no_feelers():
    for obstacle in (Circle(centre=(0.0, -1.0, 0.0), radius=0.3), HalfSpace(point=(0, 0, 0), normal=(0, 1, 0))):
        assert not Simulation(over(obstacle))._solver.walls.feelers
    assert Simulation(over(BALL))._solver.walls.feelers


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize(
    ("obstacle", "width"),
    [(Circle(centre=(0, -1, 0), radius=0.01), 0.02), (Block(low=(-1, -1, 0), high=(1, 0, 0.03)), 0.03),
     (Cylinder(centre=(3.0, 0.0), radius=0.02), 0.04)],
)  # fmt: skip
def test_what_is_too_narrow_even_for_feelers_is_told_beforehand(obstacle, width):
    with pytest.warns(StepWarning, match=rf"obstacles\[0\]: {width:g} m wide is narrow beside the mesh") as told:
        Simulation(over(obstacle))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation(over(Circle(centre=(0, -1, 0), radius=1.01 * np.sqrt(2.0) * MESH / MOST)))


def test_half_widths():
    assert KNIFE.half_width == pytest.approx(0.108, abs=1e-3)
    assert Circle(centre=(0, 0, 0), radius=2.0).half_width == 2.0
    assert BAR.half_width == pytest.approx(0.05)
    assert HalfSpace(point=(0, 0, 0), normal=(0, 1, 0)).half_width == np.inf


@pytest.mark.requirement("M-08")
def test_saved_in_the_middle_it_goes_on_to_the_same_bits(tmp_path):
    straight = Simulation(over(BALL)).run(until=0.4)
    half = Simulation(over(BALL)).run(until=0.2)
    half.save(tmp_path / "half.carom")
    resumed = Simulation.resume(tmp_path / "half.carom").run(until=0.4)
    assert resumed.positions.tobytes() == straight.positions.tobytes()
