"""No two public classes of the package have the same name, except for a short list with reasons."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/carom"

SHARED = {
    "Anchors": (2, "columns of anchors, and the kernels' view of them"),
    "Axis": (2, "an axis of cells, and an axis of a study's table"),
    "Bar": (3, "progress bars of commands, private to each"),
    "Column": (2, "a column of balls, and a column of a file"),
    "Done": (2, "results of a kernel, and of a ledger, private to each"),
    "Engine": (2, "the engine of each solver"),
    "Entry": (3, "library.Entry is public; studies and journals have entries, too"),
    "Estimate": (2, "a mean with its error, and the estimated cost of a sweep"),
    "History": (2, "of a run, and of commands in the laboratory"),
    "Index": (2, "of neighbours, and of a journal"),
    "Line": (2, "a line of an analysis, and of a sweep's results"),
    "Log": (2, "of collisions, and a logarithmic range of a study"),
    "Look": (2, "carom.video.Look is public; the laboratory's is private"),
    "Moment": (2, "a state to undo, and an instant of a prediction"),
    "Page": (2, "of a history, and a page that the server sends"),
    "Pair": (2, "carom.Pair is public; the kernels' is private"),
    "Part": (2, "of a scene, and of a page of the laboratory"),
    "Sheet": (2, "a cloth, and a sheet of a workbook"),
    "Space": (2, "the space that each solver's kernels know"),
    "View": (2, "carom.View is public; the laboratory's state is a view, too"),
    "Walls": (2, "the walls that each solver's kernels know"),
    "Wish": (3, "a user's choices of a solver, and those of two commands"),
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


@pytest.mark.parametrize(("name", "said"), [("Ball", ["Ball: a.py, b.py"]), ("Engine", []), ("_Ball", [])])
def test_a_second_class_of_a_name_is_noticed(tmp_path: Path, name: str, said: list[str]) -> None:
    for file in ("a.py", "b.py"):
        (tmp_path / file).write_text(f"class {name}:\n    pass\n", encoding="utf-8")
    assert homonyms(tmp_path.glob("*.py")) == said
