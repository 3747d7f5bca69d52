"""A recording under way: what it vouches for, what it refuses, and that it changes nothing."""

import decimal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom.errors import ArgumentError, BlowUpError, StorageError, StorageWarning
from carom.observe import observable
from carom.observe.observable import Observable
from carom.solvers.stepped import engine as stepped
from carom.storage import checkpoint
from carom.storage.recording import Recording
from carom.storage.tape import Tape


def gas(count: int = 8) -> carom.Scene:
    return carom.library.load("gas", count=count)


def pair(**more: Any) -> carom.Scene:
    """One ball that will hit another, and then nobody will meet anybody."""
    balls = [carom.Ball(position=(x, 0.0), velocity=(v, 0.0), radius=0.1, mass=1.0) for x, v in ((0, 1), (1, 0))]
    return carom.Scene(balls=balls, **more)


def boxed(periodic: bool = False) -> carom.Scene:
    return pair(boundary=carom.Box(size=(3.0, 1.0), periodic=periodic)).replace(
        balls=carom.Balls(position=[(0.5, 0.5), (1.5, 0.5)], velocity=[(1, 0), (0, 0)], mass=1.0, radius=0.1)
    )


# What breaks in.


@pytest.mark.parametrize("where", ["collided", "frame", "advance_to"])
def test_who_breaks_in_leaves_no_checkpoint_that_vouches_for_lost_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    whole = carom.Simulation(gas())
    with whole.record(tmp_path / "whole.h5", every=0.1):
        whole.run(until=0.5)
    sim = carom.Simulation(gas())
    recorder = sim.record(tmp_path / "gas.h5", every=0.1, checkpoint=1000)
    sim.run(until=0.2)
    recorder.checkpoint()
    real = getattr(Tape, where)

    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Tape, where, interrupted)
    if where == "advance_to":
        recorder._waiting = 2**20  # so that it is handed over at once
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=0.5)
    monkeypatch.setattr(Tape, where, real)
    assert not recorder.complete
    recorder.close()
    with Recording(tmp_path / "gas.h5") as recording:
        assert not recording.complete
    again = carom.Simulation.resume(tmp_path / "gas.h5")
    assert again.time == 0.2
    again.run(until=0.5)
    assert again.recorder is not None
    again.recorder.close()
    with Recording(tmp_path / "gas.h5") as one, Recording(tmp_path / "whole.h5") as other:
        assert one.collisions is not None
        assert other.collisions is not None
        assert one.collisions[:].tobytes() == other.collisions[:].tobytes()
        assert one.times.tolist() == other.times.tolist()


def test_what_was_broken_off_is_not_recorded_any_more_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = carom.Simulation(gas())
    recorder = sim.record(tmp_path / "gas.h5", every=0.05, checkpoint=0.0)
    sim.run(until=0.2)

    def broken(*args: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sim._solver, "_slice", broken)
        with pytest.raises(KeyboardInterrupt):
            sim.run(until=0.3)
    with pytest.warns(
        StorageWarning, match=r"gas\.h5: the run was broken off .* not recorded any more\. Resume"
    ) as told:
        sim.run(until=0.4)
    assert told[0].filename == __file__
    sim.run(until=0.5)  # it is said once
    with pytest.raises(StorageError, match="not all of it is in the file"):
        recorder.checkpoint()
    assert not sim._solver.histories
    recorder.close()
    assert sim.recorder is None
    assert checkpoint.read(checkpoint.checkpoint_of(tmp_path / "gas.h5")).time == 0.2
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.times[-1] == 0.2


class Bad(Observable):
    name, symbol, unit = "bad", "b", ""

    def __init__(self, good: int) -> None:
        self.good = good

    def sample(self, sim: Any) -> float:
        self.good -= 1
        if self.good < 0:
            raise ValueError("no")
        return 0.0


