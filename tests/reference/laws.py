"""Makes inlined functions callable from Python."""

from __future__ import annotations

from typing import Any

from carom.kernels.jit import kernel


def called(law: Any) -> Any:
    """Compile an inlined function, or a branch, as a kernel."""
    return kernel(law.py_func)
