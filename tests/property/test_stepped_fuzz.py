"""Everything at once, at random, through the stepped solver: it may stop with a clear error; nothing else goes wrong.

Never a crash, a hang, a NaN, or a ball that ends a step outside its container or inside an obstacle, however absurd the
masses, the speeds and the step; and the same bits from a copy made on the way, and from two threads.
"""

import pickle
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from carom import Ball, Bend, Scene, Simulation
from carom.errors import BlowUpError, InputError
from carom.solvers.stepped import build
from carom.solvers.stepped.integrators.stability import largest_stable_step
from effort import examples
from reference.everything import SIZE, depth, scene_of, with_cloth

# A kernel that hangs does not listen to signals: only a thread can end it.
pytestmark = [
    pytest.mark.timeout(300, method="thread"),
    pytest.mark.filterwarnings("ignore::carom.errors.StepWarning"),  # absurd steps are meant
]

FAR = 1e7
"""A way in one step, m, beyond which rounding alone is more than a radius within some steps.

In periodic space it is half a period: obstacles have images for that far, and who goes round farther can end in one.
"""
STEPS = 24
SAVED, RESUMED = 4, 9


def bits(sim: Simulation) -> tuple[Any, ...]:
    return sim.time, sim.collisions_by_kind, sim.account, sim.positions.tobytes(), sim.velocities.tobytes()


def start(scene: Scene, step: float, contacts: str, **grip: float) -> Simulation:
    """A run in which a hand pulls one of the balls, if one is free, to the middle."""
    sim = Simulation(scene, solver="stepped", step=step, contacts=contacts)
    free = np.flatnonzero(~scene.balls.fixed)
    if len(free):
        sim.pull(int(free[min(3, len(free) - 1)]), (SIZE / 2,) * scene.dimension, **grip)
    return sim


def in_two_threads(scene: Scene, step: float, contacts: str) -> Simulation:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "THREADED", 1)
        return start(scene, step, contacts)


def allowed(sim: Simulation, way: float) -> float:
    """How deep in a wall a ball may be, m.

    The place of a contact is right to some rounding of the room and of the way within the step. In a pile walls are
    soft: a twentieth of the radius and, for points, of the way that forces take them in a step.
    """
    solver: Any = sim._solver
    pulled = float(np.abs(solver.rows.accel[:, :3]).sum(axis=1).max()) * sim.method.step**2
    soft = 0.05 * max(float(sim.radii.max()), pulled) if sim.method.contacts == "pile" else 0.0
    return soft + 1e-12 * (8.0 * SIZE + 2.0 * way)


def endure(scene: Scene, step: float, contacts: str) -> None:
    """Go on step by step, with edits on the way, and look after each."""
    sim, twin = start(scene, step, contacts), in_two_threads(scene, step, contacts)
    saved = b""
    for k in range(STEPS):
        before = float(np.abs(sim.velocities).max())
        sim.run(until=(k + 1) * step)
        way = step * max(before, float(np.abs(sim.velocities).max()))
        if not way < (SIZE / 2 if scene.dimension == 3 else FAR):
            return
        assert depth(sim) <= allowed(sim, way)
        if k % 8 == 3:
            log = sim.copy().collide(until=sim.time + step)
            assert np.isin(log["kind"], (1, 2, 3)).all()
        if k == SAVED:
            saved = pickle.dumps(sim)
        if k == RESUMED:
            assert bits(pickle.loads(saved).run(until=sim.time)) == bits(sim)
            assert bits(twin.run(until=sim.time)) == bits(sim)
            sim.add(Ball(position=(SIZE / 2,) * scene.dimension))
        if k == 15:
            sim.remove(0)
        if k == 20:
            sim.drive(1, velocity=(1.0,) * scene.dimension)


def survives(scene: Scene, length: float, contacts: str = "impacts") -> None:
    with suppress(BlowUpError, InputError):  # too absurd; or the ball that comes later finds its place taken
        endure(scene, 10.0**length, contacts)


def absurd(dimension: int, seed: int, speed: float, weight: float, *, periodic: bool = False) -> Scene:
    return scene_of(seed, dimension, periodic=periodic, fastest=10.0**speed, heaviest=10.0**weight)


