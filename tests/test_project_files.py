"""Files around the code: workflows name what exists, constraints fit the bounds, forms and citation can be read."""

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import carom

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MADE = {"notes.md", "dist/", "dist/notes.md", "site/"}
"""Files that a workflow makes before it names them."""

each_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda path: path.name)


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def commands(workflow: dict[str, Any]) -> str:
    return "\n".join(step["run"] for step in steps(workflow) if "run" in step)


def make_targets(text: str) -> set[str]:
    return set(re.findall(r"\bmake ([a-z]+)", text))


def paths(text: str) -> set[str]:
    """Words with a suffix of ours, but no patterns, and nothing of the virtual environment."""
    return {word for word in re.findall(r"[\w./*-]+\.(?:py|txt|toml|md)\b", text) if "*" not in word}


def missing(workflow: dict[str, Any]) -> set[str]:
    """Targets of make and paths that a workflow names, and that do not exist."""
    text = commands(workflow)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {name for name in make_targets(text) if not re.search(rf"^{name}:", makefile, flags=re.MULTILINE)}
    named = paths(text) | paths(repr(workflow))
    return targets | {path for path in named - MADE if not (ROOT / path.removeprefix("/")).exists()}


def test_there_are_workflows() -> None:
    assert {path.name for path in WORKFLOWS} == {"release.yml", "tests.yml", "versions.yml"}


@each_workflow
def test_a_workflow_names_what_exists(file: Path) -> None:
    assert missing(read(file)) == set()


@pytest.mark.parametrize("command", ["make nothing", "python tools/nothing.py"])
def test_a_name_of_nothing_is_noticed(command: str) -> None:
    assert missing({"jobs": {"one": {"steps": [{"run": command}]}}})


@each_workflow
def test_a_workflow_has_few_rights_and_one_run_at_a_time(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    assert "github.ref" in workflow["concurrency"]["group"]
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 120, name
        assert set(job.get("permissions", {"contents": "read"})) <= {"contents", "id-token"}, name


@each_workflow
def test_actions_are_pinned_by_major_version(file: Path) -> None:
    used = [step["uses"] for step in steps(read(file)) if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", one)] == []


def test_the_lowest_and_the_newest_python_are_tried_on_three_systems() -> None:
    named = sorted((line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line), key=Version)
    ends = [named[0], named[-1]]
    jobs = read(ROOT / ".github/workflows/tests.yml")["jobs"]
    assert jobs["posix"]["strategy"]["matrix"] == {"system": ["ubuntu-latest", "macos-latest"], "python": ends}
    assert jobs["windows"]["strategy"]["matrix"] == {"python": ends}
    assert read(ROOT / ".github/workflows/versions.yml")["jobs"]["edges"]["strategy"]["matrix"]["python"] == ends


def test_constraints_are_versions_without_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines[1:] if not re.fullmatch(r"[a-z0-9-]+==[\w.!+]+", line)] == []
    assert lines[1:] == sorted(lines[1:], key=lambda line: line.partition("==")[0])
    assert len({line.partition("==")[0] for line in lines}) == len(lines)


def out_of_bounds(constraints: dict[str, str], requirements: list[Requirement]) -> list[str]:
    """Requirements that the constraints miss or do not meet."""
    versions = [(each, constraints.get(canonicalize_name(each.name))) for each in requirements]
    return [str(each) for each, version in versions if version is None or not each.specifier.contains(version)]


def test_constraints_fit_the_bounds() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    constraints = {name: version for name, _, version in (line.partition("==") for line in lines)}
    requirements = tool("constraints").asked("dev")
    assert {"numba", "mypy", "mkdocs", "nicegui"} <= {each.name for each in requirements}
    assert out_of_bounds(constraints, requirements) == []
    assert out_of_bounds(constraints | {"numba": "0.1"}, requirements) != []
    assert out_of_bounds(constraints, [Requirement("sixpack>=1")]) == ["sixpack>=1"]


def test_hooks_need_no_network_and_name_what_exists() -> None:
    config = read(ROOT / ".pre-commit-config.yaml")
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    hooks = {hook["id"]: hook for hook in config["repos"][0]["hooks"]}
    assert len(hooks) == len(config["repos"][0]["hooks"])
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks.values() if hook["language"] == "system")
    assert re.search(hooks["merge-conflict"]["entry"], "<<<<<<< HEAD")
    assert not re.search(hooks["merge-conflict"]["entry"], "a << b")
    assert re.search(hooks["trailing-space"]["entry"], "x = 1 ")


def test_forms_for_issues_ask_for_something() -> None:
    forms = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
    assert forms
    for form in map(read, forms):
        assert form["name"]
        assert form["description"]
        assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_the_citation_agrees_with_the_project() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert (citation["title"], citation["license"]) == (PROJECT["name"], PROJECT["license"])
    assert {"cff-version", "message", "authors"} <= set(citation)
    assert [each["name"] for each in citation["authors"]] == [each["name"] for each in PROJECT["authors"]]


CHANGES = (
    "# Changelog\n\n## [Unreleased]\n\n- a\n\n## [0.2.0] - 2026-12-01\n\n- b\n\n### Fixed\n\n- c\n\n## [0.1.0]\n\n- d\n"
)


@pytest.mark.parametrize(
    ("version", "text"), [("0.2.0", "- b\n\n### Fixed\n\n- c"), ("0.1.0", "- d"), ("0.3.0", ""), ("0.2", "")]
)
def test_the_notes_of_a_release_are_its_section(version: str, text: str) -> None:
    assert tool("release_notes").section(CHANGES, version) == text


def test_the_notes_are_those_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tool("release_notes")
    assert notes.package_version((ROOT / "src/carom/__init__.py").read_text(encoding="utf-8")) == carom.__version__
    monkeypatch.setattr("sys.argv", ["release_notes.py", "v9.9.9"])
    with pytest.raises(SystemExit, match=r"the tag is v9\.9\.9, but the package is "):
        notes.main()
