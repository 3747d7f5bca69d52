"""Springs, damping, bending, drag: against closed forms."""

import math

import numpy as np
import pytest

from carom import Ball, Balls, Bend, Drag, Link, Links, Scene, Simulation


def on_a_spring(damping: float, stretch: float = 0.1, speed: float = 0.0) -> Scene:
    """A kilogram on a spring of 4 N/m and 1 m."""
    return Scene(
        balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.0 + stretch, 0.0), velocity=(speed, 0.0))],
        links=[Link(between=(0, 1), stiffness=4.0, length=1.0, damping=damping)],
    )


def damped(t: float, damping: float, x: float, v: float) -> float:
    """The solution of x'' = -c x' - 4 x, in its three regimes."""
    g = 0.5 * damping
    q = 4.0 - g * g
    if q > 0.0:
        w = math.sqrt(q)
        return math.exp(-g * t) * (x * math.cos(w * t) + (v + g * x) / w * math.sin(w * t))
    if q == 0.0:
        return math.exp(-g * t) * (x + (v + g * x) * t)
    w = math.sqrt(-q)
    return math.exp(-g * t) * (x * math.cosh(w * t) + (v + g * x) / w * math.sinh(w * t))


@pytest.mark.requirement("M-04")
@pytest.mark.parametrize("damping", [0.5, 4.0, 9.0], ids=["weak", "critical", "strong"])
def test_a_damped_oscillator_in_its_three_regimes(damping: float) -> None:
    errors = []
    for step in (0.01, 0.005):
        sim = Simulation(on_a_spring(damping, speed=0.2), step=step).run(until=2.0)
        errors.append(abs(sim.positions[1, 0] - 1.0 - damped(2.0, damping, 0.1, 0.2)))
    assert errors[1] < 1e-5
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.requirement("M-04")
def test_damping_acts_along_the_link_alone() -> None:
    """Turning about each other, two balls on a link of constant length lose nothing."""
    k, m, r, w = 100.0, 1.0, 1.0, 2.0
    stretched = 2.0 * r - m * w * w * r / k  # the spring that holds them on the circle
    scene = Scene(
        balls=[Ball(position=(-r, 0.0), velocity=(0.0, -w * r)), Ball(position=(r, 0.0), velocity=(0.0, w * r))],
        links=[Link(between=(0, 1), stiffness=k, length=stretched, damping=5.0)],
    )
    sim = Simulation(scene, step=1e-4).run(until=math.pi / w)
    assert np.allclose(sim.positions, [[r, 0.0], [-r, 0.0]], atol=1e-6)
    assert sim.account.lost["damping"] < 1e-9


@pytest.mark.requirement("M-05")
@pytest.mark.parametrize("mode", [1, 2, 3, 5])
def test_normal_modes_of_a_chain(mode: int) -> None:
    """n masses between two walls: ω_k = 2 sqrt(K/m) sin(k π / 2(n + 1)), shifted as Verlet does."""
    n, k, m, step = 5, 10.0, 0.5, 0.01
    shape = np.sin(mode * np.pi * np.arange(n + 2) / (n + 1))
    x = np.arange(n + 2.0) + 0.05 * shape
    scene = Scene(
        balls=Balls(position=np.stack([x, 0.0 * x], axis=1), mass=m, fixed=np.isin(np.arange(n + 2), (0, n + 1))),
        links=Links(between=np.stack([np.arange(n + 1), np.arange(1, n + 2)], axis=1), stiffness=k, length=1.0),
    )
    w = 2.0 * math.sqrt(k / m) * math.sin(0.5 * mode * math.pi / (n + 1))
    w = 2.0 / step * math.asin(0.5 * w * step)
    sim = Simulation(scene, step=step).run(until=10.0)
    assert np.allclose(sim.positions[:, 0] - np.arange(n + 2.0), 0.05 * shape * math.cos(10.0 * w), atol=1e-12)


