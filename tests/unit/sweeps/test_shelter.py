import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

from carom.sweeps.running.shelter import shield_from_interrupts

BLOCKED = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


def nothing(*_: Any) -> None:
    pass


def test_what_a_call_gives_or_raises_comes_back() -> None:
    assert shield_from_interrupts(lambda: 5, nothing, nothing) == 5
    with pytest.raises(RuntimeError, match="no"):
        shield_from_interrupts(lambda: exec("raise RuntimeError('no')"), nothing, nothing)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX systems")
def test_processes_that_a_call_starts_do_not_get_control_c() -> None:
    def asked() -> str:
        return subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True).stdout

    assert shield_from_interrupts(asked, nothing, nothing) == "True\n"
    assert asked() == "False\n", "this thread gets it as before"


def test_a_call_that_is_given_up_is_undone() -> None:
    begun, go_on, undone = threading.Event(), threading.Event(), []

    def call() -> str:
        begun.set()
        go_on.wait(10.0)
        return "made"

    def waiting() -> None:
        if begun.is_set():
            go_on.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shield_from_interrupts(call, waiting, undone.append)
    assert undone == ["made"]
