"""Break a rack with pooltool, in the Python that has it: that of `benchmarks/pooltool_environment.py`.

    python benchmarks/pooltool_break.py 5

Prints one JSON object: the version of pooltool, the number of events of a break, and the best rate of several breaks,
in events per second of CPU time. It imports neither carom nor the benchmarks, which this Python does not have.
"""

import json
import sys
import time
from importlib import import_module, metadata
from typing import Any


def rate(pooltool: Any, shot: Any) -> float:
    """Events per second of CPU time of one break."""
    begin = time.process_time()
    pooltool.simulate(shot, inplace=True)
    return len(shot.events) / (time.process_time() - begin)


def main(breaks: int) -> None:
    """Compile, then measure."""
    pooltool = import_module("pooltool")
    table = pooltool.Table.default()
    rack = pooltool.get_rack(pooltool.GameType.NINEBALL, table=table)
    shot = pooltool.System(table=table, balls=rack, cue=pooltool.Cue(cue_ball_id="cue"))
    shot.cue.set_state(V0=8, phi=pooltool.aim.at_ball(shot, "1"))
    first = shot.copy()
    pooltool.simulate(first, inplace=True)  # compiles
    best = max(rate(pooltool, shot.copy()) for _ in range(breaks))
    print(json.dumps({"version": metadata.version("pooltool-billiards"), "events": len(first.events), "rate": best}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
