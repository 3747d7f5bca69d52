"""One run of a study, and what becomes of it when it goes wrong."""

import ctypes
import json
import pickle
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom
from carom.errors import SceneError, StudyError
from carom.observe.observable import Observable
from carom.storage.recording import Recording
from carom.sweeps.running import task
from carom.sweeps.study.plan import scene_of
from carom.sweeps.study.study import Study

OPEN = {"balls": [{"position": [x, 0.0], "velocity": [1.0 - x, 0.0], "radius": 0.1, "mass": 1.0} for x in (0.0, 1.0)]}
BASE = ["time", "collisions", "kinetic_energy", "energy", "stopped"]


def study(observables: Any = (), run: Any = None, **more: Any) -> Study:
    given: dict[str, Any] = {"scene": "gas", "parameters": {"generator.count": [4, 6]}, "repeats": 2}
    plan = {"until": 0.3, "every": 0.05} if run is None else run
    return Study(**{**given, "run": plan, "observables": list(observables), **more})


def performed(one: Study, k: int = 0, **more: Any) -> task.Row:
    return task.perform(task.Job.of(one, **more), one.run_at(k))


class Clockwork(Observable):
    """-1, 1, 3, 5 and so on, from the start."""

    name, symbol, unit = "clockwork", "c", ""

    def sample(self, sim: Any) -> float:
        return float(round(sim.time / 0.05) * 2 - 1)


class Wide(Observable):
    name, symbol, unit = "wide", "w", ""

    def sample(self, sim: Any) -> Any:
        return np.zeros((5, 13))


class Broken(Observable):
    name, symbol, unit = "broken", "b", ""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def sample(self, sim: Any) -> float:
        if sim.time > 0.0:
            raise self.error
        return 0.0


class Slow(Observable):
    name, symbol, unit = "slow", "s", ""

    def sample(self, sim: Any) -> float:
        time.sleep(0.02 if sim.time > 0.0 else 0.0)
        return 0.0


class Wary(Observable):
    name, symbol, unit = "wary", "w", ""

    def sample(self, sim: Any) -> float:
        if sim.time > 0.0:
            warnings.warn("this is\n not so good", UserWarning, stacklevel=1)
        return 0.0


# Columns.


def test_columns_are_known_before_anything_runs() -> None:
    one = study(["compressibility", "momentum", "rates_by_kind", {"name": "momentum", "take": "max"}, "energy"])
    assert task.columns(one) == [
        *BASE, "compressibility", "compressibility_error", "momentum_x", "momentum_x_error", "momentum_y",
        "momentum_y_error", "rates_by_kind_between_balls", "rates_by_kind_between_balls_error",
        "rates_by_kind_with_walls", "rates_by_kind_with_walls_error", "rates_by_kind_with_cloth",
        "rates_by_kind_with_cloth_error", "momentum_x_max", "momentum_y_max", "energy_mean",
        "energy_mean_error", "remarks",
    ]  # fmt: skip
    assert task.columns(study()) == [*BASE, "remarks"]
    held = task.kinds(task.columns(one))
    assert (held["collisions"], held["stopped"], held["remarks"], held["energy"]) == (int, str, str, float)


def test_columns_cover_the_first_run_and_the_last() -> None:
    one = study(["momentum"], parameters={"generator.dimension": [2, 3]})
    assert "momentum_z" in task.columns(one)
    assert performed(one)["values"]["momentum_z"] is None


