"""Plots show what was measured, in SI units, and change nothing else."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from carom import Attraction, Ball, Balls, Box, Open, Scene, Simulation, library, plots
from carom.errors import CaromError
from carom.observe.measures.structure import RadialDistribution
from carom.plots.data import frame_count_for, sample_frames
from carom.storage.recording import Recording


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("plots")


@pytest.fixture(scope="module")
def gas(folder):
    simulation = Simulation(library.load("gas"))
    with simulation.record(folder / "gas.h5", every=0.05, observables=["kinetic_energy", "momentum"]):
        simulation.run(until=0.5)
    with Recording(folder / "gas.h5") as recording:
        yield recording


@pytest.fixture(scope="module")
def thrown(folder):
    """Two balls under gravity that bounce off the walls of a box."""
    balls = [
        Ball(position=(0.2, 0.5), velocity=(0.9, 0.3), mass=2.0, radius=0.03),
        Ball(position=(0.7, 0.4), velocity=(-0.5, 1.0), mass=1.0, radius=0.02),
    ]
    simulation = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), gravity=(0.0, -2.0), balls=balls))
    with simulation.record(folder / "thrown.h5", every=0.01):
        simulation.run(until=1.5)
    with Recording(folder / "thrown.h5") as recording:
        yield recording


def drawn(ax, label):
    return next(line for line in ax.lines if line.get_label() == label)


@pytest.mark.requirement("T-08")
def test_energy_of_a_fall_is_level(thrown):
    ax = plots.energy(thrown)
    total, kinetic = (np.asarray(drawn(ax, name).get_ydata()) for name in ("total", "kinetic"))
    assert ax.get_ylabel() == "energy in J"
    assert np.ptp(kinetic) > 0.5
    assert np.ptp(total) < 1e-12
    low, high = ax.get_ylim()
    assert low < 0.0 < total[0] < high  # zero is seen


def test_energy_comes_from_the_observables(gas):
    values = gas.observables["kinetic_energy"].values
    line = drawn(plots.energy(gas), "kinetic")
    scale = values[0] / line.get_ydata()[0]
    np.testing.assert_allclose(line.get_ydata() * scale, values, rtol=1e-12)


def test_arrays_are_drawn_too():
    t = np.linspace(0.0, 2e-6, 5)
    ax = plots.energy((t, {"kinetic": 3e-21 + 0 * t, "potential": -1e-21 + 0 * t}))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time in µs", "energy in 10⁻²¹ J")
    np.testing.assert_allclose(drawn(ax, "total").get_ydata(), 2.0)
    ax = plots.momentum((t, np.stack([5e-3 + 0 * t, 0 * t], axis=1)))
    assert ax.get_ylabel() == "momentum in 10⁻³ kg·m/s"
    assert [line.get_label() for line in ax.lines] == ["x", "y"]


def test_momentum_of_a_recording(gas, thrown):
    assert len(plots.momentum(gas).lines) == 2
    line = plots.momentum(thrown).lines[0]
    assert line.get_ydata()[0] == pytest.approx(2.0 * 0.9 - 1.0 * 0.5)


@pytest.mark.requirement("T-08", "T-19")
def test_speeds_against_maxwell(gas):
    ax = plots.speeds(gas)
    curve = drawn(ax, "Maxwell")
    bars = next(patch for patch in ax.patches if patch.get_label().endswith("speeds")).get_data()
    assert bars.values @ np.diff(bars.edges) == pytest.approx(1.0)
    v, f = curve.get_xdata(), curve.get_ydata()
    assert np.trapezoid(f, v) == pytest.approx(1.0, abs=0.002)  # a part in a thousand is faster than the fastest seen
    # The curve has the mean square of the speeds, less the motion of the whole (2 of 2000 degrees of freedom).
    mean_square = np.mean([(frame.velocities**2).sum(axis=1).mean() for frame in gas])
    assert np.trapezoid(f * v**2, v) == pytest.approx(mean_square, rel=0.01)


def test_speeds_of_a_mixture_are_a_mean_of_two_curves():
    random = np.random.default_rng(5)
    masses = np.repeat([1.0, 100.0], 4000)
    velocities = random.normal(size=(8000, 3)) / np.sqrt(masses)[:, None]
    curve = drawn(plots.speeds(velocities, masses=masses), "Maxwell")
    v, f = curve.get_xdata(), curve.get_ydata()
    share = np.trapezoid(f[v < 0.4], v[v < 0.4])
    assert share == pytest.approx((np.linalg.norm(velocities, axis=1) < 0.4).mean(), abs=0.02)


def test_distances(gas):
    ax = plots.radial(gas)
    r, g = ax.lines[-1].get_data()
    diameter = 2 * gas.radii[0] / 0.01
    assert ax.get_xlabel() == "distance in cm"
    assert not g[r < 0.999 * diameter].any()
    assert g[(r > diameter) & (r < 1.2 * diameter)].mean() > 1.2
    assert g[r > 3 * diameter].mean() == pytest.approx(1.0, abs=0.05)
    assert len(plots.radial(([1.0, 2.0], [0.5, 1.0])).lines) == 2


def test_ways_end_where_balls_are(thrown):
    ax = plots.trajectories(thrown, balls=[1])
    (line,) = ax.lines
    scale = {"x in cm": 0.01, "x in m": 1.0}[ax.get_xlabel()]
    np.testing.assert_allclose(line.get_xydata()[-1] * scale, thrown[-1].positions[1], atol=1e-12)


@pytest.mark.requirement("M-15")
def test_no_line_goes_across_a_joined_border(gas):
    ax = plots.trajectories(gas)
    steps = np.concatenate([np.abs(np.diff(line.get_xydata(), axis=0)) for line in ax.lines])
    side = gas.scene.boundary.size[0] / (0.01 if "cm" in ax.get_xlabel() else 1.0)
    assert np.isnan(steps).any()  # some ball did cross
    assert np.nanmax(steps) < 0.5 * side


def test_space_and_time(thrown):
    ax = plots.space_time(thrown, axis="y")
    assert [line.get_label() for line in ax.lines] == ["0", "1"]
    assert ax.get_ylabel().startswith("y in ")
    times = np.array([0.0, 1.0])
    assert len(plots.space_time((times, np.zeros((2, 30)))).lines) == 30


def test_who_met_whom():
    rows = Simulation(library.load("newtons-cradle")).collide(until=2.0)
    ax = plots.network(rows)
    pairs = np.sort(np.stack([rows["a"], rows["b"]], axis=1)[rows["kind"] == 1], axis=1)
    assert len(ax.collections[0].get_segments()) == len(np.unique(pairs, axis=0))
    assert ax.get_title("center").startswith(f"{len(pairs)} collisions of 5 balls")
    widths = ax.collections[0].get_linewidths()
    assert max(widths) <= 4.0


@pytest.mark.parametrize("name", ["energy", "momentum", "speeds", "radial", "trajectories", "space_time", "network"])
def test_the_name_of_a_recording_does_too(gas, name):
    plot = getattr(plots, name)
    by_name, by_path, itself = plot(str(gas.path)), plot(gas.path), plot(gas)
    for ax in (by_name, by_path):
        assert [line.get_xydata().tobytes() for line in ax.lines] == [
            line.get_xydata().tobytes() for line in itself.lines
        ]
        assert len(ax.collections) == len(itself.collections)
        assert ax.get_xlabel() == itself.get_xlabel()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_settings_of_others_stay_as_they_are(thrown, theme):
    before = dict(mpl.rcParams)
    ax = plots.energy(thrown, theme=theme)
    with plots.style(theme):
        assert mpl.rcParams["axes.grid"]
    assert dict(mpl.rcParams) == before
    given = plt.figure().add_subplot()
    assert plots.speeds(thrown, given, theme=theme) is given
    assert ax.get_facecolor() != given.get_facecolor()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plots.energy(3), "Give a Recording"),
        (lambda: plots.energy((["a"], [1.0])), "Give a Recording"),
        (lambda: plots.speeds({"a": 1}), "speeds: a dict cannot be plotted here. Give a Recording"),
        (lambda: plots.trajectories(object()), "trajectories: a object cannot be plotted here. Give a Recording"),
        (lambda: plots.speeds("nowhere.h5"), "nowhere.h5: there is no such file"),
        (lambda: plots.energy(([0, 1], {"kinetic": [1.0]})), "kinetic: has 1 rows, and there are 2 times"),
        (lambda: plots.speeds(np.zeros(3)), "shape (3,)"),
        (lambda: plots.speeds(np.zeros((3, 2))), "nothing moves"),
        (lambda: plots.trajectories(np.zeros((3, 2))), "shape (3, 2)"),
        (lambda: plots.space_time(([0.0], [[1.0]]), axis="w"), "axis: 'w'"),
        (lambda: plots.space_time(([0.0], np.zeros((1, 2, 2))), axis="z"), "no z in 2 dimensions"),
        (lambda: plots.space_time(([0.0], [[1.0]]), balls=[1]), "from 0 to 0"),
        (lambda: plots.network([1, 2]), "these are no collisions"),
        (lambda: plots.energy(([0.0], {"kinetic": [1.0]}), theme="grey"), "Use 'light' or 'dark'"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_line(call, says):
    with pytest.raises(CaromError, match=None) as caught:
        call()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def recorded(path, scene, until, *, solver="exact", **options):
    simulation = Simulation(scene, solver=solver)
    with simulation.record(path, **options):
        simulation.run(until=until)
    return Recording(path)


def crowd(count, d=2, **more):
    """Points at rest on a lattice, but for the first, in a box of 1 m."""
    side = int(np.ceil(count ** (1 / d)))
    places = (np.stack(np.unravel_index(np.arange(count), (side,) * d), axis=1) + 0.5) / side
    speeds = np.zeros((count, d))
    speeds[0, 0] = 0.01
    balls = Balls(position=places, velocity=speeds, mass=1.0, radius=0.2 / side)
    return Scene(boundary=Box(size=(1.0,) * d), balls=balls, **more)


@pytest.fixture(scope="module")
def many(folder):
    with recorded(folder / "many.h5", crowd(3000), 0.1, every=0.05) as recording:
        yield recording


@pytest.fixture(scope="module")
def layers(folder):
    with recorded(folder / "layers.h5", crowd(64, 3), 0.1, every=0.05) as recording:
        yield recording


@pytest.fixture(scope="module")
def lone(folder):
    with recorded(folder / "lone.h5", crowd(1), 0.5, every=0.05) as recording:
        yield recording


def merging_pair():
    balls = [
        Ball(position=(0.0, 0.0), velocity=(1.0, 0.0), mass=2.0, radius=0.1),
        Ball(position=(1.0, 0.0), velocity=(-1.0, 0.0), mass=1.0, radius=0.1),
        Ball(position=(0.0, 9.0), velocity=(0.0, 1.0), mass=1.0, radius=0.1),
    ]
    return Scene(boundary=Open(), attraction=Attraction(G=1e-9, touch="merge"), balls=balls)


def test_masses_after_merging_are_those_of_the_time(folder):
    with recorded(folder / "merged.h5", merging_pair(), 1.0, solver="stepped", every=0.5) as recording:
        *_, last = sample_frames(recording)
        assert np.nanmax(last.masses) == 3.0
        assert np.nanmax(last.radii) > 0.1
        assert np.nanmax(next(sample_frames(recording)).masses) == 2.0


def test_masses_that_do_not_change_are_not_read_again(many, monkeypatch):
    monkeypatch.setattr(Recording, "bulk", lambda *_: pytest.fail("read"))
    plots.energy(many)
    plots.momentum(many)
    plots.speeds(many)


def test_of_many_balls_fewer_frames_are_looked_at(many, gas, monkeypatch):
    assert [
        frame_count_for(many, 9000, 2, 100),
        frame_count_for(many, 1, 2, 100),
        frame_count_for(gas, 10**9, 2, 100),
    ] == [3, 2, 100]
    seen = []
    monkeypatch.setattr("carom.plots.distributions.MAX_POSITIONS", 1)
    monkeypatch.setattr(
        RadialDistribution, "sample", lambda self, sim: seen.append(sim) or np.ones(len(self.edges) - 1)
    )
    plots.radial(gas)
    assert len(seen) == 4 < len(gas)


def test_some_of_many_balls_are_spread_evenly(many):
    for draw in (plots.trajectories, plots.space_time):
        ax = draw(many)
        assert ax.get_title("left") == "200 of 3,000 balls"
        assert len(ax.lines) == 200
    ways = [np.nanmean(line.get_xdata()) for line in plots.trajectories(many).lines]
    scale = 1.0 if max(ways) <= 1.0 else 100.0
    assert min(ways) < 0.05 * scale
    assert max(ways) > 0.95 * scale
    assert plots.trajectories(many, balls=[3]).get_title("left") == ""


def test_distances_of_one_ball_are_refused_and_of_heavy_ones_remarked(lone, thrown, gas):
    with pytest.raises(CaromError, match="no distances of a single ball"):
        plots.radial(lone)
    assert "far away g(r) is not 1" in plots.radial(thrown).get_title("left")
    assert plots.radial(gas).get_title("left") == ""


def test_one_ball_has_speeds_but_no_curve(lone):
    ax = plots.speeds(lone)
    assert ax.get_title("left") == "one ball: no temperature, no curve"
    assert not ax.lines
    bars = next(patch for patch in ax.patches if patch.get_label().endswith("speeds")).get_data()
    assert bars.values @ np.diff(bars.edges) == pytest.approx(1.0)


def test_momentum_that_is_zero_is_a_level_line(gas, thrown):
    ax = plots.momentum(gas)
    whole = float((gas.masses * np.linalg.norm(gas[0].velocities, axis=1)).sum())
    line, (low, high) = ax.lines[0].get_ydata(), ax.get_ylim()
    assert np.ptp(line) < 1e-6 * (high - low)
    assert "zero but for rounding; Σ m|v| = " in ax.get_title("left")
    decades = np.log10(whole / (high / 1.06))  # the unit of the axis is a power of ten
    assert decades == pytest.approx(round(decades), abs=0.03)
    assert plots.momentum(thrown).get_title("left") == ""


def test_discs_of_space_hide_nothing(layers, thrown):
    clear, solid = (plots.trajectories(each).collections[-1].get_facecolor() for each in (layers, thrown))
    assert not len(clear)
    assert (solid[:, 3] == 1.0).all()


def test_layers_stand_apart_in_the_network(layers):
    dots = plots.network(layers).collections[-1].get_offsets()
    assert len(np.unique(np.round(dots, 6), axis=0)) == 64


def test_a_network_of_many_shows_its_middle(many):
    ax = plots.network(many)
    dots = ax.collections[-1].get_offsets()
    assert len(dots) == 1000
    assert np.abs(dots - 0.5).max() < 0.35
    assert "1,000 of 3,000 balls are drawn" in ax.get_title("center")


def test_a_single_frame_is_seen(folder):
    with recorded(folder / "one.h5", crowd(4), 0.2, events=False, at=[0.0]) as frame:
        assert len(frame) == 1
        for draw in (plots.energy, plots.momentum, plots.space_time):
            assert draw(frame).lines[0].get_marker() == "o"
    with recorded(folder / "rebuilt.h5", crowd(4), 0.2) as rebuilt:
        assert len(rebuilt) == 1
        line = plots.momentum(rebuilt).lines[0]
        assert len(line.get_xdata()) == 200
        assert line.get_marker() in {"", "None"}
