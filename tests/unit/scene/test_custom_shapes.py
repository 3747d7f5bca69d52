"""A new shape is one class: solvers, drawings, messages, placement, measures and files know it by what it offers."""

import json
import math
import pickle
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pytest
from pydantic import Field

from carom import Ball, Balls, Box, Circle, Polygon, Scene, SceneError, Simulation
from carom.lab.bench.session import Session
from carom.lab.commands.walls import corners
from carom.lab.seen.scene_message import scene_message
from carom.lab.thumbnails import _flat, _solid
from carom.observe.measures import geometry
from carom.scene.fields.quantities import PlaneVector, Positive, Whole, Word
from carom.scene.io.files import dumps, loads
from carom.scene.placement.check import problems
from carom.scene.shapes import kinds
from carom.scene.shapes.base import Boundary, Obstacle
from carom.scene.shapes.features import Prism, Round
from carom.scene.shapes.outline import Outline
from carom.video.painting.solids import Solids
from carom.views import draw
from carom.views.region import bounds
from carom.views.shapes import contours


class Ring(Boundary, Obstacle):
    """A regular polygon about a centre."""

    by_position = ("centre", "radius", "sides")
    exact_in = (2,)
    flat = True

    kind: Literal["ring"] = "ring"
    centre: PlaneVector = Field(description="place of its centre, in m, two numbers")
    radius: Positive = Field(description="from its centre to its corners, in m")
    sides: Whole = Field(default=6, description="how many")
    material: Word = Field(default="wall", description="material of its sides")

    @property
    def outline(self) -> Outline:
        """Its corners, counter-clockwise."""
        angles = 2.0 * math.pi * np.arange(self.sides) / self.sides
        return Outline.closed(self.centre + self.radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))

    @property
    def walls(self) -> Iterator[Prism]:
        """Round the balls."""
        yield Prism(self.outline, (self.material,) * self.sides, "", inside=True)

    def solids(self, name: str = "") -> Iterator[Prism]:
        """In the way."""
        yield Prism(self.outline, (self.material,) * self.sides, name)

    def volume(self, inset: float = 0.0) -> float:
        """Its area."""
        return self.outline.area


