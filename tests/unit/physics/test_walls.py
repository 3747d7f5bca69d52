"""When a ball touches a wall, for each kind of wall, with and without gravity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.physics import walls as laws
from carom.physics.walls import BOWL, CORNER, DOME, PIN, PLANE, SEGMENT, wall_record
from carom.solvers.exact.balls import ball_record
from reference.laws import called

contact_time, normal = called(laws.contact_time), called(laws.normal)

EPS = np.finfo(float).eps
FREE = (None, None, None)
FALLING = (0.0, -9.81, 0.0)


def a_ball(x, v, r=0.0, t=0.0):
    row = np.zeros(1, ball_record)
    row["x"], row["y"], row["z"] = (*x, 0.0)[:3]
    row["vx"], row["vy"], row["vz"] = (*v, 0.0)[:3]
    row["r"], row["t"], row["m"] = r, t, 1.0
    return row


def a_wall(kind, place, *, facing=(0.0, 0.0), length=0.0, r=0.0, cosine=-2.0, slack=16 * EPS):
    row = np.zeros(1, wall_record)
    row["kind"], row["cosine"], row["slack"] = kind, cosine, slack
    row["px"], row["py"] = place
    row["nx"], row["ny"] = facing
    row["tx"], row["ty"] = facing[1], -facing[0]
    row["length"], row["r"] = length, r
    return row


def when(ball, wall, gravity=FREE):
    return contact_time(ball[0], wall[0], *gravity)


FLOOR = a_wall(PLANE, (0.0, 0.0), facing=(0.0, 1.0))
EDGE = a_wall(SEGMENT, (-1.0, 0.0), facing=(0.0, 1.0), length=2.0)
ROUND = a_wall(BOWL, (0.0, 0.0), r=2.0)
PILLAR = a_wall(DOME, (0.0, 0.0), r=1.0)
TIP = a_wall(CORNER, (0.0, 0.0))
PEG = a_wall(PIN, (0.0, 0.0), r=0.5)


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize(
    ("ball", "wall", "time"),
    [
        (a_ball((0.3, 2.0), (1.0, -0.5), r=0.25), FLOOR, 3.5),
        (a_ball((0.3, 2.0), (1.0, 0.5), r=0.25), FLOOR, math.inf),
        (a_ball((0.3, 2.0), (1.0, 0.0), r=0.25), FLOOR, math.inf),
        (a_ball((0.3, 0.25), (1.0, -0.5), r=0.25, t=3.0), FLOOR, 3.0),  # touching, approaching: now
        (a_ball((0.3, 0.25), (1.0, 0.5), r=0.25), FLOOR, math.inf),  # touching, receding: never
        (a_ball((0.0, 1.0), (0.25, -0.25), r=0.5), EDGE, 2.0),
        (a_ball((0.0, 1.0), (0.75, -0.25), r=0.5), EDGE, math.inf),  # comes down beyond the end
        (a_ball((0.0, -2.0), (0.0, 1.0), r=0.5), EDGE, math.inf),  # from behind
        (a_ball((0.0, -2.0), (0.0, -1.0), r=0.5), EDGE, math.inf),  # behind it, and going away
        (a_ball((0.0, 0.0), (1.0, 0.0), r=0.5), ROUND, 1.5),
        (a_ball((1.0, 0.0), (-0.5, 0.0), r=0.5), ROUND, 5.0),
        (a_ball((1.5, 0.0), (1.0, 0.0), r=0.5, t=2.0), ROUND, 2.0),
        (a_ball((0.0, 0.0), (0.0, 0.0), r=0.5), ROUND, math.inf),
        (a_ball((-3.0, 0.0), (0.5, 0.0), r=0.5), PILLAR, 3.0),
        (a_ball((-3.0, 1.75), (0.5, 0.0), r=0.5), PILLAR, math.inf),
        (a_ball((-3.0, 0.0), (-0.5, 0.0), r=0.5), PILLAR, math.inf),
        (a_ball((-3.0, 0.0), (0.5, 0.0), r=0.5), TIP, 5.0),
        (a_ball((-3.0, 0.0), (0.5, 0.0)), TIP, 6.0),  # a point into a point
        (a_ball((-3.0, 0.0), (0.5, 0.0), r=0.5), PEG, 4.0),
    ],
)
def test_straight_flight(ball, wall, time):
    assert when(ball, wall) == time
    # What a level floor leaves of gravity for a ball that slides on it: an acceleration, of nothing.
    assert when(ball, wall, (0.0, 0.0, 0.0)) == pytest.approx(time, rel=4 * EPS)


G = 9.81


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize(
    ("ball", "wall", "time"),
    [
        (a_ball((0.0, 1.25), (3.0, 0.0), r=0.25), FLOOR, math.sqrt(2.0 / G)),
        (a_ball((0.0, 0.25), (3.0, 2.0), r=0.25), FLOOR, 4.0 / G),  # thrown up from the floor: back after 2 v/g
        (a_ball((0.0, 0.25), (3.0, -2.0), r=0.25, t=1.0), FLOOR, 1.0),
        (a_ball((0.0, 1.25), (0.0, 0.0), r=0.25), EDGE, math.sqrt(2.0 / G)),
        (a_ball((0.0, 1.25), (3.0, 0.0), r=0.25), EDGE, math.inf),
        (a_ball((0.0, -3.0), (0.0, 10.0), r=0.25), EDGE, (10.0 + math.sqrt(100.0 - 6.5 * G)) / G),  # over it and back
        (a_ball((0.0, 0.0), (0.0, 0.0), r=0.5), ROUND, math.sqrt(3.0 / G)),
        (a_ball((0.0, 2.5), (0.0, 0.0), r=0.5), PILLAR, math.sqrt(2.0 / G)),
        (a_ball((0.0, 1.5), (0.0, 2.0), r=0.5), PILLAR, 4.0 / G),
        (a_ball((1.6, 2.5), (0.0, 0.0), r=0.5), PILLAR, math.inf),
        (a_ball((0.0, 2.5), (0.0, 0.0), r=0.5), TIP, math.sqrt(4.0 / G)),
        (a_ball((0.0, 2.5), (0.0, 0.0), r=0.5), PEG, math.sqrt(3.0 / G)),
    ],
)
def test_fall(ball, wall, time):
    # A quartic's root is known to its conditioning: here f' is of the size of f itself.
    assert when(ball, wall, FALLING) == pytest.approx(time, rel=32 * EPS)


def test_a_ceiling_that_is_not_reached():
    ceiling = a_wall(PLANE, (0.0, 1.0), facing=(0.0, -1.0))
    assert when(a_ball((0.0, 0.0), (0.0, 4.0)), ceiling, FALLING) == math.inf  # rises by v²/2g = 0.815 m
    assert when(a_ball((0.0, 0.0), (0.0, 5.0)), ceiling, FALLING) == pytest.approx((5.0 - math.sqrt(25.0 - 2 * G)) / G)


def test_a_plane_of_the_box_has_no_back():
    """The box's faces are met by whatever has got behind them by rounding, however far."""
    assert when(a_ball((0.0, -1e-3), (0.0, -1.0)), FLOOR) == 0.0


