"""Scenes that are meant to break the solver. Nothing may hang, crash, gain energy or escape, whatever the scene."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom import Ball, Balls, Box, Circle, Open, Polygon, Scene, Simulation
from carom.errors import StackError
from effort import examples
from reference.brute_force import BruteForce
from reference.separation import deepest_overlap

EPS = np.finfo(float).eps
TRIANGLE = Polygon(vertices=[(0.0, 0.0), (3.0, 0.0), (0.0, 4.0)])
NOTCH = Polygon(vertices=[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 2.0), (0.0, 4.0)])


def size_of(scene: Scene) -> float:
    boundary = scene.boundary
    if isinstance(boundary, Box):
        return max(boundary.size)
    if isinstance(boundary, Circle):
        return boundary.radius
    if isinstance(boundary, Polygon):
        return float(np.ptp(np.array(boundary.vertices)))
    return float(np.abs(scene.balls.position).max())


def endure(sim: Simulation, collisions: int = 500, until: float = np.inf) -> None:
    """Run, and see that nothing is lost and nothing comes from nowhere."""
    scene = sim.scene
    before = sim.energy
    fastest = max(float(np.abs(scene.balls.velocity).max(initial=0.0)), 1e-300)
    sim.run(until=until if np.isfinite(until) else 1e9 * size_of(scene) / fastest, collisions=collisions)
    assert np.isfinite(sim.positions).all()
    assert np.isfinite(sim.velocities).all()
    swing = float(
        (scene.balls.mass.sum() * np.abs(scene.gravity).max() * size_of(scene)) if any(scene.gravity) else 0.0
    )
    assert sim.energy - before <= 64.0 * EPS * max(sim.collisions, 1) * (abs(before) + swing)
    assert sim.collisions <= collisions
    # A place is off by as much as rounding of the time moves a ball: a path of at most so many regions in an epoch.
    moved = size_of(scene) if isinstance(scene.boundary, Open) else size_of(scene) * max(collisions, 100)
    assert deepest_overlap(sim.snapshot()) <= 4.0 * EPS * moved + 1e-9 * scene.balls.radius.max(initial=0.0)


def ball(*place: float, v: Any = None, r: float = 0.5, m: float = 1.0) -> Ball:
    return Ball(position=place, velocity=v or (0.0,) * len(place), radius=r, mass=m)


def row(count: int, v0: float) -> list[Ball]:
    """Balls that touch each other in a row; the first one moves into the others."""
    return [ball(0.5 + k, 1.0, v=(v0 if k == 0 else 0.0, 0.0)) for k in range(count)]


def star_of(count: int, v: float) -> list[Ball]:
    """Balls on a circle, all flying at once towards one in the middle."""
    angle = 2.0 * np.pi * np.arange(count) / count
    return [
        ball(4.0, 4.0, r=0.5),
        *(
            ball(4.0 + 3.0 * np.cos(a), 4.0 + 3.0 * np.sin(a), v=(-v * np.cos(a), -v * np.sin(a)), r=0.25)
            for a in angle
        ),
    ]


BOX = Box(size=(8.0, 8.0))
SCENES: dict[str, Scene] = {
    "touching, at rest": Scene(boundary=BOX, balls=row(8, 0.0)),
    "touching, struck": Scene(boundary=BOX, balls=row(8, 1.0)),
    "touching walls on all sides": Scene(boundary=Box(size=(1.0, 1.0)), balls=[ball(0.5, 0.5, v=(1.0, 0.7))]),
    "fits with no play along y": Scene(
        boundary=Box(size=(8.0, 1.0)), balls=[ball(0.5, 0.5, v=(1.0, 0.0)), ball(3.0, 0.5)]
    ),
    "fits with no play, pressed": Scene(
        boundary=Box(size=(8.0, 1.0)), balls=[ball(0.5, 0.5, v=(1.0, 0.1)), ball(3.0, 0.5)]
    ),
    "exactly grazing": Scene(boundary=BOX, balls=[ball(1.0, 1.0, v=(1.0, 0.0)), ball(4.0, 2.0)]),
    "grazing by a bit": Scene(boundary=BOX, balls=[ball(1.0, 1.0, v=(1.0, 0.0)), ball(4.0, np.nextafter(2.0, 0.0))]),
    "grazing the wall": Scene(boundary=BOX, balls=[ball(1.0, 0.5, v=(1.0, 0.0)), ball(4.0, 7.5, v=(-1.0, 0.0))]),
    "head on at once": Scene(boundary=BOX, balls=star_of(12, 1.0)),
    "head on at once, e = 1/2": Scene(boundary=BOX, balls=star_of(6, 1.0), restitution=0.5),
    "exactly in a corner": Scene(boundary=BOX, balls=[ball(0.5, 0.5, v=(-1.0, -1.0)), ball(7.5, 7.5, v=(1.0, 1.0))]),
    "into the corner": Scene(boundary=BOX, balls=[ball(2.5, 2.5, v=(-1.0, -1.0)), ball(5.5, 5.5, v=(1.0, 1.0))]),
    "points into the corners": Scene(
        boundary=BOX, balls=[ball(2.0, 2.0, v=(-1.0, -1.0), r=0.0), ball(6.0, 6.0, v=(1.0, 1.0), r=0.0)]
    ),
    "two points head on": Scene(
        boundary=BOX, balls=[ball(2.0, 2.0, v=(1.0, 0.0), r=0.0), ball(6.0, 2.0, v=(-1.0, 0.0), r=0.0)]
    ),
    "point into a polygon's corner": Scene(boundary=TRIANGLE, balls=[ball(0.75, 1.0, v=(0.75, -1.0), r=0.0)]),
    "point into a sharp corner": Scene(boundary=TRIANGLE, balls=[ball(0.5, 0.5, v=(2.5, -0.5), r=0.0)]),
    "disc into a sharp corner": Scene(boundary=TRIANGLE, balls=[ball(0.75, 0.75, v=(2.25, -0.5), r=0.25)]),
    "point on a reflex corner": Scene(boundary=NOTCH, balls=[ball(2.0, 1.0, v=(0.0, 1.0), r=0.0)]),
    "disc on a reflex corner": Scene(boundary=NOTCH, balls=[ball(2.0, 1.0, v=(0.0, 1.0), r=0.25)]),
    "through the centre of a circle": Scene(
        boundary=Circle(centre=(0.0, 0.0), radius=1.0), balls=[ball(0.0, 0.0, v=(1.0, 0.0), r=0.25)]
    ),
    "along the wall of a circle": Scene(
        boundary=Circle(centre=(0.0, 0.0), radius=1.0), balls=[ball(0.75, 0.0, v=(0.0, 1.0), r=0.25)]
    ),
    "point along the wall of a circle": Scene(
        boundary=Circle(centre=(0.0, 0.0), radius=1.0), balls=[ball(1.0, 0.0, v=(0.0, 1.0), r=0.0)]
    ),
    "fills the circle": Scene(
        boundary=Circle(centre=(0.0, 0.0), radius=1.0), balls=[ball(0.0, 0.0, v=(1.0, 1.0), r=1.0)]
    ),
    "slow": Scene(boundary=BOX, balls=[ball(2.0, 2.0, v=(1e-12, 2e-12)), ball(5.0, 5.0, v=(-1e-12, 0.0))]),
    "fast": Scene(boundary=BOX, balls=[ball(2.0, 2.0, v=(1e12, 2e12)), ball(5.0, 5.0, v=(-1e12, 0.0))]),
    "fast and slow": Scene(boundary=BOX, balls=[ball(2.0, 2.0, v=(1e12, 2e11)), ball(5.0, 5.0, v=(1e-12, 0.0))]),
    "heavy and light": Scene(boundary=BOX, balls=[ball(2.0, 2.0, v=(1.0, 0.1), m=1e12), ball(5.0, 2.2, m=1e-12)]),
    "large and small": Scene(
        boundary=BOX, balls=[ball(4.0, 4.0, v=(1.0, 0.1), r=3.0), ball(0.5, 0.5, v=(1.0, 2.0), r=1e-3)]
    ),
    "ball that meets two images": Scene(
        boundary=Box(size=(2.0, 2.0), periodic=True), balls=[ball(0.5, 0.5, v=(0.1, 1.0)), ball(1.5, 1.25)]
    ),
    "wedged between two images": Scene(
        boundary=Box(size=(2.0, 8.0), periodic=True), balls=[ball(0.5, 0.5, v=(0.0, 1.0)), ball(1.5, 3.0)]
    ),
    "touching its own image": Scene(
        boundary=Box(size=(1.0, 8.0), periodic=True), balls=[ball(0.5, 0.5, v=(0.3, 1.0)), ball(0.5, 3.0)]
    ),
    "nanometres": Scene(
        boundary=Box(size=(8e-9, 8e-9)),
        balls=[ball(2e-9, 2e-9, v=(1.0, 2.0), r=5e-10, m=1e-26), ball(5e-9, 2e-9, r=5e-10, m=2e-26)],
    ),
    "kilometres": Scene(
        boundary=Box(size=(8e6, 8e6)),
        balls=[ball(2e6, 2e6, v=(1.0, 2.0), r=5e5, m=1e26), ball(5e6, 2e6, r=5e5, m=2e26)],
    ),
    "dropped on the floor": Scene(boundary=BOX, balls=[ball(2.0, 2.0)], gravity=(0.0, -9.81), restitution=0.5),
    "dropped, e = 0": Scene(boundary=BOX, balls=[ball(2.0, 2.0)], gravity=(0.0, -9.81), restitution=0.0),
    "standing on the floor": Scene(boundary=BOX, balls=[ball(2.0, 0.5)], gravity=(0.0, -9.81)),
    "standing on the floor, e = 0": Scene(boundary=BOX, balls=[ball(2.0, 0.5)], gravity=(0.0, -9.81), restitution=0.0),
}


@pytest.mark.requirement("T-11", "T-12", "T-14", "B-03")
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_endures(name: str, neighbours: str) -> None:
    scene = SCENES[name]
    sim = Simulation(scene, neighbours=neighbours)
    endure(sim, until=20.0 if any(scene.gravity) else np.inf)
    assert sim.time > 0.0 or "along the wall" not in name  # others have no room, and are at their walls without end


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize(
    "name", [name for name, scene in SCENES.items() if isinstance(scene.boundary, Box) and not any(scene.gravity)]
)
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
def test_hostile_by_brute_force(name: str, neighbours: str) -> None:
    """In boxes, the very same events as the definition's, ties and all."""
    sim = Simulation(SCENES[name], neighbours=neighbours)
    brute = BruteForce(SCENES[name])
    for log in sim.collide(until=1e13, collisions=150):
        hit = brute.step()
        assert hit is not None
        partners = (int(log["a"]), int(log["b"])) if log["kind"] == 1 else (int(log["a"]),)
        assert (float(log["time"]), int(log["kind"]), partners) == (hit.time, hit.kind, hit.partners)


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize("neighbours", ["cells", "lists"])
@pytest.mark.parametrize(
    "side",
    [
        20,
        50,
    ],
)
def test_very_many_at_one_instant(neighbours: str, side: int) -> None:
    """200 or 1250 pairs that meet at the same time collide in the order of their numbers."""
    count = side * side
    k = np.arange(count)
    place = np.stack([1.0 + 2.0 * (k % side), 1.0 + 2.0 * (k // side)], axis=1)
    velocity = np.stack([1.0 - 2.0 * (k % 2), 0.0 * k], axis=1)
    order = (k * 1009) % count
    balls = Balls(position=place[order], velocity=velocity[order], radius=0.5)
    sim = Simulation(Scene(boundary=Box(size=(2.0 * side, 2.0 * side)), balls=balls), neighbours=neighbours)
    assert len(sim.upcoming) == count // 2
    logs = sim.collide(until=0.75)
    pairs = [(int(a), int(b)) for a, b in zip(logs["a"], logs["b"], strict=True)]
    assert len(pairs) == count // 2
    assert (logs["time"] == 0.5).all()
    assert pairs == sorted(pairs)


@pytest.mark.requirement("T-12")
def test_all_that_fall_together_are_listed() -> None:
    sim = Simulation(SCENES["head on at once"])
    assert len(sim.upcoming) >= 1
    sim = Simulation(
        Scene(boundary=BOX, balls=[ball(4.0, 4.0), ball(1.0, 4.0, v=(1.0, 0.0)), ball(7.0, 4.0, v=(-1.0, 0.0))])
    )
    assert [each.partners for each in sim.upcoming] == [(0, 1), (0, 2)]


sizes = st.sampled_from([1e-9, 1e-3, 1.0, 1e4])
rates = st.sampled_from([1e-12, 1e-3, 1.0, 1e6, 1e12])
exact_numbers = st.integers(-8, 8).map(lambda n: n / 8.0)


@st.composite
def crowds(draw: st.DrawFn) -> Scene:
    """Balls on a lattice, many touching, with speeds in eighths: everything happens at once."""
    columns, rows = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    L, V = draw(sizes), draw(rates)
    count = columns * rows
    velocity = np.array(draw(st.lists(st.tuples(exact_numbers, exact_numbers), min_size=count, max_size=count)))
    index = np.arange(count)
    place = np.stack([index % columns, index // columns], axis=1) + 0.5
    radius = np.array(draw(st.lists(st.sampled_from([0.5, 0.375, 0.25, 0.0]), min_size=count, max_size=count)))
    periodic = draw(st.tuples(st.booleans(), st.booleans()))
    room = draw(st.sampled_from([1.0, 1.25]))
    box = Box(size=(L * columns * room, L * rows * room), periodic=periodic)
    falls = draw(st.booleans()) and not periodic[1]
    return Scene(
        boundary=box,
        balls=Balls(position=place * L, velocity=velocity * V, radius=radius * L, mass=2.0 ** (index % 5 - 2)),
        restitution=draw(st.sampled_from([1.0, 0.9, 0.5, 0.0])),
        gravity=(0.0, -V * V / L) if falls else (0.0, 0.0),
    )


@pytest.mark.requirement("T-11", "T-12", "T-14", "B-03")
@settings(max_examples=examples(150))
@given(crowds())
def test_crowds(scene: Scene) -> None:
    """A crowd may end in a stack, but only where something falls, loses energy or never moved, and two balls touch."""
    fastest = max(
        float(np.abs(scene.balls.velocity).max()), float(np.sqrt(np.abs(scene.gravity).max() * size_of(scene)))
    )
    sim = Simulation(scene, neighbours="cells")
    stack: tuple[int, ...] = ()
    try:
        endure(sim, collisions=400, until=50.0 * size_of(scene) / fastest if fastest else 1.0)
    except StackError as error:
        stack = error.balls
    if stack:
        from_the_start = not scene.balls.velocity[list(stack)].any()
        assert scene.restitution.ball_ball < 1.0 or from_the_start, "nothing comes to rest without loss"
        assert any(scene.gravity), "nothing presses balls together in so few collisions"
        assert is_a_stack(sim, stack, fastest)


def is_a_stack(sim: Simulation, stack: tuple[int, ...], fastest: float) -> bool:
    """Do the two balls that are named touch, one of them on the floor, without approaching or parting?"""
    a, b = stack
    gap = sim.positions[a] - sim.positions[b]
    box = sim.scene.boundary
    assert isinstance(box, Box)
    gap -= np.where(box.periodic, box.size * np.round(gap / box.size), 0.0)
    distance = float(np.linalg.norm(gap))
    blur = 4096.0 * EPS * max(box.size)
    low = float((sim.positions[[a, b], 1] - sim.radii[[a, b]]).min())
    approach = float((sim.velocities[a] - sim.velocities[b]) @ gap) / distance if distance else 0.0
    touch = abs(distance - sim.radii[a] - sim.radii[b]) <= blur
    return touch and abs(low) <= blur and abs(approach) <= 16.0 * EPS * fastest


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize("e", [0.99, 0.999])
def test_rattling_within_the_contact_time_is_a_stack_without_gravity(e: float) -> None:
    """The one way to a stack where nothing falls: 20 000 collisions of one ball in a row within the contact time.

    Here a channel leaves the ball so little play that it is at the other wall within the contact time, a millionth of
    the time for its own diameter. After 65 bounces the others keep their energy, so that it would rattle for ever.
    """
    channel = Box(size=(8.0, 1.0 + 1e-7))
    sim = Simulation(Scene(boundary=channel, balls=[ball(2.0, 0.5, v=(0.0, 1.0))], restitution=e), neighbours="cells")
    with pytest.raises(StackError, match="ball 0 rests on"):
        sim.run(until=1.0)
    assert sim.collisions == 20_001
    assert sim.report.softened == 20_001 - 65
    assert sim.kinetic_energy == pytest.approx(0.5 * e**130, rel=EPS * sim.collisions)


@pytest.mark.requirement("T-12")
@pytest.mark.parametrize("play", [1e-7, 1e-4])
def test_rattling_dies_away(play: float) -> None:
    """Each bounce loses energy: where bounces come within the contact time at first, until they are slow enough."""
    channel = Box(size=(8.0, 1.0 + play))
    sim = Simulation(Scene(boundary=channel, balls=[ball(2.0, 0.5, v=(0.0, 1.0))], restitution=0.5), neighbours="cells")
    sim.run(until=1.0)
    assert sim.report.softened == 0
    assert sim.kinetic_energy == pytest.approx(0.5 * 0.25**sim.collisions, rel=8.0 * EPS * sim.collisions)


@pytest.mark.requirement("T-12")
def test_points_that_meet_on_the_floor_are_no_stack() -> None:
    """Two points fall, stay on the floor and slide towards each other: neither rests on the other."""
    points = [ball(0.5, 1.0, v=(0.3, 0.0), r=0.0), ball(1.5, 0.5, v=(-0.1, 0.0), r=0.0)]
    sim = Simulation(Scene(boundary=BOX, balls=points, gravity=(0.0, -1.0), restitution=0.0), neighbours="cells")
    sim.run(until=5.0)
    assert sim.velocities == pytest.approx(np.array([[0.1, 0.0], [0.1, 0.0]]), abs=16 * EPS)
