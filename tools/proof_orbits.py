"""Claims on bodies that attract each other. Run by tools/proof.py."""

import math

import numpy as np

from carom import Attraction, Ball, Scene, Simulation, library
from proof_claim import Found, claim, near

ORBITS = "Attraction"


@claim(
    ORBITS,
    "A Kepler ellipse closes after its period",
    "T = 2π √(a³/G(M + m)), eccentricity 0.6, 1000 steps by pefrl; over a",
    "physics/test_attraction.py::test_a_kepler_orbit_closes_after_its_period",
)
def ellipse() -> Found:
    """Half the step, a sixteenth of the error."""
    speed = math.sqrt(1.6 / 0.4)
    balls = [
        Ball(position=(0.4 * 0.75, 0.0), velocity=(0.0, speed * 0.75), mass=0.25),
        Ball(position=(-0.4 * 0.25, 0.0), velocity=(0.0, -speed * 0.25), mass=0.75),
    ]
    scene, errors = Scene(attraction=Attraction(G=1.0), balls=balls), []
    for steps in (500, 1000):
        sim = Simulation(scene, step=2.0 * math.pi / steps, integrator="pefrl").run(until=2.0 * math.pi)
        errors.append(float(np.abs(sim.positions - scene.balls.position).max()))
    order = math.log2(errors[0] / errors[1])
    return Found(f"closed; order {order:.1f}", errors[1], 1e-4)


@claim(
    ORBITS,
    "Three equal bodies on a figure eight",
    "period 6.32591398 with G = m = 1 (Chenciner and Montgomery 2000), start given to eight digits",
    "physics/test_attraction.py::test_the_figure_eight_closes_on_itself",
)
def eight() -> Found:
    """4000 steps by pefrl."""
    scene = library.load("figure-eight")
    sim = Simulation(scene, integrator="pefrl", step=6.32591398 / 4000).run(until=6.32591398)
    return near("closed", sim.positions, scene.balls.position, 1e-6)


@claim(
    ORBITS,
    "A satellite 400 km up stays on its circle",
    "v = √(GM/r) = 7.673 km/s; its distance after 6000 s, relative",
    "physics/test_attraction.py::test_a_satellite_on_a_circle_stays_on_it",
)
def satellite() -> Found:
    """280 steps a round, of second order."""
    r = 6.371e6 + 400e3
    sim = Simulation(library.load("satellite", height=400e3, speed=math.sqrt(6.6743e-11 * 5.9722e24 / r))).run(
        until=6000.0
    )
    away = float(np.linalg.norm(sim.positions[1] - sim.positions[0]))
    return near(f"{(away - 6.371e6) / 1000:.0f} km up", away / r, 1.0, 1e-3)


@claim(
    ORBITS,
    "The Earth goes round in 365.256 days",
    "angle from where it was, among the inner planets: below 0.2°",
    "physics/test_attraction.py::test_the_planets_go_round_in_their_years",
)
def year() -> Found:
    """The other planets pull at it."""
    scene = library.load("inner-planets")
    names = list(scene.balls.name or ())
    earth, sun = names.index("Earth"), names.index("Sun")
    start = scene.balls.position[earth] - scene.balls.position[sun]
    sim = Simulation(scene).run(until=365.256 * 86400.0)
    now = sim.positions[earth] - sim.positions[sun]
    cosine = float(now @ start) / float(np.linalg.norm(now) * np.linalg.norm(start))
    angle = math.degrees(math.acos(min(cosine, 1.0)))
    return Found(f"{angle:.3f}°", angle, 0.2)


@claim(
    ORBITS,
    "Splittings keep angular momentum",
    "constant over ten turns with eccentricity 0.5, verlet",
    "physics/test_attraction.py::test_angular_momentum_and_momentum_are_kept_by_splittings",
)
def turning() -> Found:
    """A kick along the line of two bodies changes none of it."""
    sim = Simulation(library.load("two-bodies", eccentricity=0.5, period=2.0 * math.pi), step=math.pi / 150)

    def momentum() -> float:
        x, v = sim.positions, sim.velocities
        return float((sim.masses * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])).sum())

    before = momentum()
    sim.run(until=20.0 * math.pi)
    return near("kept", momentum() / before, 1.0, 1e-13)
