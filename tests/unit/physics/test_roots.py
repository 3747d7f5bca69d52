"""First roots of the quartic of a parabola and a round wall: none may be missed."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.physics import roots as laws
from reference.laws import called

first_crossing, horizon, turning_points = called(laws.first_crossing), called(laws.horizon), called(laws.turning_points)

EPS = np.finfo(float).eps


def exact_value(c, t):
    return sum(Fraction(each) * Fraction(t) ** k for k, each in enumerate(c))


def rounding(c, t):
    """A bound of the error of the quartic evaluated in floating point (Horner: 2n roundings, Higham 2002, eq. 5.3)."""
    return 8 * EPS * sum(abs(each) * abs(t) ** k for k, each in enumerate(c))


def quartic(place, velocity, acceleration, radius):
    """|x + v t + a t²/2|² - ρ², c₀ … c₄."""
    x, v, a = (np.array(each) for each in (place, velocity, acceleration))
    return (
        float(x @ x - radius**2),
        float(2.0 * x @ v),
        float(v @ v + x @ a),
        float(v @ a),
        float(0.25 * a @ a),
    )


def sturm_chain(c):
    """The quartic, its derivative, and their remainders with the sign turned: their sign changes count real roots."""
    chain = [[Fraction(each) for each in c], [k * Fraction(each) for k, each in enumerate(c)][1:]]
    while len(chain[-1]) > 1:
        rest, by = list(chain[-2]), chain[-1]
        while len(rest) >= len(by):
            factor = rest[-1] / by[-1]
            for k, each in enumerate(by):
                rest[len(rest) - len(by) + k] -= factor * each
            rest.pop()
        while rest and rest[-1] == 0:
            rest.pop()
        if not rest:
            break
        chain.append([-each for each in rest])
    return chain


def variations(chain, t):
    signs = [v > 0 for v in (exact_value(c, t) for c in chain) if v != 0]
    return sum(a != b for a, b in pairwise(signs))


def real_roots(c):
    """The distinct roots of a quartic after 0, found by Sturm's theorem in exact arithmetic, to 2^-60 of the range."""
    while c[-1] == 0.0:
        c = c[:-1]
    chain = sturm_chain(c)
    end = 1 + max(abs(Fraction(each) / Fraction(c[-1])) for each in c)
    intervals, found = [(Fraction(0), end, variations(chain, 0), variations(chain, end))], []
    while intervals:
        low, high, at_low, at_high = intervals.pop()
        if at_low == at_high:
            continue
        if high - low < end / 2**60:
            found.append(high)
            continue
        middle = (low + high) / 2
        at_middle = variations(chain, middle)
        intervals += [(low, middle, at_low, at_middle), (middle, high, at_middle, at_high)]
    return sorted(found)


def sign_changes(c, inward):
    """The times after 0 at which the quartic truly changes sign in that direction."""
    roots = real_roots(c)
    marks = [Fraction(0), *roots, 2 * max([Fraction(1), *roots])]
    middles = [exact_value(c, (a + b) / 2) for a, b in pairwise(marks)]
    sign = 1 if inward else -1
    return [
        float(r)
        for r, before, after in zip(roots, middles, middles[1:], strict=False)
        if sign * before > 0 > sign * after
    ]


number = st.floats(-5.0, 5.0).map(lambda x: round(x, 6))
vector = st.tuples(number, number)


@pytest.mark.requirement("T-11")
@settings(max_examples=60)
@given(
    place=vector, velocity=vector, a=vector, radius=st.floats(0.0, 4.0).map(lambda r: round(r, 6)), inward=st.booleans()
)
def test_the_first_crossing_is_never_missed(place, velocity, a, radius, inward):
    a = a if math.hypot(*a) > 1e-2 else (0.0, -9.81)
    c = quartic(place, velocity, a, radius)
    sign = 1 if inward else -1
    found = first_crossing(c, inward, 0.0)
    true = sign_changes(c, inward)
    if found < math.inf:
        here = sign * exact_value(c, found)
        blur = rounding(c, found) + slack_of_one_float(c, found)
        assert abs(here) <= blur or (here <= 0 and sign * c[0] <= 0.0)  # past zero from the start
    if true and found > true[0]:
        # To pass over a true crossing is right only where it cannot be told from a graze.
        later = [float(r) for r in real_roots(c) if r > true[0]]
        end = min([found, 2.0 * true[0] + 1.0, *later])
        depths = [sign * exact_value(c, t) + rounding(c, t) for t in np.linspace(true[0], end, 50).tolist()]
        assert min(depths) >= -slack_of_one_float(c, true[0])


