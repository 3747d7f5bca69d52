"""A fifth kind of event and two new columns of balls, in a copy of carom: the solver runs with them.

In the copy balls cross the middle plane of their box as an event: it moves the anchor onto the plane, counts in one new
column, which stands beside the records, and notes the speed in another, which stands in them. No line that knows how a
kind or a column is kept is touched: only the two tables, the prediction and the response.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import carom

CHANGES = (
    (
        "solvers/exact/balls.py",
        "    mass: Annotated[Floats,",
        """    crossings: Annotated[NDArray[np.int64], Column("i8", moves=True)]
    crossing_speed: Annotated[Floats, Column("f8", moves=True, start=-1.0, hot=("vc",))]
    mass: Annotated[Floats,""",
    ),
    (
        "solvers/exact/kinds.py",
        """)
NOTHING, BALL, WALL, EDGE = range(4)
""",
        """    Kind("middle", "", collision=False),
)
NOTHING, BALL, WALL, EDGE, MIDDLE = range(5)
""",
    ),
    (
        "solvers/exact/events/predict.py",
        """    first = interface.first_wall(hood, balls, i)
""",
        """    if (1.0 - ball.x) * ball.vx > 0.0:
        t = ball.t + (1.0 - ball.x) / ball.vx
        if t < ball.tc:
            ball.tc, ball.partner, ball.kind = t, np.uint32(NONE), packed(4, 0)
    first = interface.first_wall(hood, balls, i)
""",
    ),
    (
        "solvers/exact/events/resolve.py",
        """    ball = bodies.balls[np.uint32(i)]
    fly(bodies, rules, i, t)
    step_off(""",
        """    ball = bodies.balls[np.uint32(i)]
    fly(bodies, rules, i, t)
    if kind == 4:
        ball.x, ball.vc = 1.0, abs(ball.vx)
        bodies.crossings[np.uint32(i)] += 1
        return True
    step_off(""",
    ),
)

CHILD = """
import numpy as np
import carom
from carom import Ball, Box, Scene, Simulation
from carom.solvers.exact.history.history import History
from carom.solvers.exact.kinds import KINDS
from carom.solvers.exact.state import state_of

assert len(KINDS) == 5
rng = np.random.default_rng(7)
balls = [
    Ball(position=(x, 0.5), velocity=rng.normal(0, 1, 2), radius=0.06, mass=m)
    for x, m in zip(np.linspace(0.2, 1.8, 8), rng.uniform(1, 3, 8))
]
sim = Simulation(Scene(boundary=Box((2.0, 1.0)), balls=balls), solver="exact")
engine = sim._solver
history = History(sim.scene)
engine.remember(history)
energy = sim.energy
middle, count, seen = 1.0, np.zeros(8, int), {}
side = sim.positions[:, 0] > middle
for t in np.arange(1, 10_001) / 1000.0:
    sim.run(until=t)
    x = sim.positions[:, 0]
    count += (x > middle) != side
    side = x > middle
    if t % 2.5 == 0.0:
        seen[t] = engine.places(t).copy()
state = state_of(engine)
assert count.sum() > 20 and sim.collisions > 20
assert state["crossings"].tolist() == count.tolist()
crossed = count > 0
assert (state["crossing_speed"][crossed] > 0.0).all() and (state["crossing_speed"][~crossed] == -1.0).all()
assert abs(sim.energy / energy - 1.0) < 1e-14
for t, places in reversed(seen.items()):  # the history plays the new events again
    assert np.array_equal(history.at(t).places, places[:, :2])
twin = sim.copy().run(until=12.0)
assert np.array_equal(sim.run(until=12.0).positions, twin.positions)
after = state_of(engine)
assert all(np.array_equal(after[name], each) for name, each in state_of(twin._solver).items())
print(carom.__file__)
"""


def test_a_fifth_kind_of_event_and_new_columns_need_only_the_tables_and_their_laws(tmp_path: Path) -> None:
    copy = tmp_path / "carom"
    shutil.copytree(Path(carom.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in CHANGES:
        file = copy / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, name
        file.write_text(text.replace(old, new), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, env=environment, check=False, timeout=110
    )
    assert (done.stderr, done.stdout) == ("", f"{copy / '__init__.py'}\n")
