"""Other packages on comparable work; each is optional (`pip install .[bench]`)."""

from __future__ import annotations

import json
import os
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import pooltool_environment
from benchmarks.machine import version
from benchmarks.model import Effort, Row, Skipped
from benchmarks.scenes import boxed
from benchmarks.speed import best_of, cpu_seconds
from carom import Simulation, library

OURS, THEIRS, VERSION = "carom, thousand/s", "peer, thousand/s", "its version"


def peer(name: str) -> Any:
    """Import a peer; Skipped if it is not installed."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise Skipped(f"not installed ({problem}); `pip install .[bench]`") from None


def against_billiards(effort: Effort, *, count: int, packing: float) -> Row:
    """Measure equal disks in a box with hard walls, in `billiards`."""
    module = peer("billiards")
    scene = boxed(count, packing)
    width, height = scene.boundary.size
    corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]  # counter-clockwise: inside is on the left
    walls = [module.InfiniteWall(corners[k - 1], corners[k]) for k in range(4)]
    table = module.Billiard(obstacles=walls)
    for ball in scene.balls:
        table.add_ball(ball.position, ball.velocity, ball.radius, ball.mass)
    sim = Simulation(scene).run(collisions=1)
    theirs = best_of(effort.slices, 100, lambda: [step(table) for _ in range(100)])
    ours = best_of(effort.slices, 100_000, lambda: sim.run(collisions=100_000))
    return {OURS: ours / 1e3, THEIRS: theirs / 1e3, VERSION: version("billiards")}


def step(table: Any) -> None:
    """One collision of a table of `billiards`."""
    table.evolve(min(table.toi_next[0], table.obstacles_next[0]))


def against_pooltool(effort: Effort) -> Row:
    """A pool break each: pooltool's with friction, spin and pockets, carom's without."""
    theirs = pooltool_break(effort.slices)
    scene = library.load("pool-break")
    Simulation(scene).run(collisions=1)
    ours = max(our_break_rate(Simulation(scene)) for _ in range(effort.slices))
    return {OURS: ours / 1e3, THEIRS: theirs["rate"] / 1e3, VERSION: theirs["version"]}


def pooltool_break(breaks: int) -> dict[str, Any]:
    """Run `pooltool_break.py` in the Python that has pooltool; return what it prints."""
    command = [pooltool_environment.python(), str(Path(__file__).with_name("pooltool_break.py")), str(breaks)]
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    try:
        done = subprocess.run(command, env=kept, capture_output=True, text=True, check=False)
    except OSError as problem:
        raise Skipped(f"{command[0]} cannot be run ({problem.strerror})") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise Skipped(f"pooltool cannot break ({said[-1]})")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def our_break_rate(sim: Simulation) -> float:
    """Collisions per second of carom's break, over a thousand collisions."""
    return 1000 / cpu_seconds(lambda: sim.run(collisions=1000))
