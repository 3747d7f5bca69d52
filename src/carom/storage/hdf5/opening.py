"""Opening files of HDF5 that may be anything: whole, being written, cut off, or made to do harm."""

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
"""Where in the superblock of version 2 or 3 its version, flags and the end of the file are told; and its length."""
WRITING = 0b101
"""Flags of a file that is being written, or whose writer died."""
ATTEMPTS = 29
"""How often metadata that someone may be writing are read before they count as broken. HDF5 waits between two attempts,
each time twice as long: these take 0.6 s. Its own 100 would take for ever."""


def plain_file(path: Path) -> int:
    """The size of a file, which must be one: a pipe would keep its reader waiting, and a device has no end."""
    try:
        told = path.stat()
    except FileNotFoundError:
        raise StorageError(path, "there is no such file", "Check the name.") from None
    except (OSError, ValueError) as error:  # the latter of names that no file can have
        raise StorageError.of(path, error) from None
    if stat.S_ISDIR(told.st_mode):
        raise StorageError.of(path, IsADirectoryError())
    if not stat.S_ISREG(told.st_mode):
        raise StorageError(path, "is a pipe or a device, not a file", "Copy what it gives into a file first.")
    return told.st_size


def opened(path: Path) -> h5py.File:
    """A file of HDF5, to read; one that is being written, or whose writer died, too."""
    import h5py  # noqa: PLC0415  # heavy; only who reads needs it

    size = plain_file(path)
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
    with reading(path):
        if not head[FLAGS] & WRITING:
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
        told = error.problems[0].what if isinstance(error, InputError) else str(error)
        told = one_line(told) or type(error).__name__
        remedy = "Record it anew: carom run … --out FILE.h5."
        raise StorageError(path, f"{what} ({told[:200]})", remedy) from error


def one_line(text: str) -> str:
    """A text of a file in a line, without characters that a terminal acts on instead of showing them."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def closed(path: Path) -> StorageError:
    """The complaint about who reads on in a file that was closed."""
    return StorageError(path, "the recording is closed", f"Open it again: Recording({str(path)!r}).")


def broken(path: Path, what: str) -> StorageError:
    """The complaint about a file whose parts do not fit."""
    return StorageError(path, one_line(what), "The file is not whole: copy it again, or record anew.")
