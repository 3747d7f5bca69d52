"""Ctrl-C while a kernel is compiled: delivered soon, wherever it comes, and never lost."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import pytest
from numba.core import codegen, event
from numba.core.compiler_lock import global_compiler_lock

from carom.kernels import cache, jit, numba_private
from carom.kernels.compiler_interrupts import interrupts_between_passes


@pytest.fixture(autouse=True)
def _nothing_is_compiled_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


@pytest.fixture(autouse=True)
def _ctrl_c_raises_keyboard_interrupt() -> Iterator[None]:
    """As at a terminal, however the tests were begun."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, "the handler from before is back"
    signal.signal(signal.SIGINT, before)


def a_kernel() -> Any:
    @jit.kernel
    def once_more(x: float) -> float:
        return x + 1.0

    return once_more


def test_ctrl_c_amid_a_call_from_llvm_is_delivered_after_it() -> None:
    """What is raised in such a call is dropped, and the machine code with it."""
    kernel, signature, calls = a_kernel(), (numba.types.complex64,), []

    def hand_over(library: Any, code: bytes | None) -> None:
        library.__dict__["code"] = code
        if code:  # while LLVM calls
            calls.append(library.name)
            signal.raise_signal(signal.SIGINT)

    handed = property(lambda library: library.__dict__["code"], hand_over)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codegen.JITCodeLibrary, "_compiled_object", handed, raising=False)
        with pytest.raises(KeyboardInterrupt):
            kernel.compile(signature)
    assert calls
    kernel.compile(signature)
    assert numba_private.is_cached(kernel, signature)


def test_ctrl_c_stops_the_compiler_at_its_next_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    first = numba.core.untyped_passes.TranslateByteCode.run_pass
    last = numba.core.typed_passes.NativeLowering.run_pass
    lowered = []

    def pressed(*what: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return first(*what)

    monkeypatch.setattr(numba.core.untyped_passes.TranslateByteCode, "run_pass", pressed)
    monkeypatch.setattr(numba.core.typed_passes.NativeLowering, "run_pass", lambda *what: lowered.append(last(*what)))
    with pytest.raises(KeyboardInterrupt):
        a_kernel().compile((numba.types.complex128,))
    assert not lowered


def test_ctrl_c_ends_the_wait_for_another_process(tmp_path: Path) -> None:
    place = SimpleNamespace(filename_base="kernel", locator=SimpleNamespace(ensure_cache_path=lambda: None))
    stored = SimpleNamespace(_cache=SimpleNamespace(cache_path=str(tmp_path), _impl=place))

    def waits() -> None:
        with interrupts_between_passes():
            signal.raise_signal(signal.SIGINT)  # only kept
            with cache._locked(stored, "variant"):
                pytest.fail("the wait ended otherwise")

    with cache._locked(stored, "variant"), pytest.raises(KeyboardInterrupt):
        waits()


def test_ctrl_c_ends_the_wait_for_another_thread() -> None:
    holds, done = threading.Event(), threading.Event()

    def compile_long() -> None:
        with global_compiler_lock:
            holds.set()
            done.wait(60.0)

    other = threading.Thread(target=compile_long)
    other.start()
    assert holds.wait(60.0)
    press = threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,))
    press.start()
    with pytest.raises(KeyboardInterrupt):
        a_kernel().compile((numba.types.complex64,))
    assert not done.is_set()
    done.set()
    other.join()
    press.join()


def test_a_pass_in_another_thread_does_not_take_it() -> None:
    def step() -> None:
        event.start_event("numba:run_pass")
        event.end_event("numba:run_pass")

    def hold() -> None:
        with interrupts_between_passes():
            signal.raise_signal(signal.SIGINT)
            other = threading.Thread(target=step)  # an exception there would be a warning, and so an error
            other.start()
            other.join()

    with pytest.raises(KeyboardInterrupt):
        hold()


def test_each_ctrl_c_is_delivered() -> None:
    """A handler that stops at once after the second one receives both."""
    heard: list[Any] = []
    signal.signal(signal.SIGINT, lambda *what: heard.append(what))
    with interrupts_between_passes():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert not heard
    assert [what[0] for what in heard] == [signal.SIGINT] * 2
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_process_that_ignores_ctrl_c_goes_on_to_ignore_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts_between_passes():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.default_int_handler)