@pytest.mark.parametrize(
    ("observables", "more", "words"),
    [
        (["mean_squared_displacement"], {}, r"observables: .* is a function of time, .* take = \"last\""),
        ([Wide()], {}, r"observables: wide has 65 entries, .* room for 64. Leave it out"),
        (["evenness"], {"scene": OPEN, "parameters": {}, "repeats": 1}, "observables.evenness: .* box"),
    ],
)
def test_what_does_not_fit_into_a_row_is_refused(observables: Any, more: Any, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        task.columns(study(observables, **more))


class Named(Observable):
    symbol, unit = "n", ""

    def __init__(self, name: str, *labels: str) -> None:
        self.name, self.labels = name, labels

    def sample(self, sim: Any) -> Any:
        return np.zeros(len(self.labels)) if self.labels else 0.0


@pytest.mark.parametrize(
    ("observables", "words"),
    [
        ([Named("z"), Named("z_error")], "'z_error' would fill the column 'z_error' too, that of 'z'"),
        ([{"name": "energy", "take": "last"}, Named("energy_last")], "'energy_last' too, that of 'energy .last.'"),
        ([Named("z_last_error"), {"observable": Named("z"), "take": "last"}], "'z .last.' .* 'z_last_error' too"),
        ([Named("remarks")], "'remarks' too, carom's own"),
        ([Named("energy_error")], "'energy_error' too, carom's own"),
        ([Named("done")], "'done' too, carom's own. Give the observable another name"),
        ([Named("how")], "'how' too"),
        ([Named("seed")], "'seed' too"),
        ([Named("generator.count")], "'generator.count' too, that of a parameter"),
        ([Named("z", "a b", "a-b")], "'z' would fill the column 'z_a_b' twice"),
    ],
)
def test_no_column_is_filled_twice(observables: Any, words: str) -> None:
    with pytest.raises(StudyError, match=f"^observables: .*{words}"):
        task.columns(study(observables))


def test_a_run_with_other_entries_than_the_columns_have_fails() -> None:
    one = study(["momentum"])
    job = replace(task.Job.of(one), columns=tuple(BASE))
    row = task.perform(job, one.run_at(0))
    assert row["status"] == "failed"
    assert row["reason"].startswith("observables: momentum_x, momentum_x_error, momentum_y, momentum_y_error is not")


# Values.


def test_a_row_is_what_a_simulation_measures() -> None:
    one = study(["compressibility", "momentum", {"name": "evenness", "take": "last"}], run={
        "until": 0.5, "every": 0.05, "settle": 0.1})  # fmt: skip
    row = performed(one, 3)
    sim = carom.Simulation(scene_of(one, one.run_at(3)))
    found = sim.measure(["compressibility", "momentum", "evenness"], until=0.5, every=0.05, settle=0.1)
    values = row["values"]
    assert (row["id"], row["status"], row["reason"]) == (one.run_at(3).id, "done", "")
    assert list(values) == task.columns(one)
    assert (values["time"], values["collisions"], values["stopped"]) == (0.5, sim.collisions, "until")
    assert (values["kinetic_energy"], values["energy"]) == (sim.kinetic_energy, sim.energy)
    z = found.estimate("compressibility")
    assert (values["compressibility"], values["compressibility_error"]) == (z.mean, z.error)
    assert values["momentum_y"] == found.estimate("momentum", 1).mean
    assert values["evenness_last"] == found.last["evenness"]
    assert values["remarks"] is None
    assert json.loads(json.dumps(row, allow_nan=False)) == row


@pytest.mark.parametrize(
    ("take", "value"), [("first", -1.0), ("min", -1.0), ("max", 11.0), ("drift", 12.0), ("last", 11.0), ("mean", 5.0)]
)
def test_what_is_taken_of_samples(take: str, value: float) -> None:
    one = study([{"observable": Clockwork(), "take": take}])
    assert performed(one)["values"]["clockwork" if take == "mean" else f"clockwork_{take}"] == value


def test_drift_from_nothing_is_not_relative_and_intervals_begin_with_the_second() -> None:
    one = study([{"name": "momentum", "take": "drift"}, {"name": "collision_rate", "take": "first"}])
    values = performed(one)["values"]
    sim = carom.Simulation(scene_of(one, one.run_at(0)))
    found = sim.measure(["momentum", "collision_rate"], until=0.3, every=0.05)
    x = found.samples["momentum"][:, 0]
    scale = abs(x[0]) or 1.0
    assert values["momentum_x_drift"] == np.abs(x - x[0]).max() / scale
    assert values["collision_rate_first"] == found.samples["collision_rate"][1]


def test_why_a_run_ends() -> None:
    assert performed(study(run={"collisions": 5}))["values"]["stopped"] == "collisions"
    assert performed(study(run={"until": 0.1, "collisions": 10**6}))["values"]["stopped"] == "until"
    pair = study(scene=OPEN, parameters={}, repeats=1, run={"collisions": 5})
    values = performed(pair)["values"]
    assert (values["stopped"], values["collisions"]) == ("over", 1)


def test_the_same_run_has_the_same_row_whoever_does_it_and_whatever_is_kept(tmp_path: Path) -> None:
    names = ["compressibility", "lyapunov", {"name": "collision_rate", "take": "last"}]
    plan = {"collisions": 300, "every": 0.05}
    one = study(names, run=plan)
    job = pickle.loads(pickle.dumps(task.Job.of(one)))
    assert len(pickle.dumps(job)) < 10_000
    task.perform(job, one.run_at(1))
    row = task.perform(job, one.run_at(0))
    kept = study(names, run={**plan, "record": True, "events": True, "time_limit": 100.0})
    assert kept.run_at(0).id == one.run_at(0).id
    other = performed(kept, folder=str(tmp_path))
    assert other["status"] == "done"
    assert other["values"] == row["values"]
    assert [each.name for each in tmp_path.iterdir()] == [f"{row['id']}.h5"]
    with Recording(tmp_path / f"{row['id']}.h5") as recording:
        assert recording.complete
        assert recording.collisions is not None
        assert len(recording.collisions) == 300
    again = performed(kept, folder=str(tmp_path))  # done a second time, its file is replaced
    assert again["values"] == row["values"]


# What goes wrong.


def test_a_run_that_raises_is_a_row() -> None:
    one = study([Broken(ZeroDivisionError("float\n division"))])
    row = performed(one)
    assert (row["status"], row["reason"]) == ("failed", "ZeroDivisionError: float division")
    assert row["values"] == dict.fromkeys(task.columns(one))
    assert performed(study([Broken(ValueError())]))["reason"] == "ValueError"
    told = performed(study([Broken(SceneError([carom.errors.Problem("here", "is wrong", "Mend it.")]))]))
    assert told["reason"] == "here: is wrong. Mend it."
    assert len(performed(study([Broken(ValueError("x" * 10_000))]))["reason"]) == task.MAX_TEXT_LENGTH


def test_a_scene_that_cannot_be_is_a_row() -> None:
    one = study()
    spec = replace(one.run_at(0), parameters={"generator.count": -4})
    row = task.perform(task.Job.of(one), spec)
    assert row["status"] == "failed"
    assert "count" in row["reason"]
    assert "\n" not in row["reason"]


def test_a_failed_run_keeps_what_it_recorded(tmp_path: Path) -> None:
    one = study([Broken(ValueError("no"))], run={"until": 0.3, "every": 0.05, "record": True})
    row = performed(one, folder=str(tmp_path))
    assert row["status"] == "failed"
    with Recording(tmp_path / f"{row['id']}.h5") as recording:
        assert not recording.complete


def test_a_duplicate_that_fails_leaves_the_file_of_the_run_that_did_not(tmp_path: Path) -> None:
    run = {"until": 0.3, "every": 0.05, "record": True}
    good, bad = study([Broken(ValueError("no"))], run=run), study([Broken(ValueError("no"))], run=run)
    good = good.replace(observables=[{"observable": Named("broken")}])
    assert performed(bad, folder=str(tmp_path))["status"] == "failed"
    row = performed(good, folder=str(tmp_path))
    assert performed(bad, folder=str(tmp_path))["id"] == row["id"]
    with Recording(tmp_path / f"{row['id']}.h5") as recording:
        assert recording.complete
    assert [each.name for each in tmp_path.iterdir()] == [f"{row['id']}.h5"]


def test_samples_without_end_fail_before_they_begin() -> None:
    drawn = study(["energy"], parameters={"run.every": {"uniform": [0.1, 0.2]}})
    spec = replace(drawn.run_at(0), parameters={"run.every": 1e-9})
    row = task.perform(task.Job.of(drawn), spec)
    assert (row["status"], row["reason"].partition(":")[0]) == ("failed", "run.every")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_who_ends_the_program_ends_it(kind: type[BaseException]) -> None:
    with pytest.raises(kind):
        performed(study([Broken(kind())]))


def test_a_run_that_takes_too_long_is_timed_out() -> None:
    plan = {"until": 1e5, "every": 0.05, "time_limit": 0.1, "solver": "stepped", "step": 1e-3}
    began = time.perf_counter()
    row = performed(study([{"observable": Slow(), "take": "last"}], run=plan))
    assert (row["status"], row["reason"]) == ("timed out", "took longer than the 0.1 s of run.time_limit")
    assert row["values"]["time"] is None
    assert time.perf_counter() - began < 60.0


def test_compiling_is_not_counted_and_a_run_at_its_end_is_not_thrown_away() -> None:
    clock = task.Clock(1.0)
    clock.began -= 10.0
    clock.compiling(9.5)
    clock(0.5)
    clock.compiling(-5.0)
    clock(1.0)
    with pytest.raises(task.TimedOutError):
        clock(0.5)


HANGS = """
import ctypes, sys, time
from carom.observe.observable import Observable
from carom.sweeps.running import task
from carom.sweeps.study.study import Study

class Hangs(Observable):
    name, symbol, unit = "hangs", "h", ""
    def sample(self, sim):
        ctypes.PyDLL(None).sleep(60 if sim.time > 0 else 0)  # with the interpreter's lock in its hands
        return 0.0

task.GRACE = 0.5
study = Study(scene="gas", parameters={"generator.count": [4]}, repeats=1, observables=[Hangs()],
              run={"until": 0.1, "every": 0.05, "time_limit": 1.0})
print("begins", flush=True)
print(task.perform(task.Job.of(study, hard=True), study.run_at(0)))
"""


@pytest.mark.skipif(not hasattr(ctypes, "PyDLL") or sys.platform == "win32", reason="it asks the C library to sleep")
def test_a_run_that_hangs_is_ended_with_its_process() -> None:
    began = time.perf_counter()
    ended = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 1
    assert ended.stdout == "begins\n"
    assert ended.stderr == ""
    assert time.perf_counter() - began < 55.0


ENDS = """
import time
from carom.sweeps.running import task
from carom.sweeps.study.study import Study

task.GRACE = 0.5
study = Study(scene="gas", parameters={"generator.count": [4]}, run={"until": 0.1, "time_limit": 1.0})
for hard in (False, True):  # the first one loads what is needed
    print(task.perform(task.Job.of(study, hard=hard), study.run_at(0))["status"], flush=True)
time.sleep(task.hard_limit(1.0) + 0.5)
print("alive")
"""


def test_nothing_is_armed_after_a_run() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, timeout=100, check=False)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("done\ndone\nalive\n", "", 0)
    assert task.hard_limit(50.0) == 75.0 + task.GRACE


