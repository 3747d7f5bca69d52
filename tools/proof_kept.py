"""Claims on what is kept, what does not matter, and chaos. Run by tools/proof.py."""

import math

import numpy as np

from carom import Ball, Balls, Box, Polygon, Scene, Simulation, library
from carom.observe.blocks import estimate
from carom.observe.observable import observable
from proof_balls import STAR
from proof_claim import EPS, Found, claim, mean, near, power

KEPT = "What is kept, and what does not matter"
CHAOS = "Chaos"


def gas(**options: float) -> Simulation:
    """A hundred disks, a third of the room."""
    return Simulation(library.load("gas", **{"count": 100, "packing_fraction": 0.3, "seed": 5, **options}))


@claim(
    KEPT,
    "Energy of a gas, 10⁷ collisions of 100 disks",
    "constant; rounding alone may make 2·10⁻¹²",
    "physics/test_conservation.py::test_energy_and_momentum_over_ten_million_collisions",
)
def energy() -> Found:
    """Relative drift."""
    sim = gas()
    before = sim.kinetic_energy
    drift = sim.run(collisions=10_000_000).kinetic_energy / before - 1.0
    return Found(f"drift {power(drift)}", abs(drift), 0.1 * EPS * 1e7 / 100)


@claim(
    KEPT,
    "Energy of a billiard break, 100,000 collisions",
    "constant; the program of the first source drifted by 10⁻⁷",
    "physics/test_proven_cases.py::test_energy_holds_far_better_than_the_original",
)
def broken() -> Found:
    """Fifteen balls and the cue ball."""
    sim = Simulation(library.load("break"))
    before = sim.kinetic_energy
    drift = sim.run(collisions=100_000).kinetic_energy / before - 1.0
    return Found(f"drift {power(drift)}", abs(drift), 8 * EPS * math.sqrt(1e5))


@claim(
    KEPT,
    "Momentum of a periodic gas, 10⁶ collisions",
    "constant; over Σ m v",
    "physics/test_conservation.py::test_energy_and_momentum_over_ten_million_collisions",
)
def momentum() -> Found:
    """A random walk of roundings."""
    sim = gas()
    scale = float((sim.masses * np.linalg.norm(sim.velocities, axis=1)).sum())
    off = float(np.abs(sim.run(collisions=1_000_000).momentum).max()) / scale
    return Found(power(off), off, 16.0 * EPS * 1e3 / 100)


@claim(
    KEPT,
    "Kinetic and potential energy of a gas under gravity, 200,000 collisions",
    "their sum is constant",
    "physics/test_conservation.py::test_energy_under_gravity",
)
def energy_under_gravity() -> Found:
    """Relative drift."""
    sim = Simulation(library.load("gas-under-gravity", count=100, seed=7))
    before = sim.energy
    drift = sim.run(collisions=200_000).energy / before - 1.0
    return Found(f"drift {power(drift)}", abs(drift), EPS * 2e4)


@claim(
    KEPT,
    "A gas that loses energy cools by Haff's law",
    "d ln E/dn = -(1 - e²)/N for the n-th collision, here times N: -0.0975 with e = 0.95 (Haff 1983)",
    "physics/test_conservation.py::test_with_restitution_energy_only_falls_and_momentum_holds",
)
def haff() -> Found:
    """From ten stretches of a collision a disk each, while the gas is still even."""
    sim = Simulation(library.load("gas", count=1000, packing_fraction=0.2, seed=8).replace(restitution=0.95))
    sim.run(collisions=1000)
    rates = []
    for _ in range(10):
        before = sim.kinetic_energy
        rates.append(2.0 * math.log(sim.run(collisions=500).kinetic_energy / before))
    found = estimate(rates)
    return mean(found, -(1 - 0.95**2))


@claim(
    KEPT,
    "Turned round, a billiard comes back to its start",
    "10,000 bounces there and back in a star with eight corners, m",
    "physics/test_time_reversal.py::test_ten_thousand_collisions_there_and_back",
)
def there_and_back() -> Found:
    """A point; errors grow with the path alone."""
    scene = Scene(boundary=Polygon(vertices=STAR), balls=[Ball(position=(0.8, 0.7), velocity=(1.0, 0.37))])
    there = Simulation(scene).run(collisions=10_000)
    there.run(until=there.time + 1e-4)
    turned = there.snapshot()
    turned = turned.replace(balls=turned.balls.replace(velocity=-turned.balls.velocity))
    back = Simulation(turned).run(until=there.time)
    allowed = 2e4 * EPS * math.hypot(1.0, 0.37) * there.time
    return near("it is back", back.positions, scene.balls.position, allowed)


