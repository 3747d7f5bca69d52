"""Records a run on a disk that becomes full, and continues when there is space; a separate program, for the limit.

    python full.py FOLDER BYTES

Prints one line of JSON: the messages, what could be read, and whether the result is that of an undisturbed run.
"""

import json
import resource
import sys
from pathlib import Path
from typing import Any

import carom
from carom.errors import StorageError
from carom.storage.recording import Recording


def main(folder: Path, limit: int) -> dict[str, Any]:
    """Run into the limit, check, and continue without it."""
    scene = carom.library.load("gas", count=200)
    whole = carom.Simulation(scene)
    with whole.record(folder / "whole.h5", every=0.01):
        whole.run(until=3.0)
    error, path = "", folder / "gas.h5"
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))  # files cannot grow beyond this
    sim = carom.Simulation(scene)
    try:
        with sim.record(path, every=0.01, checkpoint=0.02):
            sim.run(until=3.0)
    except StorageError as full:
        error = str(full)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with Recording(path) as found:
        frames = len(found)
    again = carom.Simulation.resume(path)
    again.run(until=3.0)
    again.recorder.close()
    with Recording(path) as found, Recording(folder / "whole.h5") as all_of_it:
        total = len(all_of_it)
        same = len(found) == total and all(
            found.column(name)[:].tobytes() == all_of_it.column(name)[:].tobytes()
            for name in found.names
            if name != "carom/until" and not name.startswith("carom/history/")
        )
    left = sorted(each.name for each in folder.iterdir())
    return {"error": error, "frames": frames, "all": total, "same": same, "left": left}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
