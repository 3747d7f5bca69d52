"""Records a run that is killed again and again, and resumes it each time; a separate program, because it forks.

    python killed.py FOLDER SCENE SOLVER KILLS SEED

Prints one line of JSON: how often it was killed, and at which times of the run. Any difference from the undisturbed run
is an error.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import carom
from carom.errors import StorageError
from carom.storage.checkpoint import checkpoint_of, read
from carom.storage.recording import Recording

SCENES: dict[str, Any] = {
    "gas": (lambda: carom.library.load("gas", count=60), 8.0, 0.02, ["temperature", "virial_pressure"]),
    "break": (lambda: carom.library.load("break"), 2.5, 0.002, ["energy"]),
    "pour": (lambda: carom.library.load("pour"), 0.6, 0.002, ["energy"]),
}
PAUSE = 0.03
"""Between checkpoints, s."""
BY_WALL_TIME = {"carom/until"}
"""Datasets that depend on how the run was divided; all others must be equal."""


def run(path: Path, name: str, solver: str) -> None:
    """Begin or resume the run, to its end."""
    scene, end, every, observables = SCENES[name]
    if checkpoint_of(path).exists():
        simulation = carom.Simulation.resume(path)
    else:
        simulation = carom.Simulation(scene(), solver=solver)
        simulation.record(path, every=every, observables=observables, checkpoint=PAUSE, force=True)
    while simulation.time < end:
        simulation.run(until=min(end, simulation.time + end / 200))
        time.sleep(0.002)  # so that there is time to be killed in, whatever the machine
    simulation.recorder.close()


def stamp(path: Path) -> int:
    """When the last checkpoint was written; 0 if there is none."""
    try:
        return checkpoint_of(path).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def killed(path: Path, name: str, solver: str, after: float, *, patient: bool) -> bool:
    """Run in a separate process, and kill it after a while; False if it ended before."""
    before = stamp(path)
    child = os.fork()
    if child == 0:
        try:
            run(path, name, solver)
        except BaseException as error:  # a forked process must not go on as its parent
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    if patient:  # until it has saved itself once
        while stamp(path) == before and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.001)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise SystemExit(f"the run failed by itself with {os.WEXITSTATUS(status)}")
    return os.WIFSIGNALED(status)


def look(path: Path, whole: Recording) -> str:
    """Check a recording after a kill: it must be readable, and a part of the undisturbed one."""
    if not path.exists():
        return "nothing"
    with Recording(path) as found:
        compare(found, whole, part=True)
        state = "complete" if found.complete else "part"
    try:
        read(checkpoint_of(path))
    except StorageError as error:
        if checkpoint_of(path).exists():
            raise SystemExit(f"a broken checkpoint: {error}") from None
        return "no checkpoint"
    return state


def compare(found: Recording, whole: Recording, *, part: bool) -> None:
    """Check that each dataset has the same rows, or the first of them."""
    for name in found.names:
        if name in BY_WALL_TIME or name.startswith("carom/history/"):
            continue
        rows, others = found.column(name)[:], whole.column(name)[:]
        if len(rows) > len(others) or (not part and len(rows) != len(others)):
            raise SystemExit(f"{name}: {len(rows)} rows, and {len(others)} of the run that nobody killed")
        if rows.tobytes() != others[: len(rows)].tobytes():
            raise SystemExit(f"{name}: other numbers than those of the run that nobody killed")


def main(folder: Path, name: str, solver: str, kills: int, seed: int) -> dict[str, Any]:
    """Kill a number of times, then let it end."""
    chance = random.Random(seed)
    began = time.perf_counter()
    run(folder / "whole.h5", name, solver)
    length = time.perf_counter() - began
    path, found = folder / "killed.h5", []
    with Recording(folder / "whole.h5") as whole:
        for k in range(kills):
            if not killed(path, name, solver, chance.uniform(0.0, min(0.2, length / 4)), patient=k % 2 == 0):
                for each in (path, checkpoint_of(path)):
                    each.unlink()  # it was done: begin anew, to be killed again
            found.append(look(path, whole))
        run(path, name, solver)
        with Recording(path) as end:
            compare(end, whole, part=False)
            if not end.complete:
                raise SystemExit("the recording does not say that it is complete")
            for t in np.linspace(*whole.span, 7) if whole.exact else ():
                if end.at(t).positions.tobytes() != whole.at(t).positions.tobytes():
                    raise SystemExit(f"another instant at {t} s")
    left = sorted(each.name for each in folder.iterdir())
    return {"kills": len(found), "found": {each: found.count(each) for each in sorted(set(found))}, "left": left}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))))
