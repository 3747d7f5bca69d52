"""What a ball is: the table of its columns, and where the kernels have them.

A column is declared once, as a field of `Anchors`. From that follow the hot records, the arrays beside them, what
states and histories hold, and what an edit carries along.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import numpy as np
from numpy.typing import NDArray

from carom.scene import Scene

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Records = NDArray[Any]


@dataclass(frozen=True)
class Column:
    """How a column of the anchors is kept."""

    kind: str
    """Its type."""
    shape: tuple[int, ...] = ()
    """Of a row."""
    _: KW_ONLY
    moves: bool = False
    """Does the motion change it? Then states and histories hold it, and an edit carries it along."""
    start: float = 0.0
    """What it is where the scene does not say."""
    hot: tuple[str, ...] = ()
    """The fields of a ball's record that hold it, one per component. If there are none, and the motion changes it, an
    array in `Bodies` holds it."""
    hot_kind: str | None = None
    """Their type, if it is another."""


@dataclass
class Anchors:
    """The balls of a scene, one row per ball: where and how fast it was just after its last event, and when that was.

    Vectors have three components; in two dimensions the last is zero. Times are in seconds after `World.origin`.
    """

    place: Annotated[Floats, Column("f8", (3,), moves=True, hot=("x", "y", "z"))]  # m
    velocity: Annotated[Floats, Column("f8", (3,), moves=True, hot=("vx", "vy", "vz"))]  # m/s
    time: Annotated[Floats, Column("f8", moves=True, hot=("t",))]
    hit: Annotated[Floats, Column("f8", moves=True, start=-np.inf, hot=("hit",))]  # time of the last collision
    rest_on: Annotated[Ints, Column("i4", moves=True, start=-1)]  # the wall that the ball rests on, or -1
    streak: Annotated[Ints, Column("i4", moves=True)]  # contacts in a row, each within the contact time of the last
    turns: Annotated[NDArray[np.int64], Column("i8", (3,), moves=True)]  # how often it went round each periodic axis
    mass: Annotated[Floats, Column("f8", hot=("m",))]  # kg
    radius: Annotated[Floats, Column("f8", hot=("r",))]  # m
    material: Annotated[Ints, Column("i4", hot=("material",), hot_kind="u1")]
    fixed: Annotated[NDArray[np.bool_], Column("?")]

    @classmethod
    def of(cls, scene: Scene) -> Anchors:
        """The balls of a scene at its start."""
        balls = scene.balls
        n, d = balls.position.shape
        anchors = cls(**{name: np.full((n, *each.shape), each.start, each.kind) for name, each in COLUMNS.items()})
        anchors.place[:, :d], anchors.velocity[:, :d] = balls.position, balls.velocity
        anchors.mass[:], anchors.radius[:], anchors.fixed[:] = balls.mass, balls.radius, balls.fixed
        anchors.material[:] = balls.material.codes
        return anchors

    def __len__(self) -> int:
        return len(self.mass)


COLUMNS: dict[str, Column] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(Anchors, include_extras=True).items()
}
MOVING = {name: each for name, each in COLUMNS.items() if each.moves}
BESIDE = tuple(name for name, each in MOVING.items() if not each.hot)

# What a record holds besides columns: the ball's next event, and where it is filed.
EVENT = {
    "te": "f8",  # time of the next event of any sort: the key in the calendar
    "tc": "f8",  # time of the next contact
    "partner": "u4",  # whom it will touch: a ball or a wall
    "planned": "u4",  # the last event of the epoch when that was predicted: later moves of the partner undo it
    "moved": "u4",  # the event of the epoch that last moved the anchor
    "id": "u4",  # the ball's number in the scene
    **dict.fromkeys(("cx", "cy", "cz"), "i4"),  # the cell it is filed in
    "kind": "u1",  # the kind of the next contact, and the image of the ball that it is with (`kinds.packed`)
    "exit": "u1",  # what comes first
    "rest": "u1",  # 1 while the ball rests on a wall
}
FIRST_LINE = ("x", "y", "vx", "vy", "t", "r", "z", "vz")
"""All that predicting a contact with a ball needs, in pairs as it is read (`simd.columns`); z and vz in space only."""
CACHE_LINE = 64  # bytes


def record_of(columns: Mapping[str, Column]) -> np.dtype[np.void]:
    """The type of a ball's record: the first cache line, then all other fields, the largest first.

    It is as many whole cache lines as that takes: two, of which the second is the ball's next event.
    """
    kinds = {name: np.dtype(each.hot_kind or each.kind) for each in columns.values() for name in each.hot}
    kinds |= {name: np.dtype(kind) for name, kind in EVENT.items()}
    others = sorted((name for name in kinds if name not in FIRST_LINE), key=lambda name: -kinds[name].itemsize)
    names = [*FIRST_LINE, *others]
    ends = np.cumsum([kinds[name].itemsize for name in names]).tolist()
    size = -(-ends[-1] // CACHE_LINE) * CACHE_LINE
    return np.dtype(
        {"names": names, "formats": [kinds[name] for name in names], "offsets": [0, *ends[:-1]], "itemsize": size}
    )


ball_record = record_of(COLUMNS)

if TYPE_CHECKING:
    Bodies: TypeAlias = Any
else:
    Bodies = namedtuple("Bodies", ("balls", *BESIDE))
    Bodies.__doc__ = """The balls as kernels have them: their records, and the columns that stand beside these."""


def put(bodies: Bodies, columns: Mapping[str, Any], rows: NDArray[np.intp], names: Iterable[str] = MOVING) -> None:
    """Give bodies what some rows of the columns hold."""
    for name in names:
        values = columns[name][rows]
        for k, part in enumerate(COLUMNS[name].hot):
            bodies.balls[part] = values[:, k] if values.ndim > 1 else values
        if name in BESIDE:
            getattr(bodies, name)[:] = values
    bodies.balls["rest"] = bodies.rest_on >= 0


def take(bodies: Bodies, columns: Mapping[str, Any], rows: NDArray[np.intp]) -> None:
    """Write what the motion has changed of bodies into some rows of the columns."""
    for name, each in MOVING.items():
        if name in BESIDE:
            columns[name][rows] = getattr(bodies, name)
        for k, part in enumerate(each.hot):
            columns[name][(rows, k) if each.shape else rows] = bodies.balls[part]
