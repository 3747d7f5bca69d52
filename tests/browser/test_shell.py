"""The shell in a real Chromium: gallery, bench, languages, themes, sizes, and everything by the keyboard."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import PHONE
from carom import library
from carom.scene.io.files import dumps

expect.set_options(timeout=30_000)

NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, select, [role=slider]')].filter(e => {
  const labels = [...(e.labels ?? [])].map(l => l.textContent).join('');
  return !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || labels.trim() || e.textContent.trim());
}).map(e => e.outerHTML.slice(0, 120))"""


def ready(page: Page) -> Page:
    """A bench whose stage has drawn and whose words are there."""
    page.wait_for_function("() => window.carom?.frame && document.querySelector('#time')?.textContent")
    return page


def text(page: Page, key: str) -> str:
    """What is shown for a key."""
    return page.locator(f"[data-live='{key}']").first.text_content() or ""


# Gallery.


def test_the_gallery_shows_every_scene_with_its_picture(visit):
    page = visit("/")
    expect(page.locator("[data-scene]")).to_have_count(len(library.names()))
    titles = page.locator(".group h3").all_text_contents()
    assert titles == ["Collisions", "Gravity field", "Planets", "Springs and cloth", "Gases and chaos", "Empty"]
    picture = page.locator("[data-scene='break'] img.only-light")
    expect(picture).to_be_visible()
    page.wait_for_function("() => document.querySelector('[data-scene=break] img.only-light').naturalWidth > 0")
    assert not page.locator("[data-scene='break'] img.only-dark").is_visible()
    assert page.evaluate(NAMELESS) == []


@pytest.mark.requirement("S-10")
def test_an_entry_lights_up_under_the_pointer_and_under_the_focus(visit):
    page = visit("/", reduced_motion="reduce")
    card = page.locator("[data-scene='oblique'] .card-link")
    look = "e => getComputedStyle(e).borderColor + getComputedStyle(e).backgroundColor"
    before = card.evaluate(look)
    card.hover()
    assert card.evaluate(look) != before
    page.mouse.move(0, 0)
    assert card.evaluate(look) == before
    page.locator("#search").focus()
    for _ in range(5):
        page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "card-link"


def test_a_search_leaves_what_fits(visit):
    page = visit("/")
    page.locator("#search").fill("SPRAY water")
    expect(page.locator("[data-scene]:visible")).to_have_count(1)
    expect(page.locator("[data-scene='water-on-cloth']")).to_be_visible()
    page.locator("#search").fill("xyzzy")
    expect(page.locator("[data-nothing]")).to_be_visible()
    page.locator("#search").fill("")
    expect(page.locator("[data-scene]:visible")).to_have_count(len(library.names()))


@pytest.mark.requirement("T-05")
def test_parameters_of_a_generator(visit):
    page = visit("/")
    page.locator("[data-scene='newtons-cradle'] .card-more").click()
    count = page.locator("#field-parameter-count")
    count.fill("many")
    count.press("Enter")
    expect(page.locator("[data-wrong='parameter.count']")).to_contain_text("is no number")
    count.fill("7")
    count.press("Enter")
    page.wait_for_url(re.compile(r"/bench\?scene=newtons-cradle&count=7"))
    ready(page)
    assert page.evaluate("() => carom.frame.count ?? carom.scene.radii.length") == 7


def test_a_file_is_opened_and_a_bad_one_gets_one_clear_line(visit, tmp_path: Path):
    page = visit("/")
    bad = tmp_path / "bad.toml"
    bad.write_text("balls = 3\n")
    page.locator("#file").set_input_files(bad)
    expect(page.locator("#toast")).to_contain_text("bad.toml")
    good = tmp_path / "good.toml"
    good.write_text(dumps(library.load("three-bodies"), "toml"))
    page.locator("#file").set_input_files(good)
    page.wait_for_url(re.compile(r"/bench\?ticket="))
    ready(page)
    assert page.evaluate("() => carom.scene.radii.length") == 3


def test_a_file_can_be_dropped(visit):
    page = visit("/")
    expect(page.locator("[data-scene]").first).to_be_visible()
    scene = json.dumps(dumps(library.load("oblique"), "toml"))
    page.evaluate(
        f"""() => {{
          const files = new DataTransfer();
          files.items.add(new File([{scene}], "mine.toml"));
          dispatchEvent(new DragEvent("drop", {{ dataTransfer: files, cancelable: true }}));
        }}"""
    )
    page.wait_for_url(re.compile(r"/bench\?ticket="))
    ready(page)
    assert page.evaluate("() => carom.scene.radii.length") == 2


