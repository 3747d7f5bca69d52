"""The recipes of CONTRIBUTING (*How to add*) name files and names that exist."""

import re
from pathlib import Path

import pytest

from named_places import ROOT, defines, home_of, missing, named_places

HEADINGS = [
    "A property of balls",
    "A kind of event",
    "A shape of walls",
    "A force",
    "An integrator",
    "An observable",
    "A scene",
    "A command of the laboratory",
]


def recipes() -> dict[str, str]:
    """The recipes by heading."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = re.search(r"^## How to add\n(.*?)^## ", text, flags=re.MULTILINE | re.DOTALL)
    assert part is not None
    found = re.split(r"^### (.*)\n", part[1], flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_there_is_a_recipe_for_each_thing() -> None:
    assert list(recipes()) == HEADINGS


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_recipe_is_true(heading: str) -> None:
    recipe = recipes()[heading]
    assert missing(recipe) == []
    assert any(names for _, names in named_places(recipe))
    assert any(path.startswith("tests/") for path, _ in named_places(recipe)), "it names no test"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`scene/nothing.py` (`Ball`)", ["no scene/nothing.py"]),
        ("`scene/balls.py` (`Ball`, `Nothing`)", ["no Nothing in scene/balls.py"]),
        ("`tests/nothing/`", ["no tests/nothing/"]),
        ("`scene/balls.py`\n   (`Ball`) and `tests/docs/`", []),
        ("`lab/static/walls.js` (`outline`, `Walls`), `lab/static/types.d.ts` (`Shape`)", []),
    ],
)
def test_a_mistake_is_noticed(text: str, said: list[str]) -> None:
    assert missing(text) == said


def test_every_name_in_brackets_is_read() -> None:
    """Each bracket with names in it stands behind a path, so that it is looked up."""
    text = re.sub(r"\s+", " ", "".join(recipes().values()))
    brackets = re.findall(r"\((?:`\w+`(?:, )?)+\)", text)
    assert len(brackets) == sum(bool(names) for _, names in named_places(text))


def test_what_defines_a_name() -> None:
    home = home_of("solvers/exact/kinds.py")
    assert home == Path(ROOT / "src/carom/solvers/exact/kinds.py")
    assert defines(home, "KINDS")
    assert defines(home, "Kind")
    assert not defines(home, "partner")
