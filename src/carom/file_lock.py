"""Locks on open files, which the system frees when the process ends."""

import errno
import os
from importlib import import_module
from typing import Any

BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK}
"""Error numbers of systems for a file that is locked already."""


def try_lock(handle: int) -> bool:
    """Lock an open file without waiting; False if it is locked already."""
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in BUSY:
            return False
        raise
    return True


def unlock(handle: int) -> None:
    """Free a lock now: closing the file does so only if no forked process has it open."""
    _lock(handle, free=True)


def _lock(handle: int, *, free: bool = False) -> None:
    if os.name == "nt":
        msvcrt: Any = import_module("msvcrt")  # it has other names on other systems
        msvcrt.locking(handle, msvcrt.LK_UNLCK if free else msvcrt.LK_NBLCK, 1)
    else:
        fcntl: Any = import_module("fcntl")
        fcntl.flock(handle, fcntl.LOCK_UN if free else fcntl.LOCK_EX | fcntl.LOCK_NB)
