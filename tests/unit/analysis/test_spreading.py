"""Diffusion from places and velocities whose D is known."""

import numpy as np
import pytest

from carom.analysis.diffusion import LagFunctions, correlate


def langevin(count, balls, spacing, tau, seed, shared=0.0):
    """Velocities of <v²> = 1 an axis that forget exponentially, and the places; `shared` is the part of all balls."""
    rng = np.random.default_rng(seed)
    kept = np.exp(-spacing / tau)
    noise = np.sqrt(1.0 - shared) * rng.standard_normal((count, balls, 2))
    noise += np.sqrt(shared) * rng.standard_normal((count, 1, 2))
    velocities = noise.copy()
    for k in range(1, count):
        velocities[k] = kept * velocities[k - 1] + np.sqrt(1.0 - kept**2) * noise[k]
    # Straight between two frames, which makes D = spacing (1 + kept) / (2 (1 - kept)), near tau.
    steps = 0.5 * spacing * (velocities[1:] + velocities[:-1])
    return np.concatenate([np.zeros((1, balls, 2)), np.cumsum(steps, axis=0)]), velocities


def test_green_and_kubo_agree_with_einstein():
    """With the frames so near that the first lags, which are consecutive, end far before 30 τ."""
    tau, spacing = 1.0, 0.02
    found = correlate(spacing, *langevin(6000, 64, spacing, tau, 1))
    kubo, einstein = found.green_kubo(30.0 * tau), found.diffusion(10.0 * tau, 30.0 * tau)
    assert kubo.mean == pytest.approx(tau, abs=4.0 * kubo.error)
    assert einstein.mean == pytest.approx(tau, abs=4.0 * einstein.error)
    assert kubo.error < 0.1 * tau
    # Cut off after the 47 consecutive lags it would be 0.61.
    assert found.green_kubo(47 * spacing).mean < 0.7 * tau


def test_far_frames_do_not_make_the_integral_too_large():
    """Of an exponential the trapezoidal rule is 1.3 % too large at 0.4 τ."""
    lags = 0.4 * np.arange(8)
    rows = np.tile(2.0 * np.exp(-lags), (8, 1))
    found = LagFunctions(lags, np.zeros_like(rows), rows, np.zeros((8, 20)), np.tile(rows[:1].T, 20), 2)
    assert found.green_kubo(2.8).mean == pytest.approx(1.0 - np.exp(-2.8), rel=1e-12)
    assert found.memory == pytest.approx(1.2)


def test_balls_that_share_a_motion_have_a_larger_error():
    """As much as many runs differ; groups of balls alone would tell less than a tenth of that."""
    runs = [correlate(0.2, *langevin(800, 32, 0.2, 1.0, seed, shared=0.9)).diffusion(10.0, 20.0) for seed in range(12)]
    true = np.std([run.mean for run in runs], ddof=1)
    told = np.mean([run.error for run in runs])
    assert 0.5 * true < told < 2.0 * true


def test_a_short_run_has_no_diffusion():
    found = correlate(0.1, *langevin(60, 16, 0.1, 1.0, 3))
    assert found.diffusion(10.0, 20.0) is None
