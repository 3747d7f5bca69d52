"""What every solver keeps, whatever its way: one suite for all of them.

A solver is a way to make a simulation from a scene; a new one is one more entry in SOLVERS.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from carom import Ball, Box, Circle, Link, Open, Polygon, Scene, Simulation
from carom.solvers.stepped.integrators.cards import INTEGRATORS
from reference.reversal import there_and_back
from reference.scenes import box_scene, filled
from reference.separation import deepest_overlap, deepest_pair, deepest_wall

Solver = Callable[[Scene], Simulation]
STEP = 1.0 / 256.0
"""Of the stepped solver, s: at a speed of 1 m/s a tenth of the radius of most balls here."""
EXACT: dict[str, Solver] = {
    "exact-cells": partial(Simulation, neighbours="cells"),
    "exact-lists": partial(Simulation, neighbours="lists"),
}
SOLVERS: dict[str, Solver] = {**EXACT, "stepped": partial(Simulation, solver="stepped", step=STEP)}
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


LATE = 500.0
"""When all that meet in open space have met, s."""


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    return SOLVERS[request.param]


@pytest.fixture(params=EXACT)
def exact(request: pytest.FixtureRequest) -> Solver:
    return EXACT[request.param]


def state(sim: Simulation) -> tuple[Any, ...]:
    return sim.time, sim.collisions, sim.positions.tobytes(), sim.velocities.tobytes()


@pytest.mark.requirement("T-08", "T-13")
@pytest.mark.parametrize("name", SCENES)
def test_energy_is_conserved(solver: Solver, name: str) -> None:
    sim = solver(SCENES[name]())
    before, count = sim.energy, 10_000
    sim.run(until=LATE, collisions=count)
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
    sim.run(until=LATE, collisions=20_000)
    scale = float((sim.masses[:, None] * np.abs(sim.velocities)).sum())
    assert np.abs(sim.momentum - before).max() <= 8.0 * EPS * np.sqrt(20_000) * scale


@pytest.mark.requirement("B-03")
@pytest.mark.parametrize("name", CLOSED)
def test_no_ball_leaves_and_none_overlap(exact: Solver, name: str) -> None:
    sim = exact(SCENES[name]())
    worst = deepest_overlap(sim.snapshot())
    for _ in range(25):
        sim.run(collisions=200)
        worst = max(worst, deepest_overlap(sim.snapshot()))
    # Rounding alone, in units of the region; 1e-12 of a region of 1 m is 1e-9 of the smallest radius that is not zero
    # and below.
    assert worst <= 1e-12


@pytest.mark.requirement("B-03", "M-08")
@pytest.mark.parametrize("name", CLOSED)
def test_no_ball_leaves_in_steps(name: str) -> None:
    """In steps walls hold to rounding, too. Of three balls that meet within one step, two may overlap when it ends."""
    sim = SOLVERS["stepped"](SCENES[name]())
    for _ in range(25):
        sim.run(collisions=200)
        scene = sim.snapshot()
        assert deepest_wall(scene) <= 1e-12
        fastest = float(np.sqrt((scene.balls.velocity**2).sum(axis=1)).max())
        assert deepest_pair(scene) <= 2.0 * STEP * fastest  # not deeper than both can come in a step


@pytest.mark.requirement("T-08", "T-11")
@pytest.mark.parametrize("name", SCENES)
def test_time_reversal(exact: Solver, name: str) -> None:
    """There and back for more and more collisions, as long as chaos leaves a nudge of the velocities a nudge.

    Not in steps: within one, contacts come in the order of cells, and back again that is not the reverse.
    """
    scene = SCENES[name]()
    reached = 0
    for count in (3, 5) if name == "open" else (6, 9, 14, 21, 30, 45, 70, 100, 150, 220):
        result = there_and_back(exact, scene, count)
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
    left_alone = solver(scene).run(until=LATE, collisions=200)
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
def test_resumed_equals_straight(exact: Solver, name: str) -> None:
    scene = SCENES[name]()
    straight = exact(scene).run(collisions=600)
    pieces = exact(scene)
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


@pytest.mark.requirement("T-06", "S-01")
@pytest.mark.parametrize("name", SCENES)
def test_resumed_equals_straight_in_steps(name: str) -> None:
    """By time, not by collisions: a step may have several, and is never cut."""
    scene, solver = SCENES[name](), SOLVERS["stepped"]
    straight = solver(scene).run(until=1024 * STEP)
    pieces = solver(scene)
    for k in range(1, 65):
        if k % 7 == 0:
            assert len(pieces.collide(until=16 * k * STEP)) <= pieces.collisions
        else:
            pieces.run(until=(16 * k - 0.3) * STEP).run(until=16 * k * STEP)
        if k % 10 == 5:
            pieces = pieces.copy()
        if k % 10 == 9:
            pieces.change_scene(name=f"the same, part {k}")  # all is built anew
    assert state(pieces) == state(straight)


@pytest.mark.requirement("T-06", "M-02")
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_integrator_goes_on_as_if_nobody_looked(integrator: str) -> None:
    scene = Scene(
        balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.25, 0.0), velocity=(0.0, 0.5))],
        links=[Link(between=(0, 1), stiffness=4.0, length=1.0)],
    )
    straight, pieces = (Simulation(scene, integrator=integrator, step=STEP) for _ in range(2))
    straight.run(until=256 * STEP)
    for k in range(1, 103):
        pieces.run(until=2.5 * k * STEP)
        observe(pieces)
        pieces = pieces.copy() if k % 20 == 0 else pieces
    assert state(pieces.run(until=256 * STEP)) == state(straight)


@pytest.mark.requirement("T-06", "T-08")
@pytest.mark.parametrize("name", SCENES)
def test_the_same_every_time(solver: Solver, name: str) -> None:
    """Of relabelled balls only the exact solver has the same motion: in steps, numbers decide the order in a cell."""
    one, two = (solver(SCENES[name]()).run(until=2.0) for _ in range(2))
    assert state(one) == state(two)
    assert one.collisions > 3


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
def test_upcoming_comes_true(exact: Solver, name: str) -> None:
    """Who steps does not know ahead."""
    sim = exact(SCENES[name]())
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
