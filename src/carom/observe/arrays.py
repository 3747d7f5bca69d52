"""Arrays that a run hands out: they can be read, and a write names the call that changes the run."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError, Problem

__all__ = ["Handed", "Reading", "reading"]


class Handed(np.ndarray[Any, Any]):
    """An array with something of its own, which arithmetic, copies and pickles turn into a plain array."""

    __array_priority__ = -1e6  # that of a plain number: np.concatenate and the like give plain arrays

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Calculate as with plain arrays. What is named as `out` is written to, and returned as it is."""
        out = options.get("out")
        if out is not None:
            for each in out:
                if isinstance(each, Handed):
                    each.check_writeable()
            options["out"] = tuple(map(_plain, out))
        if "where" in options:
            options["where"] = _plain(options["where"])
        result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        return result if out is None else out[0] if len(out) == 1 else out

    def check_writeable(self) -> None:
        """Refuse to write where NumPy would refuse it; subclasses say what to do instead."""

    def copy(self, order: Any = "C") -> NDArray[Any]:  # type: ignore[override]  # a copy is a plain array
        """A plain array of the same values, which can be written to."""
        return np.array(self, order=order)

    def __copy__(self) -> NDArray[Any]:  # type: ignore[override]  # as above
        return np.array(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> NDArray[Any]:  # type: ignore[override]  # as above
        return np.array(self)

    def __reduce__(self) -> Any:
        return np.array(self).__reduce__()

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class Reading(Handed):
    """What a run is like at a time; a write is refused with the name of the call that does it."""

    told: tuple[str, str] = ("the array", "")
    """What it is called, and what to do instead of writing to it."""

    def __array_finalize__(self, source: Any) -> None:
        self.told = getattr(source, "told", Reading.told)

    def __setitem__(self, which: Any, value: Any) -> None:
        self.check_writeable()
        super().__setitem__(which, value)

    def check_writeable(self) -> None:
        """Refuse to write, and say how to change the run."""
        if not self.flags.writeable:
            name, remedy = self.told
            what = "is read from the run, and writing to it would change nothing"
            copied = f"Or change a copy of the array: {name}.copy()."
            raise ArgumentError([Problem(name, what, f"{remedy} {copied}".lstrip())])

    def _read_only(self, told: tuple[str, str]) -> Self:
        self.told = told
        self.flags.writeable = False
        return self


def reading(array: NDArray[Any], name: str, remedy: str = "") -> NDArray[Any]:
    """The array as one that can only be read; `remedy` says how to change what it shows."""
    return array.view(Reading)._read_only((name, remedy))  # noqa: SLF001  # of this module


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, Handed) else value
