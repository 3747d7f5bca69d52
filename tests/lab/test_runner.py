"""The runner: a thread that never lets a page wait."""

import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from carom.lab.bench import session as sessions
from carom.lab.bench.runner import BenchRunner
from carom.lab.bench.session import Session
from carom.lab.seen.view import View
from carom.scene import library
from carom.scene.io.files import loads
from lab.waiting import until


@pytest.fixture
def runner() -> Iterator[BenchRunner]:
    made = BenchRunner(Session(library.load("oblique"), "oblique"))
    made.start()
    until(lambda: made.view.epoch > 0)
    yield made
    made.stop()
    assert not made.alive


def test_a_view_is_there_before_anything_is_compiled() -> None:
    made = BenchRunner(Session(library.load("oblique"), "oblique"))
    assert made.view.working == "compiling"
    assert len(made.view.positions) == 2
    made.stop()


def test_commands_are_done_and_views_published(runner: BenchRunner) -> None:
    seen: list[View] = []
    runner.subscribe(seen.append)
    runner.post("run", seq=7)
    until(lambda: seen and seen[-1].seq == 7 and seen[-1].time > 0.3)
    runner.post("pause", seq=8)
    until(lambda: seen[-1].seq == 8)
    times = [view.time for view in seen]
    assert times == sorted(times)
    assert runner.view is seen[-1]
    runner.unsubscribe(seen.append)


def test_time_passes_as_on_the_clock(runner: BenchRunner) -> None:
    runner.post("run")
    until(lambda: runner.view.running)
    began, start = time.perf_counter(), runner.view.time
    until(lambda: runner.view.time > start + 1.0)
    assert time.perf_counter() - began == pytest.approx(1.0, abs=0.5)


def test_at_most_sixty_views_a_second(runner: BenchRunner) -> None:
    seen: list[float] = []
    runner.subscribe(lambda view: seen.append(time.perf_counter()))
    runner.post("run")
    until(lambda: len(seen) > 2)
    time.sleep(1.0)
    runner.post("pause")
    last = seen[-1]
    assert sum(last - 1.0 < at <= last for at in seen) <= 62


def test_nothing_is_done_while_nothing_is_asked(runner: BenchRunner) -> None:
    time.sleep(0.2)
    seen: list[View] = []
    runner.subscribe(seen.append)
    used = time.process_time()
    time.sleep(0.5)
    assert not seen
    assert time.process_time() - used < 0.25


def test_a_wish_for_forces_is_answered_while_paused(runner: BenchRunner) -> None:
    assert runner.view.forces is None
    runner.want(velocities=True, forces=True)
    until(lambda: runner.view.forces is not None)
    runner.want(velocities=True, forces=False)
    until(lambda: runner.view.forces is None)


def test_an_error_of_ours_is_told_and_the_bench_lives_on(runner: BenchRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.session, "scrub", lambda time: 1 / 0)
    runner.post("scrub", time=0.0)
    until(lambda: runner.view.message is not None)
    assert runner.view.message is not None
    assert "something went wrong inside carom" in runner.view.message.text
    runner.post("add")
    until(lambda: len(runner.view.positions) == 3)


def test_a_visitor_that_stumbles_disturbs_nobody(runner: BenchRunner) -> None:
    seen: list[View] = []
    runner.subscribe(lambda view: 1 / 0)
    runner.subscribe(seen.append)
    runner.post("add")
    until(lambda: seen)


def test_compiling_is_said_before_it_begins_and_stop_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, proceed = threading.Event(), threading.Event()
    made = BenchRunner(Session(library.load("oblique"), "oblique"))
    working: list[str | None] = []
    made.subscribe(lambda view: working.append(view.working))

    def slow(scene: object, **wish: object) -> None:
        made._compiling()
        compiled.set()
        proceed.wait(30)
        raise AssertionError("too late for anyone to care")

    monkeypatch.setattr(sessions, "start_run", slow)
    made.start()
    assert compiled.wait(30)
    assert working == ["compiling"]
    began = time.perf_counter()
    made.stop(0.2)
    assert time.perf_counter() - began < 1.0
    proceed.set()
    until(lambda: not made.alive)


def test_numba_tells_when_it_compiles() -> None:
    import numba  # noqa: PLC0415  # of this test alone

    from carom.kernels.progress import Compilations  # noqa: PLC0415  # the same

    told: list[str] = []
    with Compilations(lambda: told.append("begins"), lambda seconds: told.append(f"{seconds > 0.0}"), here=True):
        numba.njit(lambda x: x + 1)(1)
        other = threading.Thread(target=lambda: numba.njit(lambda x: x + 2)(1))
        other.start()
        other.join()
    assert told == ["begins", "True"], "of this thread only"


def test_what_pages_ask_for(runner: BenchRunner) -> None:
    runner.post("collision", seq=1)
    until(lambda: runner.view.seq == 1 and runner.view.working is None)
    assert len(runner.collisions(10)) == runner.view.meters.collisions == 1
    assert runner.collisions_csv().count("\r\n") == 2
    assert loads(runner.save()).balls.position.tolist() == runner.view.positions.tolist()
    message, mark = runner.chart(0)
    assert message is not None
    assert message["reset"]
    assert runner.chart(mark) == (None, mark)


def test_two_benches_do_not_disturb_each_other(runner: BenchRunner) -> None:
    other = BenchRunner(Session(library.load("oblique"), "oblique"))
    other.start()
    until(lambda: other.view.epoch > 0)
    other.post("add")
    other.post("run")
    until(lambda: other.view.time > 0.1)
    assert runner.view.time == 0.0
    assert len(runner.view.positions) == 2
    other.stop()
    assert not other.alive


def test_a_command_is_seen_before_the_next_part_of_the_run(
    runner: BenchRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    plain = runner.session.advance
    runner.post("run")
    until(lambda: runner.view.running)
    monkeypatch.setattr(runner.session, "advance", lambda seconds: (order.append("advance"), plain(seconds)))
    until(lambda: "advance" in order)
    runner.subscribe(lambda view: order.append(f"view {view.seq}"))
    do = runner.session.do
    monkeypatch.setattr(runner.session, "do", lambda *a, **k: (order.append("do"), do(*a, **k))[1])
    runner.post("faster", seq=5)
    until(lambda: "view 5" in order)
    assert order[order.index("do") + 1] == "view 5"


def test_a_part_of_the_run_ends_early_when_a_command_waits() -> None:
    session = Session(library.load("gas", count=200), "gas")
    session.do("run")
    session.speed = 100.0  # more than it can do in its time
    session.advance(0.1)
    parts: list[float] = []
    session.asked = lambda: parts.append(session.track.time) is None  # a command waits, always
    session.advance(0.1)
    assert len(parts) == 1


def test_a_bench_that_has_ended_holds_no_past(runner: BenchRunner) -> None:
    runner.post("run")
    until(lambda: runner.view.time > 0.05)
    kept = weakref.ref(runner.session.run)
    runner.stop()
    until(lambda: not runner.alive)
    assert kept() is None
    assert runner.collisions(5) == []
    assert loads(runner.save()), "what was last seen can still be saved"
