"""The bounds of dependencies are what was tried, every import is declared, and other releases of Numba are refused."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from copy import deepcopy
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest

from carom.errors import VersionError
from carom.kernels import numba_version

ROOT = Path(__file__).parent.parent
COMES_WITH = {"cycler": "matplotlib", "llvmlite": "numba", "pydantic_core": "pydantic", "orjson": "nicegui"}
"""Imported, but chosen by a package that is declared; orjson only where it is there."""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/version_bounds.py, which finds the modules beside it."""
    folder = str(ROOT / "tools")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("version_bounds")
    finally:
        sys.path.remove(folder)


@pytest.fixture
def project(tool: ModuleType) -> dict[str, Any]:
    return tool.project()


@pytest.fixture
def tried(tool: ModuleType) -> dict[str, Any]:
    return tomllib.loads(tool.TRIED.read_text(encoding="utf-8"))


def changed(project: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """The project with another requirement among its dependencies or extras."""
    assert old in repr(project)
    return ast.literal_eval(repr(project).replace(old, new))


def test_the_bounds_are_what_was_tried(tool: ModuleType, project: dict[str, Any], tried: dict[str, Any]) -> None:
    assert tool.disagreements(project, tried) == []


def test_every_python_was_tried_at_both_edges(tool: ModuleType, project: dict[str, Any], tried: dict[str, Any]) -> None:
    runs = {(each["python"], each["edge"]) for each in tried["environment"]}
    assert {(minor, edge) for minor in ("3.11", "3.12", "3.13") for edge in ("lowest", "newest")} <= runs
    assert tool.pythons(project) == ["3.11", "3.12", "3.13"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("numba>=0.63.1", "numba>=0.62", "numba 0.63.1 was tried, not the lower bound of numba<0.69,>=0.62"),
        (",<0.69", ",<0.70", "admits later ones"),
        (",<0.69", "", "numba>=0.63.1 has no upper bound"),
        (",<0.69", ",<0.68", "does not admit it"),
        ("nicegui>=3.5", "nicegui>=3.4", "nicegui 3.5.0 was tried, not the lower bound of nicegui"),
        ("rich>=13.8", "rich>=14", "rich 13.8.0 was tried, not the lower bound of rich>=14"),
        ("gsd>=3.4.2", "gsd>=3.4.2', 'sixpack>=1", "sixpack was not installed"),
        ("Python :: 3.13", "Python :: 3.14", "Python 3.14, lowest: not tried"),
    ],
)
def test_a_bound_that_was_not_tried_is_noticed(
    old: str, new: str, said: str, tool: ModuleType, project: dict[str, Any], tried: dict[str, Any]
) -> None:
    wrong = tool.disagreements(changed(project, old, new), tried)
    assert any(said in line for line in wrong), wrong


def test_a_check_that_failed_or_is_missing_is_noticed(
    tool: ModuleType, project: dict[str, Any], tried: dict[str, Any]
) -> None:
    failed, missing = deepcopy(tried), deepcopy(tried)
    failed["environment"][0]["failed"] = {"exact": "AttributeError: _reload_init"}
    missing["environment"][0]["passed"].remove("golden bits")
    assert "exact failed: AttributeError: _reload_init" in tool.disagreements(project, failed)[0]
    assert "golden bits was not checked" in tool.disagreements(project, missing)[0]


def test_the_page_of_tested_versions_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools/versions_page.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_tells_of_a_failed_check(tool: ModuleType, tried: dict[str, Any]) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        page = importlib.import_module("versions_page")
    finally:
        sys.path.pop(0)
    run = deepcopy(tried)["environment"][0]
    run["failed"] = {"exact": "AttributeError: a|b"}
    assert r"1 failed (exact: AttributeError: a\|b)" in page.result(run)
    table = (ROOT / "docs/versions.md").read_text(encoding="utf-8")
    assert all(f"| {each['python']} | {each['edge']} | " in table for each in tried["environment"])


def imported() -> set[str]:
    """The top-level modules that the package imports, wherever it does."""
    found: set[str] = set()
    for file in (ROOT / "src/carom").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"carom"}


def test_every_import_is_declared(tool: ModuleType, project: dict[str, Any]) -> None:
    homes = metadata.packages_distributions()
    declared = set(tool.bounds(project))
    canonical = {
        module: {re.sub(r"[-_.]+", "-", home).lower() for home in homes.get(module, [])} for module in imported()
    }
    missing = [
        module for module, names in canonical.items() if not names & declared and COMES_WITH.get(module) not in declared
    ]
    assert sorted(missing) == []
    assert {"uvicorn", "starlette", "numba", "h5py"} <= set(canonical)


def test_the_guard_has_the_bounds_of_the_package(tool: ModuleType, project: dict[str, Any]) -> None:
    bound = tool.bounds(project)["numba"].specifier
    assert {str(each) for each in bound} == {f">={numba_version.LOWEST}", f"<{numba_version.BELOW}"}


@pytest.mark.parametrize("version", ["0.63.1", "0.64.0", "0.68.1", "0.68.99"])
def test_a_numba_that_was_tried_is_taken(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "__version__", version)
    numba_version.require_known_numba()


@pytest.mark.parametrize("version", ["0.61.2", "0.62.1", "0.63.0", "0.69.0", "0.69.0rc1", "1.0"])
def test_another_numba_is_refused(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "__version__", version)
    with pytest.raises(VersionError) as caught:
        numba_version.require_known_numba()
    assert str(caught.value) == (
        f"Numba {version} is installed, but carom works with 0.63.1 or later, before 0.69: "
        'pip install "numba>=0.63.1,<0.69"'
    )


OLD = """
import sys, numba
numba.__version__ = "0.62.1"
from carom.cli import main
raise SystemExit(main(["run", "break", "--until", "1", "--quiet"]))
"""
BROKEN = """
import sys
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "numba":
            raise ImportError("Numba needs NumPy 2.3 or less. Got NumPy 2.4.")

sys.meta_path.insert(0, Finder())
from carom.cli import main
raise SystemExit(main(["run", "break", "--until", "1", "--quiet"]))
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (OLD, "Numba 0.62.1 is installed, but carom works with 0.63.1 or later, before 0.69: pip install "),
        (BROKEN, "Numba cannot be loaded (Numba needs NumPy 2.3 or less. Got NumPy 2.4.): pip install "),
    ],
)
def test_the_command_line_says_it_in_one_line(code: str, said: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f'{said}"numba>=0.63.1,<0.69"\n'


def test_the_laboratory_does_not_start_without_a_numba_that_works(tmp_path: Path) -> None:
    code = OLD.replace('["run", "break", "--until", "1", "--quiet"]', '["lab", "--no-browser"]')
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("Numba 0.62.1 is installed, but carom works with ")


def test_with_documented_names_alone_any_numba_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "__version__", "0.69.0")
    monkeypatch.setenv("CAROM_PLAIN_JIT", "1")
    numba_version.require_known_numba()
    monkeypatch.setenv("CAROM_PLAIN_JIT", "0")
    with pytest.raises(VersionError):
        numba_version.require_known_numba()
