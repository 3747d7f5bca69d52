"""Laws are only for kernels to call; here they are made callable from Python."""

from __future__ import annotations

from typing import Any

from carom.kernels.jit import kernel


def called(law: Any) -> Any:
    """A law, or a branch, as a kernel of its own."""
    return kernel(law.py_func)
