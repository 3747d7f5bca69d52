"""The walk over cells meets every near pair, in every image, once: compared with all pairs."""

import itertools

import numpy as np
import pytest

from carom.kernels.jit import inline, kernel
from carom.solvers.stepped.contacts.grid import (
    CELLS_PER_BODY,
    ITSELF,
    Space,
    file_bodies,
    grid_memory,
    shift_of,
    walk,
    wrapped,
)
from reference.laws import called

OPEN = Space((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (False, False, False))


@inline
def write_down(dim, count, a, b, image, shift, parts):
    pairs, shifts = parts
    pairs[count, 0], pairs[count, 1], pairs[count, 2] = a, b, image
    shifts[count, 0], shifts[count, 1], shifts[count, 2] = shift
    return count + 1


@kernel
def all_pairs(dim, grid, space, place, n, edge, pairs, shifts):
    file_bodies(dim, grid, space, place, n, edge)
    return walk(dim, grid, space, write_down, 0, (pairs, shifts))


def visited(dimension, space, place, edge, n=None):
    """(body, partner, periods of the partner), the lower number first, and the grid."""
    n = len(place) if n is None else n
    grid = grid_memory(max(n, 1))
    pairs, shifts = np.zeros((20 * n * n + 10, 3), np.int64), np.zeros((20 * n * n + 10, 3))
    count = all_pairs((0,) * dimension, grid, space, place, n, edge, pairs, shifts)
    met = []
    for (a, b, image), shift in zip(pairs[:count], shifts[:count], strict=True):
        i, j = int(grid.order[a]), int(grid.order[b])
        periods = np.array([image % 3 - 1, image // 3 % 3 - 1, image // 9 - 1])
        assert np.array_equal(periods * np.array(space.size), shift)
        met.append((i, j, *periods.tolist()) if i <= j else (j, i, *(-periods).tolist()))
    return met, grid


def near(dimension, space, place, edge):
    """All pairs nearer than the edge, with all images next to the box, by brute force."""
    found = set()
    images = list(itertools.product(*[(-1, 0, 1) if space.periodic[k] else (0,) for k in range(dimension)]))
    for i, j in itertools.combinations(range(len(place)), 2):
        for image in images:
            d = place[i, :dimension] - place[j, :dimension] - np.array(image) * np.array(space.size)[:dimension]
            if d @ d < edge * edge:
                found.add((i, j, *image, *(0,) * (3 - dimension)))
    return found


@pytest.mark.requirement("M-15", "M-17")
@pytest.mark.parametrize("edge", [0.11, 0.3, 0.45, 0.9])
@pytest.mark.parametrize("periodic", [(False,) * 3, (True, False, False), (False, True, True), (True,) * 3])
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_near_pair_is_met_once(dimension, periodic, edge):
    space = Space((-0.2, 0.0, 1.0), (1.0, 1.3, 0.9), periodic)
    rng = np.random.default_rng(5)
    place = np.zeros((60, 4))
    place[:, :dimension] = (np.array(space.low) + rng.uniform(size=(60, 3)) * space.size)[:, :dimension]
    met, _ = visited(dimension, space, place, edge)
    apart = [pair for pair in met if pair[0] != pair[1]]  # along one cell, a body meets its own image
    assert len(set(apart)) == len(apart)
    assert all(any(periods) for i, j, *periods in met if i == j)  # but not itself
    assert near(dimension, space, place, edge) <= set(apart)
    if edge < 0.2:
        assert len(apart) < 60 * 59 / 4


def test_bodies_stand_cell_by_cell_and_in_a_cell_by_number():
    place = np.zeros((500, 4))
    place[:, :2] = np.random.default_rng(6).uniform(size=(500, 2))
    _, grid = visited(2, OPEN, place, 0.1)
    nx, ny = int(grid.shape[0]), int(grid.shape[1])
    assert sorted(grid.order.tolist()) == list(range(500))
    keys = [(int(grid.cell[i]), int(i)) for i in grid.order]
    assert keys == sorted(keys)
    for c in range(nx * ny):
        assert all(grid.cell[i] == c for i in grid.order[grid.first[c] : grid.first[c + 1]])


def test_only_active_bodies_are_sorted():
    place = np.zeros((10, 4))
    place[7:, 0] = np.nan
    met, _ = visited(2, OPEN, place, 0.1, n=7)
    assert len(met) == 21


@pytest.mark.parametrize("far", [1e3, 1e12, 1e150])
def test_a_body_far_away_does_not_make_more_cells(far):
    place = np.zeros((50, 4))
    place[:, :2] = np.random.default_rng(7).uniform(size=(50, 2))
    place[0, 0] = far
    met, grid = visited(2, OPEN, place, 0.05)
    assert grid.shape.prod() <= CELLS_PER_BODY * 50
    assert near(2, OPEN, place, 0.05) <= set(met)


@pytest.mark.parametrize("nowhere", [np.nan, np.inf])
def test_a_body_that_is_nowhere_breaks_nothing(nowhere):
    place = np.zeros((5, 4))
    place[:, 0] = [0.0, 0.01, nowhere, 5.0, 5.01]
    met, _ = visited(2, OPEN, place, 0.05)
    assert {(0, 1, 0, 0, 0), (3, 4, 0, 0, 0)} <= set(met)


def test_points_without_a_reach_share_a_cell():
    place = np.zeros((4, 4))
    place[:, 0] = [0.0, 1.0, 2.0, 3.0]
    met, grid = visited(2, OPEN, place, 0.0)
    assert grid.shape.prod() == 1
    assert len(met) == 6


def test_wrapping_and_image_codes():
    wrap, shift = called(wrapped), called(shift_of)
    for x, there in [(0.3, 0.3), (-0.9, 0.1), (2.3, 0.3), (-0.2, 0.8)]:
        assert wrap(x, -0.1, 1.0) == pytest.approx(there, abs=1e-15)
    assert shift(OPEN, ITSELF) == (0.0, 0.0, 0.0)
    assert shift(Space((0.0,) * 3, (2.0, 3.0, 5.0), (True,) * 3), 0 + 3 * 1 + 9 * 2) == (-2.0, 0.0, 5.0)
