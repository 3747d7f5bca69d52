"""Laws that hold for any scene: conservation, and what a change of names, of mirror, of units or of frame does."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from carom import Balls, Box, Circle, Open, Scene, Simulation
from carom.solvers.exact.world import contact_of
from effort import examples

COLLISIONS = 60
EPS = np.finfo(float).eps
speeds = st.floats(-2.0, 2.0, allow_subnormal=False)
fractions = st.floats(0.0, 1.0, allow_subnormal=False)


@st.composite
def gases(draw: st.DrawFn, dimension: int = 2, most: int = 8) -> Balls:
    """Balls that stand apart: each somewhere in its own cell of a lattice of two rows (or layers)."""
    count = draw(st.integers(2, most))
    numbers = draw(
        st.lists(st.tuples(*[fractions] * (dimension + 2), *[speeds] * dimension), min_size=count, max_size=count)
    )
    rows = np.array(numbers)
    index = np.arange(count)
    cell = np.stack([index // 2 ** (dimension - 1), index % 2, index // 2 % 2][:dimension], axis=1)
    radius = 0.05 + 0.4 * rows[:, 0]
    place = cell + radius[:, None] + (1.0 - 2.0 * radius)[:, None] * rows[:, 2 : 2 + dimension]
    return Balls(position=place, velocity=rows[:, 2 + dimension :], mass=0.1 + 5.0 * rows[:, 1], radius=radius)


def box_of(balls: Balls, *, periodic: Any = False) -> Box:
    d = balls.dimension
    return Box(size=(float(-(-len(balls) // 2 ** (d - 1))), *[2.0] * (d - 1)), periodic=periodic)


def ran(scene: Scene, collisions: int = COLLISIONS) -> tuple[Simulation, Any]:
    sim = Simulation(scene, neighbours="cells")
    return sim, sim.collide(until=1e6, collisions=collisions)


def cross_together(balls: Balls, box: Box) -> bool:
    """Do two balls come to a seam at one instant? Then one may cross it in an epoch and one in the next."""
    x, v = balls.position, balls.velocity
    moving = v != 0.0
    times = np.abs(np.where(v > 0.0, np.array(box.size) - x, x)[moving] / v[moving])
    return np.unique(times).size < times.size


def told(logs: Any) -> list[tuple[Any, ...]]:
    return [(float(each["time"]), int(each["kind"]), int(each["a"]), int(each["b"])) for each in logs]


@pytest.mark.requirement("T-08", "T-13", "M-11")
@settings(max_examples=examples(30))
@given(gases(), st.sampled_from([(False, False), (True, False), (True, True)]), st.sampled_from([1.0, 0.9, 0.5, 0.0]))
def test_energy_and_momentum(balls: Balls, periodic: Any, e: float) -> None:
    scene = Scene(boundary=box_of(balls, periodic=periodic), balls=balls, restitution=e)
    sim = Simulation(scene, neighbours="cells")
    before, momentum = sim.kinetic_energy, sim.momentum
    sim.run(until=1e6, collisions=COLLISIONS)
    room = 16.0 * EPS * COLLISIONS
    assert sim.kinetic_energy <= before * (1.0 + room)
    if e == 1.0:
        assert sim.kinetic_energy >= before * (1.0 - room)
    if all(periodic):
        scale = float(np.sqrt(2.0 * before * balls.mass.sum()))
        assert np.abs(sim.momentum - momentum).max() <= room * scale


@pytest.mark.requirement("M-11")
@settings(max_examples=examples(30))
@given(gases(), st.sampled_from([(False, False), (True, False), (True, True)]), st.sampled_from([0.9, 0.5, 0.0]))
def test_every_collision_has_its_restitution(balls: Balls, periodic: Any, e: float) -> None:
    """Partners part at e times the speed at which they met, with e = 0 not at all.

    Only those part as fast as they met of whom one is in a contact that lasts: it collided less than the contact time
    before, and the approach is faint or its streak is long. The energy lost is (1 - e²) μ w²/2; none is ever gained.
    """
    sim = Simulation(Scene(boundary=box_of(balls, periodic=periodic), balls=balls, restitution=e), neighbours="cells")
    contact = contact_of(sim.scene)
    last, streak = np.full(len(balls), -np.inf), np.zeros(len(balls), dtype=int)
    scale = float(np.sqrt(2.0 * sim.kinetic_energy / balls.mass.min()))  # no ball is ever faster
    for _ in range(COLLISIONS):
        before, energy = sim.velocities, sim.kinetic_energy
        log = sim.collide(until=1e6, collisions=1)
        if not log.size:
            break
        t, soft, normal = float(log["time"][0]), bool(log["softened"][0]), log["normal"][0, :2]
        a, b = int(log["a"][0]), int(log["b"][0]) if log["kind"][0] == 1 else None
        who = [a] if b is None else [a, b]
        mass = balls.mass[a] if b is None else balls.mass[a] * balls.mass[b] / (balls.mass[a] + balls.mass[b])
        met, parted = (float((v[a] - (0.0 if b is None else v[b])) @ normal) for v in (before, sim.velocities))
        assert parted == pytest.approx(-(1.0 if soft else e) * met, abs=16.0 * EPS * scale)
        lost = 0.0 if soft else (1.0 - e * e) * mass * met**2 / 2.0
        assert energy - sim.kinetic_energy == pytest.approx(lost, abs=16.0 * EPS * mass * scale**2)
        soon = t - last[who] < contact.time
        if (abs(t - last[who] - contact.time) < 1e-6 * contact.time + 4.0 * EPS * t).any():
            break  # rounding decides
        if abs(-met - contact.faint) > 16.0 * EPS * scale:
            assert soft == bool((soon & ((-met <= contact.faint) | (streak[who] >= 64))).any())
        last[who], streak[who] = t, np.where(soon, streak[who] + 1, 0)


@pytest.mark.requirement("T-12")
@settings(max_examples=examples(25))
@given(gases(), st.sampled_from([False, True]), st.randoms(use_true_random=False))
def test_names_do_not_matter(balls: Balls, periodic: bool, random: Any) -> None:
    order = list(range(len(balls)))
    random.shuffle(order)
    box = box_of(balls, periodic=periodic)
    one, logs = ran(Scene(boundary=box, balls=balls))
    assume(np.unique(logs["time"]).size == logs.size)  # at one instant, the numbers of the balls decide
    assume(not periodic or not cross_together(balls, box))
    other, relabelled = ran(Scene(boundary=box, balls=balls[np.array(order)]))
    assert np.array_equal(other.positions, one.positions[order])
    assert np.array_equal(other.velocities, one.velocities[order])
    assert np.array_equal(relabelled["time"], logs["time"])


@pytest.mark.requirement("T-13")
@settings(max_examples=examples(25))
@given(gases(), st.sampled_from([Circle(centre=(0.0, 0.0), radius=7.0), Open()]), st.booleans())
def test_mirror_image(balls: Balls, boundary: Any, falls: bool) -> None:
    gravity = (0.25, -1.0) if falls else (0.0, 0.0)
    mirror = np.array([-1.0, 1.0])
    mirrored = balls.replace(position=balls.position * mirror, velocity=balls.velocity * mirror)
    one, logs = ran(Scene(boundary=boundary, balls=balls, gravity=gravity), 30)
    other, image = ran(Scene(boundary=boundary, balls=mirrored, gravity=tuple(gravity * mirror)), 30)
    assert told(image) == told(logs)
    assert np.array_equal(other.positions, one.positions * mirror)
    assert np.array_equal(other.velocities, one.velocities * mirror)


@pytest.mark.requirement("T-13")
@settings(max_examples=examples(25))
@given(gases(), st.sampled_from([(False, False), (True, False), (True, True)]))
def test_axes_exchanged(balls: Balls, periodic: tuple[bool, bool]) -> None:
    """A mirror along the diagonal; ties are left out, for walls and seams are ordered by their axes."""
    box = box_of(balls, periodic=periodic)
    swapped = balls.replace(position=balls.position[:, ::-1], velocity=balls.velocity[:, ::-1])
    one, logs = ran(Scene(boundary=box, balls=balls))
    assume(np.unique(logs["time"]).size == logs.size)
    turned = Box(size=box.size[::-1], periodic=periodic[::-1])
    other, image = ran(Scene(boundary=turned, balls=swapped))
    assert told(image) == told(logs)
    assert np.array_equal(other.positions, one.positions[:, ::-1])
    assert np.array_equal(other.velocities, one.velocities[:, ::-1])


@pytest.mark.requirement("T-14")
@settings(max_examples=examples(25))
@given(
    st.one_of(gases(), gases(dimension=3)),
    st.booleans(),
    st.sampled_from([1.0, 0.75]),
    st.integers(-60, 60),
    st.integers(-60, 60),
    st.integers(-60, 60),
)
def test_units_do_not_matter(balls: Balls, periodic: bool, e: float, lengths: int, times: int, masses: int) -> None:
    """Lengths, times and masses in units of powers of two: nanometres or light years, the same bits."""
    L, T, M = 2.0**lengths, 2.0**times, 2.0**masses
    box = box_of(balls, periodic=periodic)
    scaled = balls.replace(
        position=balls.position * L, velocity=balls.velocity * (L / T), radius=balls.radius * L, mass=balls.mass * M
    )
    assume(not np.any((scaled.velocity == 0.0) != (balls.velocity == 0.0)))
    assume(np.abs(balls.velocity[balls.velocity != 0.0]).min(initial=1.0) > 1e-100)  # no underflow of squares
    one, logs = ran(Scene(boundary=box, balls=balls, restitution=e))
    other = Simulation(
        Scene(boundary=Box(size=[s * L for s in box.size], periodic=periodic), balls=scaled, restitution=e),
        neighbours="cells",
    )
    image = other.collide(until=1e6 * T, collisions=COLLISIONS)
    assert told(image) == [(t * T, *rest) for t, *rest in told(logs)]
    assert np.array_equal(other.positions, one.positions * L)
    assert np.array_equal(other.velocities, one.velocities * (L / T))


@pytest.mark.requirement("M-15")
@settings(max_examples=examples(20))
@given(gases(), st.tuples(speeds, speeds))
def test_moving_frame(balls: Balls, drift: tuple[float, float]) -> None:
    """In periodic space a frame that moves sees the same few collisions, at the same times but for rounding."""
    box = box_of(balls, periodic=True)
    _, logs = ran(Scene(boundary=box, balls=balls), 4)
    moving = balls.replace(velocity=balls.velocity + np.array(drift))
    _, seen = ran(Scene(boundary=box, balls=moving), 4)
    first = [log for log in told(logs) if log[0] < 20.0]
    assume(clear(balls, first))
    for (t, *who), (t_seen, *who_seen) in zip(first, told(seen), strict=False):
        assert who_seen == who
        # An error grows by the free path over the radius, here at most some 20/0.05, in each of at most four
        # collisions.
        assert abs(t_seen - t) <= 400.0**3 * 64 * EPS * max(1.0, t)


def clear(balls: Balls, logs: list[tuple[Any, ...]]) -> bool:
    """Are the first collisions neither nearly grazing nor nearly together, so that rounding cannot change who meets?"""
    box = box_of(balls, periodic=True)
    sim = Simulation(Scene(boundary=box, balls=balls), neighbours="cells")
    times = [t for t, *_ in logs]
    if any(b - a < 1e-4 for a, b in pairwise(times)):
        return False
    for collision in sim.events(collisions=len(logs)):
        a, b = collision.partners
        u = np.linalg.norm(sim.velocities[a] - sim.velocities[b])
        mass = balls.mass[a] * balls.mass[b] / (balls.mass[a] + balls.mass[b])
        if collision.impulse < 0.6 * mass * u:  # 2 μ u cos φ
            return False
    return True
