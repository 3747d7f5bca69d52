"""A text by its id and its values, in each language."""

import pickle

import numpy as np
import pytest

from carom.errors import Problem
from carom.messages import phrase
from carom.messages.phrase import Phrase, plural, told

CATALOGUES = {
    "en": {
        "and": "and",
        "or": "or",
        "choice": "{names}; {names:or}; {names:and}",
        "overlap": {"what": "balls {balls:and} overlap by {depth:3} m", "remedy": "Move {these}."},
        "apples": {"one": "{n} apple", "other": "{n} apples"},
        "count": "{n:,} of {names}, written {like: this}",
        "english": "only here",
    },
    "pl": {
        "and": "i",
        "overlap": {"what": "Kule {balls:and} zachodzą na siebie o {depth:3} m", "remedy": "Przesuń {these}."},
        "apples": {"one": "{n} jabłko", "few": "{n} jabłka", "many": "{n} jabłek"},
    },
    "ru": {},
}


@pytest.fixture(autouse=True)
def _catalogues(monkeypatch):
    monkeypatch.setattr(phrase, "_catalogue", CATALOGUES.__getitem__)


def test_values_fill_in_the_braces_and_other_braces_stay():
    assert str(Phrase("count", n=12345, names=["a", "b"])) == "12,345 of a, b, written {like: this}"


def test_members_of_a_list_are_joined_by_commas_or_by_a_word():
    assert str(Phrase("choice", names=["a", "b"])) == "a, b; a or b; a and b"
    assert str(Phrase("choice", names=["a"])) == "a; a; a"


def test_braces_in_a_value_stay():
    assert str(Phrase("count", n=1, names="{n}")) == "1 of {n}, written {like: this}"


def test_a_number_is_rounded_to_significant_digits():
    assert str(Phrase("overlap", "what", balls=(3, 7), depth=2 / 3)) == "balls 3 and 7 overlap by 0.667 m"
    assert str(Phrase("overlap", "what", balls=(3, 7), depth="some")) == "balls 3 and 7 overlap by some m"


@pytest.mark.parametrize(
    ("n", "english", "polish"), [(1, "1 apple", "1 jabłko"), (3, "3 apples", "3 jabłka"), (5, "5 apples", "5 jabłek")]
)
def test_a_number_of_things_has_the_form_of_the_language(n, english, polish):
    assert Phrase("apples", n=n).told() == english
    assert Phrase("apples", n=n).told("pl") == polish


def test_a_text_in_a_text_is_in_the_same_language():
    problem = Problem("overlap", where="balls", balls=[3, 7], depth=0.5, these=Phrase("apples", n=2))
    assert str(problem) == "balls: balls 3 and 7 overlap by 0.5 m. Move 2 apples."
    assert problem.line("pl") == "balls: Kule 3 i 7 zachodzą na siebie o 0.5 m. Przesuń 2 jabłka."


def test_a_message_that_a_language_lacks_is_english_as_a_whole():
    problem = Problem("overlap", balls=[3, 7], depth=0.5, these=Phrase("english"))
    assert problem.told("pl") == problem.told("en") == "balls 3 and 7 overlap by 0.5 m. Move only here."
    assert told([Phrase("apples", n=2), Phrase("english")], "pl") == ["2 apples", "only here"]


def test_an_id_that_nobody_knows_and_a_name_without_a_value_stand_for_themselves():
    assert str(Phrase("english", names=[])) == "only here"
    assert str(Phrase("count", n=1)) == "1 of {names}, written {like: this}"
    assert str(Phrase("no-such-id", n=1)) == "no-such-id"
    assert Phrase("no-such-id", n=1).told("pl") == "no-such-id"


def test_values_of_numpy_become_plain():
    values = Phrase("apples", n=np.int64(2), place=np.array([0.5, 1.0])).values
    assert values == {"n": 2, "place": [0.5, 1.0]}
    assert type(values["n"]) is int


def test_texts_are_values_that_travel():
    one, other = Phrase("apples", n=2), Phrase("apples", n=3)
    assert one == Phrase("apples", n=2) != other
    assert len({one, Phrase("apples", n=2), other}) == 2
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize(
    ("language", "forms"), [("en", "one other other"), ("pl", "one few many"), ("ru", "one few many")]
)
def test_plural_forms(language, forms):
    assert [plural(language, n) for n in (1, 3, 5)] == forms.split()
    assert [plural(language, n) for n in (11, 12, 112)] == [forms.split()[2]] * 3
    assert plural(language, 21) == ("one" if language == "ru" else forms.split()[2])
