"""The other requirements of physics tests: their names and first sentences of docstrings. For tools/proof.py."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from proof_claim import in_words

TESTS = Path(__file__).resolve().parent.parent / "tests"
WHERE = ("physics/test_*.py", "property/test_invariances.py", "conformance/test_*.py", "validation/test_*.py")
SURVIVORS = "test_survivors"  # these guard single lines of kernels, and state no law


def required(but: set[str]) -> str:
    """A table of the statements of physics tests, without these tests (`file::function`)."""
    rows = ["| what is required | how | test |", "|---|---|---|"]
    for pattern in WHERE:
        for path in sorted(TESTS.glob(pattern)):
            if SURVIVORS in path.name:
                continue
            file = path.relative_to(TESTS).as_posix()
            for name, doc in statements(path):
                if f"{file}::{name}" not in but:
                    rows.append(f"| {in_words(name)} | {doc} | {file} |")
    return "\n".join(rows) + "\n"


def statements(path: Path) -> Iterator[tuple[str, str]]:
    """Each test of a file with the first sentence of its docstring."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = (ast.get_docstring(node) or "").split("\n\n")[0]
            yield node.name, re.sub(r"\s+", " ", first).replace("|", "\\|")
