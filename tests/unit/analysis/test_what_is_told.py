"""What the analysis tells only where it means something, and says so where it does not."""

import json
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from carom import Attraction, Ball, Balls, Box, Scene, Simulation, library
from carom.analysis import Line, analyse
from carom.analysis.gas_analysis import COLLISIONS_PER_BALL
from carom.analysis.measure import Curve
from carom.analysis.report import plot, scaled
from carom.cli.commands.analyse import analyse as command
from carom.storage.recorded_frame import RecordedFrame
from carom.storage.recording import Recording

mpl.use("Agg")


def recorded(path, scene, until, every, observables=(), **options):
    sim = Simulation(scene, **options)
    with sim.record(path, every=every, observables=list(observables)):
        sim.run(until=until)
    return path


def told(found, words):
    return any(words in remark for remark in found.remarks)


def gas(**options):
    return library.load("gas", **{"count": 40, "packing_fraction": 0.2, "seed": 1, **options})


def test_dense_balls_in_space_have_no_law(tmp_path):
    dense = analyse(recorded(tmp_path / "dense.h5", gas(dimension=3, packing_fraction=0.52), 0.05, 0.001))
    assert all(dense[name].expected is None for name in ("compressibility", "collision rate", "g at contact"))
    assert told(dense, "the packing fraction 0.52 is not below 0.49")


def test_a_gas_that_loses_energy_has_no_law_and_is_not_stationary(tmp_path):
    cool = analyse(recorded(tmp_path / "cool.h5", gas().replace(restitution=0.9), 0.5, 0.01))
    assert all(line.expected is None for line in cool.lines)
    assert all(curve.law is None for curve in cool.curves)
    assert told(cool, "it is not stationary: its energy changes by")
    assert told(cool, "no laws are compared with: collisions, friction or drag take energy")
    hot = analyse(recorded(tmp_path / "hot.h5", gas(), 0.5, 0.01))
    assert hot["collision rate"].expected is not None
    assert not told(hot, "not stationary")


@pytest.fixture(scope="module")
def air(tmp_path_factory):
    """A mixture of two masses under gravity that pulls upwards and a little aside."""
    scene = library.load("gas-under-gravity", count=300, radius=0.0005, seed=4)
    masses = scene.balls.mass.copy()
    masses[::2] *= 3.0
    up = tuple(-each for each in scene.gravity)
    scene = scene.replace(balls=scene.balls.replace(mass=masses), gravity=(0.3 * up[1], *up[1:]))
    path = tmp_path_factory.mktemp("air") / "air.h5"
    sim = Simulation(scene)
    sim.run(collisions=10000)
    with sim.record(path, every=0.12):
        sim.run(until=sim.time + 40.0)  # in 10 s it sloshes too few times to tell its own error
    return analyse(path)


def test_each_mass_has_its_scale_height(air):
    lines = [line for line in air.lines if line.name.startswith("scale height of balls of")]
    assert len(lines) == 2
    light, heavy = lines
    assert light.expected == pytest.approx(3.0 * heavy.expected)
    for line in lines:
        assert abs(line.deviation) < 4.0
        assert line.error < 0.25 * line.value


def test_under_gravity_there_is_no_pressure_on_the_walls(air):
    assert not [line.name for line in air.lines if "pressure" in line.name]


def test_the_barometric_curve_is_drawn_where_it_is_fitted(air):
    curve = next(curve for curve in air.curves if curve.name == "Density profile")
    fitted = np.isfinite(curve.law)
    assert 4 <= fitted.sum() < len(curve.law)
    assert np.diff(curve.y)[fitted[1:]].mean() < 0.0  # it falls off with height, also where gravity pulls upwards


def test_an_error_that_is_too_small_is_marked(tmp_path):
    assert Line("x", "x", 1.5, 0.01, "", settled=False).text() == "1.500 ± ≥ 0.010"
    assert Line("x", "x", 1.5e9, 1e7, "", settled=False).text() == "(1.500 ± ≥ 0.010)e+9"
    drifting = analyse(recorded(tmp_path / "drift.h5", gas().replace(restitution=0.8), 0.5, 0.02, ["kinetic_energy"]))
    for name in ("kinetic_energy", "temperature", "collision rate", "mean free time"):
        assert not drifting[name].settled
    assert told(drifting, "errors with ≥ are lower bounds")
    lines = {line["name"]: line for line in json.loads(json.dumps(drifting.as_dict()))["lines"]}
    assert lines["temperature"]["settled"] is False


