"""What kernels mean without Numba is what they mean with it: whole numbers, records, numbers side by side."""

import itertools
import math
import operator
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from carom.kernels import powers, simd
from carom.kernels.interpreter import intrinsics
from carom.kernels.interpreter.functions import Interpreter
from carom.kernels.interpreter.intrinsics import LanesValue
from carom.kernels.interpreter.names import MATH, NUMPY
from carom.kernels.interpreter.views import seen
from carom.kernels.interpreter.whole_numbers import SignedInt, UnsignedInt
from carom.kernels.jit import kernel

WHOLE = [
    np.uint8(3), np.uint8(255), np.uint32(0), np.uint32(7), np.uint32(0xFFFFFFFF), np.uint64(5), np.uint64(2**64 - 1),
    np.int64(-3), np.int64(2**63 - 1), np.int32(-7), 6,
]  # fmt: skip
OPERATORS = ["add", "sub", "mul", "and_", "or_", "xor", "truediv", "lt", "eq"]
INTERPRETER = Interpreter()


class Pair(NamedTuple):
    a: Any
    b: Any


def compiled(function: Callable[..., Any]) -> Any:
    return numba.njit(error_model="numpy")(function)


def compiled_call(function: Any, count: int) -> Any:
    """A compiled function that calls one that Numba knows, with one argument or two."""

    def one(a: Any) -> Any:
        return function(a)

    def two(a: Any, b: Any) -> Any:
        return function(a, b)

    return compiled(one if count == 1 else two)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_whole_numbers(name: str) -> None:
    calculate = getattr(operator, name)
    expected = compiled_call(calculate, 2)
    with np.errstate(all="ignore"):
        for a, b in itertools.product(WHOLE, WHOLE):
            found = calculate(seen(a), seen(b))
            if isinstance(a, int) and isinstance(b, int):
                continue  # Python's own
            assert repr(float(found)) == repr(float(expected(a, b))), (a, name, b)
            if name != "truediv":
                assert found == expected(a, b), (a, name, b)


@pytest.mark.parametrize("name", ["floordiv", "mod"])
def test_divisions_of_whole_numbers(name: str) -> None:
    calculate = getattr(operator, name)
    expected = compiled_call(calculate, 2)
    for a, b in itertools.product(WHOLE, WHOLE):
        if b != 0:
            assert calculate(seen(a), seen(b)) == expected(a, b), (a, name, b)


@pytest.mark.parametrize("name", ["lshift", "rshift"])
def test_shifts(name: str) -> None:
    calculate = getattr(operator, name)
    expected = compiled_call(calculate, 2)
    for a, b in itertools.product(WHOLE, [np.uint32(1), np.uint64(40), 3]):
        assert calculate(seen(a), seen(b)) == expected(a, b), (a, name, b)


@pytest.mark.parametrize("name", ["neg", "invert"])
def test_operators_of_one(name: str) -> None:
    calculate = getattr(operator, name)
    expected = compiled_call(calculate, 1)
    for a in (np.uint8(3), np.uint32(7), np.uint64(2**64 - 1), np.int64(-3), np.int64(2**63 - 1)):
        assert calculate(seen(a)) == expected(a), (name, a)


@pytest.mark.parametrize("name", ["uint8", "uint32", "uint64", "int32", "int64"])
@pytest.mark.parametrize("value", [np.int64(-1), np.uint64(2**63 + 5), np.float64(3.9), 300])
def test_conversions(name: str, value: Any) -> None:
    convert = getattr(np, name)
    assert getattr(NUMPY, name)(seen(value)) == compiled_call(convert, 1)(value)


def test_a_sum_with_a_float_is_one() -> None:
    for whole in (SignedInt(3), UnsignedInt(3)):
        for found in (whole + 0.5, 0.5 + whole, np.float64(0.5) + whole, whole * np.float64(0.5) + 2):
            assert found == 3.5
            assert isinstance(found, float)


def change(records: Any, one: Any, numbers: Any) -> Any:
    item = records[1]
    item.x += 0.5
    item.count -= 1
    item.pair[1] = 7.0
    item.small = np.int8(np.uint8(200))
    records[2] = item
    one.x = item.x / (item.x - 0.5)
    numbers[0] = item.count + 1
    return item.count, len(records), records.size, records.shape[0], item.pair[1], int(item.x), -item.x


