"""Who hangs together by links, and so passes through each other; all others collide."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from carom import Ball, Balls, Box, Cloth, Link, Links, Scene, Simulation, SoftBody
from carom.errors import SceneError
from carom.kernels.jit import kernel
from carom.solvers.stepped.forces.linked_bodies import PART, WOVEN, alone, linked_of
from carom.solvers.stepped.forces.sum import break_links
from carom.solvers.stepped.rows import State, springs_of

BREAK_LINKS = kernel(break_links.py_func)


def by_hand(count: int, pairs: list[list[int]]) -> list[int]:
    """The lowest number of each part, by walking from ball to ball."""
    lowest = list(range(count))
    for start in range(count):
        found, ahead = {start}, [start]
        while ahead:
            here = ahead.pop()
            new = {ball for pair in pairs if here in pair for ball in pair} - found
            found |= new
            ahead += new
        lowest[start] = min(found)
    return lowest


@pytest.mark.parametrize("seed", range(20))
def test_the_parts_are_those_that_one_can_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 30
    pairs = rng.integers(0, count, (rng.integers(1, 40), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    links = Links(between=pairs, stiffness=1.0, length=1.0)
    assert links.groups(count).tolist() == by_hand(count, pairs.tolist())


def test_a_long_chain_in_any_order_is_one_part() -> None:
    order = np.random.default_rng(1).permutation(2000)
    links = Links(between=np.stack([order[:-1], order[1:]], axis=1), stiffness=1.0, length=1.0)
    assert not links.groups(2000).any()


@pytest.mark.parametrize("seed", range(10))
def test_links_that_break_part_what_they_held(seed: int) -> None:
    """What the kernel finds after a break is what would be found anew."""
    rng = np.random.default_rng(seed)
    count = 25
    pairs = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)[rng.random(count - 1) < 0.9]
    length = np.where(rng.random(len(pairs)) < 0.3, 0.4, 1.0)  # those of 0.4 m are too long at once
    born = np.where(rng.random(count) < 0.5, 1.0, 0.0)  # so that rows are not in the order of numbers
    scene = Scene(
        balls=Balls(position=np.stack([np.arange(count), np.zeros(count)], axis=1), born=born),
        links=Links(between=pairs, stiffness=1.0, length=length, breaking=1.0),
    )
    state = State.of(scene)
    linked = linked_of(scene, state.row)
    springs = springs_of(scene, state.row, linked)
    broken, _ = BREAK_LINKS((0, 0), springs, (), state.place, count)
    assert broken == (length < 1.0).sum() > 0
    assert np.array_equal(linked, linked_of(scene.replace(links=scene.links[length == 1.0]), state.row))


def test_corners_of_a_cloth_are_marked_and_carry_on_the_part() -> None:
    cloth = Cloth(corner=(0.0, 0.0, 0.0), sides=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), counts=(2, 2), stiffness=1.0)
    balls = [Ball(position=(x, 0.0, 1.0), radius=0.1) for x in (0.0, 1.0, 5.0)]
    scene = Scene(balls=balls, structures=[cloth])
    links = Links.concatenate([scene.links, Link(between=(0, 3), stiffness=1.0), Link(between=(1, 4), stiffness=1.0)])
    scene = scene.replace(links=links)
    linked = linked_of(scene, State.of(scene).row)
    assert (linked >= WOVEN).tolist() == [False] * 3 + [True] * 4
    assert (linked & PART).tolist() == [0, 0, 2, 0, 0, 0, 0]  # 0 and 1 hang on the same cloth
    assert not alone(linked)
    assert alone(linked[[0, 1, 3]])


def test_without_links_there_is_nothing_to_look_up() -> None:
    scene = Scene(drag=1.0, balls=Balls(position=[(0.0, 0.0), (1.0, 0.0)], radius=0.1))
    sim = Simulation(scene)
    assert linked_of(scene, State.of(scene).row).size == 0
    assert sim._solver.pairs.linked.size == 0  # type: ignore[attr-defined]  # of the stepped solver


def dumbbells(**changes: object) -> Scene:
    """Two pairs of linked balls, the ball 1 of one on its way to ball 2 of the other."""
    balls = Balls(
        position=[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (2.0, 0.0)],
        velocity=[(1.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
        radius=0.2,
    )
    scene = Scene(balls=balls, links=Links(between=[(0, 1), (2, 3)], stiffness=20.0))
    return scene.replace(**changes)


@pytest.mark.requirement("M-11")
def test_two_structures_collide() -> None:
    """Only that passes momentum on: one end after the other."""
    sim = Simulation(dumbbells())
    met = sim.collide(until=3.0)
    assert {(int(one["a"]), int(one["b"])) for one in met} == {(1, 2)}
    assert met["time"][0] == pytest.approx(0.6, abs=1e-9)
    assert sim.momentum == pytest.approx((2.0, 0.0), abs=1e-12)
    assert sim.velocities[2:, 0].sum() > 1.5


def test_balls_of_one_structure_pass_through_each_other_however_they_are_joined() -> None:
    """A link from end to end makes one of the two; so do links through a ball far away."""
    one = dumbbells(links=Links(between=[(0, 1), (2, 3), (0, 3)], stiffness=1e-9))
    assert Simulation(one).run(until=3.0).collisions == 0
    far = Balls.concatenate([one.balls, Ball(position=(0.0, 9.0), radius=0.2)])
    through = one.replace(balls=far, links=Links(between=[(0, 1), (2, 3), (1, 4), (4, 2)], stiffness=1e-9))
    assert Simulation(through).run(until=3.0).collisions == 0


def test_links_that_come_go_or_break_change_who_collides() -> None:
    joined = Simulation(dumbbells(links=Links(between=[(0, 1), (2, 3)], stiffness=1e-9)), step=0.01)
    joined.link(0, 2, stiffness=1e-9)
    assert joined.run(until=0.5).collisions == 0
    joined.unlink(0, 2)
    assert joined.run(until=1.0).collisions == 1
    for strain, collisions in ((0.3, 1), (5.0, 0)):  # 1 and 2 are held together by a long link, which tears or holds
        links = [
            Link(between=(0, 3), stiffness=1e-9),
            Link(between=(1, 2), stiffness=1e-9, length=0.75, breaking=strain),
        ]
        sim = Simulation(dumbbells(links=[*links, Link(between=(0, 1), stiffness=1e-9)]), step=0.01)
        assert sim.run(until=0.3).collisions == 0
        twin = pickle.loads(pickle.dumps(copy.deepcopy(sim)))
        assert sim.run(until=1.0).collisions == collisions, strain
        assert twin.run(until=1.0).collisions == collisions
        assert len(sim.links) == 3 - collisions


@pytest.mark.requirement("M-10")
@pytest.mark.parametrize("contacts", ["impacts", "pile"])
def test_two_soft_bodies_dropped_on_each_other_collide(contacts: str) -> None:
    """The upper one comes to lie on the lower one, and does not sink into it."""
    radius = 0.05
    lower, upper = (
        SoftBody(
            corner=(0.5, y),
            size=(0.4, 0.4),
            counts=(5, 5),
            stiffness=2000.0,
            damping=3.0,
            links="bending",
            radius=radius,
        )
        for y in (radius, 0.7)
    )
    scene = Scene(
        boundary=Box(size=(1.4, 2.0)),
        gravity=(0.0, -9.81),
        restitution=0.0,
        structures=[lower, upper],
    )
    sim = Simulation(scene, contacts=contacts)
    sim.run(until=3.0)
    y = sim.positions[:, 1]
    assert sim.collisions_by_kind["ball-ball"] > 0
    assert y[25:].min() > y[:25].max()
    assert y[25:].mean() > y[:25].mean() + 0.35


def test_structures_that_overlap_at_the_start_are_refused() -> None:
    balls = Balls(position=[(0.0, 0.0), (0.3, 0.0), (0.3, 0.3), (0.0, 0.3)], radius=0.2)
    scene = Scene(balls=balls, links=Links(between=[(0, 1), (2, 3)], stiffness=1.0))
    with pytest.raises(SceneError, match=r"^balls 0 and 3 overlap: .*\nballs 1 and 2 overlap: "):
        Simulation(scene)
    Simulation(scene.replace(links=Links(between=[(0, 1), (1, 2), (2, 3)], stiffness=1.0)))
