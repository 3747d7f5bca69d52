"""What an observable is, the registry, and what holds for all of them."""

import numpy as np
import pytest

from carom import Simulation, library
from carom.errors import ArgumentError, CaromError
from carom.observe.observable import Observable, names, observable, register

IN_A_BOX = {"wall_pressure"}


class Highest(Observable):
    name, symbol, unit = "highest", "y_max", "m"

    def sample(self, sim):
        return float(sim.positions[:, 1].max())


def gas(**options):
    chosen = {"count": 60, "packing_fraction": 0.2, "seed": 5, **options}
    sim = Simulation(library.load("gas", **chosen))
    sim.run(collisions=100)
    return sim


def told(sim, each, until):
    """Run, and tell of the collisions."""
    rows = sim.collide(until=until)
    if each.wants_collisions:
        each.collide(rows)


def taken(sim, each, until):
    """A sample at a time, as a recorder takes it."""
    told(sim, each, until)
    return each.sample(sim)


@pytest.mark.requirement("T-14")
def test_one_of_ones_own():
    sim = gas()
    mine = Highest()
    mine.begin(sim)
    assert mine.sample(sim) == sim.positions[:, 1].max()
    assert mine.state() == {}
    assert mine.columns() is None


def test_all_the_usual_ones_are_there():
    wanted = {
        "energy", "momentum", "angular_momentum", "temperature", "virial_pressure", "wall_pressure", "compressibility",
        "collision_rate", "rates_by_kind", "rates_by_species", "mean_free_path", "mean_free_time", "speeds",
        "maxwell_distance", "radial_distribution", "mean_squared_displacement", "velocity_autocorrelation",
        "density_profile", "temperature_profile", "lyapunov",
    }  # fmt: skip
    assert wanted <= set(names())
    assert names() == sorted(names())


def test_an_unknown_name_is_told_with_its_neighbours():
    with pytest.raises(CaromError, match=r"there is no observable 'temprature'. Did you mean 'temperature'"):
        observable("temprature")
    with pytest.raises(ArgumentError, match=r"There are .*energy.*temperature"):
        observable("zzz")


def test_names_are_checked_when_registered():
    with pytest.raises(ArgumentError, match="'two words' is not a name"):
        register(type("Odd", (Observable,), {"name": "two words"}))
    with pytest.raises(ArgumentError, match="the name 'energy' is taken by Energy"):
        register(type("Mine", (Observable,), {"name": "energy"}))
    assert type(observable("energy")).__name__ == "Energy"


def test_one_without_sample_says_so():
    with pytest.raises(NotImplementedError, match="Observable has no sample"):
        Observable().sample(gas())


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_one_keeps_its_shape_and_goes_on_from_its_state(name, dimension):
    """The samples of one that was saved in the middle of an interval are those of one that was not, bit for bit."""
    options = {"dimension": dimension, "periodic": name not in IN_A_BOX}
    first, second = gas(**options), gas(**options)
    whole, part = observable(name), observable(name)
    assert whole.symbol
    assert whole.unit == whole.unit.strip()
    for sim, each in ((first, whole), (second, part)):
        each.begin(sim)
        each.sample(sim)
    ends = first.time + 0.05 * np.arange(1, 4)
    expected = [taken(first, whole, end) for end in ends]

    found = [taken(second, part, ends[0])]
    told(second, part, ends[0] + 0.02)
    resumed = observable(name)
    resumed.begin(second)
    resumed.load({key: value.copy() for key, value in part.state().items()})
    found += [taken(second, resumed, end) for end in ends[1:]]
    assert np.shape(found[0]) == np.shape(expected[0])
    np.testing.assert_array_equal(np.array(found), np.array(expected))


@pytest.mark.parametrize("name", [name for name in names() if observable(name).over_interval])
def test_the_first_sample_of_an_interval_is_not_a_number(name):
    sim = gas(periodic=name not in IN_A_BOX)
    each = observable(name)
    each.begin(sim)
    first = np.asarray(each.sample(sim))
    assert np.isnan(first).all()
    assert first.shape == np.shape(taken(sim, each, sim.time + 0.05))


def test_columns_have_the_length_of_samples():
    for name in names():
        sim = gas(periodic=name not in IN_A_BOX)
        each = observable(name)
        each.begin(sim)
        middle = each.columns()
        if middle is not None:
            assert np.shape(each.sample(sim)) == middle.shape
            assert (np.diff(middle) > 0.0).all()
