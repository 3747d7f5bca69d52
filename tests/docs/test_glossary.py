"""The glossary is sorted, has each term once, and names modules and names that exist."""

import re
from itertools import pairwise

import pytest

from named_places import ROOT, missing, named_places

GLOSSARY = ROOT / "docs/glossary.md"

Row = tuple[str, str, str]


def rows(text: str) -> list[Row]:
    """Term, meaning and place of each row of the table."""
    found = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", text, flags=re.MULTILINE)
    return [row for row in found if row[0] != "term"]


def wrong(found: list[Row]) -> list[str]:
    """What does not hold, by term."""
    terms = [term.lower() for term, _, _ in found]
    lines = [f"{term}: twice" for term in {term for term in terms if terms.count(term) > 1}]
    lines += [f"{after}: before {before} in the alphabet" for before, after in pairwise(terms) if after < before]
    for term, _, where in found:
        lines += [f"{term}: {what}" for what in (missing(where) if named_places(where) else ["no module"])]
    return lines


def test_the_glossary_is_true() -> None:
    found = rows(GLOSSARY.read_text(encoding="utf-8"))
    assert len(found) > 50
    assert wrong(found) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| anchor | x | `solvers/exact/nothing.py` (`Anchors`) |", "anchor: no solvers/exact/nothing.py"),
        ("| anchor | x | `solvers/exact/world.py` (`Nothing`) |", "anchor: no Nothing in solvers/exact/world.py"),
        ("| anchor | x | somewhere |", "anchor: no module"),
        ("| wall | x | `errors.py` |\n| anchor | x | `errors.py` |", "anchor: before wall in the alphabet"),
        ("| wall | x | `errors.py` |\n| wall | y | `errors.py` |", "wall: twice"),
    ],
)
def test_a_mistake_is_noticed(row: str, said: str) -> None:
    assert wrong(rows(f"| term | what it means | where |\n|---|---|---|\n{row}\n")) == [said]


def test_terms_that_a_meaning_points_to_are_there() -> None:
    """A word in italics in a meaning is a term of the glossary."""
    found = rows(GLOSSARY.read_text(encoding="utf-8"))
    terms = {term for term, _, _ in found}
    named = {word for _, meaning, _ in found for word in re.findall(r"\*([\w ]+)\*", meaning)}
    known = terms | {f"{term}s" for term in terms} | {term.removesuffix(" solver") for term in terms}
    assert named <= known
