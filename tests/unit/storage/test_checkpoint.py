"""A saved run goes on to the same bits."""

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

import carom
from carom.errors import ArgumentError, CaromError, SolverError, StorageError
from carom.observe.observable import Observable
from carom.storage import checkpoint
from carom.storage.recording import Recording


@carom.force
def wind(t, x, v, m, f):  # type: ignore[no-untyped-def]  # compiled
    for i in range(len(m)):
        f[i, 0] += 0.1 * m[i]


class Steps(Observable):
    name, symbol, unit = "steps_seen", "n", ""

    def begin(self, sim: Any) -> None:
        self.seen = 0

    def sample(self, sim: Any) -> float:
        self.seen += 1
        return float(self.seen)

    def state(self) -> dict[str, NDArray[Any]]:
        return {"seen": np.array(self.seen)}

    def load(self, state: Any) -> None:
        self.seen = int(state["seen"])


def same(one: carom.Simulation, two: carom.Simulation) -> bool:
    return (
        one.time == two.time
        and one.collisions == two.collisions
        and one.positions.tobytes() == two.positions.tobytes()
        and one.velocities.tobytes() == two.velocities.tobytes()
    )


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize(
    ("name", "solver"), [("gas", "exact"), ("gas", "stepped"), ("break", "exact"), ("pour", "auto")]
)
def test_a_saved_run_goes_on_to_the_same_bits(tmp_path: Path, name: str, solver: str) -> None:
    scene = carom.library.load(name, **({"count": 40} if name == "gas" else {}))
    straight = carom.Simulation(scene, solver=solver).run(until=0.61)
    first = carom.Simulation(scene, solver=solver).run(until=0.3)
    first.save(tmp_path / "a.checkpoint")
    again = carom.Simulation.resume(tmp_path / "a.checkpoint")
    assert same(first, again)
    assert again.scene == scene
    assert same(again.run(until=0.61), straight)
    assert [each.name for each in tmp_path.iterdir()] == ["a.checkpoint"]


def test_an_edited_run_is_saved_as_it_is(tmp_path: Path) -> None:
    first = carom.Simulation(carom.library.load("break"), solver="stepped").run(until=0.1)
    first.remove([3, 5])
    first.change_scene(drag=0.01)
    first.save(tmp_path / "a.checkpoint")
    again = carom.Simulation.resume(tmp_path / "a.checkpoint")
    assert same(again.run(until=0.5), first.run(until=0.5))


def test_forces_of_ones_own_are_given_again(tmp_path: Path) -> None:
    scene = carom.library.load("gas", count=40)
    first = carom.Simulation(scene, forces=[wind]).run(until=0.1)
    first.save(tmp_path / "a.checkpoint")
    with pytest.raises(
        ArgumentError, match=r"forces: the saved run has these forces of one's own: wind; given are: none"
    ):
        carom.Simulation.resume(tmp_path / "a.checkpoint")
    again = carom.Simulation.resume(tmp_path / "a.checkpoint", forces=[wind])
    assert same(again.run(until=0.3), first.run(until=0.3))


def test_saving_from_a_hook_is_refused(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.library.load("gas", count=40), solver="stepped")
    sim.after_step(lambda: sim.save(tmp_path / "a.checkpoint"))
    with pytest.raises(ArgumentError, match=r"save: is not possible from a hook, amid a step"):
        sim.run(until=0.1)


@pytest.mark.parametrize("solver", ["exact", "stepped"])
def test_a_recording_goes_on_after_its_checkpoint(tmp_path: Path, solver: str) -> None:
    scene = carom.library.load("gas", count=40)
    options: dict[str, Any] = {"every": 0.01, "checkpoint": 1000.0}
    for name in ("whole", "cut"):
        sim = carom.Simulation(scene, solver=solver)
        recorder = sim.record(tmp_path / f"{name}.h5", observables=["virial_pressure", Steps()], **options)
        sim.run(until=0.333)
        recorder.checkpoint()
        sim.run(until=0.4 if name == "cut" else 1.0)
        recorder.pause = None  # no checkpoint of the end
        recorder.close(complete=name == "whole")
    with pytest.raises(ArgumentError, match="there is no observable 'steps_seen'"):
        carom.Simulation.resume(tmp_path / "cut.h5")
    with pytest.raises(
        ArgumentError, match=r"cut\.h5: .*not saved\. Give it again: Simulation\.resume\(…, observables="
    ):
        carom.Simulation.resume(tmp_path / "cut.h5")
    sim = carom.Simulation.resume(tmp_path / "cut.h5", observables=[Steps()])
    assert sim.time == 0.333
    assert sim.recorder is not None
    sim.run(until=1.0)
    sim.recorder.close()
    with Recording(tmp_path / "whole.h5") as whole, Recording(tmp_path / "cut.h5") as cut:
        assert cut.complete
        for name in whole.names:
            if name != "carom/until" and not name.startswith("carom/history/"):
                assert cut.column(name)[:].tobytes() == whole.column(name)[:].tobytes(), name
        assert len(cut) == 101
        assert cut.observables["steps_seen"].values.tolist() == list(range(1, 102))
        if solver == "exact":
            for t in (0.1, 0.333, 0.3331, 0.77):
                assert cut.at(t).positions.tobytes() == whole.at(t).positions.tobytes()


