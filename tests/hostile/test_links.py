"""Share links from strangers, and scenes that are put on the bench of the laboratory."""

import base64
import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.errors import ArgumentError, SceneError
from carom.lab import share
from carom.lab.commands.opening import parameters_of
from carom.scene import Scene, library
from effort import examples
from hostile.doors import answered
from hostile.mutants import NASTY, SLY, as_json, documents, texts
from hostile.test_scene_files import DOCUMENTS, JSONS


def link(plain: bytes, prefix: str = share.PREFIX) -> str:
    """A link that holds this, whatever it is."""
    return prefix + base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")


def opened(text: str) -> Scene | None:
    """The scene of a link, or None if it is refused in clear lines."""
    return answered(lambda: share.from_link(text))


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(60))
@given(documents(DOCUMENTS))
def test_links_with_changed_scenes(content: Any) -> None:
    scene = opened(link(as_json(content).encode()))
    if scene is not None and len(scene.balls) < 1000:
        assert share.from_link(share.to_link(scene)) == scene


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(60))
@given(texts(JSONS))
def test_links_with_changed_bytes(raw: bytes) -> None:
    opened(link(raw))


SOUND = share.to_link(library.load("three-bodies"))


@pytest.mark.requirement("T-05")
@settings(max_examples=examples(100))
@given(st.data())
def test_garbled_links(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SOUND)))
    odd = st.sampled_from(["=", "==", "%", "\0", NASTY, "é", "\ud800", "1.", "-_" * 50])
    put = data.draw(st.text(max_size=5) | odd)
    opened(SOUND[:at] + put + SOUND[at + data.draw(st.integers(0, 3)) :])


@given(st.text(max_size=200))
@settings(max_examples=examples(50))
def test_any_text_as_a_link(text: str) -> None:
    assert opened(text) is None or text == ""
    assert opened(share.PREFIX + text) is None


BOMBS = {
    "unfolds without end": b"0" * 200_000_000,
    "lists in lists": b"[" * 100_000,
    "tables in tables": b'{"a":' * 100_000,
    "empty lists": b'{"balls":[' + b"[]," * 1_600_000 + b"[]]}",
    "a gas": b'{"generator":{"kind":"gas","count":9000000}}',
    "a cloth by its side": b'{"generator":{"kind":"cloth-on-a-ball","points":1000}}',
    "a soft body by its side": b'{"generator":{"kind":"soft-body","dimension":3,"points":100}}',
    "a cloth": b'{"structures":[{"kind":"cloth","corner":[0,0,0],"sides":[[1,0,0],[0,1,0]],'
    b'"counts":[1000,1000],"stiffness":1}]}',
    "corners": b'{"boundary":{"kind":"polygon","vertices":[' + b"[0,0],[1,1]," * 45_000 + b"[0,1]]}}",
    "holes": b'{"boundary":{"kind":"polygon","vertices":[[0,0],[9,0],[9,9]],"holes":['
    + b'{"centre":[5,4],"radius":1},' * 20_000
    + b'{"centre":[5,4],"radius":1}]}}',
    "obstacles": b'{"obstacles":[' + b'{"kind":"cube"},' * 50_000 + b"1]}",
    "materials": b'{"restitution":{"pairs":[' + b'{"materials":["a","b"],"value":1},' * 10_000 + b"1]}}",
    "a name": b'{"' + b"a" * 4_000_000 + b'":1}',
    "keys": b"{" + b",".join(b'"k%d":1' % k for k in range(200_000)) + b"}",
    "digits": b'{"restitution":' + b"9" * 1_000_000 + b"}",
}


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_in_links(name: str) -> None:
    """A link of 60,000 letters can ask for much; it is refused in two seconds."""
    assert opened(link(BOMBS[name])) is None
    if len(BOMBS[name]) <= share.MAX_SCENE_BYTES:
        assert answered(lambda: share.read(BOMBS[name].decode(), "json", "file")) is None


def test_a_file_of_very_many_values_is_not_read_for_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "loads", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(SceneError, match=r"4,000,000 is the most\. Use fewer"):
        share.read("balls = [" + "1," * 4_000_001 + "]", "toml", "mine.toml")


@pytest.mark.parametrize(
    ("entry", "given", "words"),
    [
        ("gas", {"count": 900_000}, "count: 900,000 are more balls"),
        ("gas", {"count": 10**400}, "count: inf are more balls"),
        ("cloth-on-a-ball", {"points": 1000}, "points: 1,000,000 are more balls"),
        ("soft-body", {"points": 100, "dimension": 3}, "points: 1,000,000 are more balls"),
    ],
)
def test_parameters_that_make_a_crowd_are_refused(entry: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as told:
        parameters_of(entry, given)
    assert str(told.value).startswith(words)


def test_names_in_links_are_texts() -> None:
    """Markup goes through as the letters that it is; who shows it escapes it. Control characters are refused."""
    scene = share.from_link(link(json.dumps({"name": SLY, "balls": [{"position": [0, 0], "name": SLY}]}).encode()))
    assert scene.name == SLY
    assert share.from_link(share.to_link(scene)) == scene
    with pytest.raises(SceneError, match=r"has the control character U\+001B"):
        share.from_link(link(json.dumps({"name": NASTY}).encode()))