def test_warnings_are_remarks_and_said_once(capfd: pytest.CaptureFixture[str]) -> None:
    row = performed(study([Wary()]))
    assert (row["status"], row["values"]["remarks"]) == ("done", "this is not so good")
    assert capfd.readouterr().err == ""
    big = study(run={"until": 0.2, "solver": "stepped", "step": 0.1}, scene={
        "balls": [{"position": [x, 0.0], "mass": 1.0, "radius": 0.1} for x in (0.0, 1.0)],
        "links": [{"between": [0, 1], "stiffness": 1e4, "length": 1.0}]}, parameters={}, repeats=1)  # fmt: skip
    assert "step" in performed(big)["values"]["remarks"]


# Probes.


def test_a_probe_tells_how_long_a_run_takes() -> None:
    short = study([Slow()])  # 6 samples of 0.02 s after the first
    found = task.probe(task.Job.of(short), short.run_at(0))
    assert 0.12 <= found.seconds_per_run < 1.0
    assert found.compile_seconds >= 0.0


def test_a_probe_of_a_long_run_is_short(tmp_path: Path) -> None:
    long = study([Slow()], run={"until": 1e4, "every": 0.5, "solver": "stepped", "step": 1e-3, "record": True})
    began = time.perf_counter()
    found = task.probe(task.Job.of(long, folder=str(tmp_path)), long.run_at(0), 0.5)
    assert time.perf_counter() - began < 60.0
    assert found.seconds_per_run > 400.0  # 20,000 samples of 0.02 s
    assert not list(tmp_path.iterdir())


def test_a_probe_raises_what_its_run_raises() -> None:
    one = study([Broken(ValueError("no"))])
    with pytest.raises(ValueError, match="no"):
        task.probe(task.Job.of(one), one.run_at(0))
