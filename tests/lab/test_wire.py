"""The socket: commands in, frames and words out, and nothing left behind."""

import json
import threading
import time
from typing import Any

import pytest
from starlette.applications import Starlette

from carom.lab.bench.benches import (
    FIRST_VISIT_TIMEOUT,
    RECONNECT_TIMEOUT,
    REPLACEABLE_AFTER,
    Bench,
    BenchError,
    Benches,
)
from carom.lab.seen.view import View
from carom.lab.server import socket as wire
from carom.lab.server.socket import Ack, Do, MessageError, Want, Wire, read
from carom.scene import library
from lab.asgi import Client, Closed, Socket
from lab.reading import read_frame
from lab.samples import view

EMPTY = library.load("empty")


class BenchRunner:
    """A runner that does nothing but say what it was asked for."""

    def __init__(self) -> None:
        self.view: View = view()
        self.posted: list[tuple[str, int, dict[str, Any]]] = []
        self.wants: list[tuple[bool, bool]] = []
        self.listeners: list[Any] = []
        self.started = False
        self.waiting = self.trimmed = 0
        self.stopped = threading.Event()

    def start(self) -> None:
        self.started = True

    def stop(self, timeout: float = 1.0) -> None:
        self.stopped.set()

    def keep_within_share(self) -> None:
        self.trimmed += 1

    def post(self, command: str, /, *, seq: int = 0, **arguments: Any) -> None:
        self.posted.append((command, seq, arguments))

    def want(self, velocities: bool, forces: bool) -> None:
        self.wants.append((velocities, forces))

    def subscribe(self, callback: Any) -> None:
        self.listeners.append(callback)

    def unsubscribe(self, callback: Any) -> None:
        self.listeners.remove(callback)

    def chart(self, since: int) -> tuple[dict[str, Any] | None, int]:
        return None, since

    def publish(self, seen: View) -> None:
        self.view = seen
        for listener in list(self.listeners):
            listener(seen)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> Benches:
    monkeypatch.setattr(Bench, "scene", lambda self, seen: {"epoch": seen.epoch, "origin": [0.0, 0.0]})
    return Benches(lambda scene, entry: BenchRunner())


@pytest.fixture
def bench(benches: Benches) -> Bench:
    return benches.open(EMPTY)


@pytest.fixture
def client(benches: Benches) -> Client:
    return Client(Wire(Starlette(), benches))


def receive(socket: Socket, kind: str) -> Any:
    """The next message of a kind: "frame" or a text's key."""
    while True:
        message = socket.receive()
        if isinstance(message, bytes):
            if kind == "frame":
                return read_frame(message)
        elif kind in (said := json.loads(message)):
            return said[kind]


