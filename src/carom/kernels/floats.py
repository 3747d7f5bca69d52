"""Neighbours of floats: the same on every machine and in every browser, without a library of C."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels.compilers import meaning
from carom.kernels.jit import Real, inline

SMALLEST = 5e-324  # the least float above zero


@intrinsic
def _bits(_typing: Any, x: Any) -> Any:
    """The bits of a float as a whole number."""

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), emit


@intrinsic
def _float(_typing: Any, bits: Any) -> Any:
    """The float that has these bits."""

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), emit


bits_of: Any = meaning(_bits, "bits_of")  # as kernels call it, without the typing context
float_of: Any = meaning(_float, "float_of")


@inline
def next_up(x: Real) -> float:
    """The least float above x."""
    if not x < np.inf:
        return x
    if x == 0.0:
        return SMALLEST
    return float_of(bits_of(x) + (1 if x > 0.0 else -1))


@inline
def next_down(x: Real) -> float:
    """The greatest float below x."""
    return -next_up(-x)
