"""Measures the rate of one workload with the carom that this Python imports, slice by slice on request.

    python -m benchmarks.rate_worker gas 1000 0.3

It prints "ready" after the warm-up. For each line that it reads it runs one slice and prints its rate, 1/s of CPU time:
collisions of a gas, or steps of a workload of the stepped solver.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import scenes, stepped
from benchmarks.model import FULL
from benchmarks.speed import SlicedRun, cpu_seconds
from carom import Simulation

WORKS = {"W1": (stepped.gas, 50), "W2": (stepped.pile, 1_200), "W3": (stepped.bodies, 20), "W4": (stepped.cloth, 50)}


def collisions(count: int, packing: float) -> Callable[[], float]:
    """Slices of equal disks in a periodic square."""
    runner = SlicedRun(scenes.gas(count, packing), FULL)

    def one() -> float:
        runner.best = 0.0
        runner.time_slice()
        return runner.best

    return one


def steps(work: str, count: int) -> Callable[[], float]:
    """Slices of a workload of the stepped solver, on one core."""
    make, warm_up = WORKS[work]
    stepped.build.THREADED, stepped.build.CORES = sys.maxsize, 1
    scene, step = make(count)
    sim = Simulation(scene, solver="stepped", step=step, check=False)
    sim.run(until=warm_up * step)
    each = max(int(4 * FULL.seconds / cpu_seconds(lambda: sim.run(until=sim.time + 4 * step))), 2)
    return lambda: each / cpu_seconds(lambda: sim.run(until=sim.time + each * step))


def main(work: str, count: str, packing: str = "") -> None:
    """Serve slices until the input ends."""
    one = collisions(int(count), float(packing)) if work == "gas" else steps(work, int(count))
    print("ready", flush=True)
    for _ in sys.stdin:
        print(one(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