@pytest.mark.parametrize("good", [0, 1])
def test_a_recording_that_could_not_begin_leaves_no_history(
    tmp_path: Path, good: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = carom.Simulation(gas())
    if good:
        monkeypatch.setattr(Tape, "frame", lambda *_: Bad(0).sample(None))
    with pytest.raises(ValueError, match="no"):
        sim.record(tmp_path / "gas.h5", observables=[Bad(good)])
    assert not sim._solver.histories
    assert sim.recorder is None
    monkeypatch.undo()
    sim.record(tmp_path / "gas.h5", force=True).close()


class Growing(Observable):
    name, symbol, unit = "growing", "g", ""

    def sample(self, sim: Any) -> Any:
        return np.zeros(2 if sim.time < 0.05 else 3)


class Word(Observable):
    name, symbol, unit = "word", "w", ""

    def sample(self, sim: Any) -> Any:
        return "high"


def test_an_observable_that_changes_its_shape_is_named(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    says = r"^observables: growing gave an array of shape \(3,\), and before that one of shape \(2,\)\. Let sample\(\)"
    with sim.record(tmp_path / "gas.h5", every=0.02, observables=[Growing()]), pytest.raises(ArgumentError, match=says):
        sim.run(until=0.1)
    with pytest.raises(ArgumentError, match=says):
        carom.Simulation(gas()).measure([Growing()], until=0.1, every=0.02)
    with carom.Recording(tmp_path / "gas.h5") as recording:
        assert recording.observables["growing"].values.shape == (3, 2)


def test_an_observable_that_gives_no_number_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ArgumentError, match=r"^observables: word gave 'high'\. Let sample\(\) give a number, or an array"
    ):
        carom.Simulation(gas()).record(tmp_path / "gas.h5", observables=[Word()])


def test_a_recording_without_a_frame_is_warned_of(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    early = r"gas\.h5: holds no frame.*The first was to be at 5 s, and the run ended at 0\.1 s: let it run longer\.$"
    with pytest.warns(StorageWarning, match=early), sim.record(tmp_path / "gas.h5", at=[5.0]):
        sim.run(until=0.1)
    late = r"late\.h5: holds no frame.*All were before 0\.1 s, when recording began: give later times, or every=…\.$"
    with pytest.warns(StorageWarning, match=late), sim.record(tmp_path / "late.h5", at=[0.0, 0.05]):
        sim.run(until=0.2)
    sim.record(tmp_path / "now.h5", at=[0.2]).close()


# What is refused.


def test_nothing_of_a_recording_is_done_amid_a_step(tmp_path: Path) -> None:
    sim = carom.Simulation(pair(), solver="stepped", step=0.01)
    recorder = sim.record(tmp_path / "pair.h5", every=0.1, checkpoint=1000)
    refused = []

    @sim.after_step
    def hook() -> None:
        for what in (recorder.checkpoint, recorder.flush, recorder.close, lambda: sim.record(tmp_path / "other.h5")):
            with pytest.raises(ArgumentError, match="is not possible from a hook, amid a step") as caught:
                what()
            refused.append(caught.value.problems[0].where)

    sim.run(until=0.01)
    assert refused == ["checkpoint", "flush", "close", "record"]
    recorder.close()


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("boundary", lambda sim: sim.change_scene(boundary=carom.Box(size=(4.0, 1.0)))),
        ("boundary", lambda sim: sim.change_scene(boundary=carom.Box(size=(3.0, 1.0), periodic=True))),
        ("attraction", lambda sim: sim.change_scene(attraction=carom.Attraction(G=1.0))),
        ("mass", lambda sim: sim.change(0, mass=3.0)),
        ("radius", lambda sim: sim.change_balls([0, 1], radius=0.05)),
    ],
)
def test_what_would_tear_the_file_is_refused(tmp_path: Path, what: str, change: Any) -> None:
    sim = carom.Simulation(boxed())
    scene = sim.scene
    with sim.record(tmp_path / "run.h5", every=0.1):
        with pytest.raises(
            ArgumentError, match=f"record: {what} cannot be changed while a run is being recorded. Close"
        ):
            change(sim)
        assert sim.scene is scene
        sim.change(0, velocity=(0.5, 0.0))
        sim.change_walls(restitution=0.9, material="rubber")
        sim.remove(0)
        sim.run(until=0.2)
    if what != "attraction":  # the exact solver knows none
        sim.change_scene(boundary=carom.Box(size=(4.0, 1.0)))


