"""Workloads of the stepped solver in other packages (`pip install .[bench]`)."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.model import Case, Effort, Row, Section
from benchmarks.peers import peer
from benchmarks.speed import cpu_seconds
from benchmarks.stepped import bodies, gas, pile, tree
from carom import Scene, Simulation
from carom.solvers.stepped import build

OURS, THEIRS, RATIO = "carom, steps/s", "peer, steps/s", "carom ÷ peer"
OUR_LOSS, THEIR_LOSS = "energy lost, carom", "energy lost, peer"
# The peers' tolerances are lengths and times for bodies of about a metre and such steps.
SIZE = 0.5  # m, radius of a disk for the peers
TICK = 1.0 / 60.0  # s, a step for the peers
DRIFT = 200  # steps of a gas over which its loss of energy is shown
SUBSTEPS = 4  # of a step of Box2D, as its manual recommends

Make = Callable[[int], tuple[Scene, float]]


class Run(NamedTuple):
    """A run of carom or a peer."""

    advance: Callable[[int], object]
    """Do a number of steps."""
    kinetic_energy: Callable[[], float]
    """In its own units."""


class Disks(NamedTuple):
    """Equal disks in a box, in units where their radius is SIZE, a step is TICK and their mass 1 kg."""

    sides: tuple[float, float]
    gravity: tuple[float, float]
    restitution: float
    friction: float
    places: list[list[float]]
    velocities: list[list[float]]

    @property
    def walls(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The ends of the four walls."""
        (x, y) = self.sides
        corners = [(0.0, 0.0), (x, 0.0), (x, y), (0.0, y)]
        return [(corners[k - 1], corners[k]) for k in range(4)]


def disks(scene: Scene, step: float) -> Disks:
    """The disks of W1 or W2."""
    scale, pace = SIZE / float(scene.balls.radius[0]), step / TICK
    x, y = scene.boundary.size
    return Disks(
        sides=(scale * x, scale * y),
        gravity=(0.0, scale * pace * pace * scene.gravity[1]),
        restitution=scene.restitution.ball_ball,
        friction=scene.friction.ball_ball.dynamic,
        places=(scale * scene.balls.position).tolist(),
        velocities=(scale * pace * scene.balls.velocity).tolist(),
    )


def in_carom(scene: Scene, step: float) -> Run:
    """A run in carom, on one core."""
    build.THREADED = sys.maxsize
    sim = Simulation(scene, solver="stepped", step=step, check=False)
    return Run(lambda steps: sim.run(until=sim.time + steps * step), lambda: sim.kinetic_energy)


def in_pymunk(scene: Scene, step: float) -> Run:
    """Disks in `pymunk`, without rotation."""
    module = peer("pymunk")
    work = disks(scene, step)
    space = module.Space()
    space.gravity, space.collision_slop = work.gravity, 0.01 * SIZE
    shapes = [module.Segment(space.static_body, a, b, 0.0) for a, b in work.walls]
    for place, velocity in zip(work.places, work.velocities, strict=True):
        body = module.Body(1.0, math.inf)
        body.position, body.velocity = place, velocity
        shapes.append(module.Circle(body, SIZE))
        space.add(body)
    for shape in shapes:  # a pair has the product of both
        shape.elasticity, shape.friction = math.sqrt(work.restitution), math.sqrt(work.friction)
    space.add(*shapes)

    def advance(steps: int) -> None:
        for _ in range(steps):
            space.step(TICK)

    return Run(advance, lambda: sum(body.kinetic_energy for body in space.bodies))


def in_box2d(scene: Scene, step: float) -> Run:
    """Disks in Box2D v3 (`pyb2d3`), without rotation."""
    module = peer("pyb2d3")
    work = disks(scene, step)
    world = module.World(gravity=work.gravity, restitution_threshold=0.0 if work.restitution == 1.0 else 1.0)
    world.sleeping_enabled = False
    material = module.surface_material(restitution=work.restitution, friction=work.friction)
    shape = module.shape_def(density=1.0 / (math.pi * SIZE * SIZE), material=material)
    walls = world.create_static_body()
    for a, b in work.walls:
        walls.create_segment_shape(shape, module.segment(a, b))
    balls = []
    for place, velocity in zip(work.places, work.velocities, strict=True):
        ball = world.create_dynamic_body(position=tuple(place), linear_velocity=tuple(velocity), fixed_rotation=True)
        ball.create_circle_shape(shape, module.circle(radius=SIZE))
        balls.append(ball)

    def advance(steps: int) -> None:
        for _ in range(steps):
            world.step(TICK, SUBSTEPS)

    return Run(advance, lambda: sum(0.5 * float(np.square(tuple(ball.linear_velocity)).sum()) for ball in balls))


