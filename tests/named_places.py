"""Places that documents name: a path in backticks, and the classes, functions and tables of it in brackets.

`scene/balls.py` (`Ball`, `Balls`)
"""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = (ROOT, ROOT / "src/carom")
ENDINGS = "py|js|ts|md|toml|json|txt|jsonc"


def named_places(text: str) -> list[tuple[str, list[str]]]:
    """Each path in a text, with the names in brackets behind it."""
    flat = re.sub(r"\s+", " ", text)
    found = re.findall(rf"`([\w./-]+\.(?:{ENDINGS})|[\w.-]+(?:/[\w.-]+)*/)`(?: \(((?:`\w+`(?:, )?)+)\))?", flat)
    return [(path, re.findall(r"`(\w+)`", names)) for path, names in found]


def home_of(path: str) -> Path | None:
    """Find a path below the root of the repository or of the package; None if there is none."""
    return next((place / path for place in PLACES if (place / path).exists()), None)


def defines(file: Path, name: str) -> bool:
    """Does a module define a class, function, method, type or table with this name?"""
    text = file.read_text(encoding="utf-8")
    heads = (
        rf"^\s*(?:export )?(?:async )?(?:class|def|function|interface|type) {name}\b",
        rf"^(?:export )?(?:const )?{name}(?:: .+)? = ",
    )
    return any(re.search(head, text, flags=re.MULTILINE) for head in heads)


def missing(text: str) -> list[str]:
    """The paths and names in a text that do not exist."""
    lines = []
    for path, names in named_places(text):
        home = home_of(path)
        if home is None:
            lines.append(f"no {path}")
        else:
            lines += [f"no {name} in {path}" for name in names if not defines(home, name)]
    return lines
