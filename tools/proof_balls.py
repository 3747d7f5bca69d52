"""Claims on hard balls: collisions, flight, walls and gravity. Run by tools/proof.py."""

import math

import numpy as np

from carom import Ball, Box, Circle, Polygon, Scene, Simulation, library
from proof_claim import EPS, Found, claim, near, power

G = 9.81
STAR = [(0.0, 0.0), (0.75, 0.35), (1.5, 0.0), (1.1, 0.75), (1.5, 1.5), (0.75, 1.1), (0.0, 1.5), (0.4, 0.75)]

COLLISIONS = "Collisions"
FLIGHT = "Flight, walls and gravity"


def collided(name: str, collisions: int, **options: float) -> Simulation:
    """A scene of the library after a number of collisions."""
    return Simulation(library.load(name, **options)).run(collisions=collisions)


@claim(
    COLLISIONS,
    "Equal balls swap their velocities",
    "0.5 and -0.1 m/s become -0.1 and 0.5 m/s",
    "physics/test_proven_cases.py::test_6_2_1_equal_balls_swap_their_velocities",
)
def swap() -> Found:
    """Section 6.2.1 of the first source."""
    v = collided("central-vertical", 1).velocities[:, 1]
    return near(f"{v[0]:.10g}, {v[1]:.10g} m/s", v, (-0.1, 0.5), 2 * EPS * 0.5)


@claim(
    COLLISIONS,
    "Unequal masses on a line",
    "0.02 and 0.01 kg at ±0.1 m/s: -1/30 and 1/6 m/s",
    "physics/test_proven_cases.py::test_6_2_2_unequal_masses",
)
def unequal() -> Found:
    """Section 6.2.2."""
    v = collided("central-horizontal", 1).velocities[2:, 0]
    return near(f"{v[0]:.10g}, {v[1]:.10g} m/s", v, (-1 / 30, 1 / 6), 2 * EPS * 0.2)


@claim(
    COLLISIONS,
    "Three that meet at one instant are resolved as a sequence of pairs",
    "velocities (0, 0.1), (0, 0.1), (0, -0.1) m/s",
    "physics/test_proven_cases.py::test_6_2_3_three_bodies",
)
def three() -> Found:
    """Section 6.2.3."""
    v = collided("three-bodies", 2).velocities
    return near("the same", v, [(0.0, 0.1), (0.0, 0.1), (0.0, -0.1)], 4 * EPS * 0.2)


@claim(
    COLLISIONS,
    "Off centre and with restitution: impulse along the line of centres",
    "J = (1 + e) μ w, here e = 0.3: 0.006825 N s",
    "physics/test_two_balls.py::test_the_impulse_with_restitution",
)
def impulse() -> Found:
    """0.03 and 0.01 kg meet at 0.7 m/s."""
    one = Ball(position=(0.0, 0.0), velocity=(0.5, 0.1), mass=0.03, radius=0.01)
    two = Ball(position=(0.4, 0.0), velocity=(-0.2, 0.1), mass=0.01, radius=0.01)
    hit = Simulation(Scene(balls=[one, two], restitution=0.3)).step()
    assert hit is not None  # noqa: S101  # they meet
    return near(f"{hit.impulse:.10g} N s", hit.impulse, 0.0075 * 1.3 * 0.7, 8 * EPS, 0.0075 * 1.3 * 0.7)


@claim(
    COLLISIONS,
    "Equal balls, one at rest, part at a right angle, wherever they meet",
    "v₁'·v₂' = 0, of 99 offsets the largest, over v²",
    "physics/test_two_balls.py::test_equal_balls_part_at_a_right_angle",
)
def right_angle() -> Found:
    """The billiard player's test."""
    worst = 0.0
    for offset in np.linspace(0.01, 0.99, 99):
        one, two = collided("billiard-test", 1, offset=float(offset)).velocities
        worst = max(worst, abs(float(one @ two)))
    return Found(power(worst), worst, 8 * EPS)


@claim(
    COLLISIONS,
    "As many balls leave Newton's cradle as come, after k (n - k) collisions of two",
    "n = 5, k = 1, 2, 3: 4, 6 and 6 collisions",
    "physics/test_counting.py::test_newtons_cradle",
)
def cradle() -> Found:
    """Each pair of a moving and a resting ball swaps once."""
    counts, off = [], 0.0
    for k in (1, 2, 3):
        sim = Simulation(library.load("newtons-cradle", count=5, released=k))
        while any(each.kind == "ball-ball" for each in sim.upcoming):
            sim.step()
        counts.append(sim.collisions)
        wanted = np.where(np.arange(5) >= 5 - k, 0.5, 0.0)
        off = max(off, float(np.abs(sim.velocities[:, 0] - wanted).max()) + abs(sim.collisions - k * (5 - k)))
    return Found(", ".join(map(str, counts)), off, 4 * EPS)


@claim(
    COLLISIONS,
    "A heavy ball, a light one and a wall count the digits of π",
    "⌊10ⁿ π⌋ collisions for M = 100ⁿ m (Galperin 2003): 3, 31, 314, 3141, 31415",
    "physics/test_counting.py::test_galperins_billiard_counts_the_digits_of_pi",
)
def digits() -> Found:
    """Up to 31415 collisions, each to be neither missed nor doubled."""
    counts = []
    for n in range(5):
        hits = Simulation(library.load("galperin-pi", digits=n)).events(collisions=40_000)
        counts.append(next(k for k, each in enumerate(hits) if each.wall == "x+"))
    return near(", ".join(map(str, counts)), counts, [math.floor(10**n * math.pi) for n in range(5)], 0.0)


