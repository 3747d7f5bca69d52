"""Draw the pictures of docs/teaching.md, docs/solvers.md and docs/proof.md from runs, reproducibly.

`python tools/proof_pictures.py` writes docs/images/teach-*.svg; with a FOLDER it writes them there.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle as Disk

from carom import Ball, Balls, Box, Link, Scene, Simulation, library, plots
from carom.observe.measures import theory
from carom.views.palette import Palette
from proof_claim import power

IMAGES = Path(__file__).resolve().parent.parent / "docs/images"


def main() -> None:
    """Draw all pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES, help="target folder; default: docs/images")
    folder = parser.parse_args().folder
    for name, draw in DRAWN.items():
        with plots.style("light") as colours:
            path = folder / f"teach-{name}.svg"
            draw(colours).savefig(path, metadata={"Date": None})
        print(f"wrote {path.name}, {path.stat().st_size / 1000:.0f} kB")


def oblique(colours: Palette) -> Figure:
    """A ball hits an equal one at rest, off the middle: before, the line of centres, and after."""
    figure = Figure((7.2, 2.4))
    panels = figure.subplots(1, 2)
    sim = Simulation(library.load("oblique"))
    meeting = sim.upcoming[0]
    shown(panels[0], Simulation(library.load("oblique")).run(until=meeting.time - 0.12), colours, "before")
    sim.run(collisions=1)
    one, two = sim.positions
    along = (two - one) / np.linalg.norm(two - one)
    ends = np.array([one - 0.034 * along, two + 0.012 * along])
    shown(panels[1], sim, colours, "at contact, velocities after")
    panels[1].plot(*ends.T, color=colours.soft, lw=1.0, ls=(0, (4, 3)))
    panels[1].annotate(
        "line of centres", ends[0], (-8, -13), textcoords="offset points", fontsize=8.5, color=colours.soft
    )
    place = one + 0.5 * (two - one)
    for panel in panels:
        panel.set(xlim=(place[0] - 0.06, place[0] + 0.06), ylim=(place[1] - 0.03, place[1] + 0.035), aspect="equal")
        panel.axis("off")
    return figure


def shown(panel: Axes, sim: Simulation, colours: Palette, title: str) -> None:
    """Balls with arrows: where they would be after 0.2 s."""
    for place, velocity, radius, colour in zip(sim.positions, sim.velocities, sim.radii, colours.series, strict=False):
        panel.add_patch(Disk((float(place[0]), float(place[1])), float(radius), facecolor=colour, alpha=0.85, lw=0))
        if velocity.any():
            tip = place + 0.2 * velocity
            arrow = {"arrowstyle": "-|>", "color": colours.ink, "lw": 1.6, "shrinkA": 0.0, "shrinkB": 0.0}
            panel.annotate("", tip, place, arrowprops=arrow)
            panel.annotate(
                f"{np.linalg.norm(velocity):.3f} m/s", tip, (6, -11), textcoords="offset points", fontsize=8.5
            )
    panel.set_title(title)


def growth(colours: Palette) -> Figure:
    """How far off the line a point meets a pillar, bounce by bounce, for three starts."""
    figure = Figure((6.4, 3.4))
    panel = figure.subplots()
    for hair in (1e-6, 1e-10, 1e-14):
        pillar = Ball(position=(2.0, 2.0), radius=1.0, fixed=True)
        point = Ball(position=(0.5, 2.0 + hair), velocity=(1.0, 0.0))
        hits = Simulation(Scene(boundary=Box(size=(4.0, 4.0)), balls=[pillar, point])).events(collisions=40)
        aside = []
        for each in hits:
            if each.kind == "ball-ball":
                aside.append(abs(each.place[1] - 2.0))
            if aside and aside[-1] > 0.3:
                break
        label = f"started {power(hair).removeprefix('1.0·')} m off the line"
        panel.semilogy(np.arange(1, len(aside) + 1), aside, "o", ms=4.5, label=label)
    n = np.arange(1.0, 21.0)
    panel.semilogy(n, 1e-14 * (3.0 + math.sqrt(8.0)) ** (n - 1.0), color=colours.soft, lw=1.0, label="(3 + √8)ⁿ")
    panel.set(xlabel="bounce on the pillar", ylabel="off the line, m", xlim=(0.0, 20.5), ylim=(3e-15, 2.0))
    panel.set_xticks(range(0, 21, 2))
    panel.legend(loc="lower right")
    return figure


def maxwell(colours: Palette) -> Figure:
    """Speeds of 2500 disks that all began at 1 m/s, after 1/2, 2 and 20 collisions per disk, with Maxwell's curve."""
    n = 2500
    scene = library.load("gas", count=n, packing_fraction=0.1, seed=4)
    angle = np.random.default_rng(4).uniform(0.0, 2.0 * np.pi, n)
    velocity = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    b = scene.balls
    balls = Balls(position=b.position, velocity=velocity - velocity.mean(axis=0), mass=b.mass, radius=b.radius)
    sim = Simulation(scene.replace(balls=balls))
    figure = Figure((9.0, 2.9))
    panels = figure.subplots(1, 3, sharey=True)
    v = np.linspace(0.0, 3.0, 200)
    curve = theory.maxwell_density(v, sim.kinetic_energy / (n - 1), float(b.mass[0]), 2)
    for panel, each in zip(panels, (0.5, 2.0, 20.0), strict=True):
        sim.run(collisions=round(each * n / 2) - sim.collisions)
        speed = np.linalg.norm(sim.velocities, axis=1)
        panel.hist(speed, bins=np.linspace(0.0, 3.0, 41), density=True, color=colours.series[0], alpha=0.7)
        panel.plot(v, curve, color=colours.ink, lw=1.4)
        panel.set(xlabel="speed, m/s", xlim=(0.0, 3.0), ylim=(0.0, 2.2))
        panel.set_title(f"{each:g} collisions per disk")
    panels[0].set_ylabel("density, s/m")
    return figure


def integrators(colours: Palette) -> Figure:
    """Energy of an oscillator over its initial one, by four integrators, at 40 steps per period."""
    balls = [Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.1, 0.0))]
    scene = Scene(balls=balls, links=[Link(between=(0, 1), stiffness=4.0 * math.pi**2, length=1.0)])
    figure = Figure((6.4, 3.4))
    panel = figure.subplots()
    names = {
        "explicit-euler": "Euler, explicit",
        "euler": "Euler, velocity first",
        "verlet": "Verlet",
        "rk4": "Runge-Kutta 4",
    }
    for colour, (name, title) in zip((3, 2, 0, 1), names.items(), strict=True):
        sim = Simulation(scene, step=0.025, integrator=name)
        start = sim.energy
        energies = [sim.run(until=0.025 * k).energy / start for k in range(321)]
        panel.plot(0.025 * np.arange(321), energies, color=colours.series[colour], label=title)
    panel.set(xlabel="time, periods", ylabel="energy over the first", xlim=(0.0, 8.0), ylim=(0.8, 1.6))
    panel.legend(loc="upper right")
    return figure


DRAWN: dict[str, Callable[[Palette], Figure]] = {
    "oblique": oblique,
    "growth": growth,
    "maxwell": maxwell,
    "integrators": integrators,
}
"""The pictures by name."""


if __name__ == "__main__":
    main()
