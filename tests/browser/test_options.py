"""Options, comparisons, layers, colours and tools in the real laboratory."""

import pytest
from playwright.sync_api import expect

from browser.workbench import Workbench

expect.set_options(timeout=30_000)


@pytest.mark.requirement("S-02", "S-09")
def test_planets_by_their_names_and_by_their_numbers(workbench: Workbench) -> None:
    workbench.open("gravity-field")
    workbench.tab("options")
    page = workbench.page
    falls = "Math.hypot(...carom.scene.gravity)"
    for name, g in (("Moon", 1.62), ("Mars", 3.73), ("Jupiter", 25.9), ("Earth", 9.82)):
        page.get_by_role("button", name=name, exact=True).click()
        workbench.until(f"g => Math.abs({falls} - g) < 0.05", g)
        expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")
    mass = workbench.field("option.M")
    mass.fill("1.1944e25")  # twice the Earth
    mass.press("Enter")
    workbench.until(f"{falls} > 19 && {falls} < 20")
    mass.fill("heavy")
    mass.press("Enter")
    expect(workbench.wrong("option.M")).not_to_be_empty()
    assert 19.0 < page.evaluate(falls) < 20.0
    page.evaluate("carom.focus()")
    workbench.press("z", "Control")
    assert page.evaluate(falls) == pytest.approx(9.82, abs=0.02)