def until(condition: Any) -> None:
    end = time.monotonic() + 5.0
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def test_a_visitor_is_shown_what_there_is(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as socket:
        assert receive(socket, "scene")["epoch"] == 1
        assert receive(socket, "frame")["number"] == 1
        assert receive(socket, "state")["entry"] == "empty"


def test_views_of_the_runners_thread_reach_the_browser(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as socket:
        receive(socket, "frame")
        threading.Thread(target=bench.runner.publish, args=(view(time=2.5, end=2.5, seq=7),)).start()
        seen = receive(socket, "frame")
        assert (seen["time"], seen["seq"], seen["number"]) == (2.5, 7, 2)
        assert receive(socket, "state")["seq"] in {0, 7}


def test_commands_reach_the_runner(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as socket:
        socket.send_json({"seq": 5, "do": "speed", "with": {"factor": 10.0}})
        socket.send_json({"do": "add", "with": {"name": "Ann"}})
        until(lambda: len(bench.runner.posted) == 2)
    assert bench.runner.posted == [("speed", 5, {"factor": 10.0}), ("add", 0, {"name": "Ann"})]


def test_acknowledgements_open_the_window(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as socket:
        receive(socket, "frame")
        for number in range(1, 6):
            socket.send_json({"ack": number})
            bench.runner.publish(view(time=float(number), end=9.0))
            assert receive(socket, "frame")["number"] == number + 1


def test_a_wish_is_passed_on_and_ends_with_the_visit(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as one:
        one.send_json({"want": {"velocities": True}})
        until(lambda: bench.runner.wants[-1] == (True, False))
        with client.socket(bench.socket) as two:
            two.send_json({"want": {"forces": True}})
            until(lambda: bench.runner.wants[-1] == (True, True))
        while receive(one, "frame")["velocities"] is None:
            pass


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "not JSON"),
        ('{"ack": NaN}', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"ack": ' + "9" * 5000 + "}", "is beyond 1.8e308"),
        ('{"do": "scrub", "with": {"time": 1e999}}', "the number 1e999 is beyond 1.8e308. Send finite numbers."),
        ('{"do": "scrub", "with": {"time": [-1e999]}}', "the number -1e999 is beyond 1.8e308"),
        ("[]", "not an object"),
        ("{}", "without ack, want or do"),
        ('{"ack": "1"}', "ack is '1'"),
        ('{"ack": true}', "ack is True"),
        ('{"ack": -1}', "ack is -1"),
        ('{"want": 1}', "want is an object"),
        ('{"want": {"forces": 1}}', "want is an object"),
        ('{"do": "explode"}', "no command is called 'explode'"),
        ('{"do": ["run"]}', "no command is called"),
        ('{"do": "run", "with": [1]}', "with is an object"),
        ('{"do": "run", "with": {"seq": 3}}', "run has no argument 'seq'; it knows: none"),
        ('{"do": "add", "with": {"colour": 3}}', "add has no argument 'colour'; it knows: position, velocity"),
        ('{"do": "run", "seq": 4294967296}', "seq is 4294967296"),
        ('{"do": "' + "x" * 5000 + '"}', "…"),
    ],
)
def test_nonsense_gets_one_clear_note_and_harms_nothing(client: Client, bench: Bench, message: str, words: str) -> None:
    with client.socket(bench.socket) as socket:
        socket.send_text(message)
        note = receive(socket, "note")
        assert note["kind"] == "error"
        assert words in note["text"]
        assert len(note["text"]) < 300
        socket.send_json({"do": "run"})
        until(lambda: bench.runner.posted)
    assert bench.runner.posted == [("run", 0, {})]


def test_binary_messages_mean_nothing(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as socket:
        socket.send_bytes(b"\x00\xff")
        assert "binary" in receive(socket, "note")["text"]


def test_a_message_may_be_too_large(client: Client, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_MESSAGE", 1000)
    with client.socket(bench.socket) as socket:
        socket.send_json({"do": "load", "with": {"text": "x" * 2000}})
        assert "1,000 is the most" in receive(socket, "note")["text"]
    assert bench.runner.posted == []


def test_a_flood_of_nonsense_closes_the_line(client: Client, bench: Bench) -> None:
    with client.socket(bench.socket) as socket:
        for _ in range(100):
            socket.send_text("{")
        with pytest.raises(Closed) as closed:
            receive(socket, "nothing")
    assert closed.value.code == 1008


def test_a_flood_of_commands_closes_the_line(client: Client, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MESSAGES", (1.0, 50.0))
    with client.socket(bench.socket) as socket:
        for _ in range(100):
            socket.send_json({"do": "run"})
        with pytest.raises(Closed) as closed:
            receive(socket, "nothing")
    assert closed.value.code == 1008
    assert len(bench.runner.posted) == 50


def test_a_flood_of_characters_closes_the_line(client: Client, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "CHARACTERS", (1.0, 1000.0))
    with client.socket(bench.socket) as socket:
        for _ in range(3):
            socket.send_json({"do": "load", "with": {"text": "x" * 400}})
        with pytest.raises(Closed) as closed:
            receive(socket, "nothing")
    assert closed.value.code == 1008
    assert len(bench.runner.posted) == 2


def test_a_busy_bench_takes_so_many_commands_and_always_a_cancel(client: Client, bench: Bench) -> None:
    bench.runner.waiting = wire.MAX_WAITING
    with client.socket(bench.socket) as socket:
        socket.send_json({"do": "run"})
        assert "1,000 commands wait already: run is not done. Wait, or cancel." in receive(socket, "note")["text"]
        socket.send_json({"do": "cancel"})
        until(lambda: bench.runner.posted)
    assert bench.runner.posted == [("cancel", 0, {})]


def test_so_many_look_at_a_bench(client: Client, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_VISITORS", 1)
    with client.socket(bench.socket) as socket:
        receive(socket, "frame")
        with pytest.raises(Closed) as closed, client.socket(bench.socket) as other:
            other.receive()
        assert closed.value.code == 1013


def test_a_visit_leaves_nothing_behind(client: Client, bench: Bench) -> None:
    for _ in range(3):
        with client.socket(bench.socket) as socket:
            receive(socket, "frame")
            bench.runner.publish(view(time=1.0))  # fills the window: the sender waits for room when the client goes
            bench.runner.publish(view(time=2.0))
    until(lambda: not bench.runner.listeners)
    assert not bench.wants


def test_a_broken_scene_closes_the_line_and_is_logged(
    client: Client, bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Bench, "scene", lambda self, seen: 1 / 0)
    with client.socket(bench.socket) as socket, pytest.raises(Closed) as closed:
        receive(socket, "frame")
    assert closed.value.code == 1011
    assert "ZeroDivisionError" in caplog.text
    assert not bench.runner.listeners


@pytest.mark.parametrize("identity", ["unknown", "..", "a.b"])
def test_an_unknown_bench_is_told_to_be_gone(client: Client, identity: str) -> None:
    with pytest.raises(Closed) as closed, client.socket(f"/bench/{identity}/socket") as socket:
        socket.receive()
    assert closed.value.code in {4404, 1000}, "ours, or the app's own answer to an address that is none"


def test_reading() -> None:
    assert read('{"ack": 3}') == Ack(3)
    assert read('{"want": {}}') == Want(False, False)
    assert read('{"do": "undo"}') == Do(0, "undo", {})
    with pytest.raises(MessageError):
        read('{"do": "undo", "with": null}')


# ------------------------------------------------------------ benches


def clocked(limit: int = 12) -> tuple[Benches, Clock]:
    clock = Clock()
    return Benches(lambda scene, entry: BenchRunner(), limit=limit, clock=clock), clock


def test_ids_cannot_be_guessed() -> None:
    benches, _ = clocked(limit=100)
    ids = {benches.open(EMPTY).id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(identity) >= 22 for identity in ids)


def test_a_bench_is_started_and_found() -> None:
    benches, _ = clocked()
    bench = benches.open(EMPTY)
    assert bench.runner.started
    assert benches.find(bench.id) is bench
    benches.close(bench.id)
    benches.close(bench.id)
    assert benches.find(bench.id) is None
    assert bench.runner.stopped.wait(5.0)


def test_a_bench_whose_page_never_came_is_freed() -> None:
    benches, clock = clocked()
    bench = benches.open(EMPTY)
    clock.now = FIRST_VISIT_TIMEOUT - 1.0
    benches.sweep()
    assert benches.find(bench.id) is bench
    clock.now = FIRST_VISIT_TIMEOUT + 1.0
    benches.sweep()
    assert benches.find(bench.id) is None


def test_a_bench_is_freed_some_seconds_after_its_tab_has_gone() -> None:
    benches, clock = clocked()
    bench = benches.open(EMPTY)
    bench.enter("tab")
    clock.now = 1000.0
    benches.sweep()
    assert benches.find(bench.id) is bench, "someone is there"
    bench.leave("tab", clock.now)
    clock.now += RECONNECT_TIMEOUT - 1.0
    benches.sweep()
    assert benches.find(bench.id) is bench, "the tab may come back"
    clock.now += 2.0
    benches.sweep()
    assert benches.find(bench.id) is None
    assert bench.runner.stopped.wait(5.0)


def test_there_is_a_limit() -> None:
    benches, clock = clocked(limit=2)
    first, second = benches.open(EMPTY), benches.open(EMPTY)
    with pytest.raises(BenchError, match="2 benches are open"):
        benches.open(EMPTY)
    second.enter("tab")
    clock.now += REPLACEABLE_AFTER + 1.0
    third = benches.open(EMPTY)
    assert benches.find(first.id) is None, "the one that nobody looks at makes room"
    assert benches.find(second.id) is second
    assert benches.find(third.id) is third


def test_all_are_ended_even_if_one_is_busy() -> None:
    benches = Benches(lambda scene, entry: BenchRunner())
    one, two = benches.open(EMPTY), benches.open(EMPTY)
    busy = threading.Event()
    two.runner.stop = busy.wait
    began = time.monotonic()
    assert not benches.close_all(timeout=0.1)
    assert time.monotonic() - began < 5.0
    assert one.runner.stopped.is_set()
    busy.set()
