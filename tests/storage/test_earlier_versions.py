"""Recordings and checkpoints of earlier versions: what can be shown is shown, all else is refused with one line."""

import json
import lzma
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import carom
from carom.analysis import analyse
from carom.cli import main
from carom.errors import CaromError, StorageError, StorageWarning
from carom.storage import checkpoint
from carom.storage.exports import export
from carom.storage.lock import Lock
from carom.storage.recording import Recording
from carom.storage.tape import Tape

BEFORE = Path(__file__).parent / "carom-0.1.0"
TOLD = json.loads((BEFORE / "told.json").read_text(encoding="utf-8"))
ON = "carom 0.1.0 recorded it, and its collisions rounded differently: this version cannot go on to the same bits"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The files as carom 0.1.0 wrote them."""
    for each in BEFORE.glob("*.h5*.xz"):
        (tmp_path / each.stem).write_bytes(lzma.decompress(each.read_bytes()))
    return tmp_path


def summed(rows: NDArray[Any]) -> str:
    return sha256(np.ascontiguousarray(rows).tobytes()).hexdigest()


def line_of(what: Any, *arguments: Any) -> str:
    """The line of an error."""
    with pytest.raises(CaromError) as told:
        what(*arguments)
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", TOLD)
def test_frames_collisions_and_observables_of_an_earlier_version_are_read(files: Path, name: str) -> None:
    told = TOLD[name]
    with Recording(files / f"{name}.h5") as recording:
        assert recording.format == 2
        assert recording.versions["carom"] == "0.1.0"
        assert recording.times.tolist() == told["times"]
        assert [summed(frame.positions) + summed(frame.velocities) for frame in recording] == told["frames"]
        assert [recording.at(t).time for t in told["times"]] == told["times"]
        assert {each.name: summed(each.values) for each in recording.observables.values()} == told["observables"]
        if told["collisions"] is None:
            assert recording.collisions is None
        else:
            assert recording.collisions is not None
            rows = recording.collisions[:]
            assert {column: summed(rows[column]) for column in told["collisions"]} == told["collisions"]
        assert len(recording.scene.balls) == 8
        assert recording.complete


def test_a_recording_says_by_which_version_it_was_made(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(carom, "__version__", "0.2.0")
    with Recording(files / "gas.h5") as recording:
        assert repr(recording).endswith("6 frames, 0 to 0.5 s, whole, by carom 0.1.0>")
    monkeypatch.setattr(carom, "__version__", "0.1.0")
    with Recording(files / "gas.h5") as recording:
        assert repr(recording).endswith("6 frames, 0 to 0.5 s, whole>")
    assert dict(analyse(files / "gas.h5").facts)["written by"].startswith("carom 0.1.0, ")
    assert main(["analyse", str(files / "gas.h5")]) == 0
    assert re.search(r"written by +carom 0\.1\.0, ", capsys.readouterr().out)


def test_no_instant_between_frames_is_rebuilt_by_other_laws(files: Path) -> None:
    with Recording(files / "gas.h5") as recording:
        assert not recording.exact
        line = line_of(recording.at, 0.25)
        assert "no frame was kept at 0.25 s, and carom 0.1.0 recorded this run: its collisions rounded" in line
        assert line.endswith("Only its frames can be shown, 6 in all (.times); the nearest are at 0.2, 0.3 s.")
        assert ON in line_of(lambda: recording.history)
    with Recording(files / "steps.h5") as recording:
        assert "no frame was kept at 0.25 s, and this run cannot be rebuilt" in line_of(recording.at, 0.25)


@pytest.mark.parametrize("name", TOLD)
def test_no_recording_of_an_earlier_version_is_continued(
    files: Path, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = files / f"{name}.h5"
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    with Recording(path) as recording:
        line = line_of(recording.simulation, 0.2)
        assert ON in line
        assert "run its scene again: Simulation(recording.scene)" in line
        assert carom.Simulation(recording.scene).run(until=0.1).time == 0.1
    line = line_of(carom.Simulation.resume, path)
    assert "carom 0.1.0 has written it, and its recording cannot be continued" in line
    assert main(["resume", str(path), "--until", "1"]) == 1
    assert capsys.readouterr().err == f"{line}\n"
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", TOLD)
def test_a_run_goes_on_from_a_checkpoint_of_an_earlier_version(files: Path, name: str) -> None:
    path = files / f"{name}.h5"
    with pytest.warns(StorageWarning, match=r"saved with carom 0\.1\.0 .* perhaps not to the same bits"):
        sim = carom.Simulation.resume(path, record=False)
    with Recording(path) as recording:
        assert sim.time == recording.times[-1]
        np.testing.assert_array_equal(sim.positions, recording[-1].positions)
        energy = sim.energy
    before = sim.collisions
    sim.run(until=sim.time + 1.0)
    assert sim.collisions > before
    if sim.solver == "exact":
        assert sim.energy == pytest.approx(energy, rel=1e-12)
    sim.save(files / "now.checkpoint")
    assert carom.Simulation.resume(files / "now.checkpoint").time == sim.time


def test_rows_of_now_are_not_added_to_a_recording_of_an_earlier_version(files: Path) -> None:
    path = files / "gas.h5"
    with Recording(path) as recording:
        mark, rows = recording.mark, {name: len(recording.column(name)) for name in recording.names}
    assert ON in line_of(Tape.resume, path, mark, rows, Lock(path))


def test_a_new_recording_takes_the_place_of_an_old_one_and_its_checkpoint(files: Path) -> None:
    path = files / "gas.h5"
    carom.Simulation(carom.library.load("gas", count=8)).record(path, force=True).close()
    assert not checkpoint.checkpoint_of(path).exists()
    with Recording(path) as recording:
        assert recording.exact


def test_an_old_recording_is_exported(files: Path) -> None:
    for ending in ("xyz", "h5md"):
        export(files / "gas.h5", files / f"out.{ending}")
        assert (files / f"out.{ending}").stat().st_size > 1000


def test_a_later_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    carom.Simulation(carom.library.load("gas", count=8)).save(path)
    arrays = dict(np.load(path))
    told = json.loads(arrays["told"].tobytes())
    assert told["format"] == checkpoint.FORMAT == 2
    assert told["versions"]["carom"] == carom.__version__
    told["format"] += 1
    with path.open("wb") as file:
        np.savez(file, **arrays | {"told": np.frombuffer(json.dumps(told).encode(), np.uint8)})  # type: ignore[arg-type]  # mypy takes them for the option
    with pytest.raises(StorageError, match="a later carom has written it"):
        checkpoint.read(path)
