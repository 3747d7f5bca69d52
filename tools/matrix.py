"""Test carom with the lowest and the newest versions that it admits, and record the results.

    python tools/matrix.py                                     # every Python of pyproject.toml that is found
    python tools/matrix.py --python python3.12 --edge lowest   # one environment of them
    python tools/matrix.py --list                              # what would be tried

For each Python it makes virtual environments in a temporary folder, installs carom with all its extras from the package
index, and runs `tools/version_checks.py`. Edges:

    lowest    every dependency at the lower bound that pyproject.toml gives
    newest    the newest versions that pip admits
    numba X   as newest, with one minor release of Numba between the bounds, of whose private names carom uses some
              (on the first Python only, and only the checks that compile)

The results go into `tools/tried_versions.toml`, and from there into `docs/versions.md`; `tests/test_versions.py`
compares the bounds with them. The exit code is 1 if anything failed. An environment takes a few minutes, most of them
for downloads and for compiling kernels.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import tomli_w
from packaging.utils import canonicalize_name
from packaging.version import Version

from version_bounds import EXTRAS, ROOT, TRIED, Tried, bounds, checks, disagreements, edges, lowest, project, pythons
from versions_page import PAGE, render

CHECKS = ROOT / "tools/version_checks.py"
CHECK_TIMEOUT = 900
"""Time limit of a check, s."""


class Edge(NamedTuple):
    """An environment to try: a Python, which versions, and which checks."""

    python: str
    minor: str
    name: str

    @property
    def constraints(self) -> list[str]:
        """The constraints for pip."""
        if self.name == "lowest":
            return [f"{name}=={lowest(bound)}" for name, bound in bounds(project()).items()]
        return [self.name.replace(" ", "==") + ".*"] if self.name.startswith("numba ") else []


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, and capture its output; one that takes too long has failed."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=kept | environment,
            capture_output=True,
            text=True,
            timeout=CHECK_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"it took longer than {CHECK_TIMEOUT} s")


def last_line(text: str) -> str:
    """The last line of a program's output."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it said nothing")[:300]


def why_not_installed(text: str) -> str:
    """The cause from pip's output: a conflict, or its first error."""
    _, found, conflict = text.partition("The conflict is caused by:")
    if found:
        return "; ".join(line.strip() for line in conflict.partition("\n\n")[0].splitlines() if line.strip())
    return next((line for line in text.splitlines() if line.startswith("ERROR")), last_line(text))


class VirtualEnvironment:
    """A virtual environment in a temporary folder."""

    def __init__(self, edge: Edge, folder: Path) -> None:
        self.edge = edge
        self.folder = folder
        self.python = folder / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def install(self) -> str:
        """Install carom and its extras; return the error, or an empty text."""
        made = run([self.edge.python, "-m", "venv", "environment"], self.folder)
        if made.returncode:
            return last_line(made.stderr)
        limits = self.folder / "constraints.txt"
        limits.write_text("\n".join(self.edge.constraints), encoding="utf-8")
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        carom = f"{ROOT}[{','.join(EXTRAS)}]"
        done = run([*pip, "--only-binary", ":all:", "--constraint", str(limits), carom], self.folder)
        return why_not_installed(done.stdout + done.stderr) if done.returncode else ""

    def versions(self) -> dict[str, str]:
        """The installed versions of carom's requirements."""
        listed = run([str(self.python), "-m", "pip", "list", "--format", "json"], self.folder).stdout
        asked = bounds(project())
        found = {str(canonicalize_name(each["name"])): str(each["version"]) for each in json.loads(listed or "[]")}
        return {name: found[name] for name in sorted(asked) if name in found}

    def check(self, name: str) -> str:
        """Run one check; return the error, or an empty text."""
        scratch = Path(tempfile.mkdtemp(dir=self.folder))
        kernels = str(self.folder / "kernels")
        done = run([str(self.python), str(CHECKS), *name.split()], scratch, NUMBA_CACHE_DIR=kernels)
        return last_line(done.stderr).replace(str(self.folder), "…") if done.returncode else ""