def test_a_recording_can_be_made_longer(tmp_path: Path) -> None:
    scene = carom.library.load("gas", count=40)
    sim = carom.Simulation(scene)
    with sim.record(tmp_path / "gas.h5", every=0.1, checkpoint=1000.0):
        sim.run(until=0.2)
    for end in (0.4, 0.6):
        sim = carom.Simulation.resume(tmp_path / "gas.h5")
        with sim.recorder as recorder:  # type: ignore[union-attr]  # it is recorded
            sim.run(until=end)
            assert recorder.path == tmp_path / "gas.h5"
    with Recording(tmp_path / "gas.h5") as recording:
        assert recording.times.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def test_resuming_without_recording_leaves_the_file_alone(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.library.load("gas", count=40))
    with sim.record(tmp_path / "gas.h5", every=0.1, checkpoint=1000.0):
        sim.run(until=0.2)
    before = (tmp_path / "gas.h5").read_bytes()
    other = carom.Simulation.resume(tmp_path / "gas.h5", record=False).run(until=0.5)
    assert other.recorder is None
    assert (tmp_path / "gas.h5").read_bytes() == before


def test_what_does_not_belong_together_is_told(tmp_path: Path) -> None:
    for name in ("one", "two"):
        sim = carom.Simulation(carom.library.load("gas", count=40))
        with sim.record(tmp_path / f"{name}.h5", every=0.1, checkpoint=1000.0):
            sim.run(until=0.2)
    (tmp_path / "two.h5").replace(tmp_path / "one.h5")
    with pytest.raises(StorageError, match=r"one\.h5: is another recording than that of the checkpoint"):
        carom.Simulation.resume(tmp_path / "one.h5")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one.h5", "one.h5.checkpoint", "two.h5.checkpoint"]


def test_a_recording_without_checkpoint_cannot_be_resumed(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.library.load("gas", count=40))
    sim.record(tmp_path / "gas.h5").close()
    with pytest.raises(
        StorageError, match=r"gas\.h5: there is no checkpoint gas\.h5\.checkpoint beside it\. Move both"
    ):
        carom.Simulation.resume(tmp_path / "gas.h5")


def test_what_is_no_checkpoint_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such file"):
        carom.Simulation.resume(tmp_path / "no.checkpoint")
    for text in (b"", b"hello", b"PK\x03\x04 broken"):
        (tmp_path / "a.checkpoint").write_bytes(text)
        with pytest.raises(StorageError, match="is no checkpoint of carom"):
            carom.Simulation.resume(tmp_path / "a.checkpoint")


def test_a_cut_checkpoint_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    carom.Simulation(carom.library.load("gas", count=40)).save(path)
    whole = path.read_bytes()
    for part in (0.3, 0.9, 0.999):
        path.write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(StorageError, match="is no checkpoint of carom"):
            checkpoint.read(path)


def test_each_recording_has_a_checkpoint_of_its_own(tmp_path: Path) -> None:
    names = ("eta0.1", "eta0.2", "gas.h5", "gas.hdf5")
    for name in names:
        sim = carom.Simulation(carom.library.load("gas", count=8))
        sim.record(tmp_path / name, checkpoint=1000.0).close()
    for name in names:
        assert checkpoint.find_checkpoint(tmp_path / name) == tmp_path / f"{name}.checkpoint"
        beside = tmp_path / f"{name}.checkpoint"
        assert checkpoint.recording_of(beside, checkpoint.read(beside)) == tmp_path / name


