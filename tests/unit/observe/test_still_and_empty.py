"""Observables of what does not move, or is not there: no warnings (which are errors here), and no numbers made up."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, Scene, Simulation
from carom.errors import ArgumentError
from carom.observe.observable import Observable, kind_of, names, observable

AT_REST = Scene(boundary=Box(size=(1, 1)), balls=[Ball(position=(0.5, 0.5), radius=0.1)])
NOT_BORN = Scene(boundary=Box(size=(1, 1)), balls=Balls(position=[(0.2, 0.2), (0.7, 0.7)], radius=0.1, born=[5.0, 6.0]))


@pytest.mark.parametrize("scene", [AT_REST, NOT_BORN], ids=["at rest", "not born"])
@pytest.mark.parametrize("name", names())
def test_nothing_to_measure_is_no_reason_to_warn(name, scene):
    sim = Simulation(scene)
    each = observable(name)
    try:
        each.begin(sim)
    except ArgumentError:
        return
    first = each.sample(sim)
    sim.run(until=0.1)
    assert np.shape(each.sample(sim)) == np.shape(first)


def test_a_ball_at_rest_has_no_memory_of_its_velocity():
    sim = Simulation(AT_REST)
    kept = observable("velocity_autocorrelation")
    kept.begin(sim)
    assert np.isnan(kept.sample(sim))


def test_height_is_against_gravity():
    balls = Balls(position=[(0.5, 0.91), (0.2, 0.91)])
    for gravity, layer in (((0, -9.81), 45), ((0, 9.81), 4), ((3.0, 9.81), 4)):
        sim = Simulation(Scene(boundary=Box(size=(1, 1)), gravity=gravity, balls=balls))
        density = observable("density_profile")
        density.begin(sim)
        assert density.sample(sim)[layer] * density.slab == pytest.approx(2.0)
        assert density.pull == pytest.approx(9.81)


def test_what_entries_and_columns_stand_for():
    assert kind_of("rates_by_kind").labels == ("between balls", "with walls", "with cloth")
    assert kind_of("one of my own") is Observable
    assert kind_of("mean_free_path").symbol != kind_of("lyapunov").symbol
    for name in names():
        sim = Simulation(
            Scene(boundary=Box(size=(1, 1)), balls=[Ball(position=(0.3, 0.5), velocity=(1, 0), radius=0.1)])
        )
        each = observable(name)
        each.begin(sim)
        assert (each.columns() is None) == (each.across == ("", "")), name
