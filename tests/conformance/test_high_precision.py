"""The exact solver against forty digits, for every kind of boundary: the same collisions at the same times.

Collisions are chaotic: an error grows by about (free path / radius) with each. How fast it does so in a scene is
measured, by a second run of the reference from places that differ by NUDGE, some fifty times what rounding does to a
double. Collisions are compared as long as that run stays within LIMIT of the first, and a time may be off by a few
times as much as in that run.
"""

from typing import Any

import pytest

from carom import Ball, Box, Circle, Open, Polygon, Scene, Simulation
from reference.high_precision import HighPrecision, Hit
from reference.scenes import filled

NUDGE, LIMIT = 1e-14, 1e-9
SEEDS, MOST, ENOUGH, LEAST = 6, 30, 60, 20

EQUAL = [0.05] * 4
MIXED = [0.12, 0.06, 0.03, 0.0]
PENTAGON = [(0.0, 0.0), (1.1, -0.2), (1.5, 0.7), (0.6, 1.3), (-0.2, 0.8)]
STAR = [(0.0, 0.0), (0.75, 0.35), (1.5, 0.0), (1.1, 0.75), (1.5, 1.5), (0.75, 1.1), (0.0, 1.5), (0.4, 0.75)]
SQUARE = [(0.0, 0.0), (1.5, 0.0), (1.5, 1.5), (0.0, 1.5)]
DIAMOND = [(0.75, 0.5), (1.0, 0.75), (0.75, 1.0), (0.5, 0.75)]
STADIUM = Polygon(vertices=[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], bulges=[0.0, 1.0, 0.0, 1.0])
LENS = Polygon(vertices=SQUARE, bulges=[-0.2, 0.3, 0.0, 0.6])
HOLES = Polygon(vertices=SQUARE, holes=[[(0.3, 0.3), (0.6, 0.35), (0.4, 0.6)], Circle(centre=(1.0, 1.0), radius=0.15)])
CLUSTER = [
    Ball(position=(-1.0, 0.05), velocity=(1.0, 0.0), radius=0.1),
    Ball(position=(0.0, 0.0), velocity=(0.02, 0.01), radius=0.2, mass=3.0),
    Ball(position=(0.9, -0.1), velocity=(-1.1, 0.03), radius=0.15),
    Ball(position=(0.1, 1.0), velocity=(0.05, -0.7), radius=0.05, mass=0.2),
    Ball(position=(-0.2, -1.4), velocity=(0.1, 1.2), radius=0.1),
]
PINS = [Ball(position=(0.5, 0.5), radius=0.1, fixed=True), Ball(position=(1.2, 0.4), radius=0.05, fixed=True)]
BUMPER = Polygon(vertices=[(0.6, 0.6), (0.9, 0.55), (0.85, 0.9)])
PLANE, SPACE = ((0.0, 0.0), (1.5, 1.5)), ((0.0,) * 3, (1.2,) * 3)
DOWN = (0.3, -1.7)


def scene_of(seed: int, radii: list[float], corners: Any = PLANE, **parts: Any) -> Scene:
    return filled(Scene(**parts), *corners, radii, seed)


def turned(seed: int) -> list[Ball]:
    """The cluster, coming together a little differently."""
    return [
        ball.replace(velocity=(ball.velocity[0] + 0.01 * seed, ball.velocity[1])) for ball in CLUSTER[: 5 - seed % 2]
    ]


