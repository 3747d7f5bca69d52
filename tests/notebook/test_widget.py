"""The widget in plain Python: what a cell can do with it, and what a notebook gets."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from carom import ArgumentError, CaromError, Simulation, library
from carom.errors import MissingExtraError
from carom.notebook import bundle, display, show, widget

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(autouse=True)
def tidy() -> Iterator[None]:
    """No widget outlives a test."""
    yield
    for each in widget.Viewer.living():
        each.close()


@pytest.fixture
def sim() -> Simulation:
    return Simulation(library.load("central-horizontal"))


def test_a_cell_can_steer_it(sim: Simulation) -> None:
    view = show(sim, speed=2.0, play=True)
    assert view.running
    view.pause()
    assert not view.running
    view.select(1)
    assert view.selected == (1,)
    view.select()
    assert view.selected == ()
    assert view.time == 0.0
    assert (view.simulation.positions == sim.positions).all()
    with pytest.raises(CaromError, match="99"):
        view.select(99)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"height": 5}, "height: 5 is no height of a picture. Use a whole number of pixels from 120 to 2000."),
        ({"theme": "pink"}, "theme: 'pink' is unknown. Use one of auto, light, dark."),
        ({"speed": 0.0}, "speed: 0.0 is out of range. Use a number from 0.01 to 100."),
    ],
)
def test_a_wrong_option_is_told_in_one_line(sim: Simulation, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        show(sim, **options)
    assert str(caught.value) == words


def test_only_what_can_be_shown_is() -> None:
    with pytest.raises(ArgumentError, match=r"str cannot be shown\. Give a Simulation, a Scene or a Recording\."):
        show("break")


def test_closing_frees(sim: Simulation) -> None:
    view = show(sim)
    assert widget.Viewer.living() == (view,)
    view.close()
    assert widget.Viewer.living() == ()
    with pytest.raises(CaromError, match="this widget is closed"):
        view.play()


def test_of_those_that_nobody_sees_two_are_kept(sim: Simulation) -> None:
    views = [show(sim) for _ in range(4)]
    for k, view in enumerate(views):
        who = {"page": "p", "view": str(k)}
        view._receive(view, {"hello": who}, [])
        view._receive(view, {"bye": who}, [])
    assert widget.Viewer.living() == tuple(views[2:])
    views[2]._receive(views[2], {"hello": {"page": "p", "view": "again"}}, [])  # its output came back
    show(sim)._receive(None, {"bye": {"page": "p", "view": "x"}}, [])
    assert views[2] in widget.Viewer.living()


def test_without_a_person_there_is_a_picture_alone(sim: Simulation) -> None:
    data = bundle(sim)
    assert set(data) == {"text/plain", "image/svg+xml"}
    assert data["text/plain"] == "<Simulation of Central horizontal: 4 balls in 2D, exact, t = 0 s, 0 collisions>"
    assert data["text/plain"] == repr(sim)
    assert data["image/svg+xml"] == sim._repr_svg_()
    assert set(show(sim)._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}


def test_with_a_person_there_is_a_widget_too(sim: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (display, widget):
        monkeypatch.setattr(module, "is_interactive", lambda: True)
    data = sim._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/svg+xml", WIDGET}
    (made,) = widget.Viewer.living()
    assert data[WIDGET]["model_id"] == made.model_id


def test_without_anywidget_there_is_a_picture_and_a_remedy(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(display, "is_interactive", lambda: True)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    for _ in range(2):
        assert set(bundle(sim)) == {"text/plain", "image/svg+xml"}
    said = capsys.readouterr().err
    assert said == 'the notebook\'s live widget needs anywidget: pip install "carom[notebook]"\n'  # once
    with pytest.raises(MissingExtraError, match=r'pip install "carom\[notebook\]"'):
        show(sim)


@pytest.mark.parametrize(
    ("parent", "there"), [({"content": {"allow_stdin": True}}, True), ({"content": {}}, False), ({}, False)]
)
def test_who_may_be_asked_is_there(monkeypatch: pytest.MonkeyPatch, parent: dict[str, Any], there: bool) -> None:
    class Kernel:
        def get_parent(self, channel: str) -> dict[str, Any]:
            assert channel == "shell"
            return parent

    class Shell:
        kernel = Kernel()

    monkeypatch.setattr(display, "_shell", Shell)
    assert display.is_interactive() is there


def test_carom_is_light_without_a_notebook() -> None:
    code = "import sys, carom, carom.notebook; print({'anywidget', 'numba', 'h5py', 'IPython'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
