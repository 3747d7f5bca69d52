"""Write the tables of rooms in docs/architecture.md: each module of src/carom with the first line of its docstring.

`--check` writes nothing and fails when a table is out of date.
"""

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/carom"
MAP = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- rooms: written by `make rooms` -->", "<!-- end of rooms -->"
ORDER = (
    "", "messages", "scene", "kernels", "physics", "solvers", "observe", "storage", "simulation", "views", "plots",
    "video", "analysis", "sweeps", "lab", "notebook", "cli",
)  # fmt: skip
"""The rooms in the order in which they know each other."""


def main() -> int:
    """Write the tables, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if a table is out of date; write nothing")
    text = MAP.read_text(encoding="utf-8")
    made = render(text)
    if not parser.parse_args().check:
        MAP.write_text(made, encoding="utf-8")
        print(f"wrote {MAP.name}")
        return 0
    if made != text:
        print("The tables of rooms in docs/architecture.md are out of date. Run: make rooms", file=sys.stderr)
        return 1
    return 0


def render(text: str) -> str:
    """The document with its tables made anew."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    tables = "\n".join(table(room) for top in ORDER for room in rooms(top))
    return f"{before}{BEGIN}\n\n{tables}\n{END}{after}"


def rooms(top: str) -> list[Path]:
    """A folder of the package and the folders in it that hold modules."""
    if not top:
        return [PACKAGE]
    inner = {file.parent for file in (PACKAGE / top).rglob("*.py")}
    return sorted(inner)


def table(room: Path) -> str:
    """What a room holds, as Markdown."""
    name = room.relative_to(ROOT).as_posix() + "/"
    rows = [f"| `{file.name}` | {first_line(file)} |" for file in modules(room)]
    heading = f"### `{name}`\n\n{first_line(room / '__init__.py')}\n"
    return heading + ("\n| module | what it holds |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else "")


def modules(room: Path) -> list[Path]:
    """The modules of a room, but for the one that is the room itself."""
    return sorted(file for file in room.glob("*.py") if file.name != "__init__.py")


def first_line(file: Path) -> str:
    """The first sentence or line of a module's docstring."""
    doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return doc.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main())
