"""Generated documents: write them, or check with `--check` that they are up to date."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(description: str | None, make: Callable[[], Mapping[Path, str]], command: str) -> int:
    """Run the command line of a generator; return its exit code.

    make     makes the text of each document
    command  the command that writes them, for the message of `--check`
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="fail if a document is out of date; write nothing")
    check = parser.parse_args().check
    stale = []
    for path, text in make().items():
        name = (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()
        if not check:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"{', '.join(stale)}: out of date. Run: {command}", file=sys.stderr)
    return int(bool(stale))
