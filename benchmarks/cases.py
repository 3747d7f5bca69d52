"""All cases to measure, table by table."""

from __future__ import annotations

from functools import partial

from benchmarks import (
    earlier,
    footprint,
    lab,
    peers,
    pooltool_environment,
    scenes,
    speed,
    stepped,
    stepped_peers,
    sweeps,
)
from benchmarks.model import Case, Section
from benchmarks.scenes import late

DENSITIES = (0.05, 0.3, 0.5, 0.7)
COUNTS = (1_000, 10_000, 100_000, 1_000_000)


def power(count: int) -> str:
    """Write 1000 as 1e3."""
    return f"1e{len(str(count)) - 1}"


def equal_disks() -> Section:
    """The main table."""
    cases = tuple(
        Case(
            name=f"disks-{power(count)}-{packing}",
            labels=(power(count), f"{packing}"),
            measure=partial(speed.alone, late(scenes.gas, count, packing)),
            heavy=count > 10_000,
            best_of_rounds=speed.RATE,
        )
        for count in COUNTS
        for packing in DENSITIES
    )
    return Section(
        key="disks",
        title="Equal disks in a periodic square",
        text=(
            "N disks at packing fraction η. Each case is measured again after all others, minutes later, and the best "
            "counts."
        ),
        labels=("N", "η"),
        columns=(speed.RATE,),
        cases=cases,
    )


def variants() -> Section:
    """Variants of equal disks in periodic space."""
    cases = []
    for count, packing in ((10_000, 0.3), (10_000, 0.7), (100_000, 0.3)):
        base = late(scenes.gas, count, packing)
        for title, make, cools, limit in (
            ("hard walls", late(scenes.boxed, count, packing), False, 0.9),
            ("masses 1 to 10", late(scenes.masses, count, packing), False, 0.9),
            ("restitution 0.9", late(scenes.lossy, count, packing), True, 0.9),
        ):
            name = f"variant-{title.split()[0]}-{power(count)}-{packing}"
            measure = partial(speed.side_by_side, make, base, cools=cools)
            cases.append(Case(name, (title, power(count), f"{packing}"), measure, (limit,), heavy=count > 10_000))
    for ratio, fraction, limit in ((3.0, 0.5, 0.5), (10.0, 0.5, "–"), (10.0, 0.1, "–")):
        for packing in (0.3, 0.5):
            measure = partial(
                speed.side_by_side,
                late(scenes.mixed, 10_000, packing, ratio, fraction),
                late(scenes.gas, 10_000, packing),
            )
            title = f"radii 1:{ratio:g}, {fraction:.0%} large"
            cases.append(
                Case(f"radii-{ratio:g}-{fraction:g}-{packing}", (title, "1e4", f"{packing}"), measure, (limit,))
            )
    for title, make in (("gravity, hard walls", scenes.falling), ("star with 24 walls", scenes.star)):
        measure = partial(speed.side_by_side, late(make, 10_000, 0.3), late(scenes.gas, 10_000, 0.3))
        cases.append(Case(f"variant-{title.split(',')[0].split()[0]}", (title, "1e4", "0.3"), measure, ("–",)))
    return Section(
        key="variants",
        title="Walls, masses, restitution, sizes, gravity",
        text=(
            "Each beside equal disks in a periodic square of the same N and η, slice by slice in turn; `relative` "
            "is the ratio of the two rates. Under gravity density varies with height; in mixtures η is that of both."
        ),
        labels=("scene", "N", "η"),
        columns=(speed.RATE, speed.RELATIVE),
        known=("relative, at least",),
        cases=tuple(cases),
    )


def three_dimensions() -> Section:
    """Spheres."""
    cases = tuple(
        Case(
            f"spheres-{power(count)}-{packing}",
            (power(count), f"{packing}"),
            partial(speed.alone, late(scenes.spheres, count, packing)),
            heavy=count > 10_000,
        )
        for count in (1_000, 10_000, 100_000)
        for packing in (0.3, 0.49)
    )
    return Section(
        key="spheres",
        title="Equal spheres in a periodic cube",
        text="",
        labels=("N", "η"),
        columns=(speed.RATE,),
        cases=cases,
    )


def reading() -> Section:
    """Collisions that Python sees."""
    return Section(
        key="reading",
        title="Collisions that come to Python",
        text="`for collision in sim.events(…)` makes an object of each; `sim.collide(…)` gives them as one array.",
        labels=("N", "η"),
        columns=("sim.events, million/s", "sim.collide, million/s"),
        cases=(Case("python-1e4", ("1e4", "0.3"), partial(speed.from_python, late(scenes.gas, 10_000, 0.3))),),
    )


