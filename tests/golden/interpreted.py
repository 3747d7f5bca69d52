"""Small scenes of both solvers, to be played once by compiled kernels and once by the same kernels in plain Python.

    PYTHONPATH=tests NUMBA_DISABLE_JIT=1 python -m golden.interpreted disks cloth

prints hashes of their states at the end. Without names, and with compiled kernels, the file is written anew. Among
them they have every kind of wall, neighbourhood and force.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import carom
from carom import Ball, Balls, Circle, Scene, Simulation
from golden import states, stepped
from reference.scenes import lattice_scene

FILE = Path(__file__).with_name("interpreted.json")


@carom.force
def wind(t: float, x: Any, v: Any, m: Any, f: Any, speed: float, grip: Any) -> None:
    """A custom force with a number and an array among its parameters."""
    for k in range(len(m)):
        f[k, 0] += grip[k % 2] * (speed + 0.25 * t - v[k, 0])


def exact(scene: Scene, **options: Any) -> Simulation:
    """A run of the exact solver."""
    return Simulation(scene, solver="exact", **options)


def streak() -> Scene:
    """A ball that comes to rest on the floor, and one that rolls round in a circle."""
    balls = [
        Ball(position=(0.5, 1.0), velocity=(0.25, 0.0), radius=0.125),
        Ball(position=(-1.0, 0.0), velocity=(0.0, 1.5), radius=0.25, mass=2.0),
    ]
    return Scene(boundary=Circle(centre=(0.0, 0.0), radius=4.0), balls=balls, gravity=(0.0, -2.0), restitution=0.75)


def blown() -> Simulation:
    """Bodies with custom forces."""
    balls = Balls(position=np.array([[0.0, 0.0], [1.0, 0.5], [2.0, 0.0]]), radius=0.25, mass=2.0)
    force = wind(speed=2.0, grip=np.array([0.5, 1.0]))
    return Simulation(Scene(balls=balls), forces=[force], step=1 / 64)


STARTS: dict[str, tuple[Callable[[], Simulation], dict[str, Any]]] = {
    "disks": (lambda: exact(lattice_scene(5, 2, (True, True)), neighbours="cells"), {"collisions": 150}),
    "lists": (lambda: exact(lattice_scene(5, 2, (True, False)), neighbours="lists"), {"collisions": 150}),
    "spheres": (lambda: exact(lattice_scene(3, 3, (True, False, True))), {"collisions": 100}),
    "falling": (lambda: exact(lattice_scene(4, 2, (True, False), gravity=(0.0, -1.0))), {"collisions": 100}),
    "table": (lambda: exact(states.table()), {"collisions": 100}),
    "bouncing": (lambda: exact(states.bouncing()), {"collisions": 60}),
    "circle": (lambda: exact(streak()), {"collisions": 60}),
    "gas": (lambda: stepped.start("gas"), {"until": 0.5}),
    "springs": (lambda: stepped.start("springs"), {"until": 0.5}),
    "pile": (lambda: stepped.start("pile"), {"until": 0.75}),
    "cloth": (lambda: stepped.start("awning"), {"until": 0.25}),
    "slope": (lambda: stepped.start("slope"), {"until": 1.0}),
    "direct": (lambda: stepped.start("direct"), {"until": 1 / 64}),
    "tree": (lambda: stepped.start("tree"), {"until": 1 / 64}),
    "custom force": (blown, {"until": 0.5}),
}
"""How a run begins, and when it ends."""


def digest_of(name: str) -> str:
    """The hash of a scene's state at its end."""
    start, end = STARTS[name]
    return states.digest(start().run(**end))


def main() -> None:
    """Write the file anew; or, given names, print their hashes."""
    names = sys.argv[1:]
    text = json.dumps({name: digest_of(name) for name in names or STARTS}, indent=2) + "\n"
    if names:
        sys.stdout.write(text)
    else:
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
