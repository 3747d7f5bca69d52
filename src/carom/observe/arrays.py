"""Read-only arrays that a run returns; an attempt to write raises an error that names the right call."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from carom.errors import ArgumentError

__all__ = ["AnnotatedArray", "ReadOnlyArray", "read_only"]


class AnnotatedArray(np.ndarray[Any, Any]):
    """An array with extra attributes; arithmetic, copies and pickles give plain arrays without them."""

    __array_priority__ = -1e6  # as for a plain number, so that np.concatenate and the like give plain arrays

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Calculate as with plain arrays; an array given as `out` is written to and returned."""
        out = options.get("out")
        if out is not None:
            for each in out:
                if isinstance(each, AnnotatedArray):
                    each.check_writeable()
            options["out"] = tuple(map(_plain, out))
        if "where" in options:
            options["where"] = _plain(options["where"])
        result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        return result if out is None else out[0] if len(out) == 1 else out

    def check_writeable(self) -> None:
        """Raise an error if the array must not be written to; the default never raises."""

    def copy(self, order: Any = "C") -> NDArray[Any]:  # type: ignore[override]  # a copy is a plain array
        """A writable plain array of the same values."""
        return np.array(self, order=order)

    def __copy__(self) -> NDArray[Any]:  # type: ignore[override]  # as above
        return np.array(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> NDArray[Any]:  # type: ignore[override]  # as above
        return np.array(self)

    def __reduce__(self) -> Any:
        return np.array(self).__reduce__()

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class ReadOnlyArray(AnnotatedArray):
    """A read-only view of a quantity of a run; a write raises an error that names the call to use instead."""

    hint: tuple[str, str] = ("the array", "")
    """The name of the quantity, and what to do instead of writing to it."""

    def __array_finalize__(self, source: Any) -> None:
        self.hint = getattr(source, "hint", ReadOnlyArray.hint)

    def __setitem__(self, which: Any, value: Any) -> None:
        self.check_writeable()
        super().__setitem__(which, value)

    def check_writeable(self) -> None:
        """Raise an error that says how to change the run."""
        if not self.flags.writeable:
            name, remedy = self.hint
            raise ArgumentError.of("array.read-only", where=name, name=name, remedy=f"{remedy} ".lstrip())

    def _read_only(self, hint: tuple[str, str]) -> Self:
        self.hint = hint
        self.flags.writeable = False
        return self


def read_only(array: NDArray[Any], name: str, remedy: str = "") -> NDArray[Any]:
    """A read-only view of the array; `remedy` says how to change the quantity that it shows."""
    return array.view(ReadOnlyArray)._read_only((name, remedy))  # noqa: SLF001  # of this module


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, AnnotatedArray) else value
