"""Runs on their way to workers and back: in batches, a few a worker, until each has its row."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any

from carom.errors import ClusterError
from carom.sweeps.running.cluster import GO_ON
from carom.sweeps.running.probe import PULSE, unable
from carom.sweeps.running.work import Errand, do_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Future

    from carom.sweeps.results.ledger import Ledger
    from carom.sweeps.running.cluster import Crew, Ended
    from carom.sweeps.study.plan import RunSpec

BATCH = 0.5
"""A batch takes about so many seconds: short runs go together, a long one alone."""
TASKS_PER_SECOND = 100.0
"""With many workers batches are longer, so that the scheduler has no more tasks than this a second."""
MOST_IN_A_BATCH = 1000
LEAST = 4
"""Towards the end batches shrink, but not below this part of a full one."""
CUT = 4.0
"""A batch that takes so many times as long as it should comes back with what it has."""
WINDOW = 2
"""So many batches are with each thread of a worker: one that runs, and one that waits."""
ENOUGH = 2
"""A run whose worker died so often, with nothing else on it, has failed."""
FORSAKEN = 60.0
"""s without any of our own workers, after which none will come."""
LOSSES = 100
"""So many batches may be cancelled by others."""


@dataclass(eq=False)
class Batch:
    """Some runs, given to a worker together."""

    specs: tuple[RunSpec, ...]
    on: str = ""
    alone: bool = False
    """Is nothing else given to its worker?"""
    deaths: int = 0
    """Workers that died while it was alone on them."""
    given: float = field(default_factory=monotonic)


class Flow:
    """All runs that are left of a study, on their way."""

    def __init__(  # what it stands between
        self,
        plan: Iterator[RunSpec],
        ledger: Ledger,
        crew: Crew,
        name: str,
        columns: Sequence[str],
        *,
        tell: Callable[[Flow], None],
        pace: float | None = None,
        bound: float | None = None,
    ) -> None:
        """Begin.

        plan     runs that are still to be done, in order.
        name     what the study is called among the workers.
        columns  of a row's values.
        tell     is called about five times a second.
        pace     s that a run takes, if that is known.
        bound    s after which a run that hangs is ended with its worker, if there is a limit.
        """
        self.plan, self.ledger, self.crew, self.name, self.columns = plan, ledger, crew, name, columns
        self.tell, self.pace, self.bound = tell, pace, bound
        self.returned: deque[RunSpec] = deque()
        self.suspects: deque[Batch] = deque()
        self.flying: dict[Future[Any], Batch] = {}
        self.stuck: set[str] = set()
        self.known: dict[str, int] = {}
        self.slots = 1
        self.loads: dict[str, list[Batch]] = {}
        self.hungry: set[str] = set()
        """Workers that may have room."""
        self.losses = 0
        self.measured = False
        self.waiting_since = monotonic()
        self.to_give = ledger.counts.left

    def run(self) -> None:
        """Until all have ended; on Ctrl-C, or if the scheduler is lost, what has come back by then is kept."""
        try:
            while self._unfinished():
                self._give()
                self._take(PULSE)
                self._look()
                self.tell(self)
        except (KeyboardInterrupt, ClusterError):
            with contextlib.suppress(ClusterError):  # what went wrong first is told
                self._take(0.0)
            raise
        finally:
            self.crew.drop(list(self.flying))

    def _unfinished(self) -> bool:
        """Is there a run that has not ended?"""
        if self.flying or self.suspects or self.returned:
            return True
        self.returned.extend(islice(self.plan, 1))
        return bool(self.returned)

    # Giving.

    def _give(self) -> None:
        """Fill up those workers that have room: each gets its first batch before any gets its second."""
        self._greet()
        kept_free = self._kept_free()
        for depth in range(WINDOW):
            for address in sorted(self.loads) if kept_free else sorted(self.hungry):
                load, room = self.loads[address], self.known[address] * (depth + 1)
                if address in kept_free:
                    if not load and self.suspects:
                        self._send(self.suspects.popleft(), address, alone=True)
                elif not any(batch.alone for batch in load):
                    while len(load) < room and (specs := self._next()):
                        self._send(Batch(specs), address)
        self.hungry.clear()

    def _greet(self) -> None:
        """See who works, if that has been looked up anew; with a thousand workers it is not done for each batch."""
        found = self.crew.workers()
        if found is not self.known:
            self.known, self.slots = found, max(1, sum(found.values()))
            self.loads = {address: [] for address in found if address not in self.stuck}
            for batch in self.flying.values():
                self.loads.get(batch.on, []).append(batch)
            self.hungry = set(self.loads)

    def _kept_free(self) -> set[str]:
        """Workers that get nothing but suspects, one at a time: with those that have one, at most half of all."""
        if not self.suspects:
            return set()
        free = [address for address, load in self.loads.items() if not any(batch.alone for batch in load)]
        taken = len(self.loads) - len(free)
        count = min(len(self.suspects), max(0, max(1, len(self.loads) // 2) - taken))
        return set(sorted(free, key=lambda address: len(self.loads[address]))[:count])

    def _send(self, batch: Batch, address: str, *, alone: bool = False) -> None:
        batch.on, batch.alone, batch.given = address, alone, monotonic()
        errand = Errand.of(self.name, batch.specs)
        self.flying[self.crew.give(do_batch, errand, CUT * self._goal, on=address)] = batch
        self.loads[address].append(batch)

    def _unload(self, batch: Batch) -> None:
        load = self.loads.get(batch.on, [])
        if batch in load:
            load.remove(batch)
            self.hungry.add(batch.on)

    def _next(self) -> tuple[RunSpec, ...]:
        """The next batch; empty if all are on their way."""
        specs: list[RunSpec] = []
        size = self._size()
        while len(specs) < size and self.returned:
            specs.append(self.returned.popleft())
        while len(specs) < size and (spec := next(self.plan, None)) is not None:
            specs.append(spec)
        self.to_give -= len(specs)
        return tuple(specs)

    @property
    def _goal(self) -> float:
        """About how long a batch should take, s."""
        return max(BATCH, self.slots / TASKS_PER_SECOND)

    def _size(self) -> int:
        """How many runs go together: fewer towards the end, so that all workers end together."""
        if self.pace is None:
            return 1
        full = min(int(self._goal / max(self.pace, 1e-9)), MOST_IN_A_BATCH)
        fair = ceil(self.to_give / (2 * self.slots))
        return max(1, min(full, max(fair, full // LEAST)))

    # Taking.

    def _take(self, seconds: float) -> None:
        for ended in sorted(self.crew.ended(seconds), key=lambda ended: ended.result is None):  # rows before errors
            batch = self.flying.pop(ended.future, None)
            ended.future.release()
            if batch is None:
                continue
            self._unload(batch)
            if ended.error is not None:
                raise unable(self.crew.where, ended.error)
            if ended.deaths:
                self._died(batch, ended.deaths)
            elif ended.lost:
                self._lost(batch)
            else:
                self._keep(batch, ended)

    def _keep(self, batch: Batch, ended: Ended) -> None:
        rows, seconds = ended.result
        for row in rows:
            self.ledger.add(row)
        self._again(batch.specs[len(rows) :])
        measured = seconds / len(rows)
        self.pace = measured if self.pace is None or not self.measured else self.pace + 0.3 * (measured - self.pace)
        self.measured = True

    def _again(self, specs: Sequence[RunSpec]) -> None:
        self.returned.extendleft(reversed(specs))
        self.to_give += len(specs)

    def _died(self, batch: Batch, deaths: int) -> None:
        """A worker died with a batch on it: whose fault it was is seen when each is alone on a worker."""
        if not batch.alone:
            self.suspects.append(batch)
        elif len(batch.specs) > 1:
            self.suspects.extend(Batch((spec,)) for spec in batch.specs)
        elif self.bound is not None and monotonic() - batch.given >= self.bound:
            self._fail(batch, "timed out", f"it did not end within {self.bound:.6g} s and was ended with its worker")
        elif batch.deaths + deaths >= ENOUGH:
            died = batch.deaths + deaths
            self._fail(batch, "failed", f"its worker died {died} times while it ran, with nothing else on it")
        else:
            self.suspects.append(Batch(batch.specs, deaths=batch.deaths + deaths))

    def _fail(self, batch: Batch, status: str, reason: str) -> None:
        values = dict.fromkeys(self.columns)
        seconds = monotonic() - batch.given
        for spec in batch.specs:
            row = {"id": spec.id, "status": status, "reason": reason, "values": values, "seconds": seconds}
            self.ledger.add({**row, "worker": batch.on})

    def _lost(self, batch: Batch) -> None:
        self.losses += 1
        if self.losses > LOSSES:
            raise ClusterError(self.crew.where, "someone cancels the runs again and again", GO_ON)
        if batch.alone:
            self.suspects.append(batch)
        else:
            self._again(batch.specs)

    # Looking.

    def _look(self) -> None:
        """Is anyone there, and does everything come back?"""
        now = monotonic()
        if self.crew.workers():
            self.waiting_since = now
        elif self.crew.own and now - self.waiting_since > FORSAKEN:
            raise ClusterError(self.crew.where, "all of them died and none could be started", GO_ON)
        if self.bound is not None and not self.crew.own and self.crew.workers():
            oldest: dict[str, Batch] = {}
            for batch in self.flying.values():  # in the order in which they were given
                oldest.setdefault(batch.on, batch)
            for batch in oldest.values():
                if now - batch.given > 60.0 + WINDOW * len(batch.specs) * self.bound:
                    self._give_up(batch)
        if self.known and not self.loads and not self.flying and self._unfinished():
            raise ClusterError(self.crew.where, "all of its workers hang", f"Start them anew. {GO_ON}")

    def _give_up(self, batch: Batch) -> None:
        """A batch that is overdue: its worker hangs, and others get what waits there."""
        there = {future: each for future, each in self.flying.items() if each.on == batch.on}
        self.crew.drop(list(there))
        for future, each in there.items():
            del self.flying[future]
            if each is not batch:
                self._again(each.specs)
        self.stuck.add(batch.on)
        self.loads.pop(batch.on, None)
        self.hungry = set(self.loads)  # there is more to do again
        if len(batch.specs) == 1:
            self._fail(batch, "timed out", "it did not come back, long after the limit; its worker hangs")
        else:
            self.suspects.extend(Batch((spec,)) for spec in batch.specs)
