"""A ball dropped with restitution e: a geometric series of bounces, and then rest.

Bounce k lasts 2 e^k √(2h/g) and reaches e^2k h; all of them together end at √(2h/g) (1 + e)/(1 - e).
"""

import math

import numpy as np
import pytest

from carom import Ball, Box, Scene, Simulation, library

EPS = np.finfo(float).eps
G = 9.81


def dropped(e, h=1.0, r=0.03, **more):
    return Scene(
        boundary=Box(size=(0.4, 1.2)),
        gravity=(0.0, -G),
        restitution=e,
        balls=[Ball(position=(0.2, h + r), radius=r)],
        **more,
    )


@pytest.mark.requirement("M-11", "T-08")
@pytest.mark.parametrize("e", [0.5, 0.8, 0.9])
def test_bounces_follow_the_geometric_series(e):
    sim = Simulation(dropped(e))
    fall = math.sqrt(2.0 / G)
    for k in range(12):
        hit = sim.step()
        # 1 + 2 e (1 - e^k)/(1 - e) falls; each bounce adds a rounding of time and one of speed, which lasts.
        time = fall * (1.0 + 2.0 * e * (1.0 - e**k) / (1.0 - e))
        blur = 8 * EPS * (k + 1)
        assert hit.time == pytest.approx(time, rel=blur)
        assert hit.impulse == pytest.approx((1.0 + e) * e**k * math.sqrt(2.0 * G), rel=blur)
        speed = sim.velocities[0, 1]
        assert speed == pytest.approx(e ** (k + 1) * math.sqrt(2.0 * G), rel=blur)
        assert speed**2 / (2.0 * G) == pytest.approx(e ** (2 * k + 2), rel=2 * blur)  # the height of the next bounce, m


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 0.95])
def test_it_comes_to_rest_when_the_series_ends_and_stays(e):
    sim = Simulation(dropped(e))
    contact_time = sim.report.contact_time
    end = math.sqrt(2.0 / G) * (1.0 + e) / (1.0 - e)
    hits = list(sim.events(until=2.0 * end))
    # The bounces that are left out when the next would be within the contact time t_c last t_c/(1 - e) in all.
    assert end - contact_time / (1.0 - e) * (1.0 + 1e-6) <= hits[-1].time <= end * (1.0 + 1e-12)
    assert sim.resting == (0,)
    # Where it touches is off by the rounding of a time t at the speed 4.4 e^k m/s: by less than 16 EPS in each bounce.
    blur = 16 * EPS
    assert sim.positions.tolist() == [[0.2, pytest.approx(0.03, abs=blur)]]
    assert sim.velocities.tolist() == [[0.0, 0.0]]
    count = sim.collisions
    sim.run(until=1e6)
    assert (sim.collisions, sim.positions[0, 1], sim.upcoming) == (count, pytest.approx(0.03, abs=blur), [])
    # As many bounces as the series has terms longer than t_c.
    terms = 2 if e == 0.0 else math.log(contact_time / (2.0 * math.sqrt(2.0 / G))) / math.log(e) + 1.0
    assert count <= terms + 1.0


def test_the_scene_of_the_library_rests_at_4_06_seconds():
    sim = Simulation(library.load("bouncing-ball")).run(until=4.06)
    assert sim.resting == ()
    assert sim.run(until=4.07).resting == (0,)


def test_a_given_contact_time_is_taken():
    soft, hard = (Simulation(dropped(0.8, contact_time=t)).run(until=5.0) for t in (1e-2, 1e-6))
    assert soft.resting == hard.resting == (0,)
    # ln(10⁴)/ln(1/0.8) = 41 more bounces fit in.
    assert hard.collisions - soft.collisions == pytest.approx(math.log(1e4) / math.log(1.25), abs=1.0)


def test_the_run_goes_on_at_full_speed_beside_a_resting_ball():
    """One ball rests; another, made of something that loses nothing, hops on beside it for ever."""
    scene = dropped(0.5).replace(
        restitution={"ball_ball": 1.0, "ball_wall": 0.5, "pairs": [{"materials": ("rubber", "wall"), "value": 1.0}]},
        balls=[
            Ball(position=(0.1, 0.5), radius=0.03),
            Ball(position=(0.3, 0.53), radius=0.03, material="rubber"),
        ],
    )
    sim = Simulation(scene, solver="exact").run(until=1000.0)
    assert sim.resting == (0,)
    period = 2.0 * math.sqrt(2.0 * 0.5 / G)
    hops = math.floor((1000.0 + 0.5 * period) / period)
    assert sim.collisions == pytest.approx(hops + 15, abs=15)
    assert 0.5 * sim.velocities[1, 1] ** 2 + G * (sim.positions[1, 1] - 0.03) == pytest.approx(
        G * 0.5, rel=4 * EPS * hops
    )


def test_a_ball_that_rests_is_struck_and_rests_again():
    """A sliding ball hits a resting one: both lie on the floor, and exchange what they have along it."""
    scene = Scene(
        boundary=Box(size=(10.0, 1.0)),
        gravity=(0.0, -G),
        restitution={"ball_ball": 1.0, "ball_wall": 0.5},
        balls=[
            Ball(position=(0.5, 0.1), velocity=(0.2, 0.0), radius=0.1),
            Ball(position=(1.5, 0.1), radius=0.1),
        ],
    )
    sim = Simulation(scene, solver="exact").run(until=10.0)
    assert sim.resting == (0, 1)
    assert sim.velocities[:, 0] == pytest.approx([0.0, 0.2], abs=4 * EPS)
    assert sim.positions[:, 0] == pytest.approx([1.3, 1.5 + 0.2 * 6.0], abs=1e-12)
