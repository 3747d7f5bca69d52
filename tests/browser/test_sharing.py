"""What leaves the real laboratory and comes back: files, links, pictures, tables."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Visitor
from browser.workbench import Workbench
from carom import library
from carom.scene.io.files import dumps

DROP = """text => {
  const files = new DataTransfer();
  files.items.add(new File([text], "again.toml"));
  dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
}"""


def looks(bench: Workbench) -> dict[str, Any]:
    """All that a file should keep."""
    names = ("radii", "masses", "fixed", "links", "walls", "obstacles", "gravity", "dimension")
    energy = {name: bench.state(f"meters.{name}") for name in ("kinetic", "potential")}
    return {"places": bench.places(), **{name: bench.scene(name) for name in names}, **energy}


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same state, but for places, which frames carry in single precision."""
    assert other.pop("places") == pytest.approx(one.pop("places"), rel=1e-5, abs=1e-6)
    for name in ("kinetic", "potential"):
        assert other.pop(name) == pytest.approx(one.pop(name), rel=1e-9)
    assert other == one


def made(bench: Workbench) -> None:
    """A state of its own: edited, run for a while, paused."""
    bench.open("gravity-field")
    bench.do("add", position=[300.0, 300.0], velocity=[20.0, 0.0])
    bench.do("option", name="restitution_walls", value=0.8)
    bench.do("run")
    bench.until("carom.frame.time > 0.2")
    bench.do("pause")


def arrived(page: Page) -> Workbench:
    page.wait_for_url(re.compile(r"/bench\?ticket="))
    bench = Workbench(page)
    bench.until("carom.frame.epoch === carom.scene.epoch")
    return bench


def test_what_is_saved_and_dropped_again_is_the_same_state(workbench: Workbench, shared: Visitor) -> None:
    made(workbench)
    before = looks(workbench)
    page = workbench.page
    page.keyboard.press("Escape")
    with page.expect_download() as got:
        page.get_by_role("link", name="Save as a file").click()
    text = Path(got.value.path()).read_text(encoding="utf-8")
    page.get_by_role("button", name="Resume").click()
    other = shared("/")
    expect(other.locator("[data-scene]").first).to_be_visible()
    other.evaluate(DROP, text)
    same(before, looks(arrived(other)))
    other.context.close()


def test_a_link_holds_the_whole_state(workbench: Workbench, shared: Visitor) -> None:
    made(workbench)
    before = looks(workbench)
    page = workbench.page
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share a link").click()
    expect(page.locator("#share-link")).to_have_value(re.compile("#scene="))
    address = page.locator("#share-link").input_value()
    page.keyboard.press("Escape")
    other = shared("/" + address.partition("/#")[1].removeprefix("/") + address.partition("/#")[2])
    same(before, looks(arrived(other)))
    other.context.close()


def test_a_picture_and_a_table_are_exported(workbench: Workbench) -> None:
    workbench.open("central-horizontal")
    workbench.do("collision")
    page = workbench.page
    page.keyboard.press("Escape")
    with page.expect_download() as got:
        page.get_by_role("button", name="Picture (PNG)").click()
    picture = Path(got.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") == page.evaluate("carom.canvases.over.width")
    page.keyboard.press("Escape")
    with page.expect_download() as got:
        page.get_by_role("link", name="Collisions (CSV)").click()
    head, *rows = Path(got.value.path()).read_text(encoding="utf-8").splitlines()
    assert head.startswith("time_s,kind")
    assert len(rows) == workbench.state("meters.collisions")
    assert float(rows[0].split(",")[0]) == workbench.state("collision_times")[0]
    page.get_by_role("button", name="Resume").click()


def test_a_file_can_be_dropped_on_a_bench(workbench: Workbench, shared: Visitor) -> None:
    page = shared("/bench?scene=oblique")
    Workbench(page)
    page.evaluate(DROP, "balls = 3\n")
    expect(page.locator("#toast")).to_contain_text("again.toml")
    page.evaluate(DROP.replace("again.toml", "again.json"), dumps(library.load("three-bodies"), "json"))
    assert arrived(page).count() == 3
    page.context.close()
