"""Checkpoints: all that a run needs to go on to the same bits, in one file that is whole or not there."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.errors import StorageError
from carom.scene import Scene
from carom.scene.files import dumps, loads
from carom.storage.atomic import replaced
from carom.storage.tape import versions

FORMAT = 1
ENDING = ".checkpoint"
HDF5 = b"\x89HDF"
"""How a recording begins."""

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Checkpoint:
    """A run at an instant."""

    scene: Scene
    time: float
    solver: str
    wish: dict[str, Any]
    state: Arrays
    """Of the solver."""
    recording: dict[str, Any] = field(default_factory=dict)
    """What is recorded, and how many rows of each dataset belong to this instant; empty if nothing is."""
    recorder: Arrays = field(default_factory=dict)
    """State of the sampler."""
    versions: dict[str, str] = field(default_factory=versions)

    def write(self, path: Path, text: str | None = None) -> None:
        """Write it; the file is replaced in one go. `text` is the scene's, if it is known."""
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
        with replaced(path) as file:
            np.savez(file, allow_pickle=False, **arrays)


def read(path: Path) -> Checkpoint:
    """The checkpoint in a file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        told = json.loads(arrays["told"].tobytes())
    except FileNotFoundError:
        raise StorageError(path, "there is no such file", "Check the name.") from None
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile):
        raise StorageError(path, "is no checkpoint of carom", "Give a file that carom has saved.") from None
    if told["format"] > FORMAT:
        raise StorageError(path, "a later carom has written it", "Update carom: pip install -U carom.")
    return Checkpoint(
        scene=loads(arrays["scene"].tobytes().decode(), "json", name=str(path)),
        time=float.fromhex(told["time"]),
        solver=told["solver"],
        wish=told["wish"],
        state=_within(arrays, "solver/"),
        recording=told["recording"],
        recorder=_within(arrays, "recorder/"),
        versions=told["versions"],
    )


def found(path: Path) -> Path:
    """The checkpoint that is meant: the file itself, or the one beside a recording."""
    if path.suffix == ENDING or not path.exists():
        return path
    with path.open("rb") as file:
        if file.read(4) != HDF5:
            return path
    beside = checkpoint_of(path)
    if not beside.exists():
        remedy = "Record with checkpoint=… (--checkpoint), so that a run can be resumed."
        raise StorageError(path, f"there is no checkpoint {beside.name} beside it", remedy)
    return beside


def checkpoint_of(path: Path) -> Path:
    """The checkpoint that belongs to a recording."""
    return path.with_suffix(ENDING)


def _within(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    return {name[len(prefix) :]: each for name, each in arrays.items() if name.startswith(prefix)}


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)
