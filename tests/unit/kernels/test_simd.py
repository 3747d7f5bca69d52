"""Four numbers at once are four times one number, to the bit."""

import numpy as np
import pytest

from carom.kernels.jit import kernel, select
from carom.kernels.simd import (
    below,
    bits_set,
    columns,
    copy_words,
    equals,
    least,
    lowest_bit,
    meeting,
    pick,
    read,
    spread,
    write,
)
from carom.physics import contact_time
from carom.physics.flight import NO_ACCELERATION
from carom.solvers.exact.balls import ball_record
from carom.solvers.exact.events.predict import FourAnchors, four_times

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, 1.0 / 3.0, 2.0**-52]


@kernel
def calculate(a, b, out):
    for k in range(0, a.size, 4):
        x, y = read(a, k), read(b, k)
        write(out[0], k, x + y)
        write(out[1], k, x - y)
        write(out[2], k, x * y)
        write(out[3], k, x / y)
        write(out[4], k, np.sqrt(x))
        write(out[5], k, max(x, 0.25))
        write(out[6], k, min(0.25, x))
        write(out[7], k, 3.0 * x - 1.0)


def test_arithmetic_is_that_of_single_numbers():
    rng = np.random.default_rng(1)
    a = np.concatenate([np.repeat(SPECIAL, len(SPECIAL)), rng.normal(size=283)])
    b = np.concatenate([np.tile(SPECIAL, len(SPECIAL)), rng.normal(size=283)])
    out = np.zeros((8, a.size))
    calculate(a, b, out)
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b, a / b, np.sqrt(a)]
        expected += [np.where(a > 0.25, a, 0.25), np.where(a > 0.25, 0.25, a), 3.0 * a - 1.0]
    nan = np.isnan(a)
    for k, wanted in enumerate(expected):
        compared = ~nan if k in (5, 6) else np.ones(a.size, bool)  # of "not a number" nothing is greater
        assert np.array_equal(out[k][compared], wanted[compared], equal_nan=True)
        zeros = compared & (wanted == 0.0) & ~np.isin(k, (5, 6))
        assert np.array_equal(np.signbit(out[k][zeros]), np.signbit(wanted[zeros]))


@kernel
def pair_times(dim, balls, one_by_one, four_by_four):
    for i in range(balls.size):
        for j in range(balls.size):
            t, b, c, disc = contact_time.pair(dim, balls[i], balls[j], (0.5, -0.25, 0.0), NO_ACCELERATION)
            meets = b < 0.0 and disc >= 0.0
            one_by_one[i, j] = contact_time.first_root(t, b, c, disc) if meets else np.inf
        one = four_times(balls[i])
        for j in range(0, balls.size, 4):
            q = columns(balls, j, j + 1, j + 2, j + 3)
            two = FourAnchors(q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7])
            t, b, c, disc = contact_time.pair(dim, one, two, (spread(0.5), spread(-0.25), spread(0.0)), NO_ACCELERATION)
            write(four_by_four[i], j, meeting(contact_time.first_root(t, b, c, disc), b, disc))


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize("dimension", [2, 3])
def test_contact_times_of_four_pairs_are_those_of_each(dimension):
    rng = np.random.default_rng(2)
    balls = np.zeros(64, ball_record)
    for name in ("x", "y", "z", "vx", "vy", "vz"):
        balls[name] = rng.normal(size=64)
    balls["t"], balls["r"] = rng.uniform(0.0, 0.1, 64), rng.uniform(0.0, 0.9, 64)
    single, fourfold = np.zeros((64, 64)), np.zeros((64, 64))
    pair_times((0,) * dimension, balls, single, fourfold)
    assert np.array_equal(single, fourfold)
    assert 150 < np.isfinite(single).sum() < 3000


@kernel
def look_for(numbers, number, out):
    four = read(numbers, 0)
    out[0] = least(four)
    out[1] = equals(four, number)
    if equals(four, number) != 0:
        out[2] = lowest_bit(equals(four, number))
    write(out, 4, pick(numbers, 3, 0, 2, 2))


@pytest.mark.parametrize(
    ("numbers", "number", "bits", "lowest"),
    [
        ((3.0, 1.0, 2.0, 4.0), 1.0, 0b0010, 1),
        ((3.0, 3.0, 3.0, 2.0), 3.0, 0b0111, 0),
        ((np.inf, np.inf, 5.0, -1.0), np.inf, 0b0011, 0),
        ((7.0, 6.0, 5.0, 4.0), 4.0, 0b1000, 3),
        ((7.0, 6.0, 5.0, 4.0), 1.0, 0, -1),
    ],
)
def test_the_least_and_the_equal_are_found(numbers, number, bits, lowest):
    out = np.full(8, -1.0)
    look_for(np.array(numbers), number, out)
    assert out[0] == min(numbers)
    assert out[1] == bits
    assert out[2] == lowest
    assert out[4:].tolist() == [numbers[3], numbers[0], numbers[2], numbers[2]]


@kernel
def compare(numbers, limits):
    return below(read(numbers, 0), read(limits, 0))


def test_those_below_are_found():
    limits = np.array([1.0, 1.0, np.inf, np.nan])
    assert compare(np.array([0.5, 1.0, 1e308, 0.0]), limits) == 0b0101  # an equal one is not less
    assert compare(np.array([np.nan, -0.0, -np.inf, np.inf]), limits) == 0b0110


@kernel
def copy(source, index, mark, target, place):
    full = copy_words(source, index, mark, target, place)
    return full, bits_set(full)


def test_four_words_are_copied_and_those_that_are_not_all_ones_are_told():
    none = 0xFFFFFFFF
    source = np.array([9, 1, none, 3, none, 9], np.uint32)
    target = np.zeros(8, np.uint32)
    assert copy(source, 1, 1 << 27, target, 2) == (0b0101, 2)
    assert target.tolist() == [0, 0, 1 | 1 << 27, none, 3 | 1 << 27, none, 0, 0]


@kernel
def both(a, b, floats, words):
    floats[0], floats[1] = select(a < b, a, b), select(a < b, b, a)
    words[0], words[1] = select(a < b, words[2], words[3]), select(a < b, words[3], words[2])


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (2.0, 1.0), (np.nan, 1.0), (1.0, np.nan), (1.0, 1.0)])
def test_a_selection_is_a_conditional_expression(a, b):
    floats, words = np.zeros(2), np.array([0, 0, 7, 8], np.uint32)
    both(a, b, floats, words)
    assert np.array_equal(floats, [a, b] if a < b else [b, a], equal_nan=True)
    assert words.tolist() == ([7, 8, 7, 8] if a < b else [8, 7, 7, 8])
