"""How high a heap of poured disks stands, which depends on whether they can roll: carom against pymunk.

    python -m benchmarks.heaps

Bodies in carom do not rotate. The same disks are poured by carom, by pymunk without rotation (infinite moments of
inertia), and by pymunk with it: once as the library's scene `pour` scatters them, and once in rows, where each disk
falls on the one below. Told is the mean height of their centres at rest, in m, with its spread over seeds.
"""

import math
import statistics
from collections.abc import Callable

import numpy as np

from carom import Balls, Box, Scene, Simulation, library

COUNT, SEEDS = 300, range(5)
FRICTIONS = (0.0, 0.1, 0.2, 0.4)
SECONDS = 6.0
"""The disks fall for about half a second and have come to rest long before."""
STEP, ITERATIONS = 1e-3, 40
"""Settings of pymunk."""


def scattered(friction: float, seed: int) -> Scene:
    """Disks of somewhat different sizes at random places."""
    return library.load("pour", count=COUNT, friction=friction, seed=seed)


def in_rows(friction: float, seed: int) -> Scene:
    """Equal disks in rows one above another, each up to a tenth of a radius to the side."""
    scene = scattered(friction, seed)
    radius, width = 0.01, scene.boundary.size[0]
    across = int(width / (2.3 * radius))
    column, row = np.arange(COUNT) % across, np.arange(COUNT) // across
    shift = np.random.default_rng(seed).uniform(-0.1, 0.1, COUNT) * radius
    places = np.stack([(column + 0.5) * width / across + shift, (2.5 * row + 1.2) * radius], axis=1)
    box = Box(size=(width, float(places[:, 1].max()) + 2.0 * radius))
    mass = float(scene.balls.mass.mean())
    return scene.replace(boundary=box, balls=Balls(position=places, radius=radius, mass=mass))


def carom_height(scene: Scene) -> float:
    """Mean height of the centres after the disks have come to rest, by the solver that carom chooses."""
    return float(Simulation(scene).run(until=SECONDS).positions[:, 1].mean())


def pymunk_height(scene: Scene, friction: float, *, rotate: bool) -> float:
    """Pour these disks into this box with pymunk, which multiplies the coefficients of the two that touch."""
    import pymunk  # noqa: PLC0415  # of the extra bench

    space = pymunk.Space()
    space.gravity, space.iterations = scene.gravity, ITERATIONS
    bounce, grip = math.sqrt(scene.restitution.ball_ball), math.sqrt(friction)
    width, height = scene.boundary.size
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
    walls = [pymunk.Segment(space.static_body, corners[k - 1], corners[k], 0.0) for k in range(4)]
    bodies, disks = [], []
    for ball in scene.balls:
        moment = pymunk.moment_for_circle(ball.mass, 0.0, ball.radius) if rotate else math.inf
        bodies.append(pymunk.Body(ball.mass, moment))
        bodies[-1].position = ball.position
        disks.append(pymunk.Circle(bodies[-1], ball.radius))
    space.add(*walls, *bodies, *disks)
    for shape in (*walls, *disks):
        shape.elasticity, shape.friction = bounce, grip
    for _ in range(round(SECONDS / STEP)):
        space.step(STEP)
    return float(np.mean([body.position.y for body in bodies]))


def told(heights: list[float]) -> str:
    """Mean and standard deviation."""
    return f"{statistics.mean(heights):.3f} ± {statistics.stdev(heights):.3f}"


def main() -> None:
    """Measure, and print one row per arrangement and coefficient of friction."""
    print("| disks | μ | carom | pymunk without rotation | pymunk with rotation |\n|---|---|---|---|---|")
    arrangements: tuple[tuple[str, Callable[[float, int], Scene]], ...] = (("pour", scattered), ("in rows", in_rows))
    for name, arrange in arrangements:
        for friction in FRICTIONS:
            scenes = [arrange(friction, seed) for seed in SEEDS]
            ours = told([carom_height(scene) for scene in scenes])
            still = told([pymunk_height(scene, friction, rotate=False) for scene in scenes])
            rolling = told([pymunk_height(scene, friction, rotate=True) for scene in scenes])
            print(f"| {name} | {friction:g} | {ours} | {still} | {rolling} |", flush=True)


if __name__ == "__main__":
    main()
