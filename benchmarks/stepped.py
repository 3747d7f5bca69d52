"""The stepped solver: steps per second of CPU time, through the public interface."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.model import Case, Effort, Row, Section
from benchmarks.speed import cpu_seconds
from carom import Attraction, Balls, Box, Cloth, Scene, Simulation, library
from carom.solvers.stepped import build

STEPS = "steps/s"
ENERGY = "energy kept to"


def gas(count: int) -> tuple[Scene, float]:
    """W1: disks at packing fraction 0.2 between walls, e = 1, which move by 0.1 radii per step."""
    scene = library.load("gas", count=count, packing_fraction=0.2, periodic=False, seed=1)
    speed = math.sqrt(float((scene.balls.velocity**2).sum(axis=1).mean()))
    return scene, 0.1 * float(scene.balls.radius[0]) / speed


def pile(count: int) -> tuple[Scene, float]:
    """W2: disks that fall into a box and settle, e = 0.3, μ = 0.4, steps of 1/60 s; the radius is 0.5 m."""
    radius, across = 0.5, round(math.sqrt(2.0 * count))
    columns, rows = np.arange(count) % across, np.arange(count) // across
    shift = np.random.default_rng(1).uniform(-0.2, 0.2, count) * radius
    places = np.stack([(2.4 * columns + 1.4) * radius + shift, (2.2 * rows + 1.2) * radius], axis=1)
    width, height = (2.4 * across + 0.4) * radius, 2.0 * float(places[:, 1].max())
    scene = Scene(
        boundary=Box(size=(width, height)),
        gravity=(0.0, -9.81),
        restitution=0.3,
        friction=0.4,
        balls=Balls(position=places, radius=radius, mass=1.0),
    )
    return scene, 1.0 / 60.0


def bodies(count: int) -> tuple[Scene, float]:
    """W3: bodies that attract each other, all pairs, in space."""
    rng = np.random.default_rng(1)
    balls = Balls(position=rng.normal(0, 1, (count, 3)), velocity=rng.normal(0, 0.3, (count, 3)), mass=1.0 / count)
    return Scene(attraction=Attraction(G=1.0, softening=0.05, opening=0.0), balls=balls), 1e-4


def tree(count: int) -> tuple[Scene, float]:
    """W3 by a tree."""
    scene, step = bodies(count)
    return scene.replace(attraction=Attraction(G=1.0, softening=0.05, opening=0.5)), step


def cloth(count: int) -> tuple[Scene, float]:
    """W4: a cloth of count by count points with structural, shear and bending links, held along one edge."""
    sheet = Cloth(
        corner=(0.0, 1.0, 0.0), sides=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), counts=(count, count), mass_per_area=1.0,
        stiffness=50.0, links="bending", held="edge",
    )  # fmt: skip
    return Scene(gravity=(0.0, -9.81, 0.0), structures=[sheet]), 1e-4


def measure(make: Callable[[int], tuple[Scene, float]], count: int, effort: Effort, *, warm_up: int = 50) -> Row:
    """Steps per second, the best of several slices, and the relative error of the energy account."""
    build.THREADED, build.CORES = sys.maxsize, 1
    scene, step = make(count)
    sim = Simulation(scene, solver="stepped", step=step, check=False)
    sim.run(until=warm_up * step)
    trial = cpu_seconds(lambda: sim.run(until=sim.time + 4 * step)) / 4
    steps = max(int(effort.seconds / max(trial, 1e-9)), 2)
    best = max(steps / cpu_seconds(lambda: sim.run(until=sim.time + steps * step)) for _ in range(effort.slices))
    scale = max(abs(sim.kinetic_energy), abs(sim.potential_energy))
    return {STEPS: best, ENERGY: abs(sim.account.error) / scale if scale else 0.0}


def by_the_clock(cores: int, count: int, effort: Effort) -> Row:
    """Steps per second of wall-clock time, the best of several slices, on some cores."""
    build.THREADED, build.CORES = sys.maxsize, cores
    scene, step = bodies(count)
    sim = Simulation(scene, solver="stepped", step=step, check=False).run(until=5 * step)
    best = 0.0
    for _ in range(effort.slices):
        begin, steps = time.perf_counter(), 0
        while time.perf_counter() - begin < effort.seconds:
            sim.run(until=sim.time + 4 * step)
            steps += 4
        best = max(best, steps / (time.perf_counter() - begin))
    return {STEPS: best, ENERGY: abs(sim.account.error) / sim.account.scale}


def section() -> Section:
    """The table of the stepped solver."""
    works = (
        ("W1 gas, e = 1, walls", gas, (1_000, 10_000, 100_000), 50),
        ("W2 pile, settled", pile, (1_000, 10_000), 1_200),
        ("W3 attraction, all pairs", bodies, (100, 1_000, 10_000), 20),
        ("attraction by a tree", tree, (10_000,), 5),
        ("W4 cloth, 59,002 springs", cloth, (100,), 50),
    )
    cases = [
        Case(
            name=f"steps-{title.split()[0].lower()}-{count}",
            labels=(title, f"{count}"),
            measure=partial(measure, make, count, warm_up=warm_up),
            heavy=count >= 10_000,
        )
        for title, make, counts, warm_up in works
        for count in counts
    ]
    cases += [
        Case(
            name=f"steps-clock-{cores}-{count}",
            labels=(f"attraction, all pairs, on {'one core' if cores == 1 else 'two cores'}, by the clock", f"{count}"),
            measure=partial(by_the_clock, cores, count),
        )
        for count in (2_000, 4_000)
        for cores in (1, 2)
    ]
    return Section(
        key="steps",
        title="The stepped solver",
        text=(
            "Steps per second of CPU time on one core; where it says so, by the clock on one or two. Energy is "
            "kept to the error of its account, relative to the kinetic or potential energy, whichever is more."
        ),
        labels=("work", "N"),
        columns=(STEPS, ENERGY),
        cases=tuple(cases),
    )
