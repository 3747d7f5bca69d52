"""Four numbers at once: a type that kernels calculate with as with one number, and that fills a vector register.

A law that is written with + - * /, `max` and `np.sqrt` alone holds for one pair or for four pairs side by side, with
the same bits: each operation is IEEE's, lane by lane. Processors without such registers do it in several steps.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

LANES = 4
DOUBLE = ir.DoubleType()
VECTOR = ir.VectorType(DOUBLE, LANES)
PLACES = ir.VectorType(ir.IntType(32), LANES)
FIELDS = 8  # numbers at the beginning of a record that `columns` reads


class Four(types.Type):
    """Numba's type of four numbers side by side."""

    def __init__(self) -> None:
        super().__init__(name="Four")


FOUR = Four()


@register_model(Four)
class FourModel(models.PrimitiveModel):
    """Four doubles in a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _spread(builder: Any, number: Any) -> Any:
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.IntType(32)(0))
    return builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), ir.Constant(PLACES, [0] * LANES))


def _greater(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _less(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def _mixed(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(PLACES, lanes))


def _offer(function: Any, emit: Any) -> None:
    """Teach Numba a function of two arguments, each of them four numbers or one that stands for all four."""

    def types_of(_context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            pair = (a, b)
            fits = FOUR in pair and all(each is FOUR or isinstance(each, types.Float) for each in pair)
            return FOUR if fits else None

        return typer

    def lower(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b = (
            value if kind is FOUR else _spread(builder, value)
            for kind, value in zip(signature.args, values, strict=True)
        )
        return emit(builder, a, b)

    type_callable(function)(types_of)
    for kinds in ((FOUR, FOUR), (FOUR, types.Float), (types.Float, FOUR)):
        lower_builtin(function, *kinds)(lower)


_offer(operator.add, lambda builder, a, b: builder.fadd(a, b))
_offer(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_offer(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_offer(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))
_offer(max, _greater)
_offer(min, _less)


def _type_of_root(_context: Any) -> Any:
    def typer(a: Any) -> Any:
        return FOUR if a is FOUR else None

    return typer


def _root(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
    kind = ir.FunctionType(VECTOR, [VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v4f64"), values)


type_callable(np.sqrt)(_type_of_root)
lower_builtin(np.sqrt, FOUR)(_root)


@intrinsic
def _spread_out(_typing: Any, number: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return _spread(builder, values[0])

    return FOUR(types.float64), emit


@intrinsic
def _columns(_typing: Any, records: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The first eight numbers of four records, turned: eight times four numbers."""
    result = types.UniTuple(FOUR, FIELDS)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, values[0]).data
        step = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        start = builder.bitcast(data, ir.IntType(8).as_pointer())
        columns = []
        for half in range(FIELDS // LANES):
            rows = []
            for which in range(LANES):
                index = context.cast(builder, values[1 + which], signature.args[1 + which], types.uintp)
                byte = builder.add(builder.mul(index, step), context.get_constant(types.intp, 8 * LANES * half))
                place = builder.bitcast(cgutils.pointer_add(builder, start, byte), VECTOR.as_pointer())
                rows.append(builder.load(place, align=8))
            columns += _turned(builder, rows)
        return context.make_tuple(builder, result, columns)

    return result(records, a, b, c, d), emit


def _turned(builder: Any, rows: list[Any]) -> list[Any]:
    """Four rows of four numbers as four columns."""
    (a, b, c, d), low, high = rows, [0, 1, 4, 5], [2, 3, 6, 7]
    even, odd = [0, 4, 2, 6], [1, 5, 3, 7]
    first, third = _mixed(builder, a, b, even), _mixed(builder, c, d, even)
    second, fourth = _mixed(builder, a, b, odd), _mixed(builder, c, d, odd)
    return [
        _mixed(builder, first, third, low),
        _mixed(builder, second, fourth, low),
        _mixed(builder, first, third, high),
        _mixed(builder, second, fourth, high),
    ]


@intrinsic
def _pick(_typing: Any, array: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Four items of an array."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        result = ir.Constant(VECTOR, ir.Undefined)
        for lane in range(LANES):
            index = context.cast(builder, values[1 + lane], signature.args[1 + lane], types.uintp)
            number = builder.load(builder.gep(data, [index]))
            result = builder.insert_element(result, number, ir.IntType(32)(lane))
        return result

    return FOUR(array, a, b, c, d), emit


@intrinsic
def _meeting(_typing: Any, root: Any, b: Any, disc: Any) -> Any:
    """The root where b < 0 and D ≥ 0, else infinity."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        root, b, disc = values
        zero = ir.Constant(VECTOR, [0.0] * LANES)
        never = ir.Constant(VECTOR, [float("inf")] * LANES)
        meets = builder.and_(builder.fcmp_ordered("<", b, zero), builder.fcmp_ordered(">=", disc, zero))
        return builder.select(meets, root, never)

    return FOUR(root, b, disc), emit


def _block(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Where in an array (the first argument) four numbers stand, from an index (the second) on."""
    data = context.make_array(signature.args[0])(context, builder, values[0]).data
    index = context.cast(builder, values[1], signature.args[1], types.uintp)
    return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())


@intrinsic
def _write(_typing: Any, array: Any, index: Any, numbers: Any) -> Any:
    """Write four numbers into an array from an index on."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _block(context, builder, signature, values), align=8)
        return context.get_dummy_value()

    return types.void(array, index, numbers), emit


@intrinsic
def _read(_typing: Any, array: Any, index: Any) -> Any:
    """Four numbers of an array from an index on."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_block(context, builder, signature, values), align=8)

    return FOUR(array, index), emit


@intrinsic
def _least(_typing: Any, numbers: Any) -> Any:
    """The least of the four."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        (numbers,) = values
        halves = _less(builder, numbers, _mixed(builder, numbers, numbers, [2, 3, 0, 1]))
        both = _less(builder, halves, _mixed(builder, halves, halves, [1, 0, 3, 2]))
        return builder.extract_element(both, ir.IntType(32)(0))

    return types.float64(numbers), emit


@intrinsic
def _equals(_typing: Any, numbers: Any, number: Any) -> Any:
    """Which of the four are equal to a number: bit 0 for the first, up to bit 3."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        same = builder.fcmp_ordered("==", values[0], _spread(builder, values[1]))
        return builder.zext(builder.bitcast(same, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(numbers, types.float64), emit


@intrinsic
def _lowest_bit(_typing: Any, bits: Any) -> Any:
    """The number of the lowest bit that is set."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), emit


# As kernels call them, without the typing context.
spread: Any = _spread_out
columns: Any = _columns
pick: Any = _pick
meeting: Any = _meeting
write: Any = _write
read: Any = _read
least: Any = _least
equals: Any = _equals
lowest_bit: Any = _lowest_bit
