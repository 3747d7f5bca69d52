"""Checkpoints that were broken, or made to do harm: one line, soon; nothing is executed, and no file is touched."""

import io
import json
import os
import pickle
import random
import shutil
import struct
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

import carom
from carom.cli import main
from carom.errors import CaromError, StorageError
from carom.storage.checkpoint import checkpoint_of, read
from effort import examples

SOON = 2.0
"""Seconds of the processor in which any file is refused."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: Any) -> Path:
    """A folder with a recording and its checkpoint."""
    folder: Path = tmp_path_factory.mktemp("sound")
    sim = carom.Simulation(carom.library.load("gas", count=8))
    sim.record(folder / "gas.h5", every=0.1, checkpoint=1000.0, observables=["energy"]).close()
    return folder


@pytest.fixture
def folder(tmp_path: Path, sound: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(sound, tmp_path / "run"))


def parts_of(path: Path) -> dict[str, NDArray[Any]]:
    return dict(np.load(checkpoint_of(path)))


def write(path: Path, parts: dict[str, NDArray[Any]]) -> None:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **parts)  # type: ignore[arg-type]  # mypy takes them for the option


def text(content: Any) -> NDArray[np.uint8]:
    return np.frombuffer(content if isinstance(content, bytes) else json.dumps(content).encode(), np.uint8)


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def refusal(path: Path) -> str:
    """The line that a checkpoint is refused with; no file beside it is touched."""
    before, began = contents(path.parent), time.process_time()
    with pytest.raises(CaromError) as told:
        carom.Simulation.resume(path)
    assert time.process_time() - began < SOON
    assert contents(path.parent) == before
    line = str(told.value)
    assert line.isprintable()
    assert len(line) < 500 + len(str(path))
    return line


@pytest.mark.parametrize(
    "change",
    [
        {"goal": {"until": "soon"}}, {"goal": {"until": float("nan")}}, {"goal": {"until": -1.0}}, {"goal": []},
        {"goal": {"collisions": 1.5}}, {"goal": {"collisions": 10**30}}, {"goal": {"source": 5}},
        {"rows": {"carom/until": 10**30}}, {"rows": {"carom/until": 10**12}}, {"rows": {"../x": 1}},
        {"mark": "x" * 32}, {"triggers": [{"kind": "every", "dt": 0.0}]}, {"triggers": [{"kind": "no"}]},
        {"observables": ["energy", "energy"]}, {"observables": ["\x1b[31m"]}, {"events": "yes"},
    ],
)  # fmt: skip
def test_what_is_told_of_the_recording_is_checked(folder: Path, change: dict[str, Any]) -> None:
    path, parts = folder / "gas.h5", parts_of(folder / "gas.h5")
    told = json.loads(parts["told"].tobytes())
    told["recording"] |= change
    write(checkpoint_of(path), {**parts, "told": text(told)})
    refusal(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 99}, "a later carom has written it. Update carom"),
        ({"wish": {"step": 1e-3}}, "is no checkpoint of carom (wish.integrator: Field required)"),
        ({"versions": {"carom": "x" * 10**6}}, "is no checkpoint of carom (versions.carom: String should have at most"),
        ({"solver": "\x1b[2J"}, "is no checkpoint of carom (solver: Input should be 'exact' or 'stepped')"),
    ],
)
def test_what_is_told_of_the_run_is_checked(folder: Path, change: dict[str, Any], words: str) -> None:
    path, parts = folder / "gas.h5", parts_of(folder / "gas.h5")
    told = json.loads(parts["told"].tobytes()) | change
    write(checkpoint_of(path), {**parts, "told": text(told)})
    assert words in refusal(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            b'{"generator": {"kind": "gas", "count": 1000000000}}',
            "the scene has a generator, where its balls should be",
        ),
        (b'{"structures": []}', "the scene has a structures, where its balls should be"),
        (b'{"balls": []}', "has the shape"),  # a scene, but not that of the state
        (b"[" * 10**6, "nested too deeply"),
        (b'{"balls": {"position": [[1e999, 0]]}}', "is no checkpoint of carom ("),
        (b"", "is no checkpoint of carom ("),
        (b"\xff", "is no checkpoint of carom ("),
    ],
)
def test_a_hostile_scene_inside(tmp_path: Path, folder: Path, content: bytes, words: str) -> None:
    parts = parts_of(folder / "gas.h5")
    told = json.loads(parts["told"].tobytes()) | {"recording": {}}
    path = tmp_path / "alone" / "a.checkpoint"
    path.parent.mkdir()
    write(path, {**parts, "told": text(told), "scene": text(content)})
    assert words in refusal(path)


class Harm:
    """Makes a file when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.target),))


def test_nothing_is_executed(tmp_path: Path) -> None:
    """Neither a pickle, nor an array of objects, which numpy keeps as one."""
    path, harm = tmp_path / "a.checkpoint", tmp_path / "harmed"
    path.write_bytes(pickle.dumps(Harm(harm)))
    refusal(path)
    with path.open("wb") as file:
        np.savez(file, told=np.array([Harm(harm)], object))
    refusal(path)
    assert not harm.exists()


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return path


