"""Write the tables of rooms in docs/architecture.md: each module of src/carom with the first line of its docstring.

`--check` writes nothing and fails when a table is out of date.
"""

import ast
from pathlib import Path

from generated import ROOT, write_or_check

PACKAGE = ROOT / "src/carom"
MAP = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- rooms: written by `make rooms` -->", "<!-- end of rooms -->"
ORDER = (
    "", "messages", "scene", "kernels", "physics", "solvers", "observe", "storage", "simulation", "views", "plots",
    "video", "analysis", "sweeps", "lab", "notebook", "cli",
)  # fmt: skip
"""The rooms in the order of the stages."""


def main() -> int:
    """Write the tables, or check them."""
    return write_or_check(__doc__, lambda: {MAP: render(MAP.read_text(encoding="utf-8"))}, "make rooms")


def render(text: str) -> str:
    """The document with new tables."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    tables = "\n".join(table(room) for top in ORDER for room in rooms(top))
    return f"{before}{BEGIN}\n\n{tables}\n{END}{after}"


def rooms(top: str) -> list[Path]:
    """A folder of the package, and its subfolders with modules."""
    if not top:
        return [PACKAGE]
    inner = {file.parent for file in (PACKAGE / top).rglob("*.py")}
    return sorted(inner)


def table(room: Path) -> str:
    """The modules of a room as a table of Markdown."""
    name = room.relative_to(ROOT).as_posix() + "/"
    rows = [f"| `{file.name}` | {first_line(file)} |" for file in modules(room)]
    heading = f"### `{name}`\n\n{first_line(room / '__init__.py')}\n"
    return heading + ("\n| module | what it holds |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else "")


def modules(room: Path) -> list[Path]:
    """The modules of a room without `__init__`."""
    return sorted(file for file in room.glob("*.py") if file.name != "__init__.py")


def first_line(file: Path) -> str:
    """The first sentence or line of a module's docstring."""
    doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return doc.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main())
