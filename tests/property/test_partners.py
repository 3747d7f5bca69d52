"""Every pair that meets within a step is found, whatever the cells: against all pairs by the plain formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from carom import Balls, Box, Scene, Simulation
from carom.solvers.stepped import row_order
from effort import examples

Floats = NDArray[np.float64]
STEP = 0.125


def scattered(rng: np.random.Generator, size: Floats, periodic: Floats, quick: float) -> Scene:
    """Balls of very different sizes that do not overlap; a part of them is much faster than the others."""
    d, least = len(size), float(size.min())
    x = rng.uniform(0.1, 0.9, (80, d)) * size
    r = 0.09 * least * rng.choice([1.0, 0.3, 0.1, 0.0], 80, p=[0.1, 0.3, 0.5, 0.1])
    r[0] = 0.09 * least
    keep: list[int] = []
    for i in range(80):
        gap = np.linalg.norm(nearest(x[keep] - x[i], size, periodic), axis=1) - (r[keep] + r[i])
        if (gap > 0.0).all():
            keep.append(i)
    way = (
        np.where(rng.random(len(keep)) < quick, 0.15, 0.02) * least
    )  # both ways and radii are less than half a period: one image alone is met
    direction = rng.normal(size=(len(keep), d))
    velocity = way[:, None] / STEP * direction / np.linalg.norm(direction, axis=1)[:, None]
    balls = Balls(position=x[keep], velocity=velocity, radius=r[keep])
    return Scene(boundary=Box(size=size, periodic=periodic.astype(bool).tolist()), balls=balls)


def nearest(d: Floats, size: Floats, periodic: Floats) -> Floats:
    return np.asarray(d - periodic * size * np.rint(d / size))


def meeting(scene: Scene, size: Floats, periodic: Floats) -> set[tuple[int, int]]:
    """All pairs whose straight ways come together within the step."""
    balls, found = scene.balls, set()
    for i in range(len(balls)):
        d = nearest(balls.position[i + 1 :] - balls.position[i], size, periodic)
        w = balls.velocity[i + 1 :] - balls.velocity[i]
        c = (d * d).sum(axis=1) - (balls.radius[i] + balls.radius[i + 1 :]) ** 2
        b, a = (d * w).sum(axis=1), (w * w).sum(axis=1)
        root = b * b - a * c
        when = np.where((b < 0.0) & (root > 1e-9 * b * b), c / (np.sqrt(np.maximum(root, 0.0)) - b), np.inf)
        found |= {(i, i + 1 + int(j)) for j in np.flatnonzero(when < STEP * (1.0 - 1e-9))}
    return found


@pytest.mark.requirement("M-11", "M-15")
@settings(max_examples=examples(30), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.lists(st.floats(1.0, 12.0), min_size=2, max_size=3),
    around=st.booleans(),
    quick=st.sampled_from([0.0, 0.05, 1.0]),
)
def test_who_meets_nobody_else_meets_as_the_formula_says(
    seed: int, size: list[float], around: bool, quick: float
) -> None:
    sides = np.array(size)
    periodic = np.full(len(size), float(around))
    scene = scattered(np.random.default_rng(seed), sides, periodic, quick)
    sim = Simulation(scene, solver="stepped", step=STEP)
    log = sim.collide(until=STEP)
    pairs = log[log["kind"] == 1]
    found = {(int(a), int(b)) for a, b in zip(pairs["a"], pairs["b"], strict=True)}
    expected = meeting(scene, sides, periodic)
    partners = np.bincount(np.array(sorted(expected | found), int).ravel(), minlength=len(scene.balls))
    end = scene.balls.position + STEP * scene.balls.velocity
    beyond = (end < scene.balls.radius[:, None]) | (end > sides - scene.balls.radius[:, None])
    alone = (partners == 1) & ~(beyond & (periodic == 0.0)).any(axis=1)
    assert {pair for pair in found if alone[list(pair)].all()} == {pair for pair in expected if alone[list(pair)].all()}


@pytest.mark.requirement("M-15")
def test_sorted_bodies_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a large system, put in order every 64 steps: logs that went on over that had numbers of other balls."""
    index = np.arange(100)
    place = np.stack([0.5 + 7 * index % 10, 0.5 + (7 * index + index // 10) // 10 % 10], axis=1)
    place = np.unique(place, axis=0)
    velocity = np.stack([np.cos(index), np.sin(index)], axis=1)[: len(place)]
    balls = Balls(position=place[::-1], velocity=velocity, radius=0.25, mass=1.0 + 0.01 * np.arange(len(place)))
    scene = Scene(boundary=Box(size=(10.0, 10.0)), balls=balls)
    alone = Simulation(scene, solver="stepped", step=1 / 64)
    expected = alone.collide(until=2.0)
    monkeypatch.setattr(row_order, "LARGE", 10)
    sim = Simulation(scene, solver="stepped", step=1 / 64)
    log = sim.collide(until=2.0)
    assert len(log) > 50
    for name in ("a", "b", "kind"):
        assert log[name].tolist() == expected[name].tolist()
    assert sim.positions == pytest.approx(alone.positions, abs=1e-9)
