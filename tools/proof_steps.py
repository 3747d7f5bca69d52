"""Claims on what is solved in steps: integrators, springs, contacts, piles. Run by tools/proof.py."""

import math

import numpy as np

from carom import (
    Ball,
    Balls,
    Block,
    Box,
    Circle,
    Cloth,
    Drag,
    HalfSpace,
    Link,
    Links,
    Scene,
    Simulation,
    library,
)
from carom.solvers.stepped.integrators.cards import INTEGRATORS
from proof_claim import EPS, Found, claim, near, power

SPRINGS = "Integrators and springs"
CONTACTS = "Contacts in steps"

G = 9.81


def oscillator(damping: float = 0.0) -> Scene:
    """A kilogram on a spring of 4 N/m, stretched by 0.1 m: ω = 2/s."""
    balls = [Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.1, 0.0))]
    return Scene(balls=balls, links=[Link(between=(0, 1), stiffness=4.0, length=1.0, damping=damping)])


@claim(
    SPRINGS,
    "The error of an integrator falls with its order",
    "halving the step: 2, 1, 1, 1, 4, 4 (verlet, stormer begun by Euler, euler, explicit-euler, rk4, pefrl)",
    "physics/test_integrators.py::test_the_error_falls_as_the_order_of_the_card_says",
)
def orders() -> Found:
    """Of the oscillator after 3 s, at steps of 0.02 and 0.01 s."""
    found = []
    for name in INTEGRATORS:
        errors = []
        for step in (0.02, 0.01):
            sim = Simulation(oscillator(), step=step, integrator=name).run(until=3.0)
            x, v = float(sim.positions[1, 0]) - 1.0, float(sim.velocities[1, 0])
            errors.append(math.hypot(x - 0.1 * math.cos(6.0), v / 2.0 + 0.1 * math.sin(6.0)))
        found.append(math.log2(errors[0] / errors[1]))
    return near(", ".join(f"{order:.2f}" for order in found), found, (2, 1, 1, 1, 4, 4), 0.1)


@claim(
    SPRINGS,
    "Verlet swings for ever, at its own frequency",
    "sin(ω' dt/2) = ω dt/2, after 1000 steps of ω dt = 0.2, m",
    "physics/test_integrators.py::test_verlet_follows_its_own_exact_frequency",
)
def frequency() -> Found:
    """A pure oscillation, to rounding."""
    sim = Simulation(oscillator(), step=0.1).run(until=100.0)
    law = 0.1 * math.cos(20.0 * math.asin(0.1) * 100.0)
    return near("on it", float(sim.positions[1, 0]) - 1.0, law, 1e-12)


@claim(
    SPRINGS,
    "Explicit Euler gains energy in each step",
    "E_n/E_0 = (1 + (ω dt)²)ⁿ = 2.7048 after 100 steps of ω dt = 0.1",
    "physics/test_integrators.py::test_explicit_euler_gains_energy_as_its_card_says",
)
def gain() -> Found:
    """As its card says."""
    sim = Simulation(oscillator(), step=0.05, integrator="explicit-euler")
    before = sim.energy
    ratio = sim.run(until=5.0).energy / before
    return near(f"{ratio:.4f}", ratio / 1.01**100, 1.0, 1e-11)


@claim(
    SPRINGS,
    "A damped oscillator at its limit",
    "x = x₀ (1 + 2t) e^(-2t) with c = 2 √(km), after 2 s at steps of 1 ms, m",
    "physics/test_springs.py::test_a_damped_oscillator_in_its_three_regimes",
)
def damped() -> Found:
    """Of second order: the error is that of the step."""
    sim = Simulation(oscillator(4.0), step=0.001).run(until=2.0)
    x = float(sim.positions[1, 0]) - 1.0
    return near(f"{x:.8f} m", x, 0.5 * math.exp(-4.0), 1e-6)


