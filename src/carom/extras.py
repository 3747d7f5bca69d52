"""Extras (optional parts) of the package: the modules they need, and the error if these are not installed."""

from importlib.util import find_spec

from carom.errors import MissingExtraError

MODULES = {
    "exports": ("gsd",),
    "lab": ("nicegui",),
    "notebook": ("anywidget",),
    "pandas": ("pandas",),
    "plots": ("matplotlib",),
    "sweep": ("distributed", "pyarrow"),
    "video": ("imageio_ffmpeg", "matplotlib"),
}
"""The modules of each extra that carom imports."""


def require(extra: str, feature: str, *modules: str) -> None:
    """Raise a MissingExtraError if modules of an extra (by default all of them) are not installed.

    Nothing is imported: a broken package raises its own error when it is imported.
    """
    missing = tuple(name.replace("_", "-") for name in modules or MODULES[extra] if not is_installed(name))
    if missing:
        raise MissingExtraError(feature, extra, missing)


def is_installed(module: str) -> bool:
    """True if a module is installed."""
    return find_spec(module) is not None
