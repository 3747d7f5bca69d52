"""A scene as text: for a link, and for a file."""

from __future__ import annotations

import base64
import binascii
import json
import zlib

import numpy as np

from carom.lab.reading import refusal
from carom.lab.view import View
from carom.scene import Scene
from carom.scene.files import dumps, loads

LONGEST = 60_000
"""Letters of a link: browsers and messengers take so many."""
LARGEST = 5_000_000
"""Bytes of a scene that a link may unfold to: a link is a stranger's."""
PREFIX = "1."
"""Version of the form."""


def present(view: View) -> Scene:
    """The scene as it stands in a view, as the start of another run."""
    balls = view.scene.balls
    velocities = np.where(balls.fixed[:, None], 0.0, view.velocities)
    born = np.maximum(balls.born - (view.time - view.since), 0.0)
    return view.scene.replace(balls=balls.replace(position=view.positions, velocity=velocities, born=born))


def saved(scene: Scene) -> str:
    """A scene as a TOML file."""
    return dumps(scene, "toml")


def shared(scene: Scene) -> str:
    """A scene as text for a link; a refusal if it would be too long."""
    plain = json.dumps(json.loads(dumps(scene, "json")), separators=(",", ":"), ensure_ascii=False).encode()
    text = PREFIX + base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    if len(text) > LONGEST:
        what = f"the scene makes a link of {len(text):,} letters, and {LONGEST:,} is the most"
        raise refusal("share", what, "Save it as a file and share that.")
    return text


def opened(text: str) -> Scene:
    """The scene in a text for a link; a refusal if there is none in it."""
    broken = refusal("link", "there is no scene in this link", "Copy the whole link, to its last letter.")
    if len(text) > LONGEST or not text.startswith(PREFIX):
        raise broken
    code = text[len(PREFIX) :]
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        unfolding = zlib.decompressobj()
        plain = unfolding.decompress(packed, LARGEST + 1)
        if len(plain) > LARGEST:
            raise refusal("link", "the scene in this link is too large", "Ask for it as a file.")
        if not unfolding.eof:
            raise broken
        words = plain.decode()
    except (binascii.Error, zlib.error, ValueError) as error:
        if type(error) is type(broken):
            raise
        raise broken from None
    return loads(words, "json", name="link")
