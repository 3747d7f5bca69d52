"""Warnings about steps come to the thread that caused them."""

import threading
import warnings

import pytest

from carom.errors import StepWarning
from carom.lab.bench.step_warnings import step_warnings


def warn(text: str) -> None:
    warnings.warn(text, StepWarning, stacklevel=1)


def test_the_same_warning_is_heard_each_time() -> None:
    for _ in range(2):
        with step_warnings() as heard:
            warn("large")
            warn("large")
        assert heard == ["large", "large"]


def test_each_thread_hears_its_own() -> None:
    """All listen at once, and leave in an order that would put back another's state."""
    heard: dict[int, list[str]] = {}
    together = threading.Barrier(4)

    def work(number: int) -> None:
        with step_warnings() as mine:
            for turn in range(50):
                together.wait(20)
                warn(f"{number}: {turn}")
        heard[number] = mine

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(20)
    assert heard == {number: [f"{number}: {turn}" for turn in range(50)] for number in range(4)}


def test_within_another_the_inner_one_hears() -> None:
    with step_warnings() as outer:
        with step_warnings() as inner:
            warn("inner")
        warn("outer")
    assert (inner, outer) == (["inner"], ["outer"])


def test_who_does_not_listen_and_other_warnings_go_their_way() -> None:
    with warnings.catch_warnings(record=True) as others:
        warnings.simplefilter("always")
        with step_warnings() as heard:
            warnings.warn("another", UserWarning, stacklevel=1)
        warn("later")
    assert heard == []
    assert [str(each.message) for each in others] == ["another", "later"]


def test_it_hears_again_after_someone_has_put_back_what_was_before() -> None:
    with warnings.catch_warnings(), step_warnings() as heard:
        warn("one")
    with step_warnings() as again:
        warn("two")
    assert (heard, again) == (["one"], ["two"])


def test_what_fails_stops_listening() -> None:
    with pytest.raises(ZeroDivisionError), step_warnings():
        raise ZeroDivisionError
    with pytest.warns(StepWarning, match="after"):
        warn("after")
