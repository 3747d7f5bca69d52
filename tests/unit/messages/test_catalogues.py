"""The catalogues and the source agree: ids, names of values, languages."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import carom
from carom.messages.phrase import LANGUAGES, plural

SOURCE = Path(carom.__file__).parent
CATALOGUES = {
    language: json.loads((SOURCE / "messages" / f"{language}.json").read_text(encoding="utf-8"))
    for language in LANGUAGES
}
ENGLISH = CATALOGUES["en"]
OTHERS = [language for language in LANGUAGES if language != "en"]

MAKERS = {"Problem": 0, "Phrase": 0, "fault": 0, "refusal": 0, "_refusal": 1}
"""What makes a message, and which of its arguments is the id."""
ERRORS = {"ArgumentError", "InputError", "SceneError", "StudyError", "cls"}
"""Classes whose `of` makes a message."""
PASSED_ON = {"_reject": 2, "_offender": 1, "_by_steps": 1}
"""Functions that hand an id on to a maker, and which of their arguments it is."""
NO_VALUES = {"where", "source"}
GAP = re.compile(r"\{(\w+)((?::(?:,|and|or|\d+))?)\}")


@dataclass(frozen=True)
class Call:
    """A place in the source where a message is made."""

    place: str
    ids: frozenset[str]
    values: frozenset[str]
    complete: bool
    """Are the names of all its values seen?"""


@cache
def calls() -> list[Call]:
    return [call for file in sorted(SOURCE.rglob("*.py")) for call in _calls(file)]


def _calls(file: Path) -> Iterator[Call]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = getattr(node.func.value, "id", "") if isinstance(node.func, ast.Attribute) else ""
        index = 0 if name == "of" and owner in ERRORS else ({**MAKERS, **PASSED_ON}.get(name) if not owner else None)
        if index is None or len(node.args) <= index:
            continue
        around = max(
            (f for f in functions if f.lineno <= node.lineno <= f.end_lineno), key=lambda f: f.lineno, default=tree
        )
        place = f"{file.relative_to(SOURCE)}:{node.lineno}"
        names = {each.arg for each in node.keywords if each.arg}
        complete = name not in PASSED_ON and all(each.arg for each in node.keywords)
        yield Call(place, frozenset(_ids(node.args[index], around)), frozenset(names - NO_VALUES), complete)


def _ids(node: ast.expr, around: ast.AST) -> set[str]:
    """The ids that an expression may be; a prefix with a star for one that ends in a variable."""
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    if isinstance(node, ast.IfExp):
        return _ids(node.body, around) | _ids(node.orelse, around)
    if isinstance(node, ast.JoinedStr):
        return {f"{getattr(node.values[0], 'value', '')}*"}
    if isinstance(node, ast.Name):
        return {
            one for each in ast.walk(around) if isinstance(each, ast.Assign) for one in _assigned(each, node.id, around)
        }
    return set()


def _assigned(node: ast.Assign, name: str, around: ast.AST) -> set[str]:
    (target,) = node.targets
    if getattr(target, "id", "") == name:
        return _ids(node.value, around)
    if not isinstance(target, ast.Tuple) or name not in (names := [getattr(each, "id", "") for each in target.elts]):
        return set()
    made = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
    return {one for each in made if isinstance(each, ast.Tuple) for one in _ids(each.elts[names.index(name)], around)}


def texts(entry: Any) -> list[str]:
    return list(entry.values()) if isinstance(entry, dict) else [entry]


def gaps(entry: Any) -> set[tuple[str, str]]:
    """The names in an entry, each with its form."""
    return {found for text in texts(entry) for found in GAP.findall(text)}


def names(entry: Any) -> set[str]:
    return {name for name, _ in gaps(entry)}


def test_many_places_are_found():
    assert len([call for call in calls() if call.ids]) > 300


def test_every_id_of_the_source_is_in_the_catalogue():
    known = set(ENGLISH)
    for call in calls():
        for one in call.ids:
            there = any(each.startswith(one[:-1]) for each in known) if one.endswith("*") else one in known
            assert there, f"{call.place}: there is no text {one}"


def test_every_id_of_the_catalogue_is_in_the_source():
    used = {
        node.value
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    used |= {form[1:] for entry in ENGLISH.values() for _, form in gaps(entry)}  # words between members of a list
    begun = tuple(one[:-1] for call in calls() for one in call.ids if one.endswith("*"))
    assert [one for one in ENGLISH if one not in used and not one.startswith(begun)] == []


def test_the_source_gives_the_values_that_the_texts_name():
    for call in calls():
        entries = [ENGLISH[one] for one in call.ids if one in ENGLISH]
        if not call.complete or not entries:
            continue
        for entry in entries:
            assert names(entry) <= call.values, call.place
        assert call.values <= {"n"} | set().union(*map(names, entries)), call.place


def test_no_problem_is_made_of_finished_sentences():
    assert [call.place for call in calls() if any(" " in one for one in call.ids)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_entry_is_a_problem_a_text_or_plural_forms(language):
    forms = {plural(language, n) for n in range(200)}
    for one, entry in CATALOGUES[language].items():
        assert isinstance(entry, str) or entry.keys() in ({"what", "remedy"}, forms), one
        assert all(isinstance(text, str) and text for text in texts(entry)), one


@pytest.mark.parametrize("language", OTHERS)
def test_languages_have_the_same_ids_and_values(language):
    assert list(CATALOGUES[language]) == [one for one in ENGLISH if one in CATALOGUES[language]]
    for one, entry in CATALOGUES[language].items():
        assert isinstance(entry, str) == isinstance(ENGLISH[one], str), one
        assert gaps(entry) <= gaps(ENGLISH[one]), one


def test_polish_and_russian_have_the_same_messages():
    assert list(CATALOGUES["pl"]) == list(CATALOGUES["ru"])


def test_sentences_end_once():
    for language in LANGUAGES:
        for one, entry in CATALOGUES[language].items():
            if isinstance(entry, dict) and "what" in entry:
                assert not entry["what"].endswith("."), one
                assert entry["remedy"].endswith((".", "?", "!", "}", "[…].", "…")), one
