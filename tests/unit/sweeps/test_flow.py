"""Runs on their way: batches, cuts, deaths and losses, with workers that are only played."""

import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from carom.errors import ClusterError
from carom.sweeps.results.ledger import Counts
from carom.sweeps.running import flow as flows
from carom.sweeps.running.cluster import Outcome
from carom.sweeps.running.flow import Flow
from carom.sweeps.running.work import _specs
from carom.sweeps.study.plan import RunSpec


class Ticket:
    def release(self) -> None:
        """Nobody wants it any more."""


@dataclass
class Notes:
    """As much of a ledger as a flow needs."""

    total: int
    rows: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> Counts:
        return Counts(self.total, len(self.rows))

    def add(self, row: dict[str, Any]) -> bool:
        assert row["id"] not in self.rows, "twice"
        self.rows[row["id"]] = row["status"] if row["status"] == "done" else row["reason"]
        return True


class Players:
    """Workers that play: each does its first task, in an order of chance; some runs kill, or are slow."""

    own = True
    where = "the stage"

    def __init__(
        self, workers: dict[str, int], kills: Callable[[RunSpec], bool] = lambda _: False, cut: int = 10**9
    ) -> None:
        self.threads, self.kills, self.cut = workers, kills, cut
        self.queues: dict[str, list[tuple[Ticket, tuple[RunSpec, ...]]]] = {address: [] for address in workers}
        self.given: list[int] = []
        self.most = 0
        self.deaths = 0
        self.chance = random.Random(1)
        self.lose = 0

    def workers(self) -> dict[str, int]:
        return self.threads

    def submit(self, task: Any, errand: Any, budget: float, on: str) -> Any:
        specs = _specs(errand)
        ticket = Ticket()
        self.queues[on].append((ticket, specs))
        self.given.append(len(specs))
        self.most = max(self.most, len(self.queues[on]))
        return ticket

    def cancel(self, futures: Any) -> None:
        self.dropped = len(futures)

    def outcomes(self, seconds: float) -> list[Any]:
        busy = [address for address, queue in self.queues.items() if queue]
        if not busy:
            return []
        queue = self.queues[self.chance.choice(busy)]
        ticket, specs = queue[0]
        future: Any = ticket
        if self.lose:
            self.lose -= 1
            queue.pop(0)
            return [Outcome(future, lost=True)]
        if any(map(self.kills, specs)):
            self.deaths += 1
            found = [Outcome(each, deaths=1) for each, _ in queue]  # type: ignore[arg-type]  # played
            queue.clear()
            return found
        queue.pop(0)
        rows = [{"id": spec.id, "status": "done", "reason": ""} for spec in specs[: self.cut]]
        return [Outcome(future, (rows, 0.01 * len(rows)))]


def specs(count: int) -> Iterator[RunSpec]:
    for k in range(count):
        yield RunSpec(k, f"{k:016x}", k, 0, k, {"x": float(k)})


def flowing(count: int, players: Any, **more: Any) -> Notes:
    notes = Notes(count)
    ledger: Any = notes
    Flow(specs(count), ledger, players, "name", ["x"], tell=lambda _: None, **more).run()
    return notes


def test_every_run_has_its_row() -> None:
    players = Players({"a": 1, "b": 1, "c": 2})
    notes = flowing(3000, players, pace=0.01)
    assert list(notes.rows.values()) == ["done"] * 3000
    assert players.most <= flows.BATCHES_PER_THREAD * 2


def test_batches_are_as_long_as_they_should_be_and_shrink_at_the_end() -> None:
    players = Players({"a": 1, "b": 1})
    flowing(1000, players, pace=0.01)
    assert players.given[0] == flows.BATCH_SECONDS / 0.01
    assert players.given[-2] == players.given[0] // flows.MIN_BATCH_DIVISOR
    assert max(players.given) <= 50
    alone = Players({"a": 1})
    flowing(20, alone, pace=30.0)
    assert alone.given[:2] == [1, 1]


def test_with_many_workers_batches_are_longer() -> None:
    players: Any = Players({f"w{k}": 1 for k in range(1000)})
    ledger: Any = Notes(200_000)
    Flow(specs(200_000), ledger, players, "name", ["x"], tell=lambda _: None, pace=0.5)._send_batches()
    assert players.given == [1000 / flows.TASKS_PER_SECOND / 0.5] * 1000 * flows.BATCHES_PER_THREAD


def test_an_unknown_pace_begins_with_single_runs() -> None:
    players = Players({"a": 1})
    flowing(100, players)
    assert players.given[:2] == [1, 1]
    assert max(players.given) > 10


def test_what_a_batch_leaves_is_given_again() -> None:
    notes = flowing(500, Players({"a": 1, "b": 1}, cut=3), pace=0.001)
    assert len(notes.rows) == 500


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_only_who_kills_fails(workers: int) -> None:
    guilty = {17, 18, 400}
    players = Players({f"w{k}": 1 for k in range(workers)}, kills=lambda spec: spec.index in guilty)
    notes = flowing(500, players, pace=0.01)
    failed = {int(name, 16) for name, status in notes.rows.items() if status != "done"}
    assert failed == guilty
    assert all("its worker died 2 times" in notes.rows[f"{k:016x}"] for k in guilty)
    assert players.deaths <= 4 * len(guilty)


def test_a_worker_that_dies_once_costs_no_run() -> None:
    once = [True]

    def kills(spec: RunSpec) -> bool:
        return spec.index == 30 and bool(once) and once.pop()

    notes = flowing(100, Players({"a": 1, "b": 1}, kills=kills), pace=0.01)
    assert set(notes.rows.values()) == {"done"}


