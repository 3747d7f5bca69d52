"""Memory: aligned arrays, and the order along a curve."""

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom import Simulation, library
from carom.kernels.jit import PAGE
from carom.solvers.exact.balls import ball_record
from carom.solvers.exact.memory import LINE, ROW, aligned, curve_order, placed, spread, twin, two_rows


@pytest.mark.parametrize("count", [1, 7, 1000])
def test_arrays_begin_on_a_cache_line(count):
    array = aligned(count, ball_record)
    assert array.size == count
    assert array.ctypes.data % LINE == 0
    assert not array.view(np.uint8).any()


@pytest.mark.parametrize("dimension", [2, 3])
@given(data=st.data())
def test_an_order_is_a_permutation(dimension, data):
    coordinate = st.floats(-1e3, 1e3)
    points = data.draw(st.lists(st.tuples(*[coordinate] * dimension), min_size=1, max_size=50))
    order = curve_order(np.array(points))
    assert sorted(order.tolist()) == list(range(len(points)))


@pytest.mark.parametrize("points", [np.zeros((5, 2)), np.stack([np.arange(5.0), np.zeros(5)], axis=1)])
def test_balls_at_one_place_or_in_a_row_are_ordered_too(points):
    assert curve_order(points).tolist() == [0, 1, 2, 3, 4]


def test_neighbours_in_space_are_neighbours_in_memory():
    """Along the curve the next ball is near: about one spacing away instead of half a box."""
    points = np.random.default_rng(8).uniform(size=(4096, 2))
    ordered = points[curve_order(points)]
    step = np.linalg.norm(np.diff(ordered, axis=0), axis=1)
    assert np.median(step) < 2.0 / 64.0  # the spacing is 1/64
    assert np.median(np.linalg.norm(np.diff(points, axis=0), axis=1)) > 0.4


@given(st.integers(0, 2**20 - 1))
def test_two_zero_bits_between_bits(x):
    wide = int(spread(np.array([x], np.uint64))[0])
    assert wide == sum(((x >> k) & 1) << (3 * k) for k in range(20))


@pytest.mark.parametrize("place", [0, 0x800, 0xD80])
@pytest.mark.parametrize("count", [1, 7, 100_000])
def test_an_array_begins_at_its_place_in_a_page(place, count):
    array = placed(count, np.float64, place)
    assert array.ctypes.data % PAGE == place
    assert array.shape == (count,)
    assert not array.any()


@pytest.mark.parametrize("least", [1, 64, 1056, 1057, 5000])
@pytest.mark.parametrize("kind", [np.uint32, np.float64])
def test_two_rows_have_room_and_are_apart_in_their_pages(least, kind):
    rows = two_rows(least, kind, 0xA00)
    assert rows.shape[0] == 2
    assert rows.shape[1] >= least
    assert rows.flags.c_contiguous
    first, second = rows.ctypes.data, rows[1].ctypes.data
    assert first % PAGE == 0xA00
    assert (second - first) % PAGE == ROW * rows.itemsize


def test_a_twin_has_the_places_and_the_blocks_of_its_arrays():
    pool = placed(1000, np.uint32, 0x128)
    pool[:] = np.arange(1000)
    other, (head, rows) = twin((pool, (pool[3:5], pool[10:].reshape(-1, 2)[:, 1])), {})
    assert other.ctypes.data % PAGE == 0x128
    assert not np.shares_memory(pool, other)
    other[4], other[13] = 7, 8
    assert head.tolist() == [3, 7]
    assert rows[:2].tolist() == [11, 8]
    assert pool[4] == 4


@pytest.mark.parametrize("packing", [0.3, 0.7])
def test_a_copy_of_a_run_stands_in_memory_as_the_run_does(packing):
    sim = Simulation(library.load("gas", count=300, packing_fraction=packing, seed=3)).run(collisions=1000)
    mine, other = sim._solver, sim.copy().copy()._solver
    for name in ("clock", "balls", "index.calendar.times", "index.calendar.balls", "index.calendar.blocks"):
        one, two = attrgetter(name)(mine), attrgetter(name)(other)
        assert one.ctypes.data % PAGE == two.ctypes.data % PAGE
        assert not np.shares_memory(one, two)
    same = ("slots", "lines") if packing < 0.5 else ("pool", "heads")
    assert np.shares_memory(*(getattr(mine.index.hood, name) for name in same))
    assert np.shares_memory(*(getattr(other.index.hood, name) for name in same))