def test_a_stale_checkpoint_goes_and_others_stay(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.library.load("gas", count=8))
    sim.record(tmp_path / "gas.h5", checkpoint=1000.0).close()
    sim.save(tmp_path / "other.h5.checkpoint")
    for name in ("gas.h5", "other.h5", "none.h5"):
        checkpoint.discard(tmp_path / name)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["gas.h5", "other.h5.checkpoint"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: Any) -> Path:
    """A recording that can be resumed."""
    path: Path = tmp_path_factory.mktemp("run") / "run.h5"
    sim = carom.Simulation(carom.library.load("gas", count=8))
    with sim.record(path, every=0.1, checkpoint=1000.0):
        sim.run(until=0.2)
    return path


def with_checkpoint(source: Path, target: Path, *, move: bool = False) -> Path:
    """Copy a recording and its checkpoint, or move them; gives the new name of the recording."""
    target.parent.mkdir(exist_ok=True)
    for one, other in ((source, target), (checkpoint.checkpoint_of(source), checkpoint.checkpoint_of(target))):
        shutil.copy2(one, other)
        if move:
            one.unlink()
    return target


@pytest.mark.parametrize("named", ["recording", "checkpoint"])
def test_a_copy_is_resumed_and_the_original_stays(tmp_path: Path, run: Path, named: str) -> None:
    original = with_checkpoint(run, tmp_path / "run.h5")
    copy = with_checkpoint(run, tmp_path / "c.h5")
    before = {each: each.read_bytes() for each in (original, checkpoint.checkpoint_of(original))}
    sim = carom.Simulation.resume(copy if named == "recording" else checkpoint.checkpoint_of(copy))
    sim.run(until=0.4).recorder.close()
    assert {each: each.read_bytes() for each in before} == before
    with carom.Recording(copy) as found:
        assert found.times.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert checkpoint.read(checkpoint.checkpoint_of(copy)).time == 0.4


@pytest.mark.parametrize("name", ["renamed.h5", "elsewhere/run.h5", "elsewhere/renamed.hdf5"])
def test_a_recording_that_was_moved_is_resumed_where_it_is(tmp_path: Path, run: Path, name: str) -> None:
    moved = with_checkpoint(with_checkpoint(run, tmp_path / "run.h5"), tmp_path / name, move=True)
    carom.Simulation.resume(moved).run(until=0.3).recorder.close()
    with carom.Recording(moved) as found:
        assert found.times.tolist() == [0.0, 0.1, 0.2, 0.3]
    left = sorted(each for each in tmp_path.rglob("*") if each.is_file())
    assert left == [moved, checkpoint.checkpoint_of(moved)]


def test_a_checkpoint_never_leads_to_a_recording_of_another_name(tmp_path: Path, run: Path) -> None:
    original = with_checkpoint(run, tmp_path / "run.h5")
    before, alone = original.read_bytes(), tmp_path / "c.h5.checkpoint"
    shutil.copy(checkpoint.checkpoint_of(original), alone)
    with pytest.raises(StorageError, match=r"c\.h5\.checkpoint: its recording c\.h5 is not beside it\. Put it there"):
        carom.Simulation.resume(alone)
    assert carom.Simulation.resume(alone, record=False).time == 0.2
    saved = alone.rename(tmp_path / "saved.npz")
    with pytest.raises(StorageError, match=r"saved\.npz: does not end with \.checkpoint, so that its recording"):
        carom.Simulation.resume(saved)
    assert original.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["run.h5", "run.h5.checkpoint", "saved.npz"]


def test_a_new_recording_deletes_the_copied_checkpoint_of_the_old_one(tmp_path: Path, run: Path) -> None:
    copy = with_checkpoint(run, tmp_path / "c.h5")
    carom.Simulation(carom.library.load("gas", count=8)).record(copy, force=True).close()
    with pytest.raises(StorageError, match=r"c\.h5: there is no checkpoint c\.h5\.checkpoint beside it"):
        carom.Simulation.resume(copy)


def test_a_recording_is_not_named_as_a_checkpoint(tmp_path: Path) -> None:
    sim = carom.Simulation(carom.library.load("gas", count=8))
    with pytest.raises(StorageError, match=r"z\.checkpoint: files that end with \.checkpoint are checkpoints"):
        sim.record(tmp_path / "z.checkpoint")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def saved(tmp_path_factory: Any) -> dict[str, NDArray[Any]]:
    """The arrays of the checkpoint of a recorded run."""
    path = tmp_path_factory.mktemp("saved") / "gas.h5"
    sim = carom.Simulation(carom.library.load("gas", count=8))
    sim.record(path, every=0.1, checkpoint=1000.0, observables=["energy"]).close()
    return dict(np.load(checkpoint.checkpoint_of(path)))


