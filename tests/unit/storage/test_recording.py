"""What is recorded is what was: frames, collisions, observables, any instant."""

import errno
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import carom
from carom.analysis import analyse
from carom.errors import ArgumentError, CaromError, StorageError
from carom.observe.observable import Observable
from carom.observe.triggers import Collisions
from carom.storage import formats, tape
from carom.storage.hdf5.growing import GrowingDataset
from carom.storage.hdf5.writer import Column
from carom.storage.recording import Recording

SOLVERS = ("exact", "stepped")


def gas(count: int = 40) -> carom.Scene:
    return carom.library.load("gas", count=count)


@pytest.fixture(scope="module", params=SOLVERS)
def recorded(request: Any, tmp_path_factory: Any) -> tuple[Path, carom.Simulation]:
    """A short run of a gas, and what it came to."""
    path = tmp_path_factory.mktemp("recorded") / "gas.h5"
    sim = carom.Simulation(gas(), solver=request.param)
    with sim.record(path, every=0.05, at=[0.123], observables=["energy", "momentum"], source="a gas"):
        sim.run(until=1.0)
    return path, sim


@pytest.mark.requirement("T-08")
def test_frames_are_what_the_run_had(recorded: tuple[Path, carom.Simulation]) -> None:
    path, sim = recorded
    with Recording(path) as recording:
        assert recording.complete
        assert len(recording) == 22
        assert recording.times.tolist() == sorted([0.123, *(round(k * 0.05, 2) for k in range(21))])
        for k in (0, 3, 21):
            other = carom.Simulation(gas(), solver=sim.solver).run(until=float(recording.times[k]))
            frame = recording[k]
            assert frame.positions.tobytes() == other.positions.tobytes()
            assert frame.velocities.tobytes() == other.velocities.tobytes()
            assert frame.turns is not None
            assert frame.turns.tolist() == other.turns.tolist()
            assert recording.steps[k] == other.collisions
        assert recording[-1].time == 1.0
        assert [frame.time for frame in recording] == recording.times.tolist()


def test_collisions_are_those_of_the_run(recorded: tuple[Path, carom.Simulation]) -> None:
    path, sim = recorded
    rows = carom.Simulation(gas(), solver=sim.solver).collide(until=1.0)
    with Recording(path) as recording:
        met = recording.collisions
        assert met is not None
        assert met.count == len(met) == len(rows) > 100
        assert (met[:] == rows).all()
        assert (met[5:50:7] == rows[5:50:7]).all()
        assert (met[::-1][:3] == rows[::-1][:3]).all()
        assert met[-1] == rows[-1]
        assert [each["time"] for each in met] == rows["time"].tolist()
        within = (rows["time"] >= 0.3) & (rows["time"] < 0.6)
        assert (met.between(0.3, 0.6) == rows[within]).all()
        with pytest.raises(IndexError, match="there is no collision"):
            met[len(rows)]


def test_the_file_tells_where_it_comes_from(recorded: tuple[Path, carom.Simulation]) -> None:
    path, sim = recorded
    with Recording(path) as recording:
        assert recording.scene == gas()
        assert recording.solver == sim.solver
        assert recording.source == "a gas"
        assert recording.versions["carom"] == carom.__version__
        assert recording.dimension == 2
        assert recording.sizes is not None
        assert recording.sizes.tolist() == list(gas().boundary.size)  # type: ignore[union-attr]  # it has a box
        assert recording.span == (0.0, 1.0)
        assert recording.masses.tolist() == sim.masses.tolist()


def test_observables_are_series(recorded: tuple[Path, carom.Simulation]) -> None:
    path, sim = recorded
    with Recording(path) as recording:
        energy, momentum = recording.observables["energy"], recording.observables["momentum"]
        assert energy.unit == "J"
        assert energy.times.tolist() == recording.times.tolist()
        assert energy.values[-1] == sim.energy
        assert momentum.values.shape == (22, 2)
        assert momentum.values[-1].tolist() == sim.momentum.tolist()


