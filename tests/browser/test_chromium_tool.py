"""tools/chromium.py: finds a browser, installs one where it may, and otherwise says in one line what to do."""

import shutil
from types import ModuleType

import pytest

from browser.conftest import chromium_tool


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The tool on a computer without any browser; nothing is ever installed."""
    made = chromium_tool()
    for name in ("CI", made.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(made, "succeeds", lambda *command: False)
    only(monkeypatch)
    return made


def only(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    """These programs are there, and no others."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)


@pytest.mark.parametrize("program", ["chromium", "chromium-browser", "google-chrome"])
def test_it_finds_one(tool, monkeypatch, capsys, program: str) -> None:
    only(monkeypatch, program, "apt-get")
    assert tool.main() == 0
    assert capsys.readouterr().out == f"/bin/{program}\n"


def test_a_named_one_wins(tool, monkeypatch) -> None:
    only(monkeypatch, "chromium", "my-chrome")
    monkeypatch.setenv("CAROM_CHROMIUM", "my-chrome")
    assert tool.find() == "/bin/my-chrome"


def test_a_named_one_that_is_none(tool, monkeypatch, capsys) -> None:
    only(monkeypatch, "chromium")
    monkeypatch.setenv("CAROM_CHROMIUM", "my-chrome")
    assert tool.main() == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_without_one_it_says_what_to_do(tool, monkeypatch, capsys, ci: str, code: int) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    only(monkeypatch, "apt-get")
    assert tool.main() == code
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "sudo apt-get install" in said.err
    assert ("skipped" in said.err) == (code == 0)


def test_root_installs_it(tool, monkeypatch, capsys) -> None:
    done = []

    def install(*command: str) -> bool:
        done.append(command)
        only(monkeypatch, "chromium")
        return True

    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(tool, "succeeds", install)
    only(monkeypatch, "apt-get")
    assert tool.main() == 0
    assert [command[:2] for command in done] == [("/bin/apt-get", "update"), ("/bin/apt-get", "install")]
    assert "installing it with apt-get" in capsys.readouterr().out


def test_an_installation_that_fails_is_no_success(tool, monkeypatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("CI", "true")
    only(monkeypatch, "dnf")
    assert tool.main() == 1
