"""Checkpoints: the complete state of a run in one file, from which it continues to the same bits."""

from __future__ import annotations

import contextlib
import io
import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from pydantic import ValidationError

from carom.atomic_write import replacing
from carom.errors import SceneError, StorageError
from carom.scene import Scene
from carom.scene.io.files import dumps
from carom.storage.formats import CHECKPOINT_SUFFIX
from carom.storage.hdf5.open_file import one_line, regular_file_size
from carom.storage.metadata import CheckpointMetadata, RecordedMetadata, stored_scene, written_by
from carom.storage.tape import versions

FORMAT = 2
"""Format of checkpoints. Since 2, the file does not hold the name of its recording (see `recording_of`), and an exact
state holds the faint speed and the end of the epoch. A run continues from format 1, with the present rounding."""
HDF5 = b"\x89HDF"
"""The first bytes of a recording."""

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run at one time."""

    scene: Scene
    time: float
    solver: str
    wish: dict[str, Any]
    state: Arrays
    """State of the solver."""
    recording: dict[str, Any] = field(default_factory=dict)
    """What is recorded, and the number of rows of each dataset at this time; empty without a recording."""
    recorder: Arrays = field(default_factory=dict)
    """State of the sampler."""
    versions: dict[str, str] = field(default_factory=versions)
    format: int = FORMAT

    def write(self, path: Path, text: str | None = None) -> None:
        """Replace the file at `path` atomically; `text` is the scene as JSON, if it is already known."""
        told = {
            "format": FORMAT, "time": float(self.time).hex(), "solver": self.solver, "wish": self.wish,
            "recording": self.recording, "versions": self.versions,
        }  # fmt: skip
        arrays = {
            "told": _bytes(json.dumps(told)),
            "scene": _bytes(text or dumps(self.scene, "json")),
            **{f"solver/{name}": np.asarray(each) for name, each in self.state.items()},
            **{f"recorder/{name}": np.asarray(each) for name, each in self.recorder.items()},
        }
        with replacing(path) as file:
            np.savez(file, allow_pickle=False, **arrays)


def read(path: Path) -> Checkpoint:
    """Read a checkpoint. The file is not trusted: all of its content is checked."""
    arrays, told = _parts(path)
    _check_format(path, told)
    try:
        said = CheckpointMetadata.model_validate(told)
        scene = stored_scene(arrays["scene"].tobytes())
        recorder = _within(arrays, "recorder/")
        if said.recording is not None:
            _check_recorder(recorder, said.recording, len(scene.balls))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise _wrong(path, f"{where}: {first['msg']}") from None
    except SceneError as error:
        raise _wrong(path, f"scene: {error.problems[0].what}") from None
    except Exception as error:  # as above
        raise _wrong(path, str(error) or type(error).__name__) from None
    return Checkpoint(
        scene=scene,
        time=said.time,
        solver=said.solver,
        wish=told["wish"],
        state=_within(arrays, "solver/"),
        recording=told["recording"],
        recorder=recorder,
        versions=said.versions,
        format=told["format"],
    )


def _parts(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the metadata of a checkpoint of any format, unchecked."""
    regular_file_size(path)
    try:
        arrays = _arrays(path)
        told = json.loads(arrays["told"].tobytes())
        told["format"] = int(told["format"])
    except PermissionError as error:
        raise StorageError.of(path, error) from None
    except Exception:  # libraries raise errors of any kind for damaged files
        raise StorageError(path, "is no checkpoint of carom", "Give a file that carom has saved.") from None
    return arrays, told


def _check_format(path: Path, told: Mapping[str, Any]) -> None:
    """Refuse a format that this version does not know."""
    if told["format"] > FORMAT:
        raise StorageError(path, "a later carom has written it", "Update carom: pip install -U carom.")