@pytest.mark.requirement("T-08")
def test_any_instant_of_an_exact_run(recorded: tuple[Path, carom.Simulation]) -> None:
    path, sim = recorded
    with Recording(path) as recording:
        assert recording.exact == (sim.solver == "exact")
        if not recording.exact:
            with pytest.raises(ArgumentError, match=r"at: no frame was kept at 0\.1234 s.*22 frames.*0\.123, 0\.15"):
                recording.at(0.1234)
            return
        for t in (0.0, 0.1234, 0.5, 0.98765):
            other = carom.Simulation(gas()).run(until=t)
            assert recording.at(t).positions.tobytes() == other.positions.tobytes()
            assert recording.at(t).velocities.tobytes() == other.velocities.tobytes()
        with pytest.raises(ArgumentError, match=r"at: 1\.5 s is outside of what was recorded, 0 to 1 s"):
            recording.at(1.5)


def test_a_run_goes_on_from_any_instant(recorded: tuple[Path, carom.Simulation]) -> None:
    path, sim = recorded
    other = carom.Simulation(gas(), solver=sim.solver).run(until=1.2)
    with Recording(path) as recording:
        again = recording.simulation(0.37)
        assert again.time == 0.37
        assert again.run(until=1.2).positions.tobytes() == other.positions.tobytes()
        assert recording.simulation().time == 1.0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("way", ["run", "collide", "events", "progress"])
def test_recording_changes_no_bit(tmp_path: Path, solver: str, way: str) -> None:
    def go(sim: carom.Simulation) -> Any:
        if way == "collide":
            return sim.collide(until=0.4).tobytes()
        if way == "events":
            return list(sim.events(until=0.4))
        sim.run(until=0.4, progress=(lambda part: None) if way == "progress" else None)
        return None

    plain, kept = (carom.Simulation(gas(), solver=solver) for _ in range(2))
    with kept.record(tmp_path / "gas.h5", every=0.013, observables=["temperature"]):
        assert go(kept) == go(plain)
    assert kept.time == plain.time
    assert kept.collisions == plain.collisions
    assert kept.positions.tobytes() == plain.positions.tobytes()
    assert kept.velocities.tobytes() == plain.velocities.tobytes()
    with Recording(tmp_path / "gas.h5") as recording:
        assert len(recording) == 31
        assert recording.collisions is not None
        assert len(recording.collisions) == plain.collisions


def test_frames_by_collisions(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "gas.h5", every=Collisions(100)):
        sim.run(collisions=1000)
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.steps.tolist() == list(range(0, 1001, 100))


def test_nothing_but_the_start_is_kept_where_nothing_is_said(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "gas.h5"):
        sim.run(until=0.2)
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.times.tolist() == [0.0]
        assert recording.at(0.2).positions.tobytes() == sim.positions.tobytes()


def test_a_run_without_end_stops_where_nobody_meets(tmp_path: Path) -> None:
    apart = carom.Scene(balls=[carom.Ball(position=(0, 0), velocity=(-1, 0), radius=0.1, mass=1.0)])
    sim = carom.Simulation(apart)
    with sim.record(tmp_path / "apart.h5", every=0.1):
        sim.run(collisions=3)
    assert sim.collisions == 0
    assert sim.time <= 0.1


def test_without_events(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "gas.h5", every=0.1, events=False, observables=["virial_pressure"]):
        sim.run(until=0.5)
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.collisions is None
        assert not recording.exact
        assert len(recording) == 6
        assert np.isfinite(recording.observables["virial_pressure"].values[1:]).all()


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("solver", ["exact", "stepped"])
def test_a_run_by_collisions_ends_and_tells_them_without_events(tmp_path: Path, solver: str) -> None:
    """It once went on for ever: what nobody kept was not counted."""
    scene = carom.library.load("gas", count=50)
    plain, sim = carom.Simulation(scene, solver=solver), carom.Simulation(scene, solver=solver)
    with sim.record(tmp_path / "gas.h5", every=0.01, events=False):
        sim.run(collisions=40)
        rows = sim.collide(collisions=30)
    plain.run(collisions=40)
    assert (rows == plain.collide(collisions=30)).all()
    assert (sim.positions == plain.positions).all()


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "gas.h5", every=0.1) as recorder, Recording(tmp_path / "gas.h5") as recording:
        assert len(recording) == 1
        assert not recording.complete
        sim.run(until=0.5)
        recorder.flush()
        assert len(recording) == 1
        assert len(recording.refresh()) == 6
        assert recording.at(0.43).time == 0.43
        sim.run(until=0.6)
    with Recording(tmp_path / "gas.h5") as recording:
        assert len(recording) == 7


