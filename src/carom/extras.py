"""Optional parts: what each needs, and the one line that says so where it is not installed."""

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
"""The modules that each extra brings and carom imports."""


def require(extra: str, feature: str, *modules: str) -> None:
    """Stop with a MissingExtraError if modules of an extra (all, if none are named) are not installed.

    Nothing is imported: a package that is there but broken tells its own story when it is.
    """
    missing = tuple(name.replace("_", "-") for name in modules or MODULES[extra] if not is_there(name))
    if missing:
        raise MissingExtraError(feature, extra, missing)


def is_there(module: str) -> bool:
    """Is a module installed?"""
    return find_spec(module) is not None
