"""Options: one table, and each of them can be read, written and undone."""

from typing import Any

import pytest

from carom.lab.bench.session import Session
from carom.lab.commands import options
from carom.lab.commands.options import OPTIONS, PLANETS
from carom.scene import Box, Scene, library
from carom.scene.forces import EARTH_MASS, EARTH_RADIUS
from carom.solvers.registry import CARDS
from carom.solvers.stepped.integrators.cards import INTEGRATORS

VALUES: dict[str, Any] = {
    "planet": "moon",
    "G": 1e-10,
    "M": "7e24",
    "R": 5e6,
    "gravity_x": 0.5,
    "gravity_y": -3.0,
    "gravity_z": 1.0,
    "restitution_balls": "0,8",
    "restitution_walls": 0.7,
    "static_friction_balls": 0.3,
    "dynamic_friction_balls": 0.2,
    "static_friction_walls": 0.4,
    "dynamic_friction_walls": 0.1,
    "drag": 0.01,
    "drag_quadratic": 0.02,
    "attraction": True,
    "attraction_G": 1e-3,
    "softening": 0.01,
    "touch": "pass",
}


@pytest.mark.requirement("S-02")
@pytest.mark.parametrize("name", OPTIONS)
def test_each_option_is_set_and_read_and_undone(name: str) -> None:
    session = Session(library.load("metal-on-a-ball" if name == "gravity_z" else "oblique"))
    before = options.values(session.view().scene)
    assert session.do("option", name=name, value=VALUES[name]) is None, session.message
    now = options.values(session.view().scene)[name]
    given = VALUES[name]
    assert now == (
        float(given.replace(",", ".")) if isinstance(given, str) and OPTIONS[name].kind == "number" else given
    )
    session.do("run")
    session.advance(1 / 60)
    assert session.view().running, session.message
    session.do("undo")
    assert options.values(session.view().scene) == before


@pytest.mark.requirement("S-02", "T-05")
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("restitution_balls", 1.5, "out of range. Use from 0 to 1."),
        ("restitution_walls", "bouncy", "is not a number"),
        ("planet", "pluto", "is not a choice"),
        ("R", 0, "out of range"),
        ("attraction", "yes please", "neither true nor false"),
        ("gravity_z", 1.0, "two dimensions"),
        ("colour", 1.0, "no option 'colour'"),
    ],
)
def test_wrong_values_are_refused(name: str, value: Any, words: str) -> None:
    session = Session(library.load("oblique"))
    message = session.do("option", name=name, value=value)
    assert message is not None
    assert words in message.text
    assert message.where in {name, "name"}
    assert session.view().can_undo is None


@pytest.mark.requirement("S-02")
@pytest.mark.parametrize(("name", "g"), [("earth", 9.82), ("moon", 1.62), ("mars", 3.73), ("jupiter", 25.92)])
def test_presets_of_planets(name: str, g: float) -> None:
    assert PLANETS[name].g == pytest.approx(g, abs=0.01)
    session = Session(library.load("billiard-test"))
    session.do("option", name="planet", value=name)
    scene = session.view().scene
    assert scene.gravity == (0.0, -PLANETS[name].g)
    assert options.values(scene)["planet"] == name
    session.do("option", name="M", value=1e24)
    assert options.values(session.view().scene)["planet"] == "own"
    session.do("option", name="planet", value="none")
    assert not any(session.view().scene.gravity)


def test_what_needs_forces_switches_to_steps_and_back() -> None:
    session = Session(library.load("oblique"))
    session.track.toward(0.25)
    before = session.view()
    session.do("option", name="drag", value=0.01)
    view = session.view()
    assert (view.solving.solver, view.solving.wish) == ("stepped", "auto")
    assert (view.time, view.positions.tolist()) == (0.25, before.positions.tolist())
    session.do("option", name="drag", value=0)
    assert session.view().solving.solver == "exact"


def test_cards_describe_all_choices() -> None:
    assert [card.name for card in options.solvers()] == list(CARDS)
    assert [card.name for card in options.integrators()] == list(INTEGRATORS)
    assert all(card.title and card.equation and card.source for card in (*options.solvers(), *options.integrators()))
    solving = Session(library.load("rope")).view().solving
    assert solving.integrator == "verlet"


@pytest.mark.requirement("S-02")
@pytest.mark.parametrize(
    "entry", ["empty", "central-horizontal", "central-vertical", "oblique", "three-bodies", "break"]
)
def test_planets_pull_down_the_screen_where_y_points_down(entry: str) -> None:
    session = Session(library.load(entry))
    assert session.view().scene.view.y_down
    for name in PLANETS:
        assert session.do("option", name="planet", value=name) is None
        scene = session.view().scene
        assert scene.gravity == (0.0, PLANETS[name].g)
        now = options.values(scene)
        assert (now["planet"], now["gravity_y"], now["M"]) == (name, PLANETS[name].g, PLANETS[name].M)
    session.do("option", name="M", value=0.0)
    session.do("option", name="M", value=EARTH_MASS)
    assert session.view().scene.gravity[1] == pytest.approx(25.92 * EARTH_MASS / 1.8981e27, rel=1e-3)


