"""An order of balls along a curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.solvers.exact.memory import curve_order, spread


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