def attempt(edge: Edge, progress: str) -> Tried:
    """Make an environment, run its checks, and print the result of each."""
    with tempfile.TemporaryDirectory(prefix="carom-versions-") as folder:
        bench = VirtualEnvironment(edge, Path(folder))
        title = f"[{progress}] Python {edge.minor}, {edge.name}"
        print(f"{title}: installing …", flush=True)
        failed = {"install": why} if (why := bench.install()) else {}
        asked = [] if failed else checks(edge.name)
        for k, name in enumerate(asked):
            began = time.monotonic()
            print(f"{title}: {k + 1} of {len(asked)}, {name} … ", end="", flush=True)
            why = bench.check(name)
            print(f"{'FAILED: ' + why if why else 'passed'} ({time.monotonic() - began:.0f} s)", flush=True)
            failed |= {name: why} if why else {}
        told = [f"{name} FAILED: {why}" for name, why in failed.items()]
        print(f"{title}: {'; '.join(told) or 'all passed'}", flush=True)
        return {
            "python": edge.minor,
            "edge": edge.name,
            "date": datetime.now(UTC).date(),
            "system": f"{platform.system()} {platform.machine()}",
            "passed": [name for name in asked if name not in failed],
            "failed": failed,
            "versions": bench.versions(),
        }


def interpreters(named: list[str]) -> dict[str, str]:
    """The Pythons to try, by minor version: named ones, or those found by their usual names."""
    found: dict[str, str] = {}
    for name in named or [f"python{minor}" for minor in pythons(project())]:
        place = shutil.which(name)
        asked = run([place, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], ROOT) if place else None
        minor = asked.stdout.strip() if asked else ""
        if minor in pythons(project()):
            found[minor] = place or name
        else:
            why = f"Python {minor} is not in pyproject.toml" if minor else "not found"
            print(f"{name}: {why}, so it is not tried", flush=True)
    return found


def chosen(named: list[str], only: str | None) -> list[Edge]:
    """The environments to try."""
    found = interpreters(named)
    listed = [(minor, name) for minor in sorted(found, key=Version) for name in edges(project(), minor)]
    return [Edge(found[minor], minor, name) for minor, name in listed if only in {None, name}]


def write(results: list[Tried]) -> None:
    """Write results over older ones of the same environments."""
    before = tomllib.loads(TRIED.read_text(encoding="utf-8"))["environment"] if TRIED.exists() else []
    new = {(each["python"], each["edge"]): each for each in [*before, *results]}
    wanted = {(minor, edge) for minor in pythons(project()) for edge in edges(project(), minor)}
    kept = [new[key] for key in sorted(new.keys() & wanted, key=lambda key: (Version(key[0]), key[1]))]
    head = "# Which versions carom was tried with, and the result. Written by `make versions` (tools/matrix.py).\n\n"
    TRIED.write_text(head + tomli_w.dumps({"environment": kept}), encoding="utf-8")


def main() -> int:
    """Try the chosen environments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], help="an interpreter; more than one may be named")
    parser.add_argument("--edge", help='"lowest", "newest" or such as "numba 0.65"; all if left out')
    parser.add_argument("--list", action="store_true", help="only say what would be tried")
    options = parser.parse_args()
    todo = chosen(options.python, options.edge)
    if options.list or not todo:
        print("\n".join(f"Python {edge.minor}, {edge.name}" for edge in todo) or "nothing to try")
        return 0 if todo else 1
    results: list[Tried] = []
    for k, edge in enumerate(todo):
        results.append(attempt(edge, f"{k + 1}/{len(todo)}"))
        write(results)
        PAGE.write_text(render(), encoding="utf-8")
    wrong = disagreements(project(), tomllib.loads(TRIED.read_text(encoding="utf-8")))
    print("\n".join(wrong) or "the bounds of pyproject.toml are what was tried", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
