"""Motion between events, against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.physics import flight as laws
from carom.solvers.exact.balls import ball_record
from reference.laws import called

fly, place, speed = called(laws.fly), called(laws.place), called(laws.speed)

EPS = np.finfo(float).eps
number = st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-6 else 0.0)
duration = st.floats(0.0, 1e3).map(lambda x: x if x > 1e-6 else 0.0)


@pytest.mark.requirement("T-09")
@given(x=number, v=number, s=duration)
def test_uniform_motion_is_x_plus_v_s(x, v, s):
    exact = Fraction(x) + Fraction(v) * Fraction(s)
    # Two roundings, each of half a unit in the last place.
    assert abs(Fraction(place(x, v, None, s)) - exact) <= EPS * (abs(x) + abs(v * s))
    assert speed(v, None, s) == v


@given(x=number, v=number, a=number, s=duration)
def test_accelerated_motion_is_a_parabola(x, v, a, s):
    F = Fraction
    exact = F(x) + F(v) * F(s) + F(a) * F(s) ** 2 / 2
    # Five roundings on the longest way through the formula.
    assert abs(F(place(x, v, a, s)) - exact) <= 2.5 * EPS * (abs(x) + abs(v * s) + abs(a * s * s))
    assert abs(F(speed(v, a, s)) - (F(v) + F(a) * F(s))) <= EPS * (abs(v) + abs(a * s))


@given(x=number, v=number, s=duration)
def test_no_acceleration_and_one_of_zero_are_the_same_bits(x, v, s):
    assert place(x, v, None, s) == place(x, v, 0.0, s)


def a_ball(**values):
    row = np.zeros(1, ball_record)
    for name, value in values.items():
        row[name] = value
    return row


def test_a_flight_moves_the_anchor():
    row = a_ball(x=1.0, y=2.0, vx=3.0, vy=4.0, t=10.0)
    fly((0, 0), row[0], 12.0, None, None, None)
    assert row[["x", "y", "vx", "vy", "t"]].tolist() == [(7.0, 10.0, 3.0, 4.0, 12.0)]


def test_a_flight_under_gravity_in_three_dimensions():
    row = a_ball(x=1.0, y=2.0, z=3.0, vx=1.0, vy=-2.0, vz=4.0, t=1.0)
    fly((0, 0, 0), row[0], 3.0, 0.5, 0.0, -2.0)
    assert row[["x", "y", "z", "vx", "vy", "vz", "t"]].tolist() == [(4.0, -2.0, 7.0, 2.0, -2.0, 0.0, 3.0)]


def test_in_two_dimensions_the_third_coordinate_is_left_alone():
    row = a_ball(z=3.0, vz=4.0)
    fly((0, 0), row[0], 1.0, None, None, None)
    assert row[["z", "vz"]].tolist() == [(3.0, 4.0)]
