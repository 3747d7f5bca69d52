"""Inverse powers of eight numbers at once, in two flavours.

The strict one is IEEE's square root and division. The quick one begins with a guess from the bits of the number
(Lomont, "Fast inverse square root", 2003) and refines it by two polynomials in e = 1 - s y², with products and sums
that are rounded once. Both consist of operations that IEEE defines to the last bit, in a fixed order: both give the
same bits on every machine. Both are good to a few roundings.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from carom.kernels.compilers import meaning
from carom.kernels.jit import inline
from carom.kernels.simd import fused, short

GUESS = 0x5FE6875000000000  # less half the bits of s: s^(-1/2), e between -0.0344 and 0.0920
# The cubic that comes nearest to (1 - e)^(-1/2) over that range; relative error 6.2e-7.
C0, C1, C2, C3 = 1.000000209325894, 0.4999591646339282, 0.3746372213035068, 0.34759603194429334


@intrinsic
def _guess(_typing: Any, numbers: Any) -> Any:
    """About s^(-1/2)."""

    def emit(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        width = signature.return_type.width
        words = ir.VectorType(ir.IntType(64), width)
        half = builder.lshr(builder.bitcast(values[0], words), ir.Constant(words, [1] * width))
        return builder.bitcast(builder.sub(ir.Constant(words, [GUESS] * width), half), values[0].type)

    return numbers(numbers), emit


guess: Any = meaning(_guess, "guess")  # as kernels call it, without the typing context


@inline
def plus(strict: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once or, if strict, twice."""
    if len(strict) == 1:
        return a * b + c
    else:
        return fused(a, b, c)


@inline
def nearly(s: Any) -> tuple[Any, Any]:
    """y = s^(-1/2) to 6e-7, and y²."""
    y = guess(s)
    e = short(s * y, y, 1.0)
    y = y * fused(fused(fused(e, C3, C2), e, C1), e, C0)
    return y, y * y


@inline
def inverse_cube(strict: Any, s: Any) -> Any:
    """s^(-3/2)."""
    if len(strict) == 1:
        return 1.0 / (s * np.sqrt(s))
    else:
        y, y2 = nearly(s)
        e, y3 = short(s, y2, 1.0), y * y2
        return fused(y3, e * fused(e, 1.875, 1.5), y3)


@inline
def inverse(strict: Any, s: Any) -> Any:
    """1/s."""
    if len(strict) == 1:
        return 1.0 / s
    else:
        _, y2 = nearly(s)
        e = short(s, y2, 1.0)
        return fused(y2, e * (e + 1.0), y2)
