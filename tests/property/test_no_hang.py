"""Bookkeeping always comes to an end: a run goes on, or says why it cannot."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, Restitution, Scene, Simulation
from carom.errors import StackError
from carom.solvers.exact.clock import clock_record
from carom.solvers.exact.events import loop
from carom.solvers.exact.neighbours import expiry
from reference.laws import called

flight_exit, count_renewal = called(expiry.flight_exit), called(loop.count_renewal)

# A kernel that hangs does not listen to signals: only a thread can end it.
pytestmark = pytest.mark.timeout(90, method="thread")

SQUARE = Box(size=(16.0, 8.0))


def in_a_row(height: float, velocity: tuple[float, float] = (0.0, 0.0)) -> list[Ball]:
    """Eight balls, so that cells are squares of 2 m."""
    return [Ball(position=(1.0 + 2.0 * k, height), velocity=velocity, radius=0.5) for k in range(8)]


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize("height", [2.0, 4.0, 6.0])
@pytest.mark.parametrize("g", [9.81, 1.0, 0.3])
def test_dropped_from_the_face_of_a_cell(height: float, g: float) -> None:
    """Without loss a ball comes back to just that face, and turns there: on it, or above or below by a bit."""
    scene = Scene(boundary=SQUARE, balls=in_a_row(height), gravity=(0.0, -g))
    sim = Simulation(scene, neighbours="cells")
    sim.run(until=200.0)
    assert sim.time == 200.0
    fall = float(np.sqrt(2.0 * (height - 0.5) / g))
    assert sim.collisions == 8 * int((200.0 / fall + 1.0) / 2.0)


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize("g", [9.81, -9.81, 0.3, -0.3])
@pytest.mark.parametrize("seed", range(5))
def test_a_face_at_the_turning_point_is_crossed_twice_at_most(g: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    on_the_face = 0
    for _ in range(2000):
        v = float(rng.integers(1, 64)) / 8.0 * float(rng.choice([1.0, 0.1, 1e-9]))
        v = float(np.copysign(v, g))
        height = v * v / (2.0 * g)
        since = float(rng.choice([0.0, 0.1, 1e3])) * float(rng.uniform())
        on_the_face += v * v - 2.0 * abs(g) * abs(height) == 0.0
        crossings, upper, now = 0, g < 0.0, since
        while crossings < 10:  # two cells that meet at the height of the turning point
            below, above = (height, np.inf) if upper else (-np.inf, height)
            t, up = flight_exit(0.0, v, -g, since, now, below, above)
            if not t < np.inf:
                break
            assert t >= now
            assert up != upper
            crossings, upper, now = crossings + 1, up, t
        assert crossings <= 2
    assert on_the_face > 100


@pytest.mark.requirement("T-12", "T-14")
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
@pytest.mark.parametrize("thrown", [0.0, 1.0])
def test_no_play_between_lossy_walls_and_lossless_balls(neighbours: str, thrown: float) -> None:
    """Three that fill a box touch all the time; that the balls lose nothing among themselves does not hide it."""
    place = [(0.5, 1.5), (1.5, 0.5), (0.5, 0.5)]
    velocity = [(1.0, 1.0), (-1.5, -2.0), (0.25, thrown)]
    balls = Balls(position=place, velocity=velocity, radius=0.5)
    scene = Scene(boundary=Box(size=(2.0, 2.0)), balls=balls, restitution=Restitution(ball_ball=1.0, ball_wall=0.5))
    with pytest.raises(StackError):
        Simulation(scene, neighbours=neighbours).run(until=1.0, collisions=1_000_000)


def test_a_calendar_that_is_too_narrow_widens() -> None:
    """After a burst buckets are narrow; when the next years hold one instant each, they must grow again."""
    side = 32
    k = np.arange(side * side)
    place = np.stack([2.0 * (k % side) + 1.0, 2.0 * (k // side) + 1.0], axis=1)
    moves = (k < 16) & (k % 2 == 0)  # eight in step, each with a column of its own
    free = moves | ~np.isin(k % side, k[moves])
    velocity = np.where(moves, 10.0, 0.0)[:, None] * np.array([0.0, 1.0])
    balls = Balls(position=place[free], velocity=velocity[free], radius=0.5)
    sim = Simulation(Scene(boundary=Box(size=(64.0, 64.0)), balls=balls), neighbours="cells")
    sim.run(until=1.0)
    clock = sim._solver.clock
    clock["width"] = 1e-9
    before = int(clock["turned"][0])
    sim.run(until=1000.0)
    assert sim.collisions > 1000
    assert clock["turned"][0] - before < 200


def test_endless_bookkeeping_is_an_error() -> None:
    """Were a neighbourhood renewed for ever at one instant, the run would end with an error, not hang."""
    clock = np.zeros(1, clock_record)[0]
    clock["chore"], clock["chores"] = 1.0, loop.MAX_STILL
    assert count_renewal(clock, 1.0, loop.MAX_STILL) == loop.GO  # so many balls may well leave their cells at once
    assert count_renewal(clock, 1.0, 8) == loop.ENDLESS
    assert count_renewal(clock, 1.5, 8) == loop.GO
    assert clock["chores"] == 0
