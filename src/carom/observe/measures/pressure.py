"""Pressure, from the collisions between balls and from those with walls."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem
from carom.observe.interval import OverInterval, running
from carom.observe.measures.room import mean_radius, volume, wall_area
from carom.observe.measures.thermo import thermal
from carom.observe.observable import Moment, ratio, register
from carom.scene import Scene
from carom.solvers.collision_record import BALL, WALL


class Virial(OverInterval):
    """What collisions between balls add to the pressure: Σ r·J, J, with r from centre to centre and J the impulse."""

    def begin(self, sim: Moment) -> None:
        """Look whether the virial of collisions is all there is."""
        super().begin(sim)
        _check_gas(sim.scene, type(self).__name__)
        self.radii = sim.radii
        self.unit = unit_of_pressure(sim.scene) if self.unit else ""
        self.room = volume(sim.scene, mean_radius(sim.scene))

    def collide(self, rows: NDArray[Any]) -> None:
        """Add the virial of collisions between balls: at contact, r is (R_a + R_b) along the normal."""
        met = rows[rows["kind"] == BALL]
        self.tally[0] = running(self.tally[0], met["impulse"] * (self.radii[met["a"]] + self.radii[met["b"]]))


@register
class VirialPressure(Virial):
    """p = (N k_B T + Σ r·J / (d t)) / V, Pa (N/m in 2D).

    The virial theorem for impulses: B. J. Alder and T. E. Wainwright, J. Chem. Phys. 33 (1960) 1439. V is the room that
    the centres have: in a periodic box all of it, between walls a radius less on each side.
    """

    name, symbol, unit = "virial_pressure", "p", "Pa"

    def mean(self, sim: Moment, dt: float) -> float:
        """Over the interval; temperature is that of now."""
        heat = thermal(sim)
        return float((heat.who.size * heat.kt + self.tally[0] / (sim.scene.dimension * dt)) / self.room)


@register
class Compressibility(Virial):
    """Z = p V / (N k_B T) = 1 + Σ r·J / (d N k_B T t), a plain number.

    For N balls of zero total momentum k_B T = 2 E_k / (d (N - 1)), which makes the first term 1 and not (N - 1)/N:
    J. J. Erpenbeck and W. W. Wood, in Modern Theoretical Chemistry 6 (1977) ch. 1.
    """

    name, symbol, unit = "compressibility", "Z", ""

    def mean(self, sim: Moment, dt: float) -> float:
        """Over the interval; temperature is that of now."""
        heat = thermal(sim)
        return 1.0 + ratio(float(self.tally[0]), sim.scene.dimension * heat.who.size * heat.kt * dt)


@register
class WallPressure(OverInterval):
    """p = Σ J / (A t), Pa (N/m in 2D): momentum that the walls of the boundary receive, over their area and time.

    J is the impulse of each collision along the wall's normal: p is the mean force on an area, as kinetic theory has it
    (S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases, 3rd ed., Cambridge 1970, ch. 2). A is
    the area that centres can reach, one radius inside. In a polygon it is the wall's own length.
    """

    name, symbol, unit = "wall_pressure", "p_w", "Pa"

    def begin(self, sim: Moment) -> None:
        """Look whether there are walls."""
        super().begin(sim)
        self.unit = unit_of_pressure(sim.scene)
        self.area = wall_area(sim.scene, mean_radius(sim.scene))
        if not self.area:
            raise ArgumentError([Problem("wall_pressure", "the scene has no walls", "Use virial_pressure.")])

    def collide(self, rows: NDArray[Any]) -> None:
        """Add the impulses of walls."""
        self.tally[0] = running(self.tally[0], rows["impulse"][rows["kind"] == WALL])

    def mean(self, sim: Moment, dt: float) -> float:  # noqa: ARG002  # impulses and area are all it needs
        """Over the interval."""
        return float(self.tally[0] / (self.area * dt))


def unit_of_pressure(scene: Scene) -> str:
    """Force over length in the plane, over area in space."""
    return "N/m" if scene.dimension == 2 else "Pa"


def _check_gas(scene: Scene, who: str) -> None:
    """Free balls alone: other forces have a virial of their own."""
    others = {
        "links": len(scene.links) > 0,
        "attraction": scene.attraction is not None,
        "fixed balls": bool(scene.balls.fixed.any()),
        "cloth": len(scene.triangles) > 0,
    }
    found = [name for name, there in others.items() if there]
    if found:
        what = f"the scene has {' and '.join(found)}, whose part of the virial is not in the collisions"
        raise ArgumentError([Problem(who, what, "Use wall_pressure, or a gas of free balls.")])