class Dumbbell(Obstacle):
    """Two circles, in 3D spheres, side by side."""

    exact_in = (2, 3)

    kind: Literal["dumbbell"] = "dumbbell"
    ends: tuple[tuple[float, ...], ...] = Field(description="the centres, in m")
    radius: Positive = Field(description="of each, in m")

    @property
    def dimension(self) -> int:
        """That of its ends."""
        return len(self.ends[0])

    def solids(self, name: str = "") -> Iterator[Round]:
        """Two of them."""
        for k, centre in enumerate(self.ends):
            yield Round(centre, self.radius, "steel", f"{name} end {k}")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Known to scene files during a test."""
    monkeypatch.setattr(kinds, "_boundaries", [*kinds._boundaries])
    monkeypatch.setattr(kinds, "_obstacles", [*kinds._obstacles])
    kinds.register(Ring)
    kinds.register(Dumbbell)


def of_polygons(scene: Scene) -> Scene:
    """The same scene made of polygons and circles that carom has."""
    (dumbbell, ring), hall = scene.obstacles, scene.boundary
    circles = [Circle(centre, dumbbell.radius, material="steel") for centre in dumbbell.ends]
    table = Polygon(hall.outline.start, material=hall.material)
    return scene.replace(boundary=table, obstacles=[*circles, Polygon(ring.outline.start, material=ring.material)])


SCENE = Scene(
    name="ring",
    boundary=Ring((1.0, 1.0), 2.0, material="felt"),
    obstacles=[Dumbbell(ends=((0.5, 0.2), (1.5, 0.2)), radius=0.2), Ring((1.0, 1.6), 0.4, 5)],
    balls=Balls(
        position=[(x, 0.9) for x in (0.1, 0.6, 1.1, 1.6)],
        velocity=[(1.0, 0.3), (-0.4, 0.9), (0.2, -1.1), (0.7, 0.7)],
        radius=0.08,
    ),
)


@pytest.mark.requirement("M-08")
@pytest.mark.parametrize(("solver", "step"), [("exact", None), ("stepped", 1e-3)])
def test_both_solvers_run_it_like_the_same_walls_made_of_other_shapes(solver: str, step: float | None) -> None:
    run, other = (Simulation(scene, solver=solver, step=step) for scene in (SCENE, of_polygons(SCENE)))
    met = {each.wall for each in run.events(until=6.0)}
    assert met >= {"edge 0", "obstacle 0 end 1", "obstacle 1 edge 4"}
    assert run.collisions == other.run(until=6.0).collisions > 15
    assert run.positions.tobytes() == other.positions.tobytes()


def test_materials_of_it_count() -> None:
    pairs = [{"materials": ("ball", "felt"), "value": 0.5}]
    scene = SCENE.replace(restitution={"ball_ball": 1.0, "ball_wall": 1.0, "pairs": pairs})
    sim = Simulation(scene, solver="exact")
    before = sim.kinetic_energy
    assert sim.run(until=2.0).kinetic_energy < 0.9 * before


def test_what_the_exact_solver_cannot_do_is_said_by_its_kind() -> None:
    assert SCENE.forces_needed == []
    tower = Scene(boundary=Ring((0.0, 0.0), 1.0), balls=[Ball((0.0, 0.0, 0.0), radius=0.1)])
    assert tower.forces_needed == ["the ring of the boundary in three dimensions"]
    assert Simulation(tower).solver == "stepped"


def test_placement() -> None:
    assert problems(SCENE) == []
    wrong = SCENE.replace(balls=Balls(position=[(2.95, 1.0), (4.0, 1.0), (1.0, 1.5), (0.5, 0.45)], radius=0.1))
    assert [problem.what for problem in problems(wrong)] == [
        "ball 1 is outside the polygon: its centre is at (4, 1) m",
        "ball 0 is across edge 5 of the polygon: centre 0.0433012701892 m from it, radius 0.1 m",
        "ball 2 is inside obstacle 1",
        "ball 3 overlaps obstacle 0: centres 0.25 m apart, radii add up to 0.3 m",
    ]


def test_files() -> None:
    text = dumps(SCENE)
    assert 'kind = "ring"' in text
    assert "sides = 6" not in text, "what is at its default is left out"
    assert loads(text) == SCENE
    assert pickle.loads(pickle.dumps(SCENE)) == SCENE
    with pytest.raises(SceneError, match="Did you mean 'ring'"):
        loads(text.replace('kind = "ring"', 'kind = "rong"'))
    with pytest.raises(SceneError, match="is not a kind of boundary"):
        Scene(boundary=SCENE.obstacles[0])


def test_drawings_are_those_of_the_same_walls_made_of_other_shapes() -> None:
    same = of_polygons(SCENE)
    assert draw(SCENE) == draw(same)
    assert _flat(SCENE) == _flat(same)
    for one, other in zip(contours(SCENE, 1.0), contours(same, 1.0), strict=True):
        assert (one.solid, one.joined) == (other.solid, other.joined)
        assert all(np.array_equal(*pair) for pair in zip(one.loops, other.loops, strict=True))


def test_the_message_for_the_page() -> None:
    told, same = (scene_message(Session(scene).preview()) for scene in (SCENE, of_polygons(SCENE)))
    assert told["bounds"] == same["bounds"]
    assert [shape.pop("of") for shape in told["obstacles"]] == [0, 0, 1]
    assert [shape.pop("of") for shape in same["obstacles"]] == [0, 1, 2]
    for shape in (*same["walls"], same["obstacles"][2]):
        shape["vertices"] = []  # corners of a ring cannot be dragged
    assert (told["walls"], told["obstacles"]) == (same["walls"], same["obstacles"])
    json.dumps(told)
    assert corners(SCENE) == []


def test_in_space() -> None:
    ends = ((0.5, 0.5, 0.5), (1.5, 0.5, 0.5))
    scene = Scene(
        boundary=Box((2.0, 2.0, 2.0)),
        obstacles=[Dumbbell(ends=ends, radius=0.2)],
        balls=[Ball((0.2, 0.5, 0.5), velocity=(1.0, 0.0, 0.0), radius=0.05)],
    )
    same = scene.replace(obstacles=[Circle(centre, 0.2, material="steel") for centre in ends])
    assert [event.wall for event in Simulation(scene).events(until=0.2)] == ["obstacle 0 end 0"]
    assert problems(scene) == []
    assert _solid(scene) == _solid(same)
    drawn, expected = (Solids.of(each, *bounds(each)) for each in (scene, same))
    assert np.array_equal(drawn.faces, expected.faces)


def test_measures() -> None:
    scene = SCENE.replace(obstacles=[])
    assert geometry.volume(scene) == pytest.approx(1.5 * math.sqrt(3.0) * 2.0**2)
    assert Ring((0.0, 0.0), 1.0).half_width == math.inf


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, -9.81, 0.0)])
def test_a_round_hole_of_a_prism_is_round_at_every_height(gravity: tuple[float, float, float]) -> None:
    hall = Polygon([(0, 0), (4, 0), (4, 3), (0, 3)], holes=[Circle((2.0, 1.5), 0.5)])
    ball = Ball((1.0, 1.5, 7.0), velocity=(2.0, 0.0, 0.0), radius=0.1)
    scene = Scene(boundary=hall, gravity=gravity, balls=[ball])
    assert problems(scene) == []
    (met, *_) = Simulation(scene).events(until=0.5)
    assert met.wall == "hole 0"
    inside = scene.replace(balls=[Ball((2.0, 1.2, 7.0), radius=0.1)])
    assert [str(each) for each in problems(inside)] == ["ball 0 is inside hole 0, 0.2 m deep. Move the ball out of it."]
