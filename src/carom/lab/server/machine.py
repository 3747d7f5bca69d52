"""The memory of this computer."""

from __future__ import annotations

import os

DEFAULT_MEMORY = 4 * 2**30
"""Assumed if the system does not report its memory, bytes."""


def physical_memory() -> int:
    """Bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # as on Windows
        return DEFAULT_MEMORY