@claim(
    SPRINGS,
    "Modes of a chain of five masses between walls",
    "ω_k = 2 √(K/m) sin(kπ/12), k = 1, 2, 3, 5, shifted as Verlet does; after 10 s, m",
    "physics/test_springs.py::test_normal_modes_of_a_chain",
)
def modes() -> Found:
    """The largest difference of a place."""
    off, step, at = 0.0, 0.01, np.arange(7.0)
    for mode in (1, 2, 3, 5):
        shape = 0.05 * np.sin(mode * np.pi * at / 6)
        place = np.stack([at + shape, 0.0 * at], axis=1)
        scene = Scene(
            balls=Balls(position=place, mass=0.5, fixed=np.isin(at, (0, 6))),
            links=Links(between=[(k, k + 1) for k in range(6)], stiffness=10.0, length=1.0),
        )
        w = 2.0 * math.sqrt(20.0) * math.sin(mode * math.pi / 12)
        w = 2.0 / step * math.asin(0.5 * w * step)
        sim = Simulation(scene, step=step).run(until=10.0)
        off = max(off, float(np.abs(sim.positions[:, 0] - at - shape * math.cos(10.0 * w)).max()))
    return Found("on them", off, 1e-12)


@claim(
    SPRINGS,
    "Period of a pendulum that swings out to 2 rad",
    "T = 2π √(l/g) / M(1, cos 1): back after 2.6659 s, m",
    "physics/test_springs.py::test_a_pendulum_at_a_large_angle",
)
def pendulum() -> Found:
    """On a spring of 10⁶ N/m, which is longer by up to 5·10⁻⁵."""
    a, b = 1.0, math.cos(1.0)
    while a - b > 1e-15:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    bob = (math.sin(2.0), -math.cos(2.0))
    balls = [Ball(position=(0.0, 0.0), fixed=True), Ball(position=bob)]
    scene = Scene(gravity=(0.0, -G), balls=balls, links=[Link(between=(0, 1), stiffness=1e6, length=1.0)])
    period = 2.0 * math.pi / math.sqrt(G) / a
    sim = Simulation(scene, step=2e-4).run(until=period)
    return near(f"back after {period:.4f} s", sim.positions[1], bob, 2e-3)


@claim(
    SPRINGS,
    "Terminal speed with linear and quadratic drag",
    "(c₁ + c₂ v) v = m g: 12.5872 m/s for 0.3 kg/s, 0.1 kg/m and 2 kg",
    "physics/test_springs.py::test_terminal_speed",
)
def terminal() -> Found:
    """After 200 s."""
    law = (math.sqrt(0.09 + 0.4 * 2.0 * G) - 0.3) / 0.2
    scene = Scene(gravity=(0.0, -G), drag=Drag(linear=0.3, quadratic=0.1), balls=[Ball(position=(0.0, 0.0), mass=2.0)])
    v = -float(Simulation(scene, step=0.01).run(until=200.0).velocities[0, 1])
    return near(f"{v:.4f} m/s", v / law, 1.0, 1e-12)


@claim(
    SPRINGS,
    "A rope that hangs by its ends is a catenary",
    "sag a (cosh(1/2a) - 1) with 2a sinh(1/2a) = 1.3 for 1.3 m between ends 1 m apart: 0.3688 m",
    "physics/test_springs.py::test_a_hanging_rope_is_a_catenary",
)
def catenary() -> Found:
    """80 stiff pieces; 8 s after they were let go."""
    n, at = 80, np.arange(81)
    place = np.stack([at / n, -0.42 * np.sin(np.pi * at / n)], axis=1)
    scene = Scene(
        gravity=(0.0, -G),
        drag=Drag(linear=2e-4),
        balls=Balls(position=place, mass=1e-4, fixed=np.isin(at, (0, n))),
        links=Links(between=np.stack([at[:-1], at[1:]], axis=1), stiffness=2e4, damping=0.05, length=1.3 / n),
    )
    a = 0.3
    for _ in range(50):
        slope = 2.0 * math.sinh(0.5 / a) - math.cosh(0.5 / a) / a
        a -= (2.0 * a * math.sinh(0.5 / a) - 1.3) / slope
    law = a * (math.cosh(0.5 / a) - 1.0)
    sag = -float(Simulation(scene).run(until=8.0).positions[:, 1].min())
    return near(f"{sag:.4f} m", sag / law, 1.0, 2e-3)


# Contacts.