@pytest.mark.parametrize("entry", [INTERPRETER.kernel(change, {}), compiled(change)], ids=["interpreted", "compiled"])
def test_what_kernels_read_write_and_give_back(entry: Any) -> None:
    record = np.dtype([("x", "f8"), ("count", "u4"), ("pair", "f8", 2), ("small", "i1")])
    raw, numbers = np.zeros(3, record), np.zeros(2, np.uint8)
    found = entry(raw, raw[0], numbers)
    assert found == (0xFFFFFFFF, 3, 3, 3, 7.0, 0, -0.5)
    assert [type(each) for each in found] == [int, int, int, int, float, int, float]
    assert raw["x"].tolist() == [math.inf, 0.5, 0.5]
    assert raw["count"].tolist() == [0, 0xFFFFFFFF, 0xFFFFFFFF]
    assert raw["pair"].tolist() == [[0.0, 0.0], [0.0, 7.0], [0.0, 7.0]]
    assert raw["small"].tolist() == [0, -56, -56]
    assert numbers.tolist() == [0, 0]


def test_arrays_and_named_tuples_go_through_unchanged() -> None:
    given = Pair(np.arange(3.0), None)
    found = INTERPRETER.kernel(lambda pair: (pair, pair.a[0] / 0.0), {})(given)
    assert isinstance(found[0], Pair)
    assert found[0].a is given.a
    assert math.isnan(found[1])


def test_a_field_that_is_not_there_is_an_error() -> None:
    raw = np.zeros(2, [("x", "f8")])
    for read in (lambda records, one: records[0].y, lambda records, one: one.y):
        with pytest.raises((AttributeError, ValueError), match="y"):
            INTERPRETER.kernel(read, {})(raw, raw[0])


@kernel
def fuse(a: Any, b: Any, c: Any, out: Any) -> None:
    for k in range(0, a.size, 4):
        x, y, z = simd.read(a, k), simd.read(b, k), simd.read(c, k)
        simd.write(out[0], k, simd.fused(x, y, z))
        simd.write(out[1], k, simd.short(x, y, z))
        simd.write(out[2], k, powers.guess(x * x + 0.5))
        simd.write(out[3], k, simd.without(x, 2))
        out[4, k] = simd.total(x)


def test_sums_and_products_that_are_rounded_once() -> None:
    special = [0.0, -0.0, 1.0, -1.0, np.inf, np.nan, 5e-324, 1e308, 1.0 / 3.0, 1.0 + 2.0**-52]
    rows = np.array(list(itertools.product(special, special, special)))
    a, b, c = (np.ascontiguousarray(column) for column in rows.T)
    out = np.zeros((5, a.size))
    fuse(a, b, c, out)
    with np.errstate(all="ignore"):
        for k in range(0, a.size, 4):
            x, y, z = (LanesValue(each[k : k + 4]) for each in (a, b, c))
            wanted = [
                intrinsics.fused(x, y, z), intrinsics.short(x, y, z), intrinsics.guess(x * x + 0.5),
                intrinsics.without(x, 2),
            ]  # fmt: skip
            for found, each in zip(out, wanted, strict=False):
                assert np.array_equal(found[k : k + 4], each.numbers, equal_nan=True)
                assert (
                    np.array_equal(np.signbit(found[k : k + 4]), np.signbit(each.numbers))
                    or np.isnan(each.numbers).any()
                )
            assert np.array_equal(out[4, k], intrinsics.total(x), equal_nan=True)


def test_a_rounding_is_left_out() -> None:
    a = 1.0 + 2.0**-30
    assert intrinsics.rounded_once(a, a, -1.0) == float(Fraction(a) ** 2 - 1) != a * a - 1.0


def test_math_has_the_meaning_that_numba_gives_it() -> None:
    with np.errstate(all="ignore"):
        assert math.isnan(MATH.sqrt(-1.0))
        assert math.isnan(NUMPY.log(-1.0))
        assert NUMPY.log(0.0) == -math.inf
    assert MATH.floor(-1.5) == -2
    assert isinstance(MATH.ceil(1.5), SignedInt)


def test_kernels_of_numbers_side_by_side_pass_their_tests_without_numba() -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(Path(__file__).with_name("test_simd.py")),
    ]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=115, check=False)
    assert done.returncode == 0, done.stdout
