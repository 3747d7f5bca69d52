"""Stores the runs of a fake study, and is killed or runs out of disk space; a separate program, because it forks.

    python kept.py killed FOLDER RUNS KILLS SEED
    python kept.py full FOLDER RUNS BYTES

Prints one line of JSON. Anything lost, repeated, or different from undisturbed runs is an error.
"""

import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pretend import COLUMNS, Pretend, row

from carom.errors import StorageError
from carom.sweeps.results.ledger import Ledger

TABLES = ("table.csv", "table.parquet", "summary.csv")


def work(
    folder: Path, runs: int, seed: int, told: Callable[[], object] = lambda: None, hold: int | None = None
) -> None:
    """Add all missing runs, in a random order, and write the tables.

    Calls `told` at the beginning; after `hold` runs it calls it again, and waits to be killed.
    """
    study: Any = Pretend(range(runs))
    order = [*study]
    random.Random(seed).shuffle(order)
    with Ledger.resume(folder, study, columns=COLUMNS) as ledger:
        told()
        left = [spec for spec in order if spec.id not in ledger.done]
        for k, spec in enumerate(left):
            if k == hold:
                told()
                time.sleep(100.0)
            ledger.add(row(spec))
        ledger.write_tables()


def killed_once(folder: Path, runs: int, seed: int, after: float, hold: int | None) -> tuple[bool, bool]:
    """Work in a process, and kill it after a while or at `hold`; was it killed, and was a second writer refused?"""
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(folder, runs, seed, lambda: os.write(its, b"!"), hold)
        except BaseException as error:  # a forked process must not go on as its parent
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    os.close(its)
    rival = bool(os.read(ours, 1)) and refused(folder, runs)
    if hold is None:
        time.sleep(after)
    else:
        os.read(ours, 1)
    os.close(ours)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise SystemExit(f"it failed by itself with {os.WEXITSTATUS(status)}")
    return os.WIFSIGNALED(status), rival


def refused(folder: Path, runs: int) -> bool:
    """Is a second writer refused, while the status can be read?"""
    study: Any = Pretend(range(runs))
    if Ledger.status(folder, study).total != runs:
        raise SystemExit("the status of a folder that is being written to is wrong")
    try:
        Ledger.resume(folder, study, columns=COLUMNS).close()
    except StorageError as error:
        if str(error) != (
            f"{folder / 'runs.jsonl'}: another run is writing this file. "
            "Wait until that run has ended, or choose another name."
        ):
            raise
        return True
    return False


def ids_in(path: Path) -> list[str]:
    """The ids of runs in the complete lines of a journal."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return [record["id"] for record in map(json.loads, lines) if "id" in record]


def tables(folder: Path) -> list[bytes]:
    """The contents of the tables."""
    return [(folder / name).read_bytes() for name in TABLES]


def killed(folder: Path, runs: int, kills: int, seed: int) -> dict[str, Any]:
    """Kill a number of times, then let it end: in turns after a number of runs, and at random times."""
    chance = random.Random(seed)
    path, found, rivals = folder / "killed/runs.jsonl", [set[str]()], 0
    for k in range(kills):
        left = runs - len(found[-1])
        hold = chance.randrange(1, left // 2) if k % 2 == 0 and left > 4 else None
        was_killed, rival = killed_once(path.parent, runs, k, chance.uniform(0.0, 0.2), hold)
        rivals += rival
        there = ids_in(path)
        if len(there) != len(set(there)) or not found[-1] <= set(there):
            raise SystemExit(f"kill {k}: {len(there)} runs of which {len(set(there))} differ, after {len(found[-1])}")
        found.append(set(there))
        if not was_killed or (len(there) == runs and chance.random() < 0.5):
            for each in path.parent.iterdir():
                each.unlink()  # it was done: begin anew, to be killed again
            found.append(set())
    work(path.parent, runs, kills)
    work(folder / "whole", runs, -1)
    if tables(path.parent) != tables(folder / "whole"):
        raise SystemExit("other tables than those of runs that nobody killed")
    if len(ids_in(path)) != runs:
        raise SystemExit("a run was done twice")
    files = sorted(each.name for each in path.parent.iterdir())
    return {"parts": sum(0 < len(each) < runs for each in found), "rivals": rivals, "left": files}


def full(folder: Path, runs: int, limit: int) -> dict[str, Any]:
    """Run out of disk space with the journal, then with the tables, and continue when there is space."""
    study: Any = Pretend(range(runs))
    said = []
    with Ledger.begin(folder / "full", study, columns=COLUMNS) as ledger:
        limited(limit)
        for spec in study:
            try:
                ledger.add(row(spec))
            except StorageError as error:
                said.append(str(error))
                whole = ledger.path.read_bytes().endswith(b"\n")
                state = {"whole": whole, "left": ledger.counts.left, "told": Ledger.status(folder / "full", study).left}
                limited(None)
                ledger.add(row(spec))
        ledger.write_tables()
        before = tables(folder / "full")
        for most in (0, 200, limit // 4):
            limited(most)
            try:
                ledger.write_tables()
            except StorageError as error:
                said.append(str(error))
            limited(None)
            if tables(folder / "full") != before:
                raise SystemExit("a full disk changed the tables")
    work(folder / "whole", runs, 0)
    same = before == tables(folder / "whole")
    return {
        "said": said,
        "state": state,
        "same": same,
        "left": sorted(each.name for each in (folder / "full").iterdir()),
    }


def limited(limit: int | None) -> None:
    """Limit the size of files, or remove the limit."""
    endless = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_FSIZE, (endless if limit is None else limit, endless))


if __name__ == "__main__":
    way, place, *numbers = sys.argv[1:]
    sys.stdout.write(json.dumps({"killed": killed, "full": full}[way](Path(place), *map(int, numbers))))
