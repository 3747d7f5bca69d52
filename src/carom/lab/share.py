"""A scene as text: for a link, and for a file."""

from __future__ import annotations

import base64
import binascii
import json
import re
import tomllib
import zlib
from math import hypot, inf, prod
from typing import Any, Literal

import numpy as np

from carom.errors import Problem, SceneError
from carom.lab.commands.arguments import refusal
from carom.lab.seen.view import View
from carom.scene import Scene
from carom.scene.io.files import dumps, loads, values_in
from carom.scene.stepping import Stepping
from carom.solvers import choose

MAX_LINK_LENGTH = 60_000
"""Characters of a link that browsers and messengers accept."""
MAX_SCENE_BYTES = 5_000_000
"""Bytes of the scene in a link, which is not trusted."""
MAX_BALLS = 200_000
"""Balls of a scene from a link or a file: one line in it can ask for millions."""
MAX_VALUES = 20 * MAX_BALLS
"""Values in the text of a scene, a few seconds of reading."""
COUNTED = ("count", "points", "floors")
"""Parameters of generators that set the number of balls."""
MAX_BALLS_IN_LINK = 20_000
"""A scene of more balls does not fit into a link."""
PREFIX = "1."
"""Version of the format."""


def present(view: View) -> Scene:
    """The scene in its present state, as the start of another run."""
    balls = view.scene.balls
    velocities = np.where(balls.fixed[:, None], 0.0, view.velocities)
    born = np.maximum(balls.born - (view.time - view.since), 0.0)
    now = balls.replace(position=view.positions, velocity=velocities, born=born)
    return view.scene.replace(balls=now, stepping=_stepping(view))


def _stepping(view: View) -> Stepping:
    """The options of the solver, where they differ from the automatic choice."""
    from carom.solvers.stepped.integrators.stability import sensible_step  # noqa: PLC0415  # Numba is loaded when something runs

    scene, solving = view.scene, view.solving
    told = scene.stepping
    open_choice = scene.replace(stepping=told.replace(solver="auto"))
    usual_solver = choose.solver_for(open_choice, choose.Wish())
    told = told.replace(solver="auto" if solving.solver == usual_solver else solving.solver)
    if solving.step is None:
        return told
    contacts = told.contacts if told.contacts != "auto" else "pile" if scene.piles_up else "impacts"
    usual = {
        "step": told.step or sensible_step(scene),
        "integrator": told.integrator or "verlet",
        "contacts": contacts,
    }
    chosen = {"step": solving.step, "integrator": solving.integrator, "contacts": solving.contacts}
    return told.replace(**{name: value for name, value in chosen.items() if value != usual[name]})


def to_toml(scene: Scene) -> str:
    """A scene as a TOML file."""
    return dumps(scene, "toml")


def to_link(scene: Scene) -> str:
    """Encode a scene for a link; ArgumentError if it would be too long."""
    if len(scene.balls) > MAX_BALLS_IN_LINK:
        raise refusal("share.too-many-balls", where="share", count=len(scene.balls), most=MAX_BALLS_IN_LINK)
    plain = json.dumps(json.loads(dumps(scene, "json")), separators=(",", ":"), ensure_ascii=False).encode()
    text = PREFIX + base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    if len(text) > MAX_LINK_LENGTH:
        raise refusal("share.too-long", where="share", length=len(text), most=MAX_LINK_LENGTH)
    return text


def from_link(text: str) -> Scene:
    """Decode the scene of a link; ArgumentError if it is invalid."""
    broken = refusal("share.no-scene", where="link")
    if len(text) > MAX_LINK_LENGTH or not text.startswith(PREFIX):
        raise broken
    code = text[len(PREFIX) :]
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        unfolding = zlib.decompressobj()
        plain = unfolding.decompress(packed, MAX_SCENE_BYTES + 1)
        if len(plain) > MAX_SCENE_BYTES:
            raise refusal("share.too-large", where="link")
        if not unfolding.eof:
            raise broken
        words = plain.decode()
    except (binascii.Error, zlib.error, ValueError) as error:
        if type(error) is type(broken):
            raise
        raise broken from None
    return read(words, "json", "link")


def read(text: str, form: Literal["toml", "json"], name: str) -> Scene:
    """Read an untrusted scene; ArgumentError, before it is built, if it would have too many balls."""
    crowded = Problem("upload.too-many-balls", where="balls", most=MAX_BALLS)
    if values_in(text) > MAX_VALUES:
        raise SceneError.of("upload.too-many-values", source=name, count=values_in(text), most=MAX_VALUES)
    try:
        if _expected_balls(text, form) > 2 * MAX_BALLS:  # the number of a jet's points is known roughly
            raise SceneError([crowded], source=name)
        scene = loads(text, form, name=name)
    except RecursionError:
        raise SceneError.of("file.too-deep", source=name) from None
    if len(scene.balls) > MAX_BALLS:
        raise SceneError([crowded], source=name)
    return scene


def check_size(parameters: dict[str, Any]) -> dict[str, Any]:
    """Check parameters of a generator; ArgumentError if they ask for too many balls."""
    number = _generated_balls(parameters)
    if number > MAX_BALLS:
        word = next((name for name in COUNTED if name in parameters), "count")
        raise refusal("bench.too-many-balls", where=word, count=f"{number:,.10g}", most=MAX_BALLS)
    return parameters


def _expected_balls(text: str, form: str) -> float:
    """Estimate how many balls the structures and the generator of a scene make; invalid ones count little."""
    if not re.search(r"structures|generator|\\", text):  # a key may be written with escapes
        return 0.0
    try:
        content = json.loads(text) if form == "json" else tomllib.loads(text)
    except ValueError:  # reading it says what is wrong
        return 0.0
    tables = content if isinstance(content, dict) else {}
    structures = tables.get("structures")
    made = [*(structures if isinstance(structures, list) else []), tables.get("generator")]
    return sum(_points(each) for each in made if isinstance(each, dict))


def _points(table: dict[str, Any]) -> float:
    """Estimate how many balls a table makes."""
    if table.get("kind") != "water":
        return prod(map(_number, _list(table.get("counts")))) * _generated_balls(table)
    spans = [_number(each) for each in _list(table.get("size"))]
    if not spans:
        across = [_number(table.get("width"))] * (len(_list(table.get("nozzle"))) - 1)
        speed = hypot(*(_number(each) for each in _list(table.get("velocity"))))
        spans = [*across, speed * _number(table.get("duration"))]
    spacing = _number(table.get("spacing"))
    return prod(max(span / spacing, 1.0) for span in spans) if spacing > 0.0 else 0.0


def _generated_balls(parameters: dict[str, Any]) -> float:
    """Estimate how many balls a generator makes; numbers per side count once per axis."""
    axes = 3 if parameters.get("dimension") == 3 else 2
    return prod(_number(parameters.get(name, 1)) ** (axes if name == "points" else 1) for name in COUNTED)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float:
    """The absolute value of a number; 0 for anything else."""
    try:
        return abs(float(value)) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return inf
