"""A command line, and scene files for it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from carom.cli import main

UNEQUAL = """\
name = "Unequal masses"
[boundary]
kind = "box"
size = [0.5, 0.3]
[[balls]]
position = [0.10, 0.1]
velocity = [0.1, 0.0]
mass = 0.02
radius = 0.02
[[balls]]
position = [0.35, 0.1]
velocity = [-0.1, 0.0]
mass = 0.01
radius = 0.01
"""

OVERLAPPING = """\
[boundary]
kind = "box"
size = [1.0, 1.0]
[[balls]]
position = [0.5, 0.5]
radius = 0.01
[[balls]]
position = [0.518, 0.5]
radius = 0.01
"""


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def carom(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Type a command: `carom("run", "break", "--until", "2")`."""

    def typed(*arguments: str | Path) -> Answer:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return typed


@pytest.fixture
def unequal(tmp_path: Path) -> Path:
    return written(tmp_path / "unequal.toml", UNEQUAL)


@pytest.fixture
def overlapping(tmp_path: Path) -> Path:
    return written(tmp_path / "overlapping.toml", OVERLAPPING)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
