"""Which branches of the kernels small scenes reach: docs/kernel-coverage.md.

    python tools/kernel_coverage.py            # play all scenes, and print the table
    python tools/kernel_coverage.py --write    # and write the page

Numba's machine code cannot be traced, so kernels are played as plain Python (NUMBA_DISABLE_JIT=1), some hundred times
as slowly: the scenes are small and short. They are those of `tests/golden/interpreted.py` and `tests/cases`, the
library, and scenes with everything in them at once. It takes about ten minutes on two cores, and needs coverage.py:
pip install "carom[coverage]". Scenes that have not begun after `--minutes` are left out.
"""

import argparse
import ast
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src/carom"
ROOMS = ("kernels", "physics", "solvers")
PAGE = ROOT / "docs/kernel-coverage.md"
DECORATORS = {"inline", "noinline", "kernel", "scalar_kernel", "stage"}
COLLISIONS, STEPS = 40, 6
"""How long scenes of the library and of the cases are played."""
LONGEST_SCENE = 60
"""Seconds after which a scene is stopped."""
LARGE = 150
"""Scenes of more bodies are left out: they would take minutes, for the same branches."""

SLOW = {"direct", "tree"}
"""Golden scenes of which fewer bodies do."""

HEAD = """\
# Branch coverage of the kernels

<!-- Written by tools/kernel_coverage.py --write. Do not edit. -->

Which branches of the kernels small scenes reach. Numba's machine code cannot be traced, so kernels are played as plain
Python, which gives the same bits ([how](adr/0007-kernels.md)). A branch is a jump from one line to another that
depends on a condition; only those inside kernels and the functions that they call are counted. The tests of `make test`
run the same code compiled, on many more and larger scenes.

"""


class Tally(NamedTuple):
    """The branches of one module's kernels."""

    module: str
    branches: int
    reached: int
    missing: list[int]


# ---------------------------------------------------------------- playing


def scenes() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is played, and the name of each."""
    interpreted = import_module("golden.interpreted")
    for name in interpreted.STARTS:
        if name not in SLOW:
            yield f"golden: {name}", partial(interpreted.digest_of, name)
    yield from more_scenes()
    carom = import_module("carom")
    for file in sorted((ROOT / "tests/cases").glob("*.toml")):
        yield f"case: {file.stem}", partial(play, carom.load(file))
    for name in carom.library.names():
        yield f"library: {name}", partial(play_from_library, name)


def more_scenes() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything at once, each integrator, and what is done with a run besides going on."""
    everything, golden = import_module("reference.everything"), import_module("golden.states")
    lattice_scene = import_module("reference.scenes").lattice_scene
    for seed in range(4):
        for dimension in (2, 3):
            kinds = {"periodic": bool(seed % 2), "fastest": 10.0 ** (seed - 1), "heaviest": 10.0}
            scene = everything.scene_of(seed, dimension, **kinds)
            steps = 60 if dimension == 2 else 10  # each takes seconds in space
            yield f"everything in {dimension}D: {seed}", partial(play, scene, steps=steps, solver="stepped")
    for opening in (0.0, 0.5):
        stars = import_module("golden.stepped").stars(opening)
        scene = stars.replace(balls=stars.balls[:50])
        yield f"stars: {opening}", partial(play, scene, steps=1, solver="stepped", step=1 / 64)
    for integrator in ("stormer", "euler", "explicit-euler", "rk4", "pefrl"):
        scene = import_module("golden.stepped").springs()
        options: dict[str, Any] = {"solver": "stepped", "step": 1 / 128, "integrator": integrator}
        yield f"integrator: {integrator}", partial(play, scene, steps=20, **options)
    for gravity in ((0.0, -1.0, 0.0), None):
        for neighbours in ("cells", "lists"):
            scene = lattice_scene(3, 3, (False, False, True), gravity=gravity)
            options = {"solver": "exact", "neighbours": neighbours}
            yield f"spheres: {gravity}, {neighbours}", partial(play, scene, **options)
    yield "table by lists", partial(play, golden.table(), 200, solver="exact", neighbours="lists")
    yield "replay", partial(replay, golden.table())
    for neighbours in ("cells", "lists"):
        yield f"as a large scene: {neighbours}", partial(play_as_large, lattice_scene(6, 2, (True, True)), neighbours)
    yield "in two threads", partial(play_in_threads, lattice_scene(5, 2, (False, False)))


def play(scene: Any, collisions: int = COLLISIONS, steps: int = STEPS, **options: Any) -> None:
    """Play a scene for some collisions or steps, look at it, and copy it."""
    carom = import_module("carom")
    if len(scene.balls) > LARGE:
        return
    run = carom.Simulation(scene, **options)
    if run.solver == "exact":
        run.run(collisions=collisions, until=30.0)  # some have no more collisions, but other events
    else:
        run.run(until=run.time + steps * run.method.step)
    run.copy().snapshot()
    for name in ("positions", "velocities", "energy", "resting", "turns", "forces"):
        getattr(run, name)
    if run.solver == "exact":
        run.upcoming  # noqa: B018  # which is computed when it is looked at