@pytest.mark.parametrize("start", [1.0, 1e9])
def test_frames_that_are_too_close_are_refused(tmp_path: Path, start: float) -> None:
    sim = carom.Simulation(pair()).run(until=start)
    with pytest.raises(
        ArgumentError, match=r"every: 1e-30 s is too short to be told apart at t = .* Give a longer time"
    ):
        sim.record(tmp_path / "pair.h5", every=1e-30)


def test_frames_do_not_depend_on_the_decimals_of_others(tmp_path: Path) -> None:
    with decimal.localcontext() as context:
        context.prec = 3
        assert carom.observe.triggers.Every(0.1).due(1234.5, 0, 3)[0] == 1234.8


# What a run is, recorded or not.


@pytest.mark.parametrize("solver", ["exact", "stepped"])
def test_collisions_have_the_numbers_of_now(tmp_path: Path, solver: str) -> None:
    told = []
    for recorded in (False, True):
        sim = carom.Simulation(gas(), solver=solver)
        if recorded:
            sim.record(tmp_path / f"{solver}.h5", every=0.1)
        sim.run(until=0.1)
        sim.remove([0, 1])
        rows = sim.collide(collisions=5)
        event = sim.step()
        assert event is not None
        told.append((rows[["a", "b"]].tolist(), event.partners))
    assert told[0] == told[1]
    assert sim.recorder is not None
    sim.recorder.close()
    with Recording(tmp_path / f"{solver}.h5") as recording:
        assert recording.collisions is not None
        mine = recording.collisions[-6:]
        between = mine["kind"] == 1
        assert (mine["a"][between] >= 2).all()


@pytest.mark.parametrize(
    ("scene", "solver", "every"),
    [
        (pair(), "exact", 0.3),
        (pair(), "exact", 1.7),
        (boxed().replace(boundary=carom.Open()), "exact", 0.05),
        (pair(), "stepped", 0.3),
        (pair(), "stepped", 0.001),
        (pair(attraction=carom.Attraction(G=1e-12, touch="merge")), "stepped", 0.3),
    ],
)  # fmt: skip
def test_a_run_that_runs_out_ends_when_it_would_unrecorded(
    tmp_path: Path, scene: carom.Scene, solver: str, every: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stepped, "PATIENCE", 300)
    ends = []
    for recorded in (False, True):
        sim = carom.Simulation(scene, solver=solver, step=0.01 if solver == "stepped" else None)
        if recorded:
            sim.record(tmp_path / "run.h5", every=every)
        sim.run(collisions=5)
        ends.append((sim.time, sim.collisions, sim.positions.tobytes()))
    assert ends[0] == ends[1]
    assert sim.recorder is not None
    sim.recorder.close()
    with Recording(tmp_path / "run.h5") as recording:
        assert recording.times[-1] <= ends[0][0] < recording.times[-1] + every


# What can be had again.


