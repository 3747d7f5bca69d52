"""Scenes that once went wrong, or are of the kind that does. Each file beside this one tells its story."""

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest

from carom import Ball, Box, Scene, Simulation, library, load
from carom.errors import StackError

EPS = np.finfo(float).eps
HERE = Path(__file__).parent


def case(name):
    return load(HERE / f"{name}.toml")


@pytest.mark.parametrize("file", sorted(HERE.glob("*.toml")), ids=lambda file: file.stem)
def test_every_case_has_a_story(file):
    assert file.read_text(encoding="utf-8").startswith("# ")
    assert load(file).name


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_still_on_a_cell_face(neighbours):
    sim = Simulation(case("still-on-a-cell-face"), neighbours=neighbours)
    hit = sim.step()
    assert (hit.time, hit.partners) == (1.0, (0, 1))
    assert sim.velocities.tolist() == [[0.25, 0.0], [0.0, 0.0]]
    # Now the other one stands; the first goes round and hits it again, 0.75 m later.
    assert sim.step().time == pytest.approx(1.0 + 0.75 / 0.25, rel=4 * EPS)


@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_everyone_stands_still(neighbours):
    """No ball moves at all: times are 0/0 wherever one looks, and nothing ever happens."""
    balls = [Ball(position=(x, y), radius=0.0625) for x in (0.25, 0.5, 0.75) for y in (0.25, 0.5, 0.75)]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0), periodic=True), balls=balls), neighbours=neighbours)
    assert sim.upcoming == []
    assert sim.run(until=1e9).positions.tolist() == [list(b.position) for b in balls]
    assert sim.step() is None


def test_a_stack_is_named_not_run():
    sim = Simulation(case("stack"), solver="exact")
    with pytest.raises(StackError) as caught:
        sim.run(until=10.0)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert "stepped" in message
    assert sim.collisions < 100_000


def test_off_the_edge():
    """It rests after its first bounces, slides, and flies off: then the flight is the parabola from the table's end."""
    sim = Simulation(case("off-the-edge"))
    sim.run(until=0.75)
    assert sim.resting == (0,)
    assert sim.positions[0] == pytest.approx((0.5 + 1.5 * 0.75, 1.1), abs=8 * EPS)
    # The centre is above the end of the table at t = 1 s.
    sim.run(until=1.3)
    assert sim.resting == ()
    # At the end it is put beyond it by twice the slack of the walls.
    assert sim.positions[0] == pytest.approx((2.0 + 1.5 * 0.3, 1.1 - 0.5 * 9.81 * 0.3**2), abs=1e-9)
    sim.run(until=60.0)
    assert sim.resting == (0,)
    assert sim.positions[0, 1] == pytest.approx(0.1, abs=8 * EPS)
    assert 2.1 - 1e-12 <= sim.positions[0, 0] <= 3.9 + 1e-12


@pytest.mark.requirement("B-02")
@pytest.mark.parametrize("speed", [0.1, 0.5, 1.7])
def test_over_a_vertex_of_a_flat_floor(speed):
    """A floor of several edges in a line is one floor: a ball that slides over their ends notices nothing."""
    sim = Simulation(case("floor-in-pieces"))
    sim.change(0, velocity=(speed, 0.0))
    sim.run(until=2.5 / speed)
    assert sim.positions[0] == pytest.approx((3.0, 0.1), abs=1e-9)  # twice the slack of the walls at each vertex
    assert sim.velocities[0].tolist() == [speed, 0.0]
    assert sim.resting == (0,)


@pytest.mark.requirement("B-03")
@pytest.mark.parametrize(
    "e",
    [
        0.0,
        0.3,
        0.5,
        0.8,
    ],
)
def test_nobody_falls_out_of_a_bowl(e):
    """The exact solver may say that it cannot hold a ball at rest on a round wall; it may not lose it."""
    scene = case("bowl")
    rng = np.random.default_rng(1)
    for _ in range(20):
        radius = rng.uniform(0.01, 0.2)
        ball = Ball(position=(rng.uniform(-0.5, 0.5), 0.0), velocity=(rng.normal(), rng.normal()), radius=radius)
        sim = Simulation(scene.replace(balls=[*scene.balls, ball][rng.integers(2) :][:1], restitution=e))
        with contextlib.suppress(StackError):
            sim.run(until=30.0, collisions=100_000)
        assert np.hypot(*sim.positions[0]) <= 1.0 - sim.radii[0] + 1e-9


