"""Bodies do not rotate: it is said wherever friction or pool is offered, with what it means for heaps."""

import inspect
import json
import re
from pathlib import Path

import pytest

import carom
from carom import Friction, Simulation, library
from carom.scene.friction import Coulomb

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "src/carom/lab/texts"


def entry(name: str) -> library.Entry:
    return next(each for each in library.catalogue() if each.name == name)


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("scenes.md", "## Friction"),
        ("forces.md", "## Forbidden regions, friction"),
        ("solvers.md", "### Rest and friction"),
        ("teaching.md", "## 8 What slows things down"),
    ],
)
def test_documents_say_it_where_friction_is(page: str, heading: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    section = re.split(r"\n#{2,3} ", text)[0]
    assert "odies do not rotate" in section
    assert re.search(r"heaps? .*higher|higher", section)


@pytest.mark.parametrize("part", [Friction, Coulomb])
def test_friction_says_it(part: type) -> None:
    assert "Bodies do not rotate" in inspect.getdoc(part)
    definitions = carom.Scene.model_json_schema()["$defs"]
    assert "Bodies do not rotate" in definitions[part.__name__]["description"]


def test_the_library_says_it() -> None:
    assert entry("pour").sentence.endswith("higher than a heap of real disks, which can roll.")
    assert entry("pool-break").sentence.startswith("Frictionless, no spin, no pockets")
    assert library.load("pool-break").description.startswith("Frictionless, no spin, no pockets")
    assert library.generators()["pool-break"].__doc__.startswith("Frictionless, no spin, no pockets")


@pytest.mark.parametrize(
    ("language", "pool", "roll"),
    [
        ("pl", "Bez tarcia, bez rotacji, bez łuz", "mogą się toczyć."),
        ("ru", "Без трения, без вращения, без луз", "катиться."),
    ],
)
def test_the_laboratory_says_it_in_other_languages(language: str, pool: str, roll: str) -> None:
    told = json.loads((TEXTS / f"library.{language}.json").read_text(encoding="utf-8"))
    assert told[entry("pool-break").sentence].startswith(pool)
    assert told[entry("pour").sentence].endswith(roll)


def test_pool_breaks_without_friction_spin_and_pockets() -> None:
    """What the text says is so: nothing but collisions changes a ball, and none leaves the table."""
    scene = library.load("pool-break")
    assert scene.friction == Friction()
    assert scene.drag is None
    sim = Simulation(scene).run(until=1.0)
    assert sim.solver == "exact"
    assert len(sim.positions) == len(scene.balls) == 16
    assert not hasattr(sim, "angular_velocities")


def told_heights() -> dict[float, list[float]]:
    """The table in scenes.md: for each μ, the mean heights in carom, and in pymunk without and with rotation."""
    text = (ROOT / "docs/scenes.md").read_text(encoding="utf-8").partition("| μ | carom |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {float(row[0]): [float(cell.partition(" ")[0]) for cell in row[1:]] for row in rows}


@pytest.mark.timeout(400)  # it compiles kernels of piles
@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_the_heights_in_the_document_are_those_of_heaps(friction: float) -> None:
    """One seed of the five whose mean is told; the spread of their heights is below 0.003 m, of which it keeps to 3."""
    ours, _, rolling = told_heights()[friction]
    sim = Simulation(library.load("pour", count=300, friction=friction)).run(until=6.0)
    height = float(sim.positions[:, 1].mean())
    assert abs(height - ours) < 0.009
    assert (height > rolling + 0.01) == (friction > 0.0)
