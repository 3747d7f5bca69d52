"""`Lock`: only one process at a time may write a recording or a journal."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Self

from carom.atomic_write import beside, is_at
from carom.errors import StorageError
from carom.file_lock import try_lock


class Lock:
    """The right to write a file, held until release; the system frees it when the process ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = beside(path, "lock")
        self._handle: int | None = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self) -> None:
        """Take the lock; raise an error if another process has it."""
        try:
            while self._handle is None:
                handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o666)
                try:
                    ours = try_lock(handle)
                except OSError:
                    os.close(handle)
                    raise
                if not ours:
                    os.close(handle)
                    remedy = "Wait until that run has ended, or choose another name."
                    raise StorageError(self.path, "another run is writing this file", remedy)
                if is_at(handle, self.file):
                    self._handle = handle
                else:  # its holder removed the file between `open` and `try_lock`
                    os.close(handle)
        except OSError as error:
            raise StorageError.of(self.path, error) from error

    def release(self) -> None:
        """Release the lock."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self.file.unlink()
            os.close(self._handle)
            self._handle = None
