"""Adding balls to a run: only what is new is checked, with the same result as a check of everything."""

from collections.abc import Callable

import numpy as np
import pytest

from carom import ArgumentError, Ball, Balls, Box, Circle, Link, Scene, SceneError, Simulation
from carom.scene.fields.base import Part
from carom.scene.placement import check as placement

GAS = Balls(
    position=[(x, y) for x in (0.2, 0.5, 0.8) for y in (0.2, 0.5, 0.8)],
    velocity=(0.3, -0.1),
    radius=[0.05] * 8 + [0.02],
    material=["brass"] * 4 + ["ball"] * 5,
)
ROOM = Scene(boundary=Box((1.0, 1.0)), balls=GAS)
SCENES = {
    "walls": ROOM,
    "periodic": ROOM.replace(boundary=Box((1.0, 1.0), periodic=True)),
    "open": Scene(balls=GAS),
    "circle": Scene(boundary=Circle((0.5, 0.5), 1.0), balls=GAS),
    "obstacle": ROOM.replace(obstacles=[Circle((0.35, 0.35), 0.05)]),
    "linked": ROOM.replace(links=[Link((0, 1), 5.0)]),
    "points": ROOM.replace(balls=GAS.replace(radius=0.0)),
}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all parts that are made and checked."""
    names: list[str] = []
    make: Callable[..., None] = Part.__init__

    def count(self: Part, *given: object, **values: object) -> None:
        names.append(type(self).__name__)
        make(self, *given, **values)

    monkeypatch.setattr(Part, "__init__", count)
    return names


@pytest.mark.parametrize("solver", ["exact", "stepped"])
def test_a_ball_that_is_added_does_not_have_the_others_checked_again(made: list[str], solver) -> None:
    sim = Simulation(ROOM, solver=solver).run(until=0.01)
    ball = Ball((0.35, 0.35), radius=0.01, material="glass", name="new")
    made.clear()
    sim.add(ball)
    assert made == []
    assert sim.balls["new"].material == "glass"


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_the_scene_is_as_if_it_were_made_anew(scene: Scene) -> None:
    sim = Simulation(scene).run(until=0.05)
    now = sim.scene.balls
    sim.add(
        [Ball((0.65, 0.35), velocity=(0.0, 1.0), radius=0.01, name="new"), GAS[:1].replace(position=[(0.35, 0.65)])]
    )
    balls = sim.scene.balls
    again = Balls(**{name: getattr(balls, name) for name in Balls.model_fields})
    assert balls == again
    assert balls.model_fields_set == again.model_fields_set
    assert scene.replace(balls=balls) == sim.scene
    assert sim.scene.model_fields_set == scene.replace(balls=balls).model_fields_set
    assert sim.scene.origin == {}
    assert balls[: len(now)].mass.tolist() == now.mass.tolist()
    for name in ("position", "velocity", "mass", "radius", "fixed", "born"):
        assert not getattr(balls, name).flags.writeable
    sim.run(until=0.1)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_a_ball_is_taken_or_refused_as_a_check_of_everything_says(scene: Scene) -> None:
    rng = np.random.default_rng(7)
    taken = 0
    for _ in range(24):
        ball = Ball(rng.uniform(-0.1, 1.1, 2), radius=rng.choice([0.0, 0.02, 0.1]), fixed=bool(rng.random() < 0.3))
        whole = scene.replace(balls=Balls.concatenate([scene.balls, ball]))
        told = "\n".join(map(str, placement.problems(whole)))
        sim = Simulation(scene)
        if told:
            with pytest.raises(SceneError) as caught:
                sim.add(ball)
            assert str(caught.value) == told
        else:
            sim.add(ball)
            taken += 1
        assert len(sim) == (9 if told else 10)
    assert 0 < taken < 24 or scene.boundary.kind == "open"


def test_what_cannot_be_added_is_refused_as_before() -> None:
    sim = Simulation(ROOM)
    for balls, line in (
        (Ball((0.5, 0.5), radius=0.1), "balls 4 and 9 overlap"),
        (Ball((0.0, 0.5), radius=0.1), "ball 9 is across wall x-"),
        ([Ball((0.35, 0.35), radius=0.01)] * 2, "balls 9 and 10 overlap"),
        (Ball((0.35, 0.35, 0.35)), "dimensions"),
    ):
        with pytest.raises(SceneError, match=line):
            sim.add(balls)
    with pytest.raises(ArgumentError, match="is not a ball"):
        sim.add("ball")  # type: ignore[arg-type]  # that is the point
    assert len(sim) == 9
