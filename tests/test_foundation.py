"""The house stands: layers, version, light import, the make targets, and the rule that CI skips nothing."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import carom

ROOT = Path(__file__).parent.parent


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after a statement."""
    code = f"import sys\n{statement}\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_stages_know_only_the_stages_before_them() -> None:
    done = python("-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())")
    assert done.returncode == 0, done.stdout


def test_the_version_has_one_home() -> None:
    assert metadata.version("carom") == carom.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", carom.__version__)


def test_importing_carom_is_light() -> None:
    heavy = {"numba", "llvmlite", "typer", "rich", "matplotlib", "scipy"}
    assert not loaded_by("import carom") & heavy


def test_scenes_compile_nothing() -> None:
    assert not loaded_by("import carom.scene.io.files, carom.scene.library") & {"numba", "llvmlite"}


def test_the_command_line_starts_light() -> None:
    assert not loaded_by("import carom.cli") & {"numba", "llvmlite", "numpy", "pydantic"}


def test_the_package_is_typed() -> None:
    assert (Path(carom.__file__).parent / "py.typed").exists()


def test_every_public_name_is_there() -> None:
    for name in carom.__all__:
        assert getattr(carom, name) is not None


def test_dependencies_are_bounded_below() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = project["dependencies"] + [one for extra in extras.values() for one in extra]
    assert [one for one in named if ">=" not in one and not one.startswith("carom[")] == []


SKIPPING = """
import pytest

@pytest.mark.skip(reason="no time")
def test_skipped(): pass

@pytest.mark.xfail(reason="known", raises=ZeroDivisionError)
def test_expected(): 1 / 0
"""


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("false", 0)])
def test_ci_skips_nothing(ci: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "test_skipping.py").write_text(SKIPPING, encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", f"--confcutdir={ROOT}", f"-c={ROOT}/pyproject.toml"]
    done = python("-m", "pytest", *options, "-p", "conftest", str(tmp_path), CI=ci, PYTHONPATH=str(ROOT / "tests"))
    assert done.returncode == code, done.stdout + done.stderr
    assert "1 xfailed" in done.stdout


def test_an_unknown_requirement_is_refused(tmp_path: Path) -> None:
    text = "import pytest\n\n@pytest.mark.requirement('T-99')\ndef test_it(): pass\n"
    (tmp_path / "test_unknown.py").write_text(text, encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}", f"--confcutdir={ROOT}", f"-c={ROOT}/pyproject.toml"]
    done = python("-m", "pytest", *options, "-p", "conftest", str(tmp_path), PYTHONPATH=str(ROOT / "tests"))
    assert done.returncode != 0
    assert "T-99" in done.stdout + done.stderr


def test_no_place_on_one_machine_is_named() -> None:
    """Nothing in the repository may lean on a folder of the machine that it was written on."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    pattern = re.compile(r"(?<![\w.])/(?:home|root|Users|work|tmp)/\w+")
    suspects = [ROOT / name for name in listed if Path(name).suffix in {".py", ".md", ".toml", ".json", ".txt", ""}]
    guilty = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in suspects
        if path.is_file() and path != Path(__file__)
        for match in pattern.finditer(path.read_text(encoding="utf-8", errors="ignore"))
    ]
    assert guilty == []


SOURCES = ROOT / "src" / "carom"
KNOW_SOLVERS = {SOURCES / "solvers" / "registry.py", SOURCES / "solvers" / "choose.py"}
"""The modules that may ask which solver it is; all others ask what it can do."""
NAMES = {"exact", "stepped"}
CARDS = {"EXACT", "STEPPED"}


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def asks_for_a_solver(node: ast.AST) -> bool:
    """Is it a comparison, or a pattern, with the name of a solver?"""
    match node:
        case ast.Compare() | ast.MatchValue():
            return any(
                (isinstance(part, ast.Constant) and part.value in NAMES)
                or (isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in CARDS)
                for part in ast.walk(node)
            )
    return False


def test_nobody_asks_for_a_solver_by_its_name() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(SOURCES.rglob("*.py"))
        if path not in KNOW_SOLVERS
        for node in nodes(path)
        if asks_for_a_solver(node)
    ]
    assert asked == []


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("sim.solver == 'exact'", True),
        ("'stepped' != name", True),
        ("name in ('auto', 'exact')", True),
        ("sim.solver == EXACT.name", True),
        ("match name:\n    case 'exact': pass", True),
        ("wish = {'solver': 'exact'}", False),
        ("CARDS[sim.solver].has_forces", False),
    ],
)
def test_a_comparison_with_a_solver_is_seen(code: str, asks: bool) -> None:
    assert any(map(asks_for_a_solver, ast.walk(ast.parse(code)))) == asks


def test_nobody_reaches_into_a_simulation() -> None:
    private = {"_solver", "_run", "_editor", "_steering", "_runner", "_collector"}
    inside = SOURCES / "simulation"
    reached = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(SOURCES.rglob("*.py"))
        if inside not in path.parents
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in private
        if not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"})
    ]
    assert reached == []


def test_a_simulation_is_composed_of_parts_without_stubs() -> None:
    assert carom.Simulation.__mro__ == (carom.Simulation, object)
    stubs = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((SOURCES / "simulation").glob("*.py"))
        for node in nodes(path)
        if isinstance(node, ast.Name) and node.id == "NotImplementedError"
    ]
    assert stubs == []
