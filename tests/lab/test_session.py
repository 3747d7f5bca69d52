"""Commands of a bench, driven without any browser."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from carom.lab.bench.session import Session
from carom.lab.commands.edits import nudge_step, push_step
from carom.lab.commands.table import COMMANDS
from carom.lab.seen.collision_log import CollisionLog
from carom.lab.seen.collision_table import collisions_csv, last_collisions
from carom.scene import Attraction, Ball, Box, Cloth, Drag, Scene, Stepping, library


def bench(entry: str = "oblique") -> Session:
    return Session(library.load(entry), entry)


def go(session: Session, seconds: float) -> None:
    for _ in range(round(seconds * 30)):
        session.advance(1 / 30)


def frozen(session: Session) -> Any:
    view = session.view()
    return (
        view.scene, view.positions.tolist(), view.velocities.tolist(), view.time, view.end, view.epoch, view.selected,
        view.can_undo, view.running, view.speed, view.solving,
    )  # fmt: skip


# Running.


@pytest.mark.requirement("T-06", "S-09")
def test_run_and_pause() -> None:
    session = bench()
    assert not session.view().running
    session.do("toggle")
    go(session, 1.0)
    assert session.view().running
    assert session.view().time == pytest.approx(1.0)
    session.do("toggle")
    go(session, 1.0)
    assert session.view().time == pytest.approx(1.0)


@pytest.mark.requirement("S-12")
def test_time_is_counted_and_restart_begins_anew() -> None:
    session = bench()
    session.do("throw", index=0, velocity=[0.3, 0.0])
    session.do("run")
    go(session, 0.5)
    session.do("add")
    session.do("restart")
    view = session.view()
    assert (view.time, view.end, view.running, len(view.positions)) == (0.0, 0.0, False, 2)
    assert view.velocities[0].tolist() == [0.3, 0.0], "an edit of the start is kept"


def test_speed_is_times_the_pace() -> None:
    session = bench()
    session.do("speed", factor="0,1")
    session.do("run")
    go(session, 1.0)
    assert session.view().time == pytest.approx(0.1)
    session.do("faster")
    assert session.speed == 0.2
    session.do("slower")
    session.do("slower")
    assert session.speed == 0.05
    for _ in range(30):
        session.do("slower")
    assert session.speed == 0.01
    for _ in range(30):
        session.do("faster")
    assert session.speed == 100.0


@pytest.mark.requirement("S-05", "S-09")
def test_time_is_held_while_aiming_and_goes_on_with_the_launch() -> None:
    session = bench("empty")
    session.do("run")
    go(session, 0.2)
    session.do("hold")
    now = session.view().time
    go(session, 1.0)
    assert session.view().time == now
    assert session.view().held
    session.do("launch", position=[0.2, 0.2], velocity=[0.5, -0.25])
    view = session.view()
    assert not view.held
    assert view.velocities.tolist() == [[0.5, -0.25]]
    assert view.selected == (0,)
    go(session, 0.1)
    assert session.view().time > now
    session.do("hold")
    session.do("unhold")
    assert not session.view().held


def test_a_launch_that_cannot_be_lets_time_go_on() -> None:
    session = bench()
    session.do("run")
    session.do("hold")
    message = session.do("launch", position=session.view().positions[0].tolist(), velocity=[0.0, 0.0])
    assert message is not None
    assert "overlap" in message.text
    assert not session.view().held
    assert len(session.view().positions) == 2


def test_the_scale_of_arrows_belongs_to_the_scene_alone() -> None:
    session = Session(library.load("empty"), "empty")
    first = session.view().arrow_time
    session.do("launch", position=[0.1, 0.1], velocity=[50.0, 0.0])
    session.do("option", name="planet", value="jupiter")
    session.do("restart")
    assert session.view().arrow_time == first
    session.do("open", entry="two-bodies")
    assert session.view().arrow_time != first
    session.do("undo")
    assert session.view().arrow_time == first


def test_a_step_is_the_smallest_that_shows() -> None:
    session = bench()
    session.do("step")
    assert session.view().time == pytest.approx(1 / 60)
    stepped = bench("rope")
    stepped.do("step")
    assert stepped.view().time == pytest.approx(stepped.track.sim.method.step)


def test_a_heavy_scene_never_holds_its_caller_and_tells_how_slow_it_is() -> None:
    session = Session(library.load("gas", count=10_000), "gas")
    session.do("run")
    session.advance(1 / 60)  # may compile
    session.do("speed", factor=100.0)
    held = []
    for _ in range(40):
        began = session.track.clock()
        session.advance(1 / 60)
        held.append(session.track.clock() - began)
    assert np.median(held) < 0.1, "about 20 ms on a machine that does nothing else"
    assert 0.0 < session.view().rate < 0.5


# What exists.


@pytest.mark.requirement("T-02", "T-03")
def test_a_system_from_nothing() -> None:
    session = bench("empty")
    session.do("add")
    session.do("add")
    session.do("add", position=[0.1, 0.1], velocity=[0.1, 0], mass="0,02", radius=0.015, name="mine", material="steel")
    view = session.view()
    assert session.message is None
    assert len(view.positions) == 3
    low, high = np.zeros(2), np.array(view.scene.boundary.size)  # type: ignore[union-attr]
    assert np.linalg.norm(view.positions[0] - (low + high) / 2) < 0.05, "near the middle"
    assert view.scene.balls[2].name == "mine"
    session.do("run")
    go(session, 1.0)
    assert session.view().time == pytest.approx(1.0)


def test_free_places_are_found_until_there_are_none() -> None:
    session = Session(Scene(boundary=Box(size=(1.0, 1.0)), balls=[Ball(position=(0.5, 0.5), radius=0.3)]))
    session.do("add")
    assert len(session.view().positions) == 1
    assert session.message is not None
    assert "no free place" in session.message.text
    session.do("add", radius=0.05)
    assert len(session.view().positions) == 2
    for entry in ("gas", "cloth-on-a-ball", "planetary-system", "stadium", "slope"):
        other = bench(entry)
        count = len(other.first.balls)
        assert other.do("add") is None, entry
        assert len(other.view().positions) == count + 1


@pytest.mark.requirement("T-04", "S-11")
@pytest.mark.parametrize(
    ("field", "value", "now"),
    [
        ("x", 0.4, lambda i: i.position[0]),
        ("y", "0.22", lambda i: i.position[1]),
        ("vx", -0.25, lambda i: i.velocity[0]),
        ("vy", "1e-1", lambda i: i.velocity[1]),
        ("mass", 0.5, lambda i: i.mass),
        ("radius", 0.004, lambda i: i.radius),
        ("material", "rubber", lambda i: i.material),
        ("name", "Anna", lambda i: i.name),
        ("fixed", True, lambda i: i.fixed),
    ],
)
def test_every_quantity_of_a_ball_can_be_changed(field: str, value: Any, now: Any) -> None:
    session = bench()
    session.do("select", indices=[1])
    assert session.do("change", index=1, field=field, value=value) is None
    inspected = session.view().inspector
    assert inspected is not None
    wanted = float(value.replace(",", ".")) if isinstance(value, str) and field in {"y", "vy"} else value
    assert now(inspected) == wanted


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("command", "arguments", "where", "words"),
    [
        ("change", {"index": 0, "field": "mass", "value": "abc"}, "mass", "'abc' is not a number"),
        ("change", {"index": 0, "field": "mass", "value": -1}, "mass", "-1 is negative"),
        ("change", {"index": 0, "field": "mass", "value": 0}, "mass", "not above 0"),
        ("change", {"index": 0, "field": "radius", "value": "-2"}, "radius", "negative"),
        ("change", {"index": 0, "field": "radius", "value": 9.0}, "radius", "across wall"),
        ("change", {"index": 0, "field": "x", "value": 77}, "x", "outside"),
        ("change", {"index": 0, "field": "x", "value": float("nan")}, "x", "not finite"),
        ("change", {"index": 0, "field": "z", "value": 1}, "z", "two dimensions"),
        ("change", {"index": 7, "field": "x", "value": 1}, "index", "no number 7"),
        ("change", {"index": 0, "field": "colour", "value": 1}, "colour", "no 'colour'"),
        ("change", {"index": 0, "field": "vx", "value": None}, "vx", "not a number"),
        ("change-selected", {"field": "mass", "value": 1}, "", "no ball is selected"),
        ("nudge", {"field": "x", "steps": 1}, "", "no ball is selected"),
        ("nudge", {"field": "x"}, "steps", "needs it"),
        ("remove", {"indices": [0, 9]}, "indices", "no number 9"),
        ("add", {"position": [0.1]}, "position", "not a vector"),
        ("add", {"position": "middle"}, "position", "not a vector"),
        ("add", {"colour": 1}, "colour", "takes no 'colour'"),
        ("speed", {"factor": 0}, "factor", "out of range"),
        ("speed", {"factor": "fast"}, "factor", "not a number"),
        ("open", {"entry": "brake"}, "entry", "no scene 'brake'"),
        ("load", {"text": "balls = 3"}, "balls", "not a list"),
        ("load", {"text": "a = = 3"}, "line 1, column 5", "not TOML"),
        ("open", {"entry": "gas", "parameters": {"count": "many"}}, "count", "not a number"),
        ("select", {"indices": [5]}, "indices", "no number 5"),
        ("select", {"indices": [0], "mode": "most"}, "mode", "is not a choice here"),
        ("scrub", {"time": "later"}, "time", "not a number"),
        ("drag-corner", {"shape": "boundary", "corner": 0, "position": [0, 0]}, "corner", "the origin"),
        ("drag-corner", {"shape": 3, "corner": 0, "position": [0, 0]}, "shape", "no number 3"),
        ("pull", {"index": 0, "target": [0.1, 0.1]}, "solver", "needs forces"),
        ("steer", {"direction": [1, 0]}, "steering", "arrow keys move balls"),
        ("build", {"position": [0.1, 0.1]}, "solver", "needs forces"),
        ("compare", {"names": ["gauss"]}, "names", "is not a choice here"),
        ("dance", {}, "", "no command 'dance'"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    command: str, arguments: dict[str, Any], where: str, words: str
) -> None:
    session = bench()
    before = frozen(session)
    message = session.do(command, **arguments)
    assert message is not None
    assert message.kind == "error"
    assert message.where == where
    assert words in message.text
    assert "\n" not in message.text
    assert frozen(session) == before
    again = session.do(command, **arguments)
    assert again is not None
    assert again.number > message.number


@pytest.mark.requirement("T-17")
def test_the_keys_of_the_first_application() -> None:
    session = bench("empty")
    session.do("add")
    session.do("add")
    session.do("select-next")
    assert session.view().selected == (0,)
    session.do("select-next")
    session.do("select-next")
    session.do("select-previous")
    assert session.view().selected == (1,)
    before = session.view()
    session.do("nudge", field="x", steps=-3)
    session.do("nudge", field="y", steps=1)
    step = nudge_step(before.scene)
    moved = session.view().positions[1] - before.positions[1]
    assert moved == pytest.approx([-3 * step, step])
    session.do("nudge", field="vx", steps=2)
    session.do("nudge", field="vy", steps=-1)
    push = push_step(before.scene, 1.0)
    assert session.view().velocities[1].tolist() == pytest.approx([2 * push, -push])
    for _ in range(3):
        session.do("nudge", field="mass", steps=1)
    balls = session.view().scene.balls
    assert balls.mass[1] > balls.mass[0]
    assert balls.radius[1] > balls.radius[0], "heavier looks bigger"
    assert balls.mass[1] / balls.radius[1] ** 2 == pytest.approx(balls.mass[0] / balls.radius[0] ** 2)
    session.do("nudge", field="mass", steps=-3)
    assert session.view().scene.balls.mass[1] == pytest.approx(balls.mass[0])
    session.do("next-scene")
    assert session.view().entry == "central-horizontal"
    session.do("previous-scene")
    session.do("previous-scene")
    assert session.view().entry == library.names()[-1]


def test_an_edit_that_would_overlap_is_refused() -> None:
    session = bench()
    session.do("select", indices=[0])
    before = frozen(session)
    message = session.do("place", index=0, position=session.view().positions[1].tolist())
    assert message is not None
    assert "overlap" in message.text
    assert frozen(session)[:4] == before[:4]


def test_many_balls_change_at_once_and_do_not_stand_in_each_others_way() -> None:
    session = bench("break")
    session.do("select-all")
    before = session.view().positions
    assert session.do("move", by=[0.0, 0.001]) is None, "each alone would overlap its neighbour"
    assert np.allclose(session.view().positions - before, [0.0, 0.001])
    assert session.do("change-selected", field="mass", value=0.5) is None
    assert set(session.view().scene.balls.mass.tolist()) == {0.5}


def test_duplicate_and_remove() -> None:
    session = bench()
    session.do("select", indices=[1])
    session.do("duplicate")
    view = session.view()
    assert view.selected == (2,)
    assert view.velocities[2].tolist() == view.velocities[1].tolist()
    session.do("remove")
    assert len(session.view().positions) == 2
    assert session.view().selected == ()


def test_selecting() -> None:
    session = bench("break")
    session.do("select", indices=[3, 1])
    session.do("select", indices=[5], mode="add")
    assert session.view().selected == (3, 1, 5)
    session.do("select", indices=[1, 2], mode="toggle")
    assert session.view().selected == (3, 5, 2)
    session.do("select-none")
    assert session.view().selected == ()
    session.do("select-all")
    assert len(session.view().selected) == 16


@pytest.mark.requirement("S-09")
def test_clear_has_no_objects_and_default_options() -> None:
    session = bench("gravity-field")
    session.do("option", name="restitution_walls", value=0.5)
    session.do("speed", factor=5)
    session.do("clear")
    view = session.view()
    assert len(view.positions) == 0
    assert not any(view.scene.gravity)
    assert view.scene.restitution.ball_wall == 1.0
    assert (view.speed, view.time) == (1.0, 0.0)
    assert view.scene.boundary == library.load("gravity-field").boundary
    session.do("launch", position=[100.0, 100.0], velocity=[1.0, 2.0])
    assert len(session.view().positions) == 1


def test_corners_of_walls_can_be_dragged() -> None:
    session = bench("polygon-table")
    corner = session.first.boundary.vertices[1]  # type: ignore[union-attr]
    to = [corner[0] + 0.03, corner[1] - 0.01]
    assert session.do("drag-corner", shape="boundary", corner=1, position=to) is None
    assert list(session.view().scene.boundary.vertices[1]) == to  # type: ignore[union-attr]
    crossing = session.do("drag-corner", shape="boundary", corner=1, position=[0.0, 9.0])
    assert crossing is not None
    box = bench("break")
    assert box.do("drag-corner", shape="boundary", corner=2, position=[0.6, 0.4]) is None
    assert box.view().scene.boundary.size == (0.6, 0.4)  # type: ignore[union-attr]


# By the hand.


@pytest.mark.requirement("M-13")
def test_pulling_and_steering_in_steps() -> None:
    session = bench("rope")
    end = 59
    start = session.view().positions[end].copy()
    target = (start + np.array([0.3, 0.3])).tolist()
    session.do("run")
    for _ in range(20):
        session.do("pull", index=end, target=target)
        session.advance(1 / 30)
    pulled = session.view().positions[end]
    assert np.linalg.norm(pulled - target) < np.linalg.norm(start - target)
    session.do("release")
    assert session.hands == set()
    session.do("select", indices=[61])
    session.do("steering", mode="velocity")
    session.do("steer", direction=[1, 0])
    session.advance(1 / 30)
    assert session.view().velocities[61][0] == pytest.approx(session.view().velocities[61][0])
    assert session.view().velocities[61][0] > 0.1
    session.do("steer", direction=[0, 0])
    assert session.hands == set()
    session.do("steering", mode="acceleration")
    session.do("steer", direction=[0, 1])
    before = session.view().velocities[61][1]
    session.advance(1 / 30)
    assert session.message is None
    assert session.view().velocities[61][1] != before


def test_pulling_needs_steps_and_says_how_to_switch() -> None:
    session = bench()
    message = session.do("pull", index=0, target=[0.2, 0.2])
    assert message is not None
    assert "Switch to the stepped solver" in message.text
    session.do("solve", solver="stepped")
    assert session.do("pull", index=0, target=[0.2, 0.2]) is None


@pytest.mark.requirement("M-16")
def test_building_with_goo() -> None:
    session = bench("goo-tower")
    view = session.view()
    top = int(np.argmax(view.positions[np.unique(view.scene.links.between)][:, 1]))
    place = view.positions[np.unique(view.scene.links.between)[top]] + np.array([0.1, 0.25])
    links = len(view.scene.links)
    assert session.do("build", position=place.tolist()) is None
    after = session.view()
    assert len(after.positions) == len(view.positions) + 1
    assert len(after.scene.links) > links
    assert after.meters.height is not None
    assert view.meters.height is not None
    assert after.meters.height > view.meters.height
    message = session.do("build", position=[0.01, 3.9])
    assert message is not None
    assert "nothing to link to" in message.text


# How it is solved.


@pytest.mark.requirement("S-01")
def test_another_solver_goes_on_from_the_present() -> None:
    session = bench()
    session.track.toward(0.5)
    before = session.view()
    session.do("solve", solver="stepped", integrator="stormer", step=1 / 60)
    view = session.view()
    assert view.time == 0.5
    assert view.positions.tolist() == before.positions.tolist()
    assert view.solving.solver == "stepped"
    assert (view.solving.wish, view.solving.integrator, view.solving.step) == ("stepped", "stormer", 1 / 60)
    session.track.toward(1.0)
    assert session.view().time == 1.0
    session.do("solve", solver="auto")
    assert session.view().solving.solver == "exact"
    assert session.view().solving.integrator is None


def test_a_scene_with_forces_cannot_be_exact() -> None:
    session = bench("rope")
    session.do("run")
    message = session.do("solve", solver="exact")
    assert message is not None
    assert message.where == "solver"
    assert session.view().running, "nothing has changed"
    assert "cannot do this scene: links" in message.text
    assert session.view().solving.solver == "stepped"


def test_what_goes_wrong_on_the_way_is_told() -> None:
    """Bodies that come closer than steps can follow are noticed while the run goes on, not when something is asked."""
    balls = [Ball(position=(0.0, 0.0), mass=1.0), Ball(position=(1.0, 0.0), velocity=(0.0, 1e-3), mass=1.0)]
    session = Session(Scene(attraction=Attraction(G=1.0), stepping=Stepping(step=0.01), balls=balls))
    session.do("run")
    for _ in range(400):
        session.advance(1 / 30)
        if session.message is not None:
            break
    assert session.message is not None
    assert session.message.kind == "warning"
    assert "came closer than steps of 0.01 s can follow" in session.message.text


def test_steps_beyond_reason_are_told_when_the_scene_is_opened() -> None:
    cloth = Cloth(corner=(0, 0, 0), sides=((1, 0, 0), (0, 1, 0)), counts=(11, 11), stiffness=1e6, damping=1e6)
    session = Session(Scene(gravity=(0.0, 0.0, -9.81), structures=[cloth]))
    session.prepare()
    assert session.message is not None
    assert session.message.kind == "warning"
    assert "2e+11 steps of 5e-12 s. Steps are that short for the link between" in session.message.text


def test_a_step_that_is_too_large_is_warned_about_and_a_blow_up_pauses() -> None:
    session = bench("coupled-oscillators")
    session.do("solve", step=5.0)
    session.do("speed", factor=100.0)
    assert session.message is not None
    assert session.message.kind == "warning"
    assert "too large" in session.message.text
    session.do("run")
    for _ in range(200):
        session.advance(1 / 30)
        if not session.running:
            break
    view = session.view()
    assert not view.running
    assert view.message is not None
    assert "flew off" in view.message.text
    assert session.do("undo") is None
    assert session.view().solving.step != 5.0


def test_balls_that_stack_stop_an_exact_run_and_steps_go_on_from_there() -> None:
    scene = Scene(
        boundary=Box(size=(1.0, 2.0)),
        gravity=(0.0, -9.81),
        restitution=0.3,
        balls=[Ball(position=(0.5, 0.1), radius=0.1), Ball(position=(0.5, 0.5), radius=0.1)],
    )
    session = Session(scene)
    session.do("solve", solver="exact")
    session.do("run")
    for _ in range(300):
        session.advance(1 / 30)
        if not session.running:
            break
    view = session.view()
    assert view.message is not None
    assert "rest on each other" in view.message.text
    assert 0.0 < view.time <= view.end
    assert session.do("solve", solver="stepped") is None
    session.do("run")
    session.advance(1 / 30)
    assert session.view().time > view.time


def test_companions_follow_and_show_their_energies() -> None:
    session = bench("two-bodies")
    assert session.do("compare", names=["euler", "verlet"]) is None
    session.do("run")
    go(session, 1.0)
    view = session.view()
    assert [each.name for each in view.companions] == ["euler", "verlet"]
    assert all(each.positions.shape == view.positions.shape for each in view.companions)
    euler, verlet = view.companions
    assert np.array_equal(verlet.positions, view.positions), "the same method, the same bits"
    assert abs(euler.drift) > abs(verlet.drift)
    assert dict(session.samples.rows[-1].companions).keys() == {"euler", "verlet"}
    session.do("scrub", time=0.25)
    session.settle()
    assert np.array_equal(session.view().companions[1].positions, session.view().positions)
    session.do("compare", names=[])
    assert session.view().companions == ()


def test_a_companion_that_cannot_be_is_refused() -> None:
    session = bench("two-bodies")
    message = session.do("compare", names=["exact"])
    assert message is not None
    assert "attraction" in message.text


# What is seen.


@pytest.mark.requirement("T-10", "T-15", "T-16")
def test_what_is_shown_live() -> None:
    session = bench()
    session.do("select", indices=[0])
    view = session.view()
    assert view.meters.collisions == 0
    (upcoming,) = view.meters.upcoming
    assert upcoming.kind in {"ball-ball", "ball-wall"}
    assert view.marks == upcoming.partners, "red"
    assert view.selected == (0,), "yellow"
    assert view.meters.kinetic == pytest.approx(session.track.sim.kinetic_energy)
    session.do("collision")
    view = session.view()
    assert view.time == upcoming.time
    assert view.meters.collisions == sum(view.meters.by_kind.values()) == 1
    assert view.meters.by_kind[upcoming.kind] == 1
    assert view.inspector is not None
    assert view.inspector.index == 0


@pytest.mark.requirement("T-12")
def test_samples_tell_what_momentum_is_a_sum_of() -> None:
    session = bench("inner-planets")
    session.do("step")
    session.view()
    message, _ = session.samples.message(0)
    assert message is not None
    balls = session.track.scene.balls
    motion = float((balls.mass * np.linalg.norm(session.track.sim.velocities, axis=1)).sum())
    assert message["motion"][-1] == pytest.approx(motion)
    assert session.view().meters.motion == pytest.approx(motion)
    assert np.linalg.norm(message["momentum"][-1]) < 1e-9 * motion


def test_all_that_fall_together_are_known() -> None:
    scene = Scene(
        boundary=Box(size=(4.0, 4.0)),
        balls=[
            Ball(position=(x, y), velocity=(v, 0.0), radius=0.1)
            for x, v in ((1.0, 0.5), (2.0, -0.5))
            for y in (1.0, 3.0)
        ],
    )
    session = Session(scene)
    assert len(session.view().meters.upcoming) == 2
    assert set(session.view().marks) == {0, 1, 2, 3}
    session.do("collision")
    assert session.view().meters.collisions == 2
    assert session.view().time == pytest.approx(0.8)


@pytest.mark.requirement("T-15", "S-04", "S-11")
def test_the_inspector() -> None:
    session = bench("bouncing-ball")
    session.do("select", indices=[0])
    one = session.view().inspector
    assert one is not None
    assert one.last_collision is None
    assert one.next_collision is not None
    assert one.next_collision.endswith("· y-")
    assert one.force[1] == pytest.approx(-9.81 * one.mass)
    session.do("collision")
    session.do("run")
    go(session, 0.1)
    two = session.view().inspector
    assert two is not None
    assert two.last_collision == one.next_collision
    assert two.age == pytest.approx(session.view().time)
    assert two.momentum[1] == pytest.approx(two.mass * two.velocity[1])
    assert two.kinetic == pytest.approx(0.5 * two.mass * two.speed**2)
    session.do("add", position=[0.2, 0.6], radius=0.02)
    born = session.view().time
    go(session, 0.2)
    three = session.view().inspector
    assert three is not None
    assert three.index == 1
    assert three.age == pytest.approx(session.view().time - born)


def test_the_next_collision_of_a_ball_is_found_behind_others() -> None:
    session = bench("break")
    session.do("select", indices=[9])
    following = session.view().inspector
    assert following is not None
    assert following.next_collision is not None
    first = session.view().meters.upcoming[0]
    assert 9 not in first.partners
    assert float(following.next_collision.split()[0]) >= round(first.time, 5)


def test_the_table_of_collisions() -> None:
    session = bench("break")
    session.track.toward(2.0)
    count = session.view().meters.collisions
    table = last_collisions(session.track.past, 5, session.view().time)
    assert len(table) == 5
    assert table[-1]["time"] <= 2.0
    lines = collisions_csv(session.track.past, session.view().time).splitlines()
    assert lines[0].startswith("time_s,kind,ball,partner,x_m,y_m")
    assert len(lines) == count + 1
    assert float(lines[-1].split(",")[0]) == table[-1]["time"]
    assert {line.split(",")[1] for line in lines[1:]} == {"ball-ball", "ball-wall"}
    session.do("scrub", time=0.1)
    session.settle()
    assert len(collisions_csv(session.track.past, session.view().time).splitlines()) == 1


def test_the_epoch_changes_with_what_exists_only() -> None:
    session = bench()
    first = session.view().epoch
    session.do("run")
    go(session, 0.5)
    assert session.view().epoch == first
    session.do("add")
    assert session.view().epoch > first


def test_a_scene_that_cannot_be_run_says_why_and_another_can_be_opened() -> None:
    clash = Scene(balls=[Ball(position=(0.0, 0.0), radius=1.0), Ball(position=(1.0, 0.0), radius=1.0)])
    session = Session(clash)
    session.prepare()
    assert session.message is not None
    assert "overlap" in session.message.text
    assert session.do("run") is not None
    assert session.do("open", entry="oblique") is None
    assert len(session.view().positions) == 2


def test_generators_take_parameters_from_fields() -> None:
    session = bench("empty")
    session.do("open", entry="gas", parameters={"count": "50", "seed": 3.0})
    assert session.message is None
    assert len(session.view().positions) == 50


def test_every_command_has_its_arguments_in_the_rooms() -> None:
    import inspect  # noqa: PLC0415  # of this test alone

    from carom.lab.commands.handlers import DOES  # noqa: PLC0415  # the same

    for name, command in COMMANDS.items():
        taken = list(inspect.signature(DOES[name]).parameters.values())[1:]
        assert [p.name + ("?" if p.default is not p.empty else "") for p in taken] == list(command.arguments), name


@pytest.mark.requirement("S-08")
def test_a_new_body_among_those_that_attract_is_a_satellite_and_no_second_earth() -> None:
    session = Session(library.load("satellite"), "satellite")
    assert session.do("launch", position=[0.0, 9.0e6], velocity=[6000.0, 0.0]) is None
    balls = session.view().scene.balls
    assert (balls.mass[2], balls.radius[2]) == (balls.mass[1], balls.radius[1])


def test_a_complaint_goes_when_it_is_mended_and_not_before() -> None:
    session = Session(library.load("oblique"), "oblique")
    assert session.do("change", index=0, field="mass", value=-1) is not None
    assert session.do("select", indices=[1]) is None
    assert session.message is not None
    assert session.do("change", index=0, field="mass", value=1) is None
    assert session.message is None


# Numbers of balls that mean others, searches without an end, hands of nobody.


def merging() -> Session:
    """Two bodies that soon become one, and a third far away."""
    balls = [
        Ball(position=(0.0, 0.0), mass=1.0, radius=0.1),
        Ball(position=(0.5, 0.0), velocity=(-1.0, 0.0), mass=1.0, radius=0.1),
        Ball(position=(50.0, 0.0), mass=1.0, radius=0.1),
    ]
    return Session(Scene(attraction=Attraction(touch="merge"), stepping=Stepping(step=0.01), balls=balls))


def endless() -> Session:
    """Steps, and no collision ever."""
    return Session(Scene(stepping=Stepping(step=1e-5), balls=[Ball(position=(0.0, 0.0))], drag=Drag(linear=0.1)))


def test_a_ball_that_is_not_there_yet_is_not_selected() -> None:
    session = bench()
    session.do("run")
    go(session, 0.2)
    session.do("add")
    assert session.view().selected == (2,)
    session.do("scrub", time=0.1)
    session.settle()
    assert session.view().selected == ()
    commands: list[tuple[str, dict[str, Any]]] = [
        ("nudge", {"field": "x", "steps": 1}),
        ("remove", {}),
        ("duplicate", {}),
    ]
    for command, arguments in commands:
        message = session.do(command, **arguments)
        assert message is not None
        assert "no ball is selected" in message.text
    session.selected = (0, 2)
    assert session.do("nudge", field="y", steps=1) is None, "of those that are selected, the one that is there"


def test_balls_that_merge_are_not_selected_any_more() -> None:
    session = merging()
    session.do("select", indices=[2])
    session.do("pull", index=2, target=[50.0, 0.1])
    session.do("run")
    go(session, 1.0)
    assert len(session.view().positions) == 2
    assert session.view().selected == ()
    assert session.hands == session.track.sim.held == set()
    assert session.do("add", position=[10.0, 0.0]) is None
    assert session.track.segment.births is not None
    assert len(session.track.segment.births) == 3
    go(session, 0.1)
    assert session.do("throw", index=0, velocity=[0.0, 0.0]) is None


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("pause", {}),
        ("toggle", {}),
        ("scrub", {"time": 0.0}),
        ("throw", {"index": 0, "velocity": [1.0, 0.0]}),
        ("option", {"name": "restitution_walls", "value": 0.5}),
        ("step", {}),
        ("undo", {}),
    ],
)
def test_a_search_for_a_collision_ends_with_a_command(command: str, arguments: dict[str, Any]) -> None:
    session = endless()
    session.do("throw", index=0, velocity=[0.5, 0.0])
    session.do("collision")
    until = session.hunting
    assert until is not None
    session.do("collision")
    session.do("select-all")
    assert session.hunting == until, "it is looked for already"
    assert session.do(command, **arguments) is None
    assert session.track.time < 0.1 * until, "it was not gone to the end"
    view = session.view()
    assert (view.working, view.running) == (None, False), "nothing is looked for"


def test_nothing_is_finished_when_the_bench_ends() -> None:
    session = endless()
    session.do("collision")
    session.asked = lambda: True
    session.settle()
    session.goal, session.stopping = 1e9, lambda: True
    session.settle()
    assert session.track.time < 1.0


@pytest.mark.requirement("M-13")
def test_a_hand_lets_go_whatever_is_held() -> None:
    session = bench("rope")
    session.do("pull", index=40, target=[1.5, 1.5])
    session.hands.clear()
    session.do("release", index=40)
    assert session.track.sim.held == set()
    session.do("select", indices=[61])
    session.do("steering", mode="velocity")
    session.do("steer", direction=[1, 0])
    assert session.track.sim.held == {61}
    session.do("steering", mode="place")
    session.do("select-none")
    assert session.do("steer", direction=[0, 0]) is None
    assert session.track.sim.held == session.hands == set()


@pytest.mark.requirement("M-13")
def test_no_hand_of_the_past_stays() -> None:
    session = bench("rope")
    session.do("run")
    go(session, 0.1)
    session.do("pull", index=40, target=[1.5, 1.5])
    go(session, 0.2)
    assert session.track.sim.held == {40}
    assert session.do("add", position=[0.1, 0.1]) is None
    assert session.track.sim.held == session.hands == {40}, "who pulls goes on"
    session.do("undo")
    assert session.track.sim.held == session.hands == set()
    session.do("redo")
    assert session.track.sim.held == set()
    session.do("scrub", time=0.2)
    session.settle()
    assert session.track.sim.held == {40}, "as it was"
    assert session.do("throw", index=59, velocity=[0.0, 0.0]) is None
    assert session.track.sim.held == set()


@pytest.mark.requirement("M-13")
def test_scrubbing_away_lets_go() -> None:
    session = bench("rope")
    session.do("pull", index=40, target=[1.5, 1.5])
    session.do("run")
    go(session, 0.2)
    session.do("scrub", time=0.1)
    session.settle()
    session.do("to-end")
    session.settle()
    assert session.hands == session.track.sim.held == set()


def test_collisions_that_are_not_listed_any_more_are_not_denied() -> None:
    session = bench("break")
    session.do("collision")
    session.settle()
    now = session.track.time
    assert now > 0.0
    past = session.track.past
    session.track.past = replace(past, log=CollisionLog((), oldest=now / 2))
    session.do("collision-back")
    assert session.track.time == now
    assert session.message is not None
    assert "not listed any more" in session.message.text
    session.do("scrub", time=now / 4)
    session.settle()
    session.do("collision-back")
    assert session.track.time == 0.0
    assert session.message is not None
    assert "no earlier collision" in session.message.text
