"""What this computer has."""

from __future__ import annotations

import os

UNKNOWN = 4 * 2**30
"""Where the system does not tell its memory."""


def physical_memory() -> int:
    """Bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # as on Windows
        return UNKNOWN
