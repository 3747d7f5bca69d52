"""Times after a moving origin, and absolute ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom import Simulation, library
from carom.solvers.exact.history.history import History
from carom.solvers.exact.origin import absolute, find_last_moment, relative

origins = st.tuples(st.floats(1e-3, 1e9), st.floats(-1.0, 1.0)).map(
    lambda each: (each[0], each[1] * np.spacing(each[0]))
)


@pytest.mark.requirement("T-08")
@given(origins, st.floats(0.0, 1e3, allow_subnormal=False))
def test_the_last_moment_is_not_after_its_absolute_time_and_the_next_one_is(origin, s):
    t = absolute(origin, s)
    last = find_last_moment(*origin, t)
    assert last >= s, "what is told of the absolute time has happened"
    assert last >= relative(origin, t)
    assert absolute(origin, last) == t
    assert absolute(origin, np.nextafter(last, np.inf)) > t


def test_the_end_of_time_is_no_moment():
    assert find_last_moment(1e6, 1e-11, np.inf) == np.inf


@pytest.mark.requirement("T-08")
def test_the_time_of_a_collision_is_after_it():
    """After the origin has moved, times of events are finer than absolute ones."""
    scene = library.load("gas", count=20, seed=4)
    sim = Simulation(scene, solver="exact")
    history = History(scene)
    sim._solver.remember(history)
    sim.run(collisions=20_000)
    assert sim._solver.epochs > 3
    for _ in range(200):
        sim.run(collisions=1)
        assert history.at(sim.time).velocities[:, :2].tobytes() == sim.velocities.tobytes()
    other = Simulation(scene, solver="exact").run(until=sim.time)
    assert other.collisions == sim.collisions
    assert other.velocities.tobytes() == sim.velocities.tobytes()