def beginning() -> Section:
    """Set-up of large scenes."""
    return Section(
        key="set-up",
        title="Set-up",
        text=(
            "CPU time to generate and validate the scene, and to begin its simulation with and without looking for "
            "overlaps."
        ),
        labels=("N", "η"),
        columns=("scene, s", "Simulation(scene), s", "with check=False, s"),
        cases=tuple(
            Case(
                f"setup-{power(count)}-{packing}",
                (power(count), f"{packing}"),
                partial(speed.set_up, late(scenes.gas, count, packing)),
                heavy=count > 100_000,
            )
            for count in (100_000, 1_000_000)
            for packing in (0.3, 0.7)
        ),
    )


def memory() -> Section:
    """Memory per ball."""
    return Section(
        key="memory",
        title="Memory",
        text=(
            "Sum of the sizes of the solver's arrays, and growth of the resident memory of a fresh process, from the "
            "scene to a running simulation. The goal is at most 400 bytes per ball."
        ),
        labels=("N", "η"),
        columns=("arrays, bytes per ball", "process, bytes per ball"),
        known=("goal",),
        cases=tuple(
            Case(
                f"memory-{power(count)}-{packing}",
                (power(count), f"{packing}"),
                partial(footprint.memory, count=count, packing=packing),
                (400,),
                heavy=count > 100_000,
            )
            for count in (100_000, 1_000_000)
            for packing in (0.05, 0.3, 0.7)
        ),
    )


def start() -> Section:
    """Compilation and start."""
    return Section(
        key="start",
        title="Compilation and start",
        text=(
            "A process of its own: `import carom`, a gas of 200 balls, its first collision. Cold: with an empty cache, "
            "so that all kernels of that kind are compiled (goal: under 15 s). Warm: with what the first left in the "
            "cache (goal: under 1 s). The least of several. As where carom alone is installed: Numba loads SciPy and "
            "cffi if they are there, which takes 0.2 s more."
        ),
        labels=("kernels",),
        columns=("cold, s", "cold, s of CPU", "warm, s"),
        cases=(
            Case("start-2d", ("2D, cells",), footprint.start),
            Case("start-2d-lists", ("2D, lists",), partial(footprint.start, neighbours="lists"), heavy=True),
            Case("start-2d-gravity", ("2D, cells, gravity",), partial(footprint.start, gravity=True), heavy=True),
            Case("start-3d", ("3D, cells",), partial(footprint.start, dimension=3), heavy=True),
        ),
    )


def stepped_start() -> Section:
    """Compilation and start of the stepped solver."""
    return Section(
        key="stepped-start",
        title="Compilation and start of the stepped solver",
        text=(
            "The same for scenes of the library, to the end of their first step: each compiles what it uses (goal: "
            "under 20 s)."
        ),
        labels=("scene",),
        columns=("cold, s", "cold, s of CPU", "warm, s"),
        cases=tuple(
            Case(f"start-{scene}", (scene,), partial(footprint.first_step, scene=scene), heavy=scene != "rope")
            for scene in ("rope", "planetary-system", "pour", "cloth-on-a-ball", "water-on-cloth", "goo-tower")
        ),
    )


def other_packages() -> Section:
    """Peers."""
    boxes = tuple(
        Case(
            f"peer-billiards-{count}",
            ("billiards", f"{count} disks in a box, η 0.3"),
            partial(peers.against_billiards, count=count, packing=0.3),
            heavy=count > 100,
        )
        for count in (100, 1_000)
    )
    pool = Case("peer-pooltool", ("pooltool-billiards", "pool break"), peers.against_pooltool, heavy=True)
    return Section(
        key="peers",
        title="Python packages, in this run",
        text=(
            "`billiards` has the very same balls and walls. `pooltool` breaks its own rack, with friction, spin and "
            "pockets, which is more work an event; carom breaks its own on a table without them. Events per second of "
            "CPU time. pooltool runs in a Python of its own, for carom admits none of the versions of Numba that it "
            f"asks for: `{pooltool_environment.MAKE}` makes that environment once, or {pooltool_environment.NAMED} "
            "names one."
        ),
        labels=("package", "scene"),
        columns=(peers.OURS, peers.THEIRS, peers.VERSION),
        cases=(*boxes, pool),
    )


def sections() -> tuple[Section, ...]:
    """All tables, in the order of the page."""
    return (
        equal_disks(),
        variants(),
        three_dimensions(),
        reading(),
        beginning(),
        memory(),
        start(),
        stepped_start(),
        other_packages(),
        stepped.section(),
        stepped_peers.section(),
        earlier.section(),
        lab.section(),
        *sweeps.sections(),
    )
