"""A recording that is played, without a notebook."""

from pathlib import Path

import numpy as np
import pytest

from carom import Ball, Box, Recording, Scene, Simulation, draw, library
from carom.errors import StorageError
from carom.notebook.display import mime_bundle, scene_at
from carom.notebook.playback import RecordingPlayer

SCENE = Scene(
    name="Two",
    gravity=(0.0, -1.0),
    boundary=Box(size=(1.0, 0.6)),
    balls=[
        Ball(position=(0.5, 0.3), radius=0.1, mass=1.0, name="large"),
        Ball(position=(0.2, 0.3), velocity=(0.4, 0.05), radius=0.05, mass=0.2),
    ],
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("playback") / "two.h5"
    sim = Simulation(SCENE, solver="exact")
    with sim.record(made, every=0.25):
        sim.run(until=3.0)
    return made


@pytest.fixture
def player(path: Path) -> RecordingPlayer:
    with Recording(path) as recording:
        return RecordingPlayer(recording, clock=lambda: 0.0)  # opens the file for itself


@pytest.mark.requirement("T-14")
def test_any_instant_is_that_of_the_run(player: RecordingPlayer) -> None:
    for time in (0.1234, 1.5, 0.7):
        player.do("scrub", time=time)
        view, run = player.view(), Simulation(SCENE, solver="exact").run(until=time)
        assert view.time == time
        assert (view.positions == run.positions).all()
        assert (view.velocities == run.velocities).all()
        assert view.meters.collisions == run.collisions
        assert view.meters.total == pytest.approx(run.energy, rel=1e-13)
        assert view.meters.momentum == pytest.approx(run.momentum, rel=1e-13)
        assert view.marks == tuple(dict.fromkeys(k for each in run.upcoming for k in each.partners))


def test_it_plays_to_the_end_and_again_from_the_start(player: RecordingPlayer) -> None:
    player.do("speed", factor=2)
    player.do("run")
    player.advance(1.0)
    assert player.view().time == pytest.approx(2.0)
    assert player.busy
    player.advance(10.0)
    assert player.view().time == 3.0
    assert not player.busy
    player.do("toggle")
    assert player.view().time == 0.0
    assert player.busy


def test_from_collision_to_collision(player: RecordingPlayer) -> None:
    met = [each.time for each in Simulation(SCENE, solver="exact").events(until=3.0)]
    seen = []
    for _ in range(3):
        player.do("collision")
        seen.append(player.now)
    assert seen == met[:3]
    player.do("collision-back")
    assert player.now == met[1]
    player.do("to-end")
    assert player.do("collision") is None
    assert "no later collision" in player.view().message.text


def test_a_ball_tells_its_numbers(player: RecordingPlayer) -> None:
    player.do("select", indices=[0])
    player.do("scrub", time=1.0)
    ball = player.view().inspector
    run = Simulation(SCENE, solver="exact")
    own = [each for each in run.events(until=3.0) if 0 in each.partners]
    before, after = [e for e in own if e.time <= 1.0][-1], next(e for e in own if e.time > 1.0)
    assert ball.name == "large"
    assert ball.mass == 1.0
    assert ball.last_collision.startswith(f"{before.time:.6g} s · {1 if len(before.partners) > 1 else before.wall}")
    assert ball.next_collision.startswith(f"{after.time:.6g} s · {1 if len(after.partners) > 1 else after.wall}")


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("speed", {"factor": 1000}, "out of range"),
        ("scrub", {"time": "soon"}, "not a number"),
        ("select", {"indices": [5]}, "5"),
    ],
)
def test_a_refusal_is_one_line(player: RecordingPlayer, command: str, arguments: dict[str, object], words: str) -> None:
    refused = player.do(command, **arguments)
    assert words in refused.text
    assert "\n" not in refused.text
    assert player.view().message == refused


def test_the_chart_has_the_stored_energies(player: RecordingPlayer) -> None:
    chart, mark = player.chart(0)
    assert chart["time"] == pytest.approx(np.arange(0.0, 3.01, 0.25))
    assert np.ptp(chart["total"]) < 1e-14
    assert player.chart(mark)[0] is None


def test_a_run_in_steps_shows_what_was_stored(tmp_path: Path) -> None:
    sim = Simulation(library.load("two-bodies"))
    with sim.record(tmp_path / "orbit.h5", every=0.5):
        sim.run(until=2.0)
    with Recording(tmp_path / "orbit.h5") as recording:
        player = RecordingPlayer(recording)
        player.do("scrub", time=1.3)
        assert player.view().time == 1.0  # the frame before
        player.do("step")
        assert player.view().time == 1.5
        assert np.isnan(player.view().meters.total)  # attraction is not recorded
        player.release()


def test_a_picture_of_a_recording(path: Path) -> None:
    with Recording(path) as recording:
        data = mime_bundle(recording)
    assert set(data) == {"text/plain", "image/svg+xml"}  # nobody is there to use a widget
    assert data["text/plain"] == "<Recording of Two: 2 balls in 2D, exact>"


def test_balls_that_are_gone(path: Path) -> None:
    with Recording(path) as recording:
        frame = recording[3]
    places = frame.positions.copy()
    places[1] = np.nan
    gone = type(frame)(frame.time, places, frame.velocities, frame.turns)
    assert scene_at(SCENE, gone).balls.born.tolist() == [0.0, 1.0]
    assert draw(scene_at(SCENE, gone), scale="fit").count("<circle") == draw(SCENE, scale="fit").count("<circle") - 1


@pytest.mark.requirement("T-14")
def test_what_is_seen_goes_on_as_a_run(player: RecordingPlayer) -> None:
    player.do("scrub", time=1.1)
    run = player.simulation()
    assert run.time == 1.1
    assert (run.run(until=4.0).positions == Simulation(SCENE, solver="exact").run(until=4.0).positions).all()


def test_letting_go_closes_the_file(player: RecordingPlayer) -> None:
    player.release()
    with pytest.raises(StorageError, match="the recording is closed"):
        _ = player.recording.file
