"""Print the section of CHANGELOG.md for a tag such as v0.2.0: the text of its GitHub release.

    python tools/release_notes.py v0.2.0

Fails if the tag is not the version of the package, or if the changelog has no such section.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def package_version(source: str) -> str:
    """Read `__version__` from the text of the package's `__init__.py`."""
    found = re.search(r'^__version__ = "(.+)"$', source, flags=re.MULTILINE)
    if found is None:
        raise SystemExit('src/carom/__init__.py: no line __version__ = "…"')
    return found[1]


def section(changelog: str, version: str) -> str:
    """The text below the heading of a version; empty if there is no such heading."""
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def main() -> int:
    """Print the notes of a tag."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/release_notes.py TAG")
    tag = sys.argv[1]
    version = package_version((ROOT / "src/carom/__init__.py").read_text(encoding="utf-8"))
    if tag != f"v{version}":
        raise SystemExit(f"the tag is {tag}, but the package is {version}: tag v{version}, or change __version__")
    notes = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not notes:
        raise SystemExit(f"CHANGELOG.md has no section [{version}]: rename [Unreleased], with the date")
    print(notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
