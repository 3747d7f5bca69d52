"""Encodes views as bytes, and messages as JSON, in the format of `docs/lab.md`."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.lab.seen.view import Floats, View

VERSION = 1
KIND_FRAME = 1

HEADER = struct.Struct("<BBHIdIIIHHfI")
"""version, kind, flags, number, time, epoch, seq, n, dimension, companions, rate, marks: 40 bytes."""

HAS_VELOCITIES = 1
HAS_FORCES = 2
RUNNING = 4
HELD = 8
IN_THE_PAST = 16

MAX_UINT32 = 0xFFFF_FFFF
"""Counters are cut to 32 bits, so that they wrap around instead of failing."""


def frame(view: View, number: int, origin: Sequence[float], *, velocities: bool = False, forces: bool = False) -> bytes:
    """Encode a view as one binary message, positions relative to `origin`, without what the view lacks."""
    n, dimension = view.positions.shape
    shown = view.forces if forces else None
    flags = (
        HAS_VELOCITIES * velocities
        | HAS_FORCES * (shown is not None)
        | RUNNING * view.running
        | HELD * view.held
        | IN_THE_PAST * (view.time < view.end)
    )
    header = HEADER.pack(
        VERSION,
        KIND_FRAME,
        flags,
        number & MAX_UINT32,
        view.time,
        view.epoch & MAX_UINT32,
        view.seq & MAX_UINT32,
        n,
        dimension,
        len(view.companions),
        view.rate,
        len(view.marks),
    )
    place = np.asarray(origin, dtype=np.float64)
    parts = [header, floats(view.positions - place, view.born)]
    if velocities:
        parts.append(floats(view.velocities))
    if shown is not None:
        parts.append(floats(shown))
    parts.extend(floats(companion.positions - place, view.born) for companion in view.companions)
    parts.append(np.asarray(view.marks, dtype="<u4").tobytes())
    return b"".join(parts)


def floats(values: Floats, born: NDArray[np.bool_] | None = None) -> bytes:
    """Encode rows as float32, little-endian; NaN for balls not born yet. Too large values become infinite."""
    with np.errstate(over="ignore"):
        rows = values.astype("<f4")
    if born is not None:
        rows[~born] = np.nan
    return rows.tobytes()


def text(message: Mapping[str, Any]) -> str:
    """Encode a message as JSON; infinite numbers and NaN become null."""
    try:
        return json.dumps(message, allow_nan=False, separators=(",", ":"), default=plain, ensure_ascii=False)
    except ValueError:
        return json.dumps(finite(message), allow_nan=False, separators=(",", ":"), ensure_ascii=False)


def plain(value: Any) -> Any:
    """Convert NumPy values to plain ones."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def finite(value: Any) -> Any:
    """Replace numbers that are not finite by null."""
    if isinstance(value, (np.ndarray, np.generic)):
        return finite(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return value
