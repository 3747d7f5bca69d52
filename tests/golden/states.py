"""Scenes whose every number is an exact fraction or a plain formula, and hashes of their states after some collisions.

The solver uses additions, products, divisions and square roots alone, all exactly rounded by IEEE 754: the hashes
hold on every machine. If the definition of the motion changes on purpose, write new ones, and note it in the
changelog:

    PYTHONPATH=tests python -m golden.states
"""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from carom import Ball, Balls, Circle, Polygon, Scene, Simulation
from reference.scenes import lattice_scene, weyl

FILE = Path(__file__).with_name("states.json")
OUTLINE = [(0.0, 0.0), (8.0, 0.0), (8.0, 4.0), (4.0, 7.0), (4.0, 8.0), (0.0, 8.0)]  # its one oblique edge is 5 long
PILLAR = [(1.5, 5.0), (2.5, 5.0), (2.5, 6.0)]


def table() -> Scene:
    """A polygon with a hole, a round pillar and a bulged wall; discs, points and a pin."""
    places = [
        (0.75, 0.75),
        (2.0, 1.0),
        (4.0, 0.75),
        (6.0, 1.0),
        (1.0, 3.5),
        (6.5, 3.0),
        (0.75, 7.0),
        (3.25, 6.75),
        (5.0, 1.25),
    ]
    balls = [
        Ball(
            position=place,
            velocity=(weyl(k + 1, 0.6180339887498949) - 0.5, weyl(k + 1, 0.41421356237309515) - 0.5),
            mass=1.0 + 0.5 * (k % 3),
            radius=(0.375, 0.25, 0.0)[k % 3],
        )
        for k, place in enumerate(places)
    ]
    pin = Ball(position=(3.0, 2.25), radius=0.25, fixed=True)
    boundary = Polygon(
        vertices=OUTLINE, bulges=[0.0, 0.5, 0.0, 0.0, 0.0, 0.0], holes=[PILLAR, Circle(centre=(4.5, 4.0), radius=0.5)]
    )
    return Scene(boundary=boundary, balls=[*balls, pin])


def bouncing() -> Scene:
    """Balls that lose energy, fall asleep on the floor, and are woken up again."""
    row = np.arange(6)
    position = np.stack([row + 0.5, 0.5 + 0.25 * row], axis=1)
    velocity = np.stack([0.25 * (row - 2.5) * 0.25, 0.0 * row], axis=1)
    walls = lattice_scene(6, 2, (False, False)).boundary
    balls = Balls(position=position, velocity=velocity, radius=0.25)
    return Scene(boundary=walls, balls=balls, gravity=(0.0, -1.0), restitution=0.5)


SCENES: dict[str, tuple[Callable[[], Scene], int]] = {
    "periodic": (lambda: lattice_scene(10, 2, (True, True)), 20_000),
    "walls": (lambda: lattice_scene(8, 2, (False, False), restitution=0.96875), 5_000),
    "space": (lambda: lattice_scene(4, 3, (True, False, True)), 10_000),
    "falling": (lambda: lattice_scene(6, 2, (True, False), gravity=(0.0, -1.0)), 5_000),
    "table": (table, 5_000),
    "bouncing": (bouncing, 60),
}
LARGE = (lambda: lattice_scene(203, 2, (True, True)), 100_000)


def digest(sim: Simulation) -> str:
    """A hash of time, places and velocities."""
    parts = (np.array([sim.time]), sim.positions, sim.velocities)
    return hashlib.sha256(b"".join(part.astype("<f8").tobytes() for part in parts)).hexdigest()


def digest_of(name: str, neighbours: str = "auto") -> str:
    """The hash of a scene's state after its collisions."""
    make, collisions = LARGE if name == "large" else SCENES[name]
    return digest(Simulation(make(), solver="exact", neighbours=neighbours).run(collisions=collisions))


def main() -> None:
    """Write the file; or, given names, print their hashes."""
    names = sys.argv[1:]
    found = {name: digest_of(name) for name in names or (*SCENES, "large")}
    text = json.dumps(found, indent=2) + "\n"
    if names:
        sys.stdout.write(text)
    else:
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
