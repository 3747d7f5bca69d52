"""The mutants of tools/mutants.toml fit sources and tests, and docs/mutants.md tells of each; none is run here."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools/mutants.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


def test_every_mutation_fits_the_sources(tool: ModuleType) -> None:
    listed = tool.mutants()
    assert [problem for mutant in listed if (problem := mutant.problem(ROOT))] == []
    assert len({mutant.name for mutant in listed}) == len(listed) >= 50


def test_every_test_that_is_to_notice_is_there(tool: ModuleType) -> None:
    for mutant in tool.mutants():
        for test in mutant.tests:
            file, *names = test.partition("[")[0].split("::")
            text = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert all(f"class {name}:" in text or f"def {name}(" in text for name in names), test
            assert not file.startswith("golden"), "stored bits notice every change, right or wrong"


def test_the_page_tells_of_each(tool: ModuleType) -> None:
    page = (ROOT / "docs/mutants.md").read_text(encoding="utf-8")
    for mutant in tool.mutants():
        assert f"| {mutant.name} | {mutant.what} | `{mutant.file}` |" in page or f"**{mutant.name}**" in page


def test_a_mutation_that_no_longer_fits_is_named(tool: ModuleType) -> None:
    first = tool.mutants()[0]
    assert "0 times in src/carom/physics/impact.py" in replace(first, old="no such line").problem(ROOT)
    assert "times in src/carom/physics/impact.py" in replace(first, old="n").problem(ROOT)
    assert "there is no src/carom/physics/gone.py" in replace(first, file="physics/gone.py").problem(ROOT)
    assert "there is no tests/gone.py" in replace(first, tests=("gone.py",)).problem(ROOT)


def test_a_broken_file_is_mended_with_its_time(tool: ModuleType, tmp_path: Path) -> None:
    """Kernels are compiled anew when the time of a source changes; so it is put back too."""
    mutant = tool.mutants()[0]
    bench = tool.Workspace(tmp_path)
    file = bench.root / "src/carom" / mutant.file
    file.parent.mkdir(parents=True)
    file.write_text(f"begin {mutant.old} end", encoding="utf-8")
    before = file.stat().st_mtime_ns
    with bench.broken(mutant):
        assert file.read_text(encoding="utf-8") == f"begin {mutant.new} end"
    assert file.read_text(encoding="utf-8") == f"begin {mutant.old} end"
    assert file.stat().st_mtime_ns == before
