"""What must work with every admitted version: each check uses one part of carom as a user does, and raises if it fails.

    python tools/version_checks.py --list
    python tools/version_checks.py recording

`tools/matrix.py` runs each in a separate process, in an empty folder, with the Python of an environment.
"""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 120.0
"""Time limit for a server or a kernel to start on a busy machine, s."""

CHECKS: dict[str, Callable[[], None]] = {}


def check(function: Callable[[], None]) -> Callable[[], None]:
    """Register a check under its name without `check_`."""
    CHECKS[function.__name__.removeprefix("check_").replace("_", " ")] = function
    return function


def demand(condition: bool, what: str) -> None:
    """Raise if a condition does not hold."""
    if not condition:
        raise AssertionError(what)


@check
def check_import() -> None:
    """Every public name."""
    carom = import_module("carom")
    for name in carom.__all__:
        demand(getattr(carom, name) is not None, name)


@check
def check_exact() -> None:
    """The exact solver in two and three dimensions, which conserves energy."""
    from carom import Simulation, library  # noqa: PLC0415  # each check loads what it needs

    for dimension in (2, 3):
        run = Simulation(library.load("gas", count=200, dimension=dimension, seed=1))
        before = run.energy
        run.run(collisions=2000)
        demand(run.collisions == 2000 and abs(run.energy / before - 1) < 1e-12, f"{dimension}D: energy {run.energy}")
    falling = Simulation(library.load("gas-under-gravity", count=50)).run(until=0.5)
    demand(falling.time == 0.5, "gravity")


@check
def check_stepped() -> None:
    """The stepped solver in two and three dimensions: gravity between bodies, links, a pile, a custom force."""
    from carom import Ball, Scene, Simulation, force, library  # noqa: PLC0415  # as above

    for name, until in (("planetary-system", 86400.0 * 30), ("rope", 0.2), ("cloth-on-a-ball", 0.05), ("pour", 0.3)):
        run = Simulation(library.load(name), solver="stepped").run(until=until)
        demand(run.time == until, f"{name}: t = {run.time}")

    @force
    def push(t: Any, x: Any, v: Any, m: Any, f: Any) -> None:  # noqa: ARG001  # the signature of a force
        f[:, 0] += 2.0

    ball = Ball(position=(0.0, 0.0), radius=0.1)
    pushed = Simulation(Scene(balls=[ball]), forces=[push], step=0.001).run(until=1.0)
    demand(abs(pushed.velocities[0, 0] - 2.0) < 1e-9, f"pushed to {pushed.velocities}")


@check
def check_golden_bits() -> None:
    """The golden scenes of both solvers, bit for bit, with each way to compile kernels."""
    sys.path.insert(0, str(ROOT / "tests"))
    states, stepped = import_module("golden.states"), import_module("golden.stepped")
    golden = json.loads(states.FILE.read_text(encoding="utf-8"))
    for name in states.SCENES:
        demand(states.digest_of(name) == golden[name], f"{name}: other bits")
    golden = json.loads(stepped.FILE.read_text(encoding="utf-8"))
    for name, (_, _, end) in stepped.SCENES.items():
        demand(states.digest(stepped.start(name).run(until=end)) == golden[name], f"{name}: other bits")
    _demand_other_ways()


def _demand_other_ways() -> None:
    """Kernels by documented names of Numba alone, and as plain Python: the golden bits too."""
    golden = json.loads((ROOT / "tests/golden/interpreted.json").read_text(encoding="utf-8"))
    names = ["disks", "bouncing", "springs"]
    for way in ("CAROM_PLAIN_JIT", "NUMBA_DISABLE_JIT"):
        environment = {**os.environ, way: "1", "PYTHONPATH": str(ROOT / "tests")}
        command = [sys.executable, "-m", "golden.interpreted", *names]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        demand(done.returncode == 0, f"{way}: {done.stderr}")
        demand(json.loads(done.stdout) == {name: golden[name] for name in names}, f"{way}: other bits")


@check
def check_recording() -> None:
    """A run that is recorded, resumed, read at any instant and exported."""
    from carom import Recording, Simulation, library  # noqa: PLC0415  # as above
    from carom.storage.exports import export  # noqa: PLC0415  # as above

    run = Simulation(library.load("gas", count=64, dimension=3, seed=2))
    with run.record("gas.h5", every=0.05, observables=["temperature"], checkpoint=60):
        run.run(until=0.2)
    Simulation.resume("gas.h5").run(until=0.3)
    straight = Simulation(run.scene).run(until=0.1234)
    with Recording("gas.h5") as recording:
        demand(bool((recording.at(0.1234).positions == straight.positions).all()), "another instant than the run's")
        demand(len(recording.observables["temperature"].values) >= 5, "no temperature")
        for name in ("gas.gsd", "gas.xyz"):
            export(recording, name)
            demand(Path(name).stat().st_size > 1000, name)


