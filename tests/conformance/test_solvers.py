"""What every solver keeps, whatever its way: one suite for all of them.

A solver is a way to make a simulation from a scene; a new one is one more entry in SOLVERS.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from carom import Box, Circle, Open, Polygon, Scene, Simulation
from reference.reversal import there_and_back
from reference.scenes import box_scene, filled
from reference.separation import deepest_overlap

Solver = Callable[[Scene], Simulation]
SOLVERS: dict[str, Solver] = {
    "exact-cells": partial(Simulation, neighbours="cells"),
    "exact-lists": partial(Simulation, neighbours="lists"),
}
STAR = [(0.0, 0.0), (0.75, 0.35), (1.5, 0.0), (1.1, 0.75), (1.5, 1.5), (0.75, 1.1), (0.0, 1.5), (0.4, 0.75)]
HOLES = Polygon(
    vertices=[(0.0, 0.0), (1.5, 0.0), (1.5, 1.5), (0.0, 1.5)],
    bulges=[0.0, 0.3, 0.0, -0.1],
    holes=[[(0.3, 0.3), (0.6, 0.35), (0.4, 0.6)], Circle(centre=(1.0, 1.0), radius=0.15)],
)
RADII = [0.1, 0.06, 0.05, 0.05, 0.04, 0.03, 0.03, 0.02, 0.01, 0.0]
CORNERS = (0.0, 0.0), (1.5, 1.5)
EPS = np.finfo(float).eps

SCENES: dict[str, Callable[[], Scene]] = {
    "box": lambda: box_scene(1, (False, False), 20),
    "periodic": lambda: box_scene(2, (True, True), 20),
    "open": lambda: box_scene(3, (False, False), 12).replace(boundary=Open()),
    "star": lambda: filled(Scene(boundary=Polygon(vertices=STAR)), *CORNERS, RADII, 4),
    "holes and arcs": lambda: filled(Scene(boundary=HOLES), *CORNERS, RADII, 5),
    "circle": lambda: filled(Scene(boundary=Circle(centre=(0.75, 0.75), radius=0.75)), *CORNERS, RADII, 6),
    "scatterer": lambda: filled(
        Scene(boundary=Box(size=(1.5, 1.5), periodic=True), obstacles=[Circle(centre=(0.1, 1.45), radius=0.25)]),
        *CORNERS, RADII, 7,
    ),
    "3D": lambda: box_scene(8, (True, False, False), 16),
    "sphere": lambda: filled(
        Scene(boundary=Circle(centre=(0.7, 0.7, 0.7), radius=0.7)), (0.0,) * 3, (1.4,) * 3, RADII, 9
    ),
    "falling in a box": lambda: box_scene(10, (True, False), 20, gravity=(0.0, -2.0)),
    "falling in a star": lambda: filled(
        Scene(boundary=Polygon(vertices=STAR), gravity=(0.3, -1.5)), *CORNERS, RADII, 11
    ),
    "falling in a bowl": lambda: filled(
        Scene(boundary=Circle(centre=(0.75, 0.75), radius=0.75), gravity=(0.0, -1.5)), *CORNERS, RADII, 12
    ),
}  # fmt: skip
CLOSED = [name for name in SCENES if name != "open"]


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    return SOLVERS[request.param]


def state(sim: Simulation) -> tuple[Any, ...]:
    return sim.time, sim.collisions, sim.positions.tobytes(), sim.velocities.tobytes()


@pytest.mark.requirement("T-08", "T-13")
@pytest.mark.parametrize("name", SCENES)
def test_energy_is_conserved(solver: Solver, name: str) -> None:
    sim = solver(SCENES[name]())
    before, count = sim.energy, 10_000
    sim.run(collisions=count)
    # Each collision rounds the energy by a few units in the last place, at random: a walk of `count` such steps. The
    # scale is the kinetic energy and what falling through the region gives. The unit normal of an oblique wall is
    # rounded once for all, by a unit or so in the last place; that error adds up.
    scale = sim.kinetic_energy + (sim.masses.sum() * 2.0 * np.abs(sim.scene.gravity).max())
    steps = count if isinstance(sim.scene.boundary, Polygon) else 8.0 * np.sqrt(count)
    assert abs(sim.energy - before) <= EPS * steps * scale


@pytest.mark.requirement("T-08", "T-13")
@pytest.mark.parametrize("name", ["periodic", "open"])
def test_momentum_is_conserved(solver: Solver, name: str) -> None:
    sim = solver(SCENES[name]())
    before = sim.momentum
    sim.run(collisions=20_000)
    scale = float((sim.masses[:, None] * np.abs(sim.velocities)).sum())
    assert np.abs(sim.momentum - before).max() <= 8.0 * EPS * np.sqrt(20_000) * scale


@pytest.mark.requirement("B-03")
@pytest.mark.parametrize("name", CLOSED)
def test_no_ball_leaves_and_none_overlap(solver: Solver, name: str) -> None:
    sim = solver(SCENES[name]())
    worst = deepest_overlap(sim.snapshot())
    for _ in range(25):
        sim.run(collisions=200)
        worst = max(worst, deepest_overlap(sim.snapshot()))
    # Rounding alone, in units of the region; 1e-12 of a region of 1 m is 1e-9 of the smallest radius that is not zero
    # and below.
    assert worst <= 1e-12


@pytest.mark.requirement("T-08", "T-11")
@pytest.mark.parametrize("name", SCENES)
def test_time_reversal(solver: Solver, name: str) -> None:
    """There and back for more and more collisions, as long as chaos leaves a nudge of the velocities a nudge."""
    scene = SCENES[name]()
    reached = 0
    for count in (3, 5) if name == "open" else (6, 9, 14, 21, 30, 45, 70, 100, 150, 220):
        result = there_and_back(solver, scene, count)
        if result.allowed > 1e-6:
            break
        assert result.back == result.there >= count
        assert result.error <= result.allowed
        reached = count
    assert reached >= (5 if name == "open" else 2 * len(scene.balls))


@pytest.mark.requirement("T-06")
@pytest.mark.parametrize("name", SCENES)
def test_observing_never_disturbs(solver: Solver, name: str) -> None:
    scene = SCENES[name]()
    left_alone = solver(scene).run(collisions=200)
    watched = solver(scene)
    end = left_alone.time
    for k in range(1, 50):
        watched.run(until=end * k / 50)
        observe(watched)
    watched.run(until=end)
    left_alone.run(until=end)
    assert state(watched) == state(left_alone)


def observe(sim: Simulation) -> None:
    """Look at everything there is."""
    for name in (
        "positions",
        "velocities",
        "energy",
        "momentum",
        "upcoming",
        "resting",
        "report",
        "turns",
        "collisions_by_kind",
    ):
        getattr(sim, name)
    sim.snapshot()


@pytest.mark.requirement("T-06")
@pytest.mark.parametrize("name", SCENES)
def test_resumed_equals_straight(solver: Solver, name: str) -> None:
    scene = SCENES[name]()
    straight = solver(scene).run(collisions=600)
    pieces = solver(scene)
    for k in range(600):
        if k % 7 == 0:
            pieces.step()
        else:
            pieces.run(collisions=1)
        if k % 100 == 50:
            pieces = pieces.copy()
        if k % 100 == 99:
            pieces.change_scene(name=f"the same, part {k}")  # every index is built anew
    assert state(pieces) == state(straight)


@pytest.mark.requirement("T-06")
def test_a_copy_goes_its_own_way(solver: Solver) -> None:
    sim = solver(SCENES["box"]()).run(collisions=100)
    before = state(sim)
    twin = sim.copy()
    twin.run(collisions=500)
    assert state(sim) == before
    sim.run(collisions=500)
    assert state(sim) == state(twin)


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize("name", SCENES)
def test_upcoming_comes_true(solver: Solver, name: str) -> None:
    sim = solver(SCENES[name]())
    for _ in range(50):
        upcoming = sim.upcoming
        collision = sim.step()
        if collision is None:
            assert upcoming == []
            break
        first = upcoming[0]
        assert (first.time, first.kind, first.partners, first.wall) == (
            collision.time, collision.kind, collision.partners, collision.wall,
        )  # fmt: skip
        assert first.impulse == pytest.approx(collision.impulse, rel=1e-9)
        assert first.normal == pytest.approx(collision.normal, abs=1e-9)
