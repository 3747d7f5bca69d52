"""The laws themselves: limits, published values, and functions against an independent library."""

import math

import mpmath
import numpy as np
import pytest

from carom.observe.measures import theory

pytestmark = pytest.mark.requirement("T-08")


def test_virial_coefficients_of_disks_in_closed_form():
    """B_3 of hard disks (L. Tonks, 1936) and B_4 (J. S. Rowlinson; P. C. Hemmer, 1964)."""
    assert theory.VIRIAL[2][1] == pytest.approx(4.0 / 3.0 - math.sqrt(3.0) / math.pi)
    fourth = 2.0 - 4.5 * math.sqrt(3.0) / math.pi + 10.0 / math.pi**2
    assert theory.VIRIAL[2][2] == pytest.approx(fourth, abs=1e-8)


def test_fourth_virial_coefficient_of_balls_in_closed_form():
    """L. Boltzmann, 1899: B_4/B_2³ = 2707/4480 + 219 √2/(2240 π) - 4131 arccos(1/3)/(4480 π)."""
    fourth = (2707.0 + 438.0 * math.sqrt(2.0) / math.pi - 4131.0 * math.acos(1.0 / 3.0) / math.pi) / 4480.0
    assert theory.VIRIAL[3][2] == pytest.approx(fourth, abs=1e-7)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_thin_gas_is_that_of_its_first_virial_coefficients(dimension):
    eta = 1e-3
    second, third = theory.SECOND[dimension], theory.SECOND[dimension] ** 2 * theory.VIRIAL[dimension][1]
    series = 1.0 + second * eta + third * eta**2
    assert theory.compressibility(eta, dimension) == pytest.approx(series, abs=100.0 * eta**3)


def test_balls_against_a_published_equation_of_state():
    """The virial series is within its own uncertainty of the fit to molecular dynamics, said to be good to 4e-5."""
    for eta in (0.1, 0.2, 0.3, 0.4, 0.45):
        published = theory.fitted_balls(eta)
        own = theory.uncertainty(eta, 3)
        assert theory.compressibility(eta, 3) == pytest.approx(published, abs=own + 4e-5 * published)
        assert theory.carnahan_starling(eta) == pytest.approx(published, rel=4e-3)
    assert theory.uncertainty(0.3, 3) < 1e-4 * theory.fitted_balls(0.3)


def test_the_fit_has_the_known_virial_coefficients():
    """Powers of x = η + η² + …: those of η up to the fifth are B_2 to B_6 over the volume of a ball."""
    x = np.array([0.0, *np.ones(8)])
    power, series = np.array([1.0]), np.zeros(9)
    for k in range(9):
        series[: len(power)] += (1.0 if k == 0 else theory.FITTED.get(k, 0.0)) * power[:9]
        power = np.convolve(power, x)[:9]
    for k, virial in enumerate(theory.VIRIAL[3][:5]):
        assert series[k + 1] == pytest.approx(virial * 4.0 ** (k + 1), rel=2e-4)


def test_disks_against_approximations():
    """Henderson's law is good to 0.1 % below η = 0.2 and, as he says, to 2 % in the fluid."""
    assert theory.compressibility(0.2, 2) == pytest.approx(theory.henderson(0.2), rel=1e-3)
    assert theory.compressibility(0.6, 2) == pytest.approx(theory.henderson(0.6), rel=2e-2)
    assert theory.compressibility(0.6, 2) != pytest.approx(theory.henderson(0.6), rel=1e-2)


@pytest.mark.parametrize("dimension", [2, 3])
def test_few_balls_have_fewer_pairs(dimension):
    """To first order in density, N (N - 1)/2 pairs instead of N²/2: Z - 1 is less by 1/N of it."""
    eta, count = 1e-3, 50
    expected = -theory.SECOND[dimension] * eta / count
    assert theory.finite_size(eta, dimension, count) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("a", "b"), [(1.5, 0.5), (1.5, 3.0), (1.5, 748.5), (1.5, 1e5), (2.0, 3.5)])
