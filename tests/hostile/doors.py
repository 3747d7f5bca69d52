"""Checks of all inputs: anything is accepted, or refused in clear lines, in limited time and memory."""

import contextlib
import io
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from carom.cli import main
from carom.errors import InputError

MAX_SECONDS = 10.0
"""CPU time of an answer."""
MAX_BYTES = 500_000_000
"""Additional memory of an answer."""
MAX_LINES = 101
"""Lines of an answer: the problems listed, and how many more there are."""
MAX_LINE_LENGTH = 1500
"""Characters of a line."""
STEERING = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that must not reach a terminal from a file: controls, direction marks, surrogates."""

AWKWARD: tuple[Any, ...] = (
    *([], ["x"], [None, None], ["1", "2"], [True, False], [[1, 2], [3]], {}, {"a": 1}, True, False, None),
    *(0, -1, 1.5, 1e308, -1e308, 5e-324, 10**30, -(10**300)),
    *("", "x" * 100_000, "1e999", "nan", "-inf", "\x1b[2J", "\ud800", "１"),
)
"""JSON values of unexpected types, for any argument: some cannot be hashed, compared or counted."""

Result = TypeVar("Result")


def check_clear(text: str) -> None:
    """Check that a text is a few lines with place, problem and remedy, without control characters."""
    assert not STEERING.search(text), ascii(text)
    lines = text.splitlines()
    assert 0 < len(lines) <= MAX_LINES
    assert all(0 < len(line) <= MAX_LINE_LENGTH for line in lines), ascii(text[:3000])
    assert all(line.rstrip().endswith((".", "?", ")", "scenes", "studies")) for line in lines), ascii(text[:3000])
    assert "Traceback" not in text


def answered(do: Callable[[], Result]) -> Result | None:
    """Call a function in limited time; return its result, or None if it refused in clear lines."""
    began = time.process_time()
    made, refusal = None, None
    try:
        made = do()
    except InputError as error:
        refusal = error
    if refusal is not None:
        assert len(refusal.problems) == len(str(refusal).splitlines())
        check_clear(str(refusal))
    assert time.process_time() - began < MAX_SECONDS
    return made


@dataclass(frozen=True)
class Told:
    """The answer of a command."""

    code: int
    out: str
    err: str


def typed(*arguments: str) -> Told:
    """Run a command line in this process, as if in a pipe; check that its output has no control characters."""
    out, err = io.StringIO(), io.StringIO()
    began = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
    assert time.process_time() - began < MAX_SECONDS
    told = Told(code, out.getvalue(), err.getvalue())
    assert not STEERING.search(told.out), ascii(told.out)
    if code:
        assert code in {1, 2}
        check_clear(told.err)
    return told


def refused(*arguments: str) -> str:
    """The error lines of a command that is refused."""
    told = typed(*arguments)
    assert told.code in {1, 2}, told
    return told.err


# With a memory limit of the operating system, in a separate process.

_LIMITED = """
import json, os, resource, sys, time
from hostile.doors import typed
from carom.cli import main
import carom.simulation.simulation, carom.sweeps.study.study, carom.scene.placement.check
most = int(sys.argv[1])
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + most, held + most))
for line in sys.stdin:
    told = typed(*json.loads(line))
    print(json.dumps([told.code, told.out, told.err]), flush=True)
"""


def with_limited_memory(commands: Sequence[Sequence[str]], folder: Path) -> Iterator[Told]:
    """Run commands in a process with limited memory."""
    tests = str(Path(__file__).parent.parent)
    given = "".join(json.dumps(list(command)) + "\n" for command in commands)
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(MAX_BYTES)],
        input=given, capture_output=True, text=True, cwd=folder, timeout=100, check=False,
        env={**os.environ, "PYTHONPATH": tests},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert len(lines) == len(commands)
    return (Told(*json.loads(line)) for line in lines)


def memory_held() -> int:
    """Peak memory of this process, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def leaves(content: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of a document: of every table, list and value."""
    yield path
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in inner:
        yield from leaves(value, (*path, key))
