"""Two balls: the laws of collision through the whole system, in the plane and in space."""

import math

import numpy as np
import pytest

from carom import Ball, Box, Open, Restitution, Scene, Simulation

EPS = np.finfo(float).eps


def collide(one, two, **scene):
    sim = Simulation(Scene(balls=[Ball(**one), Ball(**two)], **{"boundary": Open(), **scene}))
    before = sim.velocities
    collision = sim.step()
    return before, collision, sim.velocities, sim


def decomposed(v1, v2, m1, m2, n):
    """Equations 2.12 to 2.24 of the first document: normal components as on a line, tangential ones kept."""
    t = np.array((-n[1], n[0]))
    v1n, v1t, v2n, v2t = v1 @ n, v1 @ t, v2 @ n, v2 @ t
    u1n = ((m1 - m2) * v1n + 2.0 * m2 * v2n) / (m1 + m2)
    u2n = ((m2 - m1) * v2n + 2.0 * m1 * v1n) / (m1 + m2)
    return u1n * n + v1t * t, u2n * n + v2t * t


@pytest.mark.requirement("T-13", "T-08")
@pytest.mark.parametrize("masses", [(0.01, 0.01), (0.02, 0.01), (1.0, 1e-3), (1e-6, 1e6)])
@pytest.mark.parametrize("offset", [0.0, 0.007, -0.02, 0.0299])
def test_response_for_general_masses_and_radii(masses, offset):
    m1, m2 = masses
    before, hit, after, _ = collide(
        {"position": (0.0, 0.0), "velocity": (0.3, 0.05), "mass": m1, "radius": 0.01},
        {"position": (0.2, offset), "velocity": (-0.2, 0.05), "mass": m2, "radius": 0.02},
    )
    # The offset is kept until they touch (equal velocities across), so that the geometry is known.
    n = np.array((-math.sqrt(0.03**2 - offset**2), -offset)) / 0.03
    assert hit.time == pytest.approx((0.2 - math.sqrt(0.03**2 - offset**2)) / 0.5, rel=1e-13)
    # The slope of the line of centres is read off places of 0.2 m at a distance of 0.03 m: 7 EPS, more on a graze.
    steep = 0.03 / math.sqrt(0.03**2 - offset**2)
    blur = 64 * EPS * steep
    assert hit.normal == pytest.approx(n, abs=blur)
    wanted = decomposed(before[0], before[1], m1, m2, n)
    assert after == pytest.approx(np.array(wanted), abs=4 * blur)
    momentum = (np.array(masses)[:, None] * before).sum(axis=0)
    assert (np.array(masses)[:, None] * after).sum(axis=0) == pytest.approx(momentum, abs=8 * EPS * (m1 + m2))


@pytest.mark.requirement("M-12")
@pytest.mark.parametrize("offset", [0.001, 0.005, 0.01, 0.015, 0.019])
def test_equal_balls_part_at_a_right_angle(offset):
    """The billiard player's test: one at rest, struck off centre."""
    _, _, after, sim = collide(
        {"position": (0.0, 0.0), "velocity": (1.0, 0.0), "mass": 0.17, "radius": 0.01},
        {"position": (0.3, offset), "mass": 0.17, "radius": 0.01},
    )
    # cos of the angle, times the speeds: the product of components of size 1 that cancel.
    assert after[0] @ after[1] == pytest.approx(0.0, abs=8 * EPS)
    assert np.linalg.norm(after[0]) * np.linalg.norm(after[1]) > 0.04
    assert (after**2).sum() == pytest.approx(1.0, rel=8 * EPS)
    # The struck ball leaves along the line of centres.
    assert math.atan2(after[1, 1], after[1, 0]) == pytest.approx(math.asin(offset / 0.02), rel=1e-13)
    assert sim.collisions == 1


@pytest.mark.requirement("M-12", "M-17")
def test_the_right_angle_in_space():
    _, _, after, _ = collide(
        {"position": (0.0, 0.0, 0.0), "velocity": (1.0, 0.0, 0.0), "radius": 0.01},
        {"position": (0.3, 0.006, -0.009), "radius": 0.01},
    )
    assert after[0] @ after[1] == pytest.approx(0.0, abs=8 * EPS)


@pytest.mark.requirement("B-01")
def test_equal_balls_exchange_what_lies_along_the_line_of_centres():
    before, hit, after, _ = collide(
        {"position": (0.0, 0.0), "velocity": (0.5, 0.3), "radius": 0.1},
        {"position": (1.0, 0.1), "velocity": (-0.4, 0.2), "radius": 0.1},
    )
    n = np.array(hit.normal)
    assert after @ n == pytest.approx((before @ n)[::-1], abs=8 * EPS)
    t = np.array((-n[1], n[0]))
    assert after @ t == pytest.approx(before @ t, abs=8 * EPS)