ALL = [
    "mean_free_time", "mean_free_path", "collision_rate", "rates_by_kind", "rates_by_species", "speeds",
    "mean_squared_displacement", "velocity_autocorrelation", "centre_of_mass", "radial_distribution",
]  # fmt: skip


@pytest.fixture(scope="module")
def observed(tmp_path_factory):
    """A thin gas between walls: in some of the intervals nothing collides."""
    scene = gas(packing_fraction=0.02, fraction=0.5, mass_ratio=2.0, periodic=False)
    return analyse(recorded(tmp_path_factory.mktemp("observed") / "thin.h5", scene, 1.0, 0.002, ALL))


def test_free_times_are_inverse_means_of_rates(observed):
    same = {line.name: line for line in observed.lines if line.source == "as recorded"}
    assert same["mean_free_time"].value == pytest.approx(1.0 / same["collision_rate"].value)
    assert same["mean_free_path"].value == pytest.approx(observed["mean free path"].value, rel=0.01)


def test_entries_have_their_names(observed):
    names = {line.name for line in observed.lines}
    assert {"rates_by_kind between balls", "rates_by_kind with walls", "rates_by_species 0 with 1"} <= names
    assert "rates_by_kind x" not in names


def test_functions_of_time_are_curves(observed):
    curves = {curve.name: curve for curve in observed.curves}
    for name in ("mean_squared_displacement", "velocity_autocorrelation", "centre_of_mass x", "centre_of_mass y"):
        assert curves[f"{name} as recorded"].across == ("time", "s")
        assert name not in {line.name for line in observed.lines}


def test_curves_come_once_and_have_labels(observed):
    names = [curve.name for curve in observed.curves]
    assert "Radial distribution" in names
    assert not {"radial_distribution as recorded", "speeds as recorded"} & set(names)
    assert all(curve.across[0] for curve in observed.curves)


def test_a_recorded_curve_alone_has_a_label(tmp_path):
    scene = Scene(boundary=Box(size=(1, 1)), balls=[Ball(position=(0.5, 0.5), velocity=(1, 0), radius=0.1)])
    few = analyse(recorded(tmp_path / "few.h5", scene, 1.0, 0.05, ["speeds"]))
    assert next(curve for curve in few.curves if curve.name == "speeds as recorded").across == ("speed", "m/s")


def test_letters_stand_for_one_thing(tmp_path):
    found = analyse(recorded(tmp_path / "gas.h5", gas(), 0.5, 0.01))
    assert found["mean free path"].symbol != found["largest Lyapunov exponent"].symbol


def test_a_short_run_is_told_how_long_it_should_be(tmp_path):
    short = analyse(recorded(tmp_path / "short.h5", gas(packing_fraction=0.05), 0.5, 0.01))
    assert not [line.name for line in short.lines if "diffusion" in line.name]
    for way in ("Einstein", "Green-Kubo"):
        assert told(short, f"the run is too short for diffusion ({way}): record at least")


def test_green_kubo_is_that_of_einstein(tmp_path):
    """With frames so near that consecutive lags alone would end long before the correlation does."""
    sim = Simulation(gas(count=200, packing_fraction=0.2))
    sim.run(collisions=2000)
    with sim.record(tmp_path / "near.h5", every=0.0005):
        sim.run(until=sim.time + 1.0)
    near = analyse(tmp_path / "near.h5")
    one, other = near["diffusion (Green-Kubo)"], near["diffusion (Einstein)"]
    assert near["mean free time"].value > 47 * 0.0005 / 3.0
    assert one.value == pytest.approx(other.value, abs=4.0 * np.hypot(one.error, other.error))
    assert one.error < 0.2 * one.value


@pytest.mark.parametrize(
    ("scene", "until", "why"),
    [
        (Scene(boundary=Box(size=(1, 1)), balls=[Ball(position=(0.5, 0.5), radius=0.1)]), 1.0, "are at rest"),
        (library.load("bouncing-ball"), 5.0, "balls are at rest at the end"),
        (gas().replace(restitution=0.8), 2.0, "the kinetic energy falls from 0."),
        (gas(packing_fraction=0.05), 0.1, "and it takes about 5 a ball"),
    ],
    ids=["at rest", "coming to rest", "cooling", "few collisions"],
)
def test_there_is_no_exponent_where_it_means_nothing(tmp_path, scene, until, why):
    found = analyse(recorded(tmp_path / "run.h5", scene, until, until / 20.0, ["lyapunov"]))
    assert not [line for line in found.lines if "yapunov" in line.name]
    assert told(found, "there is no Lyapunov exponent: ")
    assert told(found, why)
    assert COLLISIONS_PER_BALL == 5