SCENES: dict[str, Any] = {
    "box": lambda seed: scene_of(seed, MIXED, boundary=Box(size=(1.5, 1.5))),
    "box, gravity": lambda seed: scene_of(seed, MIXED, boundary=Box(size=(1.5, 1.5)), gravity=DOWN),
    "box, restitution": lambda seed: scene_of(seed, EQUAL, boundary=Box(size=(1.5, 1.5)), restitution=0.9),
    "periodic": lambda seed: scene_of(seed, MIXED, boundary=Box(size=(1.5, 1.5), periodic=True)),
    "periodic in x, gravity": lambda seed: scene_of(
        seed, EQUAL, boundary=Box(size=(1.5, 1.5), periodic=(True, False)), gravity=(0.0, -1.7)
    ),
    "small periodic": lambda seed: scene_of(
        seed, [0.15, 0.1], ((0.0, 0.0), (0.5, 0.6)), boundary=Box(size=(0.5, 0.6), periodic=True)
    ),
    "open": lambda seed: Scene(boundary=Open(), balls=turned(seed)),
    "open, gravity": lambda seed: Scene(boundary=Open(), balls=turned(seed), gravity=DOWN),
    "convex polygon": lambda seed: scene_of(seed, MIXED, boundary=Polygon(vertices=PENTAGON)),
    "convex polygon, gravity": lambda seed: scene_of(seed, MIXED, boundary=Polygon(vertices=PENTAGON), gravity=DOWN),
    "star": lambda seed: scene_of(seed, MIXED, boundary=Polygon(vertices=STAR)),
    "star, gravity": lambda seed: scene_of(seed, [0.1, 0.05, 0.03], boundary=Polygon(vertices=STAR), gravity=DOWN),
    "holes": lambda seed: scene_of(seed, [0.1, 0.05, 0.03], boundary=HOLES),
    "holes, gravity": lambda seed: scene_of(seed, [0.1, 0.05, 0.0], boundary=HOLES, gravity=DOWN),
    "circle": lambda seed: scene_of(seed, MIXED, boundary=Circle(centre=(0.75, 0.75), radius=0.75)),
    "circle, gravity": lambda seed: scene_of(
        seed, [0.1, 0.05, 0.0], boundary=Circle(centre=(0.75, 0.75), radius=0.75), gravity=DOWN
    ),
    "obstacles": lambda seed: scene_of(
        seed, [0.1, 0.05], boundary=Box(size=(1.5, 1.5)), obstacles=[Circle(centre=(0.3, 1.1), radius=0.2), BUMPER]
    ),
    "obstacle in periodic space": lambda seed: scene_of(
        seed,
        [0.1, 0.0],
        boundary=Box(size=(1.5, 1.5), periodic=True),
        obstacles=[Circle(centre=(0.1, 1.45), radius=0.25)],
    ),
    "obstacles, gravity": lambda seed: scene_of(
        seed,
        [0.1, 0.05],
        boundary=Box(size=(1.5, 1.5)),
        obstacles=[Circle(centre=(0.3, 1.1), radius=0.2), BUMPER],
        gravity=DOWN,
    ),
    "pins": lambda seed: scene_of(seed, [0.1, 0.05], boundary=Box(size=(1.5, 1.5)), balls=PINS),
    "pins, gravity": lambda seed: scene_of(seed, [0.1, 0.0], boundary=Box(size=(1.5, 1.5)), balls=PINS, gravity=DOWN),
    "stadium": lambda seed: scene_of(seed, MIXED, ((-0.4, 0.0), (1.4, 1.0)), boundary=STADIUM),
    "stadium, gravity": lambda seed: scene_of(
        seed, [0.1, 0.05], ((-0.4, 0.0), (1.4, 1.0)), boundary=STADIUM, gravity=DOWN
    ),
    "arcs inward": lambda seed: scene_of(seed, [0.1, 0.05, 0.0], boundary=LENS),
    "arcs inward, gravity": lambda seed: scene_of(seed, [0.1, 0.05, 0.0], boundary=LENS, gravity=DOWN),
    "3D box": lambda seed: scene_of(seed, [0.2, 0.1, 0.0], SPACE, boundary=Box(size=(1.2, 1.2, 1.2))),
    "3D box, gravity": lambda seed: scene_of(
        seed, [0.2, 0.1, 0.1], SPACE, boundary=Box(size=(1.2, 1.2, 1.2)), gravity=(0.1, 0.2, -1.5)
    ),
    "3D periodic": lambda seed: scene_of(
        seed, [0.3, 0.25, 0.2], SPACE, boundary=Box(size=(1.2, 1.2, 1.2), periodic=True)
    ),
    "sphere": lambda seed: scene_of(seed, [0.2, 0.1, 0.0], SPACE, boundary=Circle(centre=(0.6, 0.6, 0.6), radius=0.6)),
    "sphere, gravity": lambda seed: scene_of(
        seed, [0.2, 0.1], SPACE, boundary=Circle(centre=(0.6, 0.6, 0.6), radius=0.6), gravity=(0.1, 0.2, -1.5)
    ),
}


def comparable(scene: Scene) -> tuple[list[Hit], list[float]]:
    """The collisions that an error of NUDGE leaves within LIMIT, and what it has done to their times so far."""
    one, other = HighPrecision(scene), HighPrecision(scene, NUDGE)
    hits: list[Hit] = []
    errors: list[float] = []
    worst = 0.0
    while len(hits) < MOST and (hit := one.step()) is not None:
        twin = other.step()
        if twin is None or (twin.kind, twin.partners, twin.wall) != (hit.kind, hit.partners, hit.wall):
            break
        worst = max(worst, float(abs(hit.time - twin.time) / hit.time))
        if worst > LIMIT:
            break
        hits.append(hit)
        errors.append(worst)
    return hits, errors


def compare(scene: Scene, hits: list[Hit], errors: list[float], neighbours: str) -> None:
    """Hold the solver against the reference."""
    sim = Simulation(scene, neighbours=neighbours)
    for k, (hit, error) in enumerate(zip(hits, errors, strict=True)):
        collision = sim.step()
        assert collision is not None, f"collision {k} of {len(hits)} never comes: {hit}"
        found = (collision.kind, collision.partners, collision.wall)
        assert (k, *found) == (k, hit.kind, hit.partners, hit.wall), f"at {float(hit.time)} s"
        assert float(abs(collision.time - hit.time) / hit.time) <= 3.0 * error + NUDGE
    if isinstance(scene.boundary, Open):
        assert sim.step() is None


@pytest.mark.requirement("T-11", "T-13", "M-11", "M-17", "B-02")
@pytest.mark.parametrize("name", SCENES)
def test_same_collisions(name: str) -> None:
    """With either kind of neighbourhood; the reference, which takes the time, runs once for both."""
    compared = 0
    for seed in range(SEEDS):
        scene = SCENES[name](seed)
        hits, errors = comparable(scene)
        for neighbours in ("cells", "lists"):
            compare(scene, hits, errors, neighbours)
        compared += len(hits)
        if compared >= ENOUGH:
            break
    assert compared >= LEAST
