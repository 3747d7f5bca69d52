"""Runs golden scenes for another program: a line of JSON in, a line of JSON out.

    {"do": "versions"}
    {"do": "trail", "scene": "gas", "way": "threads"}
    {"do": "state", "scene": "gas", "way": "threads", "moment": 42}

`tools/same_bits.py` starts it with different Pythons. Ways: see `WAYS`.
"""

import json
import platform
import sys
from importlib.metadata import version
from typing import Any

from carom import Simulation
from carom.solvers.stepped import build
from golden.trails import Walk, numbers, trail

WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "cells": {"neighbours": "cells"},
    "lists": {"neighbours": "lists"},
    "threads": {},  # the stepped solver looks for partners in two threads, however few balls there are
    "brute": {"brute": True},
}


def walk(asked: dict[str, Any]) -> Walk:
    """The requested scene, at its start."""
    build.THREADED = 1 if asked["way"] == "threads" else sys.maxsize
    return Walk(asked["scene"], **WAYS[asked["way"]])


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Answer a request."""
    if asked["do"] == "versions":
        return {"python": platform.python_version(), **{name: version(name) for name in ("numpy", "numba", "llvmlite")}}
    if asked["do"] == "trail":
        return {"marks": list(trail(walk(asked)))}
    on, moment = walk(asked), asked["moment"]
    last = on.go(max(0, moment - 1)).copy() if asked["way"] != "brute" else None
    run = on.go(moment)
    seen = [[each.hex() for each in row] for row in numbers(run).tolist()]
    return {"time": float(run.time).hex(), "numbers": seen, "events": told(last, run) if last else []}


def told(last: Simulation, run: Simulation) -> list[str]:
    """The collisions from one state to the next, as texts."""
    ends = {"collisions": run.collisions - last.collisions} if run.solver == "exact" else {"until": run.time}
    return [f"{each.kind} {each.partners} {each.wall or ''}".strip() for each in last.events(**ends)]


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
