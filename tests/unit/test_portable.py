"""Arithmetic with the same bits on every processor: is it also right?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom import numerics

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@pytest.mark.parametrize(
    ("one", "other"), [((5,), (5,)), ((5,), (5, 2)), ((4, 3), (3,)), ((4, 3), (3, 2)), ((3, 3), (3, 3))]
)
def test_a_product_is_that_of_matrices(one, other):
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=one), rng.normal(size=other)
    found = numerics.product(a, b)
    assert found.shape == (a @ b).shape
    assert found == pytest.approx(a @ b, rel=1e-14, abs=1e-14)


def test_long_sums_stay_precise():
    """A million tenths: one after the other they would be off by 1e-11 of their sum, pairwise by less than 1e-14."""
    assert numerics.product(np.full(1_000_000, 0.1), np.ones((1_000_000, 2))) == pytest.approx([1e5, 1e5], rel=1e-14)


@given(st.lists(numbers, min_size=1, max_size=3))
def test_the_length_of_a_vector(vector):
    assert numerics.length(vector) == pytest.approx(math.hypot(*vector), rel=1e-15, abs=1e-150)


@given(numbers, st.integers(0, 4))
def test_a_power_is_multiplied_out(value, exponent):
    assert numerics.power([value], exponent)[0] == pytest.approx(value**exponent, rel=1e-15, abs=1e-300)


@given(st.lists(numbers, max_size=6))
def test_a_function_of_each_number(values):
    assert numerics.each(math.atan, values).tolist() == [math.atan(value) for value in values]
    assert numerics.each(math.atan2, [values], [values[::-1]]).tolist() == [[*map(math.atan2, values, values[::-1])]]
