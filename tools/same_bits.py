"""Do different Pythons, settings and processors give the same bits? Runs the golden scenes with each, and compares.

    python tools/same_bits.py                              # this Python, in every setting
    python tools/same_bits.py python3.12 venv/bin/python   # others too; each needs carom installed
    python tools/same_bits.py --settings plain,generic --scenes periodic,gas

Each run writes a trail of hashes (tests/golden/trails.py), which is compared with the golden one. Where they differ,
the tool finds the first collision or step that differs, by bisection against the first run that agrees, and prints
which balls differ and by how many floats. The exit code is 1 if anything differs.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TRAILS = ROOT / "tests/golden/trails.json"
BOXES = ("periodic", "walls", "space", "falling")
EXACT = (*BOXES, "table", "bouncing")
MAX_SHOWN = 6  # differing numbers that are printed

State = dict[str, Any]


class Setting(NamedTuple):
    """A way to run golden scenes: environment variables, the solver's option, and the scenes that it fits."""

    about: str
    environment: Mapping[str, str] = MappingProxyType({})
    way: str = "auto"
    scenes: tuple[str, ...] = ()  # empty: all


SETTINGS = {
    "plain": Setting("as it is"),
    "cells": Setting("neighbours by cells", {}, "cells", EXACT),
    "lists": Setting("neighbours by lists", {}, "lists", EXACT),
    "one": Setting("one thread", {"NUMBA_NUM_THREADS": "1"}),
    "threads": Setting("two threads search", {"NUMBA_NUM_THREADS": "2"}, "threads", ("gas",)),
    "unoptimised": Setting("compiled with -O1", {"NUMBA_OPT": "1"}),
    "generic": Setting("for any x86-64", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}),
    "brute": Setting("brute force in NumPy", {}, "brute", BOXES),
}


class Player:
    """A process that runs golden scenes with one Python and one setting."""

    def __init__(self, python: str, setting: str) -> None:
        self.setting = SETTINGS[setting]
        paths = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, **self.setting.environment, "PYTHONPATH": paths}
        command = [python, "-m", "golden.player"]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.versions = self.ask(do="versions")

    def ask(self, **question: Any) -> Any:
        """Send a question, and return the answer."""
        inward, outward = self.process.stdin, self.process.stdout
        if inward is None or outward is None:
            raise RuntimeError("the player has no pipes")
        inward.write(json.dumps({"way": self.setting.way, **question}) + "\n")
        inward.flush()
        line = outward.readline()
        if not line:
            raise ChildProcessError(f"{self.process.args!r} ended with {self.process.wait()}: see above")
        return json.loads(line)

    def state(self, scene: str, moment: int) -> State:
        """The state of a scene at a collision or step."""
        found: State = self.ask(do="state", scene=scene, moment=moment)
        return found

    def close(self) -> None:
        """End the process."""
        with self.process:  # closes its pipes, and waits
            pass


def first_difference(one: Callable[[int], State], two: Callable[[int], State], same: int, differ: int) -> int:
    """Bisect for the first collision or step at which two runs differ, between one that agrees and one that does not.

    Runs that differ once are assumed to differ from then on.
    """
    while differ - same > 1:
        middle = (same + differ) // 2
        if bits(one(middle)) == bits(two(middle)):
            same = middle
        else:
            differ = middle
    return differ


def bits(state: State) -> tuple[str, list[list[str]]]:
    """The parts of a state that must be equal."""
    return state["time"], state["numbers"]


def apart(one: str, two: str) -> int:
    """The distance of two floats in hexadecimal, counted in floats between them."""

    def place(text: str) -> int:
        number: int = struct.unpack("<q", struct.pack("<d", float.fromhex(text)))[0]
        return number if number >= 0 else -(number & (2**63 - 1))

    return abs(place(one) - place(two))


def story(one: State, two: State) -> list[str]:
    """The differences of two states, one line per number."""
    lines = [f"time: {one['time']} and {two['time']}"] if one["time"] != two["time"] else []
    for k, (row, other) in enumerate(zip(one["numbers"], two["numbers"], strict=True)):
        names = [f"{what}{axis}" for what in ("", "v") for axis in "xyz"[: len(row) // 2]]
        lines += [
            f"ball {k}, {name}: {a} and {b}, {apart(a, b)} last bits apart"
            for name, a, b in zip(names, row, other, strict=True)
            if a != b
        ]
    more = len(lines) - MAX_SHOWN
    return lines[:MAX_SHOWN] + ([f"and {more} more numbers"] if more > 0 else [])


def where(scene: str, golden: list[str], marks: list[str], first: Player, other: Player) -> list[str]:
    """Where a run began to differ: first by its marks, then to the collision or step."""
    wrong = next(k for k, (one, two) in enumerate(zip(golden, marks, strict=True)) if one != two)
    last = int(golden[wrong - 1].split()[0]) if wrong else 0
    if first is other:
        return [f"{scene}: not the golden bits after {golden[wrong].split()[0]}, but after {last}"]
    unit = "collision" if scene in EXACT else "step"
    moment = first_difference(
        lambda at: first.state(scene, at), lambda at: other.state(scene, at), last, int(golden[wrong].split()[0])
    )
    one, two = first.state(scene, moment), other.state(scene, moment)
    told = [f"{scene}: {unit} {moment} is the first that differs", *story(one, two)]
    events = ["; ".join(each["events"]) or "nothing" for each in (one, two)]
    return [*told, f"it was {events[0]}" + (f" here, {events[1]} there" if events[0] != events[1] else "")]


def compare(player: Player, names: list[str], golden: dict[str, list[str]], first: Player) -> tuple[int, list[str]]:
    """The number of marks of a player, and where they differ from the golden ones, in words."""
    count, lines = 0, []
    for name in names:
        marks = player.ask(do="trail", scene=name)["marks"]
        count += len(marks)
        if marks != golden[name]:
            lines += where(name, golden[name], marks, first, player)
    return count, lines


def main() -> int:
    """Run, compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], help="interpreters; default: this one")
    parser.add_argument("--settings", default=",".join(SETTINGS), help="names from: " + ", ".join(SETTINGS))
    parser.add_argument("--scenes", default="", help="names of golden scenes; default: all")
    asked = parser.parse_args()
    golden: dict[str, list[str]] = json.loads(TRAILS.read_text(encoding="utf-8"))
    wanted = asked.scenes.split(",") if asked.scenes else list(golden)
    unknown = {*wanted} - {*golden} | {*asked.settings.split(",")} - {*SETTINGS}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: not among {', '.join([*golden, *SETTINGS])}")
    print(
        "| Python | NumPy | Numba | setting | scenes | marks | the golden bits | s |\n|---|---|---|---|---|---|---|---|"
    )
    first, failed = None, False
    for python in asked.pythons:
        for setting in asked.settings.split(","):
            names = [name for name in wanted if name in (SETTINGS[setting].scenes or golden)]
            if not names:
                continue
            began, player = time.monotonic(), Player(python, setting)
            first = first or player
            count, lines = compare(player, names, golden, first)
            v = player.versions
            result = "no" if lines else "all"
            print(
                f"| {v['python']} | {v['numpy']} | {v['numba']} | {SETTINGS[setting].about} | {len(names)} | {count} "
                f"| {result} | {time.monotonic() - began:.0f} |",
                *(f"    {line}" for line in lines),
                sep="\n",
                flush=True,
            )
            failed = failed or bool(lines)
            if player is not first:
                player.close()
    if first:
        first.close()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
