"""Scene files from strangers."""

import json
import math
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from carom.cli.commands.scenes import text_of
from carom.errors import SceneError
from carom.scene import library
from carom.scene.io import files
from carom.scene.placement.check import problems
from effort import examples
from hostile.doors import answered, refused, typed, with_limited_memory
from hostile.mutants import NASTY, SLY, as_json, as_toml, documents, texts

LARGE = {"gas", "brownian", "gas-under-gravity", "pour", "cloth-on-a-ball", "water-on-a-ball", "water-on-cloth"}
"""Scenes that take a while to make."""
TEXTS = {entry.name: text_of(entry) for entry in library.catalogue() if entry.name not in LARGE}
TEXTS["gas"] = '[generator]\nkind = "gas"\ncount = 20\nseed = 3\n'
TEXTS["cloth"] = (
    "[[structures]]\nkind = 'cloth'\ncorner = [0, 0, 0]\nsides = [[1, 0, 0], [0, 0, 1]]\ncounts = [4, 4]\n"
    "stiffness = 9\n"
    "[[structures]]\nkind = 'water'\nnozzle = [0, 2, 0]\nwidth = 0.1\nduration = 1\nvelocity = [0, -1, 0]\n"
    "spacing = 0.1\n"
)
TEXTS["columns"] = (
    "friction = { pairs = [{ materials = ['a', 'b'], value = { static = 1, dynamic = 0.5 } }] }\n"
    "attraction = { G = 1 }\n"
    "[boundary]\nkind = 'polygon'\nvertices = [[0, 0], [9, 0], [9, 9], [0, 9]]\nbulges = [0, 0.1, 0, 0]\n"
    "holes = [{ centre = [4, 4], radius = 1 }]\n"
    "[balls]\nposition = [[1, 1], [2, 2], [7, 7]]\nmaterial = ['a', 'b', 'a']\n"
    "name = ['x', 'y', 'z']\nradius = 0.1\n[links]\nbetween = [[0, 1]]\nstiffness = 1\n[bends]\ncorner = [[0, 1, 2]]\n"
    "stiffness = 1\n[[obstacles]]\nkind = 'circle'\ncentre = [8, 8]\nradius = 0.5\n"
)
DOCUMENTS = {name: tomllib.loads(text) for name, text in TEXTS.items()}
JSONS = [json.dumps(content) for content in DOCUMENTS.values()]


def seen_through(text: str, form: Any) -> None:
    """Read, looked at, written, and read again: what is taken is taken wholly."""
    scene = answered(lambda: files.loads(text, form, name="f"))
    if scene is not None:
        assert isinstance(answered(lambda: problems(scene)), list)
        assert files.loads(files.dumps(scene, "json"), "json") == scene


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(100))
@given(documents(DOCUMENTS))
def test_changed_keys_and_values(content: Any) -> None:
    """JSON and TOML; NaN, infinity, huge numbers, wrong types, nasty names, keys too many and too few."""
    seen_through(as_json(content), "json")
    text = as_toml(content)
    if text is not None:
        seen_through(text, "toml")


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(100))
@given(texts([*TEXTS.values(), *JSONS]))
def test_changed_letters_and_bytes(raw: bytes) -> None:
    """Cut, garbled, in other encodings, with zeros, marks of byte order, escape codes and brackets without end."""
    text = raw.decode("utf-8-sig", "surrogateescape")
    for form in ("toml", "json"):
        seen_through(text, form)


