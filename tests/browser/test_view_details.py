"""Details of the stage: tiny bodies are round, up is up, who attracts leaves traces, keys show the focus."""

from collections.abc import Iterator

import pytest

from browser.conftest import PHONE, Tabs
from browser.stage import Stage, files
from carom.lab.commands.keymap import keymap

INKED = """([x, y, reach]) => {
  bench._draw(performance.now());
  const {balls} = bench.canvases, sheet = document.createElement("canvas"), size = Math.round(2 * reach * bench.ratio);
  sheet.width = sheet.height = size;
  const c = sheet.getContext("2d");
  c.drawImage(balls, -Math.round((x - reach) * bench.ratio), -Math.round((y - reach) * bench.ratio));
  const data = c.getImageData(0, 0, size, size).data, rows = [];
  for (let k = 0; k < size * size; k += 1) if (data[4 * k + 3] > 127) rows.push([k % size, Math.floor(k / size)]);
  return rows;
}"""
"""Points of the canvas about a place that are covered."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with files() as one:
        yield one


@pytest.mark.parametrize("ratio", [1, 2, 3])
@pytest.mark.parametrize("dimension", [2, 3])
def test_tiny_bodies_are_round_at_any_density(tabs: Tabs, address: str, dimension: int, ratio: int) -> None:
    """Planets, a hundred thousand times smaller than their orbits, on a phone."""
    made = Stage(tabs.new(PHONE, device_scale_factor=ratio), address)
    far = [[0.0, 0.0, 0.0], [3.0e12, 1.0e12, 1.0e10], [-4.0e12, 2.0e12, -3.0e10]]
    bounds = [[-5.0e12] * dimension, [5.0e12] * dimension]
    made.scene([7.0e8, 2.0e6, 0.0], dimension=dimension, bounds=bounds, attraction=True)
    made.state()
    places = [place[:dimension] for place in far]
    made.frame(places)
    for place in places:
        inked = made.page.evaluate(INKED, [*made.at(*place), 12])
        wide, tall = (max(each) - min(each) + 1 for each in zip(*inked, strict=True))
        assert wide >= 3 * ratio, "seen at all"
        assert abs(wide - tall) <= 2, "each edge may fall half a pixel in or out"
        assert len(inked) == pytest.approx(3.1416 / 4 * wide * tall, rel=0.2), "a disc, no wedge"


def test_up_is_up_also_where_y_counts_downwards(tabs: Tabs, address: str) -> None:
    made = Stage(tabs.new(), address, keymap=keymap())
    for down, steps in ((False, 1), (True, -1)):
        made.scene([0.1], y_down=down)
        made.state(selected=[0])
        made.frame([[0.0, 0.0]])
        made.sent()
        made.page.focus("#stage")
        made.page.keyboard.press("ArrowUp")
        assert made.sent() == [("nudge", {"field": "y", "steps": steps})]


def test_who_attracts_leaves_a_trace_unless_a_person_wishes_otherwise(tabs: Tabs, address: str) -> None:
    made = Stage(tabs.new(), address)
    shown = "bench.shown().trace"
    made.scene([0.1, 0.1])
    assert made.page.evaluate(shown) is False
    made.scene([0.1, 0.1], name="planets", attraction=True, epoch=2)
    assert made.page.evaluate(shown) is True
    made.page.evaluate("bench.layer('trace', false)")
    made.scene([0.1, 0.1], name="moons", attraction=True, epoch=3)
    assert made.page.evaluate(shown) is False


def test_corners_name_the_obstacle_not_the_shape(tabs: Tabs, address: str) -> None:
    made = Stage(tabs.new(), address)
    loop = {"kind": "loop", "solid": True, "holes": []}
    one = loop | {"points": [[0, 0], [0.5, 0], [0, 0.5]], "vertices": [[0, 0], [0.5, 0], [0, 0.5]], "of": 3}
    made.scene([0.1], obstacles=[one])
    made.state()
    made.frame([[-1.5, 0.5]])
    made.page.evaluate("bench.tool('walls')")
    made.sent()
    x, y = made.at(0.5, 0.0)
    made.drag((x, y), (x + 30, y))
    sent = [arguments for name, arguments in made.sent() if name == "drag-corner"]
    assert {(each["shape"], each["corner"]) for each in sent} == {(3, 1)}


def test_the_focus_is_shown_to_who_uses_keys_only(tabs: Tabs, address: str) -> None:
    made = Stage(tabs.new(), address)
    ring = "document.querySelector('#stage').matches('.carom-by-key')"
    made.page.evaluate("bench.focus()")
    assert made.page.evaluate(ring) is False, "put there for a person who has done nothing yet"
    made.page.evaluate("document.activeElement.blur()")
    made.page.keyboard.press("Shift")
    made.page.evaluate("bench.focus()")
    assert made.page.evaluate(ring) is True


def test_real_size_without_calibration_asks_the_shell_for_it(tabs: Tabs, address: str) -> None:
    made = Stage(tabs.new(), address, keymap=keymap())
    made.scene([0.1])
    asked = made.page.evaluate("""new Promise(done => {
      bench.stage.addEventListener("carom-local", event => done(event.detail.name));
      bench.local("real-size");
    })""")
    assert asked == "calibrate"
    made.page.evaluate("bench.calibrate(40)")
    made.page.evaluate("bench.local('real-size')")
    made.page.wait_for_function("Math.abs(bench.camera.scale - 4000) < 1")
