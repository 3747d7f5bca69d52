"""Small scenes of the stepped solver, of every kind, and hashes of their states after some seconds.

As in `states`, numbers are exact fractions or plain formulas. The stepped solver too takes sums, products, divisions
and square roots alone (its quick inverse cube included), so that the hashes hold on every machine. Written anew by

    PYTHONPATH=tests python -m golden.stepped
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from carom import Attraction, Ball, Balls, Box, Cloth, HalfSpace, Link, Scene, Simulation, Wedge
from golden.states import digest
from reference.scenes import lattice_scene, weyl

FILE = Path(__file__).with_name("stepped.json")


def springs() -> Scene:
    """A chain that swings, damped along its links, with drag."""
    balls = [Ball(position=(0.5 * k, 0.0), mass=1.0 + 0.25 * (k % 3), fixed=k == 0) for k in range(8)]
    links = [Link(between=(k, k + 1), stiffness=512.0, damping=0.5) for k in range(7)]
    return Scene(gravity=(0.0, -8.0), balls=balls, links=links, drag=0.125)


def pile() -> Scene:
    """Balls that fall into a box and come to rest on each other."""
    index = np.arange(30)
    position = np.stack([(index % 5) * 0.75 + 0.5 + 0.0625 * (index // 5 % 2), 0.5 + 0.75 * (index // 5)], axis=1)
    balls = Balls(position=position, radius=0.25 + 0.0625 * (index % 3) / 2)
    return Scene(boundary=Box(size=(4.0, 8.0)), gravity=(0.0, -8.0), balls=balls, restitution=0.25, friction=0.5)


def stars(opening: float) -> Scene:
    """Bodies that attract each other."""
    steps = (0.6180339887498949, 0.41421356237309515, 0.7320508075688772)
    position = [[weyl(k + 1, step) - 0.5 for step in steps] for k in range(200)]
    return Scene(
        balls=Balls(position=position, mass=0.0078125), attraction=Attraction(G=1, softening=0.125, opening=opening)
    )


def awning() -> Scene:
    """Water on a cloth that is held at its corners."""
    drops = [Ball(position=(0.25 + 0.125 * (k % 5), 0.25 + 0.125 * (k // 5), 0.5)) for k in range(25)]
    cloth = Cloth(
        corner=(0.0, 0.0, 0.0), sides=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), counts=(5, 5), stiffness=64.0, damping=0.125,
        held="corners",
    )  # fmt: skip
    balls = Balls.concatenate(drops).replace(mass=0.0078125)
    return Scene(gravity=(0.0, 0.0, -8.0), balls=balls, structures=[cloth], restitution=0.25)


def slope() -> Scene:
    """Balls on a slope of 3 to 4: one sticks, one slides, one bounces and flies off its end."""
    ramp = Wedge(slope=-0.75, intercept=6.0, x=(0.0, 8.0), bottom=0.0)
    ground = HalfSpace(point=(0.0, -4.0), normal=(0.0, 1.0))
    balls = [
        Ball(position=(2.0 + 0.15, 4.5 + 0.2), radius=0.25, material="rubber"),
        Ball(position=(4.0, 4.0), radius=0.25),
        Ball(position=(6.0, 3.0), velocity=(1.0, 0.0), radius=0.125),
    ]
    friction = {"ball_wall": 0.25, "pairs": [{"materials": ("rubber", "wall"), "value": 1.0}]}
    return Scene(gravity=(0.0, -8.0), obstacles=[ramp, ground], balls=balls, restitution=0.5, friction=friction)


SCENES: dict[str, tuple[Callable[[], Scene], float, float]] = {
    "gas": (lambda: lattice_scene(8, 2, (False, False)), 1 / 64, 8.0),
    "springs": (springs, 1 / 128, 2.0),
    "pile": (pile, 1 / 64, 2.0),
    "direct": (lambda: stars(0.0), 1 / 64, 1.0),
    "tree": (lambda: stars(0.5), 1 / 64, 1.0),
    "awning": (awning, 1 / 512, 1.0),
    "slope": (slope, 1 / 64, 2.0),
}
"""The function that makes a scene, the step, s, and the end of the run, s."""


def start(name: str) -> Simulation:
    """A run of a scene, at its start."""
    make, step, _ = SCENES[name]
    return Simulation(make(), solver="stepped", step=step)


def digest_of(name: str) -> str:
    """The hash of a scene's state at its end."""
    return digest(start(name).run(until=SCENES[name][2]))


def main() -> None:
    """Write the file; or, given names, print their hashes."""
    names = sys.argv[1:]
    text = json.dumps({name: digest_of(name) for name in names or SCENES}, indent=2) + "\n"
    if names:
        sys.stdout.write(text)
    else:
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
