"""Write files completely or not at all: in a temporary file beside the target, synced, and then moved."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from carom.errors import StorageError
from carom.file_lock import try_lock

POSIX = os.name != "nt"
MAX_FILE_NAME = 255
"""Longest name of a file on most systems, bytes."""


def write_text(path: Path, text: str) -> None:
    """Write a text in UTF-8, completely or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, completely or not at all."""
    with replacing(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which replaces `path` when the block ends without an error.

    Its `name` is the temporary path, for libraries that write by name. If `path` is a link, its target is replaced;
    permissions stay. Pipes and devices are written to directly.
    """
    try:
        place = _place(path)
        if place.exists() and not place.is_file():
            with _Raw(path, place, "w") as raw, io.BufferedWriter(raw) as file:
                yield file
            return
        with _beside(path, place) as file:
            yield file
        settle(place.parent)
    except OSError as error:
        raise write_error(path, error) from error


@contextlib.contextmanager
def _beside(path: Path, place: Path) -> Iterator[BinaryIO]:
    """A temporary file beside a place, which is moved there at the end, or deleted after an error."""
    _check_permitted(place)
    file = _part(path, place)
    part, whole = Path(file.name), False
    try:
        yield file
        file.flush()
        _keep_permissions(file.fileno(), place)
        sync(file.fileno())
        whole = True
    finally:
        if not POSIX:  # here an open file cannot be moved; elsewhere its lock is held until it has been moved
            _close(file)
        try:
            _end(part, place, whole=whole)
        finally:
            _close(file)


def write_error(path: Path, error: BaseException) -> StorageError:
    """The error for a file that could not be written."""
    if isinstance(error, FileNotFoundError):
        return StorageError(path, "there is no such folder", "Make it first.")
    return StorageError.of(path, error, full="Make room and try again; the file is as it was before.")


class _Raw(io.FileIO):
    """A file whose errors name the path that it is written for."""

    def __init__(self, path: Path, name: Path, mode: str, opener: Any = None) -> None:
        super().__init__(name, mode, opener=opener)
        self.path = path

    def write(self, data: Any, /) -> int:
        """Write some bytes."""
        try:
            return super().write(data)
        except OSError as error:
            raise write_error(self.path, error) from error


def _place(path: Path) -> Path:
    """The target of a link, or the file itself."""
    return path.resolve() if path.is_symlink() else path


def _check_permitted(place: Path) -> None:
    """Refuse to replace a file without permission to write it, even if the folder allows it."""
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _keep_permissions(handle: int, place: Path) -> None:
    """Copy permissions, and the owner if allowed, from the file that is replaced."""
    if not POSIX or not place.exists():
        return
    old = place.stat()
    with contextlib.suppress(OSError):
        os.fchown(handle, old.st_uid, old.st_gid)
    with contextlib.suppress(OSError):  # a file system without permissions
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _close(file: BinaryIO) -> None:
    """Close a file; errors of writing were raised before."""
    with contextlib.suppress(OSError, StorageError):
        file.close()


def _end(part: Path, place: Path, *, whole: bool) -> None:
    """Move a file into place, or delete it."""
    try:
        if whole:
            part.replace(place)
            return
    except OSError:
        part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):
        part.unlink()


def beside(path: Path, ending: str) -> Path:
    """The path of a temporary file in the same folder, from which it can be moved atomically."""
    name = f".{path.name}.{ending}"
    if len(os.fsencode(name)) > MAX_FILE_NAME:
        name = f".{sha256(os.fsencode(path.name)).hexdigest()}.{ending}"
    return path.with_name(name)


def _part(path: Path, place: Path) -> BinaryIO:
    """An empty temporary file: one left by a dead writer, or a new one if another process is writing."""
    part = beside(place, "part")
    with contextlib.suppress(OSError):  # a system without locks, or a file of another user
        while POSIX:
            with contextlib.ExitStack() as stack:
                file = stack.enter_context(io.BufferedRandom(_Raw(path, part, "r+", _open_or_make)))
                if not try_lock(file.fileno()):
                    break
                if is_at(file.fileno(), part):
                    file.truncate(0)
                    stack.pop_all()
                    return file
    return io.BufferedRandom(_Raw(path, beside(place, f"{uuid4().hex}.part"), "x+"))


def _open_or_make(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_CREAT | os.O_NOFOLLOW, 0o666)


def is_at(handle: int, path: Path) -> bool:
    """True if a handle's file has this path now."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def sync(handle: int) -> None:
    """Sync a file to the disk, if the system can do so."""
    try:
        os.fsync(handle)
    except OSError as error:
        unable = {errno.EINVAL, errno.ENOTSUP} if POSIX else {errno.EINVAL, errno.ENOTSUP, errno.EBADF}
        if error.errno not in unable:
            raise


def settle(folder: Path) -> None:
    """Sync the entries of a folder to the disk, if the system can do so."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        sync(handle)
    finally:
        os.close(handle)
