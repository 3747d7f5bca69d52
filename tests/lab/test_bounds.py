"""A bench has bounds: what takes long can be cancelled, balls and memory end somewhere, and no command breaks it."""

import threading
import time
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carom.errors import MAX_REASON_LENGTH, Problem
from carom.lab.bench import memory
from carom.lab.bench.runner import BenchRunner
from carom.lab.bench.session import Session
from carom.lab.bench.track import Track
from carom.lab.bench.turns import Turns
from carom.lab.commands import adding
from carom.lab.commands.table import COMMANDS
from carom.lab.pages.opening import Counter
from carom.lab.texts import texts
from carom.scene import library
from carom.simulation.simulation import Simulation
from effort import examples
from hostile.doors import AWKWARD
from lab.waiting import until


@pytest.fixture
def runner() -> Iterator[BenchRunner]:
    made = BenchRunner(Session(library.load("oblique"), "oblique"), Turns())
    made.start()
    until(lambda: made.view.epoch > 0)
    yield made
    made.stop()
    assert not made.alive


# ---------------------------------------------------------------- cancel


def test_cancel_lets_go_of_what_is_under_way_and_of_what_waits(
    runner: BenchRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = threading.Event()

    def never(_session: Session, _budget: float) -> None:
        began.set()

    monkeypatch.setattr(Session, "_seek", never)  # a way without end
    runner.post("run")
    until(lambda: runner.view.time > 0.1)
    runner.post("scrub", time=0.0)
    runner.post("add")  # would be at the goal first
    until(began.is_set)
    runner.post("add")
    runner.post("remove", indices=[0])
    runner.post("cancel", seq=9)
    until(lambda: runner.view.seq == 9)
    view = runner.view
    assert (len(view.positions), view.running, view.working, runner.waiting) == (2, False, None, 0)
    assert view.message is not None
    assert view.message.text == "this was cancelled, and nothing has changed. Do it again, if you wish."
    runner.post("add")
    until(lambda: len(runner.view.positions) == 3)


@pytest.mark.parametrize("command", ["add", "duplicate"])
def test_the_search_for_a_place_can_be_cancelled(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(library.load("oblique"), "oblique")
    session.do("select", indices=[0])
    session.cancelled = lambda: True
    message = session.do(command)
    assert message is not None
    assert "cancelled" in message.text
    assert len(session.view().positions) == 2


def test_a_step_can_be_cancelled() -> None:
    session = Session(library.load("oblique"), "oblique")
    session.begin()
    session.cancelled = lambda: True
    session.do("step")
    assert session.view().time >= 0.0


def test_an_error_of_ours_tells_nothing_of_the_machine(runner: BenchRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_time: float) -> None:
        raise OSError(2, "No such file", "/somewhere/secret.txt")

    monkeypatch.setattr(runner.session, "scrub", broken)
    runner.post("scrub", time=0.0)
    until(lambda: runner.view.message is not None)
    assert runner.view.message is not None
    assert "secret" not in runner.view.message.text
    assert "FileNotFoundError" in runner.view.message.text


# ---------------------------------------------------------------- bounds


@pytest.mark.parametrize("command", ["add", "duplicate"])
def test_a_bench_holds_so_many_balls(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "MAX_BALLS", 3)
    session = Session(library.load("oblique"), "oblique")
    assert session.do("add") is None
    session.do("select-all")
    message = session.do(command)
    assert message is not None
    assert "are more balls than a bench holds, 3. Use fewer." in message.text
    assert len(session.view().positions) == 3


def test_scenes_are_kept_by_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "BALLS", 5)
    counter, scene = Counter(), library.load("oblique")
    tickets = [counter.keep(scene) for _ in range(4)]
    assert list(counter.kept) == tickets[2:]
    monkeypatch.setattr(Counter, "BALLS", 1)
    assert list(counter.kept) != [last := counter.keep(scene)]
    assert list(counter.kept) == [last], "the last one always"


def test_many_benches_have_less_memory_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "RUNS", WeakSet())  # not those that other tests have left
    sim = Simulation(library.load("oblique"))
    one = Track(sim)
    size = one._size[1] if one.most_frames else 0
    monkeypatch.setattr(memory, "COPIES", 1000 * size)
    monkeypatch.setattr(memory, "HISTORY", 1000 * size)
    monkeypatch.setattr(memory, "POOL", 500 * size)
    assert one.most_frames == 100
    assert memory.share_of(memory.HISTORY) == 100 * size
    others = [Track(sim)]
    assert one.most_frames == 50
    del others
    monkeypatch.setattr(memory, "POOL", 10**18)
    assert memory.share_of(memory.HISTORY) == memory.HISTORY