def slack_of_one_float(c, t):
    """How much the quartic changes from one float to the next."""
    return abs(float(exact_value(c, float(np.nextafter(t, np.inf))) - exact_value(c, t)))


@given(place=vector, velocity=vector, a=vector, radius=st.floats(0.1, 4.0))
def test_turning_points_agree_with_numpy(place, velocity, a, radius):
    if math.hypot(*a) < 1e-2:
        a = (0.0, -9.81)
    c = quartic(place, velocity, a, radius)
    roots = np.roots([4 * c[4], 3 * c[3], 2 * c[2], c[1]])
    gaps = np.abs(roots[:, None] - roots[None, :])[~np.eye(roots.size, dtype=bool)]
    spread = 1.0 + np.abs(roots).max(initial=0.0)
    if (gaps.size and gaps.min() < 1e-3 * spread) or np.abs(roots).min(initial=1.0) < 1e-6:
        return  # nearly double: which of them is real is beyond double precision
    wanted = sorted(float(r.real) for r in roots if abs(r.imag) < 1e-9 * spread and r.real > 0.0)
    found = [t for t in turning_points(c) if t < math.inf]
    assert found == pytest.approx(wanted, rel=1e-7)


@settings(max_examples=30)
@given(place=vector, velocity=vector, a=vector, radius=st.floats(0.1, 4.0).map(lambda r: round(r, 6)))
def test_nothing_happens_beyond_the_horizon(place, velocity, a, radius):
    if math.hypot(*a) < 1e-2:
        a = (0.0, -9.81)
    c = quartic(place, velocity, a, radius)
    assert max([0, *real_roots(c)]) <= horizon(c) * (1.0 + EPS)


# The product of t - 1, t - 2, t - 3 and t - 4.
WAVY = (24.0, -50.0, 35.0, -10.0, 1.0)


@pytest.mark.parametrize(
    ("inward", "after", "found"),
    [
        (True, 0.0, 1.0),
        (False, 0.0, 2.0),
        (True, 1.2, 3.0),  # below zero and still falling: that crossing was before
        (True, 1.5, 3.0),  # below zero but rising again: not before it has been outside
        (True, 2.5, 3.0),
        (False, 2.7, 4.0),
        (True, 4.5, math.inf),
        (False, 4.5, math.inf),  # above zero and rising: that crossing was before
    ],
)
def test_crossings_in_turn(inward, after, found):
    assert first_crossing(WAVY, inward, after) == pytest.approx(found, rel=64 * EPS)


def test_a_parabola_thrown_up_comes_back_to_where_it_was():
    """Up at v from a circle's outside, back at t = 2 v/g."""
    g, v, r = 10.0, 5.0, 1.0
    c = quartic((0.0, r), (0.0, v), (0.0, -g), r)
    assert first_crossing(c, True, 0.0) == pytest.approx(2.0 * v / g, rel=16 * EPS)


def test_resting_on_top_begins_to_sink_at_once():
    """No velocity, gravity into the wall: value and slope are zero, and only the second derivative tells."""
    c = quartic((0.0, 1.0), (0.0, 0.0), (0.0, -10.0), 1.0)
    assert first_crossing(c, True, 0.0) == 0.0


@pytest.mark.requirement("B-03")
@pytest.mark.parametrize(
    ("c", "inward", "time"),
    [
        ((1e-17, -1e-20, 9.81, 0.0, 24.0), False, 5.1e-22),  # lies in a bowl, too deep by rounding, hardly moving up
        ((-1e-17, 1e-14, -1.0, 0.0, 24.0), True, 5e-15),  # slides over a dome, too deep by rounding, and sinks
    ],
)
def test_past_zero_by_rounding_it_turns_round_and_approaches(c, inward, time):
    """Receding it is left alone; but where the curve turns it back, before it was ever free, is the next contact."""
    assert first_crossing(c, inward, 0.0) == pytest.approx(time, rel=0.01)


def test_a_flight_that_misses():
    c = quartic((3.0, 0.0), (0.0, 1.0), (0.0, -10.0), 1.0)
    assert first_crossing(c, True, 0.0) == math.inf
