"""The table of requirements says what is proven and what is not."""

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent

GROUPS = [
    {
        "letter": "X",
        "title": "Examples",
        "requirement": [{"id": "X-01", "text": "Either | or."}, {"id": "X-02", "text": "Nothing proves this."}],
    }
]
PROOFS = {"X-01": ["tests/test_a.py::TestB::test_c", "tests/test_a.py::test_d"], "X-02": []}


@pytest.fixture(scope="module")
def table() -> ModuleType:
    """tools/requirements_table.py, which imports a module beside it."""
    spec = importlib.util.spec_from_file_location("requirements_table", ROOT / "tools/requirements_table.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        spec.loader.exec_module(module)
    return module


def test_a_proof_is_named_and_linked(table: ModuleType) -> None:
    text = table.render(GROUPS, PROOFS)
    expected = "[tests/test_a.py](../tests/test_a.py): `TestB.test_c`, `test_d`"
    assert f"| X-01 | Either &#124; or. | {expected} |" in text.splitlines()


def test_what_nothing_proves_is_open(table: ModuleType) -> None:
    text = table.render(GROUPS, PROOFS)
    assert "| X-02 | Nothing proves this. | *open* |" in text.splitlines()
    assert "Tests name 1 of 2 of them" in text


def test_a_stale_table_is_noticed(table: ModuleType, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(table, "ROOT", tmp_path)
    monkeypatch.setattr(table, "TABLE", tmp_path / "requirements.md")
    groups = tomllib.loads(table.SOURCE.read_text(encoding="utf-8"))["group"]
    identities = [requirement["id"] for group in groups for requirement in group["requirement"]]
    monkeypatch.setattr(table, "collected_proofs", lambda: {identity: [] for identity in identities})

    def called(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["requirements_table.py", *arguments])
        return table.main()

    assert called("--check") == 1
    assert "make requirements" in capsys.readouterr().err
    assert called() == 0
    assert called("--check") == 0
    table.TABLE.write_text("something else", encoding="utf-8")
    assert called("--check") == 1
