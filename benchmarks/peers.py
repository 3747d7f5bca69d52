"""The same work by other packages, where they can do it; each is optional (`pip install .[bench]`)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchmarks.model import Effort, Row, Skipped
from benchmarks.scenes import boxed
from benchmarks.speed import best_of, cpu_seconds
from carom import Simulation, library

OURS, THEIRS = "carom, thousand/s", "peer, thousand/s"


def peer(name: str) -> Any:
    """The module of a peer."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise Skipped(f"not installed ({problem}); `pip install .[bench]`") from None


def against_billiards(effort: Effort, *, count: int, packing: float) -> Row:
    """Disks in a box with hard walls, the very same ones, in `billiards`."""
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
    return {OURS: ours / 1e3, THEIRS: theirs / 1e3}


def step(table: Any) -> None:
    """One collision of a table of `billiards`."""
    table.evolve(min(table.toi_next[0], table.obstacles_next[0]))


def against_pooltool(effort: Effort) -> Row:
    """A pool break each: theirs with friction, spin and pockets, ours without."""
    module = peer("pooltool")
    table = module.Table.default()
    shot = module.System(
        table=table,
        balls=module.get_rack(module.GameType.NINEBALL, table=table),
        cue=module.Cue(cue_ball_id="cue"),
    )
    shot.cue.set_state(V0=8, phi=module.aim.at_ball(shot, "1"))
    module.simulate(shot.copy(), inplace=True)  # compiles
    theirs = max(break_rate(module, shot.copy()) for _ in range(effort.slices))
    scene = library.load("pool-break")
    Simulation(scene).run(collisions=1)
    ours = max(our_break_rate(Simulation(scene)) for _ in range(effort.slices))
    return {OURS: ours / 1e3, THEIRS: theirs / 1e3}


def break_rate(module: Any, shot: Any) -> float:
    """Events per second of a shot of pooltool."""
    seconds = cpu_seconds(lambda: module.simulate(shot, inplace=True))
    return len(shot.events) / seconds


def our_break_rate(sim: Simulation) -> float:
    """Collisions per second of our break, as long as it takes for a thousand."""
    return 1000 / cpu_seconds(lambda: sim.run(collisions=1000))
