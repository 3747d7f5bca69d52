"""The tool that measures the coverage of kernels counts the branches inside them, and no others."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = """\
from carom.kernels.jit import inline

def host(x):
    if x:
        return 1
    return 2

@inline
def law(x):
    if x:
        return 1
    return 2
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernel_coverage", ROOT / "tools/kernel_coverage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_branches_of_all_processes_are_put_together(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "physics/module.py"
    file.parent.mkdir()
    file.write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(tool, "SOURCE", tmp_path)
    one = {"files": {str(file): {"executed_branches": [[4, 5]], "missing_branches": [[4, 6], [10, 11], [10, 12]]}}}
    two = {"files": {str(file): {"executed_branches": [[10, 12]], "missing_branches": [[10, 11], [4, 5], [4, 6]]}}}
    (found,) = tool.tallies([one, two])
    assert found == ("physics/module.py", 2, 1, [10])
    assert "| `physics/module.py` | 2 | 1 | 50 | 10 |" in tool.table([found])
    assert tool.tallies([])[0].branches == 0


def test_it_finds_the_kernels_of_both_solvers(tool: ModuleType) -> None:
    for module in ("solvers/exact/events/loop.py", "solvers/stepped/loop.py", "physics/impact.py", "kernels/powers.py"):
        assert len(tool.kernel_lines(ROOT / "src/carom" / module)) > 20, module
