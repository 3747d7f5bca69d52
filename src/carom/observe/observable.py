"""What an observable is, and where they are found by name.

One of your own takes a few lines:

    class Highest(Observable):
        name, symbol, unit = "highest", "y_max", "m"

        def sample(self, sim):
            return float(sim.positions[:, 1].max())

    sim.record("run.h5", every=0.1, observables=["temperature", Highest()])
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.scene import Scene
from carom.scene.fields.base import shown

Floats = NDArray[np.float64]

ROOMS = (
    "mechanics", "thermo", "pressure", "rates", "speeds", "structure", "transport", "profiles", "lyapunov", "evenness",
)  # fmt: skip
"""The modules whose observables are found by name."""


class Moment(Protocol):
    """What an observable may read of a run at an instant; a `Simulation` is one, and so is a frame of a recording.

    Rows of NaN are balls that are not there: not born yet, or gone.
    """

    @property
    def scene(self) -> Scene: ...  # noqa: D102  # as in Simulation, and so all that follow
    @property
    def time(self) -> float: ...  # noqa: D102
    @property
    def positions(self) -> Floats: ...  # noqa: D102
    @property
    def velocities(self) -> Floats: ...  # noqa: D102
    @property
    def turns(self) -> NDArray[np.int64]: ...  # noqa: D102
    @property
    def masses(self) -> Floats: ...  # noqa: D102
    @property
    def radii(self) -> Floats: ...  # noqa: D102
    @property
    def collisions(self) -> int: ...  # noqa: D102
    @property
    def collisions_by_kind(self) -> dict[str, int]: ...  # noqa: D102
    @property
    def kinetic_energy(self) -> float: ...  # noqa: D102
    @property
    def potential_energy(self) -> float: ...  # noqa: D102
    @property
    def energy(self) -> float: ...  # noqa: D102
    @property
    def momentum(self) -> Floats: ...  # noqa: D102


class Observable:
    """Something that is measured of a run at chosen times; a subclass gives `sample`, and the rest if it needs it.

    name, symbol, unit  what it is called, its letter, and its SI unit ("" for a plain number); a unit that depends on
                        the dimension of the scene is known once it has begun.
    wants_collisions    is `collide` to be told of the collisions between samples?
    over_interval       is a sample the mean over the time since the one before (and so NaN at the first), rather
                        than the value of an instant?
    labels              what the entries of a sample are called, where they are few; axes have theirs without it.
    across              what `columns` stand for, and its unit: ("speed", "m/s").
    of_time             is it a function of time, of which a mean says nothing?
    inverse_mean        is the mean over a run that of 1/x, inverted (as of times between events, which are means over
                        events)?
    """

    name: ClassVar[str] = ""
    symbol: ClassVar[str] = ""
    unit: str = ""
    wants_collisions: ClassVar[bool] = False
    over_interval: ClassVar[bool] = False
    labels: ClassVar[tuple[str, ...]] = ()
    across: ClassVar[tuple[str, str]] = ("", "")
    of_time: ClassVar[bool] = False
    inverse_mean: ClassVar[bool] = False

    def begin(self, sim: Moment) -> None:
        """Take what has to be known before the first sample; a ArgumentError if the scene cannot be measured so."""

    def collide(self, rows: NDArray[Any]) -> None:
        """Take the collisions since the last call: rows of `collision_record` with absolute times, in order."""

    def sample(self, sim: Moment) -> float | Floats:
        """The value now; of the same shape each time."""
        raise NotImplementedError(f"{type(self).__name__} has no sample()")

    def columns(self) -> Floats | None:
        """What the entries of a sample stand for (middles of bins, say), once it has begun; None for plain values."""
        return None

    def state(self) -> dict[str, NDArray[Any]]:
        """What it carries from one sample to the next, for checkpoints."""
        return {}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take up what `state` gave, after `begin`."""


_known: dict[str, type[Observable]] = {}


def register(kind: type[Observable]) -> type[Observable]:
    """Let an observable be found by its name; use it as a decorator of the class."""
    if not kind.name or not kind.name.isidentifier():
        what = f"{shown(kind.name)} is not a name"
        raise ArgumentError([Problem(kind.__name__, what, "Give the class a name of letters, digits and underscores.")])
    other = _known.get(kind.name)
    if other is not None and (other.__module__, other.__qualname__) != (kind.__module__, kind.__qualname__):
        what = f"the name {kind.name!r} is taken by {other.__qualname__}"
        raise ArgumentError([Problem(kind.__name__, what, "Choose another name.")])
    _known[kind.name] = kind
    return kind


def observable(name: str) -> Observable:
    """A new observable by its name."""
    known = _all()
    if name in known:
        return known[name]()
    near = get_close_matches(str(name), known, n=3)
    hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"There are {', '.join(sorted(known))}."
    raise ArgumentError([Problem("observables", f"there is no observable {shown(name)}", hint)])


def kind_of(name: str) -> type[Observable]:
    """The class of a name; `Observable` itself where it is not known, as of one's own that is not registered."""
    return _all().get(name, Observable)


def ratio(one: float, other: float) -> float:
    """One over the other; NaN over nothing."""
    return float(one / other) if other else float("nan")


def names() -> list[str]:
    """All names that `observable` knows, in order."""
    return sorted(_all())


def _all() -> dict[str, type[Observable]]:
    for room in ROOMS:
        import_module(f"carom.observe.measures.{room}")
    return _known