def in_rebound(scene: Scene, step: float) -> Run:
    """Bodies in REBOUND, by its leapfrog."""
    module, pull = peer("rebound"), scene.attraction
    sim = module.Simulation()
    sim.G, sim.softening, sim.dt, sim.integrator = pull.G, pull.softening, step, "leapfrog"
    if pull.opening:
        sim.gravity, sim.opening_angle2 = "tree", pull.opening**2
        sim.root_size = 100.0  # m; all bodies are in it
    mass = scene.balls.mass.tolist()
    for m, (x, y, z), (vx, vy, vz) in zip(mass, scene.balls.position, scene.balls.velocity, strict=True):
        sim.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    return Run(sim.steps, lambda: sum(0.5 * p.m * (p.vx**2 + p.vy**2 + p.vz**2) for p in sim.particles))


def loss(run: Run, steps: int) -> float:
    """The fraction of the kinetic energy that is lost after some steps."""
    before = run.kinetic_energy()
    run.advance(steps)
    return 1.0 - run.kinetic_energy() / before


def enough(run: Run, seconds: float) -> int:
    """The number of steps that take about this CPU time, at least two."""
    return max(int(4 * seconds / max(cpu_seconds(lambda: run.advance(4)), 1e-9)), 2)


def race(
    their: Callable[[Scene, float], Run], make: Make, count: int, effort: Effort, *, warm_up: int, keeps: bool
) -> Row:
    """Steps per second of both, slices in turn; `keeps`: kinetic energy should be conserved, so its loss is shown."""
    scene, step = make(count)
    theirs, ours = their(scene, step), in_carom(scene, step)
    lost: dict[str, float | str] = {OUR_LOSS: "–", THEIR_LOSS: "–"}
    if keeps:
        lost = {OUR_LOSS: loss(ours, warm_up), THEIR_LOSS: loss(theirs, warm_up)}
    else:
        ours.advance(warm_up)
        theirs.advance(warm_up)
    runs = [(run, enough(run, effort.seconds)) for run in (ours, theirs)]
    best = [0.0, 0.0]
    for _ in range(effort.slices):
        for k, (run, steps) in enumerate(runs):
            best[k] = max(best[k], steps / cpu_seconds(partial(run.advance, steps)))
    return {OURS: best[0], THEIRS: best[1], RATIO: best[0] / best[1], **lost}


def section() -> Section:
    """The table of the peers of the stepped solver."""
    works = (
        ("pymunk", in_pymunk, "W1 gas", gas, (1_000, 10_000), DRIFT),
        ("Box2D v3", in_box2d, "W1 gas", gas, (1_000, 10_000), DRIFT),
        ("pymunk", in_pymunk, "W2 pile", pile, (1_000, 10_000), 1_200),
        ("Box2D v3", in_box2d, "W2 pile", pile, (1_000, 10_000), 1_200),
        ("REBOUND", in_rebound, "W3 all pairs", bodies, (100, 1_000, 10_000), 4),
        ("REBOUND", in_rebound, "W3 tree", tree, (10_000,), 4),
    )
    cases = [
        Case(
            name=f"steps-peer-{package.split()[0].lower()}-{title.split()[-1]}-{count}",
            labels=(package, title, f"{count}"),
            measure=partial(race, their, make, count, warm_up=warm_up, keeps=make is gas),
            heavy=count >= 10_000,
        )
        for package, their, title, make, counts, warm_up in works
        for count in counts
    ]
    return Section(
        key="steps-peers",
        title="Steps of other packages, in this run",
        text=(
            "The same bodies and steps, slice by slice in turn, on one core. What differs: pymunk and Box2D look for "
            "contacts at the ends of steps and mend overlaps afterwards, so that a gas with e = 1 does not keep its "
            f"kinetic energy; what is lost in {DRIFT} steps of 0.1 radii stands beside it. pymunk does 10 iterations a "
            f"step, Box2D {SUBSTEPS} substeps in single precision, and in the pile it bounces from 1 m/s on. Disks do "
            "not turn, as in carom, and nobody sleeps. REBOUND's leapfrog begins with half a drift, carom's with half "
            "a kick; its tree has the same θ, but without second moments its forces are less accurate (at N = 2000 the "
            "rms error is 4e-3 of the median force, carom's 3e-4)."
        ),
        labels=("package", "work", "N"),
        columns=(OURS, THEIRS, RATIO, OUR_LOSS, THEIR_LOSS),
        cases=tuple(cases),
    )
