"""Everything that carom writes, on a full disk; a separate program, for the limit.

    python full_saves.py FOLDER WHAT BYTES

Prints one line of JSON: what was said, the exit code, and which files are there afterwards with what in them. The file
that is to be replaced holds "good" before; files cannot grow beyond so many bytes.
"""

import contextlib
import io
import json
import os
import resource
import shutil
import sys
import tempfile
from pathlib import Path

import carom
from carom.cli import main
from carom.errors import StorageError
from carom.scene.io.files import dump
from carom.sweeps.results.ledger import Ledger
from carom.sweeps.study.study import Study

COMMANDS = {
    "scene.toml": ["scenes", "gas", "--save", "scene.toml", "--force"],
    "scene.json": ["scenes", "break", "--save", "scene.json", "--force"],
    "end.json": ["run", "gas", "--until", "0.01", "--save", "end.json", "--force", "--quiet"],
    "study.toml": ["studies", "equation-of-state", "--save", "study.toml", "--force"],
    "break.svg": ["draw", "break", "-o", "break.svg", "--force"],
    "run.xyz": ["export", "run.h5", "run.xyz", "--force", "--quiet"],
    "run.gsd": ["export", "run.h5", "run.gsd", "--force", "--quiet"],
    "run.h5md": ["export", "run.h5", "run.h5md", "--force", "--quiet"],
    "report.html": ["analyse", "run.h5", "--report", "report.html", "--force", "--quiet"],
    "still.png": ["render", "run.h5", "still.png", "--force", "--quiet"],
    "still.svg": ["render", "run.h5", "still.svg", "--force", "--quiet"],
    "film.mp4": ["render", "run.h5", "film.mp4", "--to", "0.1", "--size", "320x240", "--force", "--quiet"],
    "film.gif": ["render", "run.h5", "film.gif", "--to", "0.1", "--size", "320x240", "--force", "--quiet"],
    "new/%03d.png": ["render", "run.h5", "new/%03d.png", "--to", "0.1", "--size", "320x240", "--force", "--quiet"],
    "new.h5": ["run", "gas", "--until", "0.1", "--out", "new.h5", "--force", "--quiet"],
    "plot.svg": ["sweep", "results", "--plot", "plot.svg", "--force", "--quiet"],
}
STUDY = {
    "scene": {"generator": {"kind": "gas", "count": 8}}, "repeats": 100, "run": {"until": 0.01},
    "parameters": {"generator.temperature": [2.0, 5.0]}, "observables": [{"name": "energy", "take": "last"}],
    "plot": {"x": "generator.temperature", "y": "energy_last"},
}  # fmt: skip


def tables(*, fill: bool = False) -> None:
    """Write the tables of a sweep, whose runs have ended with made-up values."""
    study = Study.of(STUDY)
    with Ledger.resume(Path("results"), study) as ledger:
        for k in range(len(study) if fill else 0):
            values = dict.fromkeys(ledger.sheet.values, 1.0 + k)
            row = {"id": study.run_at(k).id, "status": "done", "reason": "", "values": values}
            ledger.add({**row, "seconds": 1.0, "worker": "here"})
        ledger.write_tables()


CALLS = {
    "python.json": lambda: dump(carom.library.load("gas", count=100), "python.json"),
    "python.checkpoint": lambda: carom.Simulation(carom.library.load("gas")).save("python.checkpoint"),
    "results/table.csv": tables,
}


def prepare(what: str) -> None:
    """Make the files that exist before, and compile kernels, in a separate folder."""
    if "run.h5" in COMMANDS.get(what, []):
        sim = carom.Simulation(carom.library.load("gas", count=100))
        with sim.record("run.h5", every=0.01):
            sim.run(until=0.3)
    if what in {"plot.svg", "results/table.csv"}:
        tables(fill=True)
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as warm:
        shutil.copytree(here, warm, dirs_exist_ok=True)
        os.chdir(warm)
        code, said = attempt(what)
        os.chdir(here)
    if code:
        raise SystemExit(f"it fails also where there is room: {said}")
    if what not in {"new/%03d.png", "results/table.csv"}:
        Path(what).write_text("good")


def contents() -> dict[str, str]:
    """All files with their contents."""
    names = [each for each in Path().rglob("*") if each.is_file()]
    return {str(each): str(hash(each.read_bytes())) for each in names}


def attempt(what: str) -> tuple[int, str]:
    """Try to write; return the exit code and the message."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        if what in COMMANDS:
            code = main(COMMANDS[what])
        else:
            try:
                CALLS[what]()
                code = 0
            except StorageError as error:
                said.write(f"{error}\n")
                code = 1
    return code, said.getvalue()


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    prepare(sys.argv[2])
    before = contents()
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    code, said = attempt(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    after = contents()
    changed = sorted(name for name in before if after.get(name) != before[name])
    told = {"code": code, "said": said, "changed": changed, "new": sorted(set(after) - set(before))}
    sys.stdout.write(json.dumps(told))