@pytest.mark.requirement("M-11")
@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
def test_the_impulse_with_restitution(e):
    """J = -μ (1 + e) (v1n - v2n), and the loss of energy μ (1 - e²) u²/2."""
    m1, m2, u = 0.03, 0.01, 0.7
    mu = m1 * m2 / (m1 + m2)
    before, hit, after, _ = collide(
        {"position": (0.0, 0.0), "velocity": (0.5, 0.1), "mass": m1, "radius": 0.01},
        {"position": (0.4, 0.0), "velocity": (-0.2, 0.1), "mass": m2, "radius": 0.01},
        restitution=e,
    )
    assert hit.normal == (-1.0, 0.0)
    assert hit.impulse == pytest.approx(mu * (1.0 + e) * u, rel=8 * EPS)
    assert after[:, 0] == pytest.approx([0.5 - hit.impulse / m1, -0.2 + hit.impulse / m2], abs=8 * EPS)
    assert after[:, 1].tolist() == [0.1, 0.1]
    masses = np.array((m1, m2))
    lost = 0.5 * (masses * ((before**2).sum(axis=1) - (after**2).sum(axis=1))).sum()
    assert lost == pytest.approx(0.5 * mu * (1.0 - e * e) * u * u, abs=8 * EPS * 0.03)


@pytest.mark.requirement("M-11")
def test_restitution_by_kind_and_by_material():
    rule = Restitution(ball_ball=0.5, ball_wall=0.25, pairs=[{"materials": ("steel", "felt"), "value": 0.75}])
    box = Box(size=(1.0, 1.0), material=("felt", "wall", "wall", "wall"))
    balls = [Ball(position=(0.5, 0.5), velocity=(-1.0, 0.0), radius=0.1, material="steel")]
    sim = Simulation(Scene(boundary=box, balls=balls, restitution=rule))
    sim.run(collisions=1)
    assert sim.velocities.tolist() == [[0.75, 0.0]]  # felt
    sim.run(collisions=1)
    assert sim.velocities.tolist() == [[-0.1875, 0.0]]  # a wall like any other


@pytest.mark.requirement("T-13")
def test_a_fixed_ball_is_a_wall_of_infinite_mass():
    _, hit, after, sim = collide(
        {"position": (0.0, 0.0), "velocity": (1.0, 0.0), "mass": 2.0, "radius": 0.1},
        {"position": (1.0, 0.0), "radius": 0.1, "fixed": True},
    )
    assert (hit.kind, hit.partners, hit.impulse) == ("ball-ball", (0, 1), 4.0)
    assert after.tolist() == [[-1.0, 0.0], [0.0, 0.0]]
    assert sim.positions[1].tolist() == [1.0, 0.0]


@pytest.mark.requirement("T-10", "T-13")
def test_kind_and_number_of_bodies_tell_collisions_apart():
    balls = [
        Ball(position=(0.2, 0.5), velocity=(1.0, 0.0), radius=0.05, mass=3.0),
        Ball(position=(0.6, 0.5), radius=0.05, mass=1.0),
    ]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls))
    first, second = sim.step(), sim.step()
    assert (first.kind, first.partners, first.wall, len(first.partners)) == ("ball-ball", (0, 1), None, 2)
    assert (second.kind, second.partners, second.wall, len(second.partners)) == ("ball-wall", (1,), "x+", 1)
    assert first.place == pytest.approx((0.55, 0.5), abs=4 * EPS)
    assert second.place == pytest.approx((1.0, 0.5), abs=4 * EPS)
    assert second.normal == (-1.0, 0.0)
    assert second.impulse == pytest.approx(2.0 * 1.5 * 1.0, rel=8 * EPS)
    assert sim.collisions_by_kind == {"ball-ball": 1, "ball-wall": 1}


@pytest.mark.requirement("T-11")
@pytest.mark.parametrize("speed", [1e-12, 1.0, 1e6, 1e12])
def test_no_collision_is_missed_at_any_speed(speed):
    """Between two walls and a ball, back and forth: the count follows from the way flown."""
    balls = [
        Ball(position=(0.25, 0.5), velocity=(speed, 0.0), radius=0.125),
        Ball(position=(0.75, 0.5), velocity=(-speed, 0.0), radius=0.125),
    ]
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls)).run(until=10.0 / speed)
    # Each ball has 0.25 m between a wall and the middle: 0.125 m to the first meeting, then a wall every 0.5 m.
    meetings = math.floor((10.0 - 0.125) / 0.5) + 1
    walls = 2 * (math.floor((10.0 - 0.375) / 0.5) + 1)
    assert sim.collisions_by_kind == {"ball-ball": meetings, "ball-wall": walls}
    assert (np.abs(sim.velocities[:, 0]) == speed).all()
