"""Velocities after a collision, against the formulas of the documents in exact rational arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.physics import impact as laws
from carom.solvers.exact.balls import ball_record
from reference.laws import called

collide, rebound = called(laws.collide), called(laws.rebound)

EPS = np.finfo(float).eps
velocity = st.tuples(*[st.floats(-10.0, 10.0).map(lambda v: round(v, 6))] * 3)
mass = st.floats(1e-6, 1e6)
restitution = st.floats(0.0, 1.0)
direction = velocity.filter(lambda d: math.hypot(*d) > 1e-3).map(lambda d: np.array(d) / math.hypot(*d))


def two_balls(v1, v2, m1, m2):
    rows = np.zeros(2, ball_record)
    for row, v, m in zip(rows, (v1, v2), (m1, m2), strict=True):
        row["vx"], row["vy"], row["vz"], row["m"] = *v, m
    return rows


def velocities(rows):
    return np.stack([rows["vx"], rows["vy"], rows["vz"]], axis=1)


def exact_impulse(v1, v2, m1, m2, n, e):
    """J = -μ (1 + e) (v1n - v2n) of M-11, without rounding."""
    F = Fraction
    u = sum((F(a) - F(b)) * F(c) for a, b, c in zip(v1, v2, n.tolist(), strict=True))
    return -(F(m1) * F(m2) / (F(m1) + F(m2))) * (1 + F(e)) * u


@pytest.mark.requirement("M-11", "T-13")
@given(v1=velocity, v2=velocity, m1=mass, m2=mass, n=direction, e=restitution)
def test_the_impulse_is_that_of_the_reduced_mass(v1, v2, m1, m2, n, e):
    rows = two_balls(v1, v2, m1, m2)
    impulse = collide(rows[0], rows[1], *n, e)
    exact = exact_impulse(v1, v2, m1, m2, n, e)
    scale = 2.0 * (m1 * m2 / (m1 + m2)) * (math.hypot(*v1) + math.hypot(*v2))
    # At most ten roundings of half an ulp each; and half a last bit of the light ball's velocity for the heavy one.
    lighter, heavier = min(m1, m2), max(m1, m2)
    given = EPS * heavier / lighter if heavier <= laws.UNLIKE * lighter else 0.0
    assert abs(Fraction(impulse) - exact) <= (8 * EPS + given) * scale
    after = velocities(rows)
    for k, (v, m, sign) in enumerate(((v1, m1, 1), (v2, m2, -1))):
        for axis in range(3):
            wanted = Fraction(v[axis]) + sign * exact * Fraction(float(n[axis])) / Fraction(m)
            assert abs(Fraction(float(after[k, axis])) - wanted) <= (10 * EPS + given) * (scale / m + abs(v[axis]))


@pytest.mark.requirement("M-11")
@given(v1=velocity, v2=velocity, m1=mass, m2=mass, n=direction, e=restitution)
def test_momentum_holds_and_the_normal_velocity_turns_round(v1, v2, m1, m2, n, e):
    rows = two_balls(v1, v2, m1, m2)
    before = velocities(rows)
    collide(rows[0], rows[1], *n, e)
    after = velocities(rows)
    fast = math.hypot(*v1) + math.hypot(*v2)
    drift = (rows["m"][:, None] * (after - before)).sum(axis=0)
    assert np.abs(drift).max() <= 16 * EPS * (m1 + m2) * fast
    u, w = (before[0] - before[1]) @ n, (after[0] - after[1]) @ n
    assert w == pytest.approx(-e * u, abs=32 * EPS * fast)
    tangential = after - before - np.outer((after - before) @ n, n)
    assert np.abs(tangential).max() <= 16 * EPS * fast


@pytest.mark.requirement("M-11")
@given(v1=velocity, v2=velocity, m1=mass, m2=mass, n=direction, e=restitution)
def test_the_energy_lost_is_that_of_the_normal_motion(v1, v2, m1, m2, n, e):
    rows = two_balls(v1, v2, m1, m2)
    energy = 0.5 * (rows["m"] * (velocities(rows) ** 2).sum(axis=1)).sum()
    u = (np.array(v1) - np.array(v2)) @ n
    collide(rows[0], rows[1], *n, e)
    left = 0.5 * (rows["m"] * (velocities(rows) ** 2).sum(axis=1)).sum()
    lost = 0.5 * (m1 * m2 / (m1 + m2)) * (1.0 - e * e) * u * u
    fast = math.hypot(*v1) + math.hypot(*v2)
    assert energy - left == pytest.approx(lost, abs=64 * EPS * (m1 + m2) * fast * fast)


@pytest.mark.requirement("B-01", "T-13")
@given(v1=velocity, v2=velocity, m=mass)
def test_equal_balls_exchange_their_normal_components(v1, v2, m):
    rows = two_balls(v1, v2, m, m)
    collide(rows[0], rows[1], 1.0, 0.0, 0.0, 1.0)
    # v1 - (v1 - v2) is rounded twice.
    assert rows["vx"].tolist() == pytest.approx([v2[0], v1[0]], abs=2 * EPS * (abs(v1[0]) + abs(v2[0])))
    assert rows["vy"].tolist() == [v1[1], v2[1]]
    assert rows["vz"].tolist() == [v1[2], v2[2]]


@pytest.mark.requirement("T-13")
def test_a_ball_of_hardly_any_mass_is_reflected_by_a_heavy_one():
    rows = two_balls((-1.0, 0.5, 0.0), (0.0, 0.0, 0.0), 1e-30, 1e30)
    collide(rows[0], rows[1], 1.0, 0.0, 0.0, 1.0)
    assert rows["vx"].tolist() == pytest.approx([1.0, 0.0], abs=1e-59)
    assert rows["vy"].tolist() == [0.5, 0.0]


def test_huge_masses_do_not_overflow():
    rows = two_balls((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), 1e300, 1e300)
    collide(rows[0], rows[1], -1.0, 0.0, 0.0, 1.0)
    assert rows["vx"].tolist() == [-1.0, 1.0]


@pytest.mark.requirement("T-13")
@given(v=velocity, n=direction, e=restitution, m=mass)
def test_a_wall_of_infinite_mass_reflects(v, n, e, m):
    rows = two_balls(v, v, m, m)
    impulse = rebound(rows[0], *n, e)
    exact = np.array(v) - (1.0 + e) * (np.array(v) @ n) * n
    fast = math.hypot(*v)
    assert np.abs(velocities(rows)[0] - exact).max() <= 16 * EPS * fast
    assert impulse == pytest.approx(-m * (1.0 + e) * (np.array(v) @ n), abs=16 * EPS * m * fast)


@pytest.mark.requirement("T-13")
def test_a_face_of_the_box_turns_one_component_exactly():
    rows = two_balls((0.1, -0.3, 0.7), (0.0, 0.0, 0.0), 2.0, 1.0)
    assert rebound(rows[0], 0.0, 1.0, 0.0, 1.0) == 2.0 * 0.3 * 2.0
    assert velocities(rows)[0].tolist() == [0.1, 0.3, 0.7]