@pytest.mark.requirement("S-02")
def test_the_earth_pulls_down_the_screen_where_y_points_down(workbench: Workbench) -> None:
    workbench.open("empty")
    page = workbench.page
    workbench.tab("options")
    hint = page.locator("[data-show='y-down']")
    expect(hint).to_be_visible()
    page.get_by_role("button", name="Earth", exact=True).click()
    workbench.until("carom.state.can_undo === 'option'")
    expect(page.get_by_role("button", name="Earth", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(workbench.field("option.gravity_y")).to_have_value("9.8203023")
    workbench.do("add")
    _, before = workbench.ball(0)
    workbench.do("step")
    workbench.do("step")
    assert workbench.ball(0)[1] > before
    workbench.open("gravity-field")
    expect(hint).to_be_hidden()


def test_restitution_is_felt_at_the_next_collision(workbench: Workbench) -> None:
    workbench.open("central-horizontal")
    workbench.tab("options")
    for name in ("option.restitution_balls", "option.restitution_walls"):
        workbench.field(name).fill("0.5")
        workbench.field(name).press("Enter")
        expect(workbench.wrong(name)).to_be_empty()
    workbench.until("carom.state.can_undo === 'option'")
    workbench.page.wait_for_timeout(200)
    before = workbench.state("meters.kinetic")
    workbench.do("collision")
    assert workbench.state("meters.kinetic") < 0.99 * before


def test_restart_keeps_what_was_set_on_the_way(workbench: Workbench) -> None:
    workbench.open("central-horizontal")
    workbench.do("collision")
    workbench.tab("options")
    restitution = workbench.field("option.restitution_balls")
    restitution.fill("0.5")
    restitution.press("Enter")
    workbench.until("carom.state.can_undo === 'option'")
    workbench.page.locator("#transport").get_by_role("button", name="Restart").click()
    workbench.until("carom.state.can_undo === 'restart' && carom.state.time === 0")
    workbench.page.wait_for_timeout(300)
    expect(restitution).to_have_value("0.5")
    before = workbench.state("meters.kinetic")
    workbench.do("collision")
    assert workbench.state("meters.kinetic") < 0.99 * before
    workbench.do("clear")
    expect(restitution).to_have_value("1")


def test_solver_integrator_and_step(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.tab("options")
    card = workbench.page.locator
    card("[data-pressed='solver.stepped']").click()
    workbench.until("carom.state.solving.solver === 'stepped'")
    card("[data-pressed='integrator.euler']").click()
    workbench.until("carom.state.solving.integrator === 'euler'")
    step = workbench.field("step")
    step.fill("0.001")
    step.press("Enter")
    workbench.until("carom.state.solving.step === 0.001")
    step.fill("-1")
    step.press("Enter")
    expect(workbench.wrong("step")).not_to_be_empty()
    workbench.page.evaluate("carom.focus()")
    workbench.press(".")
    assert workbench.state("time") == pytest.approx(0.001)
    card("[data-pressed='solver.exact']").click()
    workbench.until("carom.state.solving.solver === 'exact'")


def test_exact_verlet_and_euler_side_by_side(workbench: Workbench) -> None:
    workbench.open("gravity-field")
    workbench.tab("options")
    for k, name in enumerate(("exact", "verlet", "euler"), start=1):
        workbench.page.locator(f"[data-pressed='beside.{name}']").click()
        workbench.until("k => carom.state.companions.length === k && carom.frame.companions.length === k", k)
    workbench.do("run")
    workbench.until("carom.frame.time > 0.3")
    workbench.do("pause")
    assert workbench.page.evaluate("carom.frame.companions.every((one) => one.every(Number.isFinite))")
    energies = {each["name"]: each["drift"] for each in workbench.state("companions")}
    assert abs(energies["euler"]) > abs(energies["exact"])
    workbench.tab("meters")
    for name in ("exact", "verlet", "euler"):
        expect(workbench.page.locator(f"[data-live='meter.extra.beside.{name}']")).to_contain_text("J")
    lines = workbench.page.evaluate(
        """() => { const { series, values } = carom.charts.energy;
        return Object.fromEntries(series.map(({ name }, k) => [name, values[k].filter(Number.isFinite).length])); }"""
    )
    assert min(lines[name] for name in ("total", "exact", "verlet", "euler")) > 1
    workbench.do("compare", names=[])
    assert workbench.state("companions") == []


@pytest.mark.requirement("S-09")
def test_clear_leaves_no_objects_and_default_options(workbench: Workbench) -> None:
    workbench.open("gravity-field")
    workbench.tab("options")
    workbench.page.locator("#panel-options").get_by_role("button", name="Clear").click()
    workbench.until("carom.frame.count === 0 && Math.hypot(...carom.scene.gravity) === 0")
    workbench.page.evaluate("carom.focus()")
    workbench.press("z", "Control")
    assert workbench.count() == 6


def test_every_layer_changes_the_picture(workbench: Workbench) -> None:
    workbench.open("gravity-field")
    workbench.do("select", indices=[0])
    workbench.do("step")
    workbench.tab("view")
    page = workbench.page
    picture = """() => { carom._draw(performance.now());
      return carom._all().map((canvas) => canvas.toDataURL()).join(); }"""
    for name in ("velocity", "momentum", "force", "centre", "ruler", "legend"):
        switch = page.locator(f"input[data-live='layer.{name}']")
        before, was = page.evaluate(picture), switch.is_checked()
        switch.set_checked(not was, force=True)
        workbench.until("([name, on]) => carom.shown()[name] === on", [name, not was])
        page.wait_for_function(f"before => ({picture})() !== before", arg=before)
        switch.set_checked(was, force=True)
        workbench.until("([name, on]) => carom.shown()[name] === on", [name, was])


@pytest.mark.requirement("T-16")
def test_colours_for_colour_blind_eyes_are_kept(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.tab("view")
    plain = workbench.page.evaluate("[carom.colour.mark, carom.colour.selected]")
    workbench.field("view.palette").select_option("safe")
    workbench.until("carom.names.palette === 'safe'")
    assert workbench.page.evaluate("[carom.colour.mark, carom.colour.selected]") != plain
    assert workbench.page.evaluate("localStorage.getItem('carom-palette')") == "safe"
    workbench.field("view.palette").select_option("plain")


def test_tools_change_what_a_press_does(workbench: Workbench) -> None:
    workbench.open("oblique")
    workbench.tab("view")
    x, y = workbench.ball(0)
    workbench.field("view.tool").select_option("select")
    workbench.drag((x + 60, y + 60), (x + 90, y + 90))
    assert workbench.count() == 2, "nothing is launched"
    workbench.page.evaluate("carom.fit(false)")
    workbench.field("view.tool").select_option("launch")
    workbench.drag((x + 60, y + 60), (x + 90, y + 90))
    assert workbench.count() == 3
    workbench.field("view.tool").select_option("auto")
