"""Attraction between all pairs, against sums in NumPy and closed forms."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.kernels.jit import kernel
from carom.kernels.powers import inverse, inverse_cube
from carom.kernels.simd import fused, short, total, without, write
from carom.kernels.simd import read_eight as read
from carom.solvers.stepped.attraction import direct as attraction
from carom.solvers.stepped.attraction.direct import direct

EPS = np.finfo(float).eps
DIM = {2: (0.0, 0.0), 3: (0.0, 0.0, 0.0)}
FLAVOURS = pytest.mark.parametrize("strict", [(), (1.0,)], ids=["quick", "strict"])
DIMENSIONS = pytest.mark.parametrize("dimension", [2, 3])


@kernel
def add(dim, direct, place, accel, n):
    attraction.add_direct(dim, direct, place, accel, n)


@kernel
def energy(dim, direct, place, accel, n):
    return attraction.energy_direct(dim, direct, place, accel, n)


def bodies(n, dimension, seed=1):
    """Places and masses at random; in two dimensions z is rubbish, which must not matter."""
    rng = np.random.default_rng(seed)
    place, accel = rng.normal(size=(n, 4)), np.zeros((n, 4))
    accel[:, 3] = rng.uniform(0.1, 2.0, size=n)
    return place, accel


def direct_of(n, G=1.0, softening=0.0, strict=()):
    return direct(G, softening**2, strict, n)


def accelerations(place, mass, dimension=3, G=1.0, softening=0.0, strict=()):
    accel = np.zeros((len(place), 4))
    accel[:, 3] = mass
    add(DIM[dimension], direct_of(len(place), G, softening, strict), place, accel, len(place))
    return accel[:, :3]


def by_numpy(place, mass, dimension, G, softening):
    """All terms G m_j d / (d² + ε²)^(3/2), in extended precision: [i, j, component]."""
    x = place[:, :dimension].astype(np.longdouble)
    d = x[None, :, :] - x[:, None, :]
    s = (d**2).sum(axis=2) + np.longdouble(softening) ** 2
    np.fill_diagonal(s, 1.0)
    return G * mass[None, :, None] * d / (s * np.sqrt(s))[:, :, None]


@FLAVOURS
@DIMENSIONS
@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 64, 203])
@pytest.mark.parametrize("softening", [0.0, 0.3])
def test_the_sum_over_all_pairs(strict, dimension, n, softening):
    place, accel = bodies(n, dimension)
    mass = accel[:, 3].copy()
    add(DIM[dimension], direct_of(n, 6.5, softening, strict), place, accel, n)
    terms = by_numpy(place, mass, dimension, 6.5, softening)
    # A term is wrong by a dozen roundings at most; sums run over eight lanes, so that their roundings are fewer.
    allowed = (12 + n / 4) * EPS * np.abs(terms).sum(axis=1)
    assert (np.abs(accel[:, :dimension] - terms.sum(axis=1)) <= allowed).all()
    assert not accel[:, dimension:3].any()
    assert np.array_equal(accel[:, 3], mass)


@FLAVOURS
def test_relative_error_of_the_inverse_cube(strict):
    rng = np.random.default_rng(2)
    s = rng.uniform(1.0, 4.0, size=200_000) * 4.0 ** rng.integers(-166, 170, size=200_000)
    cube, one = np.zeros_like(s), np.zeros_like(s)
    powers(strict, s, cube, one)
    exact = s.astype(np.longdouble)
    assert np.abs(one * exact - 1.0).max() < 2.5 * EPS
    assert np.abs(cube * exact * np.sqrt(exact) - 1.0).max() < 2.5 * EPS


@kernel
def powers(strict, s, cube, one):
    for k in range(0, s.size, 8):
        write(cube, k, inverse_cube(strict, read(s, k)))
        write(one, k, inverse(strict, read(s, k)))


def test_strict_is_the_arithmetic_of_ieee():
    """The same bits as NumPy's + - * / and square root, in the order of the equation."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        place = rng.normal(size=(2, 4))
        dx, dy, dz = place[1, :3] - place[0, :3]
        s = dx * dx + 0.01**2 + dy * dy + dz * dz
        k = 5.0 * (1.0 / (s * np.sqrt(s)))
        found = accelerations(place, np.array([3.0, 5.0]), softening=0.01, strict=(1.0,))
        assert found[0].tolist() == [k * dx, k * dy, k * dz]


@FLAVOURS
@DIMENSIONS
def test_two_bodies(strict, dimension):
    """G m / r², towards the other; Earth and Moon."""
    place = np.zeros((2, 4))
    place[1, 1] = 3.844e8
    found = accelerations(place, np.array([5.972e24, 7.346e22]), dimension, 6.674e-11, strict=strict)
    assert found[0] == pytest.approx([0.0, 6.674e-11 * 7.346e22 / 3.844e8**2, 0.0], rel=4 * EPS)
    assert found[1] == pytest.approx([0.0, -6.674e-11 * 5.972e24 / 3.844e8**2, 0.0], rel=4 * EPS)


