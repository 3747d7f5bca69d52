"""Long runs: what is left of energy, momentum, gaps and walls after very many events, and the equation of state.

`make validate` runs them; CAROM_EVENTS sets the number of collisions (1e8 if it is not given; with 1e9 each of the
first two takes some five minutes). What they gave is in docs/long-runs.md.
"""

import math
import os
import sys
import time
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from carom import Ball, Box, Circle, Polygon, Scene, Simulation, library
from reference.scenes import filled

pytestmark = pytest.mark.slow

EPS = np.finfo(float).eps
EVENTS = int(float(os.environ.get("CAROM_EVENTS", "1e8")))
FEWER = min(EVENTS, 10**8)  # of scenes that are slower
LOOKS = 50  # at gaps and walls, in each decade of events
BLOCKS, BLOCK = 200, 1000  # of collisions, in which the walk of the energy is measured at the start


@pytest.fixture
def tell(capsys):
    """Write a line of figures to the terminal, past pytest's capture."""

    def line(text):
        with capsys.disabled():
            sys.stdout.write(f"\n{text}\n")
            sys.stdout.flush()

    return line


def star():
    """Disks that fall about in a star of seven points, turned so that no wall is level, round a solid pentagon."""
    turn = 0.1 + np.pi / 7.0 * np.arange(14)
    outline = np.where(np.arange(14) % 2, 0.6, 1.0)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    turn = 0.3 + np.pi / 2.5 * np.arange(5)
    pentagon = 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    scene = Scene(boundary=Polygon(vertices=outline, holes=[pentagon]), gravity=(0.0, -1.0))
    return filled(scene, (-1.0, -1.0), (1.0, 1.0), [0.02] * 100, seed=23)


def rotunda():
    """Disks that fall about in a circle, round a solid one."""
    walls = Circle(centre=(0.1, -0.2), radius=1.0), Circle(centre=(0.2, 0.1), radius=0.25)
    scene = Scene(boundary=walls[0], obstacles=[walls[1]], gravity=(0.0, -1.0))
    return filled(scene, (-0.9, -1.2), (1.1, 0.8), [0.02] * 100, seed=24)


def gas(**parameters):
    """A gas at packing fraction 0.3."""
    return library.load("gas", packing_fraction=0.3, seed=20, **parameters)


def three(ratio):
    """Three disks in a periodic unit box, one of them heavier by a ratio: each collision is one in three pairs."""
    places, velocities = [(0.2, 0.2), (0.7, 0.3), (0.4, 0.75)], [(0.7, 0.31), (-0.43, 0.6), (0.1, -0.55)]
    masses = (1.0, 1.0, float(ratio))
    balls = [
        Ball(position=x, velocity=v, radius=0.1, mass=m) for x, v, m in zip(places, velocities, masses, strict=True)
    ]
    return Scene(boundary=Box(size=(1.0, 1.0), periodic=True), balls=balls)


CASES = {
    "periodic": (lambda: gas(count=1000), EVENTS),
    "walls": (lambda: gas(count=1000, periodic=False), EVENTS),
    "mixture": (lambda: gas(count=100, periodic=False, fraction=0.5, mass_ratio=3.0, radius_ratio=1.5), FEWER),
    "space": (lambda: gas(count=1000, dimension=3), FEWER),
    **{f"three, {ratio}": (partial(three, ratio), EVENTS) for ratio in (2, 4, 10, 100)},
    "star": (star, FEWER),
    "rotunda": (rotunda, FEWER),
}


def places(sim):
    """Where the balls are by the solver's own clock: an absolute time is rounded the more the longer the run was."""
    solver = sim._solver
    return solver.look_after_origin(float(solver.clock["now"][0]))[0]


