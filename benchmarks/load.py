"""The laboratory's server under load: many tabs at once, and very many frames. `python -m benchmarks.load --help`.

Clients are not browsers: they load the page, connect both sockets and acknowledge each frame at once, which is the
heaviest load that a browser could cause.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from benchmarks.line import Address, Line, Tab
from carom import Simulation
from carom.scene import Scene, library
from carom.scene.io.files import loads

SERVER = (
    "from carom.lab.server.start import serve\n"
    "from carom.lab.app import create_app\n"
    "raise SystemExit(serve(create_app, port=0, open_browser=False))\n"
)
GAS = {"packing_fraction": 0.1, "periodic": "true"}
LEAK = 20e-6
"""Allowed growth of memory per frame, MB: 20 bytes, less than any Python object."""
WAIT = 1.0
"""Longest allowed wait for an answer of another bench while one is under heavy load, s."""
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True)
class Served:
    """A laboratory in a separate process."""

    address: Address
    pid: int

    @property
    def memory(self) -> float:
        """Resident memory, MB."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="utf-8").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def cpu(self) -> float:
        """CPU time so far, s."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def served() -> Iterator[Served]:
    """Start a laboratory on a free port; end it by its process id."""
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if "token=" not in line:
            raise SystemExit("the laboratory did not start")
        yield Served(Address.of(line.split()[2]), process.pid)
    finally:
        process.kill()
        process.wait()


def page(balls: int, seed: int) -> str:
    """The address of a bench with a new gas."""
    return "/bench?" + urlencode({"scene": "gas", "count": balls, "seed": seed, **GAS})


def alone(balls: int, seed: int, until: float) -> Simulation:
    """The run of a bench, done without a laboratory."""
    scene = library.load("gas", count=balls, seed=seed, packing_fraction=GAS["packing_fraction"], periodic=True)
    return Simulation(scene).run(until=until)


def same(found: Scene, wanted: Simulation) -> bool:
    """Are the states equal, bit for bit?"""
    return bool(
        np.array_equal(found.balls.position, wanted.positions)
        and np.array_equal(found.balls.velocity, wanted.velocities)
    )


def spread(values: Sequence[float]) -> str:
    """Median, 99th percentile and maximum, in ms."""
    ordered = sorted(values)
    part = [ordered[min(int(q * len(ordered)), len(ordered) - 1)] for q in (0.5, 0.99, 1.0)]
    return "median {:.0f} ms, 99 % {:.0f} ms, slowest {:.0f} ms".format(*(1e3 * each for each in part))


async def load(server: Served, sessions: int, balls: int, seconds: float) -> bool:
    """Open many tabs at once, each with its own gas; True if all results have the right bits and no command failed."""
    began = time.monotonic()
    first = await Tab.open(server.address, page(balls, 0))
    await first.until(lambda tab: tab.frames and not tab.state.get("working"))
    await first.do("step")  # kernels are compiled
    print(f"first page and kernels: {time.monotonic() - began:.1f} s; {server.memory:.0f} MB", flush=True)
    began = time.monotonic()
    tabs = [first, *await asyncio.gather(*(Tab.open(server.address, page(balls, k)) for k in range(1, sessions)))]
    await asyncio.gather(*(tab.until(lambda tab: tab.frames and not tab.state.get("working")) for tab in tabs))
    print(f"{sessions} tabs open and drawn: {time.monotonic() - began:.1f} s; {server.memory:.0f} MB", flush=True)
    waits = {name: list[float]() for name in ("run", "speed", "scrub", "to-end", "pause", "page")}
    waits["run"] += await asyncio.gather(*(tab.do("run") for tab in tabs))
    before, cpu, start = sum(tab.frames for tab in tabs), server.cpu, time.monotonic()
    await asyncio.gather(*(live(tab, waits, start + seconds) for tab in tabs), asking(server, waits, start + seconds))
    took = time.monotonic() - start
    frames = sum(tab.frames for tab in tabs) - before
    used = (server.cpu - cpu) / took
    waits["pause"] += await asyncio.gather(*(tab.do("pause") for tab in tabs))
    print(
        f"{took:.0f} s: {frames / took / sessions:.1f} frames/s per tab, {used:.2f} cores used; {server.memory:.0f} MB"
    )
    for name, values in waits.items():
        print(f"  {name:>7}: {spread(values)}  (of {len(values)})")
    right = 0
    for k, tab in enumerate(tabs):
        _, text = await server.address.get(f"/bench/{tab.bench}/scene.toml")
        right += same(loads(text, "toml"), alone(balls, k, tab.time))
    notes = [note for tab in tabs for note in tab.notes]
    times = [tab.time for tab in tabs]
    print(f"the same bits as alone: {right} of {sessions}, at t = {min(times):.2f} to {max(times):.2f} s")
    print(f"complaints: {len(notes)}; messages of the shell: {sum(tab.shelled for tab in tabs)}", flush=True)
    for tab in tabs:
        await tab.close()
    return right == sessions and not notes


async def live(tab: Tab, waits: dict[str, list[float]], end: float) -> None:
    """Act as a person: change the speed, go back, return, pause and run."""
    turn = 0
    while time.monotonic() < end:
        waits["speed"].append(await tab.do("speed", factor=1.0 if turn % 2 else 0.5))
        await asyncio.sleep(1.0)
        if turn % 3 == 2:
            waits["scrub"].append(await tab.do("scrub", time=tab.time / 2.0))
            waits["to-end"].append(await tab.do("to-end"))
            await tab.do("run")
        turn += 1


async def asking(server: Served, waits: dict[str, list[float]], end: float) -> None:
    """Request the gallery meanwhile."""
    while time.monotonic() < end:
        began = time.monotonic()
        await server.address.get("/lab/static/bench.js")
        waits["page"].append(time.monotonic() - began)
        await asyncio.sleep(0.5)


async def soak(server: Served, benches: int, visitors: int, frames: int) -> bool:
    """Send many frames to several visitors of several benches; True if memory does not grow."""
    tabs = []
    for k in range(benches):
        tab = await Tab.open(server.address, page(20, k))
        await tab.until(lambda tab: tab.frames and not tab.state.get("working"))
        await tab.do("speed", factor=0.01)  # few collisions: the past of a bench may grow, which is not tested here
        await tab.do("run")
        tabs.append(tab)
    lines = [tab.stage for tab in tabs]
    guests = [
        Tab(server.address, tab.bench, await Line.open(server.address, f"/bench/{tab.bench}/socket"), None)
        for tab in tabs
        for _ in range(visitors - 1)
    ]
    print(f"{benches} benches, {len(lines) + len(guests)} visitors", flush=True)
    await asyncio.sleep(5.0)
    everyone = [*tabs, *guests]
    start, began = sum(tab.frames for tab in everyone), time.monotonic()
    marks = [0.0, 0.01, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0]
    told = []
    for mark in marks:
        while (done := sum(tab.frames for tab in everyone) - start) < mark * frames:
            await asyncio.sleep(0.25)
            for tab in everyone:
                tab.check()
        told.append(server.memory)
        rate = done / max(time.monotonic() - began, 1e-9)
        print(f"  {done:>9,} frames: {told[-1]:7.1f} MB   ({rate:,.0f} frames/s)", flush=True)
    for tab in everyone:
        await tab.close()
    grown = told[-1] - told[marks.index(0.1)]
    print(f"grown from 10 % to the end: {grown:+.1f} MB")
    return grown < LEAK * frames


async def heavy(server: Served, balls: int, seconds: float) -> bool:
    """Put a heavy load of edits on one bench; True if another bench still answers in time."""
    other = await Tab.open(server.address, page(100, 1))
    await other.until(lambda tab: tab.frames and not tab.state.get("working"))
    await other.do("run")
    waits = {name: list[float]() for name in ("other", "page")}
    watching = asyncio.gather(*(watch(other, server, waits)))
    began = time.monotonic()
    big = await Tab.open(server.address, page(balls, 0))
    await big.until(lambda tab: tab.frames and not tab.state.get("working"), 300.0)
    print(f"{balls:,} balls open and drawn: {time.monotonic() - began:.1f} s; {server.memory:.0f} MB", flush=True)
    for name, arguments in (
        ("run", {}),
        ("pause", {}),
        ("select-all", {}),
        ("change-selected", {"field": "mass", "value": "0.02"}),
        ("add", {}),
        ("undo", {}),
        ("duplicate", {}),
    ):
        print(f"  {name:>15}: {await big.do(name, 300.0, **arguments):.2f} s", flush=True)
        await asyncio.sleep(seconds / 10.0)
    big.stage.say({"seq": big.seq + 1, "do": "nudge", "with": {"field": "vx", "steps": 1}})
    for _ in range(20):
        big.stage.say({"seq": big.seq + 1, "do": "nudge", "with": {"field": "vx", "steps": 1}})
    big.seq += 1
    print(f"  cancel, with 21 edits before it: {await big.do('cancel', 300.0):.2f} s; {server.memory:.0f} MB")
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    for name, values in waits.items():
        print(f"  {name:>7}: {spread(values)}  (of {len(values)})")
    await big.close()
    await other.close()
    return max(max(values) for values in waits.values()) < WAIT


def watch(other: Tab, server: Served, waits: dict[str, list[float]]) -> tuple[Coroutine[Any, Any, None], ...]:
    """Use another bench five times per second."""

    async def control() -> None:
        while True:
            waits["other"].append(await other.do("speed", factor=1.0))
            await asyncio.sleep(0.2)

    return control(), asking(server, waits, float("inf"))


def main() -> int:
    """Run the chosen measurement."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    kinds = asked.add_subparsers(dest="kind", required=True)
    many = kinds.add_parser("sessions", help="many tabs at once, each compared with a run alone")
    many.add_argument("--sessions", type=int, default=50)
    many.add_argument("--balls", type=int, default=100)
    many.add_argument("--seconds", type=float, default=30.0)
    long = kinds.add_parser("soak", help="very many frames; memory at the start, on the way and at the end")
    long.add_argument("--benches", type=int, default=8)
    long.add_argument("--visitors", type=int, default=12)
    long.add_argument("--frames", type=int, default=1_000_000)
    crowd = kinds.add_parser("heavy", help="a crowd on one bench, and somebody else at another")
    crowd.add_argument("--balls", type=int, default=200_000)
    crowd.add_argument("--seconds", type=float, default=20.0)
    given = asked.parse_args()
    with served() as server:
        if given.kind == "sessions":
            return 0 if asyncio.run(load(server, given.sessions, given.balls, given.seconds)) else 1
        if given.kind == "heavy":
            return 0 if asyncio.run(heavy(server, given.balls, given.seconds)) else 1
        return 0 if asyncio.run(soak(server, given.benches, given.visitors, given.frames)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