exponents = {"speed": st.floats(0.0, 6.0), "weight": st.floats(0.0, 6.0), "length": st.floats(-4.0, 1.0)}


def bounded(count: int) -> settings:
    return settings(max_examples=examples(count), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.requirement("M-07", "M-08", "T-06", "T-12")
@bounded(7)
@given(seed=st.integers(0, 9999), **exponents)
@example(seed=161, speed=2.5, weight=5.1, length=0.77)  # waited for the next step, and was hit as if it flew
@example(seed=206, speed=4.5, weight=1.9, length=-1.7)  # where a block and a round wall come together
@example(seed=1264, speed=0.56, weight=0.64, length=-0.76)  # hit by a ball, in a slot too narrow for it
@example(seed=777, speed=2.35546875, weight=1.25, length=0.82)  # met an arc beyond its end, by rounding
def test_everything_in_the_plane(seed: int, speed: float, weight: float, length: float) -> None:
    survives(absurd(2, seed, speed, weight), length)


@pytest.mark.requirement("M-07", "T-06", "T-12")
@bounded(5)
@given(seed=st.integers(0, 9999), **exponents)
@example(seed=294, speed=0.0, weight=0.0, length=0.0)  # slow, and pressed into a wall that is not flat
def test_everything_in_a_pile(seed: int, speed: float, weight: float, length: float) -> None:
    survives(absurd(2, seed, speed, weight), length, "pile")


@pytest.mark.requirement("M-07", "M-08", "T-06", "T-12")
@bounded(5)
@given(seed=st.integers(0, 9999), **exponents)
def test_everything_in_periodic_space(seed: int, speed: float, weight: float, length: float) -> None:
    survives(absurd(3, seed, speed, weight, periodic=True), length)


@pytest.mark.requirement("M-07", "M-14", "T-06", "T-12")
@bounded(7)
@given(seed=st.integers(0, 9999), **exponents)
def test_everything_with_a_cloth(seed: int, speed: float, weight: float, length: float) -> None:
    survives(with_cloth(absurd(3, seed, speed, weight), seed), length)


FINE = 50.0
"""Steps in the largest stable one: the fastest rate of forces, 2 over that, times the step is then 2/50."""


def imbalance(scene: Scene, contacts: str) -> float:
    """The error of the account after some time in fine steps, as a part of all energy that was there or went by.

    With a bend that is only just there: where its ends meet its middle, no step is fine.
    """
    scene = scene.replace(bends=[Bend(corner=(0, 1, 2), stiffness=1e-9)])
    step = min(largest_stable_step(scene) / FINE, 1.0 / 256.0)
    sim = start(scene, step, contacts, stiffness=1.0, damping=0.1)
    account = sim.run(until=128 * step).account
    parts = (account.kinetic, account.start, account.work, *account.potential.values(), *account.lost.values())
    return abs(account.error) / sum(map(abs, parts))


def gentle(dimension: int, seed: int, *, births: bool = True) -> Scene:
    return scene_of(seed, dimension, periodic=False, fastest=4.0, heaviest=4.0, births=births)


# What drag, damping and hands take is booked by the power at the end of a step: of a power that changes at a rate λ,
# that is wrong by λ dt/2 of what goes by; λ dt is at most 2/FINE.
CLOSED = 1.0 / FINE


@pytest.mark.requirement("M-05")
@bounded(5)
@given(seed=st.integers(0, 9999))
def test_the_account_closes(seed: int) -> None:
    assert imbalance(gentle(2, seed), "impacts") <= CLOSED


@pytest.mark.requirement("M-05")
@bounded(5)
@given(seed=st.integers(0, 9999))
def test_the_account_closes_with_a_cloth(seed: int) -> None:
    assert imbalance(with_cloth(gentle(3, seed), seed), "impacts") <= CLOSED


@pytest.mark.requirement("M-05")
@bounded(5)
@given(seed=st.integers(0, 9999))
def test_the_account_of_a_pile_closes(seed: int) -> None:
    """Without births: who is born inside another is driven out, and nobody books it."""
    assert imbalance(gentle(2, seed, births=False), "pile") <= CLOSED
