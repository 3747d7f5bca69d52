"""A recording measured as a whole: table, report, command."""

import json
import re

import numpy as np
import pytest

from carom import Simulation, library
from carom.analysis import Line, analyse, write_report
from carom.analysis.frame_sequence import COLLISIONS_PER_READ, FrameSequence, sample_observables
from carom.analysis.measure import with_error
from carom.cli.commands.analyse import analyse as command
from carom.errors import ArgumentError
from carom.observe.observable import observable
from carom.observe.triggers import Collisions
from carom.storage.recorded_frame import RecordedFrame
from carom.storage.recording import Recording

pytestmark = pytest.mark.requirement("T-08", "T-14", "T-19")

OBSERVED = ["temperature", "compressibility", "collision_rate", "momentum", "speeds", "lyapunov"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A gas of disks in a periodic box: about 80 collisions a ball, in 200 frames."""
    path = tmp_path_factory.mktemp("recorded") / "gas.h5"
    sim = Simulation(library.load("gas", count=200, packing_fraction=0.3, seed=61))
    sim.run(collisions=8000)
    with sim.record(path, every=0.0025, observables=OBSERVED):
        sim.run(until=sim.time + 0.5)
    return path


@pytest.fixture(scope="module")
def found(recorded):
    return analyse(recorded, since=0.0)


def test_a_start_that_is_no_time_is_refused(tmp_path):
    sim = Simulation(library.load("gas", count=4))
    with sim.record(tmp_path / "run.h5", every=0.1):
        sim.run(until=0.1)
    with pytest.raises(ArgumentError, match=r"run\.h5: since: 'a' is not a time\. Give a number of seconds\.$"):
        analyse(tmp_path / "run.h5", since="a")


def test_observables_taken_afterwards_are_those_taken_while_it_ran(recorded):
    """Bit for bit, where sums are of the same numbers in the same order."""
    with Recording(recorded) as recording:
        after = sample_observables(FrameSequence(recording), [observable(name) for name in OBSERVED])
        for name, series in after.items():
            then = recording.observables[name]
            np.testing.assert_array_equal(series.times, then.times)
            np.testing.assert_allclose(series.values, then.values, rtol=1e-12, atol=1e-15, err_msg=name)


def test_collisions_come_in_parts_as_they_would_at_once(recorded, monkeypatch):
    with Recording(recorded) as recording:
        whole = recording.collisions[:]
        assert len(whole) < COLLISIONS_PER_READ
        monkeypatch.setattr("carom.analysis.frame_sequence.COLLISIONS_PER_READ", 97)
        frames = FrameSequence(recording)
        times = frames.times[:: len(frames) // 7]
        parts = [rows for k in range(len(times) - 1) for rows in frames.collisions(times[k], times[k + 1])]
        again = np.concatenate(list(frames.collisions(times[0], times[3])))  # back to the beginning
        expected = whole[(whole["time"] > times[0]) & (whole["time"] <= times[-1])]
        np.testing.assert_array_equal(np.concatenate(parts), expected)
        np.testing.assert_array_equal(again, expected[expected["time"] <= times[3]])


def test_figures_of_a_gas_agree_with_theory(found):
    for name in ("compressibility", "collision rate", "mean free path", "g at contact"):
        line = found[name]
        assert line.expected is not None
        assert abs(line.deviation) < 4.0, name
        assert 0.0 < line.error < 0.1 * line.value
    assert found["temperature"].error < 1e-9 * found["temperature"].value
    assert "398 degrees of freedom" in found["temperature"].source
    assert found["largest Lyapunov exponent"].value > 10.0 * found["largest Lyapunov exponent"].error
    assert {curve.name for curve in found.curves} >= {"Speeds", "Radial distribution", "Velocity correlation"}


def test_recorded_observables_are_in_the_table_too(found):
    recorded = [line for line in found.lines if line.source == "as recorded"]
    assert {line.name for line in recorded} >= {"temperature", "compressibility", "momentum x", "momentum y"}
    measured = found["compressibility"]
    same = next(line for line in recorded if line.name == "compressibility")
    assert same.value == pytest.approx(measured.value, rel=1e-6)


def test_a_part_of_the_time_is_left_out(recorded):
    with Recording(recorded) as recording:
        middle = float(recording.times.mean())
        half = FrameSequence(recording, middle)
        assert half.times[0] >= middle > recording.times[len(recording) - len(half) - 1]
        assert 25 < len(FrameSequence(recording, most=50)) <= 50
        begin, end = recording.span
    assert f"measured from {begin + 0.1 * (end - begin):.6g} s on" in dict(analyse(recorded).facts)["time"]
    with pytest.raises(ArgumentError, match=r"since: 1000 s is after the end, .* s. Choose an earlier time."):
        analyse(recorded, since=1000.0)


def test_progress_is_told_and_grows(recorded):
    told = []
    analyse(recorded, progress=told.append)
    assert len(told) > 20
    assert told == sorted(told)
    assert 0.0 < told[0] < 0.1
    assert 0.5 < told[-1] <= 1.0


def test_a_still_is_the_run_at_that_time(tmp_path):
    sim = Simulation(library.load("gas-under-gravity", count=30, seed=1))
    with sim.record(tmp_path / "g.h5", at=[0.0, 0.3]):
        sim.run(until=0.3)
    with Recording(tmp_path / "g.h5") as recording:
        frame = RecordedFrame(recording, recording[-1], -1)
        assert frame.time == sim.time
        np.testing.assert_array_equal(frame.positions, sim.positions)
        assert frame.kinetic_energy == pytest.approx(sim.kinetic_energy, rel=1e-12)
        assert frame.potential_energy == pytest.approx(sim.potential_energy, rel=1e-12)
        np.testing.assert_allclose(frame.momentum, sim.momentum, rtol=1e-12)
        np.testing.assert_array_equal(frame.turns, 0)


def test_too_few_frames_are_told(tmp_path):
    sim = Simulation(library.load("gas", count=30, packing_fraction=0.1, seed=1))
    with sim.record(tmp_path / "few.h5", at=[0.0, 0.1]):
        sim.run(until=0.1)
    few = analyse(tmp_path / "few.h5")
    assert any("only 1 frame is left to measure" in remark for remark in few.remarks)
    assert few.lines == []


def test_a_game_is_no_gas(tmp_path):
    sim = Simulation(library.load("break"))
    with sim.record(tmp_path / "break.h5", every=0.05):
        sim.run(until=1.0)
    game = analyse(tmp_path / "break.h5")
    assert any("it is no gas (it has 16 free balls, fewer than 20)" in remark for remark in game.remarks)
    assert dict(game.facts)["energy"].endswith("of it")


def test_without_collisions_there_is_no_pressure(tmp_path):
    sim = Simulation(library.load("gas", count=60, packing_fraction=0.1, seed=1))
    with sim.record(tmp_path / "quiet.h5", every=0.02, events=False):
        sim.run(until=1.0)
    quiet = analyse(tmp_path / "quiet.h5")
    assert any("collisions were not recorded" in remark for remark in quiet.remarks)
    with pytest.raises(KeyError, match="'compressibility' was not measured; there are temperature"):
        quiet["compressibility"]


def test_frames_at_collisions_are_told(tmp_path):
    sim = Simulation(library.load("gas", count=30, packing_fraction=0.2, seed=1))
    with sim.record(tmp_path / "biased.h5", every=Collisions(20)):
        sim.run(collisions=400)
    assert any("frames were taken at collisions" in remark for remark in analyse(tmp_path / "biased.h5").remarks)


def test_a_mixture_between_walls(tmp_path):
    """The two pressures agree, and there are rates between the species; walls bound the displacement."""
    options = {"count": 150, "packing_fraction": 0.2, "fraction": 0.3, "mass_ratio": 4.0, "periodic": False, "seed": 3}
    sim = Simulation(library.load("gas", **options))
    sim.run(collisions=5000)
    with sim.record(tmp_path / "walls.h5", every=0.02):
        sim.run(until=sim.time + 6.0)
    found = analyse(tmp_path / "walls.h5")
    one, other = found["pressure from the virial"], found["pressure on the walls"]
    assert one.value == pytest.approx(other.value, abs=4.0 * np.hypot(one.error, other.error))
    assert other.error < 0.05 * other.value
    assert found["rate of species 0 with 1"].value > 0.0
    assert "300 degrees of freedom" in found["temperature"].source
    assert any("walls bound the displacement" in remark for remark in found.remarks)


def test_a_gas_under_gravity(tmp_path):
    sim = Simulation(library.load("gas-under-gravity", count=300, radius=0.0005, seed=4))
    sim.run(collisions=5000)
    with sim.record(tmp_path / "air.h5", every=0.03):
        sim.run(until=sim.time + 15.0)
    found = analyse(tmp_path / "air.h5")
    assert abs(found["scale height"].deviation) < 4.0
    assert found["scale height"].error < 0.1 * found["scale height"].value
    assert {"Density profile", "Temperature profile"} <= {curve.name for curve in found.curves}


def test_the_stepped_solver_is_measured_too(tmp_path):
    scene = library.load("gas", count=60, packing_fraction=0.2, seed=2)
    sim = Simulation(scene, solver="stepped", step=1e-3)
    with sim.record(tmp_path / "steps.h5", every=0.02):
        sim.run(until=2.0)
    steps = analyse(tmp_path / "steps.h5")
    assert abs(steps["compressibility"].deviation) < 5.0


def test_the_report_stands_alone(recorded, found, tmp_path):
    target = tmp_path / "gas.html"
    with Recording(recorded) as recording:
        assert write_report(found, recording, target) == target
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.count("<svg") >= 4
    assert "virial series to B10" in text
    # Nothing is fetched: no link, script or picture from elsewhere (names of XML are no addresses).
    assert not re.findall(r'<(?:script|link|img)|(?:src|href)="(?!#)', text.replace("xlink:href", "href"))
    assert [path.name for path in tmp_path.iterdir()] == ["gas.html"]


def test_names_in_the_report_are_text(tmp_path, found, recorded):
    from carom.analysis.report import page  # noqa: PLC0415  # next to its use

    line = Line("<b>x</b>", "&", 1.0, 0.1, "<i>")
    odd = type(found)(found.path, facts=[("<script>", "1 < 2")], lines=[line])
    text = page(odd, [('"><script>', "<svg></svg>")])
    assert "<script>" not in text
    assert "<b>x" not in text


def test_the_command_prints_a_table(recorded, tmp_path, capsys):
    assert command(recorded, tmp_path / "r.html", 0.0) == 0
    out, err = capsys.readouterr()
    assert re.search(r"compressibility +Z = pV/NkT +2\.\d+ ± 0\.\d+ +2\.0", out)
    assert "report: " in err
    assert (tmp_path / "r.html").exists()


def test_the_command_prints_json(recorded, capsys):
    assert command(recorded, None, 0.0, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    line = next(line for line in told["lines"] if line["name"] == "collision rate")
    assert line["unit"] == "1/s"
    assert abs(line["deviation"]) < 4.0


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1.57041, 0.00042, "1.57041 ± 0.00042"), (39.463, 0.08, "39.463 ± 0.080"), (42371.2, 133.0, "42371 ± 133"),
        (1.234e-7, 3.2e-9, "(1.234 ± 0.032)e-7"), (5.0, 0.0, "5"), (float("nan"), 1.0, "nan"),
        (0.0, 0.5, "0.00 ± 0.50"), (2.0e9, 1e7, "(2.000 ± 0.010)e+9"),
    ],
)  # fmt: skip
def test_errors_tell_how_far_a_value_is_written(value, error, text):
    assert with_error(value, error) == text
