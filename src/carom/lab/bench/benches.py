"""Benches by id: made by pages, found by sockets, freed when their tab has gone."""

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

LIMIT = 64
"""Benches at the same time: each has a thread and the past of a run in memory. A class at once, and its teachers."""
NEVER_CAME = 60.0
"""Seconds that a bench waits for the first visit of its page, which may be on a slow machine."""
GONE = 10.0
"""Seconds that a bench is kept after its page has gone: a reload or a short break of the line finds it again."""
SPARE = 2.0
"""Seconds after which a bench without a page may make room for another."""
SWEEP_EVERY = 1.0


class BenchError(InputError):
    """No bench could be made."""


class Bench:
    """One tab's own runner. `socket` is the address of its socket."""

    def __init__(self, runner: BenchRunner, now: float) -> None:
        self.id = secrets.token_urlsafe(16)
        self.runner = runner
        self.wants: dict[object, tuple[bool, bool]] = {}
        """What each visitor wants to see: velocities, forces."""
        self.visited = False
        self.alone_since = now
        self.described: tuple[int, dict[str, Any]] | None = None

    @property
    def socket(self) -> str:
        """The address of its socket, without the host."""
        return f"/bench/{self.id}/socket"

    def enter(self, visitor: object) -> None:
        """A socket is connected."""
        self.visited = True
        self.want(visitor, velocities=False, forces=False)

    def leave(self, visitor: object, now: float) -> None:
        """A socket has gone."""
        self.wants.pop(visitor, None)
        self.alone_since = now

    def want(self, visitor: object, *, velocities: bool, forces: bool) -> None:
        """What a visitor wants to see; the runner computes what any of them wants."""
        self.wants[visitor] = (velocities, forces)
        self.runner.want(any(v for v, _ in self.wants.values()), any(f for _, f in self.wants.values()))

    def alone(self, now: float) -> float:
        """Seconds without a visitor; 0 if there is one."""
        return 0.0 if self.wants else now - self.alone_since

    def forsaken(self, now: float) -> bool:
        """Has nobody come, or come back, for too long?"""
        return self.alone(now) > (GONE if self.visited else NEVER_CAME)

    def scene(self, view: View) -> dict[str, Any]:
        """The scene message of a view; made once for an epoch."""
        from carom.lab.seen.scene_message import scene_message  # noqa: PLC0415  # it loads the compiler, as runners do

        if self.described is None or self.described[0] != view.epoch:
            self.described = (view.epoch, scene_message(view))
        return self.described[1]

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        """New samples for the charts."""
        return self.runner.chart(since)


class Benches:
    """All benches of a server. Belongs to its event loop."""

    def __init__(
        self,
        make: Callable[[Scene, str], BenchRunner] | None = None,
        *,
        limit: int = LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.make = make or make_runner
        self.limit = limit
        self.clock = clock
        self.by_id: dict[str, Bench] = {}
        self.runs = 0
        """Runs that shared the memory for pasts when it was looked last."""

    def open(self, scene: Scene, entry: str = "") -> Bench:
        """A new bench, its runner started. BenchError if there are too many."""
        self.sweep()
        if len(self.by_id) >= self.limit:
            self.make_room()
        runner = self.make(scene, entry)
        runner.start()
        bench = Bench(runner, self.clock())
        self.by_id[bench.id] = bench
        return bench

    def count(self) -> int:
        """How many there are."""
        return len(self.by_id)

    def find(self, identity: str) -> Bench | None:
        """The bench of that id, if it is still there."""
        return self.by_id.get(identity)

    def close(self, identity: str) -> None:
        """End a bench; no harm if it has ended before. Its thread ends by itself, nobody waits for it."""
        bench = self.by_id.pop(identity, None)
        if bench is not None:
            stopping([bench], after=tidy)

    def make_room(self) -> None:
        """End the bench that was left the longest ago, if there is one."""
        now = self.clock()
        left = max(self.by_id.values(), key=lambda bench: bench.alone(now))
        if left.alone(now) < SPARE:
            raise BenchError.of("bench.too-many", limit=self.limit)
        self.close(left.id)

    def sweep(self) -> None:
        """End the benches whose tab has gone."""
        now = self.clock()
        for bench in [bench for bench in self.by_id.values() if bench.forsaken(now)]:
            self.close(bench.id)
        before, self.runs = self.runs, len(memory.RUNS)
        if self.runs > before:
            for bench in self.by_id.values():
                bench.runner.keep_within_share()

    async def sweeping(self) -> None:
        """Sweep for ever."""
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            self.sweep()

    def close_all(self, timeout: float) -> bool:
        """End all benches. False if a thread was still busy after `timeout` seconds, as while compiling."""
        end = self.clock() + timeout
        threads = stopping(self.by_id.values())
        self.by_id.clear()
        for thread in threads:
            thread.join(max(end - self.clock(), 0.0))
        return not any(thread.is_alive() for thread in threads)


def stopping(benches: Iterable[Bench], after: Callable[[], object] | None = None) -> list[threading.Thread]:
    """Threads that stop the runners: `stop` waits for the runner, and the event loop must not."""

    def stop(runner: BenchRunner) -> None:
        runner.stop()
        if after is not None:
            after()

    threads = [threading.Thread(target=stop, args=(bench.runner,), daemon=True) for bench in benches]
    for thread in threads:
        thread.start()
    return threads


def tidy() -> None:
    """Give memory back to the system: the past of a bench is large, and C's allocator would keep it for the next."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
        if trim is not None:
            trim(0)


def make_runner(scene: Scene, entry: str) -> BenchRunner:
    """The runner of a scene."""
    from carom.lab.bench.runner import BenchRunner  # noqa: PLC0415  # it loads the compiler: when the first bench is made
    from carom.lab.bench.session import Session  # noqa: PLC0415  # the same

    return BenchRunner(Session(scene, entry))
