"""Sends runs to workers in batches, and collects their rows until all have ended."""

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
from carom.sweeps.running.cluster import RESUME_HINT
from carom.sweeps.running.probe import PROGRESS_INTERVAL, worker_error
from carom.sweeps.running.work import Errand, do_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Future

    from carom.sweeps.results.ledger import Ledger
    from carom.sweeps.running.cluster import Crew, Outcome
    from carom.sweeps.study.plan import RunSpec

BATCH_SECONDS = 0.5
"""The intended time of a batch, s: short runs are grouped, a long one is alone."""
TASKS_PER_SECOND = 100.0
"""With many workers, batches are longer, to limit the tasks per second of the scheduler."""
MAX_BATCH = 1000
"""Runs in a batch."""
MIN_BATCH_DIVISOR = 4
"""Towards the end batches shrink, down to a full batch divided by this."""
BATCH_CUTOFF = 4.0
"""A batch that takes this many times its intended time returns what it has."""
BATCHES_PER_THREAD = 2
"""Batches sent to each thread of a worker: one runs, one waits."""
MAX_DEATHS = 2
"""A run has failed if its worker died this often while it ran alone."""
NO_WORKER_TIMEOUT = 60.0
"""s without any local worker, after which the sweep gives up."""
MAX_CANCELLED = 100
"""Batches that others may cancel before the sweep gives up."""


@dataclass(eq=False)
class Batch:
    """Runs that are sent to a worker together."""

    specs: tuple[RunSpec, ...]
    on: str = ""
    alone: bool = False
    """Has the worker no other batch?"""
    deaths: int = 0
    """Workers that died while they ran only this batch."""
    sent_at: float = field(default_factory=monotonic)


