"""Neighbours of floats, as NumPy has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.kernels.floats import next_down, next_up
from reference.laws import called

up, down = called(next_up), called(next_down)


@given(st.floats(allow_nan=False))
@pytest.mark.parametrize(("ours", "way"), [(up, np.inf), (down, -np.inf)])
def test_the_next_float_is_that_of_numpy(ours, way, x):
    with np.errstate(over="ignore", under="ignore"):
        assert np.float64(ours(x)).tobytes() == np.nextafter(x, way).tobytes()


@pytest.mark.parametrize(
    "x", [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1.0, np.finfo(float).max, np.finfo(float).tiny]
)
def test_at_the_edges(x):
    with np.errstate(over="ignore", under="ignore"):
        assert up(x) == np.nextafter(x, np.inf)
        assert down(x) == np.nextafter(x, -np.inf)
    assert np.isnan(up(np.nan))
