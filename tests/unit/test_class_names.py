"""No two public classes of the package have the same name, except for a short list with reasons."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/carom"

SHARED = {
    "Column": (2, "of the balls of a run, and of a recording"),
    "Engine": (2, "of each solver"),
    "Log": (2, "of collisions, and logarithmic values of a study, which are public"),
    "View": (2, "carom.View is public; what the laboratory shows is a view, too"),
}
"""Names that several modules may use: how many of them, and why."""


def public_classes(files: Iterable[Path]) -> dict[str, list[str]]:
    """The files that define each public class, by its name."""
    homes = defaultdict(list)
    for file in sorted(files):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(file.name)
    return dict(homes)


def homonyms(files: Iterable[Path]) -> list[str]:
    """A line for each name that more modules use than `SHARED` allows."""
    return [
        f"{name}: {', '.join(homes)}"
        for name, homes in public_classes(files).items()
        if len(homes) > (SHARED[name][0] if name in SHARED else 1)
    ]


def test_no_two_public_classes_have_the_same_name() -> None:
    assert homonyms(SOURCE.rglob("*.py")) == []


def test_the_list_is_no_longer_than_it_must_be() -> None:
    homes = public_classes(SOURCE.rglob("*.py"))
    assert {name: count for name, (count, _) in SHARED.items()} == {name: len(homes[name]) for name in SHARED}


@pytest.mark.parametrize(("name", "said"), [("Ball", ["Ball: a.py, b.py"]), ("Engine", []), ("_Ball", [])])
def test_a_second_class_of_a_name_is_noticed(tmp_path: Path, name: str, said: list[str]) -> None:
    for file in ("a.py", "b.py"):
        (tmp_path / file).write_text(f"class {name}:\n    pass\n", encoding="utf-8")
    assert homonyms(tmp_path.glob("*.py")) == said
