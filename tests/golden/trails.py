"""Trails of the golden scenes of both solvers: marks of the state at intervals, which show where a run deviates.

A mark is one line: the moment (collisions of the exact solver, steps of the stepped one), the beginning of the hash of
the state, and of each ball the last 16 bits of its numbers, all combined by exclusive or. Written anew, after `states`
and `stepped`, by

    PYTHONPATH=tests python -m golden.trails
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import Simulation
from golden import states, stepped
from reference.brute_force import BruteForce

FILE = Path(__file__).with_name("trails.json")
SCENES = (*states.SCENES, *stepped.SCENES)
BOXES = ("periodic", "walls", "space", "falling")  # what brute force can do
MARKS = 16


def unit(name: str) -> str:
    """The unit of moments: collisions or steps."""
    return "collisions" if name in states.SCENES else "steps"


def length(name: str) -> int:
    """The last moment of a scene."""
    if name in states.SCENES:
        return states.SCENES[name][1]
    _, step, end = stepped.SCENES[name]
    return round(end / step)


def moments(name: str) -> list[int]:
    """The moments of marks: after each sixteenth."""
    return [round(length(name) * k / MARKS) for k in range(1, MARKS + 1)]


class Walk:
    """A golden scene that runs from mark to mark.

    By brute force, the motion is computed by NumPy alone, without compiled code.
    """

    def __init__(self, name: str, neighbours: str = "auto", *, brute: bool = False) -> None:
        self.name, self.moment = name, 0
        self.run: Any
        if name in stepped.SCENES:
            self.run = stepped.start(name)
        else:
            self.run = Simulation(states.SCENES[name][0](), solver="exact", neighbours=neighbours)
        if brute:
            self.run = BruteForce(self.run.scene)

    def go(self, moment: int) -> Any:
        """Run to a moment, and return the run."""
        if isinstance(self.run, BruteForce):
            for _ in range(moment - self.moment):
                self.run.step()
        elif self.name in stepped.SCENES:
            self.run.run(until=moment * stepped.SCENES[self.name][1])
        else:
            self.run.run(collisions=moment - self.moment)
        self.moment = moment
        return self.run


def numbers(run: Any) -> NDArray[np.float64]:
    """Positions and velocities, one row per ball."""
    return np.ascontiguousarray(np.hstack([run.positions, run.velocities]), "<f8")


def mark(moment: int, run: Any) -> str:
    """The mark of a state."""
    folded = np.bitwise_xor.reduce(numbers(run).view("<u8"), axis=1) & np.uint64(0xFFFF)
    return f"{moment} {states.digest(run)[:16]} {''.join(f'{each:04x}' for each in folded.tolist())}"


def trail(walk: Walk, count: int = MARKS) -> Iterator[str]:
    """Yield the first marks of a walk."""
    for moment in moments(walk.name)[:count]:
        yield mark(moment, walk.go(moment))


def parting(name: str, golden: Iterable[str], found: Iterable[str]) -> str | None:
    """Describe where a trail deviates from the golden one; None if it does not."""
    same = 0
    for one, two in zip(golden, found, strict=False):
        moment, _, balls = one.split(" ")
        if one != two:
            others = two.split(" ")[2]
            differ = [k for k in range(len(balls) // 4) if balls[4 * k : 4 * k + 4] != others[4 * k : 4 * k + 4]]
            which = ", ".join(str(k) for k in differ[:8]) + (", …" if len(differ) > 8 else "")
            what = f"{len(differ)} of {len(balls) // 4} balls differ ({which})" if differ else "the time differs"
            return f"{name}: the same bits after {same} {unit(name)}; after {moment}, {what}"
        same = int(moment)
    return None


def golden_trails() -> dict[str, list[str]]:
    """Read the golden trails."""
    kept: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def main() -> None:
    """Write the file."""
    found = {name: list(trail(Walk(name))) for name in SCENES}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
