"""Sweeps: runs per second, overhead per run, and the limits of a scheduler.

    python -m benchmarks.sweeps [PART OF A CASE'S NAME]

prints the tables of docs/scaling.md. Runs are short on purpose: three disks, some milliseconds each.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

from benchmarks.model import QUICK, Case, Effort, Row, Section, Skipped

RATE = "runs/s"
OVERHEAD = "overhead per run, ms"
CPU = "CPU of client and scheduler per run, ms"
SIZE = "runs per batch"
TASKS = "tasks/s"
PART = "of the ideal rate, %"
STARTED = "s to start"
MEMORY = "memory, MiB"

SCENE: dict[str, Any] = {
    "boundary": {"kind": "box", "size": [1.0, 1.0]},
    "balls": [
        {"position": [0.2, 0.2], "velocity": [0.3, 0.4], "radius": 0.05},
        {"position": [0.6, 0.5], "velocity": [-0.7, 0.2], "radius": 0.05},
        {"position": [0.8, 0.8], "velocity": [0.1, -0.5], "radius": 0.05},
    ],
}
SIMULATED_WORKERS = 1000
"""Workers that only sleep."""
NAP = 2.0
"""Time of a simulated run, s."""
NAPS = 8
"""Simulated runs per worker."""


def sections() -> tuple[Section, ...]:
    """The tables of sweeps."""
    workers = tuple(
        Case(f"sweep-{count}-workers", (f"{count}",), partial(swept, workers=count), heavy=True) for count in (1, 2)
    )
    batches = tuple(
        Case(f"sweep-batch-{batch:g}s", (f"{batch:g}",), partial(swept, workers=2, batch=batch), heavy=True)
        for batch in (0.0, 0.05, 0.5)
    )
    text = (
        "Runs of some milliseconds (three disks in a box for 20 s) on this machine; the overhead is what the workers' "
        "time has beyond the runs' own."
    )
    return (
        Section("sweeps", "Sweeps", text, ("workers",), (RATE, OVERHEAD, CPU), workers),
        Section(
            "sweep-batches", "Batches", "The same on two workers; 0 means single runs.",
            ("s per batch",), (RATE, SIZE, OVERHEAD, CPU), batches,
        ),
        Section(
            "sweep-scheduler", "One scheduler",
            f"Workers that only sleep, all in one process with the scheduler and the client. Alone: empty tasks, as "
            f"fast as they go. With {SIMULATED_WORKERS} workers: {NAPS} runs of {NAP:g} s for each, sent as a sweep "
            "sends them.",
            ("workers",), (TASKS, PART, STARTED, MEMORY),
            (
                Case("sweep-tasks", ("4, empty tasks",), empty_tasks, heavy=True),
                Case("sweep-thousand", (f"{SIMULATED_WORKERS}, a sweep",), thousand, heavy=True),
            ),
        ),
    )  # fmt: skip


@dataclass
class Watch:
    """Measures a sweep between its first and its last run."""

    begun: float = 0.0
    ended: float = 0.0
    first: int = 0
    last: int = 0
    cpu: float = 0.0
    spent: float = 0.0

    def __call__(self, progress: Any) -> None:
        """Note the progress: from the last report of compiling, before any run is sent, to the last row."""
        now, cpu = time.perf_counter(), time.process_time()
        if progress.phase == "compiling":
            self.begun, self.first, self.cpu = now, progress.ended, cpu
        if progress.phase in {"running", "writing"}:
            self.ended, self.last, self.spent = now, progress.ended, cpu - self.cpu


def swept(effort: Effort, *, workers: int, batch: float | None = None) -> Row:
    """Short runs on a number of workers."""
    with dask():
        import carom  # noqa: PLC0415  # when it is needed
        from carom.sweeps.running import flow  # noqa: PLC0415  # as above
        from carom.sweeps.running.work import Errand  # noqa: PLC0415  # as above

        count = (6000 if effort.slices > QUICK.slices else 2000) // (1 if batch is None or batch else 4)
        study = carom.Study(
            scene=SCENE,
            parameters={"balls[0].velocity[0]": {"linear": [0.1, 1.0], "count": count}},
            run={"until": 20.0},
            observables=[],
        )
        watch, send = Watch(), Errand.of
        sizes: list[int] = []

        def counted(name: str, specs: Any) -> Errand:
            sizes.append(len(specs))
            return send(name, specs)

        with (
            mock.patch.object(flow, "BATCH_SECONDS", flow.BATCH_SECONDS if batch is None else batch),
            mock.patch.object(flow, "TASKS_PER_SECOND", 1e9),
            mock.patch.object(Errand, "of", counted),
            tempfile.TemporaryDirectory() as folder,
        ):
            carom.sweep(study, out=folder, workers=workers, progress=watch)
            own = own_seconds(folder, watch)
    runs, seconds = watch.last - watch.first, watch.ended - watch.begun
    return {
        RATE: runs / seconds,
        SIZE: sorted(sizes)[len(sizes) // 2],
        OVERHEAD: 1000.0 * (seconds * workers / runs - own),
        CPU: 1000.0 * watch.spent / runs,
    }


def own_seconds(folder: str, watch: Watch) -> float:
    """Mean time of a run from the journal, s."""
    import json  # noqa: PLC0415  # as above
    from pathlib import Path  # noqa: PLC0415  # as above

    lines = Path(folder, "runs.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    taken = [json.loads(line)["seconds"] for line in lines][watch.first : watch.last]
    return float(sum(taken) / len(taken))


def empty_tasks(effort: Effort) -> Row:
    """Empty tasks per second through a scheduler."""
    count = 10_000 if effort.slices > QUICK.slices else 3_000
    began = time.perf_counter()
    with played(4) as client:
        started = time.perf_counter() - began
        began = time.perf_counter()
        client.gather(client.map(nothing, range(count)))
        return {
            TASKS: count / (time.perf_counter() - began), PART: "–", STARTED: started, MEMORY: memory(),
        }  # fmt: skip


def thousand(effort: Effort) -> Row:
    """A sweep of simulated runs on a thousand workers, by the same loop as real runs."""
    from carom.sweeps.running import flow  # noqa: PLC0415  # as above
    from carom.sweeps.running.cluster import Crew  # noqa: PLC0415  # as above

    runs = SIMULATED_WORKERS * (NAPS if effort.slices > QUICK.slices else NAPS // 2)
    began = time.perf_counter()
    with played(SIMULATED_WORKERS) as client:
        started = time.perf_counter() - began
        crew, ledger = Crew(client, "played", lambda: None), Counted(runs)
        given: list[Any] = []
        submit = crew.submit
        crew.submit = lambda *args, **more: given.append(1) or submit(*args, **more)  # type: ignore[method-assign, func-returns-value, return-value]  # to count
        began = time.perf_counter()
        with mock.patch.object(flow, "do_batch", nap):
            plan: Any = (named(k) for k in range(runs))
            flow.Flow(plan, ledger, crew, "played", (), tell=lambda _: None, pace=NAP).run()  # type: ignore[arg-type]  # as much of one as is asked for
        seconds = time.perf_counter() - began
        return {
            TASKS: len(given) / seconds,
            PART: 100.0 * runs * NAP / SIMULATED_WORKERS / seconds,
            STARTED: started,
            MEMORY: memory(),
        }


@dataclass
class Counted:
    """A ledger that only counts."""

    total: int
    ended: int = 0

    @property
    def counts(self) -> Any:
        """The counts of runs."""
        from carom.sweeps.results.ledger import Counts  # noqa: PLC0415  # as above

        return Counts(self.total, self.ended)

    def add(self, row: Any) -> bool:
        """Count a run."""
        self.ended += bool(row)
        return True


def named(k: int) -> Any:
    """A run without a study."""
    from carom.sweeps.study.plan import RunSpec  # noqa: PLC0415  # as above

    return RunSpec(k, f"{k:016x}", k, 0, k, {"balls[0].velocity[0]": float(k)})


async def nap(errand: Any, budget: float) -> tuple[list[dict[str, Any]], float]:
    """Act as a worker with a batch, but sleep instead of running; needs no thread."""
    import pickle  # noqa: PLC0415  # as above

    specs = pickle.loads(errand.runs)  # noqa: S301  # our own
    count = max(1, min(len(specs), int(budget / NAP)))
    await asyncio.sleep(count * NAP)
    return [{"id": spec.id} for spec in specs[:count]], count * NAP


def nothing(k: int) -> int:
    """An empty task."""
    return k


@contextlib.contextmanager
def played(workers: int) -> Iterator[Any]:
    """A client of a scheduler with many workers, all in this process; their periodic work is reduced."""
    with dask():
        import dask as settings  # noqa: PLC0415  # as above
        from distributed import Client, LocalCluster  # noqa: PLC0415  # as above

        rare = {
            "distributed.worker.profile.enabled": False,
            "distributed.admin.system-monitor.interval": "60s",
            "distributed.admin.system-monitor.gil.enabled": False,
            "distributed.admin.tick.interval": "10s",
            "distributed.worker.memory.monitor-interval": "60s",
        }
        with (
            tempfile.TemporaryDirectory() as scratch,
            settings.config.set(rare),
            LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0",
                memory_limit=0, silence_logs=50, local_directory=scratch, scheduler_kwargs={"local_directory": scratch},
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):  # fmt: skip
            yield client


@contextlib.contextmanager
def dask() -> Iterator[None]:
    """Skipped if Dask is not installed."""
    try:
        import distributed  # noqa: F401, PLC0415  # an extra
    except ImportError:
        raise Skipped("Dask is not installed") from None
    yield


def memory() -> float:
    """Peak memory of this process, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def main() -> None:
    """Measure, and print the tables."""
    from benchmarks import report  # noqa: PLC0415  # only here
    from benchmarks.model import FULL  # noqa: PLC0415  # as above

    only = sys.argv[1] if len(sys.argv) > 1 else ""
    for each in sections():
        results = {case.name: case.measure(FULL) for case in each.cases if only in case.name}
        if results:
            print(f"\n{each.title}\n", *report.table(each, results), sep="\n", flush=True)


if __name__ == "__main__":
    main()
