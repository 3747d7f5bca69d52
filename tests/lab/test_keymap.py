"""The keys: complete, without doubt, and each of them does something."""

import json
import re
from importlib import resources

import pytest

from carom.lab.bench.session import Session
from carom.lab.commands.keymap import KEYS, keymap
from carom.lab.commands.table import COMMANDS
from carom.scene import library


def test_no_key_has_two_meanings() -> None:
    combinations = [(key.key, frozenset(key.held)) for key in KEYS]
    assert len(combinations) == len(set(combinations))


def test_the_browser_gets_plain_json() -> None:
    table = json.loads(json.dumps(keymap()))
    assert all(set(row) == {"key", "with", "command", "arguments", "text"} for row in table)


@pytest.mark.requirement("T-17", "S-09")
def test_all_keys_that_are_asked_for_are_there() -> None:
    keys = {(key.key, *key.held): key.command for key in KEYS}
    for combination, command in {
        (" ",): "toggle",
        ("p",): "toggle",
        ("PageDown",): "next-scene",
        ("Tab",): "select-next",
        ("b",): "add",
        ("ArrowLeft",): "nudge",
        ("+", "m"): "nudge",
        ("=", "m"): "nudge",
        ("-", "x"): "nudge",
        ("+", "y"): "nudge",
        ("Escape",): "view:menu",
        ("?",): "view:help",
        ("F6",): "view:leave",
        ("z", "Control"): "undo",
        ("z", "Control", "Shift"): "redo",
        ("Backspace", "Control"): "clear",
        ("ArrowLeft", "Control"): "view:look-left",
        ("ArrowRight", "Control"): "view:look-right",
        ("ArrowUp", "Control"): "view:look-up",
        ("ArrowDown", "Control"): "view:look-down",
    }.items():
        assert keys[combination] == command


def test_the_stage_knows_every_command_that_is_the_browsers_own() -> None:
    bench = resources.files("carom.lab").joinpath("static/bench.js").read_text(encoding="utf-8")
    known = set(re.findall(r'^      "?([a-z-]+)"?: \(\) =>', bench, re.MULTILINE))
    assert {key.command.removeprefix("view:") for key in KEYS if key.command.startswith("view:")} <= known


@pytest.mark.parametrize("key", [key for key in KEYS if not key.command.startswith("view:")], ids=lambda key: key.text)
def test_each_key_is_a_command_that_can_be_done(key: object) -> None:
    from carom.lab.commands.keymap import Key  # noqa: PLC0415  # for its type

    assert isinstance(key, Key)
    assert key.command in COMMANDS
    solid = key.arguments.get("field") in {"z", "vz"}
    corner = key.command == "select-corner"
    session = Session(library.load("metal-on-a-ball" if solid else "polygon-table" if corner else "oblique"), "oblique")
    session.do("select", indices=[0])
    if key.command.endswith("link-selected"):
        session.do("solve", solver="stepped")
        session.do("select", indices=[0, 1])
    if key.command == "unlink-selected":
        session.do("link-selected")
    if key.command in {"undo", "redo"}:
        session.do("throw", index=0, velocity=[0.0, 0.1])
    if key.command == "redo":
        session.do("undo")
    assert session.do(key.command, **key.arguments) is None