def test_a_cooling_gas_is_not_said_to_rest(tmp_path):
    found = analyse(recorded(tmp_path / "run.h5", gas().replace(restitution=0.8), 2.0, 0.1, ["lyapunov"]))
    assert not told(found, "rest")


def test_the_energy_is_told_at_the_start_of_the_run_and_of_measuring(tmp_path):
    sim = Simulation(gas().replace(restitution=0.9))
    path = tmp_path / "run.h5"
    with sim.record(path, every=0.1):
        sim.run(until=2.0)
    with Recording(path) as recording:
        first, later, last = (RecordedFrame(recording, recording[k], k).energy for k in (0, 2, -1))
    assert first > later > last
    energy = dict(analyse(path).facts)["energy"]
    change = f"then changed by {last / later - 1.0:+.1e} of it"
    assert energy == f"{first:.9g} J at 0 s; {later:.9g} J at 0.2 s, where measuring begins, {change}"
    whole = dict(analyse(path, since=0.0).facts)["energy"]
    assert whole == f"{first:.9g} J at 0 s, then changed by {last / first - 1.0:+.1e} of it"


NUMBER = r"\(?(-?[\d.]+)(?: ± (?:≥ )?([\d.]+))?\)?(e[+-]\d+)?"


def shown(text):
    """A number and its error, as a reader takes them from a table."""
    value, error, power = re.fullmatch(NUMBER, text).groups()
    return float(value + (power or "")), float((error or "0") + (power or ""))


def test_the_deviation_is_that_of_the_numbers_that_are_shown(tmp_path, capsys):
    """Also where theory has an uncertainty of its own, which is shown with what it expects."""
    line = Line("D", "D", 0.004, 0.00006, "m²/s", expected=0.00295, expected_error=0.0005, source="Enskog")
    assert (line.expected_text(), f"{line.deviation:+.1f}") == ("0.00295 ± 0.00050", "+2.1")
    assert Line("D", "D", 0.004, 0.00006, "m²/s").expected_text() == ""
    path = recorded(tmp_path / "run.h5", gas(count=200, packing_fraction=0.3), 1.0, 0.005)
    compared = [line for line in analyse(path).lines if line.deviation is not None]
    assert {"diffusion (Einstein)", "compressibility", "mean free path"} <= {line.name for line in compared}
    assert command(path, tmp_path / "report.html", None) == 0
    out, page = capsys.readouterr().out, (tmp_path / "report.html").read_text(encoding="utf-8")
    for line in compared:
        (value, error), (law, own) = shown(line.text()), shown(line.expected_text())
        assert (value - law) / np.hypot(error, own) == pytest.approx(line.deviation, rel=0.1, abs=0.1), line
        row = rf"{re.escape(line.name)} .*{re.escape(line.expected_text())} +{re.escape(f'{line.deviation:+.1f}')}"
        assert re.search(row, out), line
        assert f'{line.expected_text()}</td><td class="number">{line.deviation:+.1f}</td>' in page
    assert command(path, None, None, as_json=True) == 0
    told = {line["name"]: line for line in json.loads(capsys.readouterr().out)["lines"]}
    for line in compared:
        assert told[line.name]["expected_error"] == pytest.approx(line.expected_error)


def test_balls_that_are_born_on_the_way(tmp_path):
    grid = np.stack(np.meshgrid(np.arange(6), np.arange(4)), -1).reshape(-1, 2) * 0.15 + 0.1
    rng = np.random.default_rng(0)
    balls = Balls(
        position=grid, velocity=rng.normal(size=(24, 2)), mass=0.1, radius=0.02, born=np.linspace(0.0, 0.4, 24)
    )
    scene = Scene(boundary=Box(size=(1, 1)), balls=balls)
    born = analyse(recorded(tmp_path / "born.h5", scene, 0.5, 0.02))
    assert "to 48 degrees of freedom" in born["temperature"].source
    assert told(born, "fewer than 8 balls are there all the time")
    assert told(born, "balls come or go")


