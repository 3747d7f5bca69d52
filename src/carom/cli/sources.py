"""Where a scene comes from: a file, or a name in the library."""

import difflib
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from carom.cli.terminal import Mistake, complain
from carom.errors import InputError, StepWarning
from carom.scene import library
from carom.scene.io.files import load
from carom.scene.io.find import FILE_ENDINGS, is_file_name
from carom.scene.model import Scene

SUFFIXES = FILE_ENDINGS
RECORDINGS = (".h5", ".hdf5", ".h5md")
"""Suffixes of recordings."""


def scene_from(source: str) -> Scene:
    """Load a scene from the library or a file; a name of the library takes precedence over a file without suffix."""
    if source in library.names():
        return library.load(source)
    if is_file_name(source):
        return load(Path(source))
    raise Mistake(f"{source!r} is neither a file nor a scene of the library. {scene_hint(source)}")


def scene_hint(name: str) -> str:
    """The most similar name of the library, or the command that lists all."""
    return hint(name, library.names(), "carom scenes")


def hint(name: str, known: Collection[str], command: str) -> str:
    """The most similar known name, or the command that lists all."""
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"See them all: {command}"


def require_writable(target: Path, *, force: bool, nouns: str = "scenes", suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Mistake, before any work is done, if the file could not be written at the end."""
    if target.suffix.lower() not in suffixes:
        raise Mistake(f"{target}: {nouns} are saved as {' or '.join(suffixes)}. Give the file such an ending.")
    require_place(target, force=force)


def require_place(target: Path, *, force: bool) -> None:
    """Mistake if a file cannot be written there, or would overwrite one without --force."""
    if not target.parent.is_dir():
        raise Mistake(f"{target}: there is no folder {target.parent}. Make it first.")
    if target.is_dir():
        raise Mistake(f"{target} is a folder. Name a file.")
    if (target.exists() or target.is_symlink()) and not force:  # a link may lead to no file yet
        raise Mistake(f"{target} exists already. Choose another name, or overwrite it with --force.")


@contextmanager
def named_in_errors(source: str) -> Iterator[None]:
    """Name the source of the scene in errors from inside, and in warnings about the step."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", StepWarning)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **options: Any) -> None:
            if issubclass(category, StepWarning):
                complain(f"{source}: {message}")
            else:
                usual(message, category, *rest, **options)

        warnings.showwarning = show
        try:
            yield
        except InputError as error:
            raise type(error)(error.problems, source=error.source or source) from None
