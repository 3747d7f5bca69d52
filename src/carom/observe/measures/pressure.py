"""Pressure, from the collisions between balls and from those with walls."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.observe.interval import OverInterval, add_in_order
from carom.observe.measures.geometry import mean_radius, volume, wall_area
from carom.observe.measures.thermo import thermal
from carom.observe.observable import RunState, ratio, register
from carom.scene import Scene
from carom.solvers.collision_record import BALL, WALL


class Virial(OverInterval):
    """The contribution of ball-ball collisions to the pressure: Σ r·J, J, r from centre to centre, J the impulse."""

    def begin(self, sim: RunState) -> None:
        """Check that collisions are the only source of the virial."""
        super().begin(sim)
        _check_gas(sim.scene, type(self).__name__)
        self.radii = sim.radii
        self.unit = unit_of_pressure(sim.scene) if self.unit else ""
        self.room = volume(sim.scene, mean_radius(sim.scene))

    def collide(self, rows: NDArray[Any]) -> None:
        """Add the virial of collisions between balls: at contact, r is (R_a + R_b) along the normal."""
        met = rows[rows["kind"] == BALL]
        self.tally[0] = add_in_order(self.tally[0], met["impulse"] * (self.radii[met["a"]] + self.radii[met["b"]]))


@register
class VirialPressure(Virial):
    """p = (N k_B T + Σ r·J / (d t)) / V, Pa (N/m in 2D).

    The virial theorem for impulses: B. J. Alder and T. E. Wainwright, J. Chem. Phys. 33 (1960) 1439. V is the volume
    available to the centres: in a periodic box all of it, between walls one radius less on each side.
    """

    name, symbol, unit = "virial_pressure", "p", "Pa"

    def mean(self, sim: RunState, dt: float) -> float:
        """The mean over the interval; the temperature is that at its end."""
        heat = thermal(sim)
        return float((heat.who.size * heat.kt + self.tally[0] / (sim.scene.dimension * dt)) / self.room)


@register
class Compressibility(Virial):
    """Z = p V / (N k_B T) = 1 + Σ r·J / (d N k_B T t), a plain number.

    For N balls of zero total momentum k_B T = 2 E_k / (d (N - 1)), which makes the first term 1 and not (N - 1)/N:
    J. J. Erpenbeck and W. W. Wood, in Modern Theoretical Chemistry 6 (1977) ch. 1.
    """

    name, symbol, unit = "compressibility", "Z", ""

    def mean(self, sim: RunState, dt: float) -> float:
        """The mean over the interval; the temperature is that at its end."""
        heat = thermal(sim)
        return 1.0 + ratio(float(self.tally[0]), sim.scene.dimension * heat.who.size * heat.kt * dt)


@register
class WallPressure(OverInterval):
    """p = Σ J / (A t), Pa (N/m in 2D): momentum transferred to the walls of the boundary, per area and time.

    J is the impulse of each collision along the wall's normal: p is the mean force on an area, as kinetic theory has it
    (S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases, 3rd ed., Cambridge 1970, ch. 2). A is
    the area that centres can reach, one radius inside. For a polygon it is the length of the wall itself.
    """

    name, symbol, unit = "wall_pressure", "p_w", "Pa"

    def begin(self, sim: RunState) -> None:
        """Check that there are walls."""
        super().begin(sim)
        self.unit = unit_of_pressure(sim.scene)
        self.area = wall_area(sim.scene, mean_radius(sim.scene))
        if not self.area:
            raise ArgumentError.of("pressure.no-walls", where="wall_pressure")

    def collide(self, rows: NDArray[Any]) -> None:
        """Add the impulses on walls."""
        self.tally[0] = add_in_order(self.tally[0], rows["impulse"][rows["kind"] == WALL])

    def mean(self, sim: RunState, dt: float) -> float:  # noqa: ARG002  # impulses and area are all it needs
        """The mean over the interval."""
        return float(self.tally[0] / (self.area * dt))


def unit_of_pressure(scene: Scene) -> str:
    """The SI unit of pressure: force per length in 2D, per area in 3D."""
    return "N/m" if scene.dimension == 2 else "Pa"


def _check_gas(scene: Scene, who: str) -> None:
    """Refuse all but free balls: other forces contribute to the virial, too."""
    others = {
        "links": len(scene.links) > 0,
        "attraction": scene.attraction is not None,
        "fixed balls": bool(scene.balls.fixed.any()),
        "cloth": len(scene.triangles) > 0,
    }
    found = [name for name, there in others.items() if there]
    if found:
        raise ArgumentError.of("pressure.virial", where=who, found=found)
