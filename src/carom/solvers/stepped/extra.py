"""Forces that a user adds, as functions that are compiled when they are first used.

A compiled function is called by its address, so that the step loop need not be compiled anew for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import signature
from typing import Any

import numba
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]  # Numba has no types
from numba.extending import intrinsic

from carom.errors import ArgumentError, Problem
from carom.physics.jit import OPTIONS
from carom.scene.base import shown

_ROWS = types.CPointer(types.float64)  # type: ignore[no-untyped-call]  # Numba has no types
_TABLE, _COLUMN = types.Array(types.float64, 2, "A"), types.Array(types.float64, 1, "A")
_ARRAYS = (types.float64, _TABLE, _TABLE, _COLUMN, _TABLE)
_SIGNATURE = types.void(types.float64, _ROWS, _ROWS, _ROWS, types.int64)


class Force:
    """A force of one's own, and the energy that it stores, if it does."""

    def __init__(self, function: Callable[..., None], potential: Callable[..., float] | None = None) -> None:
        self.name = function.__name__
        self.__module__ = function.__module__  # where a pickle looks for it
        self.function = function
        self._potential = potential
        self._compiled: Any = None

    def potential(self, function: Callable[..., float]) -> Callable[..., float]:
        """Use this function of (t, x, v, m) as the potential energy, J: a decorator."""
        self._potential = function
        return function

    def energy(self, t: float, x: Any, v: Any, m: Any) -> float | None:
        """The potential energy, J; None if nothing tells it."""
        return None if self._potential is None else float(self._potential(t, x, v, m))

    @property
    def address(self) -> int:
        """Where the compiled function is."""
        if self._compiled is None:
            self._compiled = _compiled(self.function)
        return int(self._compiled.address)

    def __deepcopy__(self, memo: dict[int, Any]) -> Force:
        return self

    def __reduce__(self) -> str:
        """A pickle holds its name, as it does of functions."""
        return self.function.__qualname__

    def __repr__(self) -> str:
        return f"<force {self.name}>"


def force(function: Callable[..., None]) -> Force:
    """Make a force of a function that adds to `f`; a decorator.

    It is called with the time t (s), places x (N rows of three, m), velocities v (m/s), masses m (kg), and forces f (N
    rows of three, N), and is compiled by Numba, so it may loop over bodies:

        @carom.force
        def wind(t, x, v, m, f):
            for i in range(len(m)):
                f[i, 0] += 0.1 * (3.0 - v[i, 0])

        sim = Simulation(scene, forces=[wind])
    """
    given: Any = function
    what = ""
    if not callable(given):
        what = f"{shown(given)} is not a function"
    elif (taken := len(signature(function).parameters)) != len(_ARRAYS):
        what = f"{function.__name__} takes {taken} argument{'' if taken == 1 else 's'}"
    if what:
        raise ArgumentError([Problem("force", what, "Write a function of (t, x, v, m, f).")])
    return Force(function)


def _compiled(function: Callable[..., None]) -> Any:
    inner = numba.njit(error_model=OPTIONS["error_model"], nogil=True)(function)
    try:
        inner.compile(_ARRAYS)
    except Exception as error:  # Numba lets errors of many kinds through
        where, what = f"force {function.__name__}", f"does not compile: {_reason(error)}"
        remedy = "Write it in what Numba knows: numbers, arrays, loops, math."
        raise ArgumentError([Problem(where, what, remedy)]) from error

    @numba.cfunc(_SIGNATURE, error_model=OPTIONS["error_model"])
    def entry(t, place, velocity, accel, n):  # type: ignore[no-untyped-def]  # pragma: no cover  # typed by Numba
        x, v, a = carray(place, (n, 4)), carray(velocity, (n, 4)), carray(accel, (n, 4))
        inner(t, x[:, :3], v[:, :3], a[:, 3], a[:, :3])

    return entry


_COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""Numba prints in bold where it finds a package for that."""


def _reason(error: Exception) -> str:
    """The line in a complaint of Numba's that tells what is wrong."""
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines()]
    telling = [line for line in lines if line and not line.startswith(("Failed in", "During", "File"))]
    return (telling or [type(error).__name__])[0].rstrip(".")


@intrinsic
def _call_force(typing_context: Any, address: Any, t: Any, place: Any, velocity: Any, accel: Any, n: Any) -> Any:
    """Call the function at an address with the time and the rows of the first n bodies."""
    signature = types.void(types.int64, types.float64, place, velocity, accel, types.int64)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        real, word = ir.DoubleType(), ir.IntType(64)
        rows = [
            builder.bitcast(context.make_array(kind)(context, builder, value).data, real.as_pointer())
            for kind, value in zip(signature.args[2:5], arguments[2:5], strict=True)
        ]
        kind = ir.FunctionType(ir.VoidType(), [real, *(each.type for each in rows), word])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [arguments[1], *rows, arguments[5]])
        return context.get_dummy_value()

    return signature, emit


call_force: Any = _call_force  # as kernels call it, without the context