def deepest_overlap(sim, x):
    """The largest overlap of two balls, in contact distances."""
    squares = np.zeros((len(x), len(x)))
    box = sim.scene.boundary
    for axis in range(x.shape[1]):
        d = x[:, None, axis] - x[None, :, axis]
        if isinstance(box, Box) and box.periodic[axis]:
            d -= np.round(d / box.size[axis]) * box.size[axis]
        squares += d * d
    np.fill_diagonal(squares, np.inf)
    return float((1.0 - np.sqrt(squares) / (sim.radii[:, None] + sim.radii[None, :])).max())


def deepest_escape(sim, x):
    """How deep the deepest ball is inside a wall, in its radius; below zero if none is."""
    room = {Box: room_in_box, Polygon: room_in_polygon, Circle: room_in_circle}[type(sim.scene.boundary)](sim, x)
    return float(((sim.radii - room) / sim.radii).max())


def room_in_circle(sim, x):
    """How far each centre is from the wall round it, or from that of an obstacle if this is nearer."""
    hall = sim.scene.boundary
    room = hall.radius - np.hypot(*(x - hall.centre).T)
    for pillar in sim.scene.obstacles:
        room = np.minimum(room, np.hypot(*(x - pillar.centre).T) - pillar.radius)
    return room


def room_in_box(sim, x):
    """How far each centre is from the nearest wall of the box."""
    box = sim.scene.boundary
    room = np.minimum(x, np.array(box.size) - x)
    return np.where(np.array(box.periodic), np.inf, room).min(axis=1)


def room_in_polygon(sim, x):
    """How far each centre is from the nearest edge; below zero if it is on the wrong side."""
    nearest, crossings = np.full(len(x), np.inf), np.zeros(len(x), int)
    for ring in (sim.scene.boundary, *sim.scene.boundary.holes):
        corners = np.array(ring.vertices)
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            along = np.clip(((x - a) @ (b - a)) / ((b - a) @ (b - a)), 0.0, 1.0)
            nearest = np.minimum(nearest, np.linalg.norm(x - a - along[:, None] * (b - a), axis=1))
            height = (x[:, 1] - a[1]) / (b[1] - a[1])  # no edge is level
            crossings += (height >= 0.0) & (height < 1.0) & (x[:, 0] < a[0] + height * (b[0] - a[0]))
    return np.where(crossings % 2 == 1, nearest, -nearest)


def energy(sim):
    """Kinetic and potential, J, without rounding: what is looked for is less than the last bit of it."""
    pull = [Fraction(g) for g in sim.scene.gravity]
    total = Fraction(0)
    for m, v, x in zip(sim.masses.tolist(), sim.velocities.tolist(), sim.positions.tolist(), strict=True):
        own = sum(Fraction(speed) ** 2 / 2 for speed in v)
        total += Fraction(m) * (own - sum(g * Fraction(at) for g, at in zip(pull, x, strict=True) if g))
    return total


def momentum(sim):
    """Of all balls along each axis, kg m/s, without rounding."""
    mass = [Fraction(m) for m in sim.masses.tolist()]
    return [sum(m * Fraction(speed) for m, speed in zip(mass, v, strict=True)) for v in sim.velocities.T.tolist()]


def step_of_the_walk(sim):
    """The spread of what rounding does to the energy of all in one collision; measured at the start of a run."""
    now, squares = energy(sim), 0.0
    for _ in range(BLOCKS):
        before, now = now, energy(sim.run(collisions=BLOCK))
        squares += float(now - before) ** 2
    return math.sqrt(squares / (BLOCKS * BLOCK))


def reach_of_rounding(sim):
    """What a place may be off by, m: the last bit of the size of the scene, and of an epoch's flight of the fastest."""
    x = np.abs(places(sim)).max()
    each = sim.time / sim.collisions  # time per collision
    fastest = np.abs(sim.velocities).max()
    return EPS * (x + fastest * each * max(64 * len(sim.masses), 4096))


