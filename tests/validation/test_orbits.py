"""The planets against REBOUND's IAS15 (H. Rein and D. S. Spiegel, MNRAS 446 (2015) 1424), where it is installed.

`make validate` runs this; `pip install carom[validation]` brings REBOUND.
"""

import sys

import numpy as np
import pytest

from carom import Simulation, library

pytestmark = pytest.mark.slow

YEAR = 365.25 * 86400.0


@pytest.mark.requirement("S-08")
@pytest.mark.parametrize(("integrator", "order"), [("pefrl", 4), ("verlet", 2)])
def test_the_planets_of_ten_years(integrator: str, order: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Places after ten years, relative to the distance from the Sun (the worst is Mercury): they converge."""
    rebound = pytest.importorskip("rebound")
    scene = library.load("planetary-system")
    other = rebound.Simulation()
    other.G = scene.attraction.G
    for ball in scene.balls:
        x, v = ball.position, ball.velocity
        other.add(m=ball.mass, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])
    other.integrate(10 * YEAR)
    theirs = np.array([(p.x, p.y, p.z) for p in other.particles])
    off = []
    for step in (43200.0, 21600.0, 10800.0):
        ours = Simulation(scene, integrator=integrator, step=step).run(until=10 * YEAR).positions
        apart = np.linalg.norm(ours - theirs, axis=1)[1:] / np.linalg.norm(theirs[1:] - theirs[0], axis=1)
        off.append(float(apart.max()))
    with capsys.disabled():
        sys.stdout.write(f"\n{integrator}, steps of 12, 6 and 3 h: off by {', '.join(f'{x:.2e}' for x in off)}\n")
    assert np.log2(off[1] / off[2]) == pytest.approx(order, abs=0.3)
