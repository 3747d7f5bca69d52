"""Theory of gases of hard disks and balls: the laws that measurements are compared with."""

from __future__ import annotations

from math import erf, exp, lgamma, log, pi, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

VIRIAL = {
    2: (1.0, 4.0 / 3.0 - sqrt(3.0) / pi, 0.53223180, 0.33355604, 0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537),
    3: (1.0, 0.625, 0.2869495, 0.110252, 0.03888198, 0.01302354, 0.0041832, 0.0013094, 0.0004035),
}
"""B_k / B_2^(k-1) of hard disks and hard balls, k = 2 to 10.

The first three in closed form; the others from N. Clisby and B. M. McCoy, J. Stat. Phys. 122 (2006) 15, table 1.
"""
FITTED = {
    1: 4.0, 2: 6.0, 3: 2.3647684, 4: -0.8698551, 5: 1.1062803, 6: -1.1014221, 7: 0.66605866, 8: -0.03633431,
    10: -0.20965164, 14: 0.10555569, 22: -0.00872380,
}  # fmt: skip
"""Coefficients of `fitted_balls`, by the power of η/(1 - η)."""
SECOND = {2: 2.0, 3: 4.0}
"""B_2 over the volume of a ball."""


def packing_fraction(radii: Floats, volume: float, dimension: int) -> float:
    """η: the packing fraction, the part of the volume that balls fill."""
    each = pi * radii**2 if dimension == 2 else 4.0 / 3.0 * pi * radii**3
    return float(each.sum() / volume)


def compressibility(eta: float, dimension: int) -> float:
    """Z = p V / (N k_B T) of equal hard balls in the fluid, from ten virial coefficients.

    The series for (1 - η)^d Z, whose coefficients fall off quickly: as in scaled particle theory (H. Reiss, H. L.
    Frisch and J. L. Lebowitz, J. Chem. Phys. 31 (1959) 369) the power takes away most of the growth. `uncertainty`
    tells how good it is.
    """
    return _series(eta, dimension, 10)


def uncertainty(eta: float, dimension: int) -> float:
    """Five times the last term of the series in `compressibility`: a bound of its error in the fluid.

    Five, because other ways to sum the coefficients (Padé approximants) and the published equation of state of
    balls differ by up to as much. Near freezing the series is still too high (disks, 0.70): at η = 0.67 by 1.5 %
    (B. Li and others, J. Chem. Phys. 157 (2022) 234111).
    """
    return 5.0 * abs(_series(eta, dimension, 10) - _series(eta, dimension, 9))


def _series(eta: float, dimension: int, terms: int) -> float:
    """(1 - η)^-d times the series of (1 - η)^d Z, with the first `terms` virial coefficients."""
    virial = np.array([1.0, *(b * SECOND[dimension] ** (k + 1) for k, b in enumerate(VIRIAL[dimension]))])[:terms]
    damped = np.convolve(virial, np.polynomial.polynomial.polypow([1.0, -1.0], dimension))[:terms]
    return float(np.polynomial.polynomial.polyval(eta, damped) / (1.0 - eta) ** dimension)


def henderson(eta: Number) -> Number:
    """Z of hard disks, (1 + η²/8) / (1 - η)²: D. Henderson, Mol. Phys. 30 (1975) 971; below 0.1 % for η < 0.2."""
    return (1.0 + eta**2 / 8.0) / (1.0 - eta) ** 2


def carnahan_starling(eta: Number) -> Number:
    """Z of hard balls, (1 + η + η² - η³) / (1 - η)³: N. F. Carnahan, K. E. Starling, J. Chem. Phys. 51 (1969) 635."""
    return (1.0 + eta + eta**2 - eta**3) / (1.0 - eta) ** 3


def fitted_balls(eta: float) -> float:
    """Z of hard balls, fitted to molecular dynamics: a power series in η/(1 - η) with the known B_2 to B_6.

    The form, and the accuracy of 4e-5 in the fluid, are of J. Kolafa, S. Labík and A. Malijevský, Phys. Chem. Chem.
    Phys. 6 (2004) 2335; the coefficients are those of the program DynamO (Enskog.hpp, there called HEYES).
    """
    x = eta / (1.0 - eta)
    return 1.0 + sum(factor * x**power for power, factor in FITTED.items())


