"""`carom scenes` and `carom schema`."""

import json
from pathlib import Path

import jsonschema
import pytest

from carom import library
from carom.scene.io.files import load

SIX = ["empty", "central-horizontal", "central-vertical", "oblique", "three-bodies", "break"]


@pytest.mark.requirement("T-01")
def test_the_list_names_every_scene_with_its_sentence(carom) -> None:
    answer = carom("scenes")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].split() == ["name", "group", "what", "to", "look", "at"]
    listed = [line.split()[0] for line in lines[1:]]
    assert listed == list(library.names())
    assert set(SIX) <= set(listed)


def test_one_scene(carom) -> None:
    answer = carom("scenes", "break")
    assert answer.code == 0
    assert answer.out.startswith("# ")
    assert "balls, 2D" in answer.out
    assert "[boundary]" in answer.out


def test_what_is_shown_is_a_scene_file(carom, tmp_path: Path) -> None:
    shown = tmp_path / "shown.toml"
    shown.write_text(carom("scenes", "break").out, encoding="utf-8")
    assert carom("check", shown).code == 0


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_saving_gives_the_same_scene(carom, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"my.{suffix}"
    answer = carom("scenes", "break", "--save", target)
    assert answer.code == 0
    assert f"carom run {target}" in answer.out
    assert load(target) == library.load("break")


def test_saving_overwrites_nothing_unasked(carom, tmp_path: Path) -> None:
    target = tmp_path / "my.toml"
    target.write_text("precious", encoding="utf-8")
    answer = carom("scenes", "break", "--save", target)
    assert answer.code == 2
    assert "--force" in answer.err
    assert target.read_text(encoding="utf-8") == "precious"
    assert carom("scenes", "break", "--save", target, "--force").code == 0
    assert target.read_text(encoding="utf-8") != "precious"


@pytest.mark.parametrize("more", [[], ["--save", "my.toml"]])
def test_a_name_that_is_nearly_right(carom, more: list[str]) -> None:
    answer = carom("scenes", "brake", *more)
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "Did you mean 'break'?" in answer.err


def test_saving_needs_a_name(carom, tmp_path: Path) -> None:
    answer = carom("scenes", "--save", tmp_path / "my.toml")
    assert answer.code == 2
    assert "name" in answer.err


def test_the_schema_describes_the_files(carom, tmp_path: Path) -> None:
    answer = carom("schema")
    assert answer.code == 0
    schema = json.loads(answer.out)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    target = tmp_path / "break.json"
    assert carom("scenes", "break", "--save", target).code == 0
    scene = json.loads(target.read_text(encoding="utf-8"))
    validator(schema).validate(scene)
    scene["balls"] = "many"
    with pytest.raises(jsonschema.ValidationError):
        validator(schema).validate(scene)