@claim(
    COLLISIONS,
    "No collision is missed, however fast or slow",
    "two balls between walls at 10⁻¹² to 10¹² m/s, 10 m each: 20 meetings, 40 at walls",
    "physics/test_two_balls.py::test_no_collision_is_missed_at_any_speed",
)
def any_speed() -> Found:
    """The count follows from the way flown."""
    counts = []
    for speed in (1e-12, 1.0, 1e6, 1e12):
        balls = [Ball(position=(x, 0.5), velocity=(v, 0.0), radius=0.125) for x, v in ((0.25, speed), (0.75, -speed))]
        sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls)).run(until=10.0 / speed)
        counts.append(tuple(sim.collisions_by_kind.values()))
    return near(" and ".join(map(str, counts[0])), counts, [(20, 40)] * 4, 0.0)


# Flight, walls and gravity.


@claim(
    FLIGHT,
    "A ball between walls is on a straight line through mirrored rooms",
    "after 1000 s and some 3000 bounces, against the unfolded line, m",
    "physics/test_free_flight.py::test_free_flight_in_a_box_against_the_unfolded_straight_line",
)
def unfolded() -> Found:
    """The line of flight, folded back into the room."""
    size, r, x, v, t = np.array([0.5, 0.3]), 0.02, np.array([0.11, 0.07]), np.array([0.731, -0.377]), 1000.0
    ball = Ball(position=(0.11, 0.07), velocity=(0.731, -0.377), radius=r)
    sim = Simulation(Scene(boundary=Box(size=(0.5, 0.3)), balls=[ball])).run(until=t)
    room = size - 2 * r
    far = np.mod((x - r + v * t) / room, 2.0)
    law = r + room * np.minimum(far, 2.0 - far)
    return near(
        f"{sim.collisions} bounces",
        sim.positions[0],
        law,
        EPS * (0.731 * t * (sim.collisions + 4) + 4.0 * sim.collisions),
    )


@claim(
    FLIGHT,
    "Bounces of a dropped ball are a geometric series",
    "t_k = √(2h/g) (1 + 2e (1 - e^k)/(1 - e)), e = 0.8, 12 bounces",
    "physics/test_bouncing_ball.py::test_bounces_follow_the_geometric_series",
)
def series() -> Found:
    """A ball falls one metre."""
    times = [each.time for each in Simulation(library.load("bouncing-ball")).events(collisions=12)]
    fall = math.sqrt(2.0 / G)
    law = [fall * (1.0 + 2.0 * 0.8 * (1.0 - 0.8**k) / 0.2) for k in range(12)]
    return near(f"the 12th at {times[-1]:.6f} s", np.array(times) / law, np.ones(12), 8 * EPS * 12)


@claim(
    FLIGHT,
    "After endlessly many bounces it lies still",
    "at √(2h/g) (1 + e)/(1 - e) = 4.0636 s; the last t_c/(1 - e) are left out",
    "physics/test_bouncing_ball.py::test_it_comes_to_rest_when_the_series_ends_and_stays",
)
def still() -> Found:
    """The time of the last bounce that was computed."""
    sim = Simulation(library.load("bouncing-ball"))
    last = [each.time for each in sim.events(until=10.0)][-1]
    end = math.sqrt(2.0 / G) * 9.0
    return near(f"{last:.6f} s, then rest", last, end, sim.report.contact_time / 0.2 * 1.001)


@claim(
    FLIGHT,
    "A ball without loss hops for ever at the same height",
    "h(t) in closed form after 400 s, m",
    "physics/test_free_flight.py::test_a_ball_hops_for_ever_at_the_same_height",
)
def hops() -> Found:
    """Dropped from one metre."""
    scene = Scene(boundary=Box(size=(0.4, 1.2)), gravity=(0.0, -G), balls=[Ball(position=(0.2, 1.03), radius=0.03)])
    sim = Simulation(scene).run(until=400.0)
    fall = math.sqrt(2.0 / G)
    since = (400.0 + fall) % (2.0 * fall)
    law = math.sqrt(2.0 * G) * since - 0.5 * G * since**2
    return near(
        f"{sim.collisions} bounces", sim.positions[0, 1] - 0.03, law, 8 * EPS * sim.collisions * (sim.collisions + 2)
    )


@claim(
    FLIGHT,
    "Nobody leaves, whatever the walls and the speed",
    "a point at 1000 m/s in a star with a hole, 100,000 bounces: 0 outside",
    "conformance/test_containment.py::test_a_fast_point_for_a_million_bounces",
)
def inside() -> Found:
    """Checked every half second."""
    star = Polygon(vertices=STAR, holes=[Circle(centre=(0.75, 0.75), radius=0.1)])
    sim = Simulation(Scene(boundary=star, balls=[Ball(position=(0.4, 0.35), velocity=(890.0, 456.0))]))
    outside = 0
    corners = np.array(STAR)
    while sim.collisions < 100_000:
        sim.run(until=sim.time + 0.5)
        x, y = sim.positions[0]
        (x1, y1), (x2, y2) = corners.T, np.roll(corners, -1, axis=0).T
        crossed = ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / np.where(y1 == y2, 1.0, y2 - y1) + x1)
        outside += crossed.sum() % 2 == 0 or math.hypot(x - 0.75, y - 0.75) < 0.1 - 1e-9
    return Found(f"{outside} outside", float(outside), 0.0)
