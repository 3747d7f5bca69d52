"""Meters: energies, temperature, pressure, Maxwell's curve; the pace of each scene."""

import numpy as np
import pytest

from carom.lab.bench.session import Session
from carom.lab.seen.meters import maxwell, wall_area
from carom.lab.seen.samples import MAX_SAMPLES, Sample, Samples
from carom.scene import Ball, Circle, Scene, library
from carom.views import region


@pytest.mark.parametrize("dimension", [2, 3])
def test_maxwells_curve_is_a_density_with_the_right_energy(dimension: int) -> None:
    speed = np.linspace(0.0, 40.0, 400_001)
    masses, kt = np.array([1.0, 1.0, 4.0]), 2.0
    f = maxwell(speed, kt, masses, dimension)
    dv = speed[1]
    assert f.sum() * dv == pytest.approx(1.0, abs=1e-9)
    mean_square = (f * speed**2).sum() * dv
    assert mean_square == pytest.approx(dimension * kt * (1.0 / masses).mean(), rel=1e-9)


def test_a_gas_has_temperature_and_the_pressure_of_its_law() -> None:
    session = Session(library.load("gas", count=400, seed=1), "gas")
    session.track.toward(3.0)
    view = session.view()
    assert view.meters.kt == pytest.approx(2.0 * view.meters.kinetic / (2 * 400))
    assert view.meters.temperature is None, "no molecules: k_B T, in J, says it"
    assert view.meters.speeds
    width = view.meters.speeds_end / len(view.meters.speeds)
    assert sum(view.meters.speeds) * width == pytest.approx(1.0, abs=0.02)
    assert sum(view.meters.maxwell) * width == pytest.approx(1.0, abs=0.03)


def test_pressure_of_a_dilute_gas_is_that_of_an_ideal_one() -> None:
    rng = np.random.default_rng(5)
    n, side = 300, 1.0
    balls = {
        "position": rng.uniform(0.02, 0.98, (n, 2)),
        "velocity": rng.normal(size=(n, 2)),
        "mass": 1.0,
        "radius": 0.0,
    }
    session = Session(Scene(boundary={"kind": "box", "size": [side, side]}, balls=balls))  # type: ignore[arg-type]
    session.track.toward(3.0)
    meters = session.view().meters
    # Points do not meet, so that p A = N kT holds but for the ends of the time over which it is taken.
    assert meters.pressure == pytest.approx(n * meters.kt / side**2, rel=0.05)


def test_area_of_walls() -> None:
    assert wall_area(library.load("stadium")) == pytest.approx(2.0 + np.pi)
    assert wall_area(Scene(boundary=Circle(centre=(0, 0, 0), radius=2.0))) == pytest.approx(16 * np.pi)
    assert wall_area(library.load("two-bodies")) is None


def test_energy_of_an_exact_run_holds_and_of_a_stepped_one_is_accounted_for() -> None:
    exact = Session(library.load("break"))
    exact.track.toward(5.0)
    meters = exact.view().meters
    assert abs(meters.drift) < 1e-12 * meters.total
    stepped = Session(library.load("rope"))
    stepped.track.toward(0.5)
    meters = stepped.view().meters
    assert meters.lost["damping"] > 0.0
    assert abs(meters.drift) < 0.01 * meters.total
    assert meters.total == pytest.approx(meters.kinetic + meters.potential)


def sample(time: float) -> Sample:
    return Sample(time, 1.0, 2.0, 3.0, (0.0, 0.0))


def test_samples_are_bounded_and_told_once() -> None:
    samples = Samples()
    message, mark = samples.message(0)
    assert message == {
        "reset": True,
        "time": [],
        "kinetic": [],
        "potential": [],
        "total": [],
        "momentum": [],
        "motion": [],
        "companions": {},
    }
    for k in range(3):
        samples = samples.extended(sample(float(k)))
    message, mark = samples.message(mark)
    assert message is not None
    assert (message["reset"], message["time"]) == (False, [0.0, 1.0, 2.0])
    assert samples.message(mark) == (None, mark)
    assert samples.extended(sample(2.0)) is samples, "the same instant again is no news"
    cut = samples.until(1.0)
    message, mark = cut.message(mark)
    assert message is not None
    assert (message["reset"], message["time"]) == (True, [0.0, 1.0])
    for k in range(3, 4 * MAX_SAMPLES):
        samples = samples.extended(sample(float(k)))
    assert len(samples.rows) <= MAX_SAMPLES
    gaps = np.diff([row.time for row in samples.rows])
    assert gaps.max() <= 4 * gaps.min()


@pytest.mark.parametrize("entry", [name for name in library.names() if name != "empty"])
def test_something_is_seen_to_happen_within_ten_seconds(entry: str) -> None:
    scene = library.load(entry)
    session = Session(scene, entry)
    size = region.size(scene)
    start = session.view().positions
    session.do("run")
    for _ in range(300):
        session.advance(1 / 30)
        moved = np.linalg.norm(session.view().positions - start, axis=1)
        if moved.max() > 0.03 * size:
            break
    assert session.message is None
    assert moved.max() > 0.03 * size


@pytest.mark.parametrize(
    ("entry", "pace"),
    [("break", 1.0), ("rope", 1.0), ("two-bodies", 1.0), ("inner-planets", 10 * 86400.0), ("satellite", 300.0)],
)
def test_paces_are_round(entry: str, pace: float) -> None:
    assert region.pace(library.load(entry)) == pace


def test_a_gas_of_molecules_is_slowed_down_to_be_seen() -> None:
    tiny = Scene(
        boundary={"kind": "box", "size": [1e-8, 1e-8]},  # type: ignore[arg-type]
        balls=[Ball(position=(5e-9, 5e-9), velocity=(500.0, 0.0), mass=4.65e-26, radius=1.5e-10)],
    )
    assert region.pace(tiny) == 5e-12
    session = Session(tiny)
    session.do("run")
    for _ in range(30):
        session.advance(1 / 30)
    assert session.view().time == pytest.approx(5e-12)