def test_a_message_with_a_value_without_end_is_told_quickly_and_in_short() -> None:
    long = Problem("number.not-finite", value="{value} " * 1_000_000)
    began = time.perf_counter()
    assert len(texts("pl").message(long)) < 2 * MAX_REASON_LENGTH
    assert time.perf_counter() - began < 0.5


# ---------------------------------------------------------------- any command


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(
        [10**30, -1, 2**63, 0.5, -0.0, 1e300, 1e-300, "", "x", "1e999", "nan", "0,5", "boundary", "\x1b[2J"]
    )
    | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
LONG = {"next-scene", "previous-scene", "open", "compare", "solve", "option", "link", "link-selected", "build"}
"""These begin other runs, which would compile what this module has no need of."""


NEEDED: dict[str, Any] = {
    "index": 0, "indices": [0], "field": "mass", "value": 1.0, "name": "planet", "velocity": [0.0, 0.0], "steps": 1,
    "position": [0.1, 0.1], "entry": "oblique", "i": 0, "j": 1, "by": [0.0, 0.0], "target": [0.0, 0.0],
    "shape": "boundary", "corner": 2, "text": "", "names": [], "direction": [1, 0], "mode": "only", "factor": 1.0,
}  # fmt: skip
ARGUMENTS = [(name, argument) for name, command in COMMANDS.items() for argument in command.arguments]
STRANGE = (*AWKWARD, float("nan"), float("inf"), 10**400, 10**5000, [float("inf"), 0.0])
"""And what only Python can hand in."""


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS, ids=[" ".join(each) for each in ARGUMENTS])
def test_each_argument_may_be_anything(name: str, argument: str) -> None:
    """What is no value for it is refused in a line, whether it can be hashed, compared and written, or not."""
    session = Session(library.load("oblique"), "oblique")
    session.do("select", indices=[0])
    given = (
        {each: NEEDED[each] for each in COMMANDS[name].arguments if not each.endswith("?")} if name != "scrub" else {}
    )
    for value in STRANGE:
        message = session.do(name, **{**given, argument.rstrip("?"): value})
        assert message is None or (0 < len(message.text) < 1000 and "\n" not in message.text)
        assert len(session.view().positions) == len(session.view().scene.balls)


def test_an_option_without_a_name_is_refused() -> None:
    session = Session(library.load("oblique"), "oblique")
    for name in ([], ["planet"], {}, None, 3):
        message = session.do("option", name=name, value=1.0)
        assert message is not None
        assert (message.where, message.text.startswith("there is no option")) == ("name", True)
    assert session.view().can_undo is None


@st.composite
def orders(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A command with any arguments of its own."""
    command = COMMANDS[draw(st.sampled_from(sorted(set(COMMANDS) - LONG)))]
    names = [name.rstrip("?") for name in command.arguments]
    given = {name: draw(JSON) for name in names if draw(st.booleans())}
    return command.name, given


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(orders(), min_size=1, max_size=12))
def test_no_command_breaks_a_bench(told: list[tuple[str, dict[str, Any]]]) -> None:
    """It is done, or refused in a line, and the bench can be seen and goes on."""
    session = Session(library.load("oblique"), "oblique")
    for number, (name, arguments) in enumerate(told, 1):
        message = session.do(name, seq=number, **arguments)
        assert message is None or (0 < len(message.text) < 600 and "\n" not in message.text)
        view = session.view()
        assert view.seq == number
        assert len(view.positions) == len(view.scene.balls)
        view.state()
    session.advance(1 / 60)
