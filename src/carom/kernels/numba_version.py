"""The releases of Numba that carom knows: its kernels use private names, which differ between releases."""

import os
import re
from importlib import import_module

from carom.errors import VersionError

LOWEST = "0.63.1"
BELOW = "0.69"
"""What was tried (tools/tried_versions.toml), from LOWEST on and before BELOW; pyproject.toml has the same bounds."""
PLAIN_JIT = "CAROM_PLAIN_JIT"
"""A variable of the environment: with 1, kernels use no private name of Numba, and any release of it is taken."""


def is_plain_jit() -> bool:
    """Is the plain way to compile kernels asked for?"""
    return os.environ.get(PLAIN_JIT, "0") not in {"", "0"}


def require_known_numba() -> None:
    """Stop with a VersionError if there is no Numba that carom was tried with."""
    try:
        found: str = import_module("numba").__version__
    except ImportError as error:  # also if it does not fit the NumPy that is installed
        raise VersionError(f"Numba cannot be loaded ({error})", f"numba>={LOWEST},<{BELOW}") from None
    if not is_plain_jit() and not numbers(LOWEST) <= numbers(found) < numbers(BELOW):
        what = f"Numba {found} is installed, but carom works with {LOWEST} or later, before {BELOW}"
        raise VersionError(what, f"numba>={LOWEST},<{BELOW}")


def numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: 0, 69, 0 of 0.69.0rc1."""
    return tuple(int(each) for each in re.findall(r"\d+", version)[:3])
