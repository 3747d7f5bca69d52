"""Every key, pressed in the real laboratory, and what it does there."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.workbench import Workbench
from carom import library
from carom.lab.commands.keymap import KEYS, Key

Step = tuple[str, dict[str, Any]]
Seen = dict[str, Any]

NAMES = library.names()
FLAT, SOLID = "oblique", "inner-planets"
AFTER = NAMES[NAMES.index(FLAT) + 1]
BEFORE = NAMES[NAMES.index(FLAT) - 1]
FIRST: Step = ("select", {"indices": [0]})
BOTH: Step = ("select", {"indices": [0, 1]})
ONE: Step = ("collision", {})
IN_STEPS: Step = ("solve", {"solver": "stepped"})


def seen(bench: Workbench) -> Seen:
    """What can be told of a bench."""
    state = bench.state()
    ball = state["inspector"] or {"position": (), "velocity": (), "mass": None, "radius": None}
    return {
        **{
            name: state[name]
            for name in ("running", "time", "end", "speed", "entry", "selected", "can_undo", "can_redo")
        },
        **{name: ball[name] for name in ("position", "velocity", "mass", "radius")},
        "screen": bench.ball(state["selected"][0]) if len(state["selected"]) == 1 else (),
        "collisions": state["meters"]["collisions"],
        "balls": bench.count(),
        "scale": bench.page.evaluate("carom.camera.scale ?? 1 / carom.camera.distance"),
    }


def is_(**wanted: Any) -> Callable[[Seen, Seen], bool]:
    """It is so afterwards, and was not so before."""
    return lambda old, new: all(new[name] == value and old[name] != value for name, value in wanted.items())


def moves(name: str, axis: int, sign: int) -> Callable[[Seen, Seen], bool]:
    """One component grows or falls; nothing else of the ball changes."""

    def holds(old: Seen, new: Seen) -> bool:
        others = [k for k in range(len(old[name])) if k != axis]
        return sign * (new[name][axis] - old[name][axis]) > 0 and all(new[name][k] == old[name][k] for k in others)

    return holds


def looks(axis: int, sign: int) -> Callable[[Seen, Seen], bool]:
    """The picture moves, and the ball only with it."""
    shifts = moves("screen", axis, sign)
    return lambda old, new: shifts(old, new) and new["position"] == old["position"]


def heavier(factor: float) -> Callable[[Seen, Seen], bool]:
    """Mass, and the radius with it, so that heavier looks bigger."""
    return lambda old, new: (
        new["mass"] == pytest.approx(factor * old["mass"])
        and new["radius"] == pytest.approx(sqrt(factor) * old["radius"])
    )


EFFECTS: dict[tuple[str, ...], tuple[list[Step], Callable[[Seen, Seen], bool]]] = {
    (" ",): ([], is_(running=True)),
    ("p",): ([("run", {})], is_(running=False)),
    (".",): ([], lambda old, new: new["time"] == pytest.approx(old["time"] + 1 / 60)),
    ("n",): ([], is_(collisions=1)),
    ("n", "Shift"): ([ONE, ONE], lambda old, new: 0.0 < new["time"] < old["time"] and new["end"] == old["end"]),
    ("]",): ([], is_(speed=2.0)),
    ("[",): ([], is_(speed=0.5)),
    ("r",): ([ONE], is_(time=0.0, end=0.0, collisions=0)),
    ("Home",): ([ONE], lambda old, new: new["time"] == 0.0 < new["end"] == old["end"] == old["time"]),
    ("End",): ([ONE, ("scrub", {"time": 0.0})], lambda old, new: old["time"] == 0.0 < new["time"] == new["end"]),
    ("PageDown",): ([], is_(entry=AFTER)),
    ("PageUp",): ([], is_(entry=BEFORE)),
    ("Backspace", "Control"): ([("speed", {"factor": 5.0})], is_(balls=0, speed=1.0, entry="")),
    ("Tab",): ([], is_(selected=[0])),
    ("Tab", "Shift"): ([], is_(selected=[1])),
    ("a", "Control"): ([], is_(selected=[0, 1])),
    ("a", "Control", "Shift"): ([FIRST], is_(selected=[])),
    ("e",): ([FIRST], is_(selected=[0, 1])),
    ("e", "Shift"): ([("select", {"indices": [1]})], is_(selected=[1, 0])),
    ("l",): ([IN_STEPS, BOTH], is_(can_undo="link-selected")),
    ("l", "Shift"): ([IN_STEPS, BOTH, ("link-selected", {})], is_(can_undo="unlink-selected")),
    ("b",): ([], is_(balls=3, selected=[2])),
    ("d", "Control"): ([FIRST], is_(balls=3, selected=[2])),
    ("Delete",): ([FIRST], is_(balls=1, can_undo="remove")),
    ("Backspace",): ([FIRST], is_(balls=1, can_undo="remove")),
    ("ArrowLeft",): ([FIRST], moves("screen", 0, -1)),
    ("ArrowRight",): ([FIRST], moves("screen", 0, 1)),
    ("ArrowUp",): ([FIRST], moves("screen", 1, -1)),
    ("ArrowDown",): ([FIRST], moves("screen", 1, 1)),
    ("ArrowLeft", "Shift"): ([("select", {"indices": [1]})], moves("screen", 0, -1)),
    ("ArrowRight", "Shift"): ([FIRST], moves("screen", 0, 1)),
    ("ArrowUp", "Shift"): ([FIRST], moves("screen", 1, -1)),
    ("ArrowDown", "Shift"): ([FIRST], moves("screen", 1, 1)),
    ("ArrowUp", "Alt"): ([FIRST], moves("position", 2, -1)),
    ("ArrowDown", "Alt"): ([FIRST], moves("position", 2, 1)),
    **{(sign, "m"): ([FIRST], heavier(1.1)) for sign in "+="},
    **{(sign, "m"): ([FIRST], heavier(1 / 1.1)) for sign in "-_"},
    **{(sign, axis): ([FIRST], moves("velocity", "xyz".index(axis), 1)) for sign in "+=" for axis in "xyz"},
    **{(sign, axis): ([FIRST], moves("velocity", "xyz".index(axis), -1)) for sign in "-_" for axis in "xyz"},
    ("z", "Control"): ([("add", {})], is_(balls=2, can_redo="add", can_undo="open")),
    ("y", "Control"): ([("add", {}), ("undo", {})], is_(balls=3, can_undo="add", can_redo=None)),
    ("z", "Control", "Shift"): ([("add", {}), ("undo", {})], is_(balls=3, can_undo="add", can_redo=None)),
    ("+",): ([], lambda old, new: new["scale"] == pytest.approx(1.25 * old["scale"])),
    ("=",): ([], lambda old, new: new["scale"] == pytest.approx(1.25 * old["scale"])),
    ("-",): ([], lambda old, new: new["scale"] == pytest.approx(0.8 * old["scale"])),
    ("ArrowLeft", "Control"): ([FIRST], looks(0, 1)),
    ("ArrowRight", "Control"): ([FIRST], looks(0, -1)),
    ("ArrowUp", "Control"): ([FIRST], looks(1, 1)),
    ("ArrowDown", "Control"): ([FIRST], looks(1, -1)),
}
ELSEWHERE = {("Escape",), ("?",), ("F6",), ("1",), ("f",), ("c",), ("c", "Shift")}
"""Keys that open something, go somewhere or need another scene: below."""


def test_no_key_is_forgotten_here() -> None:
    assert set(EFFECTS) | ELSEWHERE == {(key.key, *key.held) for key in KEYS}


@pytest.mark.requirement("T-17", "S-09")
@pytest.mark.parametrize(
    "key",
    [key for key in KEYS if (key.key, *key.held) not in ELSEWHERE],
    ids=lambda key: "+".join([*key.held, key.key]),
)
def test_each_key_does_what_it_says(workbench: Workbench, key: Key) -> None:
    before, holds = EFFECTS[key.key, *key.held]
    depth = key.arguments.get("field") in {"z", "vz"}
    workbench.open(SOLID if depth else FLAT)
    for name, arguments in before:
        workbench.do(name, **arguments)
    old = seen(workbench)
    workbench.press(key.key, *key.held)
    new = seen(workbench)
    assert holds(old, new), f"before: {old}\nafter: {new}"


@pytest.mark.requirement("B-02", "T-17")
def test_corners_of_walls_are_walked_and_moved_by_keys(workbench: Workbench) -> None:
    workbench.open("polygon-table")
    first = workbench.scene("walls")[0]["vertices"][0]
    workbench.press("c")
    workbench.press("c")
    workbench.press("c", "Shift")
    assert workbench.state()["corner"] == ["boundary", 0]
    assert workbench.page.evaluate("carom.hand.corner.corner === 0 && carom.hand.corners")
    workbench.press("ArrowLeft")
    workbench.until(
        "x => carom.scene.walls[0].vertices[0][0] + carom.scene.origin[0] < x", first[0] + workbench.scene("origin")[0]
    )
    workbench.press("Tab")
    workbench.until("carom.hand.corner === null")


@pytest.mark.requirement("T-07", "T-17")
def test_f_shows_everything_and_1_is_the_real_size(workbench: Workbench) -> None:
    workbench.open(FLAT)
    workbench.page.evaluate("carom.fit(false)")
    whole = workbench.page.evaluate("carom.camera.scale")
    workbench.page.evaluate("caromShell.calibrate()")
    workbench.page.locator("#calibrate-slider").fill("50")
    workbench.page.get_by_role("button", name="It fits").click()
    workbench.until("!carom.camera.flight && carom.camera.scale === 5000")  # 50 pixels a centimetre
    workbench.press("f")
    workbench.until("whole => !carom.camera.flight && Math.abs(carom.camera.scale / whole - 1) < 1e-9", whole)
    workbench.press("1")
    workbench.until("!carom.camera.flight && carom.camera.scale === 5000")
    radius = workbench.scene("radii")[0]
    assert workbench.page.evaluate("carom.scene.radii[0] * carom.camera.scale") == pytest.approx(100.0 * radius * 50.0)
    workbench.press("f")


def test_who_cannot_film_is_told_so_and_nothing_says_that_it_films(workbench: Workbench) -> None:
    page = workbench.page
    workbench.open(FLAT)
    page.evaluate("() => { window.kept = MediaRecorder; delete window.MediaRecorder; }")
    try:
        page.evaluate("caromShell.record()")
        expect(page.locator("#toast")).to_contain_text("cannot record video")
        assert page.locator("#record-words").text_content() == "Record a video"
        assert page.locator("#menu-button.recording").count() == 0
    finally:
        page.evaluate("() => { window.MediaRecorder = kept; caromShell.toast(''); }")
    page.evaluate("caromShell.record()")
    assert page.locator("#menu-button.recording").count() == 1
    with page.expect_download():
        page.evaluate("caromShell.record()")
    assert page.locator("#menu-button.recording").count() == 0


@pytest.mark.requirement("S-09", "T-17")
def test_esc_opens_the_menu_from_which_everything_is_reached_by_keys(workbench: Workbench) -> None:
    page = workbench.page
    workbench.open(FLAT)
    workbench.do("run")
    workbench.keyboard.press("Escape")
    expect(page.locator("#dialog-menu")).to_be_visible()
    workbench.until("!carom.state.running")
    names = []
    for _ in range(12):
        names.append(page.evaluate("document.activeElement.textContent.trim()"))
        page.keyboard.press("Tab")
    wanted = ["Resume", "Options", "Restart", "Save as a file", "Share a link"]
    assert [name for name in names if name in wanted][: len(wanted)] == wanted
    page.keyboard.press("Escape")
    expect(page.locator("#dialog-menu")).not_to_be_visible()
    workbench.until("carom.state.running && document.activeElement.id === 'stage'")
    workbench.keyboard.press("Escape")
    page.keyboard.press("Tab")
    page.evaluate(
        """() => { window.menuLeft = new Promise((done) => document.getElementById("dialog-menu")
          .addEventListener("close", () => setTimeout(() => done(document.activeElement.id)), { once: true })); }"""
    )
    page.keyboard.press("Enter")
    assert page.evaluate("menuLeft") == "tab-options", "the keyboard stays where the menu led"


def test_the_question_mark_shows_every_key_and_esc_goes_back(workbench: Workbench) -> None:
    workbench.open(FLAT)
    workbench.keyboard.press("?")
    expect(workbench.page.locator("#dialog-help")).to_be_visible()
    workbench.keyboard.press("Escape")
    expect(workbench.page.locator("#dialog-help")).not_to_be_visible()
    workbench.until("document.activeElement.id === 'stage'")


@pytest.mark.requirement("T-06", "T-17")
def test_space_and_letters_work_after_a_click_beside_the_stage(workbench: Workbench) -> None:
    page = workbench.page
    workbench.open(FLAT)
    workbench.tab("meters")
    assert page.evaluate("document.activeElement.id") == "tab-meters"
    workbench.press(" ")
    workbench.until("carom.state.running && carom.frame.time > 0")
    workbench.press("p")
    assert not workbench.state("running")
    workbench.press("b")
    assert workbench.count() == 3
    workbench.press("z", "Control")
    assert workbench.count() == 2
    workbench.do("select", indices=[0])
    mass = workbench.state("inspector.mass")
    workbench.press("+", "m")
    assert workbench.state("inspector.mass") == pytest.approx(1.1 * mass)
    restart = page.locator("#transport").get_by_role("button", name="Restart")
    restart.click()
    workbench.until("carom.state.time === 0 && carom.state.end === 0")
    workbench.press(" ")
    assert workbench.state("running"), "the click has pressed the button; Space runs"
    workbench.until("carom.frame.time > 0.1")
    workbench.press(" ")
    assert not workbench.state("running")
    page.wait_for_timeout(300)
    assert workbench.state("time") > 0.1, "Space has not pressed it again"


@pytest.mark.requirement("T-17")
def test_a_control_that_the_keyboard_reached_is_pressed_by_space(workbench: Workbench) -> None:
    page = workbench.page
    workbench.open(FLAT)
    workbench.do("collision")
    workbench.press("F6")
    restart = page.locator("#transport").get_by_role("button", name="Restart")
    for _ in range(20):
        if restart.evaluate("(button) => button === document.activeElement"):
            break
        workbench.keyboard.press("Tab")
    workbench.press(" ")
    workbench.until("carom.state.time === 0 && carom.state.can_undo === 'restart'")
    assert not workbench.state("running")
    workbench.tab("view")
    switch = page.locator("input[data-live='layer.centre']")
    for _ in range(20):
        if switch.evaluate("(box) => box === document.activeElement"):
            break
        workbench.keyboard.press("Tab")
    workbench.press(" ")
    assert page.evaluate("carom.shown().centre")
    workbench.press(" ")
    assert not page.evaluate("carom.shown().centre")
    assert not workbench.state("running")


def test_what_is_typed_into_a_field_stays_there(workbench: Workbench) -> None:
    page = workbench.page
    workbench.open(FLAT)
    workbench.do("select", indices=[0])
    workbench.tab("ball")
    name = workbench.field("ball.name")
    name.click()
    page.keyboard.type("b p r")
    assert name.input_value() == "b p r"
    assert (workbench.count(), workbench.state("running")) == (2, False)
    name.press("Escape")
    workbench.tab("options")
    workbench.field("steering").focus()
    workbench.press(" ")
    assert not workbench.state("running")
    page.keyboard.press("Escape")


def test_f6_leaves_the_stage_and_tab_goes_on_through_the_page(workbench: Workbench) -> None:
    workbench.open(FLAT)
    focus = "[document.activeElement.id, document.activeElement.getAttribute('aria-label')]"
    workbench.keyboard.press("F6")
    met = workbench.page.evaluate(focus)
    assert "stage" not in met
    for _ in range(9):
        workbench.keyboard.press("Tab")
        met += workbench.page.evaluate(focus)
    assert {"run", "timeline", "speed", "Restart"} <= set(met)
    workbench.keyboard.press("F6")
    assert workbench.page.evaluate(focus)[0] == "stage"


@pytest.mark.requirement("T-17")
def test_a_system_is_built_and_run_by_the_keyboard_alone(workbench: Workbench) -> None:
    workbench.open(FLAT)
    workbench.press("Backspace", "Control")
    workbench.press("b")
    workbench.press("b")
    workbench.press("+", "m")
    workbench.press("+", "x")
    workbench.press(" ")
    workbench.until("carom.frame.count === 2 && carom.frame.time > 0.1")
    workbench.press(" ")
    assert workbench.state("meters.kinetic") > 0.0
