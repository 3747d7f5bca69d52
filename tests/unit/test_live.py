"""The balls of a run by number, by name, and by handles that stay with their ball."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from carom import ArgumentError, Attraction, Ball, Balls, Box, Scene, Simulation, library
from carom.simulation.live_balls import LiveBall

SCENE = Scene(
    name="Three",
    boundary=Box(size=(1.0, 1.0)),
    drag=0.0,
    balls=[
        Ball(position=(0.2, 0.2), velocity=(0.1, 0.0), radius=0.05, name="cue"),
        Ball(position=(0.5, 0.5), radius=0.05, mass=2.0, name="red"),
        Ball(position=(0.8, 0.8), radius=0.05, name="black", fixed=True, material="ivory"),
    ],
)


@pytest.fixture
def sim() -> Simulation:
    return Simulation(SCENE, solver="stepped", step=0.01).run(until=0.1)


def test_a_ball_tells_what_it_is(sim: Simulation) -> None:
    cue = sim.balls["cue"]
    assert (cue.index, cue.id, cue.name) == (0, 0, "cue")
    assert cue.position.tolist() == sim.positions[0].tolist()
    assert cue.velocity.tolist() == sim.velocities[0].tolist()
    black = sim.balls[-1]
    assert (black.mass, black.radius, black.fixed, black.material) == (1.0, 0.05, True, "ivory")
    assert repr(black) == "<ball 2 'black' at (0.8, 0.8) m>"
    assert len(sim) == len(sim.balls) == 3
    assert [each.name for each in sim.balls] == [each.name for each in sim.balls[:]] == ["cue", "red", "black"]


def test_a_simulation_without_balls_is_true() -> None:
    empty = Simulation(Scene())
    assert len(empty) == 0
    assert empty


@pytest.mark.parametrize("which", ["number", "name", "handle"])
def test_a_ball_is_named_in_three_ways(sim: Simulation, which: str) -> None:
    def the(k: int):
        return {"number": k, "name": SCENE.balls.name[k], "handle": sim.balls[k]}[which]

    sim.change(the(0), velocity=(1.0, 0.0))
    sim.change_balls([the(0), the(1)], mass=[3.0, 4.0])
    assert sim.velocities[0].tolist() == [1.0, 0.0]
    assert sim.masses.tolist() == [3.0, 4.0, 1.0]
    sim.push(the(1), (0.0, 4.0))
    assert sim.velocities[1].tolist() == [0.0, 1.0]
    sim.drive(the(1), acceleration=(0.0, 1.0))
    sim.pull(the(0), (0.5, 0.5))
    sim.release(the(1))
    sim.link(the(0), the(1), 5.0, damping=1.0)
    assert sim.links.between.tolist() == [[0, 1]]
    sim.unlink(the(1), the(0))
    assert not len(sim.links)
    sim.remove(the(0))
    assert [each.name for each in sim.balls] == ["red", "black"]


def test_a_handle_stays_with_its_ball(sim: Simulation) -> None:
    cue, red, black = sim.balls
    place = black.position.tolist()
    sim.remove("red")
    assert (cue.index, black.index) == (0, 1)
    assert black.position.tolist() == place
    assert red not in sim.balls
    assert black in sim.balls
    (number,) = sim.add(Ball(position=(0.5, 0.2), radius=0.05, name="red"))
    assert number == 2
    assert sim.balls["red"] != red
    assert sim.balls["red"].id == 3  # no other ball gets the identity of one that is gone
    assert sim.balls.ids.tolist() == [0, 2, 3]
    sim.change(black, fixed=False, position=(0.7, 0.7))
    assert black.position.tolist() == [0.7, 0.7]
    assert sim.balls[1] == black
    assert hash(sim.balls[1]) == hash(black)


def test_one_that_is_gone_is_told_in_one_line(sim: Simulation) -> None:
    red = sim.balls["red"]
    sim.remove([red, "cue"])
    for use in (lambda: red.position, lambda: sim.change(red, mass=1.0), lambda: red.index):
        with pytest.raises(ArgumentError, match=r"^ball: the ball with the id 1 was removed or merged\. Ask first"):
            use()
    assert repr(red) == "<ball with the id 1, which is gone>"
    assert len(sim) == 1


def test_one_that_is_merged_is_gone_and_the_other_stays() -> None:
    balls = [
        Ball(position=(0.0, 2.0), radius=0.1),
        Ball(position=(-1.0, 0.0), velocity=(1.0, 0.0), radius=0.2, name="small"),
        Ball(position=(1.0, 0.0), velocity=(-1.0, 0.0), radius=0.2, mass=9.0, name="large"),
        Ball(position=(0.0, -9.0), radius=0.1),
    ]
    sim = Simulation(Scene(balls=balls, attraction=Attraction(G=1e-9, touch="merge")), step=0.01)
    first, small, large, last = sim.balls
    sim.run(until=1.5)
    assert sim.balls.ids.tolist() == [0, 1, 3]
    assert (first.index, small.index, last.index) == (0, 1, 2)
    assert small.mass == 10.0
    assert small.name == "large"  # of the heavier one
    assert large not in sim.balls


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cu", "index: there is no ball named 'cu'. Did you mean 'cue'?"),
        ("x" * 100_000, "Known names: cue, red, black."),
        ("red", "index: 2 balls are named 'red'. Use the number of one of them: 1, 3."),
        (7, "index: there is no ball 7. Use a number from 0 to 3."),
        (True, "index: there is no ball True. Use a number from 0 to 3."),
        (1.0, "index: there is no ball 1.0. Use a number from 0 to 3."),
        (None, "index: there is no ball None. Use a number from 0 to 3."),
    ],
)
def test_a_name_that_is_no_ball_or_several_is_one_clear_line(sim: Simulation, name, line: str) -> None:
    sim.add(Ball(position=(0.2, 0.8), radius=0.05, name="red"))
    before = sim.balls.ids.tolist()
    for use in (sim.remove, lambda which: sim.change(which, mass=1.0), lambda which: sim.balls[which]):
        with pytest.raises(ArgumentError) as caught:
            use(name)
        assert str(caught.value).startswith("index: ")
        assert str(caught.value).endswith(line)
        assert len(str(caught.value)) < 200
    assert sim.balls.ids.tolist() == before


def test_nothing_is_set_on_a_handle(sim: Simulation) -> None:
    cue: LiveBall = sim.balls["cue"]
    with pytest.raises(ArgumentError, match=r"velocity: is read from the run, .* change\(ball, velocity=…\)"):
        cue.velocity = (1.0, 0.0)  # type: ignore[misc]  # that is the point
    with pytest.raises(ArgumentError, match=r"sim\.change\(index, position=…\)"):
        cue.position[0] = 0.5


def test_copies_and_saved_runs_keep_identities(sim: Simulation, tmp_path: Path) -> None:
    sim.remove(0)
    sim.add(Ball(position=(0.2, 0.8), radius=0.05))
    sim.remove(2)  # the next one gets 4, not 3 again
    sim.save(tmp_path / "a.checkpoint")
    red = sim.balls["red"]
    for other in (sim.copy(), pickle.loads(pickle.dumps(sim)), Simulation.resume(tmp_path / "a.checkpoint")):
        assert other.balls.ids.tolist() == [1, 2]
        other.add(Ball(position=(0.2, 0.8), radius=0.05))
        assert other.balls.ids.tolist() == [1, 2, 4]
        other.change(red, mass=7.0)  # a handle names the same ball in a copy
        assert other.masses.tolist() == [7.0, 1.0, 1.0]
    assert sim.masses.tolist() == [2.0, 1.0]


def test_balls_of_a_scene_by_name() -> None:
    assert SCENE.balls["red"] == SCENE.balls[1]
    with pytest.raises(ArgumentError, match="Did you mean 'red'"):
        SCENE.balls["rad"]
    with pytest.raises(ArgumentError, match="No ball has a name: use its number"):
        Balls(position=np.zeros((1, 2)))["red"]


def test_a_simulation_tells_what_it_is() -> None:
    sim = Simulation(library.load("break"))
    assert repr(sim) == str(sim) == "<Simulation of Break: 16 balls in 2D, exact, t = 0 s, 0 collisions>"
    sim.run(collisions=1)
    assert repr(sim) == f"<Simulation of Break: 16 balls in 2D, exact, t = {sim.time:.6g} s, 1 collision>"
    one = Simulation(Scene(drag=1.0, balls=[Ball(position=(0.0, 0.0, 0.0))]))
    assert repr(one) == "<Simulation: 1 ball in 3D, stepped, t = 0 s, 0 collisions>"


def test_a_simulation_of_a_scene_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Simulation("break").scene == library.load("break")
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('name = "Mine"\nballs = [{ position = [0, 0] }]\n', encoding="utf-8")
    for source in ("mine.toml", Path("mine.toml"), tmp_path / "mine.toml", "./mine.toml"):
        assert Simulation(source).scene.name == "Mine"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("brake", "scene: there is no scene 'brake' in the library, and no file of this name. Did you mean 'break'?"),
        ("no.toml", "no.toml: there is no such file. Check the name."),
        ("\0", "scene: there is no scene '\\x00' in the library, and no file of this name. Known scenes: "),
        (3, "scene: 3 is not a scene. Give a Scene, the name of one in carom.library, or the path of a scene file."),
        (Ball(position=(0.0, 0.0)), "is not a scene. Give a Scene,"),
    ],
)
def test_what_is_no_scene_is_one_clear_line(source, line: str) -> None:
    with pytest.raises(ValueError, match=r"scene|file") as caught:
        Simulation(source)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
