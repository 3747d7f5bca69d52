"""Piles through the public interface: they come to rest and stay, on whatever they lie."""

import numpy as np
import pytest

from carom import Attraction, Ball, Balls, Box, Circle, Polygon, Scene, Simulation, Wedge, library
from carom.errors import StepWarning
from carom.solvers.stepped.pile.substeps import MOST_BY_LOAD, SUBSTEPS, substeps_for

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


def column(ratio: float) -> Scene:
    """Four balls of 1 kg in a narrow box, and a heavier one on them."""
    balls = Balls(position=[(0.15, 0.1 + 0.2 * k) for k in range(5)], radius=0.1, mass=[1.0] * 4 + [ratio])
    return Scene(boundary=Box(size=(0.3, 3.0)), gravity=(0.0, -G), restitution=0.2, friction=0.3, balls=balls)


def bed(ratio: float) -> Scene:
    """A bed of 114 balls of 1 kg, and a heavier ball with six times their radius that falls on it."""
    columns, rows = np.meshgrid(np.arange(19), np.arange(6))
    place = 0.06 + 0.105 * np.stack([columns.ravel(), rows.ravel()], axis=1)
    place += np.random.default_rng(1).uniform(0.0, 0.004, place.shape)
    balls = Balls(position=np.vstack([place, (1.0, 1.1)]), radius=[0.05] * 114 + [0.3], mass=[1.0] * 114 + [ratio])
    return Scene(boundary=Box(size=(2.02, 3.0)), gravity=(0.0, -G), restitution=0.2, friction=0.3, balls=balls)


@pytest.mark.requirement("M-07")
@pytest.mark.parametrize("ratio", [1.0, 10.0, 100.0, 1000.0])
def test_a_heavy_ball_does_not_sink_into_light_ones(ratio: float) -> None:
    sim = Simulation(column(ratio))
    for k in range(1, 31):  # from the first moment on
        sim.run(until=0.1 * k)
        assert max(deepest(sim), float((1.0 - sim.positions[:, 1] / sim.radii).max())) < 0.03
    assert unrest(sim) < 1e-4
    sim = Simulation(bed(ratio)).run(until=6.0)
    for k in range(1, 11):  # once it has come to rest
        sim.run(until=6.0 + 0.1 * k)
        assert max(deepest(sim), float((1.0 - sim.positions[:, 1] / sim.radii).max())) < 0.03
    assert unrest(sim) < 1e-3


def test_balls_of_one_density_have_as_many_substeps_as_like_balls() -> None:
    like, heavy = column(1.0), column(1000.0)
    sizes = Balls(position=[(0.5, 0.1), (0.5, 0.6)], radius=[0.1, 0.4], mass=[1.0, 16.0])
    assert substeps_for(like, 1.0 / 60.0) == SUBSTEPS
    assert substeps_for(like.replace(balls=sizes), 1.0 / 60.0) == SUBSTEPS
    assert SUBSTEPS < substeps_for(heavy, 1.0 / 600.0) < substeps_for(heavy, 1.0 / 60.0) < MOST_BY_LOAD
    assert substeps_for(column(1e9), 1.0 / 60.0) == MOST_BY_LOAD


@pytest.mark.parametrize(
    ("ratio", "step", "words"),
    [
        (2000.0, None, "in steps of 0.0166667 s a pile holds 1e+03 times. Use masses that differ less."),
        (900.0, 0.1, "in steps of 0.1 s a pile holds 179 times. Use masses that differ less, or smaller steps."),
    ],
)
def test_who_is_too_heavy_is_warned_of(ratio: float, step: float | None, words: str) -> None:
    with pytest.warns(StepWarning, match="^balls: the heaviest") as caught:
        Simulation(column(ratio), step=step)
    assert [str(each.message).endswith(words) for each in caught] == [True]


@pytest.mark.requirement("S-02")
@pytest.mark.parametrize("contacts", ["auto", "pile", "impacts"])
def test_who_is_to_pass_passes_in_a_pile_too(contacts: str) -> None:
    balls = [Ball(position=(x, 0.1), velocity=(v, 0.0), radius=0.1) for x, v in ((1.0, 1.0), (2.0, -1.0))]
    pull = Attraction(G=1e-30, softening=0.1, touch="pass")
    scene = Scene(boundary=Box(size=(4.0, 2.0)), gravity=(0.0, -G), restitution=0.5, balls=balls, attraction=pull)
    sim = Simulation(scene, contacts=contacts, step=1 / 60).run(until=0.8)
    assert sim.positions[:, 0] == pytest.approx((1.8, 1.2))
    assert sim.collisions_by_kind["ball-ball"] == 0


def thrown_back(scene: Scene, ball: int) -> float:
    """The speed with which a ball comes back from what it falls on from 1 m above, in that with which it falls."""
    settled = Simulation(scene).run(until=1.0).snapshot()
    place = settled.balls.position.copy()
    place[ball, 1] += 1.0
    balls = settled.balls.replace(position=place, velocity=np.zeros_like(place))
    sim = Simulation(settled.replace(balls=balls))
    speeds = [sim.run(until=k / 60.0).velocities[ball, 1] for k in range(1, 66)]
    return float(max(speeds[26:]) / -min(speeds))


@pytest.mark.requirement("M-07", "M-11")
@pytest.mark.parametrize("ratio", [10.0, 100.0])
def test_a_heavy_ball_that_falls_on_light_ones_comes_back_as_restitution_says(ratio: float) -> None:
    """e = 0.2 of one contact; others on the way may bounce as well, none gives more than it was given."""
    assert thrown_back(column(ratio), 4) < 0.25
    assert thrown_back(bed(ratio), 114) < 0.35


@pytest.mark.requirement("M-11")
@pytest.mark.parametrize("e", [0.3, 0.8])
def test_of_two_impacts_of_one_ball_in_a_step_the_last_has_its_speed_of_parting(e: float) -> None:
    """A ball at rest that is hit from both sides within a step: the contact that is dealt with last parts with e u.

    The one before has then e u/4 of it: what the middle ball got is taken back in part. No contact adds to what it has.
    """
    balls = [Ball(position=(0.202 * k, 0.0), velocity=(1.0 - k, 0.0), radius=0.1) for k in range(3)]
    sim = Simulation(Scene(balls=balls, restitution=e), solver="stepped", contacts="pile", step=0.01).run(until=0.01)
    before, last = sorted(np.diff(sim.velocities[:, 0]))
    assert last == pytest.approx(e, rel=1e-12)
    assert before == pytest.approx(0.25 * e, abs=2e-3)  # soft contacts have not quite stopped it
    assert sim.velocities.sum() == pytest.approx(0.0, abs=1e-14)
