"""Opening files of HDF5 that may be anything: whole, being written, cut off, or made to do harm."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import SceneError, StorageError

if TYPE_CHECKING:
    import h5py

SIGNATURE = b"\x89HDF\r\n\x1a\n"
VERSION, FLAGS, EOF, HEAD = 8, 11, slice(28, 36), 48
"""Where in the superblock of version 2 or 3 its version, flags and the end of the file are told; and its length."""
WRITING = 0b101
"""Flags of a file that is being written, or whose writer died."""
ATTEMPTS = 29
"""How often metadata that someone may be writing are read before they count as broken. HDF5 waits between two attempts,
each time twice as long: these take 0.6 s. Its own 100 would take for ever."""
RATIO = 1100
"""Deflate presses nothing to less than the 1032nd part."""


def opened(path: Path) -> h5py.File:
    """A file of HDF5, to read; one that is being written, or whose writer died, too."""
    import h5py  # noqa: PLC0415  # heavy; only who reads needs it

    try:
        size, head = path.stat().st_size, _head(path)
    except FileNotFoundError:
        raise StorageError(path, "there is no such file", "Check the name.") from None
    except OSError as error:
        raise StorageError.of(path, error) from error
    if not head.startswith(SIGNATURE):
        what = "is no recording: not an HDF5 file"
        raise StorageError(path, what, "Give a file that carom has recorded.")
    modern = len(head) == HEAD and head[VERSION] in (2, 3)
    if modern and size < int.from_bytes(head[EOF], "little"):
        raise StorageError(path, "is cut off: its end is missing", "Copy the file again, or record anew.")
    with reading(path):
        if not (modern and head[FLAGS] & WRITING):
            return h5py.File(path, "r")
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
        _be_impatient(access)
        flags = h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ
        return h5py.File(h5py.h5f.open(os.fsencode(path), flags, fapl=access))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _be_impatient(access: Any) -> None:
    """Bound how often broken metadata are read again; h5py has no name for it, but the library that it loads does."""
    import h5py  # noqa: PLC0415  # as above

    with contextlib.suppress(OSError, AttributeError):  # a system that does not look into what a library has loaded
        bound = ctypes.CDLL(h5py.h5p.__file__).H5Pset_metadata_read_attempts
        bound.argtypes, bound.restype = (ctypes.c_int64, ctypes.c_uint), ctypes.c_int
        bound(access.id, ATTEMPTS)


@contextlib.contextmanager
def reading(path: Path, what: str = "cannot be read") -> Iterator[None]:
    """Whatever is wrong with a file becomes one line."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:  # libraries answer broken files with errors of any kind
        told = error.problems[0].what if isinstance(error, SceneError) else str(error)
        told = " ".join(told.split()) or type(error).__name__
        remedy = "Record it anew: carom run … --out FILE.h5."
        raise StorageError(path, f"{what} ({told[:200]})", remedy) from error


def check_columns(file: h5py.File, count: Mapping[str, int], path: Path) -> None:
    """Has each column so many rows, and are they in the file?"""
    import h5py  # noqa: PLC0415  # as above

    size = file.id.get_filesize()
    for name, rows in count.items():
        dataset = file[name]
        if not isinstance(dataset, h5py.Dataset) or dataset.chunks is None:
            raise broken(path, f"{name} is no column of rows")
        if not 0 <= rows <= len(dataset):
            raise broken(path, f"{name} has {len(dataset)} rows where {rows} are counted")
        nbytes = rows * dataset.dtype.itemsize * int(np.prod(dataset.shape[1:], dtype=object))
        chunk = dataset.dtype.itemsize * int(np.prod(dataset.chunks, dtype=object))
        if nbytes > size and nbytes > RATIO * dataset.id.get_storage_size() + chunk:
            raise broken(path, f"{name} has rows that are not in the file")


def broken(path: Path, what: str) -> StorageError:
    """The complaint about a file whose parts do not fit."""
    return StorageError(path, what, "The file is not whole: copy it again, or record anew.")


def text_of(dataset: Any) -> str:
    """The text in a dataset."""
    value = dataset[()]
    return value.decode("utf-8") if isinstance(value, bytes) else bytes(np.asarray(value)).decode("utf-8")
