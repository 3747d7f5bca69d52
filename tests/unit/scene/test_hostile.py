"""Whatever is thrown at a part of a scene, it is accepted or refused in one clear line a problem."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.errors import SceneError
from carom.scene import (
    Attraction,
    Ball,
    Balls,
    Bend,
    Bends,
    Block,
    Box,
    Chain,
    Circle,
    Cloth,
    Coulomb,
    Cylinder,
    Drag,
    Friction,
    FrictionPair,
    Hair,
    HalfSpace,
    Link,
    Links,
    Pair,
    Planet,
    Polygon,
    Restitution,
    Rope,
    Scene,
    SoftBody,
    Stepping,
    Structure,
    View,
    Water,
    Wedge,
)
from carom.scene.io import files
from carom.scene.placement.check import problems
from effort import examples

JUNK = [
    *(None, True, 0, -1, 1, 1.5, math.nan, math.inf, -math.inf, 10**400, 10**5000, 1e-320, 1e200),
    *("", "x", b"x", [], [1], [1, 2], [1, 2, 3], (1, "a"), [[1, 2], [3, 4]], [[1, 2], [3]], [True, False], ["a", "b"]),
    *({}, {"kind": "box"}, {1: 2}, {"kind": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]]}, {"kind": ["box"]}),
    *(np.array(3.0), np.array([1, 2]), np.array(["a", "b"]), np.array([None, 1]), np.array([1 + 2j, 3])),
    *(
        np.zeros((2, 2)),
        np.zeros((0, 2)),
        np.zeros((2, 2, 2)),
        np.datetime64("2020-01-01"),
        object(),
        {1},
        range(3),
        float,
    ),
]
SOUND = {
    Ball: {"position": (0, 0)},
    Balls: {"position": [[0, 0], [5, 5]]},
    Box: {"size": (1, 1)},
    Circle: {"centre": (0, 0), "radius": 1},
    Polygon: {"vertices": [(0, 0), (4, 0), (0, 4)]},
    Pair: {"materials": ("a", "b"), "value": 1},
    Restitution: {},
    View: {},
    Planet: {},
    Drag: {},
    Attraction: {},
    Coulomb: {"static": 1, "dynamic": 1},
    Friction: {},
    FrictionPair: {"materials": ("a", "b"), "value": 1},
    Stepping: {},
    HalfSpace: {"point": (0, 0), "normal": (0, 1)},
    Cylinder: {"centre": (0, 0), "radius": 1},
    Block: {"low": (0, 0), "high": (1, 1)},
    Wedge: {"slope": 1, "intercept": 0, "x": (0, 1), "bottom": 0},
    Link: {"between": (0, 1), "stiffness": 1},
    Links: {"between": [(0, 1), (1, 2)], "stiffness": 1},
    Bend: {"corner": (0, 1, 2), "stiffness": 1},
    Bends: {"corner": [(0, 1, 2), (1, 2, 3)], "stiffness": 1},
    Chain: {"start": (0, 0), "end": (1, 0), "count": 3, "stiffness": 1},
    Rope: {"start": (0, 0), "end": (1, 0), "count": 3},
    Hair: {"start": (0, 0), "direction": (1, 0), "length": 1, "count": 3},
    Cloth: {"corner": (0, 0), "sides": [(1, 0), (0, 1)], "counts": (2, 2), "stiffness": 1},
    SoftBody: {"corner": (0, 0), "size": (1, 1), "counts": (2, 2), "stiffness": 1},
    Water: {"corner": (0, 0), "size": (1, 1), "spacing": 0.5},
    Scene: {},
}


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize("part", SOUND, ids=lambda part: part.__name__)
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: type(junk).__name__)
def test_every_field_refuses_or_accepts(part, junk):
    for field in part.model_fields:
        with contextlib.suppress(SceneError):
            made = part(**{**SOUND[part], field: junk})
            if isinstance(made, Structure):
                made.pieces()


@settings(max_examples=examples(150))
@given(st.dictionaries(st.sampled_from(list(Scene.model_fields)), st.sampled_from(JUNK), max_size=3))
def test_what_a_scene_accepts_can_be_checked_written_and_read(parts):
    scene = accepted(parts)
    assert isinstance(problems(scene), list)
    assert files.loads(files.dumps(scene)) == scene
    assert files.loads(files.dumps(scene, "json"), "json") == scene


def accepted(parts):
    """The scene of the parts, or, if it is refused in clear lines, the empty one."""
    complaint = None
    try:
        return Scene(**parts)
    except SceneError as error:
        complaint = error
    lines = str(complaint).splitlines()
    assert len(lines) == len(complaint.problems) > 0
    assert all(len(line) < 500 for line in lines)
    return Scene()
