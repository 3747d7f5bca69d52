"""Benches by id: opened by pages, found by sockets, closed when their tab has gone."""

from __future__ import annotations

import asyncio
import ctypes
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from carom.errors import InputError
from carom.lab.bench import memory
from carom.lab.seen.view import View
from carom.scene import Scene

if TYPE_CHECKING:
    from carom.lab.bench.runner import BenchRunner

MAX_BENCHES = 64
"""Benches at the same time, enough for a class: each has a thread and the past of a run in memory."""
FIRST_VISIT_TIMEOUT = 60.0
"""s in which the page of a bench must connect first; the machine may be slow."""
RECONNECT_TIMEOUT = 10.0
"""s that a bench stays after its page has gone, for a reload or a short loss of the connection."""
REPLACEABLE_AFTER = 2.0
"""s after which a bench without a page may be closed to make room for another."""
SWEEP_EVERY = 1.0


class BenchError(InputError):
    """No bench can be opened."""


class Bench:
    """The runner of one tab, and its visitors."""

    def __init__(self, runner: BenchRunner, now: float) -> None:
        self.id = secrets.token_urlsafe(16)
        self.runner = runner
        self.wants: dict[object, tuple[bool, bool]] = {}
        """Whether each visitor shows velocities and forces."""
        self.visited = False
        self.alone_since = now
        self.described: tuple[int, dict[str, Any]] | None = None

    @property
    def socket(self) -> str:
        """The address of its socket, without the host."""
        return f"/bench/{self.id}/socket"

    def enter(self, visitor: object) -> None:
        """Add a visitor: its socket is connected."""
        self.visited = True
        self.want(visitor, velocities=False, forces=False)

    def leave(self, visitor: object, now: float) -> None:
        """Remove a visitor: its socket has gone."""
        self.wants.pop(visitor, None)
        self.alone_since = now

    def want(self, visitor: object, *, velocities: bool, forces: bool) -> None:
        """Set what a visitor shows; the runner computes what any of them needs."""
        self.wants[visitor] = (velocities, forces)
        self.runner.want(any(v for v, _ in self.wants.values()), any(f for _, f in self.wants.values()))

    def alone(self, now: float) -> float:
        """Time without a visitor, s; 0 if there is one."""
        return 0.0 if self.wants else now - self.alone_since

    def is_abandoned(self, now: float) -> bool:
        """Has it been without a visitor for too long?"""
        return self.alone(now) > (RECONNECT_TIMEOUT if self.visited else FIRST_VISIT_TIMEOUT)

    def scene(self, view: View) -> dict[str, Any]:
        """The scene message of a view, cached per epoch."""
        from carom.lab.seen.scene_message import scene_message  # noqa: PLC0415  # it loads the compiler, as runners do

        if self.described is None or self.described[0] != view.epoch:
            self.described = (view.epoch, scene_message(view))
        return self.described[1]

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples for the charts."""
        return self.runner.chart(since)


class Benches:
    """All benches of a server. Used only in its event loop."""

    def __init__(
        self,
        make: Callable[[Scene, str], BenchRunner] | None = None,
        *,
        limit: int = MAX_BENCHES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.make = make or make_runner
        self.limit = limit
        self.clock = clock
        self.by_id: dict[str, Bench] = {}
        self.runs = 0
        """Runs that shared the memory for pasts at the last check."""

    def open(self, scene: Scene, entry: str = "") -> Bench:
        """Open a bench and start its runner. BenchError if there are too many."""
        self.sweep()
        if len(self.by_id) >= self.limit:
            self.make_room()
        runner = self.make(scene, entry)
        runner.start()
        bench = Bench(runner, self.clock())
        self.by_id[bench.id] = bench
        return bench

    def count(self) -> int:
        """The number of benches."""
        return len(self.by_id)

    def find(self, identity: str) -> Bench | None:
        """The bench with an id, or None."""
        return self.by_id.get(identity)

    def close(self, identity: str) -> None:
        """Close a bench, if it is open. Its thread ends by itself later."""
        bench = self.by_id.pop(identity, None)
        if bench is not None:
            start_stopping([bench], after=trim_memory)

    def make_room(self) -> None:
        """Close the bench that has been without a visitor for longest, if any."""
        now = self.clock()
        left = max(self.by_id.values(), key=lambda bench: bench.alone(now))
        if left.alone(now) < REPLACEABLE_AFTER:
            raise BenchError.of("bench.too-many", limit=self.limit)
        self.close(left.id)

    def sweep(self) -> None:
        """Close the benches whose tab has gone."""
        now = self.clock()
        for bench in [bench for bench in self.by_id.values() if bench.is_abandoned(now)]:
            self.close(bench.id)
        before, self.runs = self.runs, len(memory.RUNS)
        if self.runs > before:
            for bench in self.by_id.values():
                bench.runner.keep_within_share()

    async def sweeping(self) -> None:
        """Sweep repeatedly, for ever."""
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            self.sweep()

    def close_all(self, timeout: float) -> bool:
        """Close all benches. False if a thread is still busy after `timeout` s, such as compiling."""
        end = self.clock() + timeout
        threads = start_stopping(self.by_id.values())
        self.by_id.clear()
        for thread in threads:
            thread.join(max(end - self.clock(), 0.0))
        return not any(thread.is_alive() for thread in threads)


def start_stopping(benches: Iterable[Bench], after: Callable[[], object] | None = None) -> list[threading.Thread]:
    """Start threads that stop the runners, because the event loop must not wait for them."""

    def stop(runner: BenchRunner) -> None:
        runner.stop()
        if after is not None:
            after()

    threads = [threading.Thread(target=stop, args=(bench.runner,), daemon=True) for bench in benches]
    for thread in threads:
        thread.start()
    return threads


def trim_memory() -> None:
    """Return freed memory to the system; C's allocator would hold that of a large past."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
        if trim is not None:
            trim(0)


def make_runner(scene: Scene, entry: str) -> BenchRunner:
    """Make the runner of a scene."""
    from carom.lab.bench.runner import BenchRunner  # noqa: PLC0415  # it loads the compiler: when the first bench is made
    from carom.lab.bench.session import Session  # noqa: PLC0415  # the same

    return BenchRunner(Session(scene, entry))
