"""Format versions of recordings: which ones can be read, what earlier ones lack, and digests of fixed data."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ArgumentError, StorageError

FORMAT = 3
"""The format of recordings. Since 2, fixed texts are stored with their length: see
`hdf5.writer.fixed`. Since 3, every byte that is read again has a checksum, and collisions round as they do now."""
CHECKPOINT_SUFFIX = ".checkpoint"
"""The suffix of checkpoints; recordings have any other."""
OLDEST = 2
"""The oldest format that can be read."""
DIGEST = "sha256"
"""The attribute that holds a digest: of the bytes of a dataset without chunks, or of the texts of /carom."""
TEXTS = ("solver", "wish", "versions", "triggers", "source", "origin", "mark")
"""Attributes of /carom. HDF5 has no checksum for them, so they share one digest."""


def check_format(path: Path, found: int) -> None:
    """Refuse a recording that this version cannot read."""
    if found > FORMAT:
        raise StorageError(path, "a later carom has written it", "Update carom: pip install -U carom.")
    if found < OLDEST:
        raise StorageError(path, "an earlier carom has written it, in another form", "Record it anew.")


def digest(values: Any) -> str:
    """SHA-256 of the bytes of an array or a text."""
    return sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def digest_of_texts(texts: Mapping[str, Any]) -> str:
    """SHA-256 of the texts of /carom, each with its name and length."""
    made = sha256()
    for name in TEXTS:
        text = bytes(texts[name])
        made.update(f"{name} {len(text)}\n".encode() + text)
    return made.hexdigest()


def check_digest(what: str, told: str, found: str) -> None:
    """Raise an error if two digests differ."""
    if told != found:
        raise ValueError(f"{what} is damaged: its checksum is another")


def frames_only_error(path: Path, writer: str, t: float, times: str) -> ArgumentError:
    """The error for a time between frames in a recording whose history cannot be replayed."""
    return ArgumentError.of(
        "recording.rounded-differently", where="at", source=str(path), t=t, writer=writer, times=times
    )


def cannot_resume_error(path: Path, writer: str) -> StorageError:
    """The error for continuing a recording of an earlier version."""
    what = f"{writer} recorded it, and its collisions rounded differently: this version cannot go on to the same bits"
    remedy = "Read its frames, collisions and observables, or run its scene again: Simulation(recording.scene)."
    return StorageError(path, what, remedy)
