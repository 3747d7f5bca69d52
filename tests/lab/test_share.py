"""Scenes as text: links and files, and the scene message."""

import base64
import json
import zlib

import numpy as np
import pytest

from carom.errors import ArgumentError, SceneError
from carom.lab import share
from carom.lab.bench.session import Session
from carom.lab.seen.scene_message import scene_message
from carom.scene import Balls, Block, Box, Circle, Cylinder, HalfSpace, Polygon, Scene, Wedge, library
from carom.scene.io.files import loads
from carom.scene.stepping import Stepping


@pytest.mark.parametrize("entry", [name for name in library.names() if len(library.load(name).balls) <= 300])
def test_a_link_holds_the_scene_to_the_last_bit(entry: str) -> None:
    scene = library.load(entry)
    text = share.to_link(scene)
    assert share.from_link(text) == loads(share.to_toml(scene)) == scene
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


def test_a_scene_that_is_too_large_for_a_link_says_so() -> None:
    with pytest.raises(ArgumentError, match=r"letters, and 60,000 is the most\. Save it as a file"):
        share.to_link(library.load("gas", count=10_000))


def test_a_crowd_is_not_even_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "dumps", lambda *_: pytest.fail("it was written"))
    crowd = Scene(balls=Balls(position=np.zeros((share.MAX_BALLS_IN_LINK + 1, 2))))
    with pytest.raises(ArgumentError, match=r"20,001 balls, and a link holds 20,000 at most\. Save it as a file"):
        share.to_link(crowd)


ROPE = {"kind": "rope", "start": [0, 0], "end": [1, 0]}
CLOTH = {"kind": "cloth", "corner": [0, 0, 0], "sides": [[1, 0, 0], [0, 1, 0]], "stiffness": 1}
BLOCK = {"kind": "water", "corner": [0, 0, 0], "size": [1, 1, 1]}
JET = {"kind": "water", "nozzle": [0, 0], "width": 1, "duration": 10, "velocity": [-3, 4]}
CROWDS = {
    "rope": {"structures": [{**ROPE, "count": 9_000_000}]},
    "ropes": {"structures": [{**ROPE, "count": 1000}] * 500},
    "cloth": {"structures": [{**CLOTH, "counts": [3000, 3000]}]},
    "block": {"structures": [{**BLOCK, "spacing": 0.005}]},
    "jet": {"structures": [{**JET, "spacing": 0.005}]},
    "gas": {"generator": {"kind": "gas", "count": 9_000_000}},
    "beyond floats": {"structures": [{**ROPE, "count": 10**400}]},
}


@pytest.mark.parametrize("content", CROWDS.values(), ids=CROWDS)
@pytest.mark.parametrize("key", [str, lambda text: text.replace("structures", "\\u0073tructures")], ids=["", "escaped"])
def test_a_scene_of_millions_is_refused_before_it_is_made(content, key, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "loads", lambda *_, **__: pytest.fail("it was made"))
    with pytest.raises(SceneError) as told:
        share.read(key(json.dumps(content)), "json", "mine.json")
    assert str(told.value) == "mine.json: balls: the scene has more than 200,000 of them. Use fewer."


def test_a_toml_file_of_millions_is_refused_too() -> None:
    text = '[[structures]]\nkind = "rope"\nstart = [0, 0]\nend = [1, 0]\ncount = 9_000_000\n'
    with pytest.raises(SceneError, match="more than 200,000"):
        share.read(text, "toml", "mine.toml")


def test_what_is_made_is_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "MAX_BALLS", 100)
    rope = json.dumps({"structures": [{**ROPE, "count": 100}]})
    assert len(share.read(rope, "json", "a").balls) == 100
    with pytest.raises(SceneError, match="more than 100 of them"):
        share.read(rope.replace("100", "101"), "json", "a")
    with pytest.raises(SceneError, match="more than 100 of them"):
        share.read(json.dumps({"balls": {"position": [[0, k] for k in range(101)]}}), "json", "a")


@pytest.mark.parametrize(
    "structures",
    [3, [3], [{}], [{"kind": "rope", "count": "many"}], [{**CLOTH, "counts": 9}], [{"kind": "water", "spacing": 0}]],
    ids=str,
)
def test_wrong_structures_get_the_words_of_the_scene(structures) -> None:
    with pytest.raises(SceneError, match="structures"):
        share.read(json.dumps({"structures": structures}), "json", "a")


@pytest.mark.parametrize("depth", [400, 990, 100_000])
def test_what_is_nested_too_deeply_is_one_clear_line(depth: int) -> None:
    with pytest.raises(SceneError) as told:
        share.read('{"structures": ' + "[" * depth + "]" * depth + "}", "json", "a")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "text", ["", "1.", "1.!!", "1.AAAA", "nonsense", "2.abc", share.to_link(library.load("break"))[:-9]]
)
def test_a_broken_link_says_so(text: str) -> None:
    with pytest.raises(ArgumentError, match="there is no scene in this link"):
        share.from_link(text)


def test_a_link_that_unfolds_without_end_is_refused() -> None:
    bomb = "1." + base64.urlsafe_b64encode(zlib.compress(b"0" * 30_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < share.MAX_LINK_LENGTH
    with pytest.raises(ArgumentError, match="too large"):
        share.from_link(bomb)


def test_the_present_is_what_is_saved() -> None:
    session = Session(library.load("water-on-a-ball"))
    session.track.toward(0.3)
    now = share.present(session.view())
    assert now == session.track.sim.snapshot()
    session.do("solve", step=0.001)
    session.track.toward(0.4)
    later = share.present(session.view())
    assert later == session.track.sim.snapshot().replace(stepping={"step": 0.001})


def test_the_method_that_was_chosen_is_saved_and_shared() -> None:
    session = Session(library.load("rope"))
    assert share.present(session.view()).stepping == Stepping(), "what nobody chose stays open"
    session.do("solve", integrator="rk4", step=7e-5, contacts="pile")
    now = share.present(session.view())
    assert now.stepping == Stepping(integrator="rk4", step=7e-5, contacts="pile")
    for again in (loads(share.to_toml(now)), share.from_link(share.to_link(now))):
        view = Session(again).view()
        assert (view.solving.integrator, view.solving.step, view.solving.contacts) == ("rk4", 7e-5, "pile")
    session.do("solve", step="", contacts="")
    assert share.present(session.view()).stepping == Stepping(integrator="rk4")


def test_the_solver_that_was_chosen_is_saved_and_shared() -> None:
    session = Session(library.load("break"))
    assert share.present(session.view()).stepping == Stepping(), "exact by itself"
    session.do("solve", solver="stepped")
    now = share.present(session.view())
    assert now.stepping == Stepping(solver="stepped")
    for again in (loads(share.to_toml(now)), share.from_link(share.to_link(now))):
        assert Session(again).view().solving.solver == "stepped"
    session.do("solve", solver="exact")
    assert share.present(session.view()).stepping == Stepping()


def test_what_a_scene_says_of_its_method_is_kept() -> None:
    told = Stepping(integrator="stormer", step=1e-4)
    session = Session(library.load("rope").replace(stepping=told))
    assert share.present(session.view()).stepping == told
    session.do("solve", integrator="verlet")
    assert share.present(session.view()).stepping == told.replace(integrator="verlet")


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