@pytest.mark.parametrize(
    "touch",
    [
        lambda sim: sim.change(0, velocity=(0.0, 0.0)),
        lambda sim: sim.remove(1),
        lambda sim: sim.push(0, (1.0, 0.0)),
        lambda sim: sim.pull(0, (1.0, 1.0)),
        lambda sim: sim.drive(0, velocity=(1.0, 0.0)),
        lambda sim: sim.release(0),
        lambda sim: sim.after_step(lambda: None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", [True, False])
def test_a_run_that_was_touched_is_not_played_again(tmp_path: Path, touch: Any, before: bool) -> None:
    sim = carom.Simulation(pair(), solver="stepped", step=0.01)
    edited = before and touch.__code__.co_names[0] in {"change", "remove"}  # such a start is in the file
    if before:
        touch(sim)
    with sim.record(tmp_path / "pair.h5", every=0.1):
        sim.run(until=0.1)
        if not before:
            touch(sim)
        sim.run(until=0.2)
    with Recording(tmp_path / "pair.h5") as recording:
        if edited:
            assert recording.simulation(0.2).positions.tobytes() == sim.positions.tobytes()
            return
        if not before:
            assert recording.simulation(0.05).time == 0.05
        with pytest.raises(StorageError, match=r"pair\.h5: the run was edited, steered or had hooks"):
            recording.simulation(0.2)


def test_a_merging_run_is_played_again(tmp_path: Path) -> None:
    sim = carom.Simulation(pair(attraction=carom.Attraction(G=1e-12, touch="merge")), step=0.01)
    with sim.record(tmp_path / "merge.h5", every=0.1):
        sim.run(until=1.5)
    assert len(sim.masses) == 1
    with Recording(tmp_path / "merge.h5") as recording:
        assert recording.simulation().positions.tobytes() == sim.positions.tobytes()


@pytest.mark.parametrize(("count", "words"), [(1, "a hook, which is code"), (2, "2 hooks, which are code")])
def test_hooks_that_are_lost_are_told(tmp_path: Path, count: int, words: str) -> None:
    sim = carom.Simulation(pair(), solver="stepped", step=0.01)
    for _ in range(count):
        sim.after_step(lambda: None)
    sim.save(tmp_path / "run.checkpoint")
    with pytest.warns(StorageWarning, match=rf"run\.checkpoint: the saved run had {words} and not saved\. Add"):
        carom.Simulation.resume(tmp_path / "run.checkpoint")


def test_another_version_is_told(tmp_path: Path) -> None:
    sim = carom.Simulation(pair())
    sim.save(tmp_path / "run.checkpoint")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        carom.Simulation.resume(tmp_path / "run.checkpoint")
    saved = checkpoint.read(tmp_path / "run.checkpoint")
    saved.versions["carom"] = "0.0.1"
    saved.write(tmp_path / "run.checkpoint")
    with pytest.warns(StorageWarning, match=r"saved with carom 0\.0\.1 \(now .*not to the same bits"):
        carom.Simulation.resume(tmp_path / "run.checkpoint")


def test_a_blown_run_tells_its_collisions_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = carom.Simulation(gas(20), solver="stepped")
    recorder = sim.record(tmp_path / "gas.h5", every=5.0)
    sim.run(until=0.2)
    sim.change(0, velocity=(0.0, 0.0))  # steps are counted from now
    real = stepped.Engine._steps

    def blown(self: Any, *args: Any) -> int:
        real(self, *args)
        return stepped.BLOWN

    monkeypatch.setattr(stepped.Engine, "_steps", blown)
    with pytest.raises(BlowUpError):
        sim.run(until=0.4)
    recorder.close()
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.collisions is not None
        rows = recording.collisions[:]
    assert rows["time"][-1] > 0.2
    assert (np.diff(rows["time"]) >= 0.0).all()
    between = rows["kind"] == 1
    assert (rows["a"][between] < rows["b"][between]).all()


# Observables, where balls go and come.


def walled() -> carom.Scene:
    """Balls of two sizes between walls."""
    rng, places = np.random.default_rng(1), np.stack(np.meshgrid(np.arange(4), np.arange(3)), axis=-1).reshape(-1, 2)
    return carom.Scene(
        balls=carom.Balls(
            position=0.15 + 0.25 * places,
            velocity=rng.normal(size=(12, 2)),
            radius=np.where(np.arange(12) % 2, 0.05, 0.04),
            mass=1.0,
        ),
        boundary=carom.Box(size=(1.1, 0.9)),
    )


def removing() -> Iterator[carom.Simulation]:
    sim = carom.Simulation(walled())
    yield sim
    sim.run(until=0.15)
    sim.remove([3, 7, 8])


def merging() -> Iterator[carom.Simulation]:
    sim = carom.Simulation(walled().replace(attraction=carom.Attraction(G=1e-9, touch="merge")), step=0.002)
    yield sim
    sim.run(until=0.25)
    assert 2 <= len(sim.masses) < 12


def bearing() -> Iterator[carom.Simulation]:
    scene = walled()
    born = np.where(np.arange(12) < 9, 0.0, 0.3 + 0.1 * np.arange(12) / 12)
    late = np.where((np.arange(12) < 9)[:, None], scene.balls.position, [[0.15, 0.15], [0.4, 0.15], [0.65, 0.15]] * 4)
    sim = carom.Simulation(
        carom.Scene(balls=scene.balls.replace(born=born, position=late), boundary=scene.boundary, gravity=(0.0, 0.0)),
        step=0.002,
        check=False,
    )
    yield sim
    sim.run(until=0.15)


@pytest.mark.parametrize("way", [removing, merging, bearing])
def test_every_observable_bears_that_balls_come_and_go(tmp_path: Path, way: Any) -> None:
    first = next(way())
    able = []
    for name in observable.names():
        each = observable.observable(name)
        try:
            each.begin(first)
        except ArgumentError:  # it says that it cannot
            continue
        able.append(name)
    assert len(able) >= 19
    kept = []
    for killed in (False, True):
        path = tmp_path / f"{killed}.h5"
        run = way()
        sim = next(run)
        sim.record(path, every=0.1, observables=able, checkpoint=1000)
        for _ in run:
            raise AssertionError("a run begins once")
        sim.run(until=0.27)
        assert sim.recorder is not None
        if killed:
            sim.recorder.close()
            sim = carom.Simulation.resume(path)
        sim.run(until=0.6)
        assert sim.recorder is not None
        sim.recorder.close()
        with Recording(path) as recording:
            kept.append({name: series.values.copy() for name, series in recording.observables.items()})
            assert len(recording) == 7
    assert {name for name in able if kept[0][name].tobytes() != kept[1][name].tobytes()} == set()
    assert [name for name in able if np.isnan(kept[0][name][-1]).all()] == []


def test_a_recording_without_frames_to_come_says_what_it_keeps(tmp_path: Path) -> None:
    sim = carom.Simulation(pair())
    assert sim.solver == "exact"
    with sim.record(tmp_path / "a.h5") as recorder:  # any instant can be rebuilt: nothing to warn of
        assert repr(recorder) == f"<recorder of {tmp_path / 'a.h5'}: 1 frame written, any other instant can be rebuilt>"
        sim.run(until=0.1)
    stepped = carom.Simulation(pair(), solver="stepped")
    for run, options in ((sim, {"events": False}), (stepped, {})):
        path = tmp_path / f"{run.solver}.h5"
        with pytest.warns(StorageWarning, match=r"\.h5: only the frame of now is kept, .* Give every=0\.1") as told:
            recorder = run.record(path, **options)
        assert [each.filename for each in told] == [__file__]
        assert repr(recorder) == f"<recorder of {path}: 1 frame written>"
        recorder.close()
        with carom.Recording(path) as recording:
            assert len(recording) == 1
    with stepped.record(tmp_path / "b.h5", every=0.01) as recorder:
        stepped.run(until=0.1)
        recorder.flush()
        assert repr(recorder) == f"<recorder of {tmp_path / 'b.h5'}: 11 frames written>"
    with stepped.record(tmp_path / "c.h5", at=[0.2]):
        stepped.run(until=0.3)
