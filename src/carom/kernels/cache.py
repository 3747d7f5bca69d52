"""A kernel is compiled once per machine: a process that needs one that another is compiling waits for it.

Numba's cache alone lets all of them compile it, and lets two that store variants of one kernel at the same time mix
them up: each reads the index, and writes it back without the other's.
"""

import contextlib
import gc
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from carom.file_lock import try_lock, unlock
from carom.kernels import numba_private
from carom.kernels.compiler_interrupts import interrupts_between_passes
from carom.kernels.interrupts import check_interrupts

LONGEST_WAIT = 300.0
"""A process waits at most so long for another, s; then it compiles for itself."""
PAUSE = 0.02
"""Between two attempts to lock, s."""


def source_stamp() -> str:
    """A mark that changes when any module with kernels changes.

    Numba stamps a cached kernel with its own file alone, so that a change in a law that it calls would go unnoticed.
    """
    package = Path(__file__).parents[1]
    files = sorted(file for room in ("kernels", "physics", "solvers") for file in (package / room).rglob("*.py"))
    marks = [f"{file.name} {(status := file.stat()).st_mtime_ns} {status.st_size}" for file in files]
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()


STAMP = source_stamp()


def share(dispatcher: Any, settings: Mapping[str, int]) -> Any:
    """Let one process at a time compile a kernel, and its cache forget it when any kernel changes; gives it back.

    The kernel is locked variant by variant. While it is compiled, Numba has these settings.
    """

    def compile_variant(signature: Any, compile_now: Callable[[Any], Any]) -> Any:
        with interrupts_between_passes(), _compiler_of_this_process():  # so that no thread waits for another's process
            if signature in dispatcher.overloads or numba_private.is_cached(dispatcher, signature):
                return compile_now(signature)
            variant = hashlib.sha256(str(signature).encode()).hexdigest()[:12]
            waiting = numba_private.compilation_event(dispatcher, signature)
            with (
                _locked(dispatcher, variant, waiting),
                _without_collector(),
                numba_private.faster_typing(),
                numba_private.settings_of_numba(settings),
            ):
                return compile_now(signature)  # which looks into the cache first

    def save_variant(save_now: Callable[[], None]) -> None:
        with _locked(dispatcher, "index"):
            save_now()

    numba_private.stamp_cache(dispatcher, STAMP)
    numba_private.replace_compile(dispatcher, compile_variant, save_variant)
    return dispatcher


@contextlib.contextmanager
def _compiler_of_this_process() -> Iterator[None]:
    """Hold the lock of Numba's compiler; Ctrl-C ends the wait for another thread."""
    lock = numba_private.compiler_lock()
    while not lock.acquire(timeout=PAUSE):
        check_interrupts()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Collect no garbage while the compiler runs: it makes little, and looking for it is a tenth of the time."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if wanted:
            gc.enable()


@contextlib.contextmanager
def _locked(
    dispatcher: Any, part: str, waiting: contextlib.AbstractContextManager[Any] | None = None
) -> Iterator[None]:
    """Hold the lock of a part of a kernel's cache; where there can be none, or for too long, go on without.

    `waiting` is entered while another process holds it: waiting for a kernel takes as long as compiling it.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            handle = os.open(f"{numba_private.cache_base(dispatcher)}.{part}.lock", os.O_RDWR | os.O_CREAT, 0o666)
            stack.callback(os.close, handle)
            if _wait_for_lock(handle, waiting):
                stack.callback(unlock, handle)
        yield


def _wait_for_lock(handle: int, waiting: contextlib.AbstractContextManager[Any] | None) -> bool:
    """Wait for a lock; False if it took too long."""
    if try_lock(handle):
        return True
    with waiting or contextlib.nullcontext():
        end = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < end:
            time.sleep(PAUSE)
            check_interrupts()
            if try_lock(handle):
                return True
    return False