def test_softening_halves_the_pull():
    """Where (1 + ε²/d²)^(3/2) = 2."""
    place = np.zeros((2, 4))
    place[1, 0] = 2.0
    softening = 2.0 * np.sqrt(2.0 ** (2.0 / 3.0) - 1.0)
    assert accelerations(place, np.array([1.0, 1.0]), softening=softening)[0, 0] == pytest.approx(0.125, rel=8 * EPS)


def sphere(n):
    """Points spread evenly over the unit sphere, along a spiral (Swinbank and Purser, 2006)."""
    z = (2.0 * np.arange(n) + 1.0) / n - 1.0
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(n)
    ring = np.sqrt(1.0 - z * z)
    return np.stack([ring * np.cos(turn), ring * np.sin(turn), z], axis=1)


@FLAVOURS
def test_shell_theorem(strict):
    """No pull inside a shell; outside as if all were at its centre.

    The spiral's caps are uneven by a few points of n; hence 5/n, of the pull at the surface.
    """
    n = 4000
    probes = np.array([[0.0, 0.0, 0.0], [0.3, 0.2, -0.5], [-0.6, 0.1, 0.2], [2.0, 0.0, 0.0], [-1.0, 2.0, 2.0]])
    place = np.zeros((n + len(probes), 4))
    place[:n, :3], place[n:, :3] = sphere(n), probes
    mass = np.zeros(len(place))
    mass[:n] = 1.0 / n
    found = accelerations(place, mass, strict=strict)[n:]
    assert np.abs(found[:3]).max() < 5.0 / n
    assert found[3] == pytest.approx([-0.25, 0.0, 0.0], abs=5.0 / n)
    assert found[4] == pytest.approx(np.array([1.0, -2.0, -2.0]) / 27.0, abs=5.0 / n)


@FLAVOURS
@DIMENSIONS
@pytest.mark.parametrize("n", [2, 13, 500])
def test_momentum_is_kept_to_rounding(strict, dimension, n):
    place, accel = bodies(n, dimension, seed=n)
    mass = accel[:, 3]
    forces = mass[:, None] * accelerations(place, mass, dimension, strict=strict)
    terms = np.abs(mass[:, None, None] * by_numpy(place, mass, dimension, 1.0, 0.0)).sum()
    assert np.abs(forces.sum(axis=0)).max() <= 4 * EPS * terms


@FLAVOURS
@DIMENSIONS
def test_bodies_at_one_place_do_not_attract_each_other(strict, dimension):
    place = np.zeros((20, 4))
    place[:, :3] = 0.1
    place[19, 0] = 2.1
    found = accelerations(place, np.full(20, 1e30), dimension, strict=strict)
    assert found[:19, 0] == pytest.approx(1e30 / 4.0, rel=1e-14)
    assert found[19, 0] == pytest.approx(-19e30 / 4.0, rel=1e-14)
    assert not found[:, 1:].any()


@FLAVOURS
@pytest.mark.parametrize("distance", [1e-40, 1e-20, 1e20, 1e60])
def test_distances_of_all_sizes(strict, distance):
    place = np.zeros((2, 4))
    place[1, 2] = distance
    assert accelerations(place, np.array([1.0, 1.0]), strict=strict)[0, 2] == pytest.approx(distance**-2, rel=1e-14)


@FLAVOURS
def test_what_is_beyond_all_measure_is_no_pull(strict):
    place = np.zeros((3, 4))
    place[1, 0], place[2, 0] = 1.0, 1e150
    assert accelerations(place, np.ones(3), strict=strict)[:, 0].tolist() == [1.0, -1.0, 0.0]


@DIMENSIONS
def test_only_the_first_bodies_take_part_and_the_pull_is_added(dimension):
    place, accel = bodies(40, dimension)
    accel[:, :3] = 7.0
    direct = direct_of(40)
    add(DIM[dimension], direct, place, accel, 40)  # fills the columns, so that what is left there would show
    accel[:, :3] = 7.0
    add(DIM[dimension], direct, place, accel, 13)
    expected = accelerations(place[:13], accel[:13, 3], dimension)
    assert np.array_equal(accel[:13, :dimension], 7.0 + expected[:, :dimension])
    assert (accel[13:, :3] == 7.0).all()
    assert (accel[:, dimension:3] == 7.0).all()


@FLAVOURS
@DIMENSIONS
@pytest.mark.parametrize("n", [0, 1, 2, 8, 9, 203])
@pytest.mark.parametrize("softening", [0.0, 0.3])
def test_energy(strict, dimension, n, softening):
    place, accel = bodies(n, dimension)
    x, m = place[:, :dimension].astype(np.longdouble), accel[:, 3]
    i, j = np.triu_indices(n, 1)
    expected = -(6.5 * m[i] * m[j] / np.sqrt(((x[i] - x[j]) ** 2).sum(axis=1) + softening**2)).sum()
    found = energy(DIM[dimension], direct_of(n, 6.5, softening, strict), place, accel, n)
    assert abs(found - expected) <= (12 + n / 4) * EPS * abs(expected)


