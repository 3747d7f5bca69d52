"""With NUMBA_DISABLE_JIT=1 kernels are plain functions of Python, and give the same bits."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from golden.interpreted import FILE, STARTS, digest_of

GOLDEN: dict[str, str] = json.loads(FILE.read_text("utf-8"))
TESTS = Path(__file__).parents[1]
PLAYED = [[name for k, name in enumerate(STARTS) if k % 3 == part] for part in range(3)]
IN_KERNEL = """
import sys, traceback
from carom import Simulation, library
from carom.physics import impact

def stopped(*arguments):
    raise SystemExit(" < ".join(frame.name for frame in reversed(traceback.extract_stack())))

impact.collide = stopped
Simulation(library.load("break")).run(collisions=1)
"""


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(TESTS), *sys.path])
    return subprocess.run(
        [sys.executable, "-W", "error", *command],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=115,
        check=False,
    )


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("names", PLAYED, ids=" ".join)
def test_plain_python_gives_the_same_bits(names: list[str]) -> None:
    done = run("-m", "golden.interpreted", *names)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {name: GOLDEN[name] for name in names}


@pytest.mark.parametrize("name", STARTS)
def test_compiled_kernels_give_the_same_bits(name: str) -> None:
    assert digest_of(name) == GOLDEN[name]


def test_a_debugger_can_stop_in_a_kernel() -> None:
    """What stands in for the law of an impact sees the main loop among its callers."""
    done = run("-c", IN_KERNEL)
    assert done.returncode == 1
    assert re.search(r" < touch .* < advance < ", done.stderr), done.stderr