def test_the_reason_is_the_actual_one(tmp_path):
    one = Scene(boundary=Box(size=(1, 1)), balls=[Ball(position=(0.5, 0.5), velocity=(1, 0), radius=0.1)])
    lone = analyse(recorded(tmp_path / "one.h5", one, 1.0, 0.05))
    assert told(lone, "it is no gas (it has 1 free ball, fewer than 20)")
    assert "1 ball, 2D" in dict(lone.facts)["scene"]


def test_merged_balls_have_their_mass(tmp_path):
    balls = Balls(position=[(0, 0), (0.2, 0), (5, 5)], velocity=[(0.3, 0), (0, 0), (0, 0.1)], mass=0.1, radius=0.02)
    scene = Scene(balls=balls, attraction=Attraction(G=1e-6, touch="merge"))
    path = recorded(tmp_path / "merge.h5", scene, 1.5, 0.1, ["kinetic_energy"])
    with Recording(path) as recording:
        last = RecordedFrame(recording, recording[-1], -1)
        assert np.isnan(last.positions[:, 0]).any()
        assert last.kinetic_energy == pytest.approx(recording.observables["kinetic_energy"].values[-1])
    assert told(analyse(path), "it is no gas (it has 3 free balls, fewer than 20; attraction)")


def test_curves_have_units_that_suit():
    assert scaled(("time", "s"), np.array([0.0, 0.004])) == (1e-3, ("time", "ms"))
    assert scaled(("distance", "m"), np.array([0.0, 0.2])) == (0.01, ("distance", "cm"))
    assert scaled(("<Δr²>", "m²"), np.array([2e-7])) == (1e-9, ("<Δr²>", "10⁻⁹ m²"))
    assert scaled(("g(r)", ""), np.array([2e-7])) == (1.0, ("g(r)", ""))
    axes = Figure().subplots()
    x = np.array([0.001, 0.004])
    plot(Curve("t", ("time", "s"), ("k_B T", "J"), x, 5.0 * x, x, 5.0 * x, "law"), axes)
    assert axes.get_xlabel() == "time in ms"
    assert axes.get_ylabel() == "k_B T in mJ"
    for line in axes.get_lines():
        np.testing.assert_allclose(line.get_xydata(), [[1.0, 5.0], [4.0, 20.0]])


def test_the_command_announces_compilation(tmp_path, monkeypatch, capsys):
    path = recorded(tmp_path / "gas.h5", gas(), 0.1, 0.01)

    class Announced:
        def __init__(self, console, *, quiet):
            self.console, self.quiet = console, quiet

        def __enter__(self):
            self.console.print(f"announced {self.quiet}")

        def __exit__(self, *_):
            pass

    monkeypatch.setattr("carom.cli.commands.analyse.Announcement", Announced)
    assert command(path, None, None) == 0
    assert "announced False" in capsys.readouterr().err


def test_energies_and_momentum_are_told_of_anything(tmp_path, capsys):
    path = recorded(tmp_path / "cloth.h5", library.load("cloth-on-a-ball"), 0.05, 0.005)
    cloth = analyse(path)
    assert cloth["kinetic_energy"].value > 0.0
    assert [line.name for line in cloth.lines] == ["kinetic_energy", "momentum x", "momentum y", "momentum z"]
    assert cloth["momentum y"].value < 0.0
    assert told(cloth, "frames do not tell the potential energy of links or attraction: use --observe energy")
    assert command(path, None, None) == 0
    assert "kinetic_energy" in capsys.readouterr().out
    known = analyse(recorded(tmp_path / "known.h5", library.load("cloth-on-a-ball"), 0.05, 0.005, ["energy"]))
    assert known["energy"].source == "as recorded"


def test_few_frames_have_energy_and_momentum_too(tmp_path):
    balls = [Ball(position=(0, 0), velocity=(3, 4), mass=2.0, radius=0.1)]
    found = analyse(recorded(tmp_path / "few.h5", Scene(balls=balls, gravity=(0, 0)), 2.0, 1.0))
    assert found["energy"].value == found["kinetic_energy"].value == 25.0
    assert [found[f"momentum {axis}"].value for axis in "xy"] == [6.0, 8.0]


def test_a_momentum_of_zero_is_said_to_be_so(tmp_path):
    found = analyse(recorded(tmp_path / "gas.h5", gas(), 0.2, 0.01))
    assert {found[f"momentum {axis}"].source for axis in "xy"} == {"zero but for rounding"}
    assert "±" not in found["momentum x"].text()
    assert found["energy"].source == "from the frames"
    assert not told(found, "momentum")
