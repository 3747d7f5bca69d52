"""How the step loop calls a custom force: a C function, by its address.

So the loop is compiled once for all forces. What a force raises, an index outside its arrays included, becomes a number
that the C function gives back: an exception cannot leave it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]  # Numba has no types
from numba.extending import intrinsic
from numpy.typing import NDArray

from carom.errors import ArgumentError
from carom.kernels.compilers import PLAIN_OPTIONS, is_interpreted, meaning

Floats = NDArray[np.float64]
Value = float | Floats

_MODEL = PLAIN_OPTIONS["error_model"]
_REAL = types.float64
_ROWS = types.CPointer(_REAL)  # type: ignore[no-untyped-call]  # Numba has no types
_TABLE, _COLUMN = types.Array(_REAL, 2, "A"), types.Array(_REAL, 1, "A")
_ARRAYS = (_REAL, _TABLE, _TABLE, _COLUMN, _TABLE)
_ENTRY = types.int64(_REAL, _ROWS, _ROWS, _ROWS, types.int64, _ROWS, types.int64)


class Compiled(NamedTuple):
    """A custom force as machine code."""

    function: Any
    """To call from Python."""
    entry: Any
    """To call by its address."""


def compile_force(function: Callable[..., None], kinds: Sequence[int]) -> Compiled:
    """Compile a custom force; `kinds` are the dimensions of its parameters, 0 for a number."""
    if is_interpreted():
        return Compiled(function, _Interpreted(function, kinds))
    arguments = (*_ARRAYS, *(types.Array(_REAL, kind, "C") if kind else _REAL for kind in kinds))
    inner: Any = numba.njit(error_model=_MODEL, nogil=True, boundscheck=True)(function)
    try:
        inner.compile(arguments)
    except Exception as error:  # Numba lets errors of many kinds through
        raise _refusal(function, "force.not-compiled", reason=_reason(error)) from error
    given_back = inner.overloads[arguments].signature.return_type
    if given_back != types.none:
        raise _refusal(function, "force.returns", given_back=given_back)
    return Compiled(inner, _entry(inner, tuple(kinds)))


class _Interpreted:
    """Takes the place of the C function where Numba compiles nothing."""

    def __init__(self, function: Callable[..., None], kinds: Sequence[int]) -> None:
        self.function = function
        self.kinds = kinds
        self.address = import_module("carom.kernels.interpreter.intrinsics").address_of(self)

    def __call__(self, t: float, x: Floats, v: Floats, m: Floats, f: Floats, given: Floats) -> None:
        """Call the function of the user with its parameters."""
        values: list[Value] = []
        at = 0
        for kind in self.kinds:
            shape = tuple(int(each) for each in given[at : at + kind])
            end = at + kind + math.prod(shape)
            values.append(given[at + kind : end].reshape(shape) if kind else float(given[at]))
            at = end
        self.function(t, x, v, m, f, *values)


def _entry(inner: Any, kinds: tuple[int, ...]) -> Any:
    """The C function: 0 if all is well, 1 if the force raised an error."""
    unpack = _unpacker(kinds)

    @numba.njit(error_model=_MODEL, nogil=True)
    def call(t, x, v, m, f, given):  # type: ignore[no-untyped-def]  # pragma: no cover  # typed by Numba
        arguments = (t, x, v, m, f) + unpack(given, 0)  # noqa: RUF005  # Numba cannot unpack within a tuple
        inner(*arguments)

    @numba.cfunc(_ENTRY, error_model=_MODEL)
    def entry(t, place, velocity, accel, n, given, size):  # type: ignore[no-untyped-def]  # pragma: no cover  # as above
        x, v, a = carray(place, (n, 4)), carray(velocity, (n, 4)), carray(accel, (n, 4))
        try:
            call(t, x[:, :3], v[:, :3], a[:, 3], a[:, :3], carray(given, size))
        except Exception:
            return 1
        return 0

    return entry


def _unpacker(kinds: tuple[int, ...]) -> Any:
    """A compiled function that makes a tuple of the parameters that `packed` has written one after the other."""
    if not kinds:
        return numba.njit(_nothing)
    rest = _unpacker(kinds[1:])

    def number(given: Any, at: Any) -> Any:  # pragma: no cover  # compiled by Numba, as those below
        return (given[at],) + rest(given, at + 1)  # noqa: RUF005  # as above

    def row(given: Any, at: Any) -> Any:  # pragma: no cover
        n = int(given[at])
        return (given[at + 1 : at + 1 + n],) + rest(given, at + 1 + n)  # noqa: RUF005  # as above

    def table(given: Any, at: Any) -> Any:  # pragma: no cover
        n, k = int(given[at]), int(given[at + 1])
        end = at + 2 + n * k
        return (given[at + 2 : end].reshape((n, k)),) + rest(given, end)  # noqa: RUF005  # as above

    return numba.njit((number, row, table)[kinds[0]])


def _nothing(given: Any, at: Any) -> Any:  # pragma: no cover
    return ()


def packed(values: Sequence[Value]) -> Floats:
    """Parameters one after the other, arrays with their lengths before them."""
    parts = [np.concatenate([np.shape(each), np.ravel(each)]) for each in values]
    return np.concatenate(parts) if parts else np.zeros(0)


class Extra(NamedTuple):
    """The custom forces of a run, as kernels take them."""

    address: Any  # of the compiled functions
    given: Any  # the parameters of all, one after the other
    begin: Any  # where those of each begin, and the last end
    failed: Any  # number of the first that raised an error, from 1 on, or 0; and the time then, s


def extra_of(forces: Sequence[Any]) -> Extra:
    """The custom forces of a run."""
    parts = [packed(list(force.parameters.values())) for force in forces]
    return Extra(
        address=np.array([force.address for force in forces], np.int64),
        given=np.concatenate([*parts, np.zeros(0)]),
        begin=np.cumsum([0, *(part.size for part in parts)], dtype=np.int64),
        failed=np.zeros(2),
    )


def why(compiled: Compiled, t: float, place: Floats, velocity: Floats, accel: Floats, values: Sequence[Value]) -> str:
    """What a force raises, called once more on copies of the rows."""
    x, v, a = place.copy(), velocity.copy(), accel.copy()
    try:
        compiled.function(t, x[:, :3], v[:, :3], a[:, 3], a[:, :3], *map(_fresh, values))
    except Exception as error:  # whatever a user's function raises
        return f"{type(error).__name__}: {error}".rstrip(": ")
    return "it raised an error"


def _fresh(value: Value) -> Value:
    return value.copy() if isinstance(value, np.ndarray) else value


def _refusal(function: Callable[..., None], id: str, **values: Any) -> ArgumentError:  # noqa: A002  # as of Problem
    return ArgumentError.of(id, where=f"force {function.__name__}", **values)


_COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""Numba prints in bold where it finds a package for that."""