def headed(shape: tuple[int, ...], kind: str = "<f8", data: bytes = b"") -> bytes:
    """An array of numpy that says it has a shape."""
    head = io.BytesIO()
    write_array_header_1_0(head, {"descr": kind, "fortran_order": False, "shape": shape})
    return head.getvalue() + data


@pytest.mark.parametrize(
    "data",
    [
        headed((10**12,)), headed((2**62, 2**62)), headed((-1,), data=bytes(8)), headed((0, 10**15)),
        headed((10**9,), "|V0"), headed((3,), "|O", bytes(24)), headed((2**40,), "|S0"),
        b"\x93NUMPY\x01\x00" + struct.pack("<H", 60000) + b"(" * 60000,
        b"\x93NUMPY\x01\x00" + struct.pack("<H", 40) + b"{'descr': __import__('os').abort()}    \n",
        b"\x93NUMPY\x03\x00" + bytes(99), b"\x93NUMPY", b"", b"x" * 1000,
    ],
)  # fmt: skip
def test_arrays_that_lie(tmp_path: Path, data: bytes) -> None:
    assert "is no checkpoint of carom" in refusal(archive(tmp_path / "a.checkpoint", {"told.npy": data}))


def test_members_that_swell_or_lie_over_each_other(tmp_path: Path) -> None:
    bomb = archive(tmp_path / "a.checkpoint", {"told.npy": bytes(10**8)}, zipfile.ZIP_DEFLATED)
    assert "is no checkpoint of carom" in refusal(bomb)
    path = archive(tmp_path / "b.checkpoint", {"told.npy": headed((10**5,), data=bytes(8 * 10**5))})
    data = path.read_bytes()
    at = data.index(b"PK\x01\x02")
    entry, end = data[at : data.index(b"PK\x05\x06")], data[data.index(b"PK\x05\x06") :]
    many = 1000  # entries of the directory, all of the same member
    tail = end[:8] + struct.pack("<HHI", many, many, many * len(entry)) + end[16:]
    path.write_bytes(data[:at] + many * entry + tail)
    bomb.unlink()
    assert "is no checkpoint of carom" in refusal(path)


@pytest.mark.parametrize("name", ["pipe.checkpoint", "/dev/zero", "folder.checkpoint", "none.checkpoint", "none\0.h5"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.checkpoint")
    Path("folder.checkpoint").mkdir()
    with pytest.raises(StorageError) as told:
        carom.Simulation.resume(name)
    assert str(told.value).isprintable()


@pytest.mark.parametrize(
    "goal", [{"until": "x"}, {"collisions": []}, {"until": 1e999}, {"until": None, "source": "\x1b[2J"}]
)
def test_the_command_tells_a_line(folder: Path, capsys: pytest.CaptureFixture[str], goal: dict[str, Any]) -> None:
    path, parts = folder / "gas.h5", parts_of(folder / "gas.h5")
    told = json.loads(parts["told"].tobytes())
    told["recording"]["goal"] = goal
    write(checkpoint_of(path), {**parts, "told": text(told)})
    before = contents(folder)
    assert main(["resume", str(path)]) in (1, 2)
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.strip().isprintable()
    assert contents(folder) == before


def test_a_recording_is_continued_from_rows_alone(folder: Path) -> None:
    """What else someone has put into the old file is not carried over: attributes, groups, other datasets."""
    import h5py  # noqa: PLC0415  # as in the sources

    path = folder / "gas.h5"
    with h5py.File(path, "r+", libver="latest") as file:
        file["carom/more"] = np.arange(5)
        file["carom"].attrs["more"] = ["a text"] * 1000
        file["particles/balls/position/value"].attrs["unit"] = "a text of any length"
    carom.Simulation.resume(path).run(until=0.3).recorder.close()
    with h5py.File(path) as file:
        assert "more" not in file["carom"]
        assert "more" not in file["carom"].attrs
        assert "unit" not in file["particles/balls/position/value"].attrs
        assert file["particles/balls/velocity/value"].attrs["unit"] == "m s-1"
        assert file["particles/balls/box"].attrs["boundary"].tolist() == ["periodic", "periodic"]
    with carom.Recording(path) as found:
        assert found.times.tolist() == [0.0, 0.1, 0.2, 0.3]


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), end=st.floats(0.0, 1.0), flips=st.sampled_from([0, 1, 2, 8, 100]))
def test_torn_and_flipped_checkpoints(tmp_path: Path, sound: Path, seed: int, end: float, flips: int) -> None:
    data, chance = bytearray(checkpoint_of(sound / "gas.h5").read_bytes()), random.Random(seed)
    for _ in range(flips):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path = tmp_path / "torn.checkpoint"
    path.write_bytes(data if flips else data[: int(end * len(data))])
    line = ""
    try:
        read(path)
    except StorageError as error:
        line = str(error)
    assert line.isprintable()


@pytest.mark.slow
def test_a_checkpoint_cut_every_few_bytes(tmp_path: Path, sound: Path) -> None:
    data, path = checkpoint_of(sound / "gas.h5").read_bytes(), tmp_path / "cut.checkpoint"
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        with pytest.raises(StorageError):
            read(path)
