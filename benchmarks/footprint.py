"""Memory, compilation and start, each in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.model import Effort, Skipped

STATM = Path("/proc/self/statm")

BEGIN = """
import time
begin, cpu = time.perf_counter(), time.process_time()
import json, sys
sys.modules["scipy"] = sys.modules["cffi"] = None  # as if only carom were installed: Numba imports them
from carom import Simulation, library
options = json.loads(sys.argv[1])
"""

END = """
print(json.dumps([time.perf_counter() - begin, time.process_time() - cpu]))
"""

START = f"""{BEGIN}
gravity, neighbours = options.pop("gravity"), options.pop("neighbours")
scene = library.load("gas", count=200, **options)
if gravity:
    scene = scene.replace(gravity=(0.0, -1.0))
Simulation(scene, neighbours=neighbours).run(collisions=1)
{END}"""

FIRST_STEP = f"""{BEGIN}
sim = Simulation(library.load(options["scene"]))
sim.run(until=sim.method.step)
{END}"""

MEMORY = """
import json, sys
from benchmarks import footprint
print(json.dumps(footprint.occupied(*json.loads(sys.argv[1]))))
"""


def child(program: str, argument: object, cache: str | None = None) -> Any:
    """Run a Python program in a separate process; return the JSON that it prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, "-c", program, json.dumps(argument)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skipped(f"failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def start(
    effort: Effort, *, neighbours: str = "cells", gravity: bool = False, dimension: int = 2
) -> Mapping[str, float]:
    """Time from before `import carom` to after the first collision, with an empty and a full cache of kernels, s."""
    options = {
        "gravity": gravity,
        "neighbours": neighbours,
        "dimension": dimension,
        "periodic": not gravity,
        "packing_fraction": 0.2,
    }
    return cold_and_warm(effort, START, options)


def first_step(effort: Effort, *, scene: str) -> Mapping[str, float]:
    """Time from before `import carom` to after the first step of a scene of the library, s."""
    return cold_and_warm(effort, FIRST_STEP, {"scene": scene})


def cold_and_warm(effort: Effort, program: str, options: object) -> Mapping[str, float]:
    """The least times of a program, s: with an empty cache of kernels, and with the cache filled."""
    cold, warm = [], []
    for _ in range(effort.rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(child(program, options, cache))
            warm += [child(program, options, cache)[0] for _ in range(3)]
    wall, cpu = min(cold)
    return {"cold, s": wall, "cold, s of CPU": cpu, "warm, s": min(warm)}


def memory(_effort: Effort, *, count: int, packing: float) -> Mapping[str, float]:
    """Bytes per ball: of the solver's arrays, and of the whole process."""
    arrays, resident = child(MEMORY, [count, packing])
    return {"arrays, bytes per ball": arrays, "process, bytes per ball": resident}


def occupied(count: int, packing: float) -> tuple[float, float]:
    """Bytes per ball of a simulation: in arrays, and the growth of this process, which must be new."""
    from benchmarks.scenes import gas  # noqa: PLC0415  # what it loads must be there before the measurement
    from carom import Simulation  # noqa: PLC0415

    if not STATM.exists():
        raise Skipped("this system does not tell the memory of a process")
    Simulation(gas(200, packing), check=False).run(collisions=1)
    scene = gas(count, packing)
    before = resident()
    sim = Simulation(scene, check=False).run(collisions=count // 10)
    grown = resident() - before
    engine = sim._solver  # noqa: SLF001  # the public interface does not tell the memory
    own = sum(array.nbytes for array in owners(engine, {}).values())
    return own / count, grown / count


def resident() -> int:
    """Memory of this process, bytes."""
    return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def owners(thing: object, found: dict[int, Any]) -> dict[int, Any]:
    """All arrays reachable from an object's attributes, each piece of memory once."""
    if isinstance(thing, np.ndarray):
        base = thing
        while isinstance(base.base, np.ndarray):
            base = base.base
        found[id(base)] = base
    elif isinstance(thing, tuple | list):
        for part in thing:
            owners(part, found)
    elif hasattr(thing, "__dict__"):
        for part in vars(thing).values():
            owners(part, found)
    return found
