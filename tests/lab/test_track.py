"""The past: any instant again, bit for bit; branches; thinning out."""

import hashlib
import pickle
from typing import Any

import numpy as np
import pytest

from carom.lab.bench import memory, past, track
from carom.lab.bench.session import Session
from carom.lab.bench.track import Track
from carom.lab.seen import collision_log
from carom.lab.seen.collision_log import CollisionLog
from carom.scene import library
from carom.simulation.simulation import Simulation
from carom.solvers.collision_record import collision_record


def digest(session: Session) -> str:
    sim = session.track.sim
    both = np.concatenate([sim.positions, sim.velocities])
    return hashlib.sha256(both.tobytes()).hexdigest()


def run(session: Session, seconds: float, part: float = 1 / 30) -> dict[float, str]:
    """Run, and note what is seen at which time."""
    session.do("run")
    seen = {}
    for _ in range(round(seconds / part)):
        session.advance(part)
        seen[session.view().time] = digest(session)
    session.do("pause")
    return seen


def close_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies so often that replays begin at many of them."""
    monkeypatch.setattr(track, "MIN_COPY_INTERVAL", 1e-4)
    monkeypatch.setattr(past, "MIN_COPY_INTERVAL", 1e-4)
    monkeypatch.setattr(track, "COPY_SPACING", 0.0)


@pytest.mark.parametrize("entry", ["break", "rope"])
def test_scrubbing_shows_the_same_bits(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    close_frames(monkeypatch)
    session = Session(library.load(entry), entry)
    seen = run(session, 3.0)
    assert len(session.track.segment.frames) > 2
    times = list(seen)
    for time in [*times[::-9], *times[::11]]:
        session.do("scrub", time=time)
        session.settle()
        assert session.view().time == time
        assert digest(session) == seen[time]
    assert session.view().end == times[-1]


@pytest.mark.parametrize("entry", ["break", "rope"])
def test_running_on_from_the_past_follows_the_known_way(entry: str) -> None:
    session = Session(library.load(entry), entry)
    seen = run(session, 2.0)
    end, collisions = session.view().end, session.view().meters.collisions
    session.do("scrub", time=0.5)
    session.settle()
    session.track.toward(end)
    assert digest(session) == seen[end]
    assert session.view().meters.collisions == collisions
    assert len(session.track.log) == collisions, "nothing is written down twice"


def test_an_edit_in_the_past_cuts_off_the_rest_and_undo_brings_it_back() -> None:
    session = Session(library.load("break"), "break")
    seen = run(session, 2.0)
    end = session.view().end
    kept = len(session.track.log)
    session.do("scrub", time=1.0)
    session.settle()
    here = session.view().time
    session.do("throw", index=0, velocity=[0.1, 0.2])
    assert session.view().end == here
    assert len(session.track.log) < kept
    run(session, 0.5)
    session.do("undo")
    session.settle()
    assert (session.view().time, session.view().end) == (here, end)
    assert len(session.track.log) == kept
    session.do("to-end")
    session.settle()
    assert digest(session) == seen[end]


def test_the_past_before_an_edit_is_still_there_and_leads_into_it() -> None:
    session = Session(library.load("break"), "break")
    before = run(session, 1.0)
    session.do("add", position=[0.05, 0.05], radius=0.01, mass=0.01)
    after = run(session, 1.0)
    early = list(before)[10]
    session.do("scrub", time=early)
    session.settle()
    assert len(session.view().positions) == 16
    assert digest(session) == before[early]
    session.do("run")
    while session.view().time < max(after):
        session.advance(1 / 60)
    session.do("scrub", time=max(after))
    session.settle()
    assert len(session.view().positions) == 17
    assert digest(session) == after[max(after)]


@pytest.mark.requirement("M-13")
def test_what_a_hand_did_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    close_frames(monkeypatch)
    session = Session(library.load("rope"), "rope")
    session.do("run")
    seen = {}
    for k in range(60):
        if 10 <= k < 30:
            session.do("pull", index=40, target=[1.0 + 0.02 * k, 1.5])
        if k == 30:
            session.do("release")
        session.advance(1 / 60)
        seen[session.view().time] = digest(session)
    session.do("pause")
    other = Session(library.load("rope"), "rope")
    other.track.toward(max(seen))
    assert digest(other) != seen[max(seen)], "the hand made a difference"
    for time in list(seen)[::7]:
        session.do("scrub", time=time)
        session.settle()
        assert digest(session) == seen[time]


def test_collision_back_stands_exactly_at_the_collision() -> None:
    session = Session(library.load("break"), "break")
    session.do("collision")
    first = session.view()
    assert first.time == first.collision_times[0]
    run(session, 2.0)
    times = [float(t) for chunk in session.track.log.chunks for t in chunk["time"]]
    for expected in sorted(set(times), reverse=True)[:5]:
        session.do("collision-back")
        session.settle()
        assert session.view().time == expected
    session.do("collision")
    session.settle()
    assert session.view().time == sorted(set(times), reverse=True)[3]


def test_collisions_in_steps_are_found_forward_and_back() -> None:
    session = Session(library.load("rope"), "rope")
    session.do("collision")
    session.settle()
    found = session.view()
    assert found.meters.collisions >= 1
    session.do("collision-back")
    session.settle()
    assert session.view().time == found.collision_times[-1] <= found.time


def test_no_collision_to_come_is_said() -> None:
    session = Session(library.load("empty"), "empty")
    session.do("collision")
    session.settle()
    assert session.message is not None
    assert "no collision" in session.message.text


def test_copies_are_thinned_out_old_ones_first(monkeypatch: pytest.MonkeyPatch) -> None:
    close_frames(monkeypatch)
    monkeypatch.setattr(track, "MAX_FRAMES", 16)
    run_ = Track(Simulation(library.load("rope")))
    for k in range(1, 200):
        run_.toward(0.01 * k, 1.0)
    frames = run_.segment.frames
    assert len(frames) <= 16
    assert frames[0].time == 0.0, "the start is always kept"
    gaps = np.diff([frame.time for frame in frames])
    assert gaps[:4].mean() > gaps[-4:].mean()


# The history of the exact solver.


def bits(run_: Track) -> bytes:
    return b"".join(part.tobytes() for part in (run_.sim.positions, run_.sim.velocities))


def noted(run_: Track, times: Any) -> dict[float, bytes]:
    """Run, and note what there is at which time."""
    seen = {}
    for t in times:
        run_.toward(float(t))
        seen[float(t)] = bits(run_)
    return seen


@pytest.mark.requirement("T-08")
def test_an_exact_run_is_read_and_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run_ = Track(Simulation(library.load("break")))
    seen = noted(run_, np.linspace(0.1, 3.0, 30))
    counts = run_.counts()

    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing is run")

    monkeypatch.setattr(Track, "_run", forbidden)
    for t in [*list(seen)[::-4], *list(seen)[::3]]:
        run_.go(t)
        assert (run_.time, bits(run_)) == (t, seen[t])
    run_.go(max(seen))
    assert run_.counts() == counts
    assert run_.at_end


def test_a_copy_of_an_exact_run_is_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    close_frames(monkeypatch)
    run_ = Track(Simulation(library.load("gas")))
    seen = noted(run_, np.linspace(0.002, 0.1, 50))
    frames = run_.segment.frames
    assert len(frames) > 10
    assert all(frame.state is not None and frame.sim is frames[0].sim for frame in frames[1:])
    light = sum(each.nbytes for each in frames[1].state.values()) if frames[1].state else 0
    assert light < 0.5 * len(pickle.dumps(run_.sim, protocol=5))
    run_.segment.history.keep_within(0)  # type: ignore[union-attr]  # it has one
    for t in list(seen)[::-7]:
        run_.go(t)
        assert bits(run_) == seen[t], "from a copy, where the history is gone"


def test_histories_keep_within_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "HISTORY", 500_000)
    run_ = Track(Simulation(library.load("gas")))
    seen = noted(run_, np.linspace(0.01, 0.5, 50))
    history = run_.segment.history
    assert history is not None
    assert len(history) * 29 > 1_000_000, "there was more to remember"
    assert history.nbytes < 800_000
    assert not history.knows(0.01)
    assert history.knows(0.5)
    for t in (0.5, 0.01, 0.25, 0.49):
        run_.go(t)
        assert bits(run_) == seen[t]


def test_a_history_that_knows_more_than_a_past_is_not_written_twice() -> None:
    straight = noted(Track(Simulation(library.load("break"))), np.linspace(0.1, 4.0, 40))
    run_ = Track(Simulation(library.load("break")))
    noted(run_, np.linspace(0.1, 1.0, 10))
    was = run_.past
    noted(run_, np.linspace(1.1, 3.0, 20))
    history = run_.segment.history
    assert history is not None
    events = len(history)
    run_.restore(was, 0.5)
    assert run_.end == 1.0
    assert noted(run_, [t for t in straight if 0.5 <= t <= 3.0]) == {
        t: straight[t] for t in straight if 0.5 <= t <= 3.0
    }
    assert (run_.end, len(history), run_.segment.history) == (3.0, events, history)
    assert len(run_.log) == sum(run_.counts().values())
    noted(run_, np.linspace(3.1, 4.0, 10))
    assert len(history) > events
    for t in list(straight)[::-3]:
        run_.go(t)
        assert bits(run_) == straight[t]


def test_the_next_collision_is_found_where_the_history_knows_more() -> None:
    run_ = Track(Simulation(library.load("break")))
    was = run_.past
    run_.toward(2.0)
    hits = [float(t) for chunk in run_.log.chunks for t in chunk["time"]]
    run_.restore(was, 0.0)
    for expected in sorted(set(hits))[:5]:
        while not run_.next_collision(1.0, np.inf):
            pass
        assert run_.time == expected


def test_memory_bounds_the_number_of_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    run_ = Track(Simulation(library.load("break")))
    assert run_.most_frames == track.MAX_FRAMES
    monkeypatch.setattr(memory, "COPIES", 1)
    run_._most = (0, 0)
    assert run_.most_frames == track.MIN_FRAMES


def rows(*times: float) -> Any:
    made = np.zeros(len(times), collision_record)
    made["time"] = times
    return made


def test_the_log_keeps_the_last_and_never_changes() -> None:
    log = CollisionLog().extended(rows(1.0, 2.0))
    longer = log.extended(rows(3.0, 4.0))
    assert (len(log), len(longer)) == (2, 4)
    assert len(longer.until(2.0)) == 2
    assert (longer.before(3.0), longer.after(3.0)) == (2.0, 4.0)
    assert (longer.before(1.0), longer.after(4.0)) == (None, None)
    assert longer.last(3)["time"].tolist() == [2.0, 3.0, 4.0]
    assert longer.last(9, until=2.5)["time"].tolist() == [1.0, 2.0]
    many = CollisionLog()
    for k in range(60):
        many = many.extended(rows(*np.arange(k * 5000.0, (k + 1) * 5000.0)))
    assert collision_log.MAX_ROWS <= len(many) <= collision_log.MAX_ROWS + 5000
    assert many.last(1)["time"][0] == 299_999.0
    assert (longer.oldest, many.oldest, many.until(100.0).oldest) == (np.inf, 0.0, 0.0)
    assert many.until(-1.0).oldest == np.inf
    cut = log.extended(rows(3.0, 4.0, 5.0), limit=1)
    assert (len(cut), cut.oldest) == (1, 1.0)
    ticks = many.times(400)
    assert len(ticks) <= 400
    assert np.allclose(np.diff(ticks), np.diff(ticks)[0])