def test_round_the_edge_is_told():
    """Slower than √(g r) it would slide round the corner in touch with it, which the exact solver cannot hold."""
    scene = case("off-the-edge")
    slow = scene.balls.replace(velocity=[(0.5, 0.0)])
    sim = Simulation(scene.replace(balls=slow))
    with pytest.raises(StackError, match=r"ball 0 rests on .*a corner.* at t = 3 s.*stepped"):
        sim.run(until=10.0)


@pytest.mark.requirement("B-02", "B-03")
def test_point_into_a_corner():
    sim = Simulation(case("point-into-a-corner"))
    together = sim.upcoming
    assert {each.time for each in together} == {2.0}
    assert {"edge 1", "edge 2"} <= {each.wall for each in together}
    sim.run(until=4.0)
    assert sim.velocities.tolist() == [[-0.25, -0.25]]
    assert sim.positions.tolist() == [[0.5, 0.5]]
    sim.run(until=1000.0)
    assert ((sim.positions >= 0.0) & (sim.positions <= 1.0)).all()


@pytest.mark.requirement("B-02", "B-03")
def test_point_onto_a_reflex_corner():
    """Which of the three it meets is a matter of order; it stays inside, as fast as before."""
    sim = Simulation(case("point-onto-a-reflex-corner"))
    assert {each.wall for each in sim.upcoming} == {"edge 2", "edge 3", "corner 3"}
    assert sim.step().time == 1.0
    sim.run(until=1000.0)
    assert np.hypot(*sim.velocities[0]) == pytest.approx(0.25, rel=EPS * (sim.collisions + 4))
    Simulation(sim.snapshot())  # looks whether it is inside


def test_alone_in_periodic_space():
    sim = Simulation(case("alone-in-periodic-space"))
    assert sim.upcoming == []
    assert sim.step() is None
    assert sim.run(collisions=5).collisions == 0
    assert math.isfinite(sim.time)
    now = sim.time
    assert sim.run(until=now + 1.0).time == now + 1.0


def test_granular_gas():
    sim = Simulation(case("granular-gas"))
    energy = sim.kinetic_energy
    scale = float((sim.masses * np.linalg.norm(sim.velocities, axis=1)).sum())
    for _ in range(10):
        sim.run(collisions=30_000)
        assert 0.0 < sim.kinetic_energy < energy
        energy = sim.kinetic_energy
    assert sim.collisions == 300_000
    assert np.abs(sim.momentum).max() < EPS * 300_000 * scale
    assert np.isfinite(sim.positions).all()


@pytest.mark.requirement("B-03")
def test_snug():
    sim = Simulation(case("snug")).run(until=1000.0)
    # 2.75 m to the first end and 3.5 m to each of the next; the long walls are touched, but never approached.
    assert sim.collisions == 1 + int((1000.0 - 2.75) / 3.5)
    assert sim.positions[0, 1] == 0.25
    assert sim.velocities[0].tolist() in ([1.0, 0.0], [-1.0, 0.0])


def test_a_row_that_touches_is_struck_at_both_ends():
    """Newton's cradle from both sides at once: balls that touch exactly pass the blows on and through each other."""
    count = 7
    balls = [Ball(position=(1.0 + 0.125 * k, 0.5), radius=0.0625) for k in range(count)]
    balls[0] = Ball(position=(0.5, 0.5), velocity=(1.0, 0.0), radius=0.0625)
    balls[-1] = Ball(position=(1.5 + 0.125 * (count - 1), 0.5), velocity=(-1.0, 0.0), radius=0.0625)
    sim = Simulation(Scene(boundary=Box(size=(3.0, 1.0)), balls=balls)).run(until=0.75)
    wanted = np.zeros((count, 2))
    wanted[0, 0], wanted[-1, 0] = -1.0, 1.0
    assert sim.velocities == pytest.approx(wanted, abs=16 * EPS)
    assert np.diff(sim.positions[:, 0]).min() >= 0.125 - 4 * EPS


@pytest.mark.requirement("B-02", "B-03", "T-11")
@pytest.mark.parametrize("speed", [1.0, 1e9])
def test_nobody_leaves_the_polygon_table(speed):
    """The outline of the library's table, non-convex, with its balls made as fast as one likes."""
    scene = library.load("polygon-table")
    balls = scene.balls.replace(velocity=speed * np.array(scene.balls.velocity))
    sim = Simulation(scene.replace(balls=balls))
    energy = sim.kinetic_energy
    sim.run(collisions=100_000)
    assert sim.kinetic_energy == pytest.approx(energy, rel=1e-11)
    Simulation(sim.snapshot())  # looks whether all balls are inside and none overlap
