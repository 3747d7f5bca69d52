"""The cost of recording: a gas, with one frame per N/2 collisions, the mean time between collisions of a ball.

    python -m benchmarks.recording [BALLS]

Prints the times of the run alone and recorded: wall-clock time (closing included), CPU time of the running thread and
of all threads; and the size of the file. Then the time to read a random instant of a recording of 1,000 balls. The
writer works in a second thread; it alternates with the run wherever both execute Python, and closing waits for it, so
that wall-clock time exceeds that of the running thread even on a free core.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np

import carom

FRAMES = 100
REPEATS = 3


def measured(sim: carom.Simulation, interval: float, record: dict[str, Any] | None) -> dict[str, float]:
    """Wall-clock time, CPU time of the running thread and of all threads, s; and MB."""
    end = sim.time + FRAMES * interval
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gas.h5"
        recorder = None if record is None else sim.record(path, every=interval, **record)
        clock, thread, process = perf_counter(), thread_time(), process_time()
        sim.run(until=end)
        thread = thread_time() - thread
        if recorder is not None:
            recorder.close()
        size = path.stat().st_size if recorder is not None else 0
    return {"clock": perf_counter() - clock, "thread": thread, "all": process_time() - process, "MB": size / 1e6}


def main(balls: int) -> None:
    """Measure, and print a table."""
    begun = carom.Simulation(carom.library.load("gas", count=balls)).run(collisions=5 * balls)
    interval = begun.copy().run(collisions=balls // 2).time - begun.time
    cases: dict[str, dict[str, Any] | None] = {
        "alone": None,
        "frames": {"events": False},
        "frames and events": {"events": True},
    }
    best: dict[str, dict[str, float]] = {}
    for _ in range(REPEATS):
        for name, record in cases.items():
            found = measured(begun.copy(), interval, record)
            known = best.get(name, found)
            best[name] = {key: min(value, known[key]) for key, value in found.items()}
    print(f"{balls} balls, {FRAMES} frames, one per {balls // 2} collisions; the best of {REPEATS}")
    alone = best["alone"]
    for name, row in best.items():
        costs = ", ".join(
            f"{key} {row[key]:.3f} s ({row[key] / alone[key] - 1:+.0%})" for key in ("clock", "thread", "all")
        )
        print(f"{name:18} {costs}, {row['MB']:.1f} MB")


def instants(balls: int = 1000, collisions: int = 2_000_000, count: int = 2000) -> None:
    """Measure `Recording.at` at random times of a file, and print a line."""
    sim = carom.Simulation(carom.library.load("gas", count=balls)).run(collisions=5 * balls)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gas.h5"
        with sim.record(path):
            sim.run(collisions=collisions)
        with carom.Recording(path) as recording:
            times = np.random.default_rng(1).uniform(*recording.span, count).tolist()
            recording.at(times[0])  # it may have to be compiled
            thread = thread_time()
            for t in times:
                recording.at(t)
            each = (thread_time() - thread) / count
        size = path.stat().st_size / collisions
    print(f"{balls} balls, {collisions} collisions, {size:.0f} bytes each: an instant at random {1e3 * each:.2f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
    instants()
