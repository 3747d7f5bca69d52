"""Kernels that Numba compiles without carom's own compiler and cache give the same bits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from golden import states, stepped

TESTS = Path(__file__).parents[1]
GOLDEN = {**json.loads(states.FILE.read_text("utf-8")), **json.loads(stepped.FILE.read_text("utf-8"))}
PLAYED = {
    "periodic": "golden.states",
    "bouncing": "golden.states",
    "springs": "golden.stepped",
    "tree": "golden.stepped",
}


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", PLAYED)
def test_the_plain_way_gives_the_golden_bits(name: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "CAROM_PLAIN_JIT": "1",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]),
    }
    command = [sys.executable, "-W", "error", "-m", PLAYED[name], name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=115, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "nothing is said of what was asked for"
    assert json.loads(done.stdout) == {name: GOLDEN[name]}
    assert not list(tmp_path.rglob("*.nbi")), "nothing is stored that a change of a law would not undo"
