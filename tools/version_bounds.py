"""Compares the bounds of dependencies in pyproject.toml with what was tried (tools/tried_versions.toml)."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from version_checks import CHECKS

ROOT = Path(__file__).resolve().parent.parent
TRIED = ROOT / "tools/tried_versions.toml"
EXTRAS = ("plots", "video", "notebook", "exports", "lab", "sweep", "pandas")
"""The extras for users; developers install the newest of everything."""
COMPILING = ("import", "exact", "stepped", "golden bits")
"""The checks for a release of Numba between the bounds."""

Tried = dict[str, Any]


def project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def bounds(project: Mapping[str, Any]) -> dict[str, Requirement]:
    """The requirements of a user's installation, extras included, by canonical name."""
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for extra in EXTRAS for line in extras[extra])]
    found: dict[str, Requirement] = {}
    for line in lines:
        asked = Requirement(line)
        name = canonicalize_name(asked.name)
        if name in found and found[name].specifier != asked.specifier:
            raise SystemExit(f"pyproject.toml: {name} has two bounds, {found[name]} and {asked}. Give it one.")
        found[name] = asked
    return found


def lowest(asked: Requirement) -> Version:
    """The lower bound of a requirement."""
    return Version(next(each.version for each in asked.specifier if each.operator == ">="))


def pythons(project: Mapping[str, Any]) -> list[str]:
    """The minor versions of Python that pyproject.toml names, such as 3.11."""
    named = (line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line)
    return sorted(named, key=Version)


def numba_releases(asked: Requirement) -> list[str]:
    """The minor releases from the lower bound up to, but without, the upper bound, such as 0.64."""
    top = Version(next(each.version for each in asked.specifier if each.operator == "<"))
    return [f"0.{minor}" for minor in range(lowest(asked).minor, top.minor)]


def edges(project: Mapping[str, Any], minor: str) -> list[str]:
    """The edges to try with a Python; releases of Numba between the bounds only with the first one."""
    inner = numba_releases(bounds(project)["numba"])[1:-1]
    return ["lowest", "newest", *(f"numba {release}" for release in inner if minor == pythons(project)[0])]


def checks(edge: str) -> list[str]:
    """The checks of `tools/version_checks.py` for an environment."""
    return [name for name in CHECKS if name in COMPILING or not edge.startswith("numba ")]


def disagreements(project: Mapping[str, Any], tried: Tried) -> list[str]:
    """Disagreements of pyproject.toml's bounds with what was tried and passed, in words."""
    runs = {(run["python"], run["edge"]): run for run in tried["environment"]}
    asked = bounds(project)
    if not any(each.operator == "<" for each in asked["numba"].specifier):
        return [f"{asked['numba']} has no upper bound: give it one just above the newest release that was tried"]
    wanted = [(minor, edge) for minor in pythons(project) for edge in edges(project, minor)]
    wrong = [f"Python {minor}, {edge}: not tried" for minor, edge in wanted if (minor, edge) not in runs]
    for minor, edge in wanted:
        if run := runs.get((minor, edge)):
            wrong += [f"Python {minor}, {edge}: {told}" for told in _wrong_in(run, asked, edge)]
    return wrong


def _wrong_in(run: Tried, asked: Mapping[str, Requirement], edge: str) -> Iterator[str]:
    """The disagreements of one environment."""
    yield from (f"{name} failed: {why}" for name, why in run["failed"].items())
    yield from (f"{name} was not checked" for name in checks(edge) if name not in [*run["passed"], *run["failed"]])
    for name, bound in asked.items():
        if name not in run["versions"]:
            yield f"{name} was not installed"
            continue
        version = Version(run["versions"][name])
        if edge == "lowest" and version != lowest(bound):
            yield f"{name} {version} was tried, not the lower bound of {bound}"
        elif not bound.specifier.contains(version):
            yield f"{name} {version} was tried, but {bound} does not admit it"
    numba = Version(run["versions"].get("numba", "0"))
    release = f"{numba.major}.{numba.minor}"
    if edge == "newest" and release != numba_releases(asked["numba"])[-1]:
        yield f"numba {numba} was the newest that was tried, but {asked['numba']} admits later ones"
    if edge.startswith("numba ") and edge != f"numba {release}":
        yield f"numba {numba} was tried"
