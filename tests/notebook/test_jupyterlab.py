"""The widget in a real JupyterLab in a real Chromium: it runs, stands, goes back, and tells numbers."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from matplotlib import image
from playwright.sync_api import Browser

from browser.conftest import Tabs, chromium
from notebook.desk import Desk
from notebook.jupyter import Jupyter, jupyter

pytestmark = pytest.mark.timeout(300)  # the first of them starts JupyterLab, and kernels may be compiled

RUN = """
from carom import Ball, Box, Recording, Scene, Simulation
from carom.notebook import show
balls = [
    Ball(position=(0.5, 0.3), radius=0.1, mass=1.0, name="middle"),
    Ball(position=(0.2, 0.3), velocity=(0.4, 0.05), radius=0.05, mass=0.2),
]
scene = Scene(name="Two balls", boundary=Box(size=(1.0, 0.6)), balls=balls)
sim = Simulation(scene)
sim
"""
RECORDED = """
recorded = Simulation(scene)
with recorded.record("two.h5", every=0.5):
    recorded.run(until=5.0)
view = show(Recording("two.h5"), height=240)
view
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for this module alone."""
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    with jupyter(tmp_path_factory.mktemp("jupyter")) as one:
        yield one


@pytest.fixture(scope="module")
def desk(browser: Browser, lab: Jupyter) -> Iterator[Desk]:
    """One notebook for all tests, with a run in its first cell and a recording in its second. No page complains."""
    tabs = Tabs(browser)
    tabs.forgive("terminals plugin")  # they are switched off, and JupyterLab says so
    made = Desk(tabs.new((900, 700)), lab, "two.ipynb", RUN, RECORDED)
    made.run(0)
    made.run(1)
    yield made
    left = tabs.end()
    assert left == []


def different(one: bytes, other: bytes) -> float:
    """Share of the pixels in which two pictures differ."""
    a, b = (image.imread(BytesIO(each)) for each in (one, other))
    assert a.shape == b.shape
    return float((a != b).any(axis=-1).mean())


@pytest.mark.requirement("T-14", "T-15")
def test_a_simulation_runs_stands_and_goes_back(desk: Desk) -> None:
    run = desk.widget(0)
    assert run.time() == 0.0
    first = run.picture()
    run.press("Run")
    run.runs(True)
    run.passes(1.2)  # the balls have met
    run.press("Pause")
    run.runs(False)
    stood = run.time()
    assert different(run.picture(), first) > 0.01
    assert int(run.fact(r"(\d+) collision")) >= 1
    desk.page.wait_for_timeout(300)
    assert run.time() == stood

    run.scrub(0.5)
    run.until("parseFloat(root.querySelector('.carom-clock').innerText) < given", stood)
    assert run.time() == pytest.approx(stood / 2, rel=0.02)
    run.press("To the start")
    run.until("root.querySelector('.carom-clock').innerText === '0 s'")
    assert run.fact(r"(\d+) collision") == "0"
    assert different(run.picture(), first) < 0.001  # but for the smoothing of a few lines

    assert desk.ask("print(sim.time)") == "0.0"  # what is looked at is a copy


@pytest.mark.requirement("T-15")
def test_a_ball_is_selected_and_tells_its_numbers(desk: Desk) -> None:
    run = desk.widget(0)
    run.press("To the start")
    assert not run.card.is_visible()
    box = run.stage.bounding_box()
    run.stage.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    run.card.wait_for()
    said = run.card.inner_text()
    assert "middle (0)" in said
    assert "1 kg" in said
    assert "(0.5, 0.3) m" in said
    desk.page.keyboard.press("ArrowDown")
    run.card.locator("header", has_text="Ball 1").wait_for()
    assert "(0.4, 0.05) m/s" in run.card.inner_text()
    desk.page.keyboard.press("ArrowRight")  # on to the collision
    run.until("root.querySelector('.carom-facts').innerText.includes('1 collision')")
    assert "(0.4, 0.05) m/s" not in run.card.inner_text()
    desk.page.keyboard.press("Escape")
    run.card.wait_for(state="hidden")


def test_keys_stay_in_the_widget(desk: Desk) -> None:
    run = desk.widget(0)
    run.stage.click(position={"x": 8, "y": 8})
    cells = desk.page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    for key in "abdd":  # in JupyterLab: a cell above, a cell below, delete this cell
        desk.page.keyboard.press(key)
    desk.page.keyboard.press("Space")  # this one is ours
    run.runs(True)
    desk.page.keyboard.press("Space")
    run.runs(False)
    assert cells.count() == before


def test_both_themes(desk: Desk) -> None:
    run = desk.widget(0)
    assert run.root.get_attribute("data-theme") == "light"
    light = run.picture()
    desk.choose_theme("JupyterLab Dark")
    run.until("root.dataset.theme === 'dark'")
    desk.page.wait_for_timeout(300)
    assert different(run.picture(), light) > 0.9
    desk.choose_theme("JupyterLab Light")
    run.until("root.dataset.theme === 'light'")


@pytest.mark.requirement("T-14")
def test_a_recording_plays_to_its_end_and_any_instant_can_be_seen(desk: Desk) -> None:
    recording = desk.widget(1)
    recording.press("To the start")
    recording.root.get_by_label("Speed").select_option("5")
    recording.press("Run")
    recording.runs(True)
    recording.runs(False)  # by itself, at the end
    assert recording.time() == 5.0
    assert "recording" in recording.facts.inner_text()
    seen = desk.ask(
        "view.seek(1.2345)\n"
        "again = Simulation(scene).run(until=1.2345)\n"
        "print(view.time, (view.simulation.positions == again.positions).all())"
    )
    assert seen == "1.2345 True"
    recording.until("root.querySelector('.carom-clock').innerText.startsWith('1.23')")
    assert desk.ask("view.select(1); print(view.selected)") == "(1,)"
    recording.card.locator("header", has_text="Ball 1").wait_for()


def test_running_a_cell_again_gives_a_new_widget_and_frees_old_ones(desk: Desk) -> None:
    count = "import carom.notebook.widget as w; print(len(w._hidden), len([x for x in w.Viewer.living()]))"
    for _ in range(4):
        desk.run(0)
        desk.widget(0)
    assert desk.ask(count) == "2 4"  # two are kept without a view, two are seen
    run = desk.widget(0)
    run.press("Run")
    run.runs(True)
    run.passes(0.1)
    run.press("Pause")
    run.runs(False)


def test_a_page_that_is_loaded_again_finds_its_widgets_alive(desk: Desk) -> None:
    run = desk.widget(0)
    run.press("To the start")
    desk.page.keyboard.press("Control+s")  # JupyterLab's, though the widget has the focus
    desk.page.locator(".jp-mod-dirty").wait_for(state="detached")
    desk.page.reload()
    run = desk.widget(0)
    run.press("Run")
    run.runs(True)
    run.passes(0.1)
    run.press("Pause")
    run.runs(False)
