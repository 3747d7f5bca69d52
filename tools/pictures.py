"""Draw the pictures of the documents from real runs, reproducibly.

`python tools/pictures.py` writes docs/images/*.png and a film; with a FOLDER it writes them there.
"""

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from PIL import Image

from carom import Box, Recording, Scene, Simulation, library, plots, video
from carom.cli import main as carom_command

IMAGES = Path(__file__).resolve().parent.parent / "docs/images"

Floats = NDArray[np.float64]

COLOURS = 96

INK = "#2b2f33"
PAPER = "#ffffff"
FELT = "#1f4f49"
CUSHION = "#4a3226"
NIGHT = "#15131f"
# Of the balls 1 to 7; 9 to 15 have the same, with a white band, and 8 is black.
BALLS = ("#f5c842", "#3f7be0", "#e2443d", "#9a62d4", "#f2903f", "#3fb56d", "#b5495b")
POOL = ("#fbfaf4", *BALLS, "#1c1c1e", *BALLS)
SLOW_TO_FAST = LinearSegmentedColormap.from_list(
    "slow to fast", ["#3d4a8a", "#6f5aa8", "#c2528b", "#f4744f", "#ffc15a", "#fff6d8"]
)


def main() -> None:
    """Draw all pictures, or the named ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES, help="target folder; default: docs/images")
    parser.add_argument("--only", nargs="+", choices=DRAWN, default=list(DRAWN), metavar="NAME", help="draw only these")
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    for name in told.only:
        DRAWN[name](told.folder / f"{name}.png")


STILLS: dict[str, tuple[str, float, int, dict[str, Any]]] = {
    "break": ("break", 0.9, COLOURS, {"arrows": True, "trace": 0.6}),
    "cloth": ("cloth-on-a-ball", 0.8, 160, {}),
    "water": ("water-on-a-ball", 0.75, 128, {"theme": "dark"}),
}
"""By name: the scene, the instant, the number of colours, and the look."""


def still(name: str, path: Path) -> None:
    """A scene of the library at an instant, as films show it."""
    scene, at, colours, look = STILLS[name]
    drawn = Image.fromarray(video.picture(library.load(scene), video.Look(size=(960, 540), **look), at=at))
    shrink(drawn, path, colours)


FILM = ("render", "break", "--to", "1.6", "--fps", "12.5", "--size", "480x270", "--trace", "0.3", "--force", "--quiet")
"""The command of the film, small enough for a page."""


def film(path: Path) -> None:
    """Film a break by the command that readers use."""
    command, scene, *options = FILM
    if carom_command([command, scene, str(path.with_suffix(".gif")), *options]) != 0:
        raise SystemExit("the film could not be made")


def plots_of_a_gas(path: Path) -> None:
    """Speeds and radial distribution, from a recording."""
    with TemporaryDirectory() as scratch, recorded("gas", Path(scratch)) as run, plots.style("light"):
        figure = Figure((9.6, 3.6), layout="constrained")
        one, two = figure.subplots(1, 2)
        plots.speeds(run, one)
        plots.radial(run, two)
        save(figure, path)


def plots_of_a_break(path: Path) -> None:
    """Trajectories, and a map of collisions, from a recording."""
    with TemporaryDirectory() as scratch, recorded("break", Path(scratch)) as run, plots.style("dark"):
        figure = Figure((9.6, 4.2), layout="constrained")
        one, two = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
        plots.space_time(run, one)
        plots.network(run, two)
        save(figure, path)


def recorded(name: str, folder: Path) -> Recording:
    """Two seconds of a scene of the library."""
    simulation = Simulation(library.load(name))
    with simulation.record(folder / f"{name}.h5", every=0.02):
        simulation.run(until=2.0)
    return Recording(folder / f"{name}.h5")


# --- the pictures


def pool_break() -> Figure:
    """A pool break at four instants, with the paths so far."""
    scene = library.load("pool-break", offset=0.004)
    simulation = Simulation(scene)
    length, width = box(scene)
    figure, axes = panels(2, 2, (9.6, 5.35))
    paths = [simulation.positions]
    for panel, instant in zip(axes, (0.10, 0.16, 0.36, 1.20), strict=True):
        paths.extend(simulation.positions for _ in simulation.events(until=instant))
        paths.append(simulation.positions)
        rail = 0.05
        panel.add_patch(Rectangle((-rail, -rail), length + 2 * rail, width + 2 * rail, color=CUSHION, lw=0))
        panel.add_patch(Rectangle((0, 0), length, width, color=FELT, lw=0))
        draw_paths(panel, paths, POOL, width=1.1, alpha=0.85)
        draw_pool_balls(panel, simulation)
        caption(panel, f"{1000 * simulation.time:.0f} ms, {counted(simulation.collisions)}")
        frame(panel, (-rail, length + rail), (-rail, width + rail))
    return figure


def hot_spot() -> Figure:
    """A gas of 2500 disks, in which one spot is made hot; coloured by speed."""
    gas = library.load("gas", count=2500, packing_fraction=0.3, periodic=False, seed=3, speed=0.25)
    length, width = box(gas)
    mixed = Simulation(gas).run(collisions=100_000).snapshot()
    balls = mixed.balls
    away = np.linalg.norm(balls.position - (0.35 * length, 0.6 * width), axis=1)
    faster = np.where(away < 0.16 * length, 6.0, 1.0)
    simulation = Simulation(mixed.replace(balls=balls.replace(velocity=balls.velocity * faster[:, None])))
    figure, axes = panels(1, 3, (9.6, 3.4))
    for panel, instant in zip(axes, (0.0, 0.15, 1.5), strict=True):
        simulation.run(until=instant)
        disks = disks_of(simulation.positions, simulation.radii, panel)
        disks.set_array(np.linalg.norm(simulation.velocities, axis=1))
        disks.set(cmap=SLOW_TO_FAST, clim=(0.0, 1.4))
        panel.add_patch(Rectangle((0, 0), length, width, color=NIGHT, lw=0))
        panel.add_collection(disks)
        caption(panel, f"{simulation.time:g} s, {counted(simulation.collisions)}")
        frame(panel, (0.0, length), (0.0, width))
    return figure


def bounces() -> Figure:
    """The height of a ball that comes to rest, against time."""
    simulation = Simulation(library.load("bouncing-ball"))
    radius = float(simulation.radii[0])
    times = np.linspace(0.0, 5.0, 2001)
    heights = [float(simulation.run(until=time).positions[0, 1]) - radius for time in times]
    figure = Figure(figsize=(9.6, 2.6), facecolor=PAPER, layout="constrained")
    panel = figure.subplots()
    panel.plot(times, heights, color=BALLS[1], lw=1.5)
    panel.axvline(4.0636, color=BALLS[2], lw=1.0, ls=(0, (4, 3)))
    panel.text(4.09, 0.72, "endlessly many bounces\nend here, at 4.06 s", color=BALLS[2], fontsize=9)
    panel.set(xlim=(0.0, 5.0), ylim=(0.0, 1.05), xlabel="time, s", ylabel="height, m")
    panel.spines[["top", "right"]].set_visible(False)
    return figure


# --- parts of pictures


def panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A figure of panels of equal size."""
    figure = Figure(figsize=size, facecolor=PAPER)
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.subplots_adjust(left=0.005, right=0.995, bottom=0.01, top=1.0 - 0.29 / size[1], wspace=0.03, hspace=0.11)
    return figure, list(axes.flat)


