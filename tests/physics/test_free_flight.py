"""One ball alone: straight lines, reflections and parabolas against closed forms."""

import math

import numpy as np
import pytest

from carom import Ball, Box, Open, Scene, Simulation

EPS = np.finfo(float).eps


def unfolded(x, v, t, low, high):
    """Where a point between two mirrors is: fly straight on through mirrored copies of the room, then fold back."""
    length = high - low
    far = (x - low + v * t) / length
    turn = math.floor(far)
    rest = far - turn
    return low + length * (rest if turn % 2 == 0 else 1.0 - rest)


@pytest.mark.requirement("T-09", "T-11", "M-17")
@pytest.mark.parametrize("dimension", [2, 3])
def test_free_flight_in_a_box_against_the_unfolded_straight_line(dimension):
    size, radius = (0.5, 0.3, 0.4)[:dimension], 0.02
    place, velocity = (0.11, 0.07, 0.19)[:dimension], (0.731, -0.377, 0.519)[:dimension]
    sim = Simulation(Scene(boundary=Box(size=size), balls=[Ball(position=place, velocity=velocity, radius=radius)]))
    for t in (0.05, 0.5, 3.7, 29.3, 1000.0):
        sim.run(until=t)
        exact = [unfolded(x, v, t, radius, s - radius) for x, v, s in zip(place, velocity, size, strict=True)]
        # A time is rounded by half an ulp, EPS t/2 at most. A reflection so much too early or late moves all that
        # follows by twice the way flown in it; and if all flights last equally long, all are rounded the same way.
        fastest = max(map(abs, velocity))
        blur = EPS * fastest * t * (sim.collisions + 4) + 4 * EPS * max(size) * (sim.collisions + 1)
        assert np.abs(sim.positions[0] - exact).max() <= blur
    swings = sum(abs(v) * 1000.0 / (s - 2.0 * radius) for v, s in zip(velocity, size, strict=True))
    assert abs(sim.collisions - swings) <= dimension  # where in its swing it starts and stops
    assert np.abs(sim.velocities[0]).tolist() == [abs(v) for v in velocity]  # to the last bit


@pytest.mark.requirement("T-09")
def test_between_collisions_balls_move_uniformly():
    sim = Simulation(Scene(boundary=Open(), balls=[Ball(position=(1.0, 2.0), velocity=(0.25, -0.5))]))
    for t in (0.0, 1.0, 2.5, 1024.0):
        sim.run(until=t)
        assert sim.positions.tolist() == [[1.0 + 0.25 * t, 2.0 - 0.5 * t]]
        assert sim.velocities.tolist() == [[0.25, -0.5]]
    assert sim.collisions == 0
    assert sim.upcoming == []


@pytest.mark.requirement("M-15")
def test_a_lone_ball_goes_round_a_periodic_box():
    size, velocity = (0.5, 0.3), (0.731, -0.377)
    scene = Scene(
        boundary=Box(size=size, periodic=True), balls=[Ball(position=(0.1, 0.2), velocity=velocity, radius=0.01)]
    )
    t = 99.7
    sim = Simulation(scene).run(until=t)
    exact = np.array([x + v * t for x, v in zip((0.1, 0.2), velocity, strict=True)])
    seams = np.abs(sim.turns).sum()
    blur = EPS * 0.731 * t * (seams + 4)  # at each seam the time is rounded, as above
    assert sim.positions[0] == pytest.approx(exact % size, abs=blur)
    assert sim.turns[0].tolist() == (exact // size).tolist()
    assert sim.positions[0] + sim.turns[0] * size == pytest.approx(exact, abs=blur)
    assert sim.collisions == 0


@pytest.mark.requirement("T-11")
def test_a_ball_hops_for_ever_at_the_same_height():
    """Dropped from h without loss: the height at time t follows from the phase in the period 2 √(2h/g)."""
    h, g, r = 1.0, 9.81, 0.03
    scene = Scene(boundary=Box(size=(0.4, 1.2)), gravity=(0.0, -g), balls=[Ball(position=(0.2, h + r), radius=r)])
    sim = Simulation(scene)
    fall = math.sqrt(2.0 * h / g)
    for k, t in enumerate((0.3, 0.9, 2.0, 17.3, 400.0)):
        sim.run(until=t)
        since = (t + fall) % (2.0 * fall)  # since the last bounce, if there had always been bounces
        height = math.sqrt(2.0 * g * h) * since - 0.5 * g * since**2
        # Roundings of the speed at each bounce add up (worst case, one ulp each), and change later flights in turn.
        bounces = sim.collisions + 1
        assert sim.positions[0, 1] - r == pytest.approx(
            height, abs=8 * EPS * bounces * (bounces + math.sqrt(2 * g * h) * fall)
        ), k
    assert sim.collisions == math.floor((400.0 + fall) / (2.0 * fall))
    assert sim.energy == pytest.approx(9.81 * (h + r), rel=2 * EPS * sim.collisions)


@pytest.mark.requirement("T-11", "M-17")
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_throw_between_walls(dimension):
    """Sideways it is a reflected straight line, whatever gravity does to the height."""
    g, r = 9.81, 0.05
    size = (1.0, 3.0, 0.8)[:dimension]
    gravity = (0.0, -g, 0.0)[:dimension]
    place, velocity = (0.3, 1.0, 0.2)[:dimension], (1.7, 3.0, -0.9)[:dimension]
    scene = Scene(boundary=Box(size=size), gravity=gravity, balls=[Ball(position=place, velocity=velocity, radius=r)])
    sim = Simulation(scene)
    energy = sim.energy
    t_floor = (velocity[1] + math.sqrt(velocity[1] ** 2 + 2 * g * (place[1] - r))) / g
    floor = next(each for each in sim.events(until=10.0) if each.wall == "y-")
    assert floor.time == pytest.approx(t_floor, rel=8 * EPS)
    sim.run(until=10.0)
    for axis in (0, 2)[: dimension - 1]:
        exact = unfolded(place[axis], velocity[axis], 10.0, r, size[axis] - r)
        assert sim.positions[0, axis] == pytest.approx(exact, abs=8 * EPS * (sim.collisions + 17.0))
    assert sim.energy == pytest.approx(energy, rel=4 * EPS * sim.collisions)
