"""Modules use each other by public names, and ask solvers what they can do instead of comparing their names."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent.parent / "src/carom"
MODULES = sorted(SOURCE.rglob("*.py"))
SCRIPTS = sorted(SOURCE.rglob("*.js"))

PUBLIC = {"_replace", "_asdict", "_fields", "_repr_mimebundle_", "_exit", "_getframe"}
"""Names with an underscore that their owners document for everybody: of named tuples, IPython, `os` and `sys`."""

FRIENDS = {"simulation/internal.py": {"_run"}}
"""Accesses inside one package, by module: how sweeps and the laboratory reach a run."""

NUMBA = "kernels/"
"""The only room that may use private names of a dependency; tests/unit/kernels checks that it works without them."""

CHOOSERS = {"solvers/choose.py", "solvers/registry.py"}
SOLVERS = {"exact", "stepped"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def names_defined(tree: ast.Module) -> set[str]:
    """Every name that a module defines: functions, classes, variables, and attributes of `self` and `cls`."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and is_own(node):
            names.add(node.attr)
    return names


def is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}


def private_accesses(source: str) -> list[str]:
    """Private attributes and imports of other modules, each with its line."""
    tree = ast.parse(source)
    own = names_defined(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not is_own(node) and is_private(node.attr) and node.attr not in own:
            found.append(f"{node.lineno}: {node.attr}")
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.lineno}: {name.name}" for name in node.names if is_private(name.name)]
    return found


def solver_comparisons(source: str) -> list[int]:
    """Lines that compare something with the name of a solver, alone or among others, or match on it."""
    tree = ast.parse(source)
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            parts = [part for side in sides for part in getattr(side, "elts", [side])]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        else:
            continue
        if any(isinstance(part, ast.Constant) and part.value in SOLVERS for part in parts):
            lines.append(node.lineno)
    return lines


def script_comparisons(source: str) -> list[str]:
    """Comparisons with the name of a solver in JavaScript."""
    return re.findall(r"""(?:[!=]==?|\bcase)\s*["'](?:exact|stepped)["']|["'](?:exact|stepped)["']\s*[!=]==?""", source)


def foreign_accesses(module: Path) -> list[str]:
    """Private accesses of a module of carom that it is not allowed."""
    name = module.relative_to(SOURCE).as_posix()
    if name.startswith(NUMBA):
        return []
    allowed = FRIENDS.get(name, set())
    found = private_accesses(module.read_text(encoding="utf-8"))
    return [f"{name}:{access}" for access in found if access.split(": ")[1] not in allowed]


def test_modules_use_public_names_of_each_other() -> None:
    assert [access for module in MODULES for access in foreign_accesses(module)] == []


def test_a_private_access_is_found() -> None:
    source = "from carom.views.svg import _draw\n\ndef run(self, sim, other):\n    self._x = other._x + sim._solver\n"
    assert private_accesses(source) == ["1: _draw", "4: _solver"]


def test_solvers_are_not_told_apart_by_name() -> None:
    found = {
        path.relative_to(SOURCE).as_posix(): lines
        for path, look in [
            *((path, solver_comparisons) for path in MODULES),
            *((path, script_comparisons) for path in SCRIPTS),
        ]
        if (lines := look(path.read_text(encoding="utf-8")))
    }
    assert set(found) <= CHOOSERS, found


@pytest.mark.parametrize(
    "line", ['sim.solver == "exact"', 'name in ("auto", "stepped")', 'match name:\n    case "exact":\n        pass']
)
def test_a_comparison_with_a_solver_is_found(line: str) -> None:
    assert solver_comparisons(line)


@pytest.mark.parametrize("line", ['solver === "stepped"', '"exact" != name', "case 'exact':"])
def test_a_comparison_in_javascript_is_found(line: str) -> None:
    assert script_comparisons(line)
