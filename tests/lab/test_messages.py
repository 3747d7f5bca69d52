"""Messages in other languages: the catalogues know what a person is really told."""

import json
import re

import pytest

from carom.errors import BlowUpError, EndlessError, NotExactError, Problem, SceneError, StackError
from carom.lab.bench.session import Session
from carom.lab.texts import texts
from carom.scene import Ball, Scene, library

OTHERS = ("pl", "ru")


ASKED = [
    ("break", "change", {"index": 0, "field": "mass", "value": "heavy"}),
    ("break", "change", {"index": 0, "field": "mass", "value": 0}),
    ("break", "change", {"index": 0, "field": "radius", "value": -1}),
    ("break", "change", {"index": 0, "field": "x", "value": "inf"}),
    ("break", "change", {"index": 0, "field": "x", "value": 99}),
    ("break", "change", {"index": 0, "field": "z", "value": 1}),
    ("break", "place", {"index": 0, "position": [9.0, 9.0]}),
    ("break", "nudge", {"field": "x", "steps": 1}),
    ("break", "undo", {}),
    ("break", "redo", {}),
    ("break", "speed", {"factor": 1e9}),
    ("break", "option", {"name": "restitution_balls", "value": 7}),
    ("break", "steer", {"direction": [1, 0]}),
    ("break", "pull", {"index": 0, "target": [0.1, 0.1]}),
    ("empty", "select-next", {}),
    ("empty", "collision", {}),
    ("empty", "drag-corner", {"shape": "boundary", "corner": 0, "position": [0, 0]}),
    ("polygon-table", "change", {"index": 0, "field": "x", "value": 99}),
]
"""What people do wrong, by scene, command and arguments."""


@pytest.mark.parametrize(("scene", "command", "arguments"), ASKED)
def test_common_messages_are_known(scene, command, arguments):
    session = Session(library.load(scene), scene)
    session.do(command, **arguments)
    for _ in range(200):
        if session.message is not None:
            break
        session.advance(0.1)
    message = session.message
    assert texts("en").message(message.said) == message.text
    for language in OTHERS:
        other = texts(language).message(message.said)
        assert other != message.text, message.text
        assert not re.search(r"\b(the|is|Use|Write|Move|Give)\b", other), other


def test_an_overlap_with_more_of_them_keeps_its_values():
    balls = [Ball(position=(0.1 * k, 0.0), radius=9.0) for k in range(3)]
    session = Session(Scene(balls=balls), "")
    session.prepare()
    said = session.message.said
    assert texts("en").message(said) == session.message.text
    assert session.message.text == (
        "balls 0 and 1 overlap: centres 0.1 m apart, radii add up to 18 m. Move them apart or shrink them. (and 2 more)"
    )
    assert texts("pl").message(said) == (
        "Kule 0 i 1 zachodzą na siebie: odległość środków 0.1 m, suma promieni 18 m. "
        "Rozsuń je albo zmniejsz. (i jeszcze 2)"
    )
    assert texts("ru").message(said).endswith("(и ещё 2)")


def test_a_message_is_sent_as_a_text():
    session = Session(library.load("break"), "break")
    session.do("change", index=0, field="mass", value=-1)
    assert json.loads(json.dumps(session.view().state()["message"])) == {
        "kind": "error",
        "text": "-1 is negative. Use a number above 0.",
        "where": "mass",
        "number": 1,
    }


@pytest.mark.parametrize("language", OTHERS)
def test_what_stops_a_run_is_known(language):
    for error in (StackError((1, 2), 0.5), StackError((1,), 0.5), EndlessError(1.0, 9), BlowUpError(3, 1.0, 0.1)):
        assert texts(language).message(error) != str(error), str(error)
    assert "friction" in texts(language).message(NotExactError("friction"))


def test_what_is_not_known_stays_english_as_a_whole():
    said = Problem("", "no ball is selected", "Whistle for one.")
    assert texts("ru").message(said) == "no ball is selected. Whistle for one."
    assert texts("ru").message("a text of its own") == "a text of its own"
    error = SceneError([Problem("mass.negative", where="balls[3].mass", value=-1.0)], "a.toml")
    assert texts("pl").message(error) == "a.toml: balls[3].mass: -1 jest liczbą ujemną. Wpisz liczbę większą od 0."
    assert texts("en").message(error) == str(error)
