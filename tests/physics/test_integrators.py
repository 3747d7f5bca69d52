"""Integrators: their order, their frequency on the oscillator, and what they do to energy.

The oscillator is a ball of 1 kg on a spring of 4 N/m, so ω = 2/s, between a held ball and itself.
"""

import dataclasses
import math
import warnings

import numpy as np
import pytest

from carom import Ball, Integrator, Link, Scene, Simulation, StepWarning, register, verify
from carom.solvers.stepped.integrators.amplification import amplification, is_stable, stable_damping, stable_oscillation
from carom.solvers.stepped.integrators.cards import INTEGRATORS

OMEGA, SWING, LENGTH = 2.0, 0.1, 1.0
OSCILLATOR = Scene(
    balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(LENGTH + SWING, 0.0), mass=1.0)],
    links=[Link(between=(0, 1), stiffness=OMEGA**2, length=LENGTH)],
)


def swing(sim: Simulation) -> float:
    return float(sim.positions[1, 0]) - LENGTH


def error(name: str, step: float, until: float = 3.0) -> float:
    sim = Simulation(OSCILLATOR, step=step, integrator=name).run(until=until)
    return math.hypot(
        swing(sim) - SWING * math.cos(OMEGA * until),
        (sim.velocities[1, 0] + SWING * OMEGA * math.sin(OMEGA * until)) / OMEGA,
    )


@pytest.mark.requirement("M-02", "S-01")
@pytest.mark.parametrize("name", INTEGRATORS)
def test_the_error_falls_as_the_order_of_the_card_says(name: str) -> None:
    coarse, fine = error(name, 0.02), error(name, 0.01)
    # Halving the step divides the leading term by 2^order; the next term is smaller by ω dt = 0.04 or so. The first
    # step of Störmer's method, by Euler, is of first order, and stays in all that follows.
    order = 1 if name == "stormer" else INTEGRATORS[name].order
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.1)


@pytest.mark.requirement("M-02")
def test_verlet_follows_its_own_exact_frequency() -> None:
    """sin(ω' dt/2) = ω dt/2: the discrete solution is a pure oscillation, to rounding."""
    step, steps = 0.1, 1000
    shifted = 2.0 / step * math.asin(0.5 * OMEGA * step)
    sim = Simulation(OSCILLATOR, step=step, integrator="verlet").run(until=step * steps)
    assert swing(sim) == pytest.approx(SWING * math.cos(shifted * step * steps), abs=1e-12)


@pytest.mark.requirement("M-02")
def test_stormer_is_velocity_verlet_after_the_same_first_step() -> None:
    """Both are one recurrence: with the first place given, the second form has the places of the first."""
    step = 0.05
    one = Simulation(OSCILLATOR, step=step, integrator="stormer").run(until=step)
    start = one.snapshot()
    places = []
    for name, scene, begin in (("stormer", OSCILLATOR, 0.0), ("verlet", start, step)):
        sim = Simulation(scene, step=step, integrator=name).run(until=2.0 - begin)
        places.append(swing(sim))
    assert places[0] == pytest.approx(places[1], abs=1e-13)


@pytest.mark.requirement("M-02")
def test_the_first_step_of_stormer_is_eulers() -> None:
    step = 0.05
    a = -(OMEGA**2) * SWING
    sim = Simulation(OSCILLATOR, step=step, integrator="stormer").run(until=step)
    assert swing(sim) == pytest.approx(SWING + a * step**2, abs=1e-15)


@pytest.mark.requirement("M-02")
@pytest.mark.filterwarnings("ignore:step. with explicit-euler:carom.StepWarning")  # that is the point
@pytest.mark.parametrize("name", INTEGRATORS)
def test_only_symplectic_ones_keep_the_energy_bounded(name: str) -> None:
    step = 0.1
    sim = Simulation(OSCILLATOR, step=step, integrator=name)
    worst = []
    for _ in range(2):
        swings = []
        for _ in range(400):
            sim.advance(step)
            swings.append(abs(sim.account.error))
        worst.append(max(swings))
    assert (worst[1] < 1.01 * worst[0]) == INTEGRATORS[name].symplectic


@pytest.mark.requirement("M-02")
def test_explicit_euler_gains_energy_as_its_card_says() -> None:
    """Each step multiplies the energy of an oscillator by 1 + (ω dt)²."""
    step, steps = 0.05, 100
    sim = Simulation(OSCILLATOR, step=step, integrator="explicit-euler")
    before = sim.energy
    sim.run(until=step * steps)
    assert sim.energy / before == pytest.approx((1.0 + (OMEGA * step) ** 2) ** steps, rel=1e-11)


@pytest.mark.requirement("M-02")
def test_a_user_adds_an_integrator_in_a_few_lines() -> None:
    mine = Integrator(
        name="ralston",
        title="Ralston",
        order=2,
        symplectic=False,
        equation="weights 1/4 and 3/4",
        source="A. Ralston, Math. Comput. 16 (1962) 431",
        kind="runge-kutta",
        stages=((), (2.0 / 3.0,)),
        weights=(0.25, 0.75),
    )
    register(mine)
    try:
        assert math.log2(error("ralston", 0.02) / error("ralston", 0.01)) == pytest.approx(2, abs=0.1)
        assert verify("ralston") == []
    finally:
        del INTEGRATORS["ralston"]


MIDPOINT = Integrator(
    name="midpoint",
    title="Midpoint rule",
    order=4,
    symplectic=True,
    reversible=True,
    equation="the slope in the middle",
    source="C. Runge, Math. Ann. 46 (1895) 167",
    kind="runge-kutta",
    stages=((), (0.5,)),
    weights=(0.0, 1.0),
)