def star(corners: int) -> str:
    """A star in which every edge crosses nearly every other."""
    angles = [2.0 * math.pi * (k * (corners // 2 - 1) % corners) / corners for k in range(corners)]
    return f"[boundary]\nkind = 'polygon'\nvertices = {[[math.cos(a), math.sin(a)] for a in angles]}\n"


def comb(teeth: int, bulge: float = 0.0) -> str:
    """Long teeth aslant, whose boxes all overlap, though none cross."""
    points = [(k + far, -k + far) for k in range(teeth) for far in ((0, 1e6) if k % 2 == 0 else (1e6, 0))]
    corners = [*map(list, points), [-10 * teeth, -30 * teeth]]
    return f"[boundary]\nkind = 'polygon'\nvertices = {corners}\nbulges = {[bulge] * len(corners)}\n"


SQUARE = "[boundary]\nkind = 'polygon'\nvertices = [[0, 0], [9, 0], [9, 9], [0, 9]]\n"
ROPE = "[[structures]]\nkind = 'rope'\nstart = [0, 0]\nend = [1, 0]\ncount = 9_000_000\n"
CHAIN = "[[structures]]\nkind = 'chain'\nstart = [0, 0]\nend = [1, 0]\ncount = 2_000_000_000\nstiffness = 1\n"
PAIR = "{ materials = ['a', 'b'], value = 1 },"
BOMBS: dict[str, tuple[Callable[[], str], str]] = {
    "unknown keys": (lambda: "".join(f"k{i} = 1\n" for i in range(20_000)), "and 19980 more"),
    "unknown keys of a ball": (lambda: "[[balls]]\n" + "".join(f"k{i} = 1\n" for i in range(20_000)), "unknown key"),
    "wrong balls": (lambda: f"balls = [{'{},' * 20_000}]", "and at least 981 more"),
    "a key of a million letters": (lambda: "a" * 1_000_000 + " = 1", "…"),
    "a kind of a million letters": (lambda: f"generator = {{ kind = '{'a' * 1_000_000}' }}", "generator.kind"),
    "a name of a million letters": (lambda: f"name = '{'a' * 1_000_000}'", "has 1000000 letters"),
    "a description of a million letters": (lambda: f"description = '{'a' * 1_000_000}'", "has 1000000 letters"),
    "names of many letters": (
        lambda: f"[balls]\nposition = {[[0, 0]] * 3000}\nname = {['a' * 1000] + ['b'] * 2999}",
        "name[0]: 'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaaa' has 1000 letters",
    ),
    "a key of many names": (lambda: "a." * 100_000 + "a = 1", "line 1: a key of more than 30 names"),
    "a table of many names": (lambda: "\n\n[" + "'a' . " * 100_000 + "a]\n", "line 3: a key of more than 30 names"),
    "lists in lists": (lambda: "balls = " + "[" * 100_000, "nested too deeply"),
    "tables in tables": (lambda: "balls = " + "{a=" * 100_000, "nested too deeply"),
    "too many values": (lambda: f"balls = [{'[],' * 7_000_000}]", "12,000,000 is the most"),
    "a gas of 1e12": (lambda: "[generator]\nkind = 'gas'\ncount = 1_000_000_000_000\n", "less than or equal to"),
    "a soft body": (lambda: "[generator]\nkind = 'soft-body'\ndimension = 3\npoints = 200\n", "at most 1000000"),
    "ropes": (lambda: ROPE * 1000, "the structures together have more than 10000000 points"),
    "a chain": (lambda: CHAIN, "count: 2000000000 is not from 2 to 10000000"),
    "a star": (lambda: star(2001), "cross or touch"),
    "a large star": (lambda: star(7001), "too long to check"),
    "a comb": (lambda: comb(4000), "too long to check"),
    "a comb of arcs": (lambda: comb(200, 1e-6), "too long to check"),
    "holes in each other": (lambda: SQUARE + f"holes = [{'{centre=[4,4],radius=1},' * 1000}]", "meets or overlaps"),
    "holes outside": (lambda: SQUARE + f"holes = [{'{centre=[99,4],radius=1},' * 1000}]", "outside the outline"),
    "pairs again and again": (lambda: f"[restitution]\npairs = [{PAIR * 2000}]", "and 1979 more"),
    "balls in one place": (lambda: f"[balls]\nradius = 1\nposition = [{'[0,0],' * 5_000}]", "and at least"),
}  # fmt: skip


@pytest.mark.requirement("T-05")
def test_bombs_are_refused_in_bounded_time_and_memory(tmp_path: Path) -> None:
    """Small texts that ask for much: each in two seconds and 500 MB."""
    for number, (text, _) in enumerate(BOMBS.values()):
        (tmp_path / f"{number}.toml").write_text(text())
    answers = with_limited_memory([["check", f"{number}.toml"] for number in range(len(BOMBS))], tmp_path)
    for (name, (_, words)), told in zip(BOMBS.items(), answers, strict=True):
        assert told.code == 1, name
        assert words in told.err, (name, told.err[:600])


def test_json_bombs() -> None:
    for text, words in [
        ("[" * 100_000, "nested too deeply"),
        ('{"balls":' * 100_000, "nested too deeply"),
        ('{"balls": ' + "[" * 900 + "]" * 900 + "}", "is not a table"),
        ('{"name": 1, "name": 2}', "name: the key is there twice"),
        ('{"\\u001b[2J": 1, "\\u001b[2J": 2}', "\\u001b[2J: the key is there twice"),
        ('{"contact_time": 1e999}', "inf is not finite"),
        ('{"contact_time": NaN}', "nan is not finite"),
        (f'{{"contact_time": {"9" * 5000}}}', "4300 digits"),
        ('{"name": "\\ud800"}', "half of a letter"),
        ('{"balls": {"position": [[0, 0]], "name": ["\\ud800"]}}', "half of a letter"),
        ('{"balls": {"position": [[0, 0]], "material": ["\\ud800"]}}', "half of a letter"),
    ]:
        with pytest.raises(SceneError) as told:
            files.loads(text, "json")
        assert words in str(told.value)
        assert answered(lambda text=text: files.loads(text, "json")) is None


@pytest.mark.requirement("T-05")
def test_things_that_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe is not waited for, a device not read to its end, and a link is what it leads to."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.toml")
    Path("zero.toml").symlink_to("/dev/zero")
    Path("loop.toml").symlink_to("loop.toml")
    Path("nowhere.toml").symlink_to("none.toml")
    Path("folder.toml").mkdir()
    Path("large.toml").touch()
    os.truncate("large.toml", files.MAX_FILE_SIZE + 1)
    Path("locked.toml").touch()
    for name, words in {
        "pipe.toml": "is a device or a pipe, not a file",
        "zero.toml": "is a device or a pipe, not a file",
        "/dev/zero": "tells no format",
        "/proc/self/mem": "tells no format",
        "loop.toml": "symbolic links",
        "nowhere.toml": "there is no such file",
        "folder.toml": "is a folder",
        "large.toml": "the limit is 200 MB",
        "../../../../etc/passwd": "tells no format",
        "a" * 300 + ".toml": "File name too long",
    }.items():
        assert words in refused("check", name)
        assert refused("run", name, "--until", "1") == refused("check", name)
    monkeypatch.setattr(Path, "open", denied)
    assert "locked.toml: cannot be read (Permission denied)" in refused("check", "locked.toml")


def denied(*_: Any, **__: Any) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_file_that_grows_while_it_is_read_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f.toml"
    file.write_text("#" * 1001)
    monkeypatch.setattr(files, "MAX_FILE_SIZE", 1000)
    monkeypatch.setattr(files.stat, "S_ISREG", lambda _: True)
    real = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **more: os.stat_result([*real(path, **more)[:6], 0, 0, 0, 0]))
    with pytest.raises(SceneError, match="the limit is 0 MB"):
        files.load(file)


@pytest.mark.requirement("T-05")
def test_no_name_steers_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Escape codes, line breaks and turned writing in names of files and keys are shown; in a scene, also refused."""
    monkeypatch.chdir(tmp_path)
    word, sly = json.dumps(NASTY), json.dumps(SLY)
    ball = f"[[balls]]\nposition = [0, 0]\nname = {sly}\nmaterial = {sly}\n"
    Path("e\x1b[31m\n\udcff.toml").write_text(f"name = {sly}\nlook_at = {sly}\n{ball}")
    told = typed("check", "e\x1b[31m\n\udcff.toml")
    assert told.out.splitlines() == ["e\\u001b[31m", "\\udcff.toml: valid (1 ball, 2D)"]
    told = typed("draw", "e\x1b[31m\n\udcff.toml", "-o", "x.svg")
    assert told.code == 0
    drawn = Path("x.svg").read_text()
    assert "\x1b" not in drawn
    assert "<script>" not in drawn
    key = f"{word} = 1\n"
    for text in (key, f"[view]\n{key}", f"[restitution]\n{key}", f"{ball}{key}", key * 2):
        Path("f.toml").write_text(text)
        (line,) = refused("check", "f.toml").splitlines()
        assert "\\u001b[31m" in line or "not TOML" in line
    Path("f.toml").write_text(f"name = {word}\n{ball}")
    assert "has the control character U+001B" in refused("check", "f.toml")


CONTROLLED = ["a\0b", "\x1b[2J", "a\x9bb", "a\x7f", "a\rb"]
PLACES = {
    "name": "name = {}",
    "description": "description = {}",
    "look_at": "look_at = {}",
    "balls[0].name": "[[balls]]\nposition = [0, 0]\nname = {}",
    "balls[0].material": "[[balls]]\nposition = [0, 0]\nmaterial = {}",
    "balls.name[0]": "[balls]\nposition = [[0, 0]]\nname = [{}]",
    "balls.material": "[balls]\nposition = [[0, 0]]\nmaterial = [{}]",
    "boundary.material": "[boundary]\nkind = 'box'\nsize = [1, 1]\nmaterial = {}",
    "obstacles[0].material": "[[obstacles]]\nkind = 'circle'\ncentre = [0, 0]\nradius = 1\nmaterial = {}",
    "restitution.pairs[0].materials[0]": "[restitution]\npairs = [{{ materials = [{}, 'b'], value = 1 }}]",
    "structures[0].material": ROPE.replace("9_000_000", "3") + "material = {}",
}


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize("letters", CONTROLLED)
@pytest.mark.parametrize("where", PLACES)
def test_control_characters_are_refused_wherever_a_text_stands(where: str, letters: str) -> None:
    content = PLACES[where].format(json.dumps(letters).replace("\x7f", "\\u007f").replace("\x9b", "\\u009b"))
    with pytest.raises(SceneError) as caught:
        files.loads(content, "toml")
    [problem] = caught.value.problems
    assert problem.where == where
    assert "has the control character U+00" in problem.what


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize("where", PLACES)
def test_a_text_has_a_longest(where: str) -> None:
    longest = 5000 if where in {"description", "look_at"} else 100
    files.loads(PLACES[where].format(json.dumps("é" * longest, ensure_ascii=False)), "toml")
    with pytest.raises(SceneError, match=rf"has {longest + 1} letters. Shorten it: a \w+ has up to {longest}\."):
        files.loads(PLACES[where].format(json.dumps("é" * (longest + 1), ensure_ascii=False)), "toml")
