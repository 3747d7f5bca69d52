"""The hand in the real laboratory: launching, dragging, pulling, building, typing; the past; and undo of it all."""

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.workbench import Workbench

expect.set_options(timeout=30_000)


def undone(bench: Workbench, before: object, after: object, look: str) -> None:
    """Undo brings back what was, and redo what came of it."""
    bench.press("z", "Control")
    assert bench.page.evaluate(look) == before
    bench.press("y", "Control")
    assert bench.page.evaluate(look) == after


# By the mouse.


@pytest.mark.requirement("S-05", "S-09", "T-03")
def test_press_drag_release_launches_and_time_is_held_meanwhile(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.do("run")
    workbench.until("carom.frame.time > 0.05")
    x, y = workbench.at(0.03, 0.03)
    with workbench.dragging((x, y), (x + 50, y - 30)):
        workbench.until("carom.state.held && carom.frame.held && carom.hand.aim.value > 0")
        began = workbench.page.evaluate("carom.frame.time")
        expect(workbench.page.locator("#strip")).to_be_visible()
        workbench.page.wait_for_timeout(150)
        assert workbench.page.evaluate("carom.frame.time") == began
    workbench.until("carom.frame.count === 3 && !carom.state.held && carom.state.running")
    workbench.until("began => carom.frame.time > began", began)
    assert workbench.state("selected") == [2]
    vx, vy = workbench.state("inspector.velocity")
    assert vx / abs(vy) == pytest.approx(50 / 30, rel=0.05)
    workbench.press("z", "Control")
    assert workbench.count() == 2


@pytest.mark.requirement("S-05")
def test_throws_have_one_scale_whatever_moves_already(workbench: Workbench) -> None:
    """Equal drags give equal speeds, and a longer one more, also beside a very fast or a very slow ball."""
    workbench.open("empty")
    area = workbench.page.locator("#stage").bounding_box()
    x, y = area["x"] + 0.3 * area["width"], area["y"] + 0.25 * area["height"]
    per_pixel = []
    for k, pixels in enumerate((9, 9, 150, 100, 9, 200)):
        place = (x, y + 35 * k)
        workbench.drag(place, (place[0] + pixels, place[1]))
        assert workbench.count() == k + 1
        per_pixel.append(workbench.state("inspector.speed") / pixels)
        if k == 2:
            workbench.do("change", index=0, field="vx", value=500.0)
    assert per_pixel == pytest.approx([per_pixel[0]] * 6, rel=1e-3)
    tip = workbench.page.evaluate("carom.layers.tip(carom)")
    assert tip["tx"] - tip["x"] == pytest.approx(200, abs=1.0), "the arrow of the new ball is the one that was drawn"


@pytest.mark.requirement("S-08", "S-05")
def test_a_satellite_is_launched_with_the_mouse(workbench: Workbench) -> None:
    workbench.open("satellite")
    area = workbench.page.locator("#stage").bounding_box()
    x, y = area["x"] + 0.75 * area["width"], area["y"] + area["height"] / 2
    workbench.drag((x, y), (x, y - 60))
    assert workbench.count() == 3
    vx, vy = workbench.state("inspector.velocity")
    assert vy > abs(vx)


@pytest.mark.requirement("T-04")
def test_a_ball_is_dragged(workbench: Workbench) -> None:
    workbench.open("oblique")
    look = "Array.from(carom.frame.positions)"
    before = workbench.page.evaluate(look)
    x, y = workbench.ball(0)
    workbench.drag((x + 2, y), (x + 2, y + 40))
    assert workbench.ball(0) == pytest.approx((x, y + 40), abs=1.0)
    undone(workbench, before, workbench.page.evaluate(look), look)


@pytest.mark.requirement("T-04")
def test_the_tip_of_the_arrow_is_dragged(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.do("select", indices=[0])
    workbench.until("carom.frame.velocities")
    look = "carom.state.inspector.velocity"
    before = workbench.page.evaluate(look)
    x, y = workbench.page.evaluate(
        """() => { const area = carom.stage.getBoundingClientRect(), { handle } = carom.layers.tip(carom);
        return [area.left + handle[0], area.top + handle[1]]; }"""
    )
    workbench.drag((x, y), (x, y - 50))
    after = workbench.page.evaluate(look)
    assert after[0] == pytest.approx(before[0])
    assert (before[1] - after[1] if workbench.scene("y_down") else after[1] - before[1]) > 0.01
    assert workbench.state("can_undo") == "throw"
    undone(workbench, before, after, look)


def test_a_corner_of_the_walls_is_dragged(workbench: Workbench) -> None:
    workbench.open("polygon-table")
    look = """() => { const { walls, origin } = carom.scene;
      return walls.find((wall) => wall.kind === "loop").vertices.map((v) => v.map((p, k) => p + origin[k])); }"""
    before = workbench.page.evaluate(look)
    x, y = workbench.at(*before[0])
    middle = np.mean([workbench.at(*corner) for corner in before], axis=0)
    out = np.sign(np.array([x, y]) - middle) * 14
    workbench.drag((x, y), (x + out[0], y + out[1]))
    after = workbench.page.evaluate(look)
    assert after[0] != before[0]
    assert after[1:] == before[1:]
    assert workbench.at(*after[0]) == pytest.approx((x + out[0], y + out[1]), abs=1.5)
    undone(workbench, before, after, look)


def test_a_box_selects_many(workbench: Workbench) -> None:
    workbench.open("break")
    places = np.array([workbench.ball(k) for k in range(15)])
    (left, top), (right, bottom) = places.min(axis=0) - 12, places.max(axis=0) + 12
    workbench.keyboard.down("Shift")
    with workbench.dragging((left, top), (right, bottom)):
        workbench.until("carom.hand.box")
    workbench.keyboard.up("Shift")
    assert workbench.state("selected") == list(range(15))


@pytest.mark.requirement("M-13")
@pytest.mark.parametrize(
    ("name", "parameters", "ball"), [("rope", {}, 61), ("cloth-on-a-ball", {"points": 9}, 0)], ids=["2D", "3D"]
)
def test_a_body_of_a_running_scene_is_pulled(workbench: Workbench, name: str, parameters: dict, ball: int) -> None:
    workbench.open(name, **parameters)
    workbench.do("speed", factor=0.01)  # so that it is still there when the hand comes
    workbench.do("run")
    workbench.until("carom.frame.running && carom.frame.time > 0")
    x, y = workbench.ball(ball)
    to = (x - 60, y - 60)
    with workbench.dragging((x, y), to):
        workbench.until("carom.hand.spring")
        workbench.page.evaluate("void carom.send('speed', {factor: 1})")
        nearer = """([ball, x, y]) => { const area = carom.stage.getBoundingClientRect(), d = carom.frame.dimension;
          const [px, py] = carom.camera.project(...carom.frame.positions.subarray(d * ball, d * ball + d));
          return Math.hypot(area.left + px - x, area.top + py - y) < 50; }"""
        workbench.until(nearer, [ball, *to])
        assert workbench.state("running")
    workbench.do("pause")
    assert workbench.page.evaluate("carom.hand.spring") is None


@pytest.mark.requirement("M-13")
@pytest.mark.parametrize("mode", ["velocity", "acceleration"])
def test_arrow_keys_steer(workbench: Workbench, mode: str) -> None:
    workbench.open("soft-body")
    workbench.tab("options")
    workbench.field("steering").select_option(mode)
    workbench.until("mode => carom.state.steering === mode", mode)
    workbench.do("select", indices=[0])
    workbench.do("run")
    workbench.until("carom.frame.running")
    workbench.page.evaluate("carom.focus()")
    workbench.keyboard.down("ArrowRight")
    workbench.until("carom.state.inspector.velocity[0] > 0.02")
    workbench.keyboard.up("ArrowRight")
    workbench.do("pause")
    workbench.do("steering", mode="place")
    assert workbench.state("message") is None or workbench.state("message")["kind"] != "error"


@pytest.mark.requirement("M-16")
def test_a_click_builds_a_link_of_goo(workbench: Workbench) -> None:
    workbench.open("goo-tower")
    count, links = workbench.count(), len(workbench.scene("links"))
    places = np.array(workbench.places()).reshape(-1, 2)
    highest = places[places[:, 1].argmax()] if not workbench.scene("y_down") else places[places[:, 1].argmin()]
    x, y = workbench.at(*highest)
    workbench.tab("view")
    workbench.field("view.tool").select_option("link")
    try:
        workbench.mouse.click(x + 6, y - 22)
        workbench.until("count => carom.frame.count === count + 1", count)
        workbench.settled()
        assert len(workbench.scene("links")) > links
        workbench.do("run")
        workbench.until("carom.frame.time > 0.05")
    finally:
        workbench.field("view.tool").select_option("auto")
    workbench.do("pause")
    workbench.page.evaluate("carom.focus()")
    workbench.press("z", "Control")
    assert workbench.count() == count


# By typing.


@pytest.mark.requirement("T-04", "T-05", "S-11")
@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [("x", "5", "0.05"), ("vy", "quick", "0.3"), ("mass", "-1", "0.5"), ("radius", "9", "0.002")],
)
def test_the_inspector_refuses_beside_the_field_and_nothing_is_lost(
    workbench: Workbench, name: str, bad: str, good: str
) -> None:
    workbench.open("oblique")
    workbench.tab("ball")
    workbench.do("select", indices=[0])
    box, wrong = workbench.field(f"ball.{name}"), workbench.wrong(f"ball.{name}")
    look = "({...carom.state.inspector, next_collision: null})"
    before = workbench.page.evaluate(look)
    true = {"x": before["position"][0], "vy": before["velocity"][1], **before}[name]
    shown = f"document.querySelector(\"input[data-live='ball.{name}']\").value"
    workbench.until(f"{shown} !== '' && Math.abs(Number({shown}) - {true}) <= 1e-6 * Math.abs({true})")
    was = box.input_value()
    box.fill(bad)
    box.press("Enter")
    expect(wrong).not_to_be_empty()
    assert box.input_value() == bad, "what was typed stays, to be mended"
    assert workbench.page.evaluate(look) == before
    box.fill(good)
    box.press("Enter")
    expect(wrong).to_be_empty()
    workbench.until("carom.state.can_undo === 'change-selected'")
    after = workbench.page.evaluate(look)
    assert after != before
    workbench.page.evaluate("carom.focus()")
    expect(box).to_have_value(good)
    undone(workbench, before, after, look)
    workbench.press("z", "Control")
    expect(box).to_have_value(was)


@pytest.mark.requirement("T-04", "T-05")
def test_the_table_refuses_and_the_number_comes_back_when_it_is_left(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.tab("balls")
    mass = workbench.page.get_by_label("Mass of ball 1")
    expect(mass).not_to_have_value("")
    was = mass.input_value()
    mass.fill("-3")
    mass.press("Enter")
    expect(workbench.wrong("balls")).to_contain_text("-3 is negative")
    expect(mass).to_have_attribute("aria-invalid", "true")
    assert workbench.state("can_undo") == "open"
    mass.fill("0.07")
    mass.press("Enter")
    workbench.until("carom.scene.masses[1] === 0.07")
    expect(workbench.wrong("balls")).to_be_empty()
    expect(mass).not_to_have_attribute("aria-invalid", "true")
    workbench.page.evaluate("carom.focus()")
    workbench.press("z", "Control")
    expect(mass).to_have_value(was)
    mass.fill("nonsense")
    mass.press("Tab")
    expect(workbench.wrong("balls")).not_to_be_empty()
    radius = workbench.page.get_by_label("Radius of ball 1")
    radius.fill("0.001")
    radius.press("Enter")
    expect(workbench.wrong("balls")).to_be_empty()
    expect(mass).to_have_value(was)


# Time.


def test_scrubbing_back_running_on_and_branching(workbench: Workbench) -> None:
    workbench.open("break")
    workbench.do("run")
    workbench.until("carom.frame.time > 0.5")
    workbench.do("pause")
    end, last = workbench.state("end"), workbench.places()
    area = workbench.page.locator("#timeline").bounding_box()
    workbench.mouse.click(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    workbench.until("carom.frame.past && carom.state.time < 0.7 * carom.state.end")
    workbench.settled()
    assert workbench.state("end") == end
    workbench.page.locator("#strip").get_by_role("button", name="Back to now").click()
    workbench.until("!carom.frame.past && carom.state.time === carom.state.end")
    assert workbench.places() == last, "the same bits"
    workbench.page.evaluate("carom.focus()")
    workbench.press("Home")
    assert workbench.state("time") == 0.0
    workbench.press(" ")
    workbench.until("carom.frame.time > 0.1")
    workbench.press(" ")
    assert workbench.state("end") == end, "the same way again"
    middle = workbench.state("time")
    workbench.press("Tab")
    workbench.press("+", "x")
    assert workbench.state("end") == workbench.state("time") == middle, "another way on"
    workbench.press("z", "Control")
    assert workbench.state("end") == end
    workbench.press("End")
    assert workbench.places() == last


def test_collisions_forward_and_back_and_the_table_leads_to_them(workbench: Workbench) -> None:
    workbench.open("central-horizontal")
    page = workbench.page
    times = []
    for k in range(1, 4):
        page.get_by_role("button", name="Next collision").click()
        workbench.until("k => carom.state.meters.collisions >= k && carom.frame.time === carom.state.time", k)
        times.append(workbench.state("time"))
    assert times == sorted(times)
    page.get_by_role("button", name="Previous collision").click()
    workbench.until("last => carom.state.time < last", times[-1])
    workbench.tab("collisions")
    button = page.locator("#panel-collisions [data-time]").last
    first = float(button.get_attribute("data-time"))
    button.click()
    workbench.until("first => carom.state.time === first", first)
    assert first == pytest.approx(min(workbench.state("collision_times")))
    page.get_by_role("button", name="Restart", exact=True).first.click()
    workbench.until("carom.state.end === 0 && carom.state.time === 0")


def test_speed_is_by_the_slider_and_by_keys(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.page.locator("#speed").fill("-2")
    workbench.until("carom.state.speed === 0.01")
    workbench.page.evaluate("carom.focus()")
    workbench.press("]")
    assert workbench.state("speed") == 0.02
    expect(workbench.page.locator("#speed")).to_have_value("-1.7")
    expect(workbench.page.locator("[data-live='speed.value']")).to_have_text("0.02\u202f×")


@pytest.mark.requirement("T-15", "T-16", "S-11")
def test_what_is_shown_live(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.tab("meters")
    shown = workbench.page.locator("[data-live='meter.collisions']")
    expect(shown).to_have_text("0")
    expect(workbench.page.locator("[data-live='meter.next.0']")).to_contain_text("0 · 1")
    expect(workbench.page.locator("[data-live='meter.kinetic']")).to_contain_text("J")
    assert sorted(workbench.page.evaluate("Array.from(carom.frame.marks)")) == [0, 1]
    workbench.do("collision")
    expect(shown).to_have_text("1")
    workbench.tab("ball")
    workbench.do("select", indices=[0])
    for name in ("speed", "force", "momentum", "kinetic", "age", "last", "next"):
        expect(workbench.page.locator(f"[data-live='ball.read.{name}']")).not_to_be_empty()
    expect(workbench.page.locator("[data-live='ball.read.last']")).to_contain_text("1")
