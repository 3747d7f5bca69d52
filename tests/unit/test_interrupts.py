"""Ctrl-C amid long runs: both solvers hear it soon, and the run stands where nothing is half done."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carom import Balls, Box, Cloth, Scene
from carom.scene.io.files import dump
from carom.sweeps.running import task
from carom.sweeps.study.study import Study

PATIENCE = 90.0
"""Seconds within which a run that would take hours must have ended; how fast it hears is not measured."""

CHILD = """
import os, signal, sys, tempfile, threading
import numpy as np
import carom
from carom import library

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
name, how = sys.argv[1:]

def made():
    if name == "lockstep":  # nobody will ever meet anybody, which is known after a million seams only
        x, y = np.meshgrid(np.arange(200) + 0.5, np.arange(100) * 2 + 1.0)
        balls = carom.Balls(position=np.stack([x.ravel(), y.ravel()], 1), velocity=[[1.0, 0.0]] * x.size, radius=0.1)
        return carom.Simulation(carom.Scene(boundary=carom.Box(size=(200, 200), periodic=(True, True)), balls=balls))
    if name == "crowd":  # a single step takes seconds
        rng = np.random.default_rng(1)
        balls = carom.Balls(position=rng.normal(0, 1, (30_000, 3)), mass=1e-4, radius=0)
        pull = carom.Attraction(G=1.0, softening=0.1, opening=0)
        return carom.Simulation(carom.Scene(balls=balls, attraction=pull), step=0.02, integrator="pefrl")
    if name != "dilute":
        return carom.Simulation(library.load(name))
    rng = np.random.default_rng(1)
    position, velocity = rng.uniform(0, 1, (100, 2)), rng.normal(0, 1, (100, 2))
    balls = carom.Balls(position=position, velocity=velocity, radius=1e-9)
    return carom.Simulation(carom.Scene(boundary=carom.Box(size=(1, 1), periodic=(True, True)), balls=balls))

LONG = 1e5 if name != "lockstep" else 9e3  # s; a million seams are crossed after 1e4 s
def go_on(sim):
    if how == "run":
        sim.run(until=LONG)
    elif how == "collisions":
        sim.run(collisions=10**12)
    elif how == "record a collision":
        with sim.record(os.path.join(tempfile.mkdtemp(), "run.h5")):
            sim.run(collisions=1)
    elif how == "collide":
        sim.collide(until=LONG)
    elif how == "measure":
        sim.measure(["kinetic_energy"], until=LONG, every=0.5 * LONG)
    elif how == "record":
        with sim.record(os.path.join(tempfile.mkdtemp(), "run.h5"), every=0.5 * LONG):
            sim.run(until=LONG)
    elif how == "hooks":
        sim.after_step(lambda: None)
        sim.run(until=LONG)
    elif how == "a hook that hangs":
        @sim.prepared
        def hang():
            while True:
                pass
        sim.run(until=LONG)

sim = made()
sim.run(until=0.02)  # all is compiled
before = sim.time, sim.positions
threading.Timer(2.0 if name == "lockstep" else 0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    go_on(sim)
except KeyboardInterrupt:
    pass
else:
    sys.exit("the run has ended by itself")
came, there = sim.time, sim.positions
if not (0.02 <= came < LONG and np.isfinite(there).all() and np.array_equal(there, sim.positions)):
    sys.exit(f"it cannot be read at {came} s")
if name == "crowd":
    if came != before[0] or not np.array_equal(there, before[1]):
        sys.exit(f"it has waited for the step to {came} s")
    print("heard")
    sys.exit()
further = came + 0.5
straight = made().run(until=further)
if how == "a hook that hangs":
    sim = sim.copy()  # without hooks
if not np.array_equal(sim.run(until=further).positions, straight.positions):
    sys.exit("it does not go on as if nothing had been")
print("heard")
"""


def interrupted(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CHILD, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.requirement("S-01")
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("rope", "run"),
        ("rope", "collide"),
        ("rope", "measure"),
        ("rope", "hooks"),
        ("rope", "a hook that hangs"),
        ("gas", "run"),
        ("gas", "collisions"),
        ("gas", "collide"),
        ("gas", "measure"),
        ("gas", "record"),
        ("dilute", "run"),  # years of events without a collision
        ("dilute", "measure"),
        ("lockstep", "collisions"),
        ("lockstep", "record a collision"),
        ("crowd", "run"),
    ],
)
def test_ctrl_c_stops_a_run_from_python_which_can_go_on_to_the_same_bits(name: str, how: str) -> None:
    done = interrupted(name, how)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


def dilute() -> Scene:
    """Points, nearly, in periodic space: a collision in some hours."""
    rng = np.random.default_rng(1)
    balls = Balls(position=rng.uniform(0.0, 1.0, (100, 2)), velocity=rng.normal(0.0, 1.0, (100, 2)), radius=1e-9)
    return Scene(boundary=Box(size=(1.0, 1.0), periodic=(True, True)), balls=balls)


def heavy() -> Scene:
    """A cloth of steps of 5e-12 s."""
    cloth = Cloth(corner=(0, 0, 0), sides=((1, 0, 0), (0, 1, 0)), counts=(11, 11), stiffness=1e6, damping=1e6)
    return Scene(gravity=(0.0, 0.0, -9.81), structures=[cloth])


@pytest.mark.parametrize("source", ["rope", "dilute.json", "heavy.json"])
def test_ctrl_c_stops_the_command(source: str, tmp_path: Path) -> None:
    dump(dilute(), tmp_path / "dilute.json")
    dump(heavy(), tmp_path / "heavy.json")
    command = [sys.executable, "-c", PRESSED, "run", source, "--until", "1e5", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=tmp_path)
    assert done.returncode == 130, done.stderr
    assert '"stopped": "by Ctrl-C"' in done.stdout
    told = [line for line in done.stderr.splitlines() if "compil" not in line]
    if source != "heavy.json":
        assert told == []
    else:
        assert len(told) == 1, "beforehand, how many steps it would have been"
        assert "heavy.json: run: 100000 s for 121 balls are 2e+16 steps" in told[0]


PRESSED = """
import os, signal, sys, threading
from carom.simulation.run import ActiveRun
from carom.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
advance = ActiveRun.advance
def begun(self, *what):  # once the run has begun
    ActiveRun.advance = advance
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    return advance(self, *what)
ActiveRun.advance = begun
sys.exit(main())
"""


def test_a_worker_looks_at_its_time_limit_where_nothing_collides(tmp_path: Path) -> None:
    dump(dilute(), tmp_path / "dilute.json")
    study = Study(scene=str(tmp_path / "dilute.json"), repeats=1, run={"until": 1e6, "time_limit": 0.5})
    row = task.perform(task.Job.of(study), study.run_at(0))
    assert (row["status"], row["reason"]) == ("timed out", "took longer than the 0.5 s of run.time_limit")