@claim(
    KEPT,
    "Nanometres do the same as metres",
    "all lengths times 2⁻³⁰: the same bits, 400 collisions of 40 disks",
    "physics/test_scale.py::test_scaled_by_a_power_of_two_it_is_the_same_bits",
)
def scale() -> Found:
    """Differences in bits."""
    scene, k = library.load("gas", count=40, packing_fraction=0.3, seed=10), 2.0**-30
    b = scene.balls
    small = Balls(position=k * b.position, velocity=k * b.velocity, mass=b.mass, radius=k * b.radius)
    assert isinstance(scene.boundary, Box)  # noqa: S101  # a gas is in a box
    box = Box(size=[k * side for side in scene.boundary.size], periodic=scene.boundary.periodic)
    one = Simulation(scene).run(collisions=400)
    two = Simulation(Scene(boundary=box, balls=small)).run(collisions=400)
    return near("the same bits", two.positions / k, one.positions, 0.0)


@claim(
    KEPT,
    "However neighbours are found, it is the same motion",
    "cells against lists, 2000 collisions of 100 disks: the same bits",
    "conformance/test_brute_force.py::test_same_events_and_same_bits",
)
def neighbours() -> Found:
    """Differences in bits; the test compares both with brute force."""
    scene = library.load("gas", count=100, packing_fraction=0.5, seed=11)
    one, two = (Simulation(scene, neighbours=way).run(collisions=2000) for way in ("cells", "lists"))
    return near("the same bits", one.positions, two.positions, 0.0)


# Chaos.


@claim(
    CHAOS,
    "Between a wall and a round pillar a hair grows by Λ at each bounce",
    "Λ = q + √(q² - 1), q = 1 + 2L/R; for L = R 3 + √8 = 5.8284",
    "unit/observe/test_lyapunov.py::test_an_orbit_between_two_discs",
)
def pillar() -> Found:
    """The distance from the axis, bounce by bounce, started 10⁻¹² m off it."""
    balls = [Ball(position=(2.0, 2.0), radius=1.0, fixed=True), Ball(position=(0.5, 2.0 + 1e-12), velocity=(1.0, 0.0))]
    hits = Simulation(Scene(boundary=Box(size=(4.0, 4.0)), balls=balls)).events(collisions=20)
    aside = [each.place[1] - 2.0 for each in hits if each.kind == "ball-ball"]
    factor = aside[8] / aside[7]
    return near(f"{factor:.4f}", factor / (3.0 + math.sqrt(8.0)), 1.0, 1e-3)


@claim(
    CHAOS,
    "Largest Lyapunov exponent of a thin Lorentz gas",
    "λ = ν (ln(v/aν) + 1 - C), ν = 2nav, ñ = 0.001 (van Beijeren, Latz and Dorfman 1998)",
    "physics/test_lyapunov.py::test_dilute_lorentz_gas",
)
def lorentz() -> Found:
    """A point among a thousand fixed disks; terms beyond the law are of order 10 ñ."""
    count, reduced = 1000, 0.001
    a = math.sqrt(reduced / count)
    rng, placed = np.random.default_rng(51), [np.array([0.5, 0.5])]
    while len(placed) <= count:
        place = rng.uniform(0.0, 1.0, 2)
        apart = np.array(placed) - place
        apart -= np.round(apart)
        if (np.hypot(*apart.T) > 2.0 * a).all():
            placed.append(place)
    disks = Balls(position=np.array(placed[1:]), radius=a, fixed=True)
    point = Ball(position=(0.5, 0.5), velocity=(math.cos(0.7), math.sin(0.7)))
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0), periodic=True), balls=[disks, point]))
    each = observable("lyapunov")
    each.begin(sim)
    rate = 2.0 * count * a / (1.0 - math.pi * reduced)
    values = []
    for _ in range(200):
        each.collide(sim.collide(until=sim.time + 500.0 / rate))
        values.append(float(each.sample(sim)))
    found = estimate(values[4:])
    law = rate * (math.log(1.0 / (a * rate)) + 1.0 - 0.5772156649)
    return mean(found, law, 10.0 * reduced * law)