def frame(panel: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Show this part of the plane, without axes."""
    panel.set(xlim=x, ylim=y, aspect="equal")
    panel.axis("off")


def caption(panel: Axes, text: str) -> None:
    """A line above a panel."""
    panel.set_title(text, loc="left", fontsize=9.5, color=INK, pad=4)


def draw_paths(panel: Axes, paths: list[Floats], colours: Iterable[str], *, width: float, alpha: float) -> None:
    """Each ball's path as a line in its colour."""
    lines = np.stack(paths, axis=1)
    panel.add_collection(LineCollection(list(lines), colors=list(colours), linewidths=width, alpha=alpha))


def draw_pool_balls(panel: Axes, simulation: Simulation) -> None:
    """Balls as on a pool table, seen from above."""
    places, radii = simulation.positions, simulation.radii
    shadow = disks_of(places + np.array([0.008, -0.010]), radii, panel)
    shadow.set(facecolor="#00000050", linewidth=0)
    balls = disks_of(places, radii, panel)
    balls.set(facecolor=POOL, edgecolor="#ffffff40", linewidth=0.5)
    bands = disks_of(places[9:], 0.52 * radii[9:], panel)
    bands.set(facecolor=POOL[0], linewidth=0)
    for collection in (shadow, balls, bands):
        collection.set_zorder(3)
        panel.add_collection(collection)


def disks_of(places: Floats, radii: Floats, panel: Axes) -> EllipseCollection:
    """Disks in the units of the scene."""
    return EllipseCollection(
        2.0 * radii, 2.0 * radii, np.zeros(len(radii)), units="xy", offsets=places, transOffset=panel.transData
    )


def counted(collisions: int) -> str:
    """`1 collision`, `1,234 collisions`."""
    return f"{collisions:,} collision{'' if collisions == 1 else 's'}"


def box(scene: Scene) -> tuple[float, float]:
    """Length and width of a scene in a box."""
    assert isinstance(scene.boundary, Box)  # noqa: S101  # these scenes are
    length, width = scene.boundary.size
    return length, width


def save(figure: Figure, target: Path) -> None:
    """Write a PNG of few colours: a fraction of the size, and no date in it."""
    mpl.rcParams["font.family"] = "DejaVu Sans"  # comes with matplotlib, so it is the same everywhere
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    shrink(Image.open(buffer), target, COLOURS)


def shrink(picture: Image.Image, target: Path, colours: int) -> None:
    """Write a PNG of few colours."""
    picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"wrote {target.name}, {target.stat().st_size / 1000:.0f} kB")


DRAWN: dict[str, Callable[[Path], None]] = {
    "break": lambda path: save(pool_break(), path),
    "hot-spot": lambda path: save(hot_spot(), path),
    "bounces": lambda path: save(bounces(), path),
    **{f"render-{name}": partial(still, name) for name in STILLS},
    "film-break": film,
    "plots-gas": plots_of_a_gas,
    "plots-break": plots_of_a_break,
}
"""The pictures by name."""


if __name__ == "__main__":
    main()
