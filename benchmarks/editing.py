"""How long it takes to add a ball to a run: `python -m benchmarks.editing`."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.machine import one_core
from benchmarks.model import Row
from carom import Ball, Box, Scene, Simulation

MAX_BALLS = 200
PER_ROW = 20
APART = 0.9


@one_core()
def adding(scene: Scene, rounds: int = 5) -> Row:
    """The median time of `add` while a scene fills up, and the total time; the best of several rounds."""
    spent = [_filled(scene) for _ in range(rounds)]
    return {"median, ms": min(map(median, spent)) * 1e3, f"{MAX_BALLS} balls, ms": min(map(sum, spent)) * 1e3}


def _filled(scene: Scene) -> list[float]:
    """The time of each call, s."""
    sim = Simulation(scene)
    spent = []
    for k in range(MAX_BALLS):
        place = (0.5 + k % PER_ROW * APART, 0.5 + k // PER_ROW * APART)
        ball = Ball(position=place, velocity=(0.1, 0.2), radius=0.05)
        begin = time.perf_counter()
        sim.add(ball)
        spent.append(time.perf_counter() - begin)
    return spent


SCENES = {
    "exact": Scene(boundary=Box(size=(20.0, 20.0))),
    "stepped": Scene(boundary=Box(size=(20.0, 20.0)), gravity=(0.0, -9.81), restitution=0.5),
}

if __name__ == "__main__":
    for name, scene in SCENES.items():
        print(f"{name:8}", ", ".join(f"{column} {value:.2f}" for column, value in adding(scene).items()))
