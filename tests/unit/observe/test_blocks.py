"""Error bars by blocking: of white noise, and of a series whose correlations are known."""

import math

import numpy as np
import pytest

from carom.observe.blocks import columns, estimate

RNG = np.random.default_rng(1989)


def autoregressive(count, memory):
    """x' = a x + noise: its variance is 1, and sums of it are (1 + a)/(1 - a) times as uncertain."""
    noise = RNG.standard_normal(count) * math.sqrt(1.0 - memory**2)
    values = np.empty(count)
    last = RNG.standard_normal()
    for k in range(count):
        last = memory * last + noise[k]
        values[k] = last
    return values


def test_white_noise():
    values = 3.0 + 0.5 * RNG.standard_normal(4096)
    found = estimate(values)
    assert found.mean == pytest.approx(values.mean())
    assert found.error == pytest.approx(0.5 / 64.0, rel=0.2)
    assert found.settled
    assert found.inefficiency < 1.5


@pytest.mark.parametrize("memory", [0.5, 0.9, 0.98])
def test_correlated_samples(memory):
    """Of 20 series, the mean squared error is that of theory; a plain standard error would be far too small."""
    count = 8192
    squares = [estimate(autoregressive(count, memory)).error ** 2 for _ in range(20)]
    theory = (1.0 + memory) / (1.0 - memory) / count
    assert np.mean(squares) == pytest.approx(theory, rel=0.2)
    assert theory > 2.9 / count


def test_errors_cover_the_truth():
    """Of 200 series the true mean is within two errors about 95 times in 100 (at least 90, at most 100)."""
    inside = 0
    for _ in range(200):
        found = estimate(autoregressive(1024, 0.8))
        inside += abs(found.mean) < 2.0 * found.error
    assert 180 <= inside <= 200


def test_a_series_that_is_too_short_is_not_settled():
    ramp = estimate(np.arange(64.0))  # blocks of any length are as different as single samples
    assert not ramp.settled
    assert ramp.error > 3.0 * np.arange(64.0).std() / 8.0


def test_weights_are_lengths_of_intervals():
    found = estimate([1.0, 4.0, 4.0, 1.0, 1.0, 4.0], [3.0, 1.0, 1.0, 3.0, 3.0, 1.0])
    assert found.mean == pytest.approx((9.0 + 12.0) / 12.0)


def test_not_a_number_is_left_out():
    assert estimate([np.nan, 1.0, 3.0, np.inf]).mean == 2.0
    assert estimate([np.nan, 1.0, 3.0]).samples == 2


def test_too_little_has_no_error():
    assert math.isnan(estimate([]).mean)
    assert estimate([2.0]).mean == 2.0
    assert math.isnan(estimate([2.0]).error)
    assert estimate([2.0, 2.0, 2.0]).error == 0.0


def test_columns_are_estimated_one_by_one():
    table = RNG.standard_normal((256, 2, 3))
    means, errors = columns(table)
    assert means.shape == errors.shape == (2, 3)
    assert means[1, 2] == pytest.approx(table[:, 1, 2].mean())
    assert errors[0, 1] == estimate(table[:, 0, 1]).error
