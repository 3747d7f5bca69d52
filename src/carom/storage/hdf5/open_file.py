"""Opens HDF5 files that may be complete, being written, cut off, or malicious."""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.errors import InputError, StorageError

if TYPE_CHECKING:
    import h5py

SIGNATURE = b"\x89HDF\r\n\x1a\n"
VERSION, FLAGS, EOF, HEAD = 8, 11, slice(28, 36), 48
"""Offsets of version, flags and end of file in a superblock of version 2 or 3; and its length."""
WRITING = 0b101
"""Flags of a file that is being written, or whose writer crashed."""
ATTEMPTS = 29
"""Attempts to read metadata that may be being written, before they count as damaged. HDF5 doubles the wait between
attempts: these take 0.6 s, and its default of 100 would never end."""


def regular_file_size(path: Path) -> int:
    """The size of a regular file; a pipe would block its reader, and a device has no end."""
    try:
        told = path.stat()
    except FileNotFoundError:
        raise StorageError(path, "there is no such file", "Check the name.") from None
    except (OSError, ValueError) as error:  # ValueError: no file can have this name
        raise StorageError.of(path, error) from None
    if stat.S_ISDIR(told.st_mode):
        raise StorageError.of(path, IsADirectoryError())
    if not stat.S_ISREG(told.st_mode):
        raise StorageError(path, "is a pipe or a device, not a file", "Copy what it gives into a file first.")
    return told.st_size


def open_recording_file(path: Path) -> h5py.File:
    """Open an HDF5 file to read; also one that is being written, or whose writer crashed."""
    import h5py  # noqa: PLC0415  # heavy; only readers need it

    size = regular_file_size(path)
    try:
        head = _head(path)
    except OSError as error:
        raise StorageError.of(path, error) from error
    if not head.startswith(SIGNATURE):
        what = "is no recording: not an HDF5 file"
        raise StorageError(path, what, "Give a file that carom has recorded.")
    modern = len(head) == HEAD and head[VERSION] in (2, 3)
    if modern and size < int.from_bytes(head[EOF], "little"):
        raise StorageError(path, "is cut off: its end is missing", "Copy the file again, or record anew.")
    if not modern:
        raise StorageError(
            path, "is no recording of carom, but another HDF5 file", "Give a file that carom has recorded."
        )
    with storage_errors(path):
        if not head[FLAGS] & WRITING:
            return h5py.File(path, "r")
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
        _limit_retries(access)
        flags = h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ
        return h5py.File(h5py.h5f.open(os.fsencode(path), flags, fapl=access))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _limit_retries(access: Any) -> None:
    """Limit the attempts to read damaged metadata; h5py has no name for this, but the library that it loads has."""
    import h5py  # noqa: PLC0415  # as above

    with contextlib.suppress(OSError, AttributeError):  # a system that hides the symbols of loaded libraries
        bound = ctypes.CDLL(h5py.h5p.__file__).H5Pset_metadata_read_attempts
        bound.argtypes, bound.restype = (ctypes.c_int64, ctypes.c_uint), ctypes.c_int
        bound(access.id, ATTEMPTS)


@contextlib.contextmanager
def storage_errors(path: Path, what: str = "cannot be read") -> Iterator[None]:
    """Turn any error of reading a file into a StorageError of one line."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:  # libraries raise errors of any kind for damaged files
        told = error.problems[0].what if isinstance(error, InputError) else str(error)
        told = one_line(told) or type(error).__name__
        remedy = "Record it anew: carom run … --out FILE.h5."
        raise StorageError(path, f"{what} ({told[:200]})", remedy) from error


def one_line(text: str) -> str:
    """A text from a file as one line, without control characters that a terminal would obey."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def closed_error(path: Path) -> StorageError:
    """The error for reading from a closed recording."""
    return StorageError(path, "the recording is closed", f"Open it again: Recording({str(path)!r}).")


def broken_error(path: Path, what: str) -> StorageError:
    """The error for a file whose parts do not fit together."""
    return StorageError(path, one_line(what), "The file is not whole: copy it again, or record anew.")
