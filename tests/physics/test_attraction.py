"""Attraction between bodies: orbits, periods, what is kept."""

import math

import numpy as np
import pytest

from carom import Attraction, Ball, Planet, Scene, Simulation, library


def turning(sim: Simulation) -> np.ndarray:
    """Angular momentum about the origin."""
    pad = 3 - sim.scene.dimension
    x, v = (np.pad(rows, ((0, 0), (0, pad))) for rows in (sim.positions, sim.velocities))
    return np.cross(x, sim.masses[:, None] * v).sum(axis=0)


def ellipse(eccentricity: float, mass: float = 0.25) -> tuple[Scene, float]:
    """Two bodies with G = 1, masses that add up to 1, and a semi-major axis of 1: the period is 2π."""
    near = 1.0 - eccentricity
    speed = math.sqrt((1.0 + eccentricity) / near)
    balls = [
        Ball(position=(near * (1.0 - mass), 0.0), velocity=(0.0, speed * (1.0 - mass)), mass=mass),
        Ball(position=(-near * mass, 0.0), velocity=(0.0, -speed * mass), mass=1.0 - mass),
    ]
    return Scene(attraction=Attraction(G=1.0), balls=balls), 2.0 * math.pi


@pytest.mark.requirement("S-08")
@pytest.mark.parametrize("eccentricity", [0.0, 0.3, 0.6])
def test_a_kepler_orbit_closes_after_its_period(eccentricity: float) -> None:
    scene, period = ellipse(eccentricity)
    errors = []
    for steps in (500, 1000):
        sim = Simulation(scene, step=period / steps, integrator="pefrl").run(until=period)
        errors.append(np.abs(sim.positions - scene.balls.position).max())
    assert errors[1] < 1e-4
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.5)


@pytest.mark.requirement("S-08")
@pytest.mark.parametrize("integrator", ["verlet", "euler", "pefrl"])
def test_angular_momentum_and_momentum_are_kept_by_splittings(integrator: str) -> None:
    """A kick along the line of two bodies and a drift along the velocity change no angular momentum."""
    scene, period = ellipse(0.5)
    sim = Simulation(scene, step=period / 300, integrator=integrator)
    before = turning(sim)
    sim.run(until=10 * period)
    assert turning(sim) == pytest.approx(before, abs=1e-13)
    assert sim.momentum == pytest.approx((0.0, 0.0), abs=1e-14)


def outgoing(x: np.ndarray, v: np.ndarray, mu: float) -> float:
    """The direction in which a body leaves at last, from the eccentricity vector e = v × h/μ - x/|x|: cos φ = -1/e."""
    h = x[0] * v[1] - x[1] * v[0]
    towards = np.array([v[1] * h, -v[0] * h]) / mu - x / np.linalg.norm(x)
    e = float(np.linalg.norm(towards))
    return math.atan2(towards[1], towards[0]) + math.copysign(math.acos(-1.0 / e), h)


