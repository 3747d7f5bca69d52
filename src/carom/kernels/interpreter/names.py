"""What names mean in a kernel that is not compiled: `np`, `math`, built-in functions, constants."""

import builtins
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from carom.kernels.interpreter import intrinsics
from carom.kernels.interpreter.intrinsics import LanesValue
from carom.kernels.interpreter.views import seen
from carom.kernels.interpreter.whole_numbers import UnsignedInt, cast_to, whole


class _Library:
    """A module, some of whose functions mean something else in kernels."""

    def __init__(self, module: Any, changed: dict[str, Any]) -> None:
        self._module = module
        self.__dict__.update(changed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def square_root(value: Any) -> Any:
    """The root of a number or of numbers side by side; not a number of what is negative."""
    return LanesValue(np.sqrt(value.numbers)) if isinstance(value, LanesValue) else np.sqrt(np.float64(value))


def logarithm(value: Any) -> Any:
    """As the C library has it: NumPy's own may differ by a last bit."""
    return np.float64(math.log(value)) if value > 0.0 else np.log(np.float64(value))


def maximum(first: Any, *others: Any) -> Any:
    """The greatest number, of each lane or of all."""
    if any(isinstance(each, LanesValue) for each in (first, *others)):
        return intrinsics.greater(first, *others)
    return builtins.max(first, *others)


def minimum(first: Any, *others: Any) -> Any:
    """The smallest number, of each lane or of all."""
    if any(isinstance(each, LanesValue) for each in (first, *others)):
        return intrinsics.less(first, *others)
    return builtins.min(first, *others)


def counted(*limits: Any) -> Iterator[Any]:
    """The numbers of a range, which are unsigned if its limits are."""
    unsigned = all(isinstance(each, UnsignedInt) for each in limits)
    return map(UnsignedInt, range(*limits)) if unsigned else iter(range(*limits))


INTEGERS = {f"{sign}int{bits}": cast_to(bits, signed=not sign) for sign in ("", "u") for bits in (8, 16, 32, 64)}
NUMPY = _Library(np, {**INTEGERS, "intp": INTEGERS["int64"], "sqrt": square_root, "log": logarithm, "bool_": bool})
MATH = _Library(
    math,
    {
        "sqrt": square_root,
        "log": logarithm,
        "floor": lambda value: whole(np.floor(value)),
        "ceil": lambda value: whole(np.ceil(value)),
        "atan2": lambda y, x: np.float64(math.atan2(y, x)),
    },
)
BUILT_IN: dict[str, Any] = {"max": maximum, "min": minimum, "range": counted, "int": whole, "float": np.float64}


class KernelNames(dict[str, Any]):
    """The global names of a kernel: those of its module, with the meanings that they have in kernels.

    A name is looked up when it is used, as Python does, so that a function may come before what it calls.
    """

    def __init__(self, module: dict[str, Any]) -> None:
        super().__init__()
        self.module = module

    def __missing__(self, name: str) -> Any:
        if name not in self.module:
            return BUILT_IN[name]
        value = self.module[name]
        if value is np:
            return NUMPY
        return MATH if value is math else seen(value)