@pytest.mark.requirement("M-05")
def test_momentum_of_free_links_is_kept() -> None:
    rng = np.random.default_rng(1)
    n = 40
    scene = Scene(
        balls=Balls(position=rng.uniform(0, 1, (n, 3)), velocity=rng.normal(0, 1, (n, 3)), mass=rng.uniform(1, 3, n)),
        links=Links(between=[(i, j) for i in range(n) for j in range(i)], stiffness=5.0, damping=0.1),
    )
    sim = Simulation(scene, step=1e-3)
    before = sim.momentum
    turning = np.cross(sim.positions, sim.velocities * sim.masses[:, None]).sum(axis=0)
    sim.run(until=1.0)
    assert np.allclose(sim.momentum, before, atol=1e-11)
    after = np.cross(sim.positions, sim.velocities * sim.masses[:, None]).sum(axis=0)
    # Forces along the links keep angular momentum exactly but for the error of Verlet with damping, of order dt².
    assert np.allclose(after, turning, atol=1e-3)


@pytest.mark.requirement("M-06")
def test_a_hanging_rope_is_a_catenary() -> None:
    """A stiff rope of N pieces hangs as the polygon that balances its weights, which tends to y = a cosh(x/a)."""
    n, span, length = 80, 1.0, 1.3
    x = np.linspace(0.0, span, n + 1)
    y = -0.42 * np.sin(np.pi * x / span)
    scene = Scene(
        gravity=(0.0, -9.81),
        drag=Drag(linear=2e-4),
        balls=Balls(position=np.stack([x, y], axis=1), mass=1e-4, fixed=np.isin(np.arange(n + 1), (0, n))),
        links=Links(
            between=np.stack([np.arange(n), np.arange(1, n + 1)], axis=1),
            stiffness=2e4, damping=0.05, length=length / n,
        ),
    )  # fmt: skip
    sim = Simulation(scene).run(until=8.0)
    # a from length = 2 a sinh(span / 2a), by Newton.
    a = 0.3
    for _ in range(50):
        f = 2.0 * a * math.sinh(span / (2.0 * a)) - length
        slope = 2.0 * math.sinh(span / (2.0 * a)) - span / a * math.cosh(span / (2.0 * a))
        a -= f / slope
    sag = a * (math.cosh(span / (2.0 * a)) - 1.0)
    # A tension of the weight, 0.08 N, stretches each piece by 4e-6 m of 0.016 m; that and pieces of 1/80 leave less.
    assert sim.positions[:, 1].min() == pytest.approx(-sag, rel=2e-3)
    assert np.abs(sim.velocities).max() < 1e-2


@pytest.mark.requirement("M-06")
@pytest.mark.parametrize("arm", [1.0, 0.5])
def test_a_bend_swings_as_its_stiffness_says(arm: float) -> None:
    """Two equal arms about a held hinge: I θ'' = -k (θ - θ0) for each arm against the other; small swings."""
    k, m, step = 0.5, 2.0, 1e-3
    tilt = 1e-4
    scene = Scene(
        balls=[
            Ball(position=(-arm * math.cos(tilt), arm * math.sin(tilt)), mass=m),
            Ball(position=(0.0, 0.0), fixed=True),
            Ball(position=(arm * math.cos(tilt), arm * math.sin(tilt)), mass=m),
        ],
        links=[Link(between=(0, 1), stiffness=1e4), Link(between=(1, 2), stiffness=1e4)],
        bends=[Bend(corner=(0, 1, 2), stiffness=k, angle=math.pi)],
    )
    w = math.sqrt(2.0 * k / (m * arm * arm))  # the angle is 2 × tilt, each arm feels k (θ - π)
    sim = Simulation(scene, step=step).run(until=math.pi / w)
    assert sim.positions[0, 1] == pytest.approx(-tilt * arm, rel=1e-3)
    assert sim.positions[2, 1] == pytest.approx(-tilt * arm, rel=1e-3)
    assert abs(sim.account.error) < 1e-8