def finite_size(eta: float, dimension: int, count: int) -> float:
    """The difference of Z of N balls in a periodic box from that of an infinite system, to first order in 1/N.

    With N fixed, β F = N β f + ln S(0) / 2 (a sum over N in the grand ensemble, to second order round its peak), so
    that ΔZ = (η / 2 N) d ln S(0) / dη with 1/S(0) = d(η Z)/dη: J. L. Lebowitz and J. K. Percus, Phys. Rev. 124 (1961)
    1673. Its lowest order, -2^(d-1) η / N, is that of N (N - 1) / 2 pairs.
    """
    step = 1e-4 * min(eta, 1.0 - eta)

    def stiffness(at: float) -> float:
        above, below = at + step, at - step
        return (above * compressibility(above, dimension) - below * compressibility(below, dimension)) / (2.0 * step)

    slope = (log(stiffness(eta + step)) - log(stiffness(eta - step))) / (2.0 * step)
    return -0.5 * eta * slope / count


def contact_value(z: float, eta: float, dimension: int) -> float:
    """g(σ) = (Z - 1) / (2^(d-1) η), exact for hard balls: the virial theorem at contact."""
    return (z - 1.0) / (2.0 ** (dimension - 1) * eta)


def thermal_speed(kt: float, mass: float, dimension: int) -> float:
    """Maxwell's mean speed, m/s: sqrt(π k_B T / 2 m) in the plane, sqrt(8 k_B T / π m) in space."""
    return sqrt(pi * kt / (2.0 * mass)) if dimension == 2 else sqrt(8.0 * kt / (pi * mass))


def enskog_rate(density: float, diameter: float, kt: float, mass: float, chi: float, dimension: int) -> float:
    """Γ of a ball in a gas of equal balls, 1/s: 2 ρ σ χ sqrt(π k_B T / m) in 2D, 4 ρ σ² χ sqrt(π k_B T / m) in 3D.

    χ is the contact value g(σ): Enskog's theory (S. Chapman and T. G. Cowling, ch. 16). It is exact in equilibrium, as
    velocities are independent of positions there; for few balls multiply by `fixed_energy`.
    """
    speed = sqrt(pi * kt / mass)
    return 2.0 * density * diameter * chi * speed if dimension == 2 else 4.0 * density * diameter**2 * chi * speed


def fixed_energy(freedom: int) -> float:
    """The factor by which mean speeds, and so rates, at fixed energy exceed those of Maxwell's law.

    From a component of a vector that is uniform on a sphere in f dimensions: sqrt(f/2) Γ(f/2) / Γ((f + 1)/2), about
    1 + 1/(4 f).
    """
    return sqrt(0.5 * freedom) * exp(lgamma(0.5 * freedom) - lgamma(0.5 * (freedom + 1)))


def enskog_diffusion(density: float, diameter: float, kt: float, mass: float, chi: float, dimension: int) -> float:
    """Enskog's D in the first Sonine approximation, m²/s.

    1/(2 ρ σ χ) sqrt(k_B T / π m) in 2D (D. M. Gass, J. Chem. Phys. 54 (1971) 1898), 3/(8 ρ σ² χ) sqrt(k_B T / π m) in
    3D (Chapman and Cowling, ch. 16). For gases: in dense fluids successive collisions are correlated, and D differs.
    """
    speed = sqrt(kt / (pi * mass))
    if dimension == 2:
        return speed / (2.0 * density * diameter * chi)
    return 3.0 * speed / (8.0 * density * diameter**2 * chi)


# Speeds.


def maxwell_density(speed: Floats, kt: float, mass: float, dimension: int) -> Floats:
    """Maxwell's density of speeds, s/m: v/s² e^(-v²/2s²) in the plane, sqrt(2/π) v²/s³ e^(-v²/2s²), s² = k_B T/m."""
    s2 = kt / mass
    bell = np.exp(-(speed**2) / (2.0 * s2))
    return np.asarray(speed / s2 * bell if dimension == 2 else sqrt(2.0 / pi) * speed**2 / s2**1.5 * bell)