def play_as_large(scene: Any, neighbours: str) -> None:
    """Play a scene with the order in memory, and the requests ahead of time, of one with millions of balls."""
    engine: Any = import_module("carom.solvers.exact.engine")
    before = engine.LARGE, engine.ORDERED, engine.REORDER
    engine.LARGE, engine.ORDERED, engine.REORDER = 10, 10, 1
    try:
        play(scene, 300, solver="exact", neighbours=neighbours)
    finally:
        engine.LARGE, engine.ORDERED, engine.REORDER = before


def play_in_threads(scene: Any) -> None:
    """Play a scene in which two threads look for partners, as they do for many bodies."""
    build: Any = import_module("carom.solvers.stepped.build")
    before, build.THREADED = build.THREADED, 1
    try:
        play(scene, steps=20, solver="stepped", step=1 / 64)
    finally:
        build.THREADED = before


def play_from_library(name: str) -> None:
    """Play a scene of the library."""
    play(import_module("carom").library.load(name))


def replay(scene: Any) -> None:
    """Play a run again from its history, and change a ball in it."""
    run = import_module("carom").Simulation(scene, solver="exact")
    history = run.remember()
    run.run(collisions=60)
    history.at(run.time / 2)
    run.change(0, velocity=(0.5, 0.25))
    run.run(collisions=20)
    run.forget(history)


def record(report: Path, part: int, parts: int, minutes: float) -> None:
    """Play the scenes of one process out of some, and write what coverage.py has seen."""
    tracer = import_module("coverage").Coverage(
        data_file=None, branch=True, include=[f"{SOURCE / room}/*" for room in ROOMS]
    )
    tracer.start()
    sys.path.insert(0, str(ROOT / "tests"))
    start = time.monotonic()
    for k, (name, play_scene) in enumerate(scenes()):
        if k % parts != part:
            continue
        began = time.monotonic()
        if began - start > 60.0 * minutes:
            print(f"  left out  {name}", file=sys.stderr, flush=True)
            continue
        try:
            with limited(LONGEST_SCENE):
                play_scene()
            end = ""
        except Exception as error:  # a case that is refused has reached its branches, too
            end = f" ({type(error).__name__}: {str(error)[:80]})"
        print(f"{time.monotonic() - began:8.1f} s  {name}{end}", file=sys.stderr, flush=True)
    tracer.stop()
    tracer.json_report(outfile=str(report))


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """End what takes longer with a TimeoutError; what it has reached until then counts."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"stopped after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# ---------------------------------------------------------------- telling


def kernel_lines(file: Path) -> set[int]:
    """The lines of a module that are inside functions which Numba compiles."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            names = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
            if names & DECORATORS:
                found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


Branch = tuple[int, int]


def branches(reports: list[dict[str, Any]]) -> dict[Path, tuple[set[Branch], set[Branch]]]:
    """All branches of each file, and those that any of the processes has reached."""
    result: dict[Path, tuple[set[Branch], set[Branch]]] = {}
    for report in reports:
        for name, told in report["files"].items():
            everything, reached = result.setdefault(Path(name).resolve(), (set(), set()))
            done = {(start, end) for start, end in told["executed_branches"]}
            reached |= done
            everything |= done | {(start, end) for start, end in told["missing_branches"]}
    return result


def tallies(reports: list[dict[str, Any]]) -> list[Tally]:
    """The branches of each module that has kernels."""
    known = branches(reports)
    result = []
    for file in sorted(file for room in ROOMS for file in (SOURCE / room).rglob("*.py")):
        if lines := kernel_lines(file):
            everything, reached = known.get(file, (set(), set()))
            inside = {branch for branch in everything if branch[0] in lines}
            missing = sorted({start for start, _ in inside - reached})
            result.append(Tally(str(file.relative_to(SOURCE)), len(inside), len(inside & reached), missing))
    return result


def table(found: list[Tally]) -> str:
    """The tallies as a table in Markdown."""
    rows = ["| module | branches | reached | % | lines with a branch that is not reached |", "|---|---|---|---|---|"]
    for each in [*found, Tally("all", sum(t.branches for t in found), sum(t.reached for t in found), [])]:
        part = f"{100 * each.reached / each.branches:.0f}" if each.branches else "–"
        lines = ", ".join(map(str, each.missing))
        rows.append(f"| `{each.module}` | {each.branches} | {each.reached} | {part} | {lines} |")
    return "\n".join(rows)


def versions() -> str:
    """When and with what it was measured."""
    named = ", ".join(f"{name} {metadata.version(name)}" for name in ("numba", "numpy", "coverage"))
    date = datetime.now(UTC).date()
    return f"Measured on {date} with Python {platform.python_version()}, {named}.\n\n"


def main() -> int:
    """Play the scenes in processes of their own, and tell what they reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/kernel-coverage.md")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many play side by side")
    parser.add_argument("--minutes", type=float, default=60.0, help="when the last scene may begin")
    parser.add_argument("--play", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        record(Path(options.play[0]), int(options.play[1]), options.processes, options.minutes)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{k}.json" for k in range(options.processes)]
        common = ["--processes", str(options.processes), "--minutes", str(options.minutes)]
        players = [
            subprocess.Popen(
                [sys.executable, __file__, *common, "--play", str(file), str(k)],
                env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            )
            for k, file in enumerate(files)
        ]
        codes = [player.wait() for player in players]
        if any(codes):
            return 1
        made = table(tallies([json.loads(file.read_text(encoding="utf-8")) for file in files]))
    print(made)
    if options.write:
        PAGE.write_text(HEAD + versions() + made + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
