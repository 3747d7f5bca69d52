"""A separate environment for pooltool, which needs versions of Numba and others that carom does not admit.

    python -m benchmarks.pooltool_environment    # make it: some minutes

pooltool 0.6.0 asks for llvmlite before 0.46, and for a pre-release of panda3d that PyPI does not have; a release serves
as well, for nothing is drawn. The environment is made in the user's cache folder and kept there. Another Python that
has pooltool can be named in CAROM_POOLTOOL.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.model import Skipped

VERSION = "0.6.0"
PANDA = "1.10.16"
NAMED = "CAROM_POOLTOOL"
MAKE = "python -m benchmarks.pooltool_environment"
REQUIREMENTS = """
from importlib.metadata import requires
print("\\n".join(each for each in requires("pooltool-billiards") if "extra ==" not in each))
"""


def folder() -> Path:
    """The folder of the environment."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "carom", "benchmarks", f"pooltool-{VERSION}")


def python() -> str:
    """The Python that has pooltool."""
    if named := os.environ.get(NAMED):
        return named
    place = folder() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder() / "complete").exists():
        raise Skipped(f"there is no environment with pooltool; `{MAKE}` makes one, or name a Python in {NAMED}")
    return str(place)


def wanted(requirements: list[str]) -> list[str]:
    """The requirements of pooltool, with a release of panda3d instead of the pre-release."""
    others = [each for each in requirements if not each.partition(";")[0].startswith(("panda3d=", "panda3d>"))]
    return [*others, f"panda3d=={PANDA}"]


def make() -> None:
    """Make a new environment."""
    place = folder()
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
    inside = str(place / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", f"pooltool-billiards=={VERSION}"], check=True)
    asked = subprocess.run([inside, "-c", REQUIREMENTS], check=True, capture_output=True, text=True).stdout
    subprocess.run([*pip, *wanted(asked.splitlines())], check=True)
    (place / "complete").touch()
    print(f"ready: {place}")


if __name__ == "__main__":
    make()