def in_steps(scene: Scene) -> Simulation:
    """A run in which the mean ball moves by a tenth of its radius per step."""
    speed = math.sqrt(float((scene.balls.velocity**2).sum(axis=1).mean()))
    return Simulation(scene, solver="stepped", step=float(scene.balls.radius.mean()) / (10.0 * speed))


@claim(
    CONTACTS,
    "An elastic gas in steps keeps its energy",
    "constant; 500 disks between walls, 1000 steps of 0.1 radii",
    "physics/test_stepped_contacts.py::test_an_elastic_gas_keeps_its_energy",
)
def kept() -> Found:
    """Each collision at its own instant within the step."""
    sim = in_steps(library.load("gas", count=500, packing_fraction=0.2, seed=3, periodic=False))
    before = sim.kinetic_energy
    sim.run(until=1000 * sim.method.step)
    drift = abs(sim.kinetic_energy / before - 1.0)
    return Found(f"{sim.collisions} collisions, drift {power(drift)}", drift, 8.0 * EPS * math.sqrt(sim.collisions))


@claim(
    CONTACTS,
    "Both solvers agree on a dozen disks for 20 collisions",
    "the places of the exact solver, steps of 1/50 radius, m",
    "physics/test_stepped_contacts.py::"
    "test_both_solvers_agree_for_a_few_collisions_and_the_better_the_smaller_the_step",
)
def agree() -> Found:
    """Without forces they differ by rounding alone."""
    scene = library.load("gas", count=12, packing_fraction=0.2, seed=7, periodic=False)
    exact = Simulation(scene).run(collisions=20)
    speed = math.sqrt(float((scene.balls.velocity**2).sum(axis=1).mean()))
    step = float(scene.balls.radius.mean()) / (50.0 * speed)
    other = Simulation(scene, solver="stepped", step=step).run(until=exact.time)
    return near("the same", other.positions, exact.positions, 1e-12)


@claim(
    CONTACTS,
    "A ball bounces for 300 s in steps of 1/60 s and still reaches its height",
    "energy is constant, J",
    "physics/test_stepped_contacts.py::test_a_ball_bounces_for_300_seconds_and_still_reaches_its_height",
)
def bounces() -> Found:
    """A kilogram from 0.9 m."""
    scene = Scene(boundary=Box(size=(1.0, 3.0)), gravity=(0.0, -G), balls=[Ball(position=(0.5, 1.0), radius=0.1)])
    sim = Simulation(scene, solver="stepped").run(until=300.0)
    return Found(f"{sim.collisions} bounces", abs(sim.account.error), 1e-11)


@claim(
    CONTACTS,
    "Nothing passes through a wall a millionth of a metre thick",
    "at 3, 100 and 10⁵ m/s in steps of 1/60 s: all turned round",
    "physics/test_stepped_contacts.py::test_nothing_passes_through_a_thin_wall_or_another_ball",
)
def thin() -> Found:
    """Contacts are looked for along the way."""
    wall, passed = Block(low=(1.0, -1.0), high=(1.0 + 1e-6, 1.0)), 0
    for speed in (3.0, 100.0, 1e5):
        ball = Ball(position=(0.0, 0.0), velocity=(speed, 0.0), radius=0.01)
        sim = Simulation(Scene(obstacles=[wall], balls=[ball]), step=1.0 / 60.0).run(until=1.0)
        passed += not (sim.positions[0, 0] < 1.0 and abs(float(sim.velocities[0, 0]) + speed) < 1e-9 * speed)
    return Found(f"{passed} passed", float(passed), 0.0)


