"""When two balls touch: the quadratic equation against high precision."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from carom.physics import contact_time as laws
from carom.physics.flight import NO_ACCELERATION
from carom.solvers.exact.balls import ball_record
from reference.laws import called

first_root, pair = called(laws.first_root), called(laws.pair)

EPS = np.finfo(float).eps
PLANE, SPACE = (0, 0), (0, 0, 0)
number = st.floats(-10.0, 10.0).map(lambda x: round(x, 9))
vector = st.tuples(number, number, number)


def two_balls(x1, v1, r1, x2, v2, r2, t1=0.0, t2=0.0):
    rows = np.zeros(2, ball_record)
    for row, x, v, r, t in zip(rows, (x1, x2), (v1, v2), (r1, r2), (t1, t2), strict=True):
        row["x"], row["y"], row["z"] = (*x, 0.0)[:3]
        row["vx"], row["vy"], row["vz"] = (*v, 0.0)[:3]
        row["r"], row["t"] = r, t
    return rows


def contact(rows, dim=PLANE, shift=(0.0, 0.0, 0.0), gravity=NO_ACCELERATION):
    """The time of contact as the solver decides it."""
    t, b, c, disc = pair(dim, rows[0], rows[1], shift, gravity)
    return first_root(t, b, c, disc) if b < 0.0 <= disc else math.inf


def exact_contact(rows):
    """The same with 60 digits, from the textbook formula; infinity when they never touch."""
    with mpmath.workdps(60):
        t = max(rows["t"])
        d, u = [], []
        for x, v in (("x", "vx"), ("y", "vy"), ("z", "vz")):
            one, two = (mpmath.mpf(r[x]) + mpmath.mpf(r[v]) * (mpmath.mpf(t) - mpmath.mpf(r["t"])) for r in rows)
            d.append(one - two)
            u.append(mpmath.mpf(rows[0][v]) - mpmath.mpf(rows[1][v]))
        sigma = mpmath.mpf(rows[0]["r"]) + mpmath.mpf(rows[1]["r"])
        a, b, c = mpmath.fdot(u, u), mpmath.fdot(d, u), mpmath.fdot(d, d) - sigma**2
        disc = b * b - a * c
        if b >= 0 or disc < 0:
            return mpmath.inf, disc, a
        return t + max((-b - mpmath.sqrt(disc)) / a, 0), disc, a


@pytest.mark.requirement("T-11", "M-17")
@given(x1=vector, x2=vector, v1=vector, v2=vector, r1=st.floats(0, 3), r2=st.floats(0, 3), t1=number, t2=number)
def test_contact_of_two_balls_in_space(x1, x2, v1, v2, r1, r2, t1, t2):
    rows = two_balls(x1, v1, r1, x2, v2, r2, t1, t2)
    check_against_high_precision(rows, SPACE)


@pytest.mark.requirement("T-11", "M-17")
@given(x1=vector, x2=vector, v1=vector, v2=vector, r1=st.floats(0, 3), r2=st.floats(0, 3), t1=number, t2=number)
def test_contact_of_two_balls_in_the_plane(x1, x2, v1, v2, r1, r2, t1, t2):
    rows = two_balls(x1[:2], v1[:2], r1, x2[:2], v2[:2], r2, t1, t2)
    check_against_high_precision(rows, PLANE)


def check_against_high_precision(rows, dim):
    exact, disc, uu = exact_contact(rows)
    # Coordinates of size `reach` carry errors of about EPS reach; so does the line on which the balls approach.
    reach = max(float(np.abs(rows[name]).max()) for name in ("x", "y", "z", "r"))
    reach += 20.0 * max(float(np.abs(rows[name]).max()) for name in ("vx", "vy", "vz"))
    blur = 16 * EPS * reach
    speed, depth = float(mpmath.sqrt(uu)), float(mpmath.sqrt(abs(disc) / uu)) if uu > 0 else 0.0
    assume(speed > 1e-3)
    assume(depth**2 > 100 * blur * reach)  # neither touches nor misses by a hair: there rounding may decide
    found = contact(rows, dim)
    if exact == mpmath.inf:
        assert found == math.inf
    else:
        # |d + u τ| = σ changes at the rate depth·speed/σ near the root: the blur of the distance over that rate.
        assert abs(found - float(exact)) <= blur * (reach / depth + 1.0) / speed + 4 * EPS * abs(found)


@given(x1=vector, x2=vector, v1=vector, v2=vector, r=st.floats(0, 3), t1=number, t2=number)
def test_it_is_the_same_bits_whoever_asks(x1, x2, v1, v2, r, t1, t2):
    rows = two_balls(x1, v1, r, x2, v2, 0.5, t1, t2)
    for dim in (PLANE, SPACE):
        one = pair(dim, rows[0], rows[1], (0.25, -1.0, 0.0), NO_ACCELERATION)
        two = pair(dim, rows[1], rows[0], (-0.25, 1.0, 0.0), NO_ACCELERATION)
        assert one == two


def test_uniform_gravity_does_not_matter_to_a_pair_that_started_together():
    rows = two_balls((0.0, 0.0), (1.0, 2.0), 0.1, (3.0, 1.0), (-1.0, 1.5), 0.1)
    assert contact(rows, gravity=(0.0, -9.81, 0.0)) == contact(rows)


def test_gravity_counts_from_each_anchor():
    """One ball is anchored a second later than the other; the same motion written at one common time."""
    early = two_balls((0.0, 0.0), (1.0, 4.0), 0.1, (3.0, 1.0), (-1.0, 0.5), 0.1, t1=0.0, t2=1.0)
    common = two_balls((1.0, 3.0), (1.0, 2.0), 0.1, (3.0, 1.0), (-1.0, 0.5), 0.1, t1=1.0, t2=1.0)
    gravity = (0.0, -2.0, 0.0)
    here = (0.0, 0.0, 0.0)
    assert pair(PLANE, early[0], early[1], here, gravity) == pair(PLANE, common[0], common[1], here, gravity)


def test_a_partner_across_a_seam_is_one_period_away():
    rows = two_balls((0.1, 0.5), (-1.0, 0.0), 0.05, (0.9, 0.5), (1.0, 0.0), 0.05)
    assert contact(rows) == math.inf
    assert contact(rows, shift=(1.0, 0.0, 0.0)) == pytest.approx(0.05, abs=4 * EPS)


def test_touching_and_approaching_is_now():
    rows = two_balls((0.0, 0.0), (1.0, 0.0), 0.5, (1.0, 0.0), (0.0, 0.0), 0.5, t1=7.0, t2=7.0)
    assert contact(rows) == 7.0


def test_overlapping_by_rounding_and_approaching_is_now():
    rows = two_balls((0.0, 0.0), (1.0, 0.0), 0.5, (1.0 - 1e-15, 0.0), (0.0, 0.0), 0.5)
    assert contact(rows) == 0.0


@pytest.mark.parametrize("gap", [0.0, -1e-15, 1e-15])
def test_touching_and_receding_is_never(gap):
    rows = two_balls((0.0, 0.0), (-1.0, 0.0), 0.5, (1.0 + gap, 0.0), (0.0, 0.0), 0.5)
    assert contact(rows) == math.inf


def test_side_by_side_at_the_same_velocity_is_never():
    rows = two_balls((0.0, 0.0), (1.0, 0.0), 0.5, (1.0, 0.0), (1.0, 0.0), 0.5)
    assert contact(rows) == math.inf


def test_two_points_meet_only_head_on():
    assert contact(two_balls((0.0, 0.0), (1.0, 0.0), 0.0, (1.0, 0.0), (-1.0, 0.0), 0.0)) == 0.5
    assert contact(two_balls((0.0, 0.0), (1.0, 0.0), 0.0, (1.0, 1e-9), (-1.0, 0.0), 0.0)) == math.inf


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize("speed", [1e-12, 1e-3, 1e12])
def test_no_speed_is_too_fast_or_too_slow(speed):
    rows = two_balls((-1.0, 0.0), (speed, 0.0), 1e-3, (0.0, 0.0), (0.0, 0.0), 1e-3)
    assert contact(rows) == pytest.approx(0.998 / speed, rel=4 * EPS)


def test_no_cancellation_far_away():
    """The plain discriminant b² - a c would lose all its digits here; the form with the cross product keeps them."""
    rows = two_balls((-1e8, 0.5e-3), (1.0, 0.0), 0.5e-3, (0.0, 0.0), (0.0, 0.0), 0.5e-3)
    exact, *_ = exact_contact(rows)
    assert contact(rows) == pytest.approx(float(exact), rel=2 * EPS)
