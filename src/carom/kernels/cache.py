"""A kernel is compiled once a machine: who needs one that another process is compiling waits for it.

Numba's cache alone lets all of them compile it, and lets two that store variants of one kernel at the same time mix
them up: each reads the index, and writes it back without the other's.
"""

import contextlib
import gc
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba.core import config, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime.nrt import rtsys

from carom.file_lock import try_lock, unlock
from carom.kernels.compiler_interrupts import interrupts_between_passes
from carom.kernels.fast_typing import what_is_known
from carom.kernels.interrupts import check_interrupts

LONGEST = 300.0
"""A process waits at most so long for another, s; then it compiles for itself."""
PAUSE = 0.02
"""Between two looks, s."""


def compiled_once(dispatcher: Any, settings: dict[str, int]) -> None:
    """Let the kernel of a dispatcher with a cache be compiled by one process at a time, variant by variant.

    Numba has these settings while it does.
    """
    cache, compile_now = dispatcher._cache, dispatcher.compile  # noqa: SLF001  # Numba offers no other way
    save_now = cache.save_overload

    def compile_once(signature: Any) -> Any:
        with interrupts_between_passes(), _in_turn():  # threads in turn first, so that none waits for another
            if signature in dispatcher.overloads or _is_stored(dispatcher, signature):
                return compile_now(signature)
            variant = hashlib.sha256(str(signature).encode()).hexdigest()[:12]
            told = {"dispatcher": dispatcher, "args": signature, "return_type": None}
            with _alone(cache, variant, told), _without_collector(), what_is_known(), _set(settings):
                return compile_now(signature)  # which looks into the cache first

    def load(signature: Any, context: Any) -> Any:
        # As Numba does it, but without making its compiler ready first, which code that is compiled does not need.
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():  # noqa: SLF001  # as above
            return cache._load_overload(signature, context)  # noqa: SLF001  # as above

    def save(signature: Any, overload: Any) -> None:
        with _alone(cache, "index"):
            save_now(signature, overload)

    dispatcher.compile, cache.load_overload, cache.save_overload = compile_once, load, save


@contextlib.contextmanager
def _in_turn() -> Iterator[None]:
    """Hold the lock of Numba's compiler; Ctrl-C ends the wait for another thread."""
    lock = global_compiler_lock._lock  # noqa: SLF001  # it has no wait that ends
    while not lock.acquire(timeout=PAUSE):
        check_interrupts()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _set(settings: dict[str, int]) -> Iterator[None]:
    """Change settings of Numba; for who holds its lock, so that functions of others are compiled with their own."""
    before = {name: getattr(config, name) for name in settings}
    try:
        for name, value in settings.items():
            setattr(config, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Look for no garbage while a compiler runs: it makes little, and looking for it is a tenth of the time."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if wanted:
            gc.enable()


def _is_stored(dispatcher: Any, signature: Any) -> bool:
    """Does the cache have this variant?"""
    cache = dispatcher._cache  # noqa: SLF001  # as above
    index = cache._cache_file._load_index()  # noqa: SLF001  # as above
    name = index.get(cache._index_key(signature, dispatcher.targetctx.codegen()))  # noqa: SLF001  # as above
    return name is not None and Path(cache.cache_path, name).exists()


@contextlib.contextmanager
def _alone(cache: Any, what: str, compiling: dict[str, Any] | None = None) -> Iterator[None]:
    """Hold the lock of a part of the cache; where there can be none, or for too long, go on without.

    Waiting for a kernel is told as compiling it is: it takes as long.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            cache._impl.locator.ensure_cache_path()  # noqa: SLF001  # as above
            base = Path(cache.cache_path, cache._impl.filename_base)  # noqa: SLF001  # as above
            handle = os.open(f"{base}.{what}.lock", os.O_RDWR | os.O_CREAT, 0o666)
            stack.callback(os.close, handle)
            if _got(handle, compiling):
                stack.callback(unlock, handle)
        yield


def _got(handle: int, compiling: dict[str, Any] | None) -> bool:
    """Wait for a lock; False if it took too long."""
    if try_lock(handle):
        return True
    with event.trigger_event("numba:compile", data=compiling) if compiling else contextlib.nullcontext():
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            time.sleep(PAUSE)
            check_interrupts()
            if try_lock(handle):
                return True
    return False