@pytest.mark.requirement("T-08", "B-03")
@pytest.mark.parametrize("name", CASES)
def test_precision_after_very_many_events(name, tell):
    """Rounding makes the energy walk at random, and no more; no two balls overlap, and none is in a wall, beyond it.

    After M collisions a random walk has gone √M of its steps. How long a step is, the first 200,000 tell.
    """
    make, events = CASES[name]
    sim, scene = Simulation(make(), solver="exact"), make()
    first, start = energy(sim), momentum(sim)
    kinetic = sim.kinetic_energy
    carried = float((sim.masses * np.linalg.norm(sim.velocities, axis=1)).sum())
    step = step_of_the_walk(sim)
    conserves = isinstance(scene.boundary, Box) and all(scene.boundary.periodic)
    overlap, escape, rounding, began = -np.inf, -np.inf, 0.0, time.process_time()
    found = []
    for goal in [10**k for k in range(6, 12) if 10**k <= events]:
        part = max(1, (goal - sim.collisions) // LOOKS)
        while True:
            x = places(sim)
            overlap, escape = max(overlap, deepest_overlap(sim, x)), max(escape, deepest_escape(sim, x))
            rounding = max(rounding, reach_of_rounding(sim) / sim.radii.min())
            if sim.collisions >= goal:
                break
            sim.run(collisions=min(part, goal - sim.collisions))
        drift = float(energy(sim) - first) / kinetic
        walk = step * math.sqrt(sim.collisions) / kinetic
        lost = max(abs(float(p - q)) for p, q in zip(momentum(sim), start, strict=True)) / carried if conserves else 0.0
        tell(
            f"{name:9s} {sim.collisions:.0e} events, {sim.time:.3g} s, {time.process_time() - began:.0f} s of CPU: "
            f"energy {drift:+.1e} (walk {walk:.1e}), momentum {lost:.1e}, "
            f"overlap {overlap:.1e}, in a wall {escape:.1e} (rounding {rounding:.1e})"
        )
        found.append((drift, walk, lost, max(overlap, escape), rounding))
    for drift, walk, lost, deepest, rounding in found:
        assert abs(drift) < 5.0 * walk
        assert lost < 5.0 * walk
        assert deepest < 4.0 * rounding


# B₃/B₂² … B₁₀/B₂⁹ of hard disks and spheres: N. Clisby and B. M. McCoy, J. Stat. Phys. 122 (2006) 15-57, table 1.
DISKS = (0.7820044, 0.53223180, 0.33355604, 0.1988425, 0.1148728, 0.0649930, 0.0362193, 0.0199537)
SPHERES = (0.625, 0.2869495, 0.110252, 0.03888198, 0.01302354, 0.0041832, 0.0013094, 0.0004035)


def virial_series(eta):
    """Z of hard disks by ten virial coefficients, and what the terms beyond may add (a geometric series, nearly)."""
    x = 2.0 * eta
    terms = [1.0, x, *(b * x ** (k + 2) for k, b in enumerate(DISKS))]
    ratio = terms[-1] / terms[-2]
    rest = terms[-1] * ratio / (1.0 - ratio)
    return sum(terms) + rest, 0.25 * rest  # the ratio of neighbours changes by less than a quarter over the rest


def kolafa(eta):
    """Z of hard spheres by J. Kolafa's formula (in T. Boublík, Mol. Phys. 59 (1986) 371), and how far it may be off.

    Its own virial coefficients, 4, 10, 18.33, 28.33, 40, 53.33, …, are held against the known ones. The difference
    grows fourfold from the eighth to the ninth and threefold to the tenth: ever more slowly. Beyond, it is taken to
    double from each to the next.
    """
    z = (1.0 + eta + eta**2 - 2.0 / 3.0 * eta**3 * (1.0 + eta)) / (1.0 - eta) ** 3
    top = (1.0, 1.0, 1.0, -2.0 / 3.0, -2.0 / 3.0)
    cubed = [(k + 1) * (k + 2) / 2 for k in range(10)]  # of 1/(1 - η)³
    own = [sum(a * cubed[k - j] for j, a in enumerate(top[: k + 1])) for k in range(10)]
    known = [1.0, 4.0, *(b * 4.0 ** (k + 2) for k, b in enumerate(SPHERES))]
    off = [(b - c) * eta**k for k, (b, c) in enumerate(zip(known, own, strict=True))]
    return z, abs(sum(off)) + abs(off[-1]) * 2.0 * eta / (1.0 - 2.0 * eta)


def in_a_finite_system(equation, eta, n):
    """Z of n balls in periodic space, from Z(η) of a large system: Z + η/(2n) d ln S/dη, where 1/S = d(ηZ)/dη.

    The free energy of a system with n fixed exceeds that of one where n fluctuates by kT/2 ln(2π n S) (J. L. Lebowitz
    and J. K. Percus, Phys. Rev. 122 (1961) 1675); its derivative by the volume is this. To first order in η it turns n²
    pairs into n(n - 1). That the momentum is fixed is in the temperature: (n - 1) balls share the energy.
    """
    h = 1e-3

    def stiffness(x):
        return ((x + h) * equation(x + h) - (x - h) * equation(x - h)) / (2.0 * h)

    return equation(eta) - eta / (2.0 * n) * math.log(stiffness(eta + h) / stiffness(eta - h)) / (2.0 * h)


def compressibility(sim, blocks):
    """Z = 1 + Σ σJ/(d N kT t) by the virial theorem, with its standard error, from blocks of 100 collisions a ball."""
    n, d = len(sim.masses), sim.scene.dimension
    temperature = 2.0 * sim.kinetic_energy / (d * (n - 1))
    sigma = 2.0 * sim.radii[0]
    sim.run(collisions=200 * n)
    values = []
    for _ in range(blocks):
        start = sim.time
        hits = sim.collide(collisions=100 * n)
        values.append(1.0 + sigma * hits["impulse"].sum() / (d * n * temperature * (sim.time - start)))
    return np.mean(values), np.std(values, ddof=1) / math.sqrt(blocks)


@pytest.mark.requirement("T-08", "T-19")
@pytest.mark.parametrize("eta", [0.2, 0.3, 0.4, 0.5])
def test_equation_of_state_of_hard_disks(eta, tell):
    """Against the virial series, within four standard errors."""
    n = 2000
    z, error = compressibility(Simulation(library.load("gas", count=n, packing_fraction=eta, seed=21)), 50)
    published = in_a_finite_system(lambda x: virial_series(x)[0], eta, n)
    uncertain = virial_series(eta)[1]
    tell(f"η = {eta}: Z = {z:.5f} ± {error:.5f}, published {published:.5f} ± {uncertain:.5f}")
    assert z == pytest.approx(published, abs=4.0 * error + uncertain)
    assert error < 1e-3 * published


@pytest.mark.requirement("T-08", "M-17")
@pytest.mark.parametrize("eta", [0.1, 0.3, 0.4, 0.45])
def test_equation_of_state_of_hard_spheres(eta, tell):
    """Against Kolafa's formula, within four standard errors.

    The run tells it from the better known one of N. F. Carnahan and K. E. Starling (J. Chem. Phys. 51 (1969) 635),
    which is 0.26 % lower at η = 0.3.
    """
    n = 1000
    z, error = compressibility(Simulation(library.load("gas", count=n, packing_fraction=eta, dimension=3, seed=22)), 40)
    published = in_a_finite_system(lambda x: kolafa(x)[0], eta, n)
    uncertain = kolafa(eta)[1]
    tell(f"η = {eta}: Z = {z:.5f} ± {error:.5f}, published {published:.5f} ± {uncertain:.5f}")
    assert z == pytest.approx(published, abs=4.0 * error + uncertain)
    assert error < 1e-3 * published
    assert uncertain < 2e-3 * published
