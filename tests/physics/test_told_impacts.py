"""Impacts are told whatever becomes of them: a drop that stays where it falls has met what it lies on, once."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, HalfSpace, Scene, Simulation

G = 9.81
FLOOR = HalfSpace(point=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0))
DROPS = [(0.1 * k + 0.01, 0.3 + 0.013 * k, 0.2 + 0.05 * (k % 5)) for k in range(50)]
FALLS = [y for _, y, _ in DROPS]


def on_the_floor() -> Scene:
    return Scene(gravity=(0.0, -G, 0.0), restitution=0.0, obstacles=[FLOOR], balls=Balls(position=DROPS))


def on_a_cloth() -> Scene:
    corners = [Ball(position=x, fixed=True) for x in ((-1, 0, -1), (6, 0, -1), (6, 0, 1), (-1, 0, 1))]
    drops = [Ball(position=x) for x in DROPS]
    return Scene(
        gravity=(0.0, -G, 0.0), restitution=0.0, balls=[*drops, *corners], triangles=[(50, 51, 52), (50, 52, 53)]
    )


@pytest.mark.requirement("M-09", "T-10")
@pytest.mark.parametrize("scene", [on_the_floor(), on_a_cloth()], ids=["floor", "cloth"])
def test_each_drop_of_water_is_told_once(scene: Scene) -> None:
    """J = m sqrt(2 g h); a thick cloth is met as much higher."""
    sim = Simulation(scene)
    told = sorted(sim.events(until=3.0), key=lambda event: event.partners)
    assert [event.partners[0] for event in told] == list(range(50))
    assert sum(sim.collisions_by_kind.values()) == 50
    high = 0.01 * np.sqrt((7.0**2 + 2.0**2 + 53.0) / 3.0) if len(scene.triangles) else 0.0
    fall = np.sqrt(2.0 * G * (np.array(FALLS) - high))
    assert [event.impulse for event in told] == pytest.approx(fall, rel=0.01)
    assert Simulation(scene).run(collisions=1).time < np.sqrt(2.0 * min(FALLS) / G) + 0.02


@pytest.mark.requirement("T-10")
@pytest.mark.parametrize("e", [0.0, 0.01])
def test_a_dead_ball_falls_once_in_a_pile_and_with_impacts(e: float) -> None:
    """Two balls side by side fall 1 m and 2 m: J = m sqrt(2 g h), to what a step of g gives."""
    balls = [Ball(position=(1.0, 1.1), radius=0.1), Ball(position=(2.0, 2.1), radius=0.1)]
    scene = Scene(boundary=Box(size=(4.0, 4.0)), gravity=(0.0, -G), restitution=e, balls=balls)
    for contacts in ("pile", "impacts"):
        sim = Simulation(scene, contacts=contacts)
        told = list(sim.events(until=2.0))
        assert [event.partners[0] for event in told] == [0, 1]
        fall = (1.0 + e) * np.sqrt(2.0 * G * np.array((1.0, 2.0)))
        assert [event.impulse for event in told] == pytest.approx(fall, abs=G / 60.0)
