"""Write constraints.txt: the versions of carom's dependencies, those of developers included, in this environment.

    python tools/constraints.py

`pip install --constraint constraints.txt …` then installs these versions. The file holds names and versions only, no
addresses, and only what carom needs: other packages of the environment are left out.
"""

import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "constraints.txt"
HEAD = "# The versions that carom was last developed with, on Python {python}. Written by `make constraints`.\n"


def asked(extra: str) -> list[Requirement]:
    """The requirements of an extra in pyproject.toml; extras that it names are expanded."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines, waiting, seen = list(project["dependencies"]), [extra], {extra}
    while waiting:
        for line in project["optional-dependencies"][waiting.pop()]:
            requirement = Requirement(line)
            if requirement.name == project["name"]:
                waiting += requirement.extras - seen
                seen |= requirement.extras
            else:
                lines.append(line)
    return [Requirement(line) for line in lines]


def applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    """Does a requirement apply in this environment, with these extras of the requiring package?"""
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def closure(roots: list[Requirement]) -> dict[NormalizedName, str]:
    """Versions of all direct and indirect requirements of the roots."""
    found: dict[NormalizedName, str] = {}
    waiting = [each for each in roots if applies(each, ())]
    seen: set[tuple[NormalizedName, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key in seen:
            continue
        seen.add(key)
        try:
            package = metadata.distribution(requirement.name)
        except metadata.PackageNotFoundError:
            raise SystemExit(f"{requirement} is not installed: run `make setup`") from None
        found[key[0]] = package.version
        needs = map(Requirement, package.requires or ())
        waiting += [each for each in needs if applies(each, requirement.extras)]
    return found


def main() -> int:
    """Write the file."""
    versions = closure(asked("dev"))
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    TARGET.write_text(HEAD.format(python=python) + "".join(lines), encoding="utf-8")
    print(f"{TARGET.name}: {len(lines)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
