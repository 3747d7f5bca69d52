"""Recordings with damaged bytes: what is read is what was written, or refused; never other numbers."""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom.errors import StorageError
from carom.observe.frame import Frame
from carom.scene.io.files import dumps
from carom.storage.recording import Recording

PLACES = 200
"""Random places of damage in each kind of file."""
TIMES = (0.0123, 0.1, 0.2718, 0.4142, 0.5)


def flip(data: bytearray, place: int) -> None:
    data[place] ^= 1 << place % 8


def zero(length: int) -> Callable[[bytearray, int], None]:
    def change(data: bytearray, place: int) -> None:
        end = min(place + length, len(data))
        data[place:end] = bytes(end - place)

    return change


DAMAGES = {"flipped bit": flip, "zeroed word": zero(8), "zeroed block": zero(512)}


def write(path: Path) -> None:
    """A run with edits and several pages of history."""
    scene = carom.library.load("gas", count=60, seed=3)
    sim = carom.Simulation(scene)
    with sim.record(path, every=0.02, observables=["energy", "speeds"]) as recorder:
        sim.run(until=0.3)
        sim.change(0, velocity=(0.1, 0.2))
        recorder.flush()
        sim.run(until=0.5)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("closed") / "gas.h5"
    write(path)
    return path


@pytest.fixture(scope="module")
def unclosed(tmp_path_factory: Any) -> Path:
    """A file as a killed writer leaves it."""
    path: Path = tmp_path_factory.mktemp("unclosed") / "gas.h5"
    sim = carom.Simulation(carom.library.load("gas", count=30, seed=3))
    with sim.record(path, every=0.02, observables=["energy"]) as recorder:
        for until in (0.1, 0.3, 0.5):
            sim.run(until=until)
            recorder.flush()
        return Path(shutil.copy(path, path.with_name("unclosed.h5")))


def bits(frame: Frame) -> bytes:
    arrays = (frame.positions, frame.velocities, frame.turns)
    return b"".join(np.ascontiguousarray(each).tobytes() for each in arrays if each is not None)


def questions(recording: Recording) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that can be asked of a recording."""
    yield "scene", lambda: dumps(recording.scene, "json")
    yield "head", lambda: [recording.solver, recording.mark, recording.walls, recording.source]
    yield "told", lambda: [recording.wish, recording.triggers, recording.origin, recording.versions]
    yield "state", lambda: [recording.complete, recording.span, recording.exact, len(recording)]
    yield "times", lambda: [recording.times.tolist(), recording.steps.tolist()]
    yield "bodies", lambda: [recording.masses.tolist(), recording.radii.tolist()]
    yield "frames", lambda: [bits(frame) for frame in recording]
    yield "collisions", lambda: recording.collisions[:].tobytes() if recording.collisions is not None else None
    yield "observables", lambda: [repr(each.values.tolist()) for each in recording.observables.values()]
    yield "their columns", lambda: [str(each.columns) + each.unit for each in recording.observables.values()]
    for t in TIMES:
        yield f"at {t}", lambda t=t: bits(recording.at(t))


def answers(path: Path) -> dict[str, Any]:
    """What a file gives; what it refuses is left out."""
    found: dict[str, Any] = {}
    with suppress(StorageError), Recording(path) as recording:
        for name, ask in questions(recording):
            with suppress(StorageError):
                found[name] = ask()
    return found


def check(sound: Path, target: Path, places: list[int]) -> None:
    """Damage the file at each place, and compare what is read."""
    whole, data = answers(sound), sound.read_bytes()
    with Recording(sound) as recording:
        assert len(whole) == len(list(questions(recording))), "all is there of the sound file"
    wrong = []
    for k, place in enumerate(places):
        kind = list(DAMAGES)[k % len(DAMAGES)]
        damaged = bytearray(data)
        DAMAGES[kind](damaged, place)
        target.write_bytes(damaged)
        wrong += [f"{kind} at {place}: {name}" for name, found in answers(target).items() if found != whole[name]]
    assert not wrong


def at_random(path: Path, count: int) -> list[int]:
    chance, size = random.Random(11), path.stat().st_size
    return [chance.randrange(size) for _ in range(count)]


@pytest.mark.requirement("T-08")
def test_damage_changes_no_number_of_a_recording(tmp_path: Path, closed: Path) -> None:
    with Recording(closed) as recording:
        assert len(recording.column("carom/history/frame_since")) > 2
        assert len(recording.column("carom/history/chapter_first")) == 2
    check(closed, tmp_path / "damaged.h5", at_random(closed, PLACES))


@pytest.mark.requirement("T-08")
def test_damage_changes_no_number_of_a_recording_whose_writer_was_killed(tmp_path: Path, unclosed: Path) -> None:
    check(unclosed, tmp_path / "damaged.h5", at_random(unclosed, PLACES // 4))


def test_damage_of_what_never_changes_is_told(tmp_path: Path, closed: Path) -> None:
    """In the scene, where a digit is a digit and no library complains."""
    data = closed.read_bytes()
    place = data.index(b'"position"') + 30
    digits = [k for k in range(place, place + 200) if chr(data[k]).isdigit()]
    path = tmp_path / "damaged.h5"
    for k in digits[:20]:
        path.write_bytes(data[:k] + (b"7" if data[k : k + 1] != b"7" else b"3") + data[k + 1 :])
        with pytest.raises(StorageError, match=r"carom/scene is damaged: its checksum is another"):
            Recording(path)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_damage_everywhere(tmp_path: Path, closed: Path) -> None:
    check(closed, tmp_path / "damaged.h5", list(range(0, closed.stat().st_size, 97)))
