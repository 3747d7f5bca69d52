"""The command itself: version, help, mistakes, and how it behaves as a program among others."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import carom as package


def program(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "carom", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(carom, option: str) -> None:
    answer = carom(option)
    assert answer.code == 0
    for command in ("run", "draw", "check", "scenes", "schema", "lab"):
        assert command in answer.out


def test_no_command_gives_help(carom) -> None:
    answer = carom()
    assert answer.code == 0
    assert "check" in answer.out


def test_version(carom) -> None:
    assert carom("--version").out == f"carom {package.__version__}\n"


def test_an_unknown_command(carom) -> None:
    answer = carom("rnu")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert "rnu" in answer.err


def test_as_a_module() -> None:
    done = program("--version")
    assert (done.returncode, done.stdout) == (0, f"carom {package.__version__}\n")


def test_as_a_script() -> None:
    script = Path(sys.executable).parent / "carom"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"carom {package.__version__}\n")


@pytest.mark.parametrize(
    "command", [["scenes"], ["scenes", "break"], ["--help"], ["run", "--help"], ["run", "nothing"]]
)
def test_no_escape_codes_into_a_pipe(command: list[str]) -> None:
    done = program(*command, env={**os.environ, "TERM": "xterm-256color"})
    assert "\x1b" not in done.stdout + done.stderr


def test_a_whole_run_as_a_program(unequal: Path) -> None:
    done = program("run", unequal, "--until", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["collisions"] == 1
    assert "Traceback" not in done.stderr


def test_a_mistake_shows_no_traceback(overlapping: Path) -> None:
    done = program("run", overlapping, "--until", "2")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = [sys.executable, "-m", "carom", "schema"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        assert running.stderr.read() == ""


def test_ctrl_c_is_a_word_and_no_traceback(carom, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("carom.cli.commands.scenes.show_all", interrupted)
    answer = carom("scenes")
    assert (answer.code, answer.out, answer.err) == (130, "", "stopped by Ctrl-C.\n")


def test_letters_that_a_terminal_cannot_show_are_told_otherwise() -> None:
    done = program("studies", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "there are \\u03c0 \\u221a(M/m)" in done.stdout


def test_first_compilation_is_announced(unequal: Path, tmp_path: Path) -> None:
    done = program("run", unequal, "--until", "2", "--json", env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("compiling the kernels")
    assert json.loads(done.stdout)["compile_time"] > 0
    again = program("run", unequal, "--until", "2", "--json", env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)})
    assert again.stderr == ""
    assert json.loads(again.stdout)["compile_time"] == 0


def test_progress_and_ctrl_c_on_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "carom", "run", "break", "--collisions", "1000000000000", "--json"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    with out.open("w") as target, subprocess.Popen(command, stdout=target, stderr=theirs, env=environment) as running:
        os.close(theirs)
        shown = b""
        began = time.monotonic()
        while b"collisions/s" not in shown and time.monotonic() < began + 60:
            shown += os.read(ours, 4096)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 130
    os.close(ours)
    assert b"t = " in shown
    assert json.loads(out.read_text(encoding="utf-8"))["stopped"] == "by Ctrl-C"
