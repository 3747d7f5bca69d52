"""Small studies, and an observable whose behaviour depends on the mass of the first ball. Workers import it too."""

import multiprocessing
import os
import signal
import time
from typing import Any

from carom.observe.observable import Observable, RunState
from carom.sweeps.running import task
from carom.sweeps.study.study import Study

GOOD, RAISES, KILLS, HANGS, SLOW = 1.0, 2.0, 3.0, 4.0, 5.0
GRACE = 4.0
if multiprocessing.parent_process() is not None:  # on a worker: kill a hanging run sooner
    task.GRACE = GRACE

SCENE: dict[str, Any] = {
    "boundary": {"kind": "box", "size": [1.0, 1.0]},
    "balls": [
        {"position": [0.2, 0.2], "velocity": [0.3, 0.4], "radius": 0.05, "mass": GOOD},
        {"position": [0.6, 0.5], "velocity": [-0.7, 0.2], "radius": 0.05, "mass": 1.0},
        {"position": [0.8, 0.8], "velocity": [0.1, -0.5], "radius": 0.05, "mass": 1.0},
    ],
}


class Moody(Observable):
    """Returns 1, or raises, kills its process, hangs, or is slow, depending on the mass of the first ball."""

    name, symbol, unit = "moody", "m", ""

    def sample(self, sim: RunState) -> float:
        mood = float(sim.masses[0]) if sim.time > 0.0 else GOOD
        if mood == RAISES:
            raise ValueError("I do not\nlike it")
        if mood == KILLS:
            os.kill(os.getpid(), signal.SIGKILL)
        while mood == HANGS:
            time.sleep(0.01)
        if mood == SLOW:
            time.sleep(0.02)
        return 1.0


def study(moods: list[float], speeds: int = 1, **more: Any) -> Study:
    """Three disks in a box: each speed of the first, in each mood."""
    run = {"until": 1.0, "every": 0.5, **more.pop("run", {})}
    speed = {"linear": [0.1, 1.0], "count": speeds} if speeds > 1 else [0.1]
    parameters = {"balls[0].velocity[0]": speed, "balls[0].mass": moods}
    return Study(scene=SCENE, parameters=parameters, run=run, observables=["energy", Moody()], **more)


def random_study(repeats: int, **more: Any) -> Study:
    """A gas of nine disks from random seeds, at two densities."""
    return Study(
        scene="gas",
        parameters={"generator.count": [9], "generator.packing_fraction": [0.1, 0.3]},
        run={"until": 0.5, "every": 0.1},
        observables=["temperature", {"name": "energy", "take": "drift"}],
        repeats=repeats,
        **more,
    )
