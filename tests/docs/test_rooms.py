"""The map of the house names every room and every module."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_tree() -> None:
    command = [sys.executable, str(ROOT / "tools/rooms.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_module_is_in_the_table_of_its_room() -> None:
    rooms = dict(part.split("`\n", 1) for part in TEXT.split("### `")[1:])
    for file in sorted((ROOT / "src/carom").rglob("*.py")):
        if file.name != "__init__.py":
            assert f"| `{file.name}` |" in rooms[f"{file.parent.relative_to(ROOT).as_posix()}/"], file
