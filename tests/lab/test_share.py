"""Scenes as text: links and files, and the scene message."""

import base64
import json
import zlib

import numpy as np
import pytest

from carom.errors import SceneError
from carom.lab import share
from carom.lab.scene_message import scene_message
from carom.lab.session import Session
from carom.scene import Block, Box, Circle, Cylinder, HalfSpace, Polygon, Scene, Wedge, library
from carom.scene.files import loads


@pytest.mark.parametrize("entry", [name for name in library.names() if len(library.load(name).balls) <= 300])
def test_a_link_holds_the_scene_to_the_last_bit(entry: str) -> None:
    scene = library.load(entry)
    text = share.shared(scene)
    assert share.opened(text) == loads(share.saved(scene)) == scene
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


def test_a_scene_that_is_too_large_for_a_link_says_so() -> None:
    with pytest.raises(SceneError, match=r"letters, and 60,000 is the most\. Save it as a file"):
        share.shared(library.load("gas", count=10_000))


@pytest.mark.parametrize(
    "text", ["", "1.", "1.!!", "1.AAAA", "nonsense", "2.abc", share.shared(library.load("break"))[:-9]]
)
def test_a_broken_link_says_so(text: str) -> None:
    with pytest.raises(SceneError, match="there is no scene in this link"):
        share.opened(text)


def test_a_link_that_unfolds_without_end_is_refused() -> None:
    bomb = "1." + base64.urlsafe_b64encode(zlib.compress(b"0" * 30_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < share.LONGEST
    with pytest.raises(SceneError, match="too large"):
        share.opened(bomb)


def test_the_present_is_what_is_saved() -> None:
    session = Session(library.load("water-on-a-ball"))
    session.track.toward(0.3)
    now = share.present(session.view())
    assert now == session.track.sim.snapshot()
    session.do("solve", step=0.001)
    session.track.toward(0.4)
    later = share.present(session.view())
    assert later == session.track.sim.snapshot()


@pytest.mark.parametrize("entry", library.names())
def test_the_scene_message_of_each_scene(entry: str) -> None:
    view = Session(library.load(entry), entry).preview()
    message = json.loads(json.dumps(scene_message(view), allow_nan=False))
    d, n = view.scene.dimension, len(view.positions)
    low, high = np.array(message["bounds"]) + message["origin"]
    assert low.shape == high.shape == (d,)
    assert (high > low).any()
    there = view.positions if view.born is None else view.positions[view.born]
    assert ((there >= low - 1e-9 * abs(low)) & (there <= high + 1e-9 * abs(high))).all()
    assert len(message["radii"]) == len(message["masses"]) == n
    assert message["colours"] is None or len(message["colours"]) == n
    assert all(0 <= k < n for pair in message["links"] for k in pair)


def test_shapes_of_every_kind() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    hole = Circle(centre=(0.5, 0.5), radius=0.1)
    flat = Scene(
        boundary=Polygon(vertices=square, bulges=[0.0, 1.0, 0.0, 0.0], holes=[hole]),
        obstacles=[
            Block(low=(0.1, 0.1), high=(0.2, 0.2)),
            Circle(centre=(0.8, 0.8), radius=0.05),
            Wedge(slope=0.5, intercept=0.0, x=(0.6, 0.7), bottom=0.0),
            HalfSpace(point=(0.0, 0.01), normal=(0.0, 2.0)),
        ],
    )
    message = scene_message(Session(flat).preview())
    (wall,) = message["walls"]
    assert wall["kind"] == "loop"
    assert wall["vertices"] == [list(vertex) for vertex in square]
    assert not wall["solid"]
    assert len(wall["points"]) > 40, "an arc is many points"
    beyond = np.array(wall["points"])
    assert beyond[:, 0].max() == pytest.approx(1.5, abs=1e-3), "a half circle beyond the right side"
    assert np.hypot(*(np.array(wall["holes"][0]) - 0.5).T) == pytest.approx(np.full(len(wall["holes"][0]), 0.1))
    assert [shape["kind"] for shape in message["obstacles"]] == ["loop", "circle", "loop", "half-space"]
    assert message["obstacles"][0]["vertices"] == [[0.1, 0.1], [0.2, 0.1], [0.2, 0.2], [0.1, 0.2]]
    assert message["obstacles"][3]["normal"] == [0.0, 1.0]
    solid = Scene(
        boundary=Box(size=(1.0, 1.0, 1.0), periodic=(True, False, False)),
        obstacles=[
            Block(low=(0.1, 0.1, 0.1), high=(0.2, 0.2, 0.2)),
            Circle(centre=(0.8, 0.8, 0.8), radius=0.05),
            Cylinder(centre=(0.5, 0.5), radius=0.1),
            Wedge(slope=0.5, intercept=0.0, x=(0.6, 0.7), bottom=0.0),
            HalfSpace(point=(0.0, 0.01, 0.0), normal=(0.0, 1.0, 0.0)),
        ],
    )
    message = scene_message(Session(solid).preview())
    assert message["walls"][0]["periodic"] == [True, False, False]
    assert [shape["kind"] for shape in message["obstacles"]] == ["mesh", "circle", "cylinder", "mesh", "half-space"]
    block = message["obstacles"][0]
    assert (len(block["vertices"]), len(block["faces"])) == (8, 12)
    _assert_closed(block)
    _assert_closed(message["obstacles"][3])
    (room,) = scene_message(Session(Scene(boundary=Cylinder(centre=(0, 0), radius=1.0))).preview())["walls"]
    assert not room["solid"]


def _assert_closed(mesh: dict[str, list[list[int]]]) -> None:
    """Each edge belongs to two faces, once in either direction: closed, with all faces turned the same way."""
    edges = [(face[k], face[(k + 1) % 3]) for face in mesh["faces"] for k in range(3)]
    assert len(edges) == len(set(edges))
    assert {(b, a) for a, b in edges} == set(edges)


def test_a_far_scene_is_drawn_about_its_own_middle() -> None:
    far = Scene(balls=[{"position": [1e9, 2e9]}, {"position": [1e9 + 1, 2e9 + 1]}])  # type: ignore[list-item]
    message = scene_message(Session(far).preview())
    assert message["origin"] == [1e9 + 0.5, 2e9 + 0.5]
    assert message["bounds"] == [[-0.5, -0.5], [0.5, 0.5]]
