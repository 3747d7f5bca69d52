"""Formats of recordings: which can be read, what those of earlier versions lack, and digests of what never changes."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ArgumentError, StorageError

FORMAT = 3
"""Of what is under /carom, and how all is stored. Since 2, texts that are read again have their length told: see
`h5md.fixed`. Since 3, every byte that is read again has a checksum, and collisions round as they do now."""
ENDING = ".checkpoint"
"""Of checkpoints; recordings have any other."""
OLDEST = 2
"""Of formats that can be read."""
DIGEST = "sha256"
"""The attribute that holds a digest: of the bytes of a dataset without chunks, or of the texts of /carom."""
TEXTS = ("solver", "wish", "versions", "triggers", "source", "origin", "mark")
"""Attributes of /carom. Long ones stand where HDF5 has no checksum, so they have a digest together."""


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
    """Refuse bytes that are not those that were written."""
    if told != found:
        raise ValueError(f"{what} is damaged: its checksum is another")


def frames_alone(path: Path, writer: str, t: float, times: str) -> ArgumentError:
    """The error for a time between frames in a recording whose history is of other laws."""
    return ArgumentError.of(
        "recording.rounded-differently", where="at", source=str(path), t=t, writer=writer, times=times
    )


def no_way_on(path: Path, writer: str) -> StorageError:
    """The error for a run that is to go on from a recording of an earlier version."""
    what = f"{writer} recorded it, and its collisions rounded differently: this version cannot go on to the same bits"
    remedy = "Read its frames, collisions and observables, or run its scene again: Simulation(recording.scene)."
    return StorageError(path, what, remedy)
