"""Parts of a scene as a programmer meets them: by position, in `help`, in completion, and to a type checker."""

import inspect
import pydoc
import re
from pathlib import Path

import pytest
from mypy import api

import carom
from carom import Ball, Balls, Block, Box, Circle, Cylinder, HalfSpace, Link, Links, Polygon, Scene, SceneError
from carom.scene.fields.base import Part

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("made", "same"),
    [
        (Ball((0.1, 0.2), radius=0.1), Ball(position=(0.1, 0.2), radius=0.1)),
        (Balls([(0.1, 0.2)], radius=0.1), Balls(position=[(0.1, 0.2)], radius=0.1)),
        (Box((1.0, 2.0)), Box(size=(1.0, 2.0))),
        (Circle((0.0, 0.0), 1.0), Circle(centre=(0.0, 0.0), radius=1.0)),
        (Cylinder((0.0, 0.0), radius=1.0), Cylinder(centre=(0.0, 0.0), radius=1.0)),
        (Polygon([(0, 0), (1, 0), (0, 1)]), Polygon(vertices=[(0, 0), (1, 0), (0, 1)])),
        (HalfSpace((0.0, 0.0), (0.0, 1.0)), HalfSpace(point=(0.0, 0.0), normal=(0.0, 1.0))),
        (Block((0.0, 0.0), (1.0, 1.0)), Block(low=(0.0, 0.0), high=(1.0, 1.0))),
        (Link((0, 1), 5.0, damping=1.0), Link(between=(0, 1), stiffness=5.0, damping=1.0)),
        (Links([(0, 1)], 5.0), Links(between=[(0, 1)], stiffness=5.0)),
    ],
)
def test_what_comes_first_needs_no_name(made: Part, same: Part) -> None:
    assert made == same


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Ball((0.1, 0.2), 0.1), "Ball: 0.1 is given without a name. Write Ball(position, velocity=…)."),
        (lambda: Scene("box"), "Scene: 'box' is given without a name. Write Scene(name=…)."),
        (lambda: carom.Rope((0, 0)), "Rope: (0, 0) is given without a name. Write Rope(count=…)."),
        (lambda: carom.Open(1), "Open: 1 is given without a name. Write Open(…=…)."),
        (
            lambda: Ball((0.1, 0.2), position=(0.1, 0.2)),
            "position: is given twice, by position and by name. Give it once.",
        ),
    ],
)
def test_more_without_a_name_is_one_clear_line(make, line: str) -> None:
    with pytest.raises(SceneError) as caught:
        make()
    assert str(caught.value) == line


def parts(kind: type[Part] = Part) -> list[type[Part]]:
    return [each for one in kind.__subclasses__() for each in (one, *parts(one))]


def test_signatures_are_of_plain_types() -> None:
    assert len(parts()) > 30
    for kind in parts():
        told = str(inspect.signature(kind))
        assert not any(word in told for word in ("Annotated", "function", "Validator", "pydantic", "Union")), told
    assert str(inspect.signature(Ball)).startswith(
        "(position: tuple[float, ...], *, velocity: tuple[float, ...] = None, mass: float = 1.0, radius: float = 0.0,"
    )
    assert "BeforeValidator" not in pydoc.render_doc(Ball)


def test_completion_shows_what_belongs_to_a_scene() -> None:
    shown = {name for name in dir(Ball((0.0, 0.0))) if not name.startswith("_")}
    assert shown == {*Ball.model_fields, "dimension", "of", "replace"}
    for part in (Scene(), Box((1.0, 1.0)), Scene().balls):
        assert not {"parse_obj", "json", "dict", "model_dump", "copy"} & set(dir(part))


PLANTED = """
import carom
from carom import Ball, Balls, Scene, Simulation

scene = Scene(balls=[Ball((0.0, 0.0), radius=0.1, name="cue")])
sim = Simulation(scene, solver="exact")
sim.change("cue", radius=0.2, velocity=(1.0, 0.0))
sim.change(sim.balls["cue"], name=None)
sim.change_balls([0, "cue"], mass=[1.0, 2.0])
sim.change_scene(restitution=0.5)
scene.replace(gravity=(0.0, -9.81))
Simulation("break", step=0.1).run(until=1.0)

Simulation(scene, solver="exakt")  # wrong
Simulation(scene, neighbours="cell")  # wrong
Simulation(scene, contacts="bounce")  # wrong
Simulation(3)  # wrong
sim.run(untill=1.0)  # wrong
sim.change(0, radios=0.1)  # wrong
sim.change(0, radius="big")  # wrong
sim.change(0.5, radius=0.1)  # wrong
sim.change_balls([0], mas=1.0)  # wrong
sim.change_scene(restituton=0.5)  # wrong
sim.add(3)  # wrong
sim.velocities = 0.0  # wrong
sim.link(0, 1, 5.0, dampning=1.0)  # wrong
Ball((0.0, 0.0), radios=0.1)  # wrong
Ball((0.0, 0.0), radius="big")  # wrong
scene.balls[0].replace(masss=1.0)  # wrong
scene.balls.replace(radios=0.1)  # wrong
scene.replace(gravitty=(0.0, -9.81))  # wrong
carom.draw(scene, scale="huge")  # wrong
carom.sweep("pi", workers="all")  # wrong
"""


@pytest.mark.timeout(400)
def test_a_type_checker_finds_each_planted_mistake(tmp_path: Path) -> None:
    """And nothing else. Its cache is kept, so that only the first run takes long."""
    (tmp_path / "planted.py").write_text(PLANTED, encoding="utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\nfollow_imports = silent\nplugins = pydantic.mypy\n", encoding="utf-8")
    cache = ROOT / ".mypy_cache" / "planted"
    told, errors, _ = api.run([str(tmp_path / "planted.py"), "--config-file", str(config), "--cache-dir", str(cache)])
    assert not errors
    found = {int(number) for number in re.findall(r":(\d+): error: ", told)}
    planted = {number for number, line in enumerate(PLANTED.splitlines(), start=1) if line.endswith("# wrong")}
    assert found == planted, told