@pytest.mark.requirement("B-02", "B-03")
@pytest.mark.parametrize("beyond", [0.5e-9, 2e-9])
def test_walls_are_longer_by_their_slack_and_no_more(beyond):
    """So that not even a point slips through where two of them meet."""
    edge = a_wall(SEGMENT, (-1.0, 0.0), facing=(0.0, 1.0), length=2.0, slack=1e-9)
    arc = a_wall(BOWL, (0.0, 0.0), facing=(1.0, 0.0), r=2.0, cosine=0.0, slack=1e-9)
    times = [when(a_ball((x, 1.0), (0.0, -0.5)), edge) for x in (-1.0 - beyond, 1.0 + beyond)]
    times += [when(a_ball((-beyond, 0.0), (0.0, v)), arc) for v in (-1.0, 1.0)]
    assert times == [2.0 if beyond < 1e-9 else math.inf] * 4


def test_a_half_circle_is_met_only_where_it_is():
    """The arc of a stadium: the half of the circle with x > 0."""
    arc = a_wall(BOWL, (0.0, 0.0), facing=(1.0, 0.0), r=2.0, cosine=0.0)
    assert when(a_ball((0.0, 0.5), (1.0, 0.0), r=0.5), arc) == pytest.approx(math.sqrt(2.0), rel=8 * EPS)
    assert when(a_ball((0.0, 0.5), (-1.0, 0.0), r=0.5), arc) == math.inf