@claim(
    CONTACTS,
    "A block on a slope stays for good, or slides",
    "μ = 0.6 > tan α = 0.5: the same bits after 60 s; μ = 0.4: a = g (sin α - μ cos α) = 0.8774 m/s²",
    "unit/solvers/test_obstacles.py::test_below_the_angle_of_friction_a_block_stays",
)
def slope() -> Found:
    """Of the acceleration, relative."""
    angle = math.atan(0.5)
    ground = HalfSpace(point=(0.0, 0.0), normal=(-math.sin(angle), math.cos(angle)))
    block = Ball(position=(0.0, 0.0))
    moved, speed = 0.0, 0.0
    for rub, until in ((0.6, 60.0), (0.4, 1.0)):
        scene = Scene(gravity=(0.0, -G), restitution=0.0, friction=rub, obstacles=[ground], balls=[block])
        sim = Simulation(scene).run(until=until)
        if rub > 0.5:
            moved = float(np.abs(sim.positions).max())
        else:
            speed = float(np.hypot(*sim.velocities[0]))
    law = G * (math.sin(angle) - 0.4 * math.cos(angle))
    return Found(f"moved by {moved:g} m; {speed:.4f} m/s²", moved + abs(speed / law - 1.0), 1e-9)


@claim(
    CONTACTS,
    "Scattering on a sphere: water keeps what is along the surface, metal is reflected",
    "v - (1 + e) (v·n) n, e = 0 and 1, 50 points each, m/s",
    "physics/test_stepped_contacts.py::test_scattering_on_a_sphere",
)
def scattering() -> Found:
    """Points rain on it without gravity."""
    rng, off = np.random.default_rng(2), 0.0
    b, angle = 0.9 * np.sqrt(rng.uniform(0.0, 1.0, 50)), rng.uniform(0.0, 2.0 * np.pi, 50)
    place = np.stack([b * np.cos(angle), np.full(50, 2.0), b * np.sin(angle)], axis=1)
    normal = np.stack([place[:, 0], np.sqrt(1.0 - b**2), place[:, 2]], axis=1)
    down = np.array((0.0, -1.0, 0.0))
    for e in (0.0, 1.0):
        ball = Circle(centre=(0.0, 0.0, 0.0), radius=1.0)
        scene = Scene(obstacles=[ball], restitution=e, balls=Balls(position=place, velocity=(0.0, -1.0, 0.0)))
        sim = Simulation(scene, solver="stepped", step=0.01).run(until=1.9)
        law = down - (1.0 + e) * (normal @ down)[:, None] * normal
        off = max(off, float(np.abs(sim.velocities - law).max()))
    return Found("the same", off, 1e-11)


@claim(
    CONTACTS,
    "Water gives its momentum to a cloth",
    "momentum of 40 drops and the cloth is kept, N s",
    "physics/test_stepped_contacts.py::test_water_gives_its_momentum_to_a_cloth_from_either_side",
)
def cloth() -> Found:
    """Drops that do not rebound, on a free cloth of 64 points."""
    sheet = Cloth(
        corner=(0.0, 0.0, 0.0), sides=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), counts=(8, 8), stiffness=40.0, links="shear"
    )
    rng = np.random.default_rng(1)
    drops = rng.uniform(0.2, 0.8, (40, 3))
    drops[:, 1] = rng.uniform(0.1, 0.6, 40)
    water = Balls(position=drops, velocity=(0.0, -2.0, 0.0), mass=0.002)
    sim = Simulation(Scene(restitution=0.0, balls=water, structures=[sheet], gravity=(0.0, 0.0, 0.0)))
    before = sim.momentum
    sim.run(until=0.5)
    share = float(sim.velocities[40:, 1] @ sim.masses[40:]) / float(before[1])
    return near(f"the cloth has {share:.0%} of it", sim.momentum, before, 1e-14)


@claim(
    CONTACTS,
    "A thousand disks that are poured come to rest, and stay",
    "after 16 s: rms speed over √(gr) → 0, overlap below 3 % of a radius",
    "physics/test_piles.py::test_a_thousand_disks_poured_into_a_box_settle",
)
def pile() -> Found:
    """Soft contacts; the figure is the unrest."""
    sim = Simulation(library.load("pour")).run(until=16.0)
    x, r = sim.positions, sim.radii
    apart = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2)) + 1e9 * np.eye(len(x))
    deep = float(((r[:, None] + r[None] - apart) / np.minimum(r[:, None], r[None])).max())
    unrest = float(np.sqrt((sim.velocities**2).sum(axis=1).mean() / (G * r.mean())))
    return Found(f"overlap {deep:.1%} of a radius", unrest if deep < 0.03 else math.inf, 1e-5)
