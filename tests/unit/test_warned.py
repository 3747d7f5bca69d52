"""Warnings come to the thread that caused them, and to those that listen alone."""

import threading
import warnings
from typing import Any

import pytest

from carom.errors import StepWarning
from carom.thread_warnings import captured_warnings, warn_caller


def test_all_kinds_are_heard_each_time_whatever_the_filters_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with captured_warnings() as told:
            for _ in range(2):
                warnings.warn("again", UserWarning, stacklevel=1)
            warnings.warn("other", RuntimeWarning, stacklevel=1)
    assert told == ["again", "again", "other"]


def test_what_was_said_before_is_heard_again() -> None:
    def say() -> None:
        warnings.warn("known", UserWarning, stacklevel=1)

    with warnings.catch_warnings(record=True):
        warnings.simplefilter("default")
        with captured_warnings():
            pass
        say()
        with captured_warnings() as told:
            say()
    assert told == ["known"]


def test_filters_stay_as_they_are_for_who_does_not_listen() -> None:
    errors: list[Warning] = []

    def elsewhere() -> None:
        try:
            warnings.warn("strict", UserWarning, stacklevel=1)
        except UserWarning as error:
            errors.append(error)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with captured_warnings() as told:
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join(20)
        with pytest.raises(UserWarning, match="after"):
            warnings.warn("after", UserWarning, stacklevel=1)
    assert (told, len(errors)) == ([], 1)


def test_who_listens_to_everything_hears_what_one_within_does_not_want() -> None:
    with captured_warnings() as outer, captured_warnings(StepWarning) as inner:
        warnings.warn("any", UserWarning, stacklevel=1)
        warnings.warn("step", StepWarning, stacklevel=1)
    assert (outer, inner) == (["any"], ["step"])


def test_one_who_leaves_takes_nothing_from_one_who_stays() -> None:
    """The first to come is the first to go."""
    came, both, gone = threading.Event(), threading.Event(), threading.Event()

    def first() -> None:
        with captured_warnings():
            came.set()
            both.wait(20)
        gone.set()

    thread = threading.Thread(target=first)
    thread.start()
    came.wait(20)
    with captured_warnings() as told:
        both.set()
        gone.wait(20)
        warnings.warn("mine", UserWarning, stacklevel=1)
    thread.join(20)
    assert told == ["mine"]


def test_a_warning_points_at_the_line_that_called_into_carom() -> None:
    names: dict[str, Any] = {"__name__": "carom.somewhere", "warn_caller": warn_caller, "StepWarning": StepWarning}
    calls = "def inside(depth):\n    warn_caller('deep', StepWarning) if depth == 0 else inside(depth - 1)\n"
    exec(calls, names)
    for depth in range(3):
        with pytest.warns(StepWarning, match="deep") as told:
            names["inside"](depth)
        assert [each.filename for each in told] == [__file__]
