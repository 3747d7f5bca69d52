"""The stage in the real laboratory: the hand, the run and the past, through the socket and back."""

import pytest
from playwright.sync_api import Page

from browser.conftest import Visitor

READY = "window.carom?.frame && carom.state && carom.frame.epoch === carom.scene.epoch"


@pytest.fixture
def table(visit: Visitor) -> Page:
    """The break, paused."""
    page = visit("/bench?scene=break")
    page.wait_for_function(READY)
    page.evaluate("carom.send('pause')")
    page.wait_for_function("!carom.state.running")
    page.evaluate("carom.focus()")
    return page


def place_of(page: Page, ball: int) -> tuple[float, float]:
    """Where a ball is on the page."""
    script = """i => {
      const area = carom.stage.getBoundingClientRect();
      const [x, y] = carom.camera.project(carom.frame.positions[2 * i], carom.frame.positions[2 * i + 1]);
      return [area.left + x, area.top + y];
    }"""
    x, y = page.evaluate(script, ball)
    return x, y


@pytest.mark.requirement("T-06")
def test_space_runs_and_stops(table: Page) -> None:
    table.keyboard.press("Space")
    table.wait_for_function("carom.frame.running && carom.frame.time > 0.05")
    table.keyboard.press("Space")
    table.wait_for_function("!carom.frame.running")


@pytest.mark.requirement("S-05", "T-03")
def test_a_ball_is_launched_with_the_mouse_and_taken_back(table: Page) -> None:
    before = table.evaluate("carom.frame.count")
    area = table.locator("#stage").bounding_box()
    x, y = area["x"] + area["width"] / 2, area["y"] + 0.8 * area["height"]
    table.mouse.move(x, y)
    table.mouse.down()
    table.mouse.move(x + 60, y - 20, steps=4)
    table.wait_for_function("carom.state.held")
    table.mouse.up()
    table.wait_for_function(f"carom.frame.count === {before + 1} && !carom.state.held")
    table.keyboard.press("Control+z")
    table.wait_for_function(f"carom.frame.count === {before}")


@pytest.mark.requirement("T-04", "T-16")
def test_a_ball_is_picked_and_dragged(table: Page) -> None:
    table.mouse.click(*place_of(table, 0))
    table.wait_for_function("carom.selected.length === 1 && carom.selected[0] === 0")
    x, y = place_of(table, 0)
    table.mouse.move(x, y)
    table.mouse.down()
    table.mouse.move(x, y - 60, steps=5)
    table.mouse.up()
    table.wait_for_function(
        "wanted => Math.abs(carom.camera.project(carom.frame.positions[0], carom.frame.positions[1])[1] - wanted) < 2",
        arg=table.evaluate("y => y - carom.stage.getBoundingClientRect().top", y - 60),
    )


def test_the_past_is_seen_again(table: Page) -> None:
    table.keyboard.press("Space")
    table.wait_for_function("carom.frame.time > 0.4")
    table.keyboard.press("Space")
    table.wait_for_function("!carom.frame.running")
    area = table.locator("#timeline").bounding_box()
    table.mouse.click(area["x"] + area["width"] / 3, area["y"] + area["height"] / 2)
    table.wait_for_function("carom.frame.past && carom.frame.time < 0.6 * carom.state.end")
    table.evaluate("carom.focus()")
    table.keyboard.press("End")
    table.wait_for_function("!carom.frame.past")