@pytest.mark.requirement("M-02")
@pytest.mark.parametrize("name", INTEGRATORS)
def test_every_card_tells_the_truth(name: str) -> None:
    assert verify(name) == []


@pytest.mark.requirement("M-02")
def test_claims_that_fail_are_told_line_by_line() -> None:
    order, energy, reversal = verify(MIDPOINT)
    assert order == "integrator 'midpoint': order is said to be 4, and measured to be 2."
    assert energy.startswith("integrator 'midpoint': it is said to be symplectic, but its energy error grows: ")
    assert reversal.startswith("integrator 'midpoint': it is said to be reversible, but comes back ")
    modest = dataclasses.replace(MIDPOINT, order=2, symplectic=False, reversible=False)
    assert verify(modest) == []
    timid = dataclasses.replace(INTEGRATORS["verlet"], name="timid", symplectic=False)
    assert "said to be not symplectic, but its energy error does not grow" in verify(timid)[0]
    with pytest.raises(ValueError, match=r"^integrator: there is no integrator 'leapfrog'"):
        verify("leapfrog")


def growth(name: str, phase: float) -> float:
    """By how much the swing of an oscillator grows in a step, over many steps of the kernels."""
    steps = 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        sim = Simulation(OSCILLATOR, step=phase / OMEGA, integrator=name)
    before = sim.energy
    return float((sim.run(until=phase / OMEGA * steps).energy / before) ** (0.5 / steps))


@pytest.mark.requirement("M-02")
@pytest.mark.parametrize("name", INTEGRATORS)
def test_the_stable_step_of_a_card_is_that_of_the_kernels(name: str) -> None:
    """A hundredth below it nothing grows; a hundredth above it all does, until the spring is turned inside out.

    Energy comes and goes by a factor of some ten, which in 200 steps is less than a hundredth a step.
    """
    limit = stable_oscillation(INTEGRATORS[name])
    known = {"verlet": 2.0, "stormer": 2.0, "euler": 2.0, "explicit-euler": 0.0, "rk4": math.sqrt(8.0)}
    assert limit == pytest.approx(known.get(name, limit), rel=1e-8)
    if limit > 0.0:
        assert growth(name, 0.99 * limit) < 1.01
    assert growth(name, 1.01 * limit if limit else 0.2) > 1.01


@pytest.mark.parametrize("name", [name for name in INTEGRATORS if name != "explicit-euler"])
def test_steps_of_what_swings_and_is_damped_are_stable_where_the_bound_says_so(name: str) -> None:
    """(ω dt / z)² + γ dt / g ≤ 1, which `largest_stable_step` takes for the whole region."""
    one = INTEGRATORS[name]
    z, g = stable_oscillation(one), stable_damping(one)
    for share in np.linspace(0.0, 1.0, 21):
        for part in np.linspace(0.05, 1.0, 20):
            assert is_stable(amplification(one, z * part * math.sqrt(1.0 - share), g * share * part**2))


@pytest.mark.requirement("M-02")
def test_an_integrator_that_lets_springs_grow_is_warned_of() -> None:
    with pytest.warns(StepWarning, match=r"with explicit-euler an oscillation grows at any step, and with 0\.1 s the"):
        Simulation(OSCILLATOR, step=0.1, integrator="explicit-euler")
    with pytest.warns(StepWarning, match=r"the largest step that is stable for sure is 1\.41 s"):
        Simulation(OSCILLATOR, step=1.45, integrator="rk4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation(OSCILLATOR, step=1.4, integrator="rk4")  # which is too large for Verlet


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"kind": "splitting", "moves": (("kick", 1.0), ("drift", 0.9))},
            "integrator 'odd': its drifts add up to 0.9. Let them add up to 1.",
        ),
        (
            {"kind": "runge-kutta", "weights": (0.5, 0.4), "stages": ((), (0.5,))},
            "integrator 'odd': its weights add up to 0.9. Let them add up to 1.",
        ),
        (
            {"kind": "runge-kutta", "weights": (0.5, 0.5), "stages": ((), (0.5, 0.5))},
            "integrator 'odd': its stages do not fit its weights. Give row k of the matrix k numbers.",
        ),
        (
            {"kind": "leapfrog"},
            "integrator 'odd': there is no kind 'leapfrog'. Known kinds: verlet, stormer, splitting, runge-kutta.",
        ),
    ],
)
def test_a_wrong_table_is_one_clear_line(changes: dict[str, object], line: str) -> None:
    card = {"name": "odd", "title": "", "order": 1, "symplectic": False, "equation": "", "source": ""}
    with pytest.raises(ValueError, match="integrator") as caught:
        register(Integrator(**{**card, **changes}))  # type: ignore[arg-type]  # a table of fields
    assert str(caught.value) == line
    assert "odd" not in INTEGRATORS


@pytest.mark.parametrize("name", ["verlet", "stormer", "euler", "pefrl", "rk4"])
def test_drag_keeps_the_order(name: str) -> None:
    """With a force that depends on velocity: v = v0 exp(-t), one kilogram and one kilogram a second."""
    scene = Scene(balls=[Ball(position=(0.0, 0.0), velocity=(1.0, 0.0))], drag=1.0)
    errors = []
    for step in (0.02, 0.01):
        sim = Simulation(scene, step=step, integrator=name).run(until=1.0)
        errors.append(abs(float(sim.velocities[0, 0]) - math.exp(-1.0)))
    # A splitting is of second order where forces depend on velocity: its kicks are by the midpoint rule, which for a
    # force of velocity alone is of second order even for Euler's.
    expected = {"verlet": 2, "stormer": 1, "euler": 2, "pefrl": 2, "rk4": 4}[name]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(expected, abs=0.15)
    assert np.isfinite(errors).all()
