"""The words of the laboratory: the same keys in all languages, nothing left in English, right plurals."""

import json
import re
from importlib import resources

import pytest

from carom import library
from carom.lab.commands.keymap import KEYS
from carom.lab.commands.options import CHOICE, OPTIONS, integrators, solvers
from carom.lab.commands.table import COMMANDS
from carom.lab.texts import Texts, preferred, texts
from carom.messages.phrase import LANGUAGES, plural

OTHERS = [language for language in LANGUAGES if language != "en"]
FORMS = {"en": {"one", "other"}, "pl": {"one", "few", "many", "other"}, "ru": {"one", "few", "many", "other"}}


def read(name: str) -> dict:
    return json.loads(resources.files("carom.lab.texts").joinpath(name).read_text(encoding="utf-8"))


def said_by_the_library() -> set[str]:
    """Every sentence of the library and of the solvers' cards that a page shows."""
    said = set()
    for entry in library.catalogue():
        said |= {entry.title, entry.sentence}
        said |= {text for each in entry.parameters for text in (each.meaning, each.name.replace("_", " "))}
    return said | {text for card in solvers() for text in (card.title, card.equation, card.cost)}


@pytest.mark.parametrize("language", OTHERS)
def test_all_languages_have_the_same_keys(language):
    assert read(f"{language}.json").keys() == read("en.json").keys()


@pytest.mark.parametrize("language", OTHERS)
def test_names_to_fill_in_are_the_same(language):
    """A {name} that is lost or misspelt in a translation."""

    def names(said: str | dict) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", said if isinstance(said, str) else " ".join(said.values())))

    english, other = read("en.json"), read(f"{language}.json")
    assert {key for key in english if names(english[key]) != names(other[key])} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_and_plurals_have_all_their_forms(language):
    for key, said in read(f"{language}.json").items():
        if isinstance(said, dict):
            assert said.keys() == FORMS[language], key
        else:
            assert said.strip() == said != "", key


@pytest.mark.parametrize("language", OTHERS)
def test_everything_that_the_library_says_is_translated(language):
    known = read(f"library.{language}.json")
    assert said_by_the_library() - known.keys() == set()
    sentences = {text for text in said_by_the_library() if len(text) > 20 and known[text] == text}
    assert sentences == set()


@pytest.mark.parametrize("language", OTHERS)
def test_everything_that_the_integrators_say_is_translated_but_formulas(language):
    known = read(f"library.{language}.json")
    words = {text for each in integrators() for text in (each.title, each.cost, each.remark) if text}
    assert words - known.keys() == set()


def test_every_option_key_and_command_has_its_words():
    known = read("en.json").keys()
    wanted = {f"option.{name}" for name in OPTIONS} | {key.text for key in KEYS}
    wanted |= {f"option.{each.name}.{one}" for each in OPTIONS.values() if each.kind == CHOICE for one in each.choices}
    wanted |= {f"command.{command.name}" for command in COMMANDS.values() if command.undoable}
    assert wanted - known == set()


@pytest.mark.parametrize(
    ("language", "n", "form"),
    [
        *[("en", n, "one" if n == 1 else "other") for n in (0, 1, 2, 11, 21)],
        *[
            ("pl", n, form)
            for n, form in ((0, "many"), (1, "one"), (2, "few"), (5, "many"), (12, "many"), (21, "many"))
        ],
        *[("pl", n, form) for n, form in ((22, "few"), (24, "few"), (25, "many"), (112, "many"), (1002, "few"))],
        *[("ru", n, form) for n, form in ((0, "many"), (1, "one"), (2, "few"), (5, "many"), (11, "many"), (21, "one"))],
        *[("ru", n, form) for n, form in ((22, "few"), (111, "many"), (114, "many"), (1001, "one"), (104, "few"))],
    ],
)
def test_the_form_fits_the_number(language, n, form):
    assert plural(language, n) == form


def test_numbers_of_things():
    assert Texts("en").number("word.balls", 1) == "1 ball"
    assert Texts("pl").number("word.balls", 3) == "3 kule"
    assert Texts("pl").number("word.collisions", 1005) == "1\u202f005 zderzeń"
    assert Texts("ru").number("word.balls", 21) == "21 шар"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("pl-PL,pl;q=0.9,en;q=0.8", "pl"),
        ("de,ru;q=0.7,en;q=0.5", "ru"),
        ("en;q=0.3, pl;q=0.6", "pl"),
        ("pl;q=0, en", "en"),
        ("fr-FR", "en"),
        ("", "en"),
        ("pl;q=oops,ru", "ru"),
    ],
)
def test_the_language_that_a_browser_asks_for(accepted, language):
    assert preferred(accepted) == language


def test_an_unknown_language_is_english_and_an_unknown_key_stands_for_itself():
    words = texts("xx")
    assert words.language == "en"
    assert words("no.such.key") == "no.such.key"
    assert words.of_library("never said") == "never said"