def _wrong(path: Path, what: str) -> StorageError:
    remedy = "Give a file as carom has saved it; this one was changed."
    return StorageError(path, f"is no checkpoint of carom ({one_line(what)[:200]})", remedy)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an uncompressed archive, so that none can be larger than the file."""
    found = {}
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if sum(each.file_size for each in members) > path.stat().st_size:
            raise ValueError("members larger than the file")
        for each in members:
            if each.compress_type != zipfile.ZIP_STORED:
                raise ValueError("compressed members")
            found[each.filename.removesuffix(".npy")] = _array(archive.read(each))
    return found


def _array(data: bytes) -> NDArray[Any]:
    """The array in the bytes of an .npy file."""
    stream = io.BytesIO(data)
    known = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, by_columns, kind = known[npy.read_magic(stream)](stream)
    if kind.hasobject or math.prod(shape) * kind.itemsize != len(data) - stream.tell():
        raise ValueError("another length than the head tells")
    flat = np.frombuffer(data, kind, offset=stream.tell())
    return flat.reshape(shape, order="F" if by_columns else "C").copy()


def _check_recorder(state: Arrays, recording: RecordedMetadata, count: int) -> None:
    """Check that the state of a sampler fits the run."""
    rows, taken = state["rows"], state["taken"]
    whole = int(state["count"])
    if rows.shape != (count,) or rows.dtype.kind != "i" or taken.dtype.kind != "i":
        raise ValueError("recorder: the rows are not those of the balls")
    if count and (rows.min() < 0 or rows.max() >= whole or len(np.unique(rows)) < count):
        raise ValueError("recorder: the rows are not those of the balls")
    if taken.shape != (len(recording.triggers),) or (taken < 0).any() or int(state["first"]) < 0:
        raise ValueError("recorder: the frames are not counted")
    if not np.isfinite(float(state["start"])):
        raise ValueError("recorder: the start is not a time")


def find_checkpoint(path: Path) -> Path:
    """The checkpoint that a path means: the file itself, or the one beside a recording."""
    if path.suffix == CHECKPOINT_SUFFIX or not path.is_file():
        return path
    try:
        with path.open("rb") as file:
            if file.read(4) != HDF5:
                return path
    except OSError as error:
        raise StorageError.of(path, error) from error
    beside = checkpoint_of(path)
    if not beside.exists():
        remedy = "Move both together, and record with checkpoint=… (--checkpoint), so that a run can be resumed."
        raise StorageError(path, f"there is no checkpoint {beside.name} beside it", remedy)
    return beside


def checkpoint_of(path: Path) -> Path:
    """The checkpoint of a recording: its name plus the suffix."""
    return path.with_name(path.name + CHECKPOINT_SUFFIX)


def recording_of(checkpoint: Path, saved: Checkpoint) -> Path:
    """The recording of a checkpoint: the file beside it, with its name without the suffix.

    Both may be copied, renamed and moved together; the file with this name is the one that is written.
    """
    if saved.format < FORMAT:
        what = f"{written_by(saved.versions)} has written it, and its recording cannot be continued by this version"
        raise StorageError(checkpoint, what, "Go on without recording: Simulation.resume(…, record=False).")
    if checkpoint.suffix != CHECKPOINT_SUFFIX:
        remedy = f"Name it as its recording with {CHECKPOINT_SUFFIX} added, such as gas.h5{CHECKPOINT_SUFFIX}."
        raise StorageError(
            checkpoint, f"does not end with {CHECKPOINT_SUFFIX}, so that its recording cannot be found", remedy
        )
    found = checkpoint.with_name(checkpoint.name.removesuffix(CHECKPOINT_SUFFIX))
    if not found.exists():
        remedy = "Put it there under that name, or go on without recording: Simulation.resume(…, record=False)."
        raise StorageError(checkpoint, f"its recording {found.name} is not beside it", remedy)
    return found


def discard(recording: Path) -> None:
    """Delete the checkpoint beside a recording that is replaced; other files stay."""
    target = checkpoint_of(recording)
    with contextlib.suppress(StorageError):
        if _parts(target)[1].get("recording"):
            target.unlink()


def _within(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    return {name[len(prefix) :]: each for name, each in arrays.items() if name.startswith(prefix)}


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)
