"""A drop on one triangle: what a contact takes is what is booked, and what the laws of impact and friction say.

Where no force varies, the path within a step is exact, and so is the account: kinetic + potential + lost = work + start
to the rounding of so many steps.
"""

from itertools import product

import numpy as np
import pytest

from carom import Ball, Coulomb, Friction, Scene, Simulation
from carom.solvers.stepped.energy.account import Account

G = 9.81
STEP = 0.003
CORNERS = np.array(((-1.0, 0.0, -1.0), (1.0, 0.0, -1.0), (0.0, 0.0, 1.5)))
ROUNDING = 1e-12  # of the largest energy: some hundred sums, each right to 1e-16


def drop_on_a_triangle(
    e: float,
    *,
    held: bool,
    friction: Friction | float = 0.0,
    g: float = G,
    slope: float = 0.0,
    velocity: tuple[float, float, float] = (0.3, -2.0, 0.1),
) -> Scene:
    """A drop of 10 g over a triangle of three bodies of 100 to 300 g, turned about the z axis by an angle."""
    turn = np.array(((np.cos(slope), -np.sin(slope), 0.0), (np.sin(slope), np.cos(slope), 0.0), (0.0, 0.0, 1.0)))
    corners = [Ball(position=turn @ x, mass=m, fixed=held) for x, m in zip(CORNERS, (0.1, 0.2, 0.3), strict=True)]
    drop = Ball(position=turn @ (0.1, 0.3, 0.0), velocity=velocity, mass=0.01)
    return Scene(
        gravity=(0.0, -g, 0.0), restitution=e, friction=friction, balls=[drop, *corners], triangles=[(1, 2, 3)]
    )


def thickness(scene: Scene) -> float:
    """How near to the cloth a point can come, m."""
    a, b, c = scene.balls.position[scene.triangles[0]]
    return 0.01 * float(np.sqrt((((b - a) ** 2 + (c - b) ** 2 + (a - c) ** 2).sum()) / 3.0))


def unbalanced(account: Account) -> float:
    """The error of the account, as a part of the largest energy in it."""
    return abs(account.error) / max(
        account.kinetic, abs(account.start), *map(abs, account.potential.values()), *account.lost.values()
    )


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
@pytest.mark.parametrize(("e", "mu"), [*product((0.0, 0.3, 1.0), (0.0, 0.4))])
def test_the_account_closes_from_the_first_blow_to_rest(e: float, mu: float, held: bool) -> None:
    sim = Simulation(drop_on_a_triangle(e, held=held, friction=mu), step=STEP)
    for t in (0.12, 0.2, 0.5, 1.5):
        sim.run(until=t)
        assert unbalanced(sim.account) < ROUNDING
    lost = sim.account.lost
    assert min(lost.values()) >= -ROUNDING
    assert (lost["friction"] > 0.0) == (mu > 0.0)
    if e == 1.0:
        assert lost["restitution"] == pytest.approx(0.0, abs=ROUNDING)
    else:
        assert lost["restitution"] > 1e-3


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_a_blow_takes_what_the_law_of_impact_says(e: float, held: bool) -> None:
    """½ m (1 - e²) u², with 1/m = 1/m₀ + Σ w²/mₖ and u the speed of approach at the contact.

    The contact is found on the straight way, which is up to g dt²/8 from the parabola: u² is right to g² dt²/4.
    """
    scene = drop_on_a_triangle(e, held=held, velocity=(0.0, -2.0, 0.0))
    sim = Simulation(scene, step=STEP)
    w = np.linalg.solve(np.vstack([CORNERS[:, ::2].T, np.ones(3)]), (0.1, 0.0, 1.0))
    soft = 100.0 + (0.0 if held else float((w**2 / (0.1, 0.2, 0.3)).sum()))
    square = 4.0 + (2.0 * G * (0.3 - thickness(scene)) if held else 0.0)  # a free triangle falls as the drop does
    sim.run(until=0.16)
    expected = 0.5 * (1.0 - e * e) * square / soft
    off = 0.5 * (0.5 * G * STEP) ** 2 / soft if held else 0.0
    assert sim.account.lost["restitution"] == pytest.approx(expected, rel=1e-12, abs=off + 1e-16)


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
def test_without_gravity_an_elastic_blow_keeps_kinetic_energy(held: bool) -> None:
    sim = Simulation(drop_on_a_triangle(1.0, held=held, g=0.0), step=STEP)
    before = sim.account.kinetic
    sim.run(until=0.5)
    assert sim.collisions_by_kind["ball-cloth"] == 1
    assert sim.account.kinetic == pytest.approx(before, rel=1e-15)
    assert sim.account.lost["restitution"] == pytest.approx(0.0, abs=1e-16 * before)


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize("height", [0.3, 0.03, 1e-4, 1e-6])
def test_an_elastic_drop_bounces_for_ever(height: float) -> None:
    """At any speed against the step: from high above, and from so near that it bounces several times a step."""
    scene = drop_on_a_triangle(1.0, held=True, velocity=(0.0, 0.0, 0.0))
    x = scene.balls.position.copy()
    x[0, 1] = height + thickness(scene)
    sim = Simulation(scene.replace(balls=scene.balls.replace(position=x)), step=STEP)
    start = sim.account.mechanical
    for k in range(1, 200):
        sim.run(until=0.02 * k)
        assert sim.account.mechanical == pytest.approx(start, rel=1e-12)
        assert 0.0 < sim.positions[0, 1] <= x[0, 1] * (1.0 + 1e-12)


@pytest.mark.requirement("M-14")
@pytest.mark.parametrize(("mu", "slides"), [((0.8, 0.6), False), ((0.4, 0.3), True), ((0.0, 0.0), True)])
def test_a_drop_that_lies_on_a_slope_sticks_or_slides(mu: tuple[float, float], slides: bool) -> None:
    """With μ above tan θ it stays for good, to the bit; else it slides with g (sin θ - μ cos θ)."""
    slope, s = 0.5, Friction(ball_ball=Coulomb(static=mu[0], dynamic=mu[1]))
    scene = drop_on_a_triangle(0.0, held=True, friction=s, slope=slope, velocity=(0.0, 0.0, 0.0))
    sim = Simulation(scene, step=STEP).run(until=0.3)
    x, v = sim.positions[0], sim.velocities[0]
    sim.run(until=0.45)
    down = np.array((-np.cos(slope), -np.sin(slope), 0.0))
    assert unbalanced(sim.account) < ROUNDING
    if slides:
        a = G * (np.sin(slope) - mu[1] * np.cos(slope))
        assert (sim.velocities[0] - v) @ down == pytest.approx(a * 0.15, rel=1e-9)
        assert sim.positions[0] @ (-down[1], down[0], 0.0) == pytest.approx(x @ (-down[1], down[0], 0.0), abs=1e-12)
    else:
        assert sim.positions[0] == pytest.approx(x, abs=1e-15)
        assert sim.velocities[0].tolist() == [0.0, 0.0, 0.0]
