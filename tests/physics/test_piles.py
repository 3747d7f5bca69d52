"""Piles through the public interface: they come to rest and stay, on whatever they lie."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, Circle, Polygon, Scene, Simulation, Wedge, library

G = 9.81


def deepest(sim: Simulation) -> float:
    """The deepest overlap of two balls, in the smaller radius."""
    x, r = sim.positions, sim.radii
    apart = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2)) + 1e9 * np.eye(len(x))
    return float(((r[:, None] + r[None] - apart) / np.minimum(r[:, None], r[None])).max())


def unrest(sim: Simulation) -> float:
    """The rms speed, in sqrt(g r)."""
    return float(np.sqrt((sim.velocities**2).sum(axis=1).mean() / (G * sim.radii.mean())))


@pytest.mark.requirement("M-07", "M-11")
def test_a_thousand_disks_poured_into_a_box_settle() -> None:
    sim = Simulation(library.load("pour"))
    assert sim.method.contacts == "pile"
    restless = []
    for t in (4.0, 8.0, 16.0):
        sim.run(until=t)
        restless.append(unrest(sim))
    assert len(sim.radii) == 1000
    assert deepest(sim) < 0.03
    assert restless[2] < restless[1] < restless[0] < 0.1
    assert restless[2] < 1e-5
    before = sim.positions
    sim.run(until=20.0)
    assert np.abs(sim.positions - before).max() < 1e-4 * sim.radii[0]  # it does not sink
    # The end of a run can be the start of another: contacts learn their loads anew, and it comes to rest again.
    again = Simulation(sim.snapshot()).run(until=16.0)
    assert unrest(again) < 1e-5
    assert deepest(again) < 0.03


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize(
    "around",
    [
        {"boundary": Polygon(vertices=[(-1.0, 2.0), (0.0, 0.0), (1.0, 2.0)])},
        {"boundary": Circle(centre=(0.0, 1.0), radius=1.0)},
        {"boundary": Box(size=(1.0, 4.0)), "obstacles": [Wedge(slope=1.0, intercept=0.0, x=(0.0, 1.0), bottom=-0.1)]},
    ],
    ids=["hopper", "bowl", "wedge"],
)
def test_a_heap_on_slopes_and_in_the_round(around: dict[str, object]) -> None:
    rng = np.random.default_rng(1)
    wide = isinstance(around["boundary"], Box)
    columns, rows = np.meshgrid(np.arange(4), np.arange(6))
    place = np.stack([columns.ravel() * 0.11 - 0.17, rows.ravel() * 0.11 + 1.1], axis=1) + rng.uniform(
        0, 0.005, (24, 2)
    )
    place[:, 0] += 0.5 if wide else 0.0
    scene = Scene(gravity=(0.0, -G), restitution=0.2, friction=0.3, balls=Balls(position=place, radius=0.05), **around)  # type: ignore[arg-type]  # parts of a scene
    sim = Simulation(scene).run(until=20.0)
    assert unrest(sim) < 1e-3
    assert deepest(sim) < 0.05
    assert not [problem for problem in Simulation(sim.snapshot()).report.resting if problem < 0]


@pytest.mark.requirement("M-07")
def test_a_column_stands_and_drops_by_the_one_that_is_struck_out() -> None:
    tower = Balls(position=[(0.0, 0.1 + 0.2 * k) for k in range(10)], radius=0.1)
    box = Box(size=(4.0, 4.0))
    tower = tower.replace(position=tower.position + np.array((2.0, 0.0)))
    sim = Simulation(Scene(boundary=box, gravity=(0.0, -G), restitution=0.2, friction=0.5, balls=tower))
    sim.run(until=5.0)
    assert sim.positions[-1, 1] > 1.85
    # Friction of what lies above and below stops 1 m/s within a centimetre; 5 m/s go 28 cm, more than a diameter.
    sim.push(5, (5.0, 0.0))
    sim.run(until=8.0)
    assert sim.positions[5, 1] == pytest.approx(0.1, abs=0.005)
    assert sim.positions[-1, 1] == pytest.approx(1.7, abs=0.02)


@pytest.mark.requirement("T-10")
def test_collisions_of_a_pile_are_told() -> None:
    balls = [Ball(position=(1.0, 1.5), radius=0.1), Ball(position=(1.0, 0.1), radius=0.1)]
    scene = Scene(boundary=Box(size=(2.0, 2.0)), gravity=(0.0, -G), restitution=0.5, balls=balls)
    sim = Simulation(scene, step=0.002)
    assert sim.method.contacts == "pile"
    first = next(sim.events(until=2.0))
    fall = np.sqrt(2.0 * 1.2 / G)
    assert (first.kind, first.partners) == ("ball-ball", (0, 1))
    assert first.time == pytest.approx(fall, abs=0.004)
    assert first.normal == pytest.approx((0.0, 1.0))
    # A ball of 1 kg meets one of 1 kg that lies on the ground, one pair after the other: J = m v (1 + e) / 2.
    assert first.impulse == pytest.approx(0.5 * 1.5 * G * fall, rel=0.05)
