"""What moves in the browser, by itself: golden frames, pixels, and the commands that hands and keys make."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from browser.conftest import PHONE, ROOT, Tabs
from browser.stage import Stage, files, frame
from carom.lab.commands.keymap import KEYS
from carom.lab.commands.table import COMMANDS

BOX = {"kind": "box", "low": [-2.0, -1.0], "high": [2.0, 1.0], "periodic": [False, False]}
TWO = [[-1.0, 0.0], [1.0, 0.5]]
KEYMAP = [key.message() for key in KEYS]

Open = Callable[..., Stage]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with files() as one:
        yield one


@pytest.fixture
def stage(tabs: Tabs, address: str) -> Open:
    """Opens stages."""

    def opened(query: str = "", **options: Any) -> Stage:
        return Stage(tabs.new(**options), address, query, KEYMAP)

    return opened


@pytest.fixture
def pair(stage: Open) -> Stage:
    """Two balls of 10 cm, paused."""
    made = stage()
    made.scene([0.1, 0.1], walls=[BOX])
    made.state()
    made.frame(TWO, np.zeros((2, 2)))
    made.sent()
    return made


def near(found: list[int], wanted: list[int], by: int = 12) -> bool:
    return max(abs(a - b) for a, b in zip(found, wanted, strict=True)) <= by


# ---------------------------------------------------------------- protocol


def test_golden_frames_say_the_same_in_the_browser(stage: Open) -> None:
    page = stage().page
    data = (ROOT / "tests/lab/frames.bin").read_bytes()
    for wanted in json.loads((ROOT / "tests/lab/frames.json").read_text()):
        part = data[wanted["offset"] : wanted["offset"] + wanted["length"]]
        found = page.evaluate(
            """text => {
              const frame = parseFrame(Uint8Array.from(atob(text), sign => sign.charCodeAt(0)).buffer);
              const rows = list => list && Array.from({length: frame.count}, (_, i) =>
                Array.from(list.subarray(i * frame.dimension, (i + 1) * frame.dimension), x => isNaN(x) ? null : x));
              const {number, time, epoch, seq, count: n, dimension, rate} = frame;
              const bits = [frame.velocities, frame.forces, frame.running, frame.held, frame.past];
              return {number, time, epoch, seq, n, dimension, rate,
                positions: rows(frame.positions), velocities: rows(frame.velocities), forces: rows(frame.forces),
                companions: frame.companions.map(rows), marks: Array.from(frame.marks),
                flags: bits.reduce((sum, bit, k) => sum + (bit ? 1 << k : 0), 0)};
            }""",
            base64.b64encode(part).decode(),
        )
        assert found == {name: wanted[name] for name in found}


@pytest.mark.parametrize(
    "data",
    [b"", b"\x02" + bytes(39), frame(TWO)[:-4], frame(TWO) + b"\0\0\0\0"],
    ids=["empty", "version", "short", "long"],
)
def test_bytes_that_are_no_frame_make_a_note_and_nothing_else(stage: Open, data: bytes) -> None:
    made = stage()
    made.page.evaluate("text => giveFrame(text)", base64.b64encode(data).decode())
    notes = made.page.evaluate("events.filter(([name]) => name === 'carom-note').map(([, note]) => note.kind)")
    assert notes == ["error"]


def test_each_frame_is_acknowledged_drawn_or_dropped(pair: Stage) -> None:
    pair.page.evaluate("sent.length = 0")
    both = [base64.b64encode(frame(TWO, number=number)).decode() for number in (10, 11)]
    unknown = base64.b64encode(frame(TWO, number=12, epoch=99)).decode()
    pair.page.evaluate("list => list.forEach(text => giveFrame(text))", [*both, unknown])
    pair.settle()
    acks = pair.page.evaluate("sent.filter(message => 'ack' in message).map(message => message.ack)")
    assert sorted(acks) == [10, 11, 12]


def test_a_lost_socket_comes_back_and_what_was_sent_meanwhile_arrives(pair: Stage) -> None:
    page = pair.page
    page.evaluate("sockets.at(-1).close(1006)")
    assert page.locator(".carom-lost").is_visible()
    page.evaluate("bench.send('run')")
    page.wait_for_function(
        "sockets.length === 2 && sockets[1].readyState === 1 && sent.some(message => message.do === 'run')"
    )
    assert page.locator(".carom-lost").is_hidden()


def test_the_very_first_picture_of_a_periodic_box_has_its_colours(stage: Open) -> None:
    """Images over the edge number their looks apart from others: the first must not pass for one that is drawn."""
    made = stage()
    made.page.evaluate(
        """() => {
          const draw = bench._draw.bind(bench);
          bench._draw = (now) => {
            draw(now);
            if (!bench.frame || window.first) return;
            const [x, y] = bench.camera.project(bench.frame.positions[0], bench.frame.positions[1]);
            const sheet = new OffscreenCanvas(bench.canvases.balls.width, bench.canvases.balls.height).getContext("2d");
            sheet.drawImage(bench.canvases.balls, 0, 0);
            window.first = Array.from(sheet.getImageData(x * bench.ratio, y * bench.ratio, 1, 1).data.slice(0, 3));
          };
        }"""
    )
    made.scene([0.1, 0.1], walls=[BOX | {"periodic": [True, True]}])
    made.frame([[-1.0, 0.0], [1.95, 0.5]])
    made.page.wait_for_function("window.first")
    plain = made.page.evaluate("bench.colour.plain")
    assert near(made.page.evaluate("first"), [int(plain[k : k + 2], 16) for k in (1, 3, 5)])


# ---------------------------------------------------------------- drawing


@pytest.mark.requirement("T-16")
@pytest.mark.parametrize("query", ["", "nogl", "theme=dark", "theme=dark&nogl", "palette=safe"])
def test_balls_are_where_they_should_be_in_their_colours(stage: Open, query: str) -> None:
    made = stage(query)
    made.scene([0.2, 0.2, 0.2], walls=[BOX])
    made.state(selected=[1])
    made.frame([[-1.5, 0.0], [0.0, 0.5], [1.0, -0.5]], marks=[2])
    assert made.page.evaluate("bench.view.gl !== undefined") == ("nogl" not in query)
    for place, name in (((-1.5, 0.0), "plain"), ((0.0, 0.5), "select"), ((1.0, -0.5), "mark")):
        x, y = made.at(*place)
        assert near(made.pixel(x, y + 12), made.colour(name)), name
        side = 0.2 * made.page.evaluate("bench.camera.scale")
        assert near(made.pixel(x - 0.8 * side, y), made.colour(name)), name
        assert near(made.pixel(x - side - 8, y), made.colour("field")), name


@pytest.mark.requirement("T-07")
def test_real_size_is_by_calibration(pair: Stage) -> None:
    assert pair.page.evaluate("bench.calibrate(40), bench.realSize(), bench.camera.scale") == pytest.approx(4000)
    assert pair.page.evaluate("localStorage.getItem('carom-pixels-per-centimetre')") == "40"


def test_many_points_are_seen_though_they_have_no_radius(stage: Open) -> None:
    made = stage()
    made.scene([0.0] * 3)
    made.frame([[0.0, 0.0], [1.0, 0.0], [np.nan, np.nan]])
    x, y = made.at(0.0, 0.0)
    assert near(made.pixel(x, y), made.colour("plain"), 40)


@pytest.mark.parametrize("query", ["", "nogl"])
def test_three_dimensions_are_drawn(stage: Open, query: str) -> None:
    made = stage(query)
    made.scene(
        [0.3, 0.2, 0.0, 0.0, 0.0],
        dimension=3,
        gravity=[0.0, 0.0, -9.8],
        links=[[2, 3]],
        triangles=[[2, 3, 4]],
        fixed=[1],
        walls=[{"kind": "box", "low": [-2, -1, -1], "high": [2, 1, 1], "periodic": [False] * 3}],
        obstacles=[
            {"kind": "circle", "centre": [1.2, 0, -0.5], "radius": 0.3, "solid": True},
            {"kind": "cylinder", "from": [-1, -0.5, -1], "to": [-1, -0.5, 0], "radius": 0.2, "solid": True},
            {"kind": "half-space", "point": [0, 0, -1], "normal": [0, 0, 1]},
            {
                "kind": "mesh",
                "vertices": [[0, 0, -1], [1, 0, -1], [0, 1, -1], [0, 0, 0]],
                "faces": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
                "solid": True,
            },
        ],
    )
    made.state(selected=[1])
    made.frame(
        [[-1.2, 0.0, 0.6], [1.5, 0.5, 0.5], [0.5, -0.8, 0.8], [1.0, -0.8, 0.8], [0.5, -0.8, 0.2]],
        np.zeros((5, 3)),
        marks=[0],
    )
    red, green, blue = made.pixel(*made.at(-1.2, 0.0, 0.6))
    assert red > 100
    assert red > 1.5 * max(green, blue)
    red, green, blue = made.pixel(*made.at(0.65, -0.8, 0.6))
    assert blue > red + 20, "cloth"


def test_nothing_is_drawn_while_nothing_changes(pair: Stage) -> None:
    pair.page.wait_for_timeout(100)
    assert pair.page.evaluate("bench.asked") == 0


def test_lost_graphics_come_back(pair: Stage, tabs: Tabs) -> None:
    tabs.forgive("CONTEXT_LOST_WEBGL|context")
    pair.page.evaluate(
        """new Promise(done => {
          const loss = bench.view.gl.getExtension("WEBGL_lose_context");
          bench.canvases.balls.addEventListener("webglcontextlost", () => setTimeout(() => loss.restoreContext(), 50));
          bench.canvases.balls.addEventListener("webglcontextrestored", () => setTimeout(done, 50));
          loss.loseContext();
        })"""
    )
    x, y = pair.at(-1.0, 0.0)
    assert near(pair.pixel(x, y + 5), pair.colour("plain"))


@pytest.mark.parametrize("size", [(1280, 720), PHONE])
def test_all_layers_and_charts_at_once(stage: Open, size: tuple[int, int]) -> None:
    made = stage("charts", size=size)
    names = made.page.evaluate("Object.keys(bench.shown())")
    made.scene([0.1, 0.1], walls=[BOX], names=["a", None], links=[[0, 1]])
    made.page.evaluate("names => names.forEach(name => bench.layer(name, true))", names)
    meters = {
        "upcoming": [{"time": 1.0, "kind": "pair", "partners": [0, 1], "wall": None, "place": [0.0, 0.0]}],
        "centre_of_mass": [0.0, 0.25],
        "speeds": [0.1, 0.5, 0.2],
        "maxwell": [0.2, 0.4, 0.2],
        "speeds_end": 3.0,
    }
    made.state(selected=[0, 1], time=0.5, end=1.0, meters=meters, collision_times=[0.2, 0.7])
    chart = {
        "reset": True,
        "time": [0, 0.5, 1],
        "kinetic": [1, 2, 1],
        "potential": [1, 0, 1],
        "total": [2, 2, 2],
        "momentum": [[0, 1]] * 3,
    }
    made.page.evaluate("chart => give({chart})", chart | {"companions": {"euler": [2, 2.1, 2.2]}})
    for k in range(3):
        made.frame(np.array(TWO) + 0.1 * k, np.ones((2, 2)), time=0.1 * k, companions=[np.array(TWO) + 0.05], marks=[0])
    wants = made.page.evaluate("sent.filter(message => message.want).at(-1).want")
    assert wants == {"velocities": True, "forces": True}
    x, y = made.at(-2.0, 0.0)
    assert near(made.pixel(x, y), made.colour("wall"), 40)
    assert made.page.evaluate("bench.charts.energy.times.length") == 3


def test_lengths_are_said_in_units_that_suit(stage: Open) -> None:
    page = stage().page
    said = page.evaluate("[3e-9, 2e-6, 0.05, 1, 20000, 1.495978707e11, 0].map(x => units.length(x))")
    assert said == ["3 nm", "2 µm", "5 cm", "1 m", "20 km", "1 AU", "0 m"]
    assert page.evaluate("[0.9, 2.2, 7, 48].map(units.roundStep)") == pytest.approx([0.5, 2, 5, 20])


# ---------------------------------------------------------------- the hand


@pytest.mark.requirement("S-05")
def test_press_drag_release_launches(pair: Stage) -> None:
    start, end = pair.at(0.0, -0.5), pair.at(0.5, -0.5)
    pair.drag(start, end, release=False)
    assert pair.sent() == [("hold", {})]
    aim = pair.page.evaluate("bench.hand.aim.value")
    pair.page.mouse.up()
    [(name, given)] = pair.sent()
    assert name == "launch"
    assert given["position"] == pytest.approx([0.0, -0.5], abs=0.01)
    assert given["velocity"][0] == pytest.approx(aim, rel=0.01)
    assert aim > 0
    assert given["velocity"][1] == pytest.approx(0.0, abs=0.01)


@pytest.mark.requirement("S-05")
def test_escape_gives_up_an_aim_and_only_then_opens_the_menu(pair: Stage) -> None:
    pair.drag(pair.at(0.0, -0.5), pair.at(0.5, -0.5), release=False)
    pair.page.keyboard.press("Escape")
    pair.page.mouse.up()
    assert pair.sent() == [("hold", {}), ("unhold", {})]
    menus = "events.filter(([name]) => name === 'carom-menu').length"
    assert pair.page.evaluate(menus) == 0
    pair.page.keyboard.press("Escape")
    assert pair.page.evaluate(menus) == 1


def test_places_are_sent_in_the_scenes_own_coordinates(pair: Stage) -> None:
    pair.scene([0.1, 0.1], epoch=2, name="far away", origin=[100.0, 50.0])
    pair.frame(TWO, epoch=2)
    pair.drag(pair.at(0.0, -0.5), pair.at(0.5, -0.5))
    given = dict(pair.sent())["launch"]
    assert given["position"] == pytest.approx([100.0, 49.5], abs=0.02)


def test_clicks_select(pair: Stage) -> None:
    pair.page.mouse.click(*pair.at(-1.0, 0.0))
    assert pair.sent() == [("select", {"indices": [0], "mode": "only"})]
    pair.page.keyboard.down("Shift")
    pair.page.mouse.click(*pair.at(1.0, 0.5))
    pair.page.keyboard.up("Shift")
    assert pair.sent() == [("select", {"indices": [1], "mode": "toggle"})]
    pair.state(selected=[0])
    pair.page.mouse.click(*pair.at(0.0, -0.7))
    assert pair.sent() == [("hold", {}), ("unhold", {}), ("select-none", {})]


def test_shift_drag_selects_what_is_in_the_box(pair: Stage) -> None:
    pair.page.keyboard.down("Shift")
    pair.drag(pair.at(-1.5, -0.5), pair.at(1.5, 0.9))
    pair.page.keyboard.up("Shift")
    assert pair.sent() == [("select", {"indices": [0, 1], "mode": "add"})]


def test_a_dragged_ball_is_placed_and_the_last_place_counts(pair: Stage) -> None:
    pair.drag(pair.at(-1.0, 0.0), pair.at(-0.5, 0.25), steps=12)
    commands = pair.sent()
    assert commands[0] == ("select", {"indices": [0], "mode": "only"})
    assert {name for name, _ in commands[1:]} == {"place"}
    assert len(commands) < 8, "places wait for the one before them"
    assert commands[-1][1]["position"] == pytest.approx([-0.5, 0.25], abs=0.01)


def test_selected_balls_are_dragged_together(pair: Stage) -> None:
    pair.state(selected=[0, 1])
    pair.drag(pair.at(-1.0, 0.0), pair.at(-0.5, 0.25))
    steps = [given["by"] for name, given in pair.sent() if name == "move"]
    assert np.sum(steps, axis=0) == pytest.approx([0.5, 0.25], abs=0.01)


def test_escape_puts_balls_back_that_were_dragged_together(pair: Stage) -> None:
    pair.state(selected=[0, 1])
    pair.drag(pair.at(-1.0, 0.0), pair.at(-0.5, 0.25), release=False)
    there = [given["by"] for name, given in pair.sent() if name == "move"]
    assert there
    pair.page.keyboard.press("Escape")
    pair.page.mouse.up()
    [(name, back)] = pair.sent()
    assert name == "move"
    assert back["by"] == pytest.approx(-np.sum(there, axis=0))


def test_a_refused_move_does_not_shift_balls_from_the_pointer(pair: Stage) -> None:
    pair.state(selected=[0, 1])
    pair.drag(pair.at(-1.0, 0.0), pair.at(-0.5, 0.25), release=False, steps=1)
    [(_, refused)] = pair.sent()
    assert refused["by"] == pytest.approx([0.5, 0.25], abs=0.01)
    pair.frame(TWO, seq=pair.page.evaluate("bench.link.seq"))
    pair.page.mouse.move(*pair.at(-0.5, -0.25))
    [(_, done)] = pair.sent()
    assert done["by"] == pytest.approx([0.5, -0.25], abs=0.01)
    pair.frame(np.array(TWO) + done["by"], seq=pair.page.evaluate("bench.link.seq"))
    pair.page.keyboard.press("Escape")
    pair.page.mouse.up()
    [(_, back)] = pair.sent()
    assert back["by"] == pytest.approx([-part for part in done["by"]], abs=1e-6)


@pytest.mark.requirement("M-13")
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_ball_of_a_run_in_steps_is_pulled(stage: Open, dimension: int) -> None:
    made = stage()
    made.scene([0.1], dimension=dimension)
    made.state(running=True, solving={"solver": "stepped", "has_forces": True})
    place = [0.5, 0.25, 0.1][:dimension]
    made.frame([place], running=True)
    made.sent()
    x, y = made.at(*place)
    made.drag((x, y), (x + 80, y - 40))
    commands = made.sent()
    assert {name for name, _ in commands[:-1]} == {"pull"}
    assert commands[-1] == ("release", {"index": 0})
    target = commands[-2][1]["target"]
    assert made.at(*target) == pytest.approx((x + 80, y - 40), abs=1)


def test_a_ball_of_an_exact_run_is_held_while_it_is_moved(pair: Stage) -> None:
    pair.state(running=True)
    pair.frame(TWO, running=True)
    pair.drag(pair.at(-1.0, 0.0), pair.at(-0.5, 0.25))
    names = [name for name, _ in pair.sent()]
    assert names[:2] == ["select", "hold"]
    assert names[-2:] == ["place", "unhold"]


def test_the_tip_of_the_arrow_throws(pair: Stage) -> None:
    pair.state(selected=[0])
    pair.frame(TWO, [[1.0, 0.0], [0.0, 0.0]])
    tip = pair.page.evaluate("bench.layers.tip(bench)")
    seconds = pair.page.evaluate("bench.layers.scales.velocity.value * bench.camera.scale")
    x, y = tip["handle"]
    pair.drag((x, y), (x + 30, y - 60))
    name, given = pair.sent()[-1]
    assert name == "throw"
    assert given["index"] == 0
    assert given["velocity"] == pytest.approx([1 + 30 / seconds, 60 / seconds], rel=0.02)


def test_the_handle_of_an_arrow_that_leaves_the_stage_can_be_gripped(pair: Stage) -> None:
    pair.state(selected=[0])
    pair.frame(TWO, [[40.0, 30.0], [0.0, 0.0]])
    tip = pair.page.evaluate("bench.layers.tip(bench)")
    width, height = pair.page.evaluate("[bench.camera.width, bench.camera.height]")
    x, y = tip["handle"]
    assert tip["tx"] > width
    assert 0 < x < width
    assert 0 < y < height
    assert (x - tip["x"]) / (y - tip["y"]) == pytest.approx(-40 / 30), "it is on the arrow"
    pair.drag((x, y), (x - 60, y + 20))
    name, given = pair.sent()[-1]
    seconds = pair.page.evaluate("bench.layers.scales.velocity.value * bench.camera.scale")
    assert name == "throw"
    assert given["velocity"] == pytest.approx([40 - 60 / seconds, 30 - 20 / seconds], rel=0.02)


def test_corners_of_walls_are_dragged(stage: Open) -> None:
    made = stage()
    points = [[-2, -1], [2, -1], [0, 1]]
    wall = {"kind": "loop", "points": points, "vertices": points, "solid": False, "holes": []}
    inner = [[-0.2, -0.5], [0.2, -0.5], [0, -0.2]]
    block = {"kind": "loop", "points": inner, "vertices": inner, "solid": True, "holes": []}
    made.scene([0.1], walls=[wall], obstacles=[block])
    made.state()
    made.frame([[0.0, 0.0]])
    made.drag(made.at(0.0, 1.0), made.at(0.3, 0.8))
    name, given = made.sent()[-1]
    assert (name, given["shape"], given["corner"]) == ("drag-corner", "boundary", 2)
    assert given["position"] == pytest.approx([0.3, 0.8], abs=0.01)
    made.drag(made.at(-0.2, -0.5), made.at(-0.3, -0.6))
    name, given = made.sent()[-1]
    assert (name, given["shape"], given["corner"]) == ("drag-corner", 0, 0)


@pytest.mark.requirement("M-16")
def test_the_link_tool_builds_and_links(pair: Stage) -> None:
    pair.page.evaluate("bench.tool('link')")
    pair.page.mouse.click(*pair.at(0.0, -0.5))
    [(name, given)] = pair.sent()
    assert name == "build"
    assert given["position"] == pytest.approx([0.0, -0.5], abs=0.01)
    pair.drag(pair.at(*TWO[0]), pair.at(*TWO[1]))
    assert pair.sent() == [("link", {"i": 0, "j": 1})]


@pytest.mark.requirement("M-16")
def test_a_click_by_links_builds_and_a_drag_there_launches(pair: Stage) -> None:
    places = [[-1.0, 0.0], [-0.6, 0.0]]
    pair.scene([0.05, 0.05], epoch=2, name="goo", origin=[10.0, 0.0], links=[[0, 1]])
    pair.frame(places, epoch=2)
    pair.state(selected=[0], solving={"solver": "stepped", "has_forces": True})
    pair.page.mouse.click(*pair.at(-0.8, 0.5))
    *held, (name, given) = pair.sent()
    assert held == [("hold", {}), ("unhold", {})]
    assert name == "build"
    assert given["position"] == pytest.approx([9.2, 0.5], abs=0.01)
    pair.page.mouse.click(*pair.at(1.0, 0.5))
    assert pair.sent()[-1] == ("select-none", {}), "far from any link"
    pair.drag(pair.at(-0.8, 0.5), pair.at(-0.4, 0.5))
    assert [name for name, _ in pair.sent()] == ["hold", "launch"]
    pair.page.evaluate("bench.tool('launch')")
    pair.page.mouse.click(*pair.at(-0.8, 0.5))
    assert "build" not in dict(pair.sent())


def test_wheel_zooms_about_the_pointer_and_the_right_button_pans(pair: Stage) -> None:
    x, y = pair.at(1.0, 0.5)
    scale = pair.page.evaluate("bench.camera.scale")
    pair.page.mouse.move(x, y)
    pair.page.mouse.wheel(0, -240)
    pair.page.wait_for_function(f"bench.camera.scale > 1.2 * {scale}")
    assert pair.at(1.0, 0.5) == pytest.approx((x, y), abs=0.5)
    pair.page.mouse.down(button="right")
    pair.page.mouse.move(x + 50, y + 20, steps=3)
    pair.page.mouse.up(button="right")
    assert pair.at(1.0, 0.5) == pytest.approx((x + 50, y + 20), abs=0.5)
    assert pair.sent() == []


def test_two_fingers_zoom(pair: Stage) -> None:
    scale = pair.page.evaluate(
        """() => {
          const before = bench.camera.scale;
          const finger = (name, pointerId, clientX) => bench.stage.dispatchEvent(
            new PointerEvent(name, {pointerId, pointerType: "touch", clientX, clientY: 300, bubbles: true, button: 0}));
          finger("pointerdown", 11, 400); finger("pointerdown", 12, 500);
          finger("pointermove", 12, 600);
          finger("pointerup", 11, 400); finger("pointerup", 12, 600);
          return bench.camera.scale / before;
        }"""
    )
    assert scale == pytest.approx(2.0)
    assert [name for name, _ in pair.sent()] == ["hold", "unhold"]


def test_dragging_turns_a_scene_in_three_dimensions(stage: Open) -> None:
    made = stage()
    made.scene([0.1], dimension=3)
    made.frame([[0.0, 0.0, 0.0]])
    before = made.page.evaluate("bench.camera.azimuth")
    made.drag((300, 200), (400, 200))
    assert made.page.evaluate("bench.camera.azimuth") != pytest.approx(before)
    assert made.sent() == []


# ---------------------------------------------------------------- the time line


def test_the_time_line_scrubs_by_pointer_and_by_keys(pair: Stage) -> None:
    pair.state(time=4.0, end=4.0, collision_times=[1.0, 2.0])
    line = pair.page.locator("#timeline")
    assert line.get_attribute("role") == "slider"
    area = line.bounding_box()
    pair.page.mouse.click(area["x"] + area["width"] / 2, area["y"] + 15)
    [(name, given)] = pair.sent()
    assert name == "scrub"
    assert given["time"] == pytest.approx(2.0, abs=0.02)
    pair.state(time=2.0, end=4.0, seq=1000)
    assert line.get_attribute("aria-valuenow") == "2"
    line.press("ArrowLeft")
    assert pair.sent() == [("scrub", {"time": pytest.approx(1.96)})]
    line.press("End")
    assert pair.sent() == [("to-end", {})]


def test_a_click_in_a_chart_goes_to_that_time(stage: Open) -> None:
    made = stage("charts")
    made.scene([0.1])
    made.state(time=2.0, end=2.0)
    values = [1.0, 1.0, 1.0]
    made.page.evaluate(
        "chart => give({chart})",
        {
            "reset": True,
            "time": [0, 1, 2],
            "kinetic": values,
            "potential": values,
            "total": values,
            "momentum": [[0, 0]] * 3,
            "companions": {},
        },
    )
    made.frame([[0.0, 0.0]])
    area = made.page.evaluate("bench.charts.energy.area")
    made.page.locator("#energy canvas").click(position={"x": (area["left"] + area["right"]) / 2, "y": 60})
    assert made.sent() == [("scrub", {"time": pytest.approx(1.0, abs=0.01)})]


def test_a_chart_does_not_show_rounding_at_full_height(stage: Open) -> None:
    """Momentum as that of the planets: 1e13 of 1e29 kg m/s; a true change of a millionth is seen."""
    made = stage("charts")
    made.scene([0.1])
    noise = [[1.3e13, -2e12], [-4e12, 9e12], [8e12, -7e12]]
    plain = {"time": [0, 1, 2], "companions": {}, "momentum": noise, "motion": [1e29] * 3}
    energy = {"kinetic": [5.0, 5.0 + 4e-15, 5.0 - 4e-15], "potential": [None] * 3, "total": [None] * 3}

    def ranges(**given: object) -> tuple[list[float], list[float]]:
        made.page.evaluate("chart => give({chart})", {"reset": True} | plain | energy | given)
        return made.page.evaluate("[bench.charts.momentum._range(), bench.charts.energy._range()]")

    (low, high), (least, most) = ranges()
    assert (low, high) == pytest.approx((-1e20, 1e20))
    assert (least, most) == pytest.approx((4.75, 5.25))
    (low, high), _ = ranges(momentum=[[1e23, 0.0], [2e23, 0.0], [1e23, 0.0]])
    assert 1e23 < high - low < 4e23
    (low, high), _ = ranges(momentum=[[7e28 + part[0], 7e28] for part in noise])
    assert high - low > 1e27
    (low, high), _ = ranges(momentum=[[0.0, 0.0]] * 3, motion=[0.0] * 3)
    assert (low, high) == (-1.0, 1.0)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("palette", ["plain", "safe"])
def test_curves_that_are_compared_have_colours_of_their_own(stage: Open, theme: str, palette: str) -> None:
    made = stage("charts")
    made.page.evaluate("([theme, palette]) => { bench.theme(theme); bench.palette(palette); }", [theme, palette])
    made.scene([0.1])
    others = {name: [2.0] for name in ("exact", "euler", "verlet", "pefrl")}
    one = {key: [1.0] for key in ("kinetic", "potential", "total")}
    given = {"reset": True, "time": [0.0], **one, "momentum": [[0.0, 0.0]], "companions": others}
    made.page.evaluate("chart => give({chart})", given)
    shown = made.page.evaluate("bench.charts.energy.series.map(({ colour }) => bench.colour[colour] ?? colour)")
    found = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in shown]
    assert len(found) == 7
    for k, colour in enumerate(found):
        assert all(np.linalg.norm(np.subtract(colour, other)) > 50 for other in found[:k]), shown


def test_balls_without_a_name_show_their_number(pair: Stage) -> None:
    before = pair.page.evaluate("bench.canvases.over.toDataURL()")
    pair.page.evaluate(
        """() => { window.said = [];
        const draw = bench.layers.over.fillText.bind(bench.layers.over);
        bench.layers.over.fillText = (text, ...at) => { said.push(text); draw(text, ...at); };
        bench.layer("names", true); }"""
    )
    pair.settle()
    assert {"0", "1"} <= set(pair.page.evaluate("said"))
    assert pair.page.evaluate("bench.canvases.over.toDataURL()") != before
    pair.scene([0.1, 0.1], epoch=2, names=["Anna", None])
    pair.frame(TWO, epoch=2)
    assert {"Anna", "1"} <= set(pair.page.evaluate("said.splice(0)"))


@pytest.mark.parametrize(("tool", "words"), [("walls", "There is no corner here."), ("link", "Begin on a ball")])
def test_a_tool_that_finds_nothing_says_so(pair: Stage, tool: str, words: str) -> None:
    pair.page.evaluate("tool => bench.tool(tool)", tool)
    place = pair.at(0.0, 0.0)
    pair.drag(pair.at(0.0, -0.5), pair.at(0.4, -0.7))
    assert pair.at(0.0, 0.0) == place, "the picture stays"
    notes = pair.page.evaluate("events.filter(([name]) => name === 'carom-note').map(([, note]) => note.text)")
    assert len(notes) == 1
    assert notes[0].startswith(words)
    assert pair.sent() == []


def test_curves_keep_their_names_when_others_are_compared(stage: Open) -> None:
    made = stage("charts")
    made.scene([0.1])

    def chart(times: list[float], **companions: list[float]) -> None:
        values = dict.fromkeys(("kinetic", "potential", "total"), [1.0] * len(times))
        momentum = [[0.0, 0.0]] * len(times)
        given = {"reset": False, "time": times, **values, "momentum": momentum, "companions": companions}
        made.page.evaluate("chart => give({chart})", given)

    chart([0.0, 1.0], euler=[2.0, 2.1], verlet=[3.0, 3.1])
    chart([2.0], exact=[4.0], verlet=[3.2])
    found = made.page.evaluate(
        """() => { const { series, values } = bench.charts.energy;
          return series.map(({ name }, s) => [name, values[s].map(x => isNaN(x) ? null : x)]); }"""
    )
    assert dict(found) == {
        "kinetic": [1.0] * 3,
        "potential": [1.0] * 3,
        "total": [1.0] * 3,
        "exact": [None, None, 4.0],
        "verlet": [3.0, 3.1, 3.2],
    }


# ---------------------------------------------------------------- keys


@pytest.mark.requirement("T-17", "S-09")
def test_every_key_of_the_keymap(pair: Stage) -> None:
    keyboard = pair.page.keyboard
    found, wanted = {}, {}
    for key in KEYS:
        pair.page.evaluate("bench.focus()")
        name = "+".join([*key.held, key.key])
        for held in key.held:
            keyboard.down(held)
        keyboard.press("Space" if key.key == " " else key.key)
        for held in reversed(key.held):
            keyboard.up(held)
        found[name] = pair.sent()
        wanted[name] = [] if key.command.startswith("view:") else [(key.command, key.arguments)]
        assert key.command.startswith("view:") or key.command in COMMANDS
    assert found == wanted
    heard = pair.page.evaluate("events.map(([name]) => name)")
    assert {"carom-menu", "carom-help"} <= set(heard)


@pytest.mark.requirement("T-17")
def test_control_and_arrows_move_a_flat_view_for_as_long_as_they_are_held(pair: Stage) -> None:
    pair.page.evaluate("bench.focus()")
    x, y = pair.at(0.0, 0.0)
    pair.page.keyboard.down("Control")
    for _ in range(3):
        pair.page.keyboard.down("ArrowLeft")  # the second and the third are repeats
    pair.page.keyboard.down("ArrowUp")
    pair.page.keyboard.up("Control")
    assert pair.at(0.0, 0.0) == pytest.approx((x + 3 * 48, y + 48))
    assert pair.sent() == []


@pytest.mark.requirement("T-17")
def test_control_and_arrows_turn_a_view_in_three_dimensions(stage: Open) -> None:
    made = stage()
    made.scene([0.1], dimension=3)
    made.frame([[0.0, 0.0, 0.0]])
    made.page.evaluate("bench.focus()")
    looks = "[bench.camera.azimuth, bench.camera.elevation, bench.camera.x, bench.camera.y, bench.camera.z]"
    azimuth, elevation, *middle = made.page.evaluate(looks)
    made.page.keyboard.press("Control+ArrowRight")
    made.page.keyboard.press("Control+ArrowUp")
    right, up, *after = made.page.evaluate(looks)
    assert right > azimuth
    assert up > elevation
    assert after == middle
    made.page.keyboard.press("Control+ArrowLeft")
    made.page.keyboard.press("Control+ArrowDown")
    assert made.page.evaluate(looks) == pytest.approx([azimuth, elevation, *middle])


def test_f6_leaves_the_stage(pair: Stage) -> None:
    pair.page.evaluate("bench.focus()")
    assert pair.page.evaluate("document.activeElement.id") == "stage"
    pair.page.keyboard.press("F6")
    assert pair.page.evaluate("document.activeElement.id") == "timeline"


@pytest.mark.requirement("M-13")
def test_arrows_steer_a_run(pair: Stage) -> None:
    pair.state(running=True, steering="velocity")
    pair.frame(TWO, running=True)
    pair.page.evaluate("bench.focus()")
    pair.page.keyboard.down("ArrowRight")
    pair.page.keyboard.down("ArrowUp")
    pair.page.keyboard.up("ArrowRight")
    pair.page.keyboard.up("ArrowUp")
    assert [given["direction"] for _, given in pair.sent()] == [[1, 0], [1, 1], [0, 1], [0, 0]]


@pytest.mark.requirement("M-13")
@pytest.mark.parametrize(("gravity", "upward"), [([0, -9.8, 0], [0, 1, 0]), ([0, 0, 9.8], [0, 0, -1])])
def test_the_arrow_up_steers_against_gravity_in_space(stage: Open, gravity: list[float], upward: list[int]) -> None:
    made = stage()
    made.scene([0.1], dimension=3, gravity=gravity)
    made.state(running=True, steering="acceleration")
    made.frame([[0.0, 0.0, 0.0]], running=True)
    made.page.evaluate("bench.focus()")
    made.page.keyboard.press("ArrowUp")
    assert made.sent()[0] == ("steer", {"direction": upward})


# ---------------------------------------------------------------- pictures


def test_a_picture_and_a_film_are_saved(pair: Stage) -> None:
    with pair.page.expect_download() as got:
        pair.page.evaluate("void bench.png()")
    assert got.value.suggested_filename == "test.png"
    pair.page.evaluate("bench.record(true)")
    for k in range(4):
        pair.frame(np.array(TWO) + 0.02 * k)
        pair.page.wait_for_timeout(60)
    with pair.page.expect_download() as got:
        pair.page.evaluate("void bench.record(false)")
    assert got.value.suggested_filename == "test.webm"


def test_it_goes_without_a_trace(pair: Stage) -> None:
    pair.page.evaluate("bench.destroy()")
    pair.page.keyboard.press("Space")
    assert pair.page.locator("#stage canvas").count() == 0
    assert pair.sent() == []