def test_a_death_after_the_limit_is_a_run_that_timed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)

    def tick() -> float:
        clock.now += 1.0
        return float(clock.now)

    monkeypatch.setattr(flows, "monotonic", tick)
    notes = flowing(3, Players({"a": 1}, kills=lambda spec: spec.index == 1), pace=100.0, bound=0.5)
    assert "did not end within 0.5 s" in notes.rows[f"{1:016x}"]


def test_what_others_cancel_is_given_again_but_not_for_ever() -> None:
    players = Players({"a": 1})
    players.lose = 5
    assert len(flowing(50, players, pace=0.1).rows) == 50
    players.lose = 10**9
    with pytest.raises(ClusterError, match=r"again and again.*resume"):
        flowing(50, players, pace=0.1)


def test_own_workers_that_never_come_back_end_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "NO_WORKER_TIMEOUT", -1.0)
    with pytest.raises(ClusterError, match=r"none could be started.*resume"):
        flowing(5, Players({}))


def hanging(monkeypatch: pytest.MonkeyPatch, workers: str, hung: str) -> Any:
    """Someone else's workers, some of which never end what they do; each look takes a second."""
    players: Any = Players(dict.fromkeys(workers, 1))
    players.own = False
    really = players.outcomes
    clock = SimpleNamespace(now=0.0)

    def ended(seconds: float) -> list[Outcome]:
        clock.now += 1.0
        assert clock.now < 1000.0, "it goes on for ever"
        kept = {address: players.queues[address] for address in hung}
        players.queues |= {address: [] for address in hung}
        found: list[Outcome] = really(seconds)
        players.queues |= kept
        return found

    players.outcomes = ended
    monkeypatch.setattr(flows, "monotonic", lambda: clock.now)
    return players


def test_someone_elses_worker_that_hangs_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = flowing(40, hanging(monkeypatch, "ab", "a"), pace=10.0, bound=1.0)
    assert len(notes.rows) == 40
    (stuck,) = [status for status in notes.rows.values() if status != "done"]  # not what waited behind it
    assert "its worker hangs" in stuck


def test_a_study_ends_when_all_of_someone_elses_workers_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ClusterError, match=r"all of its workers hang.*resume"):
        flowing(40, hanging(monkeypatch, "ab", "ab"), pace=10.0, bound=1.0)


def test_the_last_run_may_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = flowing(1, hanging(monkeypatch, "a", "a"), pace=10.0, bound=1.0)
    assert "its worker hangs" in notes.rows[f"{0:016x}"]


@pytest.mark.parametrize("counted", [2, 3, 4])
def test_it_ends_with_its_plan_whatever_is_counted(counted: int) -> None:
    notes: Any = Notes(counted)
    told: list[Flow] = []

    def tell(flow: Flow) -> None:
        told.append(flow)
        assert len(told) < 100, "it goes on for ever"

    crew: Any = Players({"a": 1})
    Flow(specs(3), notes, crew, "name", ["x"], tell=tell).run()
    assert len(notes.rows) == 3


def test_rows_that_come_with_an_error_are_kept() -> None:
    players: Any = Players({"a": 1, "b": 1})
    notes: Any = Notes(2)

    def ended(seconds: float) -> list[Outcome]:
        (first, _), (second, (spec,)) = (queue.pop() for queue in players.queues.values())
        players.outcomes = lambda _: []
        rows = [{"id": spec.id, "status": "done", "reason": ""}]
        return [Outcome(first, error=ImportError("no such thing")), Outcome(second, (rows, 0.1))]

    players.outcomes = ended
    with pytest.raises(ClusterError, match="no such thing"):
        Flow(specs(2), notes, players, "name", ["x"], tell=lambda _: None).run()
    assert list(notes.rows.values()) == ["done"]


def test_rows_that_had_come_when_the_scheduler_was_lost_are_kept() -> None:
    players: Any = Players({"a": 1})
    notes: Any = Notes(50)

    def lost(flow: Flow) -> None:
        raise ClusterError("the stage", "the scheduler was lost", "")

    with pytest.raises(ClusterError, match="was lost"):
        Flow(specs(50), notes, players, "name", ["x"], tell=lost).run()
    assert len(notes.rows) == 2  # one before, one that had come meanwhile


def test_suspects_have_at_most_half_of_the_workers() -> None:
    players: Any = Players({f"w{k}": 1 for k in range(6)})
    ledger: Any = Notes(100)
    flow = Flow(specs(100), ledger, players, "name", ["x"], tell=lambda _: None, pace=1.0)
    flow.suspects.extend(flows.Batch((spec,)) for spec in specs(5))
    flow._send_batches()
    alone = {address for address, load in flow.loads.items() if any(batch.alone for batch in load)}
    assert len(alone) == 3
    assert not flow._reserved_workers()  # the others are not kept free for the two suspects that wait
    assert (
        sum(len(load) for address, load in flow.loads.items() if address not in alone) == 3 * flows.BATCHES_PER_THREAD
    )


def test_memory_stays_flat() -> None:
    class Forgetful(Notes):
        ended = 0

        @property
        def counts(self) -> Counts:
            return Counts(self.total, self.ended)

        def add(self, row: dict[str, Any]) -> bool:
            self.ended += 1
            return True

    ledger: Any = Forgetful(20_000)
    players: Any = Players({"a": 1, "b": 1})
    players.given = SimpleNamespace(append=lambda _: None)
    tracemalloc.start()
    try:
        Flow(specs(20_000), ledger, players, "name", ["x"], tell=lambda _: None, pace=0.01).run()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2e6  # a row of each run would be more than ten times as much
    assert ledger.ended == 20_000
