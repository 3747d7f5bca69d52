"""The real laboratory in each language, theme and size: words, names for screen readers, and no motion if so wished."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

import carom.lab.texts
from browser.conftest import DESKTOP, PHONE, Visitor
from browser.workbench import Workbench

TEXTS = Path(carom.lab.texts.__file__).parent
TABS = ("ball", "balls", "meters", "collisions", "options", "view")
DIALOGS = ("menu", "help", "share", "calibrate")


@pytest.mark.parametrize(
    ("language", "dark", "size"), [("en", False, DESKTOP), ("pl", True, DESKTOP), ("ru", False, PHONE)]
)
def test_each_control_has_a_name_and_no_word_is_missing(
    visit: Visitor, language: str, dark: bool, size: tuple[int, int]
) -> None:
    page = visit("/bench?scene=oblique", size, dark=dark, locale=language, has_touch=size == PHONE)
    bench = Workbench(page)
    words = json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))
    assert page.evaluate("document.documentElement.lang") == language
    assert page.evaluate("document.documentElement.dataset.theme") == ("dark" if dark else "light")
    assert page.locator("#stage").get_attribute("aria-label") == words["stage.label"]
    bench.do("select", indices=[0])
    for name in TABS:
        bench.tab(name)
        expect(page.locator(f"#panel-{name}")).to_be_visible()
        assert page.locator(f"#tab-{name}").inner_text().strip().lower() == words[f"tab.{name}"].lower()
        assert bench.nameless() == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for name in DIALOGS:
        page.evaluate("name => name === 'calibrate' ? caromShell.calibrate() : caromShell.open(name)", name)
        expect(page.locator(f"#dialog-{name}")).to_be_visible()
        assert bench.nameless() == [], name
        page.evaluate("name => caromShell.close(name)", name)
    keys = page.evaluate(
        """known => [...document.querySelectorAll("body *")].filter((e) => !e.children.length)
        .flatMap((e) => [e.textContent.trim(), e.title, e.getAttribute("aria-label")])
        .filter((text) => known.includes(text))""",
        list(words),
    )
    assert keys == [], "keys of words in place of words"


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_the_gallery_names_everything(visit: Visitor, language: str) -> None:
    page = visit("/", locale=language)
    expect(page.locator("[data-scene]").first).to_be_visible()
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "link", "textbox", "searchbox", "combobox", "image"}
    found = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
    assert len(found) > 30
    assert [node for node in found if not node.get("name", {}).get("value", "").strip()] == []


def test_who_wants_no_motion_sees_none(visit: Visitor) -> None:
    page = visit("/bench?scene=oblique", reduced_motion="reduce")
    bench = Workbench(page)
    assert page.evaluate("carom.still") is True
    page.evaluate("carom.zoom(3)")
    page.evaluate("carom.fit()")
    assert page.evaluate("carom.camera.flight") is None
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((e) => {
          const { transitionDuration: t, animationDuration: a, animationName: n } = getComputedStyle(e);
          if (Math.max(...t.split(",").map(parseFloat)) > 0.05) return true;
          return n !== "none" && parseFloat(a) > 0.05 && e.getClientRects().length;
        }).map((e) => e.className)"""
    )
    assert moving == []
    bench.press(" ")
    bench.until("carom.frame.time > 0.05")


def test_the_theme_is_the_stages_too(visit: Visitor) -> None:
    page = visit("/bench?scene=oblique", dark=True)
    Workbench(page)
    dark = page.evaluate("carom.colour.ground")
    page.get_by_role("button", name="Light or dark").first.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate("carom.colour.ground") != dark
