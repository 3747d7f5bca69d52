"""Catches warnings about steps per thread, so that each bench gets its own."""

from __future__ import annotations

from contextlib import AbstractContextManager

from carom.errors import StepWarning
from carom.thread_warnings import captured_warnings


def step_warnings() -> AbstractContextManager[list[str]]:
    """A context that collects the texts of `StepWarning`s of this thread."""
    return captured_warnings(StepWarning)
