"""The memory of the whole server is bounded, and nothing stays of benches that were closed."""

import json
import re
import threading
import time
from collections.abc import Iterator
from weakref import WeakSet

import pytest
from websockets.sync.client import connect

from carom.lab.bench import memory
from carom.lab.bench.benches import Bench, Benches
from carom.lab.bench.session import Session
from carom.scene import library
from carom.solvers.exact.history.history import History
from lab.serving import Served, served
from lab.waiting import until

GAS = library.load("gas", count=1000)


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Benches]:
    """Benches in a process that has little memory, as if no other test had left any runs."""
    monkeypatch.setattr(memory, "RUNS", WeakSet())
    monkeypatch.setattr(memory, "POOL", 40_000_000)
    made = Benches()
    yield made
    assert made.close_all(timeout=20.0)


def held(sessions: list[Session]) -> int:
    """Bytes of all that the pasts of these hold, and their steps to undo."""
    states: dict[int, int] = {}
    histories: dict[int, History] = {}
    for session in sessions:
        steps = (*session.history.undo, *session.history.redo)
        pasts = [step.moment.past for step in steps] + ([session.run.past] if session.run else [])
        for segment in (part for past in pasts for part in past.segments):
            if segment.history is not None:
                histories[id(segment.history)] = segment.history
            for frame in segment.frames:
                states[id(frame)] = sum(each.nbytes for each in (frame.state or {}).values())
    return sum(states.values()) + sum(each.nbytes for each in histories.values())


def opened(benches: Benches) -> Bench:
    bench = benches.open(GAS)
    until(lambda: bench.runner.session.run is not None)
    return bench


def test_all_benches_share_one_pool_also_those_that_rest(benches: Benches) -> None:
    """A bench that has filled its share, and been edited, lets go of what is too much when others come."""
    runner = opened(benches).runner
    session = runner.session
    runner.post("speed", factor=10.0)
    for _ in range(3):
        runner.post("run")
        until(lambda: held([session]) > 0.2 * memory.POOL)
        runner.post("pause")
        runner.post("throw", index=0, velocity=[0.1, 0.3])
        until(lambda: not runner.waiting and not runner.view.running)
    assert 0.2 * memory.POOL < held([session]) < memory.POOL
    others = [opened(benches).runner for _ in range(7)]
    benches.sweep()
    share = memory.POOL / len(memory.RUNS)
    until(lambda: held([session]) < 1.3 * share)
    for each in others:
        each.post("speed", factor=10.0)
        each.post("run")
    until(lambda: held([each.session for each in others]) > 0.2 * memory.POOL)
    time.sleep(3.0)
    assert held([session, *(each.session for each in others)]) < memory.POOL
    time_before = runner.view.time
    runner.post("undo", seq=7)
    until(lambda: runner.view.seq == 7 and runner.view.working is None)
    assert (runner.view.can_redo, runner.view.time) == ("throw", time_before), "the last step can still be undone"


COUNTING = """
import gc, os, threading
from collections import Counter
from nicegui import Client
from starlette.responses import JSONResponse
from carom.lab.bench import benches as bench
from carom.lab.server import start
from carom.lab.app import create_app
bench.RECONNECT_TIMEOUT, bench.SWEEP_EVERY = 0.3, 0.1

def counted(benches):
    Client.prune_instances(client_age_threshold=0.0)  # pages whose browser never came, of which NiceGUI waits a minute
    for _ in range(3):
        gc.collect()
    found = Counter(type(each).__name__ for each in gc.get_objects() if str(type(each).__module__).startswith("carom."))
    names = [each.name for each in threading.enumerate()]
    threads = sorted(name for name in names if name != "MainThread" and "AnyIO" not in name)
    return {"benches": benches.count(), "found": found, "threads": threads, "files": len(os.listdir("/proc/self/fd"))}

def app(benches):
    inner = create_app(benches)
    async def outer(scope, receive, send):
        if scope["type"] == "http" and scope["path"] == "/counted":
            return await JSONResponse(counted(benches))(scope, receive, send)
        await inner(scope, receive, send)
    return outer

raise SystemExit(start.serve(app, port=0, open_browser=False))
"""
"""The whole laboratory, which tells what it holds."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Served]:
    with served("-c", COUNTING) as one:
        yield one


def visited(lab: Served, entry: str, orders: list[dict[str, object]]) -> None:
    """A page and its bench: some commands, some frames, and gone."""
    path = re.search(r"/bench/[\w-]+/socket", lab.get(f"/bench?scene={entry}")[1])[0]
    with connect(
        f"ws://{lab.host}{path}",
        origin=lab.origin,
        additional_headers={"Cookie": lab.cookie},
        open_timeout=30,
        max_size=None,
    ) as line:
        for number, each in enumerate(orders, 1):
            line.send(json.dumps({"seq": number, **each}))
        done = frames = 0
        end = time.monotonic() + 60.0
        while done < len(orders) or frames < 5:
            assert time.monotonic() < end
            message = line.recv(timeout=60)
            if isinstance(message, bytes):
                frames += 1
                line.send(json.dumps({"ack": int.from_bytes(message[4:8], "little")}))
            elif "state" in (content := json.loads(message)):
                done = content["state"]["seq"]


ORDERS: list[dict[str, object]] = [
    {"do": "run"},
    {"do": "add"},
    {"do": "option", "with": {"name": "restitution_balls", "value": 0.9}},
    {"do": "undo"},
    {"do": "restart"},
    {"do": "run"},
    {"do": "next-scene"},
    {"do": "undo"},
    {"do": "run"},
]
OF_A_BENCH = {
    "Bench",
    "BenchRunner",
    "Session",
    "Track",
    "Simulation",
    "Keyframe",
    "Past",
    "Segment",
    "ViewMaker",
    "Beside",
}
OF_A_BENCH |= {"Connection", "Stream", "BenchPage", "Desk", "LiveTexts", "BenchState", "Step"}


def at_rest(lab: Served) -> dict[str, object]:
    """What is held when all benches have ended, and their threads."""
    for _ in range(300):
        told = json.loads(lab.get("/counted")[1])
        if not told["benches"] and "carom-bench" not in told["threads"]:
            return json.loads(lab.get("/counted")[1])  # and what the end of those has set free
        time.sleep(0.1)
    raise AssertionError(told)


@pytest.mark.timeout(300)
def test_nothing_stays_of_benches_that_were_opened_and_closed(lab: Served) -> None:
    held = []
    for _ in range(3):
        for entry in ("oblique", "gravity-field", "oblique", "break"):
            visited(lab, entry, ORDERS)
        threads = [threading.Thread(target=visited, args=(lab, "oblique", ORDERS)) for _ in range(3)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        told = at_rest(lab)
        assert {name: count for name, count in told["found"].items() if name in OF_A_BENCH} == {}
        held.append(told)
    assert held[1]["threads"] == held[2]["threads"]
    assert held[2]["files"] <= held[1]["files"]
    assert sum(held[2]["found"].values()) <= sum(held[1]["found"].values())