@check
def check_plots_and_film() -> None:
    """A plot of a recording, and a film of it."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # as above

    from carom import Recording, Simulation, library, plots  # noqa: PLC0415  # as above
    from carom.video import Look, Timing, film  # noqa: PLC0415  # as above

    run = Simulation(library.load("break"))
    with run.record("break.h5", every=0.05):
        run.run(until=0.5)
    figure = Figure()
    with Recording("break.h5") as recording:
        plots.energy(recording, figure.gca())
        figure.savefig("energy.png")
        film(recording, "break.mp4", Look(size=(320, 180)), Timing(fps=10))
    demand(Path("energy.png").read_bytes().startswith(b"\x89PNG"), "no picture")
    demand(Path("break.mp4").read_bytes()[4:8] == b"ftyp", "no film")


@check
def check_command_line() -> None:
    """The first commands of the README, and one line for a mistake."""
    for command in (["scenes"], ["run", "break", "--until", "1"], ["sweep", "pi", "--dry-run"], ["run", "--help"]):
        done = _carom(*command)
        demand(done.returncode == 0 and bool(done.stdout), f"carom {' '.join(command)}: {done.stderr}")
    wrong = _carom("run", "brake", "--until", "1")
    demand(wrong.returncode != 0 and "break" in wrong.stderr and "Traceback" not in wrong.stderr, wrong.stderr)


def _carom(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "carom", *arguments], capture_output=True, text=True, check=False)


@check
def check_sweep() -> None:
    """A study on two workers, whose table pandas and Arrow take."""
    from carom import Study, Table, sweep  # noqa: PLC0415  # as above

    study = Study(
        scene={"generator": {"kind": "gas", "count": 16}},
        parameters={"generator.packing_fraction": [0.1, 0.2]},
        repeats=2,
        run={"until": 0.5, "every": 0.1},
        observables=["compressibility"],
    )
    table = sweep(study, workers=2, out="study")
    demand(list(table["status"]) == ["done"] * 4, str(table["status"]))
    kept = Table.read("study")
    demand(len(kept.to_pandas()) == 4 and kept.to_arrow().num_rows == 4, "another table was read than was written")


@check
def check_notebook() -> None:
    """A widget in a kernel of IPython, with the data that a front end shows."""
    from jupyter_client.manager import start_new_kernel  # noqa: PLC0415  # comes with ipykernel

    code = "from carom import Simulation, library\nSimulation(library.load('break'))"
    manager, client = start_new_kernel(startup_timeout=TIMEOUT)
    shown: list[dict[str, Any]] = []

    def keep(message: dict[str, Any]) -> None:
        shown.append(message["content"])

    try:
        answer = client.execute_interactive(code, timeout=TIMEOUT, output_hook=keep)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    demand(answer["content"]["status"] == "ok", str(answer["content"]))
    kinds = {kind for content in shown for kind in content.get("data", ())}
    demand("application/vnd.jupyter.widget-view+json" in kinds, f"no widget, but {sorted(kinds)}")


@check
def check_laboratory() -> None:
    """The laboratory starts, gives its gallery and a bench, and the bench's socket sends frames."""
    from websockets.sync.client import connect  # noqa: PLC0415  # the lab's server brings it

    with _laboratory() as (port, token):
        cookie = f"carom-{port}={token}"
        gallery = _page(port, "/", cookie)
        demand("break" in gallery.lower(), "a gallery without scenes")
        bench = _page(port, "/bench?scene=break", cookie)
        found = re.search(r"/bench/[\w-]+/socket", bench)
        demand(found is not None, "a bench without a socket")
        address = f"ws://127.0.0.1:{port}{found[0] if found else ''}"
        origin: Any = f"http://127.0.0.1:{port}"
        with connect(address, origin=origin, additional_headers={"Cookie": cookie}) as line:
            for _ in range(100):
                if isinstance(line.recv(timeout=TIMEOUT), bytes):
                    return
        raise AssertionError("a hundred messages, and no frame among them")


def _page(port: int, path: str, cookie: str) -> str:
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    demand(answer.status == 200, f"{path}: {answer.status} {text[:200]}")
    return text


@contextmanager
def _laboratory() -> Iterator[tuple[int, str]]:
    """Start a laboratory in another process; yield its port and token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "carom", "lab", "--no-browser", "--port", port]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    guard = threading.Timer(TIMEOUT, process.kill)
    guard.start()
    said = []
    try:
        for line in process.stdout or ():
            said.append(line)
            if match := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)", line):
                guard.cancel()
                yield int(match[1]), match[2]
                return
        raise AssertionError("it did not start: " + "".join(said)[-400:])
    finally:
        guard.cancel()
        process.kill()
        process.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CHECKS))
    else:
        CHECKS[" ".join(sys.argv[1:])]()
