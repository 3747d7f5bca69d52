"""The field's own readers open what carom writes, and find the same numbers."""

import importlib
import warnings
from pathlib import Path
from typing import Any

import gsd.hoomd
import numpy as np
import pytest

import carom
from carom.errors import StorageError
from carom.storage.exports import export
from carom.storage.recording import Recording


@pytest.fixture(scope="module", params=[2, 3])
def gas(request: Any, tmp_path_factory: Any) -> Path:
    """A recorded gas in two and in three dimensions."""
    path = tmp_path_factory.mktemp("gas") / "gas.h5"
    sim = carom.Simulation(carom.library.load("gas", count=64, dimension=request.param))
    with sim.record(path, every=0.1, observables=["energy", "momentum"]):
        sim.run(until=0.5)
    return path


def three(rows: np.ndarray) -> np.ndarray:
    return np.pad(rows, ((0, 0), (0, 3 - rows.shape[1])))


def opened_by_mdanalysis(path: Path, count: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        universe: Any = importlib.import_module("MDAnalysis").Universe.empty(count, trajectory=False)
        universe.load_new(str(path), format="H5MD", convert_units=False)
    return universe


def check_mdanalysis(path: Path, recording: Recording) -> None:
    universe = opened_by_mdanalysis(path, len(recording.masses))
    assert len(universe.trajectory) == len(recording) == 6
    for frame, step in zip(recording, universe.trajectory, strict=True):
        assert step.time == frame.time
        np.testing.assert_array_equal(step.positions, three(frame.positions).astype(np.float32))
        np.testing.assert_array_equal(step.velocities, three(frame.velocities).astype(np.float32))
        np.testing.assert_array_equal(
            step.dimensions[: recording.dimension], np.asarray(recording.sizes).astype(np.float32)
        )
    universe.trajectory.close()


@pytest.mark.requirement("T-08")
def test_mdanalysis_opens_the_recording_itself(gas: Path) -> None:
    with Recording(gas) as recording:
        if recording.dimension == 3:
            check_mdanalysis(gas, recording)
            return
    with pytest.raises(ValueError, match="only supports 3-dimensional"):
        opened_by_mdanalysis(gas, 64)


@pytest.mark.requirement("T-08")
def test_mdanalysis_opens_the_export_of_either_dimension(gas: Path, tmp_path: Path) -> None:
    export(gas, tmp_path / "gas.h5md")
    with Recording(gas) as recording:
        check_mdanalysis(tmp_path / "gas.h5md", recording)


@pytest.mark.requirement("T-08")
def test_gsd_opens_the_export(gas: Path, tmp_path: Path) -> None:
    export(gas, tmp_path / "gas.gsd")
    with Recording(gas) as recording, gsd.hoomd.open(str(tmp_path / "gas.gsd"), "r") as file:
        assert len(file) == len(recording)
        sizes = np.asarray(recording.sizes)
        for k, (frame, one) in enumerate(zip(recording, file, strict=True)):
            assert one.configuration.dimensions == recording.dimension
            assert one.configuration.step == recording.steps[k]
            np.testing.assert_allclose(one.configuration.box[: recording.dimension], sizes, rtol=1e-7)
            expected = three(frame.positions - 0.5 * sizes).astype(np.float32)
            np.testing.assert_array_equal(one.particles.position, expected)
            np.testing.assert_array_equal(one.particles.velocity, three(frame.velocities).astype(np.float32))
            np.testing.assert_array_equal(one.particles.image[:, : recording.dimension], frame.turns)
            np.testing.assert_array_equal(one.particles.diameter, (2.0 * recording.radii).astype(np.float32))
            assert one.log["time"][0] == frame.time
            assert one.log["energy"][0] == recording.observables["energy"].values[k]


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("ending", [".gsd", ".xyz"])
def test_ovito_opens_the_exports(gas: Path, tmp_path: Path, ending: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        import_file: Any = importlib.import_module("ovito.io").import_file

    export(gas, tmp_path / f"gas{ending}")
    pipeline = import_file(str(tmp_path / f"gas{ending}"))
    with Recording(gas) as recording:
        assert pipeline.source.num_frames == len(recording)
        sizes = np.asarray(recording.sizes)
        for k, frame in enumerate(recording):
            data = pipeline.compute(k)
            assert data.particles.count == 64
            places = np.asarray(data.particles.positions)
            if ending == ".gsd":
                places = places[:, : recording.dimension] + 0.5 * sizes
                np.testing.assert_allclose(places, frame.positions, atol=1e-6 * sizes.max())
            else:
                ulp = 4e-16  # it reads decimals to within a bit
                np.testing.assert_allclose(places, three(frame.positions), rtol=ulp)
                np.testing.assert_allclose(np.asarray(data.particles["Velocity"]), three(frame.velocities), rtol=ulp)
                np.testing.assert_allclose(np.asarray(data.particles["Radius"]), recording.radii, rtol=1e-7)
            assert data.cell is not None
            assert list(data.cell.pbc)[: recording.dimension] == [True] * recording.dimension
            np.testing.assert_allclose(np.diag(data.cell[:3, :3])[: recording.dimension], sizes, rtol=1e-6)


def test_materials_whose_names_have_spaces_are_one_word_in_xyz(tmp_path: Path) -> None:
    names = ["hard  steel", "old\u2003oak ", "hard_steel", "rubber"]
    balls = [
        carom.Ball(position=(0.5, 0.2 + 0.25 * k), velocity=(1, 0), radius=0.1, mass=1.0, material=name)
        for k, name in enumerate(names)
    ]
    scene = carom.Scene(balls=balls, boundary=carom.Box(size=(1, 1.2)))
    sim = carom.Simulation(scene)
    with sim.record(tmp_path / "run.h5", every=0.1):
        sim.run(until=0.2)
    export(tmp_path / "run.h5", tmp_path / "run.xyz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        import_file: Any = importlib.import_module("ovito.io").import_file
    pipeline = import_file(str(tmp_path / "run.xyz"))
    with Recording(tmp_path / "run.h5") as recording:
        assert pipeline.source.num_frames == len(recording) == 3
        for k, frame in enumerate(recording):
            data = pipeline.compute(k)
            kinds = {each.id: each.name for each in data.particles.particle_types.types}
            found = [kinds[code] for code in np.asarray(data.particles.particle_types)]
            assert found == ["hard_steel", "old_oak", "hard_steel_2", "rubber"]
            np.testing.assert_allclose(np.asarray(data.particles.positions), three(frame.positions), rtol=4e-16)


def test_missing_balls_are_left_out(tmp_path: Path) -> None:
    balls = [carom.Ball(position=(0, y), radius=0.1, mass=1.0, born=t) for y, t in ((0, 0.0), (1, 0.25))]
    sim = carom.Simulation(carom.Scene(balls=balls), step=0.01)
    with sim.record(tmp_path / "born.h5", every=0.2):
        sim.run(until=0.4)
    export(tmp_path / "born.h5", tmp_path / "born.xyz")
    lines = (tmp_path / "born.xyz").read_text().splitlines()
    assert [line for line in lines if line.isdecimal()] == ["1", "1", "2"]
    assert 'pbc="F F F"' in lines[1]
    assert lines[-1].split()[1:3] == ["0.0", "1.0"]
    assert "nan" not in "".join(lines)


def test_a_wrong_ending_is_told_and_nothing_is_left(gas: Path, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"the ending '\.pdb' tells no format\. Use \.gsd or"):
        export(gas, tmp_path / "gas.pdb")

    def stop(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(gas, tmp_path / "gas.xyz", stop)
    assert not list(tmp_path.iterdir())


def test_progress_is_told(gas: Path, tmp_path: Path) -> None:
    told: list[float] = []
    export(gas, tmp_path / "gas.xyz", told.append)
    assert told[-1] == 1.0
    assert told == sorted(told)


def test_a_recording_is_not_replaced_by_itself(gas: Path, tmp_path: Path) -> None:
    own = tmp_path / "gas.h5md"
    own.write_bytes(gas.read_bytes())
    with pytest.raises(StorageError, match=r"gas\.h5md: is the recording itself\. Choose another name\."):
        export(own, own)
    assert own.read_bytes() == gas.read_bytes()


def test_what_was_measured_is_read_once(gas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    series = Recording._series

    def counted(self: Recording, name: str) -> Any:
        read.append(name)
        return series(self, name)

    monkeypatch.setattr(Recording, "_series", counted)
    export(gas, tmp_path / "gas.gsd")
    assert sorted(read) == ["energy", "momentum"]
