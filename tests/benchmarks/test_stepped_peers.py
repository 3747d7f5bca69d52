"""The race against other packages, with a stand-in for them: they are optional."""

import sys

import numpy as np
import pytest
from benchmarks.model import Effort, Skipped
from benchmarks.stepped import gas, pile

from benchmarks import report, stepped_peers

TINY = Effort(slices=2, seconds=0.001, turnover=1, warm_up=1)


@pytest.mark.parametrize(("make", "pace"), [(gas, 1.0), (pile, 1.0), (pile, 0.3)])
def test_disks_move_alike_in_the_units_of_the_peers(make, pace):
    """Places over the radius, ways a step over the radius, and what gravity adds to them, are the same."""
    scene, step = make(50)
    step *= pace
    radius, work = float(scene.balls.radius[0]), stepped_peers.disks(scene, step)
    size, tick = stepped_peers.SIZE, stepped_peers.TICK
    assert np.allclose(np.array(work.places) / size, scene.balls.position / radius, rtol=1e-14)
    assert np.allclose(np.array(work.sides) / size, np.array(scene.boundary.size) / radius, rtol=1e-14)
    assert np.allclose(np.array(work.velocities) * tick / size, scene.balls.velocity * step / radius, rtol=1e-14)
    assert np.allclose(np.array(work.gravity) * tick**2 / size, np.array(scene.gravity) * step**2 / radius, rtol=1e-14)
    assert [a for a, _ in work.walls] == [b for _, b in work.walls[-1:] + work.walls[:-1]]


@pytest.mark.timeout(400)  # it compiles kernels of all kinds of steps
def test_a_race_gives_a_row_of_its_table():
    row = stepped_peers.race(stepped_peers.in_carom, gas, 50, TINY, warm_up=20, keeps=True)
    assert set(row) == set(stepped_peers.section().columns)
    assert row[stepped_peers.RATIO] == row[stepped_peers.OURS] / row[stepped_peers.THEIRS]
    assert abs(row[stepped_peers.OUR_LOSS]) < 1e-14


def test_what_is_lost_is_shown():
    def slowed(scene, step):
        energies = iter((4.0, 3.0))
        return stepped_peers.Run(lambda steps: sum(range(1000 * steps)), lambda: next(energies))

    row = stepped_peers.race(slowed, gas, 50, TINY, warm_up=3, keeps=True)
    assert row[stepped_peers.THEIR_LOSS] == 0.25


@pytest.mark.parametrize(
    ("package", "their"),
    [
        ("pymunk", stepped_peers.in_pymunk),
        ("pyb2d3", stepped_peers.in_box2d),
        ("rebound", stepped_peers.in_rebound),
    ],
)
def test_a_missing_package_says_how_to_install_it(monkeypatch, package, their):
    monkeypatch.setitem(sys.modules, package, None)
    section = stepped_peers.section()
    with pytest.raises(Skipped, match=rf"not installed \(.*{package}.*\); `pip install \.\[bench\]`") as reason:
        their(*gas(50))
    line = report.cells(section, section.cases[0], str(reason.value))
    assert len(line) == len(section.labels) + len(section.columns)