# Languages and themes.


def test_the_language_is_the_browsers_at_first_and_then_the_chosen_one(visit):
    page = visit("/", locale="pl-PL")
    expect(page.locator("h1")).to_have_text("Laboratorium carom")
    assert page.evaluate("() => document.documentElement.lang") == "pl"
    page.locator("[data-language]").select_option("ru")
    expect(page.locator("h1")).to_have_text("Лаборатория carom")
    page.locator("[data-scene='newtons-cradle'] .card-link").click()
    ready(page)
    expect(page.locator("#scene-title")).to_have_text("Маятник Ньютона")
    page.locator("#tab-balls").click()
    expect(page.locator("[data-live='balls.count']")).to_have_text("5 шаров")


def test_another_language_keeps_the_bench(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.locator("#panel-ball").get_by_role("button", name="Add a ball").click()
    page.wait_for_function("() => carom.scene.radii.length === 3")
    page.locator("[data-language]").first.select_option("pl")
    expect(page.locator("#scene-title")).to_have_text("Ukośne")
    ready(page)
    page.wait_for_function("() => carom.scene.radii.length === 3")


def test_light_and_dark(visit):
    page = visit("/", dark=True)
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("() => document.documentElement.dataset.theme") == "light"
    page.reload()
    assert page.evaluate("() => document.documentElement.dataset.theme") == "light"


# Bench.


@pytest.mark.requirement("T-06", "S-12")
def test_run_and_pause(visit):
    page = ready(visit("/bench?scene=oblique"))
    assert text(page, "time") == "0.000\u202fs"
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.wait_for_function("() => parseFloat(document.querySelector('#time').textContent) > 0.3")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    page.get_by_role("button", name="Restart").click()
    expect(page.locator("#time")).to_have_text("0.000\u202fs")


def test_the_speed_slider_is_logarithmic(visit):
    page = ready(visit("/bench?scene=oblique"))
    slider = page.locator("#speed")
    slider.fill("2")
    expect(page.locator("[data-live='speed.value']")).to_have_text("100\u202f×")
    slider.fill("-2")
    expect(page.locator("[data-live='speed.value']")).to_have_text("0.01\u202f×")


@pytest.mark.requirement("T-04", "T-05", "T-15")
def test_a_ball_is_changed_a_bad_value_is_told_beside_the_field_and_undone(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.evaluate("() => carom.send('select', {indices: [0]})")
    mass = page.locator("#field-ball-mass")
    expect(mass).to_have_value("0.01")
    mass.fill("-1")
    mass.press("Enter")
    expect(page.locator("[data-wrong='ball.mass']")).not_to_be_empty()
    mass.fill("0.05")
    mass.press("Enter")
    expect(page.locator("[data-wrong='ball.mass']")).to_be_empty()
    page.wait_for_function("() => carom.scene.masses[0] === 0.05")
    undo = page.get_by_role("button", name=re.compile("^Undo"))
    expect(undo).to_be_enabled()
    undo.click()
    page.wait_for_function("() => carom.scene.masses[0] === 0.01")
    expect(undo).to_be_disabled()


@pytest.mark.requirement("T-03", "T-04", "T-05")
def test_the_table_of_balls(visit):
    page = ready(visit("/bench?scene=gas&count=30"))
    page.locator("#tab-balls").click()
    expect(page.locator("[data-live='balls.count']")).to_have_text("30 balls")
    expect(page.locator("#panel-balls tbody tr")).to_have_count(12)
    page.locator("#panel-balls").get_by_role("button", name="Next page").click()
    expect(page.get_by_label("Mass of ball 12")).to_be_visible()
    speed = page.get_by_label("Velocity x of ball 13")
    speed.fill("fast")
    speed.press("Enter")
    expect(page.locator("[data-wrong='balls']")).not_to_be_empty()
    speed.fill("2.5")
    speed.press("Enter")
    expect(page.locator("[data-wrong='balls']")).to_be_empty()
    page.wait_for_function("() => carom.state.can_undo === 'change'")
    page.get_by_role("button", name="Select ball 14").click()
    page.wait_for_function("() => carom.state.selected.join() === '14'")


def test_a_field_is_left_alone_while_someone_types(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.evaluate("() => carom.send('select', {indices: [0]})")
    x = page.locator("#field-ball-x")
    expect(x).to_have_value("0.1")
    x.focus()
    x.press("End")
    x.press("5")
    page.evaluate("() => carom.send('run', {})")
    page.wait_for_function("() => parseFloat(document.querySelector('#time').textContent) > 0.5")
    assert x.input_value() == "0.15"


@pytest.mark.requirement("S-09")
def test_esc_opens_the_menu_and_time_stands_still_meanwhile(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.evaluate("() => carom.send('run', {})")
    page.wait_for_function("() => carom.state?.running")
    page.locator("#stage").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#dialog-menu")).to_be_visible()
    page.wait_for_function("() => !carom.state.running")
    assert page.evaluate("() => document.activeElement.textContent").strip() == "Resume"
    page.keyboard.press("Enter")
    expect(page.locator("#dialog-menu")).not_to_be_visible()
    page.wait_for_function("() => carom.state.running")
    assert page.evaluate("() => document.activeElement.id") == "stage"


@pytest.mark.requirement("T-17")
def test_the_help_shows_every_key(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.locator("#stage").focus()
    page.keyboard.press("?")
    expect(page.locator("#dialog-help")).to_be_visible()
    shown = page.locator("#dialog-help kbd").all_text_contents()
    assert {"Space", "P", "PgDn", "Tab", "B", "←", "M", "X", "Y", "+", "−", "Esc", "F6", "Ctrl", "?"} <= set(shown)


def test_the_keyboard_leaves_the_stage_and_comes_back(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.locator("#stage").focus()
    page.keyboard.press("F6")
    assert page.evaluate("() => !document.querySelector('#stage').contains(document.activeElement)")
    page.keyboard.press("F6")
    assert page.evaluate("() => document.activeElement.id") == "stage"


def test_tabs_turn_by_arrow_keys(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.locator("#tab-ball").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-balls")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("#panel-view")).to_be_visible()
    expect(page.locator("#panel-balls")).not_to_be_visible()
    assert page.evaluate(NAMELESS) == []


@pytest.mark.requirement("S-02")
def test_another_planet(visit):
    page = ready(visit("/bench?scene=gravity-field"))
    page.locator("#tab-options").click()
    page.get_by_role("button", name="Moon", exact=True).click()
    expect(page.get_by_role("button", name="Moon", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#field-option-M")).to_have_value("7.346e+22")
    page.locator("#field-option-restitution_walls").fill("2")
    page.locator("#field-option-restitution_walls").press("Enter")
    expect(page.locator("[data-wrong='option.restitution_walls']")).to_contain_text("0 to 1")


def test_a_link_holds_the_scene(visit, laboratory):
    page = ready(visit("/bench?scene=three-bodies"))
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Share a link").click()
    link = page.locator("#share-link")
    expect(link).to_have_value(re.compile("#scene="))
    address = link.input_value()
    assert address.startswith(laboratory.origin)
    other = visit(address.removeprefix(laboratory.origin))
    other.wait_for_url(re.compile(r"/bench\?ticket="))
    ready(other)
    assert other.evaluate("() => carom.scene.radii") == page.evaluate("() => carom.scene.radii")


def test_a_scene_is_saved_and_collisions_are_exported(visit, tmp_path: Path):
    page = ready(visit("/bench?scene=oblique"))
    page.evaluate("() => carom.send('collision', {})")
    page.locator("#tab-collisions").click()
    expect(page.locator("#panel-collisions tbody tr")).to_have_count(1)
    with page.expect_download() as csv:
        page.locator("#panel-collisions").get_by_role("link", name="Export as CSV").click()
    assert Path(csv.value.path()).read_text().startswith("time_s,kind")
    page.get_by_role("button", name="Menu").click()
    with page.expect_download() as toml:
        page.get_by_role("link", name="Save as a file").click()
    assert toml.value.suggested_filename == "oblique.toml"
    saved = tmp_path / "again.toml"
    saved.write_text(Path(toml.value.path()).read_text())
    other = visit("/")
    other.locator("#file").set_input_files(saved)
    other.wait_for_url(re.compile(r"/bench\?ticket="))
    ready(other)


@pytest.mark.requirement("T-07")
def test_real_size_asks_for_a_bank_card_once(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.locator("#tab-view").click()
    page.get_by_role("button", name="Real size").click()
    expect(page.locator("#dialog-calibrate")).to_be_visible()
    page.locator("#calibrate-slider").fill("50")
    card = page.locator("#bank-card").bounding_box()
    assert card is not None
    assert (round(card["width"]), round(card["height"])) == (428, 270)  # 8.56 cm by 5.398 cm
    page.get_by_role("button", name="It fits").click()
    expect(page.locator("#dialog-calibrate")).not_to_be_visible()
    page.get_by_role("button", name="Real size").click()
    expect(page.locator("#dialog-calibrate")).not_to_be_visible()


def test_two_tabs_do_not_disturb_each_other(visit):
    one, other = ready(visit("/bench?scene=oblique")), ready(visit("/bench?scene=oblique"))
    one.evaluate("() => carom.send('add', {})")
    one.wait_for_function("() => carom.scene.radii.length === 3")
    assert other.evaluate("() => carom.scene.radii.length") == 2


def test_a_page_loaded_anew_finds_its_bench(visit):
    page = ready(visit("/bench?scene=oblique"))
    page.evaluate("() => carom.send('add', {})")
    page.wait_for_function("() => carom.scene.radii.length === 3")
    page.reload()
    ready(page)
    page.wait_for_function("() => carom.scene.radii.length === 3")


def test_a_scene_that_is_not_there_is_told_in_a_line(visit):
    page = visit("/bench?scene=brake")
    expect(page.locator("h1")).to_contain_text("there is no scene 'brake' in the library")
    expect(page.get_by_role("link", name="All experiments")).to_be_visible()


CUT = """panel => [...document.querySelectorAll(`#panel-${panel} input[data-live]`)]
  .filter((field) => field.offsetParent && field.scrollWidth > field.clientWidth)
  .map((field) => `${field.dataset.live} ${field.value}`)"""


@pytest.mark.requirement("T-05", "S-11")
@pytest.mark.parametrize("size", [(1440, 900), (768, 1024), PHONE], ids=str)
def test_no_number_is_cut(visit, size):
    """Also those of planets, in space: a cut exponent makes another number."""
    page = ready(visit("/bench?scene=planetary-system", size))
    page.wait_for_function("() => carom.scene.epoch > 0 && !carom.state.working")
    page.evaluate("() => void carom.send('select', {indices: [1]})")
    if size == PHONE:
        page.locator("#tab-ball").click()
    mass = page.locator("#field-ball-mass")
    expect(mass).to_have_value(re.compile("e[+]23$"))
    expect(page.locator("#field-ball-z")).to_have_value(re.compile("^-.*e[+]09$"))
    assert page.evaluate(CUT, "ball") == []
    page.locator("#tab-balls").click()
    expect(page.get_by_label("Mass of ball 8")).to_have_value(re.compile("e[+]26$"))
    assert page.evaluate(CUT, "balls") == []


OUTSIDE = """() => {
  const room = document.querySelector(".middle").getBoundingClientRect();
  const boxes = ["#run", ".clock", "#timeline", "#speed"]
    .map((each) => [each, document.querySelector(each).getBoundingClientRect()]);
  const hit = ({ left, right, top, bottom }) => document.elementFromPoint(right - 2, (top + bottom) / 2);
  return boxes.filter(([, box]) => box.left < room.left || box.right > room.right + 0.5 || box.width < 40
    || !document.querySelector(".transport").contains(hit(box))).map(([name]) => name);
}"""


def test_the_time_line_and_the_speed_fit_beside_the_panel(visit):
    page = ready(visit("/bench?scene=oblique", (768, 1024)))
    for width, height in ((768, 1024), (721, 900), (820, 1180), (960, 540), (1024, 768), (1280, 800), PHONE):
        page.set_viewport_size({"width": width, "height": height})
        for tab in ("meters", "balls"):
            page.evaluate("name => caromShell.tab(name, true)", tab)
            page.wait_for_function(f"() => ({OUTSIDE})().length === 0", timeout=5000)
            line = page.evaluate("() => document.querySelector('#timeline').clientWidth")
            assert line >= 100, (width, tab, line)
    page.set_viewport_size({"width": 768, "height": 1024})
    slider = page.locator("#speed").bounding_box()
    page.mouse.click(slider["x"] + slider["width"] - 3, slider["y"] + slider["height"] / 2)
    page.wait_for_function("() => carom.state.speed > 50")


@pytest.mark.parametrize("path", ["/", "/bench?scene=break"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_nothing_is_wider_than_a_phone(visit, path, language):
    page = visit(path, PHONE, locale=language, has_touch=True)
    expect(page.locator(".gallery, .bench")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]
    if path != "/":
        ready(page)
        expect(page.locator("#panel-ball")).not_to_be_visible()
        page.locator("#tab-ball").click()
        expect(page.locator("#panel-ball")).to_be_visible()
        page.locator("#tab-ball").click()
        expect(page.locator("#panel-ball")).not_to_be_visible()
        assert page.evaluate(NAMELESS) == []