class Flow:
    """Distributes the remaining runs of a study, and collects their rows."""

    def __init__(
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
        """Prepare; `run` starts.

        plan     the remaining runs, in order
        name     the name under which workers find the job
        columns  names of the values of a row
        tell     called about five times per second
        pace     time of a run, s, if known
        bound    time after which a hanging run is killed with its worker, s, if there is a limit
        """
        self.plan, self.ledger, self.crew, self.name, self.columns = plan, ledger, crew, name, columns
        self.tell, self.pace, self.bound = tell, pace, bound
        self.returned: deque[RunSpec] = deque()
        self.suspects: deque[Batch] = deque()
        self.sent: dict[Future[Any], Batch] = {}
        self.stuck: set[str] = set()
        self.known: dict[str, int] = {}
        self.slots = 1
        self.loads: dict[str, list[Batch]] = {}
        self.with_room: set[str] = set()
        """Workers that may have room for a batch."""
        self.cancelled = 0
        self.measured = False
        self.waiting_since = monotonic()
        self.unsent = ledger.counts.left

    def run(self) -> None:
        """Run until all have ended; after Ctrl-C or the loss of the scheduler, rows that have arrived are stored."""
        try:
            while self._unfinished():
                self._send_batches()
                self._collect(PROGRESS_INTERVAL)
                self._check_workers()
                self.tell(self)
        except (KeyboardInterrupt, ClusterError):
            with contextlib.suppress(ClusterError):  # the first error is the one to raise
                self._collect(0.0)
            raise
        finally:
            self.crew.cancel(list(self.sent))

    def _unfinished(self) -> bool:
        """Is there a run that has not ended?"""
        if self.sent or self.suspects or self.returned:
            return True
        self.returned.extend(islice(self.plan, 1))
        return bool(self.returned)

    # Sending.

    def _send_batches(self) -> None:
        """Send batches to workers with room: each gets its first batch before any gets its second."""
        self._update_workers()
        reserved = self._reserved_workers()
        for depth in range(BATCHES_PER_THREAD):
            for address in sorted(self.loads) if reserved else sorted(self.with_room):
                load, room = self.loads[address], self.known[address] * (depth + 1)
                if address in reserved:
                    if not load and self.suspects:
                        self._send(self.suspects.popleft(), address, alone=True)
                elif not any(batch.alone for batch in load):
                    while len(load) < room and (specs := self._next_batch()):
                        self._send(Batch(specs), address)
        self.with_room.clear()

    def _update_workers(self) -> None:
        """Update the loads if the list of workers is new; not per batch, as there may be a thousand workers."""
        found = self.crew.workers()
        if found is not self.known:
            self.known, self.slots = found, max(1, sum(found.values()))
            self.loads = {address: [] for address in found if address not in self.stuck}
            for batch in self.sent.values():
                self.loads.get(batch.on, []).append(batch)
            self.with_room = set(self.loads)

    def _reserved_workers(self) -> set[str]:
        """Workers reserved for suspects, one at a time: at most half of all, with those that have one."""
        if not self.suspects:
            return set()
        free = [address for address, load in self.loads.items() if not any(batch.alone for batch in load)]
        taken = len(self.loads) - len(free)
        count = min(len(self.suspects), max(0, max(1, len(self.loads) // 2) - taken))
        return set(sorted(free, key=lambda address: len(self.loads[address]))[:count])

    def _send(self, batch: Batch, address: str, *, alone: bool = False) -> None:
        batch.on, batch.alone, batch.sent_at = address, alone, monotonic()
        errand = Errand.of(self.name, batch.specs)
        self.sent[self.crew.submit(do_batch, errand, BATCH_CUTOFF * self._batch_seconds, on=address)] = batch
        self.loads[address].append(batch)

    def _remove_load(self, batch: Batch) -> None:
        load = self.loads.get(batch.on, [])
        if batch in load:
            load.remove(batch)
            self.with_room.add(batch.on)

    def _next_batch(self) -> tuple[RunSpec, ...]:
        """The runs of the next batch; empty if all are sent."""
        specs: list[RunSpec] = []
        size = self._batch_size()
        while len(specs) < size and self.returned:
            specs.append(self.returned.popleft())
        while len(specs) < size and (spec := next(self.plan, None)) is not None:
            specs.append(spec)
        self.unsent -= len(specs)
        return tuple(specs)

    @property
    def _batch_seconds(self) -> float:
        """The intended time of a batch, s."""
        return max(BATCH_SECONDS, self.slots / TASKS_PER_SECOND)

    def _batch_size(self) -> int:
        """The number of runs in a batch: fewer towards the end, so that all workers end together."""
        if self.pace is None:
            return 1
        full = min(int(self._batch_seconds / max(self.pace, 1e-9)), MAX_BATCH)
        fair = ceil(self.unsent / (2 * self.slots))
        return max(1, min(full, max(fair, full // MIN_BATCH_DIVISOR)))

    # Collecting.

    def _collect(self, seconds: float) -> None:
        for outcome in sorted(
            self.crew.outcomes(seconds), key=lambda outcome: outcome.result is None
        ):  # rows before errors
            batch = self.sent.pop(outcome.future, None)
            outcome.future.release()
            if batch is None:
                continue
            self._remove_load(batch)
            if outcome.error is not None:
                raise worker_error(self.crew.where, outcome.error)
            if outcome.deaths:
                self._handle_death(batch, outcome.deaths)
            elif outcome.lost:
                self._handle_cancelled(batch)
            else:
                self._store(batch, outcome)

    def _store(self, batch: Batch, outcome: Outcome) -> None:
        rows, seconds = outcome.result
        for row in rows:
            self.ledger.add(row)
        self._requeue(batch.specs[len(rows) :])
        measured = seconds / len(rows)
        self.pace = measured if self.pace is None or not self.measured else self.pace + 0.3 * (measured - self.pace)
        self.measured = True

    def _requeue(self, specs: Sequence[RunSpec]) -> None:
        self.returned.extendleft(reversed(specs))
        self.unsent += len(specs)

    def _handle_death(self, batch: Batch, deaths: int) -> None:
        """Handle the death of a worker: its runs become suspects, which run alone to find the cause."""
        if not batch.alone:
            self.suspects.append(batch)
        elif len(batch.specs) > 1:
            self.suspects.extend(Batch((spec,)) for spec in batch.specs)
        elif self.bound is not None and monotonic() - batch.sent_at >= self.bound:
            self._fail(batch, "timed out", f"it did not end within {self.bound:.6g} s and was ended with its worker")
        elif batch.deaths + deaths >= MAX_DEATHS:
            died = batch.deaths + deaths
            self._fail(batch, "failed", f"its worker died {died} times while it ran, with nothing else on it")
        else:
            self.suspects.append(Batch(batch.specs, deaths=batch.deaths + deaths))

    def _fail(self, batch: Batch, status: str, reason: str) -> None:
        values = dict.fromkeys(self.columns)
        seconds = monotonic() - batch.sent_at
        for spec in batch.specs:
            row = {"id": spec.id, "status": status, "reason": reason, "values": values, "seconds": seconds}
            self.ledger.add({**row, "worker": batch.on})

    def _handle_cancelled(self, batch: Batch) -> None:
        self.cancelled += 1
        if self.cancelled > MAX_CANCELLED:
            raise ClusterError(self.crew.where, "the runs are cancelled again and again", RESUME_HINT)
        if batch.alone:
            self.suspects.append(batch)
        else:
            self._requeue(batch.specs)

    # Checking.

    def _check_workers(self) -> None:
        """Check that there are workers, and that no batch is overdue."""
        now = monotonic()
        if self.crew.workers():
            self.waiting_since = now
        elif self.crew.own and now - self.waiting_since > NO_WORKER_TIMEOUT:
            raise ClusterError(self.crew.where, "all of them died and none could be started", RESUME_HINT)
        if self.bound is not None and not self.crew.own and self.crew.workers():
            oldest: dict[str, Batch] = {}
            for batch in self.sent.values():  # in the order in which they were sent
                oldest.setdefault(batch.on, batch)
            for batch in oldest.values():
                if now - batch.sent_at > 60.0 + BATCHES_PER_THREAD * len(batch.specs) * self.bound:
                    self._give_up(batch)
        if self.known and not self.loads and not self.sent and self._unfinished():
            raise ClusterError(self.crew.where, "all of its workers hang", f"Restart them. {RESUME_HINT}")

    def _give_up(self, batch: Batch) -> None:
        """Give up an overdue batch: its worker hangs, and other workers get what waits there."""
        there = {future: each for future, each in self.sent.items() if each.on == batch.on}
        self.crew.cancel(list(there))
        for future, each in there.items():
            del self.sent[future]
            if each is not batch:
                self._requeue(each.specs)
        self.stuck.add(batch.on)
        self.loads.pop(batch.on, None)
        self.with_room = set(self.loads)  # there are runs to send again
        if len(batch.specs) == 1:
            self._fail(batch, "timed out", "it did not come back, long after the limit; its worker hangs")
        else:
            self.suspects.extend(Batch((spec,)) for spec in batch.specs)