def test_rows_appear_without_being_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carom.storage.hdf5.writer.COMMIT_INTERVAL", 0.05)
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "gas.h5", every=0.1), Recording(tmp_path / "gas.h5") as recording:
        sim.run(until=0.5)
        for _ in range(100):
            time.sleep(0.05)
            if len(recording.refresh()) == 6:
                return
    pytest.fail("the frames did not come")


def test_merging_balls_become_nan(tmp_path: Path) -> None:
    two = [
        carom.Ball(position=(x, 0.0), velocity=(-v, 0.0), radius=0.1, mass=m)
        for x, v, m in ((-1.0, -1.0, 1.0), (0.0, 0.0, 2.0), (1.0, 1.0, 1.0), (5.0, 0.0, 3.0))
    ]
    scene = carom.Scene(balls=two, attraction=carom.Attraction(G=1e-12, touch="merge"))
    sim = carom.Simulation(scene, step=0.01)
    with sim.record(tmp_path / "merge.h5", every=0.5, observables=["energy"]):
        sim.run(until=2.0)
    with Recording(tmp_path / "merge.h5") as recording:
        assert [frame.present.sum() for frame in recording] == [4, 4, 2, 2, 2]
        last = recording[-1]
        assert np.flatnonzero(last.present).tolist() == [0, 3]
        assert last.positions[3].tolist() == sim.positions[1].tolist()
        masses, radii = recording.bulk(4)
        assert masses.tolist() == [4.0, 0.0, 0.0, 3.0]
        assert radii[0] == sim.radii[0] > 0.1
        met = recording.collisions
        assert met is not None
        assert {(int(row["a"]), int(row["b"])) for row in met} <= {(0, 1), (1, 2), (0, 2)}


def test_unborn_balls_are_nan(tmp_path: Path) -> None:
    balls = [carom.Ball(position=(0, y), radius=0.1, mass=1.0, born=t) for y, t in ((0, 0.0), (1, 0.25))]
    sim = carom.Simulation(carom.Scene(balls=balls), step=0.01)
    with sim.record(tmp_path / "born.h5", every=0.2):
        sim.run(until=0.4)
    with Recording(tmp_path / "born.h5") as recording:
        assert [frame.present.tolist() for frame in recording] == [[True, False], [True, False], [True, True]]


def test_added_balls_are_refused_and_the_run_stays_whole(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.library.load("break"))
    count = len(sim.masses)
    with sim.record(tmp_path / "break.h5", every=0.1):
        with pytest.raises(ArgumentError, match="balls cannot be added while a run is being recorded"):
            sim.add(carom.Ball(position=(0.1, 0.1), radius=0.001, mass=1.0))
        assert len(sim.masses) == count
        sim.run(until=0.35)
        sim.remove(2)
        sim.run(until=0.5)
    sim.run(until=0.6)
    with Recording(tmp_path / "break.h5") as recording:
        assert [int(frame.present.sum()) for frame in recording] == [count] * 4 + [count - 1] * 2
        assert recording.at(0.45).present.sum() == count - 1
        assert np.flatnonzero(~recording.at(0.45).present).tolist() == [2]


def test_a_copy_is_not_recorded(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "gas.h5", every=0.1):
        other = sim.copy()
        assert other.recorder is None
        other.run(until=1.0)
        sim.run(until=0.2)
    assert sim.recorder is None
    with Recording(tmp_path / "gas.h5") as recording:
        assert len(recording) == 3


