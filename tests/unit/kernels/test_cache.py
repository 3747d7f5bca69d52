"""Many processes that need a kernel at the same time compile it once, and never mix up its variants."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba.core import config

from carom.kernels import cache, jit

# Typing `slow` takes half a second and leaves a mark a compilation, so that all processes are there before the first
# is done.
KERNELS = """
import os, sys, time
from numba import types
from numba.extending import intrinsic
from carom.kernels.progress import Compilations
from carom.kernels import jit

@intrinsic
def slow(context, x):
    time.sleep(0.5)
    with open("marks", "a") as file:
        file.write(f"{os.getpid()} {x}\\n")
    def emit(context, builder, signature, arguments):
        return arguments[0]
    return x(x), emit

@jit.kernel
def twice(x):
    return slow(x) + x

print("ready", flush=True)
sys.stdin.readline()
seen = []
with Compilations(lambda: seen.append("compiles")):
    print(twice(eval(sys.argv[1])), *seen)
"""


def together(folder: Path, *arguments: str) -> tuple[list[str], list[str]]:
    """What processes print that start with these arguments at once, and the marks of what was compiled."""
    script = folder / "script.py"
    script.write_text(KERNELS, encoding="utf-8")
    command = [sys.executable, str(script)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    runs = [subprocess.Popen([*command, each], cwd=folder, **pipes) for each in arguments]
    assert [run.stdout.readline() for run in runs] == ["ready\n"] * len(runs)
    for run in runs:
        run.stdin.write("\n")
        run.stdin.flush()
    said = [run.communicate(timeout=100)[0].strip() for run in runs]
    assert [run.returncode for run in runs] == [0] * len(runs)
    return said, (folder / "marks").read_text(encoding="utf-8").splitlines()


def test_processes_that_need_a_kernel_together_compile_it_once(tmp_path: Path) -> None:
    said, marks = together(tmp_path, "2.0", "2.0", "2.0")
    assert len(marks) == 1
    assert [each.split()[0] for each in said] == ["4.0"] * 3
    assert all("compiles" in each for each in said), "who waits says so"


def test_variants_do_not_wait_for_each_other_and_all_are_stored(tmp_path: Path) -> None:
    arguments = ("2.0", "2", "2.0+0j")
    said, marks = together(tmp_path, *arguments)
    assert [each.split()[0] for each in said] == ["4.0", "4", "(4+0j)"]
    assert len(marks) == 3
    said, again = together(tmp_path, *arguments)
    assert said == ["4.0", "4", "(4+0j)"], "nothing was compiled"
    assert again == marks


WARM = """
import sys
import numpy as np
from carom import library, Simulation
from carom.kernels import jit

compiler = "numba.np.random.legacy"  # one of the many modules that Numba reads to make its compiler ready
sim = Simulation(library.load("gas", count=20))
sim.run(collisions=2)
print(compiler in sys.modules)

@jit.kernel
def total(x):
    return x[0] + x[3]

print(total(np.arange(4.0)), compiler in sys.modules)
"""


def test_a_stored_kernel_runs_without_making_the_compiler_ready_which_is_still_there(tmp_path: Path) -> None:
    """A fifth of a second at each start."""
    script = tmp_path / "script.py"
    script.write_text(WARM, encoding="utf-8")

    def said() -> str:
        return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout

    said()  # compiles, unless another test has
    script.write_text(WARM.replace("x[3]", "x[3] + 1.0"), encoding="utf-8")
    assert said() == "False\n4.0 True\n"
    assert said() == "False\n4.0 False\n"


def test_who_waits_too_long_compiles_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that hangs amid it does not stop the others for ever."""
    monkeypatch.setattr(cache, "LONGEST_WAIT", 0.1)

    place = SimpleNamespace(filename_base="kernel", locator=SimpleNamespace(ensure_cache_path=lambda: None))
    stored = SimpleNamespace(_cache=SimpleNamespace(cache_path=str(tmp_path), _impl=place))
    with cache._locked(stored, "variant"), cache._locked(stored, "variant"):
        assert (tmp_path / "kernel.variant.lock").exists()


def test_numba_has_the_settings_of_a_kernel_only_while_it_compiles_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of others are compiled as they wish, also after a kernel that could not be."""
    monkeypatch.setattr(config, "LOOP_VECTORIZE", 1)
    monkeypatch.setattr(config, "SLP_VECTORIZE", 0)
    seen = []

    def fail(_signature: object) -> None:
        seen.append((config.LOOP_VECTORIZE, config.SLP_VECTORIZE))
        raise RuntimeError

    for settings in (jit.VECTORS, {"LOOP_VECTORIZE": 0}):
        dispatcher = jit.kernel(fail)  # as good as any: what is compiled is replaced
        dispatcher.compile = fail
        cache.share(dispatcher, settings)
        with pytest.raises(RuntimeError):
            dispatcher.compile((int,))
        assert (config.LOOP_VECTORIZE, config.SLP_VECTORIZE) == (1, 0)
    assert seen == [(1, 1), (0, 0)]