@FLAVOURS
def test_energy_of_bodies_at_one_place(strict):
    """Without softening such a pair counts as nothing, as it does not pull; with it, it has -G m m / ε."""
    place, accel = np.ones((10, 4)), np.ones((10, 4))
    assert energy(DIM[3], direct_of(10, strict=strict), place, accel, 10) == 0.0
    assert energy(DIM[3], direct_of(10, 1.0, 0.5, strict), place, accel, 10) == pytest.approx(-90.0, rel=1e-14)


@DIMENSIONS
def test_force_is_minus_the_gradient_of_the_energy(dimension):
    place, accel = bodies(30, dimension)
    direct, h = direct_of(30, 1.0, 0.2), 1e-5
    force = accel[4, 3] * accelerations(place, accel[:, 3], dimension, softening=0.2)[4]
    for axis in range(dimension):
        around = []
        for step in (h, -h):
            moved = place.copy()
            moved[4, axis] += step
            around.append(energy(DIM[dimension], direct, moved, accel, 30))
        # the differences leave h² of the third derivative, a few times force/ε², and rounding over h
        slope = (around[0] - around[1]) / (2.0 * h)
        assert -slope == pytest.approx(force[axis], abs=100 * h * h * abs(force).max() / 0.2**2 + 100 * EPS / h)


@FLAVOURS
def test_same_bits_again_and_in_two_threads(strict):
    place, accel = bodies(700, 3)
    mass = accel[:, 3].copy()
    once = accelerations(place, mass, strict=strict)
    with ThreadPoolExecutor(2) as pool:
        for again in pool.map(lambda _: accelerations(place, mass, strict=strict), range(8)):
            assert np.array_equal(again, once)


PORTABLE = """
import numba, numpy as np
from carom.solvers.stepped.attraction.direct import add_direct, direct
from carom.kernels.jit import OPTIONS
add = numba.njit(**OPTIONS)(lambda dim, direct, place, accel, n: add_direct(dim, direct, place, accel, n))
rng = np.random.default_rng(1)
place, accel = rng.normal(size=(61, 4)), rng.uniform(0.1, 2.0, size=(61, 4))
for strict in ((), (1.0,)):
    add((0.0, 0.0, 0.0), direct(1.0, 0.01, strict, 61), place, accel, 61)
print(accel.tobytes().hex())
"""


def test_same_bits_on_a_processor_without_wide_vectors():
    """Code for the plainest processor of this kind gives what code for this very one gives."""
    found = []
    for processor in ("", "generic"):
        surroundings = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_CPU")}
        if processor:
            surroundings |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
        found.append(
            subprocess.run(
                [sys.executable, "-c", PORTABLE], env=surroundings, capture_output=True, text=True, check=True
            )
        )
    assert found[0].stdout == found[1].stdout
    assert len(found[0].stdout) > 61 * 4 * 16


numbers = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda x: x == 0.0 or abs(x) > 1e-6)


@kernel
def calculate(a, b, c, out):
    x, y, z = read(a, 0), read(b, 0), read(c, 0)
    write(out[0], 0, fused(x, y, z))
    write(out[1], 0, short(x, y, z))
    write(out[2], 0, fused(x, 2.5, z))
    write(out[3], 0, 1.0 / (x - 0.5) * y + z)
    write(out[4], 0, without(x, np.uint64(b[0]) % np.uint64(8)))
    out[5, 0] = total(x)


@given(st.lists(numbers, min_size=24, max_size=24))
def test_eight_numbers_are_eight_times_one(values):
    a, b, c = np.array(values).reshape(3, 8)
    b[0] = abs(b[0])
    out = np.zeros((6, 8))
    with np.errstate(all="ignore"):
        calculate(a, b, c, out)
        plain = 1.0 / (a - 0.5) * b + c
    exact = [[Fraction(float(v)) for v in row] for row in (a, b, c)]
    assert out[0].tolist() == [float(x * y + z) for x, y, z in zip(*exact, strict=True)]
    assert out[1].tolist() == [float(z - x * y) for x, y, z in zip(*exact, strict=True)]
    assert out[2].tolist() == [float(x * Fraction(5, 2) + z) for x, _, z in zip(*exact, strict=True)]
    assert np.array_equal(out[3], plain, equal_nan=True)
    lane = int(b[0]) % 8
    assert out[4].tolist() == [0.0 if k == lane else a[k] for k in range(8)]
    halves = a[:4] + a[4:]
    quarters = halves[:2] + halves[2:]
    assert out[5, 0] == quarters[0] + quarters[1]
