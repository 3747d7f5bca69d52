"""`carom lab`: mistakes are told before a server starts. The server itself: tests/lab/test_server.py."""

import sys
from pathlib import Path

import pytest

from carom.lab.server.start import bind


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that goes wrong must not come so far."""
    monkeypatch.setattr(
        "carom.lab.server.start.Server.until_stopped", lambda *arguments: pytest.fail("a server started")
    )


def one_line(answer, code: int, *words: str) -> None:
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.count("\n") == 1
    for word in words:
        assert word in answer.err


def test_an_unknown_scene(carom) -> None:
    one_line(carom("lab", "brake"), 2, "'brake' is neither a file nor a scene of the library", "Did you mean 'break'?")


def test_a_file_that_is_not_there(carom, tmp_path: Path) -> None:
    one_line(carom("lab", tmp_path / "none.toml"), 1, "none.toml")


def test_a_scene_that_cannot_be(carom, tmp_path: Path) -> None:
    file = tmp_path / "overlap.toml"
    file.write_text(
        "[[balls]]\nposition = [0, 0]\nradius = 1\nmass = 1\n[[balls]]\nposition = [1, 0]\nradius = 1\nmass = 1\n"
    )
    one_line(carom("lab", file), 1, "overlap.toml", "overlap")


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_a_port_that_is_none(carom, port: str) -> None:
    one_line(carom("lab", "--port", port), 2, port)


def test_a_port_that_is_taken(carom) -> None:
    with bind(0) as taken:
        port = taken.getsockname()[1]
        one_line(carom("lab", "--port", port), 1, f"port {port} is taken")


def test_without_the_extra(carom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    one_line(carom("lab", "break"), 1, 'the laboratory needs nicegui: pip install "carom[lab]"')
