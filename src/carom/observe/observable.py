"""The base class of observables, and the registry that finds them by name.

A custom observable takes a few lines:

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

from carom.errors import ArgumentError
from carom.messages.phrase import Phrase
from carom.scene import Scene
from carom.scene.fields.base import shown

Floats = NDArray[np.float64]

MEASURE_MODULES = (
    "mechanics", "thermo", "pressure", "rates", "speeds", "structure", "transport", "profiles", "lyapunov", "evenness",
)  # fmt: skip
"""The modules of `observe.measures` that register observables."""


class RunState(Protocol):
    """What an observable can read of a run at one time; a `Simulation` is one, and so is a frame of a recording.

    The rows of balls that do not exist now (not yet born, or removed) hold NaN.
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
    """A quantity that is measured at chosen times of a run. A subclass implements `sample`, and the rest if needed.

    name, symbol, unit  the name, the letter, and the SI unit ("" for a plain number); a unit that depends on the
                        dimension of the scene is set by `begin`.
    wants_collisions    True: `collide` receives the collisions between samples.
    over_interval       True: a sample is the mean over the time since the previous one (NaN at the first), not the
                        value at an instant.
    labels              names of the entries of a sample, if there are few; the axes of a vector need none.
    across              what `columns` returns, and its unit: ("speed", "m/s").
    of_time             True: a function of time, whose mean has no meaning.
    inverse_mean        True: the mean over a run is harmonic, the inverse of the mean of 1/x. So it is for times
                        between events, which are means over events.
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

    def begin(self, sim: RunState) -> None:
        """Prepare for the first sample; raise an ArgumentError if this cannot be measured in the scene."""

    def collide(self, rows: NDArray[Any]) -> None:
        """Take the collisions since the last call: rows of `collision_record` with absolute times, in order of time."""

    def sample(self, sim: RunState) -> float | Floats:
        """The value now; it has the same shape each time."""
        raise NotImplementedError(f"{type(self).__name__} has no sample()")

    def columns(self) -> Floats | None:
        """The abscissa of the entries of a sample, such as the middles of bins; None for plain values."""
        return None

    def state(self) -> dict[str, NDArray[Any]]:
        """What is carried from one sample to the next, for checkpoints."""
        return {}

    def load(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `state` returned; called after `begin`."""


_known: dict[str, type[Observable]] = {}


def register(kind: type[Observable]) -> type[Observable]:
    """Register an observable by its name; a class decorator."""
    if not kind.name or not kind.name.isidentifier():
        raise ArgumentError.of("observable.bad-name", where=kind.__name__, name=shown(kind.name))
    other = _known.get(kind.name)
    if other is not None and (other.__module__, other.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ArgumentError.of(
            "observable.name-taken", where=kind.__name__, name=repr(kind.name), other=other.__qualname__
        )
    _known[kind.name] = kind
    return kind


def observable(name: str) -> Observable:
    """A new instance of the observable with this name."""
    known = _all()
    if name in known:
        return known[name]()
    near = get_close_matches(str(name), known, n=3)
    hint = Phrase("nearest.some", words=[*map(repr, near)]) if near else Phrase("there-are", known=sorted(known))
    raise ArgumentError.of("observable.unknown", where="observables", name=shown(name), hint=hint)


def kind_of(name: str) -> type[Observable]:
    """The class with this name; `Observable` itself for an unknown name, such as a custom class not registered."""
    return _all().get(name, Observable)


def ratio(numerator: float, denominator: float) -> float:
    """The quotient; NaN if the denominator is 0."""
    return float(numerator / denominator) if denominator else float("nan")


def names() -> list[str]:
    """The names of all registered observables, sorted."""
    return sorted(_all())


def _all() -> dict[str, type[Observable]]:
    for room in MEASURE_MODULES:
        import_module(f"carom.observe.measures.{room}")
    return _known