def test_a_fall_through_the_gap_of_an_arc():
    """The lower half of a pillar's outline, open at the top: what falls through the gap is inside, behind the arc."""
    arc = a_wall(DOME, (0.0, 0.0), facing=(0.0, -1.0), r=1.0, cosine=0.0)
    assert when(a_ball((0.5, 1.5), (0.0, 0.0)), arc, FALLING) == math.inf  # comes to the gap first, then it is inside


number = st.floats(-1.9, 1.9).map(lambda x: round(x, 6))
vector = st.tuples(number, number)
radius = st.floats(0.0, 0.4).map(lambda r: round(r, 6))


def gap(wall, x, y, r):
    """The free distance between a ball and a wall, and which walls have one everywhere."""
    w = wall[0]
    if w["kind"] == PLANE:
        return (x - w["px"]) * w["nx"] + (y - w["py"]) * w["ny"] - r
    far = np.hypot(x - w["px"], y - w["py"])
    return w["r"] - far - r if w["kind"] == BOWL else far - w["r"] - r


@pytest.mark.requirement("T-11", "B-03")
@pytest.mark.parametrize("gravity", [FREE, FALLING], ids=["free", "falling"])
@pytest.mark.parametrize("wall", [FLOOR, ROUND, PILLAR, TIP, PEG], ids=["plane", "bowl", "dome", "corner", "pin"])
@given(place=vector, velocity=vector, r=radius)
def test_there_is_no_contact_before_the_contact(wall, gravity, place, velocity, r):
    """At the contact the gap is zero; before it the gap is positive all along the flight."""
    ball = a_ball(place, velocity, r)
    if gap(wall, *place, r) < 1e-6:
        return  # begins in the wall
    time = when(ball, wall, gravity)
    g = gravity[1] or 0.0

    def gap_at(t):
        return gap(wall, place[0] + velocity[0] * t, place[1] + (velocity[1] + 0.5 * g * t) * t, r)

    end = min(time, 20.0)
    size = 4.0 + math.hypot(*velocity) * end - 0.5 * g * end * end
    if time < math.inf and time == end:
        # Of a round wall the equation is that of squares, gap (gap + 2ρ) = 0: that is what rounding leaves of it.
        rho = abs(float(wall["r"][0]) - r) if wall["kind"][0] == BOWL else float(wall["r"][0]) + r
        left = gap_at(time) * (1.0 if wall["kind"][0] == PLANE else gap_at(time) + 2.0 * rho)
        rate = math.hypot(*velocity) - g * end + 1.0
        assert abs(left) <= 64 * EPS * size * (size + rate * end)
    # Sampled up to the contact; a gap that closes and opens between samples is a graze of second order.
    before = gap_at(np.linspace(0.0, end, 400) * (1.0 - 1e-9))
    assert before.min() > -1e-7


@pytest.mark.parametrize(
    ("ball", "wall", "expected"),
    [
        (a_ball((0.3, 0.25), (0.0, -1.0), r=0.25), FLOOR, (0.0, 1.0, 0.0)),
        (a_ball((1.2, 0.9), (1.0, 0.0), r=0.5), ROUND, (-0.8, -0.6, 0.0)),
        (a_ball((1.2, 0.9), (-1.0, 0.0), r=0.5), PILLAR, (0.8, 0.6, 0.0)),
        (a_ball((0.0, 0.0), (3.0, 4.0)), TIP, (-0.6, -0.8, 0.0)),  # on the tip: back where it came from
    ],
)
def test_the_normal_points_to_the_ball(ball, wall, expected):
    assert normal(ball[0], wall[0]) == pytest.approx(expected, abs=4 * EPS)
