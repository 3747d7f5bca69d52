"""Warnings about steps, each to the bench that caused it: benches run in threads of their own."""

from __future__ import annotations

from contextlib import AbstractContextManager

from carom.errors import StepWarning
from carom.thread_warnings import heard


def step_warnings() -> AbstractContextManager[list[str]]:
    """The words of the `StepWarning`s of this thread, while it lasts."""
    return heard(StepWarning)