def test_one_recording_at_a_time(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with sim.record(tmp_path / "a.h5"):
        with pytest.raises(ArgumentError, match=r"record: the run is being recorded already, in .*a\.h5\. Close"):
            sim.record(tmp_path / "b.h5")
        with pytest.raises(StorageError, match=r"a\.h5: another run is writing this file"):
            carom.Simulation(gas()).record(tmp_path / "a.h5", force=True)
    with pytest.raises(StorageError, match=r"a\.h5: exists already\. Choose another name, or say force=True"):
        sim.record(tmp_path / "a.h5")
    sim.record(tmp_path / "a.h5", force=True).close()
    assert [each.name for each in tmp_path.iterdir()] == ["a.h5"]


def test_a_recording_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with pytest.raises(StorageError, match=r"there is no such file or folder"):
        sim.record(tmp_path / "nowhere" / "a.h5")
    with pytest.raises(ArgumentError, match="there is no observable 'enrgy'"):
        sim.record(tmp_path / "a.h5", observables=["enrgy"])
    assert sim.recorder is None
    assert not list(tmp_path.iterdir())
    sim.run(until=0.1)


def test_what_is_no_recording_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such file"):
        Recording(tmp_path / "no.h5")
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(StorageError, match="is no recording: not an HDF5 file"):
        Recording(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["a"] = 1
    with pytest.raises(StorageError, match="is no recording of carom"):
        Recording(tmp_path / "other.h5")


def test_errors_of_the_writer_come_up_in_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = carom.Simulation(gas())
    recorder = sim.record(tmp_path / "gas.h5", every=0.001)

    def broken(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("carom.storage.hdf5.growing.GrowingDataset.append", broken)
    with pytest.raises(StorageError, match=r"gas\.h5: there is no room left on the disk\. Make room and resume"):
        sim.run(until=100.0)
    with pytest.raises(StorageError):
        recorder.close()
    assert sim.recorder is None
    with Recording(tmp_path / "gas.h5") as recording:
        assert len(recording) == 1
        assert not recording.complete


def test_the_scene_of_many_balls_in_three_dimensions(tmp_path: Path) -> None:
    scene = carom.library.load("gas", count=64, dimension=3)
    sim = carom.Simulation(scene)
    with sim.record(tmp_path / "gas.h5", every=0.1):
        sim.run(until=0.2)
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording[0].positions.shape == (64, 3)
        assert recording.at(0.15).positions.tobytes() == carom.Simulation(scene).run(until=0.15).positions.tobytes()


@pytest.mark.parametrize("name", ["gas", "gas-under-gravity", "break"])
def test_one_look_sees_what_two_do(name: str) -> None:
    sim = carom.Simulation(gas() if name == "gas" else carom.library.load(name), solver="exact")
    for t in (0.0, 0.1, 0.7321):
        sim.run(until=t)
        places, velocities = sim.look()
        assert places.tolist() == sim.positions.tolist()
        assert velocities.tolist() == sim.velocities.tolist()


def test_a_column_ends_and_goes_backwards(recorded: tuple[Path, carom.Simulation]) -> None:
    with Recording(recorded[0]) as recording:
        column = recording.column("particles/balls/position/time")
        rows = column[:]
        assert len(rows) == 22
        assert list(column) == rows.tolist()
        assert column[::-1].tolist() == rows[::-1].tolist()
        assert column[17:2:-4].tolist() == rows[17:2:-4].tolist()
        assert column[-1] == rows[-1]
        for k in (22, -23):
            with pytest.raises(IndexError, match=f"there is no row {k}: there are 22"):
                column[k]


def test_the_span_begins_where_history_does(tmp_path: Path) -> None:
    sim = carom.Simulation(gas(8))
    with sim.record(tmp_path / "gas.h5", at=[0.5]):
        sim.run(until=1.0)
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.times.tolist() == [0.5]
        assert recording.span == (0.0, 1.0)
        other = carom.Simulation(gas(8)).run(until=0.2)
        assert recording.at(0.2).positions.tobytes() == other.positions.tobytes()


@pytest.mark.parametrize("events", [True, False])
def test_an_instant_is_after_all_that_happened_in_it(tmp_path: Path, events: bool) -> None:
    """Two pairs that meet at the same time, and a frame after each of the two collisions."""
    balls = [
        carom.Ball(position=(x, y), velocity=(1.0 - x, 0.0), radius=0.1, mass=1.0) for y in (0.0, 5.0) for x in (0, 1)
    ]
    scene = carom.Scene(balls=balls)
    sim = carom.Simulation(scene)
    with sim.record(tmp_path / "two.h5", every=Collisions(1), events=events):
        sim.run(until=2.0)
    with Recording(tmp_path / "two.h5") as recording:
        t = float(recording.times[1])
        assert recording.times.tolist() == [0.0, t, t]
        assert recording.at(t).velocities.tolist() == carom.Simulation(scene).run(until=t).velocities.tolist()


def test_a_scene_without_balls_is_recorded(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.Scene(balls=[]))
    with sim.record(tmp_path / "none.h5", every=0.1):
        sim.run(until=0.5)
    with Recording(tmp_path / "none.h5") as recording:
        assert len(recording) == 6
        assert recording[3].positions.shape == (0, 2)


def test_who_goes_on_after_the_end_is_told(tmp_path: Path) -> None:
    sim = carom.Simulation(gas(8))
    recorder = sim.record(tmp_path / "gas.h5")
    recorder.close()
    with pytest.raises(StorageError, match=r"gas\.h5: the recording has ended"):
        recorder.tape.writer.put({"carom/until": np.zeros(1)})
    with pytest.raises(StorageError, match=r"gas\.h5: the recording has ended"):
        recorder.tape.writer.flush()


def test_what_waits_for_the_writer_is_bounded_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carom.storage.hdf5.writer.QUEUE_BYTES", 10_000)
    sim = carom.Simulation(gas(8))
    recorder = sim.record(tmp_path / "gas.h5")
    writer, gate, waited = recorder.tape.writer, threading.Event(), []
    take = GrowingDataset.take

    def slow(self: GrowingDataset, rows: Any) -> None:
        gate.wait(10.0)
        take(self, rows)

    monkeypatch.setattr(GrowingDataset, "take", slow)

    def put() -> None:
        for _ in range(5):
            writer.put({"carom/until": np.zeros(500)})  # 4000 bytes
            waited.append(writer._waiting)

    thread = threading.Thread(target=put)
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    assert len(waited) == 2
    gate.set()
    thread.join(10.0)
    assert max(waited) <= 10_000
    recorder.close()


def test_what_does_not_reach_the_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = carom.Simulation(gas(8))
    recorder = sim.record(tmp_path / "gas.h5", every=0.1)
    sim.run(until=0.3)

    def fail(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError, match=r"gas\.h5: cannot be used \(Input/output error\)"):
        recorder.flush()
    with pytest.raises(StorageError):
        recorder.close()


def test_a_recording_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append("sync"), sync(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (done.append("replace"), replace(self, to))[1])
    sim = carom.Simulation(gas(8))
    sim.record(tmp_path / "gas.h5").close()
    assert done[:2] == ["sync", "replace"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: Any) -> Path:
    """A short recording, to be broken."""
    path = tmp_path_factory.mktemp("small") / "gas.h5"
    sim = carom.Simulation(gas(8))
    with sim.record(path, every=0.1, observables=["energy"]):
        sim.run(until=0.5)
    return path


def look_through(path: Path) -> None:
    with Recording(path) as recording:
        list(recording)
        assert recording.collisions is not None
        recording.collisions[:]
        assert recording.observables
        recording.at(0.123)


@pytest.mark.parametrize("part", [0.02, 0.1, 0.5, 0.99])
def test_a_recording_that_is_cut_off_is_told_at_once(tmp_path: Path, small: Path, part: float) -> None:
    whole, path = small.read_bytes(), tmp_path / "gas.h5"
    path.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(StorageError, match=r"gas\.h5: is cut off: its end is missing\. Copy the file again"):
        Recording(path)


def test_a_killed_recording_that_is_cut_off_is_told_soon(tmp_path: Path) -> None:
    """Such a file does not tell where it ends, and HDF5 by itself would wait for the rest for ever."""
    sim = carom.Simulation(gas(8))
    recorder = sim.record(tmp_path / "gas.h5", every=0.01)
    sim.run(until=0.5)
    recorder.flush()
    whole, path = bytearray((tmp_path / "gas.h5").read_bytes()), tmp_path / "cut.h5"
    recorder.close()
    assert whole[11] & 0b101
    whole[28:36] = (1000).to_bytes(8, "little")
    path.write_bytes(whole[:4000])
    program = (
        "import sys, carom\ntry: carom.Recording(sys.argv[1])\nexcept carom.errors.StorageError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(carom.__file__).parents[1])},
    )  # fmt: skip
    assert "cut.h5: is no recording of carom (" in done.stdout or "cut.h5: cannot be read (" in done.stdout


def put(path: str, value: Any) -> Any:
    """Write numbers into a dataset."""

    def change(file: Any) -> None:
        file[path][...] = value

    return change


def instead(path: str, value: Any) -> Any:
    """Have another dataset there."""

    def change(file: Any) -> None:
        del file[path]
        file[path] = value

    return change


def attribute(name: str, value: Any) -> Any:
    def change(file: Any) -> None:
        file["carom"].attrs[name] = value

    return change


def endless(file: Any) -> None:
    file["particles/balls/position/time"].resize(10**13, axis=0)
    file["carom/rows"][-1] = 10**13


@pytest.mark.parametrize(
    "change",
    [
        attribute("wish", "zz"), attribute("wish", 5), attribute("versions", "[]"), attribute("solver", "zz"),
        attribute("format", "zz"), put("carom/rows", 10**12), put("carom/rows", -5), endless,
        instead("carom/scene", 3), instead("carom/walls", "{"), instead("carom/walls", "5"),
        instead("particles/balls/position/value", np.zeros((6, 8, 2))),
        *(put("carom/history/event_kind", kind) for kind in (0, 0x7D, 255)),
        put("carom/history/event_time", np.nan), put("carom/history/event_ball", 8),
        put("carom/history/frame_event", 10**9), put("carom/history/frame_anchor", -10),
        put("carom/history/frame_chapter", 7), put("carom/history/frame_counts", -7),
        put("carom/history/marks", np.nan), put("carom/history/marks", 0.0), put("carom/history/marks", 1e300),
        instead("carom/history/marks", 5.0),
    ],
)  # fmt: skip
def test_a_recording_of_nonsense_is_one_line(tmp_path: Path, small: Path, change: Any) -> None:
    path = tmp_path / "gas.h5"
    path.write_bytes(small.read_bytes())
    with h5py.File(path, "r+", libver="latest") as file:
        change(file)
    with pytest.raises(CaromError) as told:
        look_through(path)
    assert "\n" not in str(told.value)


def test_the_recording_that_is_broken_elsewhere_is_whole(small: Path) -> None:
    look_through(small)


@pytest.mark.parametrize("name", ["a/b", "/abs", ".", " ", "höchste_Höhe"])
def test_a_recording_that_begins_can_be_read_again_whatever_its_observables_are_called(
    name: str, tmp_path: Path
) -> None:
    class Mine(Observable):
        def sample(self, sim: Any) -> float:
            return float(sim.time)

    Mine.name = name
    sim = carom.Simulation(gas(4))
    if not name.isidentifier():
        with pytest.raises(ArgumentError, match=r"^observables: .* is not a name\. Give"):
            sim.record(tmp_path / "run.h5", every=0.1, observables=[Mine()])
        assert not list(tmp_path.iterdir())
        return
    with sim.record(tmp_path / "run.h5", every=0.1, observables=[Mine()]):
        sim.run(until=0.2)
    with Recording(tmp_path / "run.h5") as recording:
        assert recording.observables[name].values.tolist() == recording.times.tolist()


def test_a_closed_recording_says_so(recorded: tuple[Path, carom.Simulation]) -> None:
    with Recording(recorded[0]) as recording:
        log, frame = recording.collisions, recording[0]
        recording.at(float(recording.times[1]))
    assert log is not None
    assert frame.time == 0.0
    attempts: list[Any] = [
        lambda: recording[0], lambda: recording[-1], lambda: recording[:2], lambda: recording.complete,
        lambda: recording.collisions, lambda: log[0], lambda: log[:], lambda: recording.observables,
        lambda: recording.steps, lambda: recording.at(0.05), recording.refresh, lambda: recording.file,
        recording.simulation, lambda: list(recording), lambda: log.between(0.0, 1.0),
    ]  # fmt: skip
    for attempt in attempts:
        with pytest.raises(StorageError, match=r"gas\.h5: the recording is closed\. Open it again: Recording\("):
            attempt()
    assert repr(recording).endswith("gas.h5: 22 frames, 0 to 1 s, closed>")
    assert len(recording) == 22


def test_a_recording_without_observables_is_closed_too(tmp_path: Path) -> None:
    sim = carom.Simulation(gas(4))
    with sim.record(tmp_path / "run.h5", every=0.1):
        sim.run(until=0.1)
    with Recording(tmp_path / "run.h5") as recording:
        assert recording.observables == {}
        assert repr(recording) == f"<recording {tmp_path / 'run.h5'}: 2 frames, 0 to 0.1 s, whole>"
    with pytest.raises(StorageError, match="the recording is closed"):
        _ = recording.observables


def test_slices_are_lists_of_frames(recorded: tuple[Path, carom.Simulation]) -> None:
    with Recording(recorded[0]) as recording:
        assert [frame.time for frame in recording[2:8:3]] == recording.times[2:8:3].tolist()
        assert [frame.time for frame in recording[::-1]] == recording.times[::-1].tolist()
        assert recording[np.int64(3)].time == recording.times[3]


def test_arguments_that_are_none_are_told_in_one_line(recorded: tuple[Path, carom.Simulation], tmp_path: Path) -> None:
    sim: Any = carom.Simulation(gas(4))
    target = tmp_path / "run.h5"
    with Recording(recorded[0]) as found:
        recording: Any = found
        log = recording.collisions
        attempts = [
            (lambda: recording.at("a"), "at: 'a' is not a time. Give a number of seconds."),
            (lambda: recording.at(None), "at: None is not a time. Give a number of seconds."),
            (lambda: recording.at(True), "at: True is not a time. Give a number of seconds."),
            (lambda: recording["time"], "'time' is not the number of a frame. Give a whole number or a slice;"),
            (lambda: recording[1.5], "1.5 is not the number of a frame."),
            (lambda: log["time"], "collisions: 'time' is not the number of a collision. Give a whole number or a"),
            (lambda: log[0.5], "collisions: 0.5 is not the number of a collision."),
            (lambda: log.between("a", 1.0), "between: 'a' is not a time. Give a number of seconds."),
            (lambda: sim.record(target, events=None), "events: None is neither True nor False."),
            (lambda: sim.record(target, events="no"), "events: 'no' is neither True nor False."),
            (lambda: sim.record(target, force="no"), "force: 'no' is neither True nor False."),
            (lambda: sim.record(target, source=3), "source: 3 is not a text."),
            (lambda: sim.record(target, source="a\0b"), "source: 'a\\x00b' has the control character U+0000 at"),
            (lambda: sim.record(target, source="a" * 5001), "source: 'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaa"),
            (lambda: sim.record(target, observables=3), "observables: 3 is not a list."),
        ]
        for attempt, says in attempts:
            with pytest.raises(ArgumentError) as caught:
                attempt()
            assert says in str(caught.value)
            assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def bits(what: Any) -> list[bytes]:
    """Places, velocities and turns of a frame or a run."""
    return [np.ascontiguousarray(each).tobytes() for each in (what.positions, what.velocities, what.turns)]


@pytest.mark.requirement("T-08")
def test_instants_at_random_from_a_file_have_the_bits_of_the_run(tmp_path: Path) -> None:
    """Over many pages, which lie across chunks, also while the file is being written."""
    sim = carom.Simulation(gas(150)).run(collisions=700)
    history = sim.remember()
    with sim.record(tmp_path / "gas.h5") as recorder:
        sim.run(collisions=9_000)
        recorder.flush()
        with Recording(tmp_path / "gas.h5") as recording:
            begin, middle = recording.span
            sim.run(collisions=9_000)
            recorder.flush()
            recording.refresh()
            end = recording.span[1]
            assert end > middle
            assert len(recording.column("carom/history/frame_since")) > 10
            times = np.random.default_rng(5).uniform(begin, end, 200).tolist()
            for t in (begin, middle, end, *times):
                instant = history.at(t)
                d = recording.dimension
                expected = [instant.places[:, :d], instant.velocities[:, :d], instant.turns[:, :d]]
                assert bits(recording.at(t)) == [np.ascontiguousarray(each).tobytes() for each in expected]
    with Recording(tmp_path / "gas.h5") as recording:
        again = carom.Simulation(gas(150)).run(collisions=700).run(until=times[0])
        assert bits(recording.at(times[0])) == bits(again)


@pytest.mark.parametrize("packed", [True, False])
def test_a_recording_with_other_chunks_can_be_resumed(
    packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as those of a version in which history is packed too, or pages have another length."""
    with monkeypatch.context() as patch:
        patch.setattr(
            tape, "_history_column",
            lambda name, rows, balls: Column(f"carom/history/{name}", rows.dtype, rows.shape[1:], packed=packed),
        )  # fmt: skip
        sim = carom.Simulation(gas())
        with sim.record(tmp_path / "gas.h5", every=0.1, checkpoint=1000):
            sim.run(until=0.3)
    resumed = carom.Simulation.resume(tmp_path / "gas.h5").run(until=0.5)
    assert resumed.recorder is not None
    resumed.recorder.close()
    whole = carom.Simulation(gas())
    with Recording(tmp_path / "gas.h5") as recording:
        assert not recording.dataset("carom/history/event_time").shuffle
        assert recording.times.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
        for t in (0.05, 0.2999, 0.3, 0.41, 0.5):
            assert bits(recording.at(t)) == bits(whole.run(until=t))


@pytest.mark.requirement("T-08")
def test_a_recording_tells_the_seed(tmp_path: Path) -> None:
    scene = pickle.loads(pickle.dumps(carom.library.load("gas", count=12, seed=77)))  # as a worker gets it
    sim = carom.Simulation(scene)
    with sim.record(tmp_path / "gas.h5", every=0.1, checkpoint=1000):
        sim.run(until=0.2)
    again = carom.Simulation.resume(tmp_path / "gas.h5").run(until=0.3)
    assert again.recorder is not None
    again.recorder.close()
    with Recording(tmp_path / "gas.h5") as recording:
        origin = dict(recording.origin)
        assert (origin.pop("kind"), origin["count"], origin["seed"]) == ("gas", 12, 77)
        assert carom.library.load("gas", **origin) == recording.scene
    assert "seed = 77" in dict(analyse(tmp_path / "gas.h5").facts)["made by the library"]


def test_a_scene_of_ones_own_has_no_origin(tmp_path: Path) -> None:
    assert dict(carom.library.load("break").origin) == {"kind": "break"}
    scene = gas(4).replace(restitution=0.9)
    assert dict(scene.origin) == {}
    carom.Simulation(scene).record(tmp_path / "gas.h5").close()
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.origin == {}
    with h5py.File(tmp_path / "gas.h5", "r+") as file:
        del file["carom"].attrs["origin"]
        file["carom"].attrs["format"] = formats.OLDEST
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.origin == {}, "as of files of before"
