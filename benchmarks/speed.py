"""Collisions per second of CPU time, through the public interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from benchmarks.machine import one_core
from benchmarks.model import Effort, Row
from carom import Scene, Simulation

RATE = "million/s"
RELATIVE = "relative"
TRIAL_COLLISIONS = 20_000  # of the trial that sets the length of a slice

Make = Callable[[], Scene]


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of a call, s."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


class SlicedRun:
    """A simulation in its steady state, timed slice by slice."""

    def __init__(self, scene: Scene, effort: Effort, *, cools: bool = False) -> None:
        """Warm up. If the gas `cools`, each slice starts from a copy of the same state."""
        self.cools = cools
        self.sim = Simulation(scene, check=False)
        self.sim.run(collisions=1)  # compiles
        count = len(scene.balls)
        self.sim.run(collisions=effort.warm_up * count)
        trial = cpu_seconds(lambda: self.fresh().run(collisions=TRIAL_COLLISIONS))
        self.slice = max(int(TRIAL_COLLISIONS * effort.seconds / trial), effort.turnover * count)
        if cools:
            self.slice = min(self.slice, 4 * count)
        self.best = 0.0

    def fresh(self) -> Simulation:
        """The simulation of the next slice."""
        return self.sim.copy() if self.cools else self.sim

    def time_slice(self) -> None:
        """Run one slice, and update the best rate, 1/s."""
        sim = self.fresh()
        self.best = max(self.best, self.slice / cpu_seconds(lambda: sim.run(collisions=self.slice)))


@one_core()
def alone(make: Make, effort: Effort) -> Row:
    """The rate of one scene."""
    runner = SlicedRun(make(), effort)
    for _ in effort.goes_on():
        runner.time_slice()
    return {RATE: runner.best / 1e6}


@one_core()
def side_by_side(make: Make, baseline: Make, effort: Effort, *, cools: bool = False) -> Row:
    """The rate of a scene, and its ratio to that of another; their slices alternate."""
    runners = SlicedRun(make(), effort, cools=cools), SlicedRun(baseline(), effort, cools=cools)
    for _ in effort.goes_on():
        for runner in runners:
            runner.time_slice()
    return {RATE: runners[0].best / 1e6, RELATIVE: runners[0].best / runners[1].best}


def from_python(make: Make, effort: Effort) -> Mapping[str, float]:
    """Collisions per second that Python receives: one by one, or as an array."""
    sim = Simulation(make(), check=False)
    sim.run(collisions=effort.warm_up * len(sim.radii))
    one_by_one = best_of(effort.slices, 5000, lambda: sum(1 for _ in sim.events(collisions=5000)))
    as_array = best_of(effort.slices, 200_000, lambda: sim.collide(collisions=200_000))
    return {"sim.events, million/s": one_by_one / 1e6, "sim.collide, million/s": as_array / 1e6}


def best_of(times: int, count: int, work: Callable[[], object]) -> float:
    """The best rate of a call that does `count` operations, 1/s."""
    return max(count / cpu_seconds(work) for _ in range(times))


def set_up(make: Make, effort: Effort) -> Mapping[str, float]:
    """CPU time to make a scene and to begin its simulation, checked and unchecked, s."""
    scene = make()
    Simulation(scene, check=False).run(collisions=1)  # compiles
    times: Sequence[tuple[str, Callable[[], object]]] = (
        ("scene, s", make),
        ("Simulation(scene), s", lambda: Simulation(scene)),
        ("with check=False, s", lambda: Simulation(scene, check=False)),
    )
    return {name: min(cpu_seconds(work) for _ in range(min(effort.slices, 3))) for name, work in times}
