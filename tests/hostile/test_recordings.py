"""Recordings that were broken, or made to do harm: one line, soon, in little memory; nothing else is touched."""

import os
import random
import resource
import shutil
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import carom
from carom.cli import main
from carom.errors import CaromError, StorageError
from carom.storage import formats, inventory
from carom.storage.hdf5 import chunks
from carom.storage.recording import Recording
from effort import examples

Change = Callable[[Any], object]

SOON = 5.0
"""Seconds in which any file is refused, on a machine that does other things too."""
LITTLE = 2**29
"""Bytes that reading may take beyond what the program has."""
TIMES, PLACES, SPEEDS = (f"particles/balls/{name}" for name in ("position/time", "position/value", "velocity/value"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: Any) -> Path:
    """A short recording, to be broken."""
    path: Path = tmp_path_factory.mktemp("sound") / "gas.h5"
    sim = carom.Simulation(carom.library.load("gas", count=8))
    with sim.record(path, every=0.1, observables=["energy", "speeds"]):
        sim.run(until=0.5)
    return path


def look_through(path: Path) -> None:
    """All that can be asked of a recording."""
    with Recording(path) as found:
        assert len(list(found)) == len(found.steps) == len(found.times)
        assert found.collisions is not None
        found.collisions[:]
        found.collisions.between(0.1, 0.2)
        assert {"energy", "speeds"} <= set(found.observables)
        for t in (found.span[0], 0.123, found.span[1]):
            found.at(t)


def refusal(path: Path, look: Callable[[Path], object] = look_through) -> str:
    """The line that a file is refused with; reading must leave it as it is."""
    before, began = path.read_bytes(), time.process_time()
    with pytest.raises(CaromError) as told:
        look(path)
    assert time.process_time() - began < SOON
    assert path.read_bytes() == before
    line = str(told.value)
    assert line.startswith(f"{path}: ")
    assert line.isprintable()
    assert len(line) < 500 + len(str(path))
    return line


@contextmanager
def little_memory() -> Iterator[None]:
    """The system gives no more than a little."""
    kept = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + LITTLE, kept[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, kept)


def changed(sound: Path, folder: Path, change: Change) -> Path:
    """A copy of the recording that someone has had in hands, who knows where digests are."""
    path = folder / "gas.h5"
    shutil.copy(sound, path)
    with h5py.File(path, "r+", libver="latest") as file:
        change(file)
        vouch(file)
    return path


def vouch(file: Any) -> None:
    """Give what does not grow the digests that its bytes have now."""

    def again(name: str, each: Any) -> None:
        if isinstance(each, h5py.Dataset) and each.chunks is None and each.size < 10**6 and name != TIMES:
            each.attrs[formats.DIGEST] = np.bytes_(formats.digest(each[()]))

    file.visititems(again)
    own = file["carom"].attrs
    if all(isinstance(own.get(name), bytes) for name in formats.TEXTS):
        own[formats.DIGEST] = np.bytes_(formats.digest_of_texts(own))


def put(name: str, value: Any, where: Any = ...) -> Change:
    """Other numbers."""

    def change(file: Any) -> None:
        file[name][where] = value

    return change


def instead(name: str, **made: Any) -> Change:
    """Another dataset there."""

    def change(file: Any) -> None:
        del file[name]
        file.create_dataset(name, **made)

    return change


def linked(name: str, link: Any) -> Change:
    """A link there."""

    def change(file: Any) -> None:
        del file[name]
        file[name] = link

    return change


def attribute(name: str, value: Any, owner: str = "carom") -> Change:
    def change(file: Any) -> None:
        file[owner].attrs[name] = value

    return change


def swelling(file: Any) -> None:
    """A chunk of a megabyte that unpacks to a gigabyte, put together from blocks that are all alike."""
    press = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = press.compress(bytes(2**20)) + press.flush(zlib.Z_FULL_FLUSH)
    check = (2**30 % 65521 << 16 | 1).to_bytes(4, "big")  # Adler-32 of so many zeros
    file[TIMES].id.write_direct_chunk((0,), b"\x78\xda" + 1024 * block + b"\x03\x00" + check)


def swelling_a_little(file: Any) -> None:
    """A chunk that is as short as it should be, and unpacks to more than it should."""
    data = zlib.compress(bytes(file[TIMES].chunks[0] * 8 * 200), 9)
    file[TIMES].id.write_direct_chunk((0,), data)


def cut_short(file: Any) -> None:
    file[TIMES].id.write_direct_chunk((0,), zlib.compress(bytes(80)))


def counted(name: str, rows: int) -> Change:
    """A column that says it has so many rows, most of which nobody has written."""

    def change(file: Any) -> None:
        file[name].resize(rows, axis=0)
        told, names = file["carom/rows"], [bytes(each).decode() for each in file["carom/rows"].attrs["datasets"]]
        told[-1, names.index(name)] = rows

    return change


def pressed(file: Any) -> None:
    """A column of rows that are all the same, and which are all there: a thousandth of what they take in memory."""
    data = zlib.compress(bytes(np.prod(file["carom/edits"].chunks) * 8), 9)
    rows = file["carom/edits"].chunks[0]
    counted("carom/edits", rows * 1500)(file)
    for k in range(1500):
        file["carom/edits"].id.write_direct_chunk((k * rows, 0), data)


def elsewhere(file: Any) -> None:
    """A dataset whose rows are in a file that is not this one."""
    del file[TIMES]
    file.create_dataset(TIMES, (6,), "f8", external=[("/etc/passwd", 0, 48)])


def virtual(file: Any) -> None:
    layout = h5py.VirtualLayout((6,), "f8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", (6,))
    del file[TIMES]
    file.create_virtual_dataset(TIMES, layout)


def with_a_wall(file: Any) -> None:
    """A collision with a wall that is not there."""
    for name, value in (("kind", 2), ("b", 0xFFFFFFFF), ("wall", 77)):
        file[f"carom/collisions/{name}"][5] = value


def scene(content: bytes) -> Change:
    return instead("carom/scene", data=np.bytes_(content))


def kind_of_file(**options: Any) -> Change:
    """The times, in another kind of dataset."""
    return instead(TIMES, data=np.arange(6.0), chunks=(6,), maxshape=(None,), **options)


HARMFUL: dict[str, tuple[Change, str]] = {
    "a chunk that swells": (swelling, "a chunk is larger than chunks are"),
    "a chunk that swells a little": (swelling_a_little, "a chunk is longer than chunks are"),
    "a chunk that is cut short": (cut_short, "a chunk is shorter than chunks are"),
    "rows without end": (counted("carom/until", 10**13), "carom/until has rows that are not in the file"),
    "rows that were never written": (counted("carom/edits", 5_000), "rows are counted that were never written"),
    "rows pressed to nothing": (pressed, "carom/edits has 393 MB to read at once, which so small a file cannot hold"),
    "a chunk of all rows": (
        instead(TIMES, shape=(6,), dtype="f8", chunks=(2**28,), maxshape=(None,)), "position/time is no column of rows",
    ),
    "a column that is not counted": (
        instead("particles/balls/species", shape=(2**33,), dtype="i4", chunks=(2**20,)), "species is a column that is",
    ),
    "a dataset larger than the file": (
        instead("particles/balls/species", shape=(2**33,), dtype="i4"), "species is larger than the file",
    ),
    "a link to another file": (linked("observables", h5py.ExternalLink("/dev/zero", "/")), "is a link that leads"),
    "a link to another name": (linked("observables", h5py.SoftLink("/carom")), "observables is a link that"),
    "a link within a group": (linked(TIMES, h5py.SoftLink("/carom/until")), "position/time is a link that"),
    "rows in another file": (elsewhere, "position/time has its rows in another file"),
    "rows put together from others": (virtual, "position/time has its rows in another file"),
    "a filter that is no part of HDF5": (kind_of_file(compression="lzf"), "packed in a way that carom does not know"),
    "a filter of HDF5 that is not ours": (kind_of_file(fletcher32=True), "packed in a way that carom does not know"),
    "references": (instead("carom/walls", shape=(), dtype=h5py.ref_dtype), "walls holds neither numbers nor a text"),
    "a text of any length": (instead("carom/walls", data="[]"), "walls holds neither numbers nor a text"),
    "records": (instead("carom/walls", shape=(3,), dtype=[("a", "f8")]), "walls holds neither numbers nor a text"),
    "a named type": (linked("carom/walls", np.dtype("f8")), "carom/walls is neither a group nor a dataset"),
    "an attribute of any length": (attribute("source", "gas"), "source is neither a number nor a text of known length"),
    "an attribute without end": (attribute("source", np.bytes_(b"x" * 2**25)), "the attribute source is too long"),
    "an attribute of references": (attribute("mark", h5py.Reference()), "the attribute mark is neither a number nor"),
    "numbers where names should be": (attribute("datasets", np.arange(9), "carom/rows"), "columns are missing"),
    "names twice": (attribute("datasets", np.full(35, b"carom/until"), "carom/rows"), "columns are missing, or there"),
    "no columns": (attribute("datasets", np.zeros(0, "S9"), "carom/rows"), "is no recording of carom ("),
    "a missing group": (lambda file: file.__delitem__("particles"), "is no recording of carom ("),
    "a missing attribute": (lambda file: file["carom"].attrs.__delitem__("wish"), "the attribute wish is missing"),
    "times as whole numbers": (instead(TIMES, data=np.arange(6), chunks=(6,)), "position/time is no column of such a"),
    "numbers of two bytes": (
        instead(PLACES, shape=(6, 8, 2), dtype="f2", chunks=(1, 8, 2)), "position/value is no column of such a run",
    ),
    "more balls than there are": (
        instead(SPEEDS, shape=(6, 9, 2), dtype="f8", chunks=(1, 9, 2)), "velocity/value is no column of such a run",
    ),
    "negative counts": (put("carom/rows", -5), "rows where -5 are counted"),
    "frames at no time": (put(TIMES, np.nan, 3), "its frames are at no times, or out of order"),
    "frames at the end of time": (put(TIMES, np.inf, 5), "its frames are at no times, or out of order"),
    "frames out of order": (put(TIMES, 9.0, 2), "its frames are at no times, or out of order"),
    "a run until no time": (put("carom/until", np.nan, -1), "its frames are at no times, or out of order"),
    "balls at infinity": (put(PLACES, np.inf, (1, 2, 0)), "balls are farther or faster than 1e+150"),
    "balls too fast to be squared": (put(SPEEDS, 1e300, (1, 2, 0)), "balls are farther or faster than 1e+150"),
    "frames before the first": (put("particles/balls/position/step", -3), "frames are from before the first collision"),
    "collisions with nobody": (put("carom/collisions/a", 8, 5), "collisions name balls or walls that are not there"),
    "collisions of no kind": (put("carom/collisions/kind", 9, 5), "collisions name balls or walls that are not there"),
    "collisions with no wall": (with_a_wall, "collisions name balls or walls that are not there"),
    "columns of other values": (
        instead("observables/speeds/columns", data=np.arange(3.0)), "the columns of speeds are others than its values",
    ),
    "a scene to be made": (scene(b'{"generator": {"kind": "gas", "count": 1000000000}}'), "the scene has a generator"),
    "a scene to be built": (scene(b'{"structures": [{"kind": "rope"}]}'), "the scene has a structures"),
    "a scene that is too deep": (scene(b"[" * 100_000), "nested too deeply"),
    "a scene of other letters": (scene(b"\xff\xfe{}"), "is no recording of carom ("),
    "a scene that cannot be": (scene(b'{"balls": [{"position": [0, 0], "radius": NaN}]}'), "is no recording"),
    "walls without names": (instead("carom/walls", data=np.bytes_(b"[1, 2]")), "is no recording of carom ("),
    "versions that are none": (attribute("versions", np.bytes_(b'{"carom": 1}')), "is no recording of carom ("),
    "a wish that is none": (attribute("wish", np.bytes_(b'{"step": -1}')), "is no recording of carom ("),
    "letters that steer a terminal": (attribute("wish", np.bytes_(b"\x1b[2J\x07")), "is no recording of carom ("),
    "a later carom": (attribute("format", 99), "a later carom has written it. Update carom"),
    "an earlier carom": (attribute("format", 1), "an earlier carom has written it, in another form. Record it anew"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_recording_is_refused_in_a_line(tmp_path: Path, sound: Path, name: str) -> None:
    change, words = HARMFUL[name]
    path = changed(sound, tmp_path, change)
    with little_memory():
        assert words in refusal(path)


def test_the_recording_that_is_broken_elsewhere_is_whole(tmp_path: Path, sound: Path) -> None:
    look_through(sound)
    look_through(changed(sound, tmp_path, lambda _: None))  # h5py has had it in hands too


def test_groups_that_hold_themselves_are_looked_through_once(tmp_path: Path, sound: Path) -> None:
    look_through(changed(sound, tmp_path, lambda file: file.__setitem__("carom/loop", file["/"])))


def test_objects_are_counted(tmp_path: Path, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "MAX_OBJECTS", 200)

    def many(file: Any) -> None:
        for k in range(200):
            file.create_group(f"more/{k}")

    assert "has more than 200 objects" in refusal(changed(sound, tmp_path, many))


def test_pages_are_counted(tmp_path: Path, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carom.storage.recording.PAGES", 0)
    monkeypatch.setattr("carom.storage.recording.PAGE", 2**40)
    assert "its history has more pages than events" in refusal(changed(sound, tmp_path, lambda _: None))


def test_what_is_read_at_once_is_bounded(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MAX_READ", 1000)
    monkeypatch.setattr(chunks, "MAX_EXPANSION", 0)
    with Recording(sound) as found:
        assert found.collisions is not None
        with pytest.raises(StorageError, match="MB to read at once, which so small a file cannot hold"):
            found.collisions[:]
        assert len(found.collisions[:10]) == 10
        monkeypatch.setattr(chunks, "ROWS_PER_READ", 100)  # parts of so many rows
        whole = found.column("carom/collisions/time")
        assert whole[::50].tolist() == [whole[k] for k in range(0, len(whole), 50)]


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_files_of_other_programs_are_refused(tmp_path: Path, version: str) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w", libver=version) as file:
        file["x"] = np.arange(5)
    assert "is no recording of carom" in refusal(path)


@pytest.mark.parametrize(
    "content", [b"", b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + bytes(40), b"PK\x03\x04", b"x" * 99]
)
def test_what_only_begins_as_a_recording_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.h5"
    path.write_bytes(content)
    refusal(path)


@pytest.mark.parametrize("command", [["analyse"], ["resume"], ["export", "out.xyz"], ["render", "out.svg"]])
@pytest.mark.parametrize("name", ["pipe.h5", "/dev/zero", "folder.h5", "none.h5"])
def test_commands_do_not_wait_for_what_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.h5")
    Path("folder.h5").mkdir()
    if name == "/dev/zero" and command[0] == "render":
        name = "pipe.h5"  # by its name, that is taken for a scene
    assert main([command[0], name, *command[1:]]) in (1, 2)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1, said
    assert name in said[0]


@pytest.mark.parametrize("command", [["analyse"], ["export", "out.gsd"], ["render", "out.png"]])
@pytest.mark.parametrize("name", ["a chunk that swells", "frames at no time", "letters that steer a terminal"])
def test_commands_tell_a_line(
    tmp_path: Path,
    sound: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    changed(sound, tmp_path, HARMFUL[name][0])
    assert main([command[0], "gas.h5", *command[1:]]) == 1
    said = capsys.readouterr().err
    assert said.startswith("gas.h5: ")
    assert said.strip().isprintable()
    assert os.listdir(".") == ["gas.h5"]  # noqa: PTH208  # also what is hidden


def test_names_in_a_recording_do_not_steer_the_terminal(
    tmp_path: Path, sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def steer(file: Any) -> None:
        file["carom"].attrs["versions"] = np.bytes_(b'{"carom": "1\\u001b[31m"}')
        file["observables/energy"].attrs["unit"] = np.bytes_(b"J\x1b]0;x\x07")

    path = changed(sound, tmp_path, steer)
    assert main(["analyse", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "\x07" not in out + err


def test_numbers_that_gsd_cannot_hold_are_refused(tmp_path: Path, sound: Path) -> None:
    pytest.importorskip("gsd")
    path = changed(sound, tmp_path, put(SPEEDS, 1e100, (1, 2, 0)))
    line = refusal(path, lambda each: carom.storage.exports.export(each, tmp_path / "a.gsd"))
    assert "has numbers above 3.4e38, which GSD cannot hold" in line
    assert [each.name for each in tmp_path.iterdir()] == ["gas.h5"]


def test_a_film_without_end_is_refused(tmp_path: Path, sound: Path) -> None:
    pytest.importorskip("matplotlib")
    path = changed(sound, tmp_path, put("carom/until", 1e15, -1))
    with Recording(path) as found, pytest.raises(CaromError, match=r"pictures, and the limit is 1,000,000\. Choose"):
        carom.video.film(found, tmp_path / "a.mp4")
    assert [each.name for each in tmp_path.iterdir()] == ["gas.h5"]


@pytest.mark.parametrize(("command", "target"), [("export", "a.xyz"), ("render", "a.svg"), ("analyse", "a.html")])
def test_nothing_is_overwritten_unasked(
    tmp_path: Path, sound: Path, monkeypatch: pytest.MonkeyPatch, command: str, target: str
) -> None:
    """Neither a file, nor what a link of that name leads to."""
    monkeypatch.chdir(tmp_path)
    for name in ("precious", target):
        Path(name).write_text("mine", encoding="utf-8")
    wanted = ["--report", target] if command == "analyse" else [target]
    assert main([command, str(sound), *wanted]) == 2
    Path(target).unlink()
    Path(target).symlink_to("precious")
    assert main([command, str(sound), *wanted]) == 2
    assert Path("precious").read_text(encoding="utf-8") == "mine"


def survives(path: Path) -> None:
    """Either all can be read, or there is a line."""
    before = path.read_bytes()
    line = ""
    try:
        look_through(path)
    except CaromError as error:
        line = str(error)
    assert line.isprintable()
    assert path.read_bytes() == before


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), end=st.floats(0.0, 1.0), flips=st.sampled_from([0, 1, 1, 2, 8]))
def test_torn_and_flipped_recordings(tmp_path: Path, sound: Path, seed: int, end: float, flips: int) -> None:
    """Half of them cut anywhere; others with a few bytes changed, most in the first part, where the structure is."""
    data, chance, path = bytearray(sound.read_bytes()), random.Random(seed), tmp_path / "torn.h5"
    for _ in range(flips):
        data[int(chance.random() ** 2 * len(data))] = chance.randrange(256)
    path.write_bytes(data if flips else data[: int(end * len(data))])
    survives(path)


@pytest.mark.slow
def test_a_recording_cut_every_few_bytes(tmp_path: Path, sound: Path) -> None:
    data, path = sound.read_bytes(), tmp_path / "cut.h5"
    for size in range(0, len(data), 97):
        path.write_bytes(data[:size])
        with pytest.raises(StorageError):
            Recording(path)


@pytest.mark.slow
def test_a_recording_flipped_all_over(tmp_path: Path, sound: Path) -> None:
    data, path = sound.read_bytes(), tmp_path / "flipped.h5"
    for place in range(0, len(data), 41):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        survives(path)
