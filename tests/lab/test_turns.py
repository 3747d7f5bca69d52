"""Benches share the processor: few at a time, in order, those with a command first, and nobody for long."""

import threading
import time

from carom.lab.bench.turns import Turns
from carom.lab.server.budget import Budget


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def waiter(turns: Turns, name: str, order: list[str], *, hurried: bool = False) -> threading.Thread:
    """A thread that waits for its turn and writes its name down; it is waiting when this comes back."""
    before = turns.waiting

    def wait() -> None:
        with turns.turn(name, hurried=hurried):
            order.append(name)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    end = time.monotonic() + 10.0
    while turns.waiting == before and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.001)
    return thread


def test_turns_come_in_order_and_commands_first() -> None:
    turns, order = Turns(at_once=1, long=60.0), list[str]()
    with turns.turn("holder"):
        threads = [
            waiter(turns, "first", order),
            waiter(turns, "second", order),
            waiter(turns, "third", order),
            waiter(turns, "commanded", order, hurried=True),
        ]
        turns.hurry("third")  # a command came meanwhile
        turns.hurry("nobody")
        assert order == []
    for thread in threads:
        thread.join(10.0)
    assert order == ["commanded", "third", "first", "second"]


def test_so_many_at_once() -> None:
    turns, order = Turns(at_once=2, long=60.0), list[str]()
    with turns.turn("holder"):
        waiter(turns, "beside", order).join(10.0)
        assert order == ["beside"]


def test_who_takes_long_keeps_nobody_waiting() -> None:
    """As while it compiles."""
    turns, order = Turns(at_once=1, long=0.02), list[str]()
    with turns.turn("compiling"):
        waiter(turns, "other", order).join(10.0)
        assert order == ["other"]
    waiter(turns, "after", order).join(10.0)
    assert order == ["other", "after"]


def test_a_turn_ends_with_an_error_too() -> None:
    turns, order = Turns(at_once=1, long=60.0), list[str]()
    try:
        with turns.turn("broken"):
            raise ValueError
    except ValueError:
        pass
    waiter(turns, "other", order).join(10.0)
    assert order == ["other"]


def test_a_budget_fills_up_again_and_is_not_spent_by_what_is_refused() -> None:
    clock = Clock()
    budget = Budget(10.0, 5.0, clock)
    assert [budget.spend() for _ in range(7)] == [True] * 5 + [False] * 2
    clock.now = 0.1
    assert (budget.spend(), budget.spend()) == (True, False)
    clock.now = 1000.0
    assert not budget.spend(6.0)
    assert budget.spend(5.0)
    budget.owe(10.0)
    assert not budget.spend(0.0)
    clock.now += 1.0
    assert budget.spend(0.0)
