"""MemoryFollower a run in memory: the samples of a recording, and the bits of a run that nobody looks at."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom.errors import ArgumentError
from carom.observe.observable import Observable
from carom.observe.series import Series, mean_of, means_of
from carom.observe.triggers import Collisions
from carom.storage.recording import Recording

NAMES = ["temperature", "compressibility", "momentum", "lyapunov", "mean_free_time", "mean_squared_displacement"]
FALLING = {"solver": "stepped", "step": 1e-3}


def gas(**more: Any) -> carom.Scene:
    return carom.library.load("gas", count=12, packing_fraction=0.2, seed=3, **more)


def bits(sim: carom.Simulation) -> tuple[bytes, bytes, float, int]:
    return sim.positions.tobytes(), sim.velocities.tobytes(), sim.time, sim.collisions


@pytest.mark.parametrize("options", [{}, FALLING], ids=["exact", "stepped"])
@pytest.mark.parametrize("told", [False, True], ids=["in one go", "in parts"])
def test_a_measured_run_has_the_bits_of_one_that_is_not(options: dict[str, Any], told: bool) -> None:
    parts: list[float] = []
    sim = carom.Simulation(gas(), **options)
    sim.measure(["temperature"], until=0.5, every=0.013, progress=parts.append if told else None)
    assert bits(sim) == bits(carom.Simulation(gas(), **options).run(until=0.5))
    assert parts == sorted(parts)
    assert parts[-1:] == ([1.0] if told else [])


@pytest.mark.parametrize("options", [{}, FALLING], ids=["exact", "stepped"])
@pytest.mark.parametrize("told", [False, True], ids=["in one go", "in parts"])
def test_samples_are_those_of_a_recording(tmp_path: Path, options: dict[str, Any], told: bool) -> None:
    sim = carom.Simulation(gas(), **options)
    progress = (lambda part: None) if told else None
    found = sim.measure(NAMES, until=0.5, every=0.013, at=[0.1, 0.33], progress=progress)
    other = carom.Simulation(gas(), **options)
    with other.record(tmp_path / "gas.h5", every=0.013, at=[0.1, 0.33], observables=NAMES):
        other.run(until=0.5)
    with Recording(tmp_path / "gas.h5") as recording:
        assert found.times.tolist() == recording.times.tolist()
        for name, series in recording.observables.items():
            np.testing.assert_array_equal(found.samples[name], series.values)
            assert found.unit(name) == series.unit
            assert found.series[name].over_interval == series.over_interval


def test_it_can_be_measured_again_and_by_collisions() -> None:
    sim = carom.Simulation(gas())
    first = sim.measure("energy", collisions=30, every=Collisions(10))
    assert sim.collisions == 30
    assert len(first.times) == 4
    second = sim.measure("energy", until=sim.time + 0.1, every=0.05)
    assert second.times[0] == first.times[-1]
    assert len(second.times) == 3
    assert bits(sim) == bits(carom.Simulation(gas()).run(until=sim.time))


def test_means_leave_out_the_time_in_which_a_run_settles() -> None:
    sim = carom.Simulation(gas())
    sim.run(until=0.2)
    found = sim.measure(["compressibility", "temperature"], until=1.2, every=0.05, settle=0.5)
    late = found.times >= 0.2 + 0.5
    temperature = found.samples["temperature"]
    assert found.estimate("temperature").mean == pytest.approx(temperature[late].mean(), rel=1e-14)
    assert found.estimate("temperature").samples == late.sum()
    after = found.times > 0.2 + 0.5
    assert found.estimate("compressibility").samples == after.sum()
    assert found.means("compressibility")[0] == found.estimate("compressibility").mean


def test_entries_of_a_vector_are_named() -> None:
    found = carom.Simulation(gas()).measure("momentum", until=0.2, every=0.05)
    means, errors = found.means("momentum")
    assert means.shape == errors.shape == (2,)
    assert found.estimate("momentum", 1).mean == means[1]
    with pytest.raises(ArgumentError, match=r"estimate: momentum has \(2,\) entries, .* Name one entry"):
        found.estimate("momentum")
    with pytest.raises(ArgumentError, match=r"'energy' was not measured\. There are momentum"):
        found.estimate("energy")


def test_the_end_is_known_though_no_sample_falls_there() -> None:
    sim = carom.Simulation(gas())
    found = sim.measure(["collision_rate", "energy"], until=0.5)
    assert found.times.tolist() == [0.0]
    assert found.last["energy"] == sim.energy
    pairs = sim.collisions_by_kind["ball-ball"]
    assert found.last["collision_rate"] == pytest.approx(2 * pairs / (12 * 0.5), rel=1e-14)
    again = carom.Simulation(gas()).measure(["collision_rate"], until=0.5, every=0.25)
    assert again.last["collision_rate"] == again.samples["collision_rate"][-1]


def test_without_a_sample_there_are_no_means() -> None:
    found = carom.Simulation(gas()).measure(["momentum", "energy"], until=0.1, at=[5.0])
    assert found.samples["momentum"].shape == (0, 2)
    assert np.isnan(found.means("momentum")[0]).tolist() == [True, True]
    assert np.isnan(found.estimate("energy").mean)


def test_times_between_events_are_averaged_over_events() -> None:
    series = Series("tau", "τ", "s", np.arange(5.0), np.array([np.nan, 1.0, 4.0, np.inf, 4.0]), over_interval=True)
    times, values = series.since(0.0)
    assert mean_of(values, series.weights(times), inverse=True).mean == pytest.approx(4 / (1 + 0.25 + 0 + 0.25))
    table = np.stack([values, values], axis=1)
    means, errors = means_of(table, series.weights(times), inverse=True)
    assert means.tolist() == [mean_of(values, series.weights(times), inverse=True).mean] * 2
    assert errors.shape == (2,)


class Breaks(Observable):
    name, symbol, unit = "breaks", "b", ""

    def sample(self, sim: Any) -> float:
        if sim.time > 0.1:
            raise ValueError("no")
        return 0.0


def test_who_breaks_off_leaves_the_run_as_it_is() -> None:
    sim = carom.Simulation(gas())
    with pytest.raises(ValueError, match="no"):
        sim.measure(Breaks(), until=0.5, every=0.05)
    sim.run(until=0.5)
    assert bits(sim) == bits(carom.Simulation(gas()).run(until=0.5))
    sim.measure("energy", until=0.6, every=0.05)


def test_two_do_not_follow_the_same_run(tmp_path: Path) -> None:
    sim = carom.Simulation(gas())
    with (
        sim.record(tmp_path / "gas.h5"),
        pytest.raises(ArgumentError, match=r"measure: the run is being recorded .*gas"),
    ):
        sim.measure("energy", until=1.0)
    told = []

    def progress(part: float) -> None:
        if not told:
            told.append(copy.deepcopy(sim))
            with pytest.raises(ArgumentError, match="record: the run is being measured"):
                sim.record(tmp_path / "more.h5")

    sim.measure("energy", until=1.0, every=0.1, progress=progress)
    told[0].run(until=1.0)  # a copy is on its own
    assert bits(told[0]) == bits(sim)


@pytest.mark.parametrize("settle", [0.5, 2.0])
def test_settling_leaves_something_to_measure(settle: float) -> None:
    sim = carom.Simulation(gas()).run(until=0.5)
    with pytest.raises(
        ArgumentError, match=rf"settle: {settle:g} s from the start of measuring leave nothing .* at 1 s"
    ):
        sim.measure("energy", until=1.0, every=0.1, settle=settle)
    assert np.isfinite(sim.measure("energy", until=1.0, every=0.1, settle=0.3).estimate("energy").mean)


@pytest.mark.parametrize("settle", [-1.0, np.nan, "1", True])
def test_settling_is_a_time(settle: Any) -> None:
    with pytest.raises(ArgumentError, match=r"settle: .* is not a time"):
        carom.Simulation(gas()).measure("energy", until=1.0, settle=settle)


def test_balls_that_merge_are_followed() -> None:
    balls = [carom.Ball(position=(x, 0.0), radius=0.1, mass=1.0) for x in (0.0, 0.5, 3.0)]
    scene = carom.Scene(balls=balls, attraction=carom.Attraction(G=1.0, touch="merge"))
    sim = carom.Simulation(scene, step=1e-3)
    found = sim.measure(["momentum", "energy"], until=1.0, every=0.1)
    assert len(sim.masses) == 2
    assert np.isfinite(found.samples["energy"]).all()
    assert bits(sim) == bits(carom.Simulation(scene, step=1e-3).run(until=1.0))
