"""The energy account: what is kinetic, what is stored by which force, and what was lost on the way.

The sum of all, less the work that was put in, is constant for a perfect integrator: what is left is its own error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class Account:
    """Energies of a run as it stands, J."""

    kinetic: float
    potential: Mapping[str, float]
    """By force: "gravity", "links", "bends", "attraction", or the name of a custom force."""
    lost: Mapping[str, float]
    """By "restitution", "friction", "contacts" (both, in piles), "drag", "damping", "breaking" and "merging"."""
    work: float
    """Put in by hands, by motors, by what is driven, by births, and by edits of a running scene."""
    start: float
    """Kinetic and potential energy when the run began."""

    @property
    def mechanical(self) -> float:
        """Kinetic and potential."""
        return self.kinetic + sum(self.potential.values())

    @property
    def error(self) -> float:
        """What the sum is more than it should be: the error of the integrator, apart from physics."""
        return self.mechanical + sum(self.lost.values()) - self.work - self.start

    @property
    def scale(self) -> float:
        """The sum of the sizes of all energies in it, to compare the error with."""
        return (
            self.kinetic
            + sum(map(abs, self.potential.values()))
            + sum(map(abs, self.lost.values()))
            + abs(self.work)
            + abs(self.start)
        )

    def __str__(self) -> str:
        rows = [
            ("kinetic", self.kinetic),
            *((name, value) for name, value in self.potential.items()),
            *((f"lost by {name}", value) for name, value in self.lost.items() if value),
            *([("work put in", self.work)] if self.work else []),
            ("error", self.error),
        ]
        return "\n".join(f"{name:<20} {value: .9g} J" for name, value in rows)