@pytest.mark.requirement("S-08")
@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize(
    ("speed", "offset", "begin"),
    [(0.5, 3.0, 20.0), (0.5, 3.0, 10.0), (1.0, 1.0, 50.0), (2.0, 0.1, 10.0), (4.0, 0.5, 100.0)],
)
def test_a_flyby_is_deflected_as_kepler_says(speed: float, offset: float, begin: float, *, fixed: bool) -> None:
    """With the default step. L. D. Landau and E. M. Lifshitz, Mechanics (1976), §15: out along cos φ = -1/e.

    In 100 steps a turn, Verlet's phase is off by (2π/100)²/24 = 1.6e-4 of it.
    """
    masses = (1.0, 1e-9) if fixed else (0.7, 0.3)
    balls = [
        Ball(position=(0.0, 0.0), mass=masses[0], fixed=fixed),
        Ball(position=(-begin, offset), velocity=(speed, 0.0), mass=masses[1]),
    ]
    sim = Simulation(Scene(attraction=Attraction(G=1.0), balls=balls))
    mu = 1.0
    expected = outgoing(np.array([-begin, offset]), np.array([speed, 0.0]), mu)
    sim.run(until=3.0 * begin / speed)
    found = outgoing(sim.positions[1] - sim.positions[0], sim.velocities[1] - sim.velocities[0], mu)
    assert math.remainder(found - expected, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.requirement("S-08")
def test_the_figure_eight_closes_on_itself() -> None:
    """A. Chenciner and R. Montgomery, Annals of Mathematics 152 (2000) 881: period 6.32591398 with G = m = 1."""
    scene = library.load("figure-eight")
    sim = Simulation(scene, integrator="pefrl", step=6.32591398 / 4000)
    sim.run(until=6.32591398)
    # The initial values are given to eight digits.
    assert sim.positions == pytest.approx(scene.balls.position, abs=1e-6)
    assert abs(sim.account.error) < 1e-9


@pytest.mark.requirement("S-08")
def test_the_planets_go_round_in_their_years() -> None:
    """By Kepler's third law, T = 2π sqrt(a³ / G (M + m)), within what the others do to it: a tenth of a degree."""
    scene = library.load("inner-planets")
    sim = Simulation(scene)
    names = list(scene.balls.name or ())
    earth, sun = names.index("Earth"), names.index("Sun")
    start = scene.balls.position[earth] - scene.balls.position[sun]
    day = 86400.0
    sim.run(until=365.256 * day)
    now = sim.positions[earth] - sim.positions[sun]
    cosine = (now @ start) / (np.linalg.norm(now) * np.linalg.norm(start))
    assert math.degrees(math.acos(min(cosine, 1.0))) < 0.2


@pytest.mark.requirement("S-08")
def test_all_of_the_planetary_system_keeps_its_energy() -> None:
    sim = Simulation(library.load("planetary-system"))
    before = sim.energy
    sim.run(until=30 * 86400.0 * 12)
    assert abs(sim.account.error / before) < 1e-9
    assert np.linalg.norm(sim.momentum) < 1e-12 * float((sim.masses * np.linalg.norm(sim.velocities, axis=1)).sum())


@pytest.mark.requirement("S-08")
def test_bodies_that_touch_bounce_or_pass() -> None:
    balls = [Ball(position=(-1.0, 0.0), radius=0.1), Ball(position=(1.0, 0.0), radius=0.1)]
    ends = {}
    for touch in ("pass", "bounce"):
        scene = Scene(attraction=Attraction(G=1.0, softening=0.05, touch=touch), balls=balls)
        sim = Simulation(scene, step=1e-3).run(until=2.2)
        ends[touch] = sim.collisions, float(sim.velocities[0, 0])
    assert ends["pass"][0] == 0
    assert ends["pass"][1] > 0.0
    assert ends["bounce"][0] == 1
    assert ends["bounce"][1] < 0.0


@pytest.mark.requirement("S-08")
def test_bodies_that_touch_merge() -> None:
    """One body with the mass, momentum and volume of both; it falls towards the third, and merges with that too."""
    balls = [
        Ball(position=(-1.0, 0.0), velocity=(0.0, 0.1), radius=0.1, name="light"),
        Ball(position=(1.0, 0.0), radius=0.1, mass=3.0, name="heavy"),
        Ball(position=(0.0, 3.0), radius=0.1),
    ]
    scene = Scene(attraction=Attraction(G=1.0, touch="merge"), balls=balls)
    sim = Simulation(scene, step=1e-3)
    momentum = sim.momentum
    sim.run(collisions=1)
    assert (len(sim.masses), sim.masses[0], sim.scene.balls.name) == (2, 4.0, ("heavy", None))
    assert sim.radii[0] == pytest.approx(0.1 * math.sqrt(2.0))
    assert sim.momentum == pytest.approx(momentum, abs=1e-13)
    sim.run(until=10.0)
    assert sim.masses.tolist() == [5.0]
    assert sim.momentum == pytest.approx(momentum, abs=1e-13)
    assert abs(sim.account.error) < 0.02  # of the energy of 3 J that two bodies 0.2 m apart have


@pytest.mark.requirement("S-08")
def test_a_satellite_on_a_circle_stays_on_it() -> None:
    """v = sqrt(G M / r): 7.67 km/s at 400 km."""
    height, planet = 400e3, Planet()
    scene = library.load("satellite", height=height, speed=math.sqrt(planet.G * planet.M / (planet.R + height)))
    sim = Simulation(scene)
    for _ in range(10):
        sim.advance(600.0)
        away = np.linalg.norm(sim.positions[1] - sim.positions[0])
        assert away == pytest.approx(planet.R + height, rel=1e-3)  # 280 steps an orbit: of second order