@pytest.mark.requirement("S-02")
def test_a_planet_number_without_a_planet_pulls_down_too() -> None:
    session = Session(library.load("empty"))
    session.do("option", name="R", value=EARTH_RADIUS)
    assert session.view().scene.gravity == (0.0, PLANETS["earth"].g)


@pytest.mark.requirement("S-02")
def test_a_planet_keeps_the_direction_of_gravity_in_space() -> None:
    """The camera stands against gravity; without any, z is up."""
    session = Session(Scene(boundary=Box(size=(1, 1, 1)), gravity=(0.0, 0.1, -1.0)))
    session.do("option", name="planet", value="earth")
    assert session.view().scene.gravity == (0.0, 0.0, -PLANETS["earth"].g)
    session.do("option", name="planet", value="none")
    session.do("option", name="planet", value="moon")
    assert session.view().scene.gravity == (0.0, 0.0, -PLANETS["moon"].g)
    session = Session(library.load("metal-on-a-ball"))
    session.do("option", name="planet", value="moon")
    assert session.view().scene.gravity == (0.0, -PLANETS["moon"].g, 0.0)


def test_a_ball_falls_to_the_foot_of_the_screen() -> None:
    session = Session(library.load("empty"))
    session.do("option", name="planet", value="earth")
    session.do("add")
    (before,) = session.view().positions[:, 1]
    session.do("run")
    session.advance(1 / 60)
    (after,) = session.view().positions[:, 1]
    assert after > before


# ---------------------------------------------------------------- restart


@pytest.mark.requirement("S-12")
@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "gravity_z"])
def test_restart_keeps_an_option_that_was_changed_on_the_way(name: str) -> None:
    session = Session(library.load("oblique"))
    start = session.view()
    session.track.toward(0.1)
    assert session.do("option", name=name, value=VALUES[name]) is None, session.message
    session.track.toward(0.2)
    before = session.view()
    assert session.do("restart") is None, session.message
    after = session.view()
    assert options.values(after.scene) == options.values(before.scene)
    assert after.solving.solver == before.solving.solver
    assert (after.time, after.end, after.since, after.can_undo) == (0.0, 0.0, 0.0, "restart")
    assert after.positions.tolist() == start.positions.tolist()
    assert after.velocities.tolist() == start.velocities.tolist()
    session.do("undo")
    assert (session.view().time, session.view().positions.tolist()) == (before.time, before.positions.tolist())
    assert options.values(session.view().scene) == options.values(before.scene)
    session.do("redo")
    assert options.values(session.view().scene) == options.values(after.scene)
    session.do("undo")
    session.do("undo")
    assert options.values(session.view().scene) == options.values(start.scene)


@pytest.mark.requirement("S-12")
def test_restart_keeps_how_it_is_solved_and_begins_with_all_balls() -> None:
    session = Session(library.load("oblique"))
    session.track.toward(0.1)
    session.do("solve", solver="stepped", integrator="euler", step=0.002, contacts="impacts")
    session.do("remove", indices=[0])
    solving = session.view().solving
    session.track.toward(0.2)
    session.do("restart")
    view = session.view()
    assert (view.time, len(view.positions), view.solving) == (0.0, 2, solving)
    session.track.toward(0.1)
    session.do("solve", solver="exact")
    session.do("restart")
    assert session.view().solving.solver == "exact"
    assert session.view().positions.tolist() == view.positions.tolist()


def test_clear_after_options_were_changed_still_has_default_ones() -> None:
    session = Session(library.load("oblique"))
    session.track.toward(0.1)
    session.do("option", name="restitution_balls", value=0.5)
    session.do("restart")
    session.do("clear")
    assert options.values(session.view().scene) == options.values(Session(library.load("empty")).view().scene)


def test_a_restart_that_the_kept_solver_cannot_do_changes_nothing() -> None:
    session = Session(library.load("two-bodies"))
    session.track.toward(0.01)
    session.do("option", name="attraction", value=False)
    session.do("solve", solver="exact")
    session.do("restart")
    view = session.view()
    assert (view.time, view.solving.solver, view.scene.attraction) == (0.0, "exact", None)
    session = Session(library.load("coupled-oscillators"))
    session.track.toward(0.05)
    links = session.track.sim.links.between.tolist()
    for i, j in links:
        assert session.do("unlink", i=i, j=j) is None
    assert session.do("solve", solver="exact") is None
    session.track.toward(0.1)
    message = session.do("restart")
    assert message is not None
    assert "links" in message.text
    assert session.view().time == pytest.approx(0.1)