def test_incomplete_beta_function(a, b):
    x = np.array([0.0, 1e-6, 0.3 / (a + b), 1.0 / (a + b), 5.0 / (a + b + 5.0), 0.5, 0.9, 1.0])
    expected = [float(mpmath.betainc(a, b, 0, value, regularized=True)) for value in x]
    np.testing.assert_allclose(theory.incomplete_beta(a, b, x), expected, atol=1e-11)


@pytest.mark.parametrize("dimension", [2, 3])
def test_shares_are_integrals_of_the_density(dimension):
    v = np.linspace(0.0, 6.0, 6001)
    density = theory.maxwell_density(v, 0.7, 0.5, dimension)
    total = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(v))])
    np.testing.assert_allclose(theory.maxwell_share(v, 0.7, 0.5, dimension), total, atol=1e-6)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_law_of_few_becomes_maxwells(dimension):
    v = np.linspace(0.0, 4.0, 50)
    many = theory.finite_share(v, 1.0, 1.0, dimension, 10**6 * dimension, None)
    np.testing.assert_allclose(many, theory.maxwell_share(v, 1.0, 1.0, dimension), atol=1e-5)
    few = theory.finite_share(v, 1.0, 1.0, dimension, 4 * dimension, None)
    assert np.abs(few - many).max() > 0.02


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("conserved", [False, True])
def test_the_law_of_few_is_that_of_a_sphere(dimension, conserved):
    """Velocities drawn evenly from the sphere of an energy (and of no momentum) have it, by Kolmogorov-Smirnov."""
    count, samples = 4, 20_000
    masses = np.array([1.0, 2.0, 1.0, 5.0])
    rng = np.random.default_rng(11)
    velocities = rng.standard_normal((samples, count, dimension)) / np.sqrt(masses)[:, None]
    freedom = dimension * count
    if conserved:
        velocities -= (masses[:, None] * velocities).sum(axis=1, keepdims=True) / masses.sum()
        freedom -= dimension
    energy = (masses * (velocities**2).sum(axis=2)).sum(axis=1)
    velocities *= np.sqrt(freedom / energy)[:, None, None]  # k_B T = 1
    speed = np.sqrt((velocities**2).sum(axis=2))
    total = masses.sum() if conserved else None
    for k in (0, 1, 3):
        shares = theory.finite_share(speed[:, k], 1.0, masses[k], dimension, freedom, total)
        assert theory.kolmogorov_probability(theory.kolmogorov(shares), samples) > 1e-3
        maxwell = theory.maxwell_share(speed[:, k], 1.0, masses[k], dimension)
        assert theory.kolmogorov_probability(theory.kolmogorov(maxwell), samples) < 1e-3


def test_mean_speed_at_fixed_energy():
    """Of one component on a sphere in f dimensions: a draw of many against the factor."""
    rng = np.random.default_rng(3)
    for freedom in (3, 10):
        x = rng.standard_normal((200_000, freedom))
        x *= np.sqrt(freedom / (x**2).sum(axis=1))[:, None]
        gauss = math.sqrt(2.0 / math.pi)
        assert np.abs(x[:, 0]).mean() / gauss == pytest.approx(theory.fixed_energy(freedom), abs=0.006)


def test_kolmogorov_and_smirnov():
    """The distance of three points by hand; the 5 % point of the asymptotic law is at 1.358 (Stephens, 1970)."""
    assert theory.kolmogorov(np.array([0.1, 0.2, 0.9])) == pytest.approx(2.0 / 3.0 - 0.2)
    assert theory.kolmogorov_probability(1.358 / 100.0, 1e4) == pytest.approx(0.05, abs=0.002)
    assert theory.kolmogorov_probability(0.0, 100.0) == 1.0


def test_chapman_and_cowlings_rate_by_hand():
    """Mean relative speed times cross-section times density: 2σ·√2<v> in the plane, πσ²·√2<v> in space."""
    for dimension, section in ((2, 2.0 * 0.3), (3, math.pi * 0.09)):
        speed = theory.thermal_speed(1.7, 0.4, dimension)
        expected = math.sqrt(2.0) * speed * section * 5.0
        assert theory.enskog_rate(5.0, 0.3, 1.7, 0.4, 1.0, dimension) == pytest.approx(expected)
