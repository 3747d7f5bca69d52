"""Scenes that once went wrong in the stepped solver."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carom import Attraction, Ball, Balls, Bend, Box, Cloth, Link, Scene, Simulation, load
from carom.errors import ArgumentError, BlowUpError
from golden.stepped import pile
from reference.everything import depth

# A kernel that hangs does not listen to signals: only a thread can end it.
pytestmark = pytest.mark.timeout(300, method="thread")

HERE = Path(__file__).parent
PAIR = [Ball(position=(0.0, 0.0)), Ball(position=(1.0, 0.0), velocity=(5.0, 0.0))]
BREAKS = Link(between=(0, 1), stiffness=1.0, breaking=0.1)
CROWD = Scene(
    boundary=Box(size=(4.0, 4.0)),
    gravity=(0.0, -10.0),
    restitution=0.3,
    balls=[
        Ball(
            position=(0.05 + 0.1 * (k % 40), 0.05 + 0.1 * (k // 40)), radius=0.02, velocity=((7 * k % 13 - 6) * 20.0, 0)
        )
        for k in range(400)
    ],
)


def start(name: str, **options: Any) -> Simulation:
    return Simulation(load(HERE / f"{name}.toml"), solver="stepped", **options)


@pytest.mark.requirement("M-08")
def test_a_wall_is_met_before_what_is_behind_it() -> None:
    sim = start("through-a-thin-wall", step=0.05).run(until=0.05)
    # 1.45 m to the plate, and 3.55 m back.
    assert sim.positions.tolist() == [[pytest.approx(9.45 - 3.55), 10.0], [11.0, 10.0]]
    assert sim.velocities.tolist() == [[-100.0, 0.0], [0.0, 0.0]]


@pytest.mark.requirement("M-11")
def test_who_is_hit_hits_the_next() -> None:
    sim = start("row-in-one-step", step=0.01).run(until=0.01)
    assert sim.collisions == 4
    assert sim.velocities[:, 0].tolist() == [0.0, 0.0, 0.0, 0.0, 1e5]
    assert sim.positions[:, 0] == pytest.approx([2.0, 5.0, 8.0, 11.0, 1000.0 + 4.0])


@pytest.mark.requirement("M-07")
def test_a_bowl_holds_fast_balls_of_a_pile() -> None:
    sim = start("fast-in-a-bowl", step=1 / 60)
    assert sim.method.contacts == "pile"
    worst = max(depth(sim.run(until=k / 60)) for k in range(1, 60))
    assert worst <= 0.06 * 0.1  # 5 % of the radius, and what a slow one sinks in before it is stopped


@pytest.mark.requirement("T-12")
def test_faster_than_the_box() -> None:
    """More than 64 balls that cross half of a periodic box in a step: cells cannot grow, and it grew them for ever."""
    index = np.arange(100)
    position = np.stack([0.5 + index % 10, 0.5 + index // 10], axis=1)
    velocity = 1000.0 * np.stack([np.cos(index), np.sin(index)], axis=1)
    balls = Balls(position=position, velocity=velocity, radius=0.1)
    sim = Simulation(Scene(boundary=Box(size=(10.0, 10.0), periodic=True), balls=balls), solver="stepped", step=0.1)
    before = sim.energy
    assert sim.run(until=1.0).energy == pytest.approx(before, rel=1e-12)


def test_more_contacts_in_a_step_than_the_log_has_room_for() -> None:
    """Rows were left blank; the first are told, all are counted."""
    balls = [Ball(position=(0.2 + 0.1 * k, 0.2 + 0.15 * k), velocity=(100.0, 37.0)) for k in range(5)]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls), solver="stepped", step=0.5)
    told = list(sim.events(until=1.0))
    assert 0 < len(told) < sim.collisions
    assert {collision.kind for collision in told} == {"ball-wall"}


def test_nobody_is_nowhere_unnoticed() -> None:
    """A NaN counted as the fastest, but only until the next body was looked at."""
    sim = Simulation(Scene(balls=[*PAIR, Ball(position=(5.0, 5.0))]), solver="stepped", step=0.1).run(until=0.1)
    sim._solver.rows.velocity[0, 0] = np.nan
    with pytest.raises(BlowUpError, match="ball 0 flew off"):
        sim.run(until=0.3)


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_no_drop_slips_through_a_ridge(friction: float) -> None:
    """Drops right above the edges of a cloth: beside all triangles at a thickness, and left just in their plane."""
    grid = np.linspace(0.125, 0.875, 13)
    places = [(x, y, 0.25 + z) for x in grid for y in grid for z in (0.0, 0.1)]
    sides = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    cloth = Cloth(corner=(0.0, 0.0, 0.0), sides=sides, counts=(9, 9), stiffness=200.0, damping=0.2)
    drops = Balls(position=places, mass=0.002)
    scene = Scene(gravity=(0.0, 0.0, -9.81), balls=drops, structures=[cloth], restitution=0.0, friction=friction)
    n = len(places)
    rim = (scene.balls.position[:, :2] % 1.0 == 0.0).any(axis=1)
    rim[:n] = False
    sim = Simulation(scene.replace(balls=scene.balls.replace(fixed=rim)), step=5e-4)
    for _ in range(20):
        assert (heights(sim.advance(0.05).positions, scene.triangles, n) > -1e-9).all()


def heights(x: np.ndarray, triangles: np.ndarray, n: int) -> np.ndarray:
    """How high the first n points are over the cloth straight below them; infinite beside it."""
    found = np.full(n, np.inf)
    for a, b, c in x[triangles]:
        across = np.stack([b[:2] - a[:2], c[:2] - a[:2]], axis=1)
        w = np.linalg.solve(across, (x[:n, :2] - a[:2]).T).T
        inside = (w.min(axis=1) >= 0.0) & (w.sum(axis=1) <= 1.0)
        height = x[:n, 2] - (a[2] + w @ np.array([b[2] - a[2], c[2] - a[2]]))
        found[inside] = np.minimum(found, height)[inside]
    return found


class TestLinks:
    def test_all_have_broken_and_the_scene_is_edited(self) -> None:
        """It looked for broken links among none."""
        sim = Simulation(Scene(balls=PAIR, links=[BREAKS])).run(until=1.0)
        for k in range(2):
            sim.add(Ball(position=(0.0, 5.0 + k)))
            assert len(sim.links) == 0

    @pytest.mark.requirement("M-05")
    def test_what_was_in_a_link_is_lost_when_it_breaks(self) -> None:
        sim = Simulation(Scene(balls=PAIR, links=[BREAKS]), step=1e-3).run(until=1.0)
        # It breaks at the end of the step in which it comes to a strain of 0.1; in a step it grows by 0.005 at most.
        assert 0.5 * 0.1**2 <= sim.account.lost["breaking"] <= 0.5 * 0.105**2
        assert abs(sim.account.error) < 1e-3


class TestAccount:
    """Smooth forces close the account to the order of the step."""

    @pytest.mark.parametrize(
        "forces",
        [
            {"attraction": Attraction(G=1.0, softening=0.5)},
            {"links": [Link(between=(0, 2), stiffness=1.0, length=2.0)]},
            {
                "links": [Link(between=(0, 1), stiffness=1.0), Link(between=(0, 2), stiffness=1.0)],
                "bends": [Bend(corner=(1, 0, 2), stiffness=1.0, angle=1.0)],
            },
        ],
        ids=["attraction", "link", "bend"],
    )
    def test_who_is_born_brings_energy(self, forces: dict[str, Any]) -> None:
        born = [Ball(position=(0.0, 0.0)), Ball(position=(0.0, 1.0)), Ball(position=(1.0, 0.0), born=0.5)]
        sim = Simulation(Scene(balls=born, **forces), step=0.01).run(until=1.0)
        assert abs(sim.account.work) > 0.1
        assert abs(sim.account.error) < 1e-3

    @pytest.mark.requirement("M-13")
    def test_who_drives_a_ball_does_work(self) -> None:
        link = Link(between=(0, 1), stiffness=1.0)
        errors = []
        for step in (0.01, 0.005):
            sim = Simulation(Scene(balls=[PAIR[0], Ball(position=(1.0, 0.0))], links=[link]), step=step)
            sim.drive(0, velocity=(1.0, 0.0))
            sim.run(until=1.0)
            assert sim.account.work > 0.4
            errors.append(sim.account.error)
        assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)

    def test_an_edit_of_a_pile_keeps_what_was_lost(self) -> None:
        sim = Simulation(pile(), step=1 / 64).run(until=1.0)
        lost = sim.account.lost["contacts"]
        sim.change_scene(name="the same")
        assert sim.run(until=1.25).account.lost["contacts"] > lost > 1.0


class TestHooks:
    @pytest.mark.requirement("M-03")
    def test_they_see_the_bodies_as_they_stand(self) -> None:
        """They saw them where they had been when the run began, or would have been."""
        sim = Simulation(Scene(balls=[Ball(position=(0.0, 0.0), velocity=(1.0, 0.0))]), solver="stepped", step=0.25)
        sim.run(until=0.125)
        seen: list[float] = []
        sim.after_step(lambda: seen.append(float(sim.positions[0, 0])))
        sim.run(until=1.0)
        assert seen == [0.25, 0.5, 0.75, 1.0]

    def test_a_crowded_pile_loses_no_step(self) -> None:
        """Where contacts needed more memory in the first half of a step, the second was made without it."""
        hooked, alone = Simulation(CROWD, step=1 / 20), Simulation(CROWD, step=1 / 20).run(until=0.5)
        hooked.after_step(lambda: None)
        assert hooked.run(until=0.5).positions.tobytes() == alone.positions.tobytes()

    def test_they_cannot_edit(self) -> None:
        """What they edited was thrown away, and the run went on without it."""
        sim = Simulation(Scene(balls=PAIR), solver="stepped", step=0.25)
        sim.before_step(lambda: sim.remove(0))
        with pytest.raises(ArgumentError, match="not possible from a hook, amid a step"):
            sim.run(until=1.0)


@pytest.mark.parametrize("integrator", ["rk4", "euler", "verlet"])
def test_a_look_depends_on_no_look_before(integrator: str) -> None:
    """Between two steps one saw along another parabola if one had looked before."""
    scene = Scene(
        balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.25, 0.0))],
        links=[Link(between=(0, 1), stiffness=8.0, length=1.0)],
    )
    once, twice = (Simulation(scene, integrator=integrator, step=0.125) for _ in range(2))
    assert len(twice.run(until=0.0625).positions) == 2
    assert twice.run(until=0.3).positions.tobytes() == once.run(until=0.3).positions.tobytes()