def refused(path: Path, arrays: dict[str, NDArray[Any]]) -> str:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)  # type: ignore[arg-type]  # mypy takes them for the option
    with pytest.raises(CaromError) as told:
        carom.Simulation.resume(path)
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize(
    "change",
    [
        {"time": "nan"}, {"time": (-1.0).hex()}, {"time": None}, {"solver": "foo"}, {"wish": []}, {"wish": {}},
        {"recording": 5}, {"versions": 3}, {"format": "x"}, {"rows": {}}, {"rows": {"x": -1}}, {"rows": {"x": 1}},
        {"triggers": [5]}, {"pause": "x"}, {"pause": -1.0}, {"goal": None}, {"observables": [3]}, {"mark": 1},
    ],
)  # fmt: skip
def test_a_checkpoint_that_tells_nonsense_is_one_line(
    tmp_path: Path, saved: dict[str, NDArray[Any]], change: dict[str, Any]
) -> None:
    told = json.loads(saved["told"].tobytes())
    for name, value in change.items():
        (told if name in told else told["recording"])[name] = value
    text = np.frombuffer(json.dumps(told).encode(), np.uint8)
    refused(tmp_path / "a.checkpoint", {**saved, "told": text})
    assert [each.name for each in tmp_path.iterdir()] == ["a.checkpoint"]  # no lock, no recording


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("told", np.frombuffer(b"[" * 200_000, np.uint8)),
        ("told", np.frombuffer(b"[1]", np.uint8)),
        ("scene", np.frombuffer(b"\xff\xfe", np.uint8)),
        ("solver/counts", np.full(9, -5)),
        ("solver/moments", np.full(4, np.nan)),
        ("solver/hit", np.full(8, np.nan)),
        ("recorder/rows", np.arange(8) - 1),
        ("recorder/rows", np.zeros(3, np.int64)),
        ("recorder/taken", np.array([-4])),
    ],
)
def test_a_checkpoint_with_wrong_numbers_is_one_line(
    tmp_path: Path, saved: dict[str, NDArray[Any]], name: str, value: NDArray[Any]
) -> None:
    refused(tmp_path / "a.checkpoint", {**saved, name: value})


def test_a_checkpoint_that_is_larger_inside_than_outside_is_refused(tmp_path: Path) -> None:
    path, head = tmp_path / "a.checkpoint", io.BytesIO()
    write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("told.npy", head.getvalue() + bytes(10**6))
        with pytest.raises(StorageError, match="is no checkpoint of carom"):
            checkpoint.read(path)


@pytest.mark.parametrize(
    ("name", "value"), [("pile_names", 2**30), ("pile_numbers", 2**30), ("pile_rows", np.nan), ("pile_room", 2**50)]
)
def test_a_pile_that_names_what_is_not_there_is_refused(name: str, value: float) -> None:
    scene = carom.library.load("pour")
    sim = carom.Simulation(scene).run(until=0.05)
    state = sim._solver.state()
    assert len(state["pile_names"])
    state[name][:] = value
    with pytest.raises(SolverError, match=f"state: {name}"):
        carom.Simulation(scene)._solver.restore(state)


@pytest.mark.parametrize("value", [-1.0, np.nan, "60s", True])
def test_a_wrong_pause_is_refused(tmp_path: Path, value: Any) -> None:
    sim = carom.Simulation(carom.library.load("gas", count=40))
    with pytest.raises(ArgumentError, match=r"checkpoint: .* is not a time\. Give the seconds between two checkpoints"):
        sim.record(tmp_path / "gas.h5", checkpoint=value)


def test_the_history_in_memory() -> None:
    scene = carom.library.load("gas", count=40)
    sim = carom.Simulation(scene)
    history = sim.remember()
    sim.run(until=0.5)
    sim.forget(history)
    sim.run(until=0.6)
    assert history.at(0.3).places[:, :2].tobytes() == carom.Simulation(scene).run(until=0.3).positions.tobytes()
    assert history.end == 0.5
    with pytest.raises(
        ArgumentError, match=r"remember: only runs of the exact solver can be rebuilt from events\. Record"
    ):
        carom.Simulation(scene, solver="stepped").remember()
