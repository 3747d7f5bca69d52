"""The ready studies: they load, fit, and say what the documents say of them."""

from math import atan, ceil, log, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from carom.errors import StudyError
from carom.observe.measures import theory
from carom.simulation.simulation import Simulation
from carom.sweeps import ready
from carom.sweeps.study import drawable
from carom.sweeps.study.laws import LAWS, clock_speed
from carom.sweeps.study.plan import plan_of, scene_of
from carom.sweeps.study.study import Study

DOCS = Path(__file__).parents[3] / "docs"
RUNS = {"equation-of-state": 104, "finite-size": 72, "energy-drift": 42, "pi": 49, "break": 4500, "lyapunov": 36}

each_study = pytest.mark.parametrize("name", ready.names())


@each_study
def test_a_ready_study_loads_and_every_value_fits(name: str) -> None:
    study = Study.load(name)
    study.check()
    drawable.check(study)
    assert len(study) == RUNS[name]
    assert study.plot is not None
    assert study.plot.law in LAWS


@each_study
def test_a_ready_study_can_be_moved(name: str) -> None:
    study = Study.load(name)
    again = Study.loads(study.dumps())
    last = len(study) - 1
    assert again.run_at(last) == study.run_at(last)
    assert not again.changes(study)


@each_study
def test_a_ready_study_is_in_the_documents_with_its_plot(name: str) -> None:
    told = (DOCS / "sweeps.md").read_text(encoding="utf-8")
    assert f"images/study-{name}.svg" in told
    assert 10_000 < (DOCS / f"images/study-{name}.svg").stat().st_size < 100_000


def test_the_catalogue_has_a_sentence_for_each() -> None:
    assert tuple(entry.name for entry in ready.catalogue()) == ready.names()
    assert all(entry.title and entry.sentence.endswith((".", "?")) for entry in ready.catalogue())


def test_an_unknown_name_has_a_suggestion() -> None:
    with pytest.raises(StudyError, match="'pi'"):
        ready.text("pie")


@pytest.mark.parametrize("index", [0, 6, 12, 24, 36])
def test_collisions_are_as_many_as_galperin_says(index: int) -> None:
    """n = ⌈π/θ⌉ - 1 with θ = arctan √(m/M): G. Galperin, Regular and Chaotic Dynamics 8 (2003) 375."""
    study = Study.load("pi")
    spec = study.run_at(index)
    simulation = Simulation(scene_of(study, spec)).run(until=plan_of(study, spec).until)
    mass = spec.parameters["balls[1].mass"]
    assert isinstance(mass, float)
    assert simulation.collisions == ceil(pi / atan(1.0 / sqrt(mass)) - 1e-9) - 1


def test_collisions_are_pi_times_the_root_to_within_one_and_not_rounded() -> None:
    """As its description says: for M = m there are 3, for 10^0.5 times that (the fourth) 5 where π √(M/m) is 5.59."""
    exact = [pi * sqrt(10.0 ** (k / 6.0)) for k in range(49)]
    counts = [ceil(pi / atan(pi / each) - 1e-9) - 1 for each in exact]
    assert all(abs(count - each) < 1.0 for count, each in zip(counts, exact, strict=True))
    assert any(count != round(each) for count, each in zip(counts, exact, strict=True))
    assert "to within 1" in Study.load("pi").description


def test_masses_reach_both_ends_exactly() -> None:
    study = Study.load("pi")
    assert [study.run_at(k).parameters["balls[1].mass"] for k in (0, 12, 48)] == [1.0, 100.0, 1e8]


@pytest.mark.parametrize("name", ["finite-size", "lyapunov"])
def test_runs_last_about_as_many_collisions_as_their_remarks_say(name: str) -> None:
    """By Enskog's rate for m = 0.01 kg, a diameter of 0.01 m and a speed of 1 m/s."""
    study = Study.load(name)
    for k in range(0, len(study), study.repeats):
        spec = study.run_at(k)
        eta, count = spec.parameters.get("generator.packing_fraction", 0.3), spec.parameters.get("generator.count", 100)
        assert isinstance(eta, float)
        assert isinstance(count, int)
        chi = theory.contact_value(theory.compressibility(eta, 2), eta, 2)
        rate = theory.enskog_rate(eta / (pi * 0.005**2), 0.01, 0.005, 0.01, chi, 2)
        plan = plan_of(study, spec)
        assert plan.every is not None
        if name == "finite-size":
            assert plan.until is not None
            assert plan.until * rate * count / 2 == pytest.approx(5e5, rel=0.1)
        else:
            assert plan.every * rate == pytest.approx(20.0, rel=0.05)
            assert plan.settle * rate == pytest.approx(400.0, rel=0.05)


def test_the_break_hits_the_rack_up_to_the_angle_of_its_corner() -> None:
    """The corner of the rack is seen at 4.45°, and 2 r at its distance under 2.22°."""
    study = Study.load("break")
    hits = {}
    for k in range(0, 15 * study.repeats, study.repeats):
        spec = study.run_at(k)
        simulation = Simulation(scene_of(study, spec)).run(until=0.8)
        hits[spec.parameters["generator.angle"]] = simulation.collisions_by_kind["ball-ball"] > 0
    assert [angle for angle, hit in hits.items() if not hit] == [7.0]


def test_the_rack_of_the_break_is_not_quite_tight() -> None:
    study = Study.load("break")
    racked = scene_of(study, study.run_at(0)).balls.position[1:]
    apart = np.sqrt(((racked[:, None] - racked[None]) ** 2).sum(axis=2))[np.triu_indices(15, 1)]
    assert apart.min() - 2 * 0.028575 == pytest.approx(1e-5, rel=1e-6)


def test_the_clock_model_has_the_published_speed() -> None:
    """4.311: R. van Zon, H. van Beijeren and Ch. Dellago, Phys. Rev. Lett. 80 (1998) 2035; here by iteration."""
    below = [0.0] * 200 + [1.0] * 201  # C_k: the clocks show 200 at the start
    step, time, middle = 0.01, 0.0, []
    while time < 30.0:
        below = [below[0] * (1 - step)] + [
            below[k] + step * (below[k - 1] ** 2 - below[k]) for k in range(1, len(below))
        ]
        time += step
        middle.append(next(k for k, share in enumerate(below) if share > 0.5))
    found = (middle[-1] - middle[len(middle) // 3]) / (time * 2 / 3)
    # A pulled front falls short by 3/(2 γ t): U. Ebert and W. van Saarloos, Physica D 146 (2000) 1.
    late = 1.5 / 0.768 * log(3.0) / (time * 2 / 3)
    assert found == pytest.approx(clock_speed() - late, rel=0.02)
    assert clock_speed() == pytest.approx(4.311, abs=5e-4)