@pytest.mark.requirement("M-06")
def test_far_links_stiffen_too() -> None:
    """A row of three, held at two, sags less with a link from the first to the third."""
    sag = []
    for far in (0.0, 200.0):
        scene = Scene(
            gravity=(0.0, -1.0),
            drag=1.0,
            balls=Balls(position=[(0, 0), (0.5, 0), (1, 0)], mass=0.1, fixed=[True, True, False]),
            links=[
                Link(between=(0, 1), stiffness=200.0),
                Link(between=(1, 2), stiffness=200.0),
                Link(between=(0, 2), stiffness=far),
            ],
        )
        sag.append(Simulation(scene).run(until=20.0).positions[2, 1])
    assert sag[0] == pytest.approx(-0.5, abs=0.01)
    assert -0.2 < sag[1] < -0.005


@pytest.mark.requirement("M-04")
def test_a_pendulum_at_a_large_angle() -> None:
    """T = 4 sqrt(l/g) K(sin θ0/2) with the complete elliptic integral K, by the arithmetic-geometric mean."""
    g, rod, theta = 9.81, 1.0, 2.0
    a, b = 1.0, math.cos(0.5 * theta)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    period = 2.0 * math.pi * math.sqrt(rod / g) / a
    scene = Scene(
        gravity=(0.0, -g),
        balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(rod * math.sin(theta), -rod * math.cos(theta)))],
        links=[Link(between=(0, 1), stiffness=1e6, length=rod)],
    )
    sim = Simulation(scene, step=2e-4).run(until=period)
    # A spring of 1e6 N/m stretches by less than 5 g / k = 5e-5 of its length, and so does the period.
    assert sim.positions[1] == pytest.approx((rod * math.sin(theta), -rod * math.cos(theta)), abs=2e-3)


@pytest.mark.requirement("M-04")
@pytest.mark.parametrize("drag", [Drag(linear=0.5), Drag(quadratic=0.2), Drag(linear=0.3, quadratic=0.1)])
def test_terminal_speed(drag: Drag) -> None:
    """Where (c1 + c2 v) v = m g."""
    m, g = 2.0, 9.81
    c1, c2 = drag.linear, drag.quadratic
    speed = m * g / c1 if c2 == 0.0 else (math.sqrt(c1 * c1 + 4.0 * c2 * m * g) - c1) / (2.0 * c2)
    scene = Scene(gravity=(0.0, -g), drag=drag, balls=[Ball(position=(0.0, 0.0), mass=m)])
    sim = Simulation(scene, step=0.01).run(until=200.0)
    assert sim.velocities[0, 1] == pytest.approx(-speed, rel=1e-12)


@pytest.mark.requirement("M-04")
def test_the_account_adds_up_with_drag_and_damping() -> None:
    """What is lost is summed by one force a step, so the sum is right to the order of the step."""
    errors = []
    for step in (2e-3, 1e-3):
        scene = on_a_spring(0.8, 0.5).replace(drag=Drag(linear=0.1, quadratic=0.2))
        account = Simulation(scene, step=step).run(until=3.0).account
        errors.append(abs(account.error))
        assert account.lost["drag"] > 0.01
        assert account.lost["damping"] > 0.1
    assert errors[1] < 1e-3
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.requirement("M-16")
def test_a_link_breaks_when_it_is_overstretched() -> None:
    scene = on_a_spring(0.0, 0.0, speed=1.0)
    weak = scene.replace(links=[Link(between=(0, 1), stiffness=4.0, length=1.0, breaking=0.3)])
    strong = scene.replace(links=[Link(between=(0, 1), stiffness=4.0, length=1.0, breaking=0.6)])
    # It would swing out to v / ω = 0.5 m.
    assert len(Simulation(weak).run(until=3.0).links) == 0
    assert len(Simulation(strong).run(until=3.0).links) == 1
    sim = Simulation(weak).run(until=3.0)
    assert sim.velocities[1, 0] > 0.5
    assert len(sim.snapshot().links) == 0