def maxwell_share(speed: Floats, kt: float, mass: Floats | float, dimension: int) -> Floats:
    """The cumulative distribution of speeds by Maxwell's law."""
    x = np.asarray(speed) / np.sqrt(kt / np.asarray(mass))
    if dimension == 2:
        return -np.expm1(-0.5 * x**2)
    wide = np.array([erf(each / sqrt(2.0)) for each in np.ravel(x)]).reshape(np.shape(x))
    return np.asarray(wide - sqrt(2.0 / pi) * x * np.exp(-0.5 * x**2))


def finite_share(
    speed: Floats, kt: float, mass: Floats | float, dimension: int, freedom: int, total: float | None
) -> Floats:
    """The cumulative distribution of speeds of few balls, whose total energy is fixed.

    All velocities are uniform on a sphere in f dimensions; the share of balls below v is the regularised incomplete
    beta function I_x(d/2, (f - d)/2) with x = v²/v_max², v_max² = f k_B T / m; if total momentum is zero, v_max² is
    multiplied by 1 - m/M, where M is the mass of all balls, `total` (None: momentum is not conserved).
    """
    most = freedom * kt / np.asarray(mass)
    if total is not None:
        most = most * (1.0 - np.asarray(mass) / total)
    x = np.clip(np.asarray(speed) ** 2 / most, 0.0, 1.0)
    b = 0.5 * (freedom - dimension)
    if b <= 0.0:
        return np.where(x < 1.0, 0.0, 1.0)
    if dimension == 2:
        return 1.0 - (1.0 - x) ** b
    return incomplete_beta(1.5, b, x)


def incomplete_beta(a: float, b: float, x: Floats) -> Floats:
    """I_x(a, b) by its continued fraction: NIST Digital Library of Mathematical Functions, 8.17.22."""
    x = np.asarray(x, dtype=np.float64)
    swap = x > (a + 1.0) / (a + b + 2.0)
    result = np.empty_like(x)
    for flag, (p, q) in ((False, (a, b)), (True, (b, a))):
        rows = swap == flag
        y = 1.0 - x[rows] if flag else x[rows]
        part = _beta_fraction(p, q, y)
        result[rows] = 1.0 - part if flag else part
    return result


def _beta_fraction(a: float, b: float, x: Floats) -> Floats:
    front = lgamma(a + b) - lgamma(a) - lgamma(b)
    with np.errstate(divide="ignore"):  # log 0 is a share of 0, or of 1
        front_x = np.exp(front + a * np.log(x) + b * np.log1p(-x))
    d = 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    c, h = np.ones_like(x), d
    for m in range(1, 400):
        for k in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 / (1.0 + k * d)
            c = 1.0 + k / c
            h = h * c * d
        if np.all(np.abs(c * d - 1.0) < 1e-13):
            break
    return np.asarray(front_x * h / a)


def kolmogorov(shares: Floats) -> float:
    """D: the largest distance between the sorted shares and a uniform distribution in 0 to 1."""
    ordered = np.sort(shares)
    n = ordered.size
    steps = np.arange(n)
    return float(max((ordered - steps / n).max(), ((steps + 1.0) / n - ordered).max())) if n else float("nan")


def kolmogorov_probability(distance: float, independent: float) -> float:
    """The probability that n independent samples of the law itself are at this distance or a larger one.

    2 Σ (-1)^(k-1) exp(-2 k² λ²) with λ = D (sqrt(n) + 0.12 + 0.11/sqrt(n)): M. A. Stephens, J. R. Stat. Soc. B 32
    (1970) 115.
    """
    root = sqrt(independent)
    scaled = distance * (root + 0.12 + 0.11 / root)
    if scaled < 0.2:
        return 1.0
    return min(1.0, 2.0 * sum((-1.0) ** (k - 1) * exp(-2.0 * (k * scaled) ** 2) for k in range(1, 101)))


def barometric_height(kt: float, mass: float, gravity: float) -> float:
    """The scale height k_B T / (m g), m: the density of an ideal gas decreases as e^(-y/h)."""
    return kt / (mass * gravity)
