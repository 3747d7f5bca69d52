"""What belongs together, as kernels of the stepped solver take it: named tuples, made once and passed whole.

A bundle that a scene has no use for is an empty tuple. Numba drops a branch on the length of a tuple only where the
tuple is an argument (ADR 11): so a function that asks for the length of a bundle takes it as an argument of its own.
"""

from typing import Any, NamedTuple


class Bodies(NamedTuple):
    """Rows of all bodies, in the order of their births; scratch that an integrator does not need has no rows."""

    place: Any
    velocity: Any
    accel: Any
    born: Any  # when each appears, s
    turns: Any  # int64: how many times each has gone round each periodic axis
    last: Any  # Verlet: acceleration before the step; the others: places before it
    start: Any  # the others: velocities before the step; Störmer-Verlet: places before the last step
    rest: Any  # the others: what the velocity is more than that of the path
    slopes: Any  # Runge-Kutta: (stages, 2, N, 4)
    since: Any  # (N,): how long before the end of the step the path begins, s: see `contacts.order`
    begin: Any  # where the step began, of bodies that have changed their path since


class Scheme(NamedTuple):
    """An integrator as numbers, and what it must know of the forces; tables of other integrators are empty."""

    varying: bool  # do forces vary, so that each step asks for them?
    by_velocity: bool  # may they depend on velocity?
    stormer: Any  # not empty for Störmer-Verlet
    splitting: Any  # (parts of the step, is it a kick?)
    tableau: Any  # of a Runge-Kutta method: (matrix, weights, nodes)


class Coefficients(NamedTuple):
    """Restitution and friction by pairs of materials."""

    material: Any  # of each body, uint8
    bounce: Any  # restitution, ball by ball
    wall_bounce: Any  # ball by wall
    static: Any  # friction, ball by ball
    dynamic: Any
    wall_static: Any  # ball by wall
    wall_dynamic: Any


class Walls(NamedTuple):
    """Forbidden regions."""

    regions: Any
    edges: Any  # features of outlines
    clearance: Any  # how far places are from all regions
    notes: Any  # room for the contacts of a step; empty when none are recorded
    feelers: Any = ()  # of a cloth, where something is narrower than its mesh


class Partners(NamedTuple):
    """What bodies can meet, and by which coefficients they part; what there is none of is empty."""

    coefficients: Any
    walls: Any  # `Walls`
    pairs: Any  # `contacts.partners.Pairs`
    cloth: Any  # `regions.cloth.Sheet`
    pile: Any  # `build.PileSetup`: contacts that last, instead of instants


class Flight(NamedTuple):
    """A step in progress: when and how long it is, and what moves."""

    t: Any  # its begin, s since the origin of time
    dt: Any
    clock: Any  # the record of scalars
    bodies: Any


class StepState(NamedTuple):
    """A step in progress, for contacts: as `Flight`, and how they act, and where they are written down."""

    t: Any  # its begin, s since the origin of time
    dt: Any
    clock: Any  # the record of scalars
    bodies: Any
    coefficients: Any
    periods: Any  # lengths of periodic axes, else 0; empty when no axis is periodic
    log: Any  # rows of `collision_record`; empty when none are recorded


class Task(NamedTuple):
    """What a call of the loop is to do."""

    dt: float  # s
    steps: int  # at most
    goal: int  # stop after the step in which the number of collisions reaches this
    part: int  # of a step: see `loop`
