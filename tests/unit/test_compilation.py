"""Who hears that kernels are being compiled."""

import io
import sys

import pytest
from numba.core import event

from carom.kernels import progress
from carom.kernels.progress import Compilations, announce


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made, register = Terminal(), progress._register
    listeners = []
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(progress, "_register", lambda *calls: listeners.append(register(*calls)) or listeners[-1])
    announce.__wrapped__()
    (listener,) = listeners
    yield made
    event.unregister("numba:compile", listener)


def compiling() -> None:
    told = {"dispatcher": None, "args": (), "return_type": None}
    with event.trigger_event("numba:compile", data=told):
        pass


def test_who_waits_at_a_terminal_is_told_once(terminal: Terminal) -> None:
    compiling()
    compiling()
    assert terminal.getvalue() == "carom compiles for this kind of scene, on first use only: some seconds\n"


def test_where_others_tell_it_nothing_is_said_twice(terminal: Terminal) -> None:
    heard = []
    with Compilations(lambda: heard.append("begins"), lambda seconds: heard.append("ends")):
        compiling()
    assert (heard, terminal.getvalue()) == (["begins", "ends"], "")


def test_into_a_file_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(progress, "_register", lambda *calls: pytest.fail("somebody listens"))
    announce.__wrapped__()