def _reason(error: Exception) -> str:
    """The line in a complaint of Numba's that tells what is wrong."""
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines()]
    telling = [line for line in lines if line and not line.startswith(("Failed in", "During", "File"))]
    return (telling or [type(error).__name__])[0].rstrip(".")


@intrinsic
def _call_force(typing_context: Any, address: Any, t: Any, rows: Any, n: Any, given: Any) -> Any:
    """Call the function at an address with the time, rows of n bodies (place, velocity, acceleration), numbers."""
    signature = types.int64(types.int64, types.float64, rows, types.int64, given)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        real, word = ir.DoubleType(), ir.IntType(64)
        address, t, rows, n, given = arguments

        def array(kind: Any, value: Any) -> Any:
            return context.make_array(kind)(context, builder, value)

        def data(kind: Any, value: Any) -> Any:
            return builder.bitcast(array(kind, value).data, real.as_pointer())

        of_rows, of_given = signature.args[2], signature.args[4]
        places = [data(kind, builder.extract_value(rows, k)) for k, kind in enumerate(of_rows)]
        numbers, size = data(of_given, given), array(of_given, given).nitems
        kind = ir.FunctionType(word, [real, *(each.type for each in places), word, numbers.type, word])
        function = builder.inttoptr(address, kind.as_pointer())
        return builder.call(function, [t, *places, n, numbers, size])

    return signature, emit


call_force: Any = meaning(_call_force, "call_force")  # as kernels call it, without the context
