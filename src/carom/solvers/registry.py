"""One self-describing card per solver: what it is and can do, for forms, documents, tests and every caller."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """What a solver is, what it can do, and where it comes from."""

    name: str
    title: str
    advances: str
    """How time advances."""
    solves: tuple[str, ...]
    """What a scene may contain."""
    cannot: tuple[str, ...]
    """What it refuses, naming the reason."""
    cost: str
    sources: tuple[str, ...]
    has_forces: bool
    """Does it know forces, so that balls can be pulled, driven and linked, and energies are accounted for?"""
    has_steps: bool
    """Does it go in steps, which have a size, an integrator and a way to treat contacts?"""
    foresees: bool
    """Does it know the next collision, and whether there will be one?"""
    keeps_history: bool
    """Can it write a history, from which any instant is rebuilt bit for bit?"""


EXACT = Card(
    name="exact",
    title="Exact, event-driven",
    advances="from event to event; between events balls fly on straight lines or parabolas, in closed form",
    solves=(
        "hard balls of any mass and radius, points, fixed balls",
        "boxes, periodic axes, polygons with holes and arcs, circles and spheres, open space; 2D and 3D",
        "uniform gravity; restitution by scene and by pair of materials; rest on straight walls",
    ),
    cannot=(
        "balls that rest on each other, or on something round",
        "forces other than uniform gravity: springs, drag, friction, attraction",
    ),
    cost="a few hundred nanoseconds a collision, whatever the number of balls, but for cache misses",
    sources=(
        "B. J. Alder and T. E. Wainwright, J. Chem. Phys. 31 (1959) 459",
        "B. D. Lubachevsky, J. Comput. Phys. 94 (1991) 255: one event a ball",
        "G. Paul, J. Comput. Phys. 221 (2007) 615: bucket calendar",
        "F. Smallenburg, Eur. Phys. J. E 45 (2022) 22: neighbour lists",
        "S. Luding and S. McNamara, Granular Matter 1 (1998) 113: contact time",
    ),
    has_forces=False,
    has_steps=False,
    foresees=True,
    keeps_history=True,
)

STEPPED = Card(
    name="stepped",
    title="Stepped, under forces",
    advances="in fixed steps, by an integrator of the user's choice; contacts within a step have their own instants",
    solves=(
        "material points and balls of any mass and radius, held or born later; 2D and 3D",
        "uniform gravity, attraction between all, springs with damping that may break, bending, drag, own forces",
        "forbidden regions of any kind, restitution, static and dynamic friction, piles that come to rest, cloth",
    ),
    cannot=("rotation: bodies are points with a radius", "the next collision: who steps does not know ahead"),
    cost="some tens of nanoseconds a body and step, and a few a spring; attraction grows as N², by a tree as N log N",
    sources=(
        "L. Verlet, Phys. Rev. 159 (1967) 98",
        "J. Barnes and P. Hut, Nature 324 (1986) 446: attraction by a tree",
        "H. C. Andersen, J. Comput. Phys. 52 (1983) 24: sliding on what is curved",
    ),
    has_forces=True,
    has_steps=True,
    foresees=False,
    keeps_history=False,
)

CARDS = {card.name: card for card in (EXACT, STEPPED)}
