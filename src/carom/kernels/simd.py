"""Four or eight numbers at once: types that kernels calculate with as with one number, and that fill vector registers.

A law that is written with + - * /, `max`, `min` and `np.sqrt` alone holds for one pair or for several side by side,
with the same bits: each operation is IEEE's, lane by lane. Processors without such registers do it in several steps.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from carom.kernels.compilers import meaning
from carom.kernels.llvm import byte_address, intrinsic_of_llvm

DOUBLE, PLACE = ir.DoubleType(), ir.IntType(32)
WORDS = ir.VectorType(ir.IntType(32), 4)
FIELDS = 8  # numbers at the beginning of a record that `columns` reads


class Lanes(types.Type):
    """Numba's type of some numbers side by side."""

    def __init__(self, width: int) -> None:
        super().__init__(name=f"Lanes({width})")
        self.width = width
        self.vector = ir.VectorType(DOUBLE, width)


FOUR, EIGHT = Lanes(4), Lanes(8)
LANES, VECTOR = FOUR.width, FOUR.vector


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """As many doubles in a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def _mixed(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(PLACE, len(lanes)), lanes))


def _spread(builder: Any, vector: Any, number: Any) -> Any:
    none = ir.Constant(vector, ir.Undefined)
    return _mixed(builder, builder.insert_element(none, number, PLACE(0)), none, [0] * vector.count)


def _greater(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _less(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def _called(builder: Any, name: str, *values: Any) -> Any:
    """LLVM's own function of some numbers at once."""
    vector = values[0].type
    function = ir.FunctionType(vector, [vector] * len(values))
    name = f"llvm.{name}.v{vector.count}f64"
    return builder.call(intrinsic_of_llvm(builder, function, name), values)


def _kind(*kinds: Any) -> Any:
    """The type of what is made of numbers side by side and single ones that stand for all lanes; None: they clash."""
    wide = {kind for kind in kinds if isinstance(kind, Lanes)}
    fits = all(isinstance(kind, Lanes | types.Float) for kind in kinds)
    return wide.pop() if fits and len(wide) == 1 else None


def _widened(builder: Any, signature: Any, values: Any) -> list[Any]:
    """The arguments, each in as many lanes as the result."""
    return [
        value if isinstance(kind, Lanes) else _spread(builder, signature.return_type.vector, value)
        for kind, value in zip(signature.args, values, strict=True)
    ]


# ---------------------------------------------------------------- arithmetic


def _offer(function: Any, emit: Any) -> None:
    """Teach Numba a function of two arguments, each of them numbers side by side or one that stands for all."""

    def types_of(_context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:  # Numba counts its arguments
            return _kind(a, b)

        return typer

    def lower(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *_widened(builder, signature, values))

    type_callable(function)(types_of)
    for kinds in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        lower_builtin(function, *kinds)(lower)


_offer(operator.add, lambda builder, a, b: builder.fadd(a, b))
_offer(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_offer(operator.mul, lambda builder, a, b: builder.fmul(a, b))
_offer(operator.truediv, lambda builder, a, b: builder.fdiv(a, b))
_offer(max, _greater)
_offer(min, _less)


def _type_of_root(_context: Any) -> Any:
    return lambda a: a if isinstance(a, Lanes) else None


def _root(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
    return _called(builder, "sqrt", *values)


type_callable(np.sqrt)(_type_of_root)
lower_builtin(np.sqrt, Lanes)(_root)


@intrinsic
def _fused(_typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once."""

    def emit(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _called(builder, "fma", *_widened(builder, signature, values))

    return _kind(a, b, c)(a, b, c), emit


@intrinsic
def _short(_typing: Any, a: Any, b: Any, c: Any) -> Any:
    """c - a b, rounded once."""

    def emit(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b, c = _widened(builder, signature, values)
        return _called(builder, "fma", builder.fneg(a), b, c)

    return _kind(a, b, c)(a, b, c), emit


@intrinsic
def _total(_typing: Any, numbers: Any) -> Any:
    """The sum of all, halves by halves."""

    def emit(_context: Any, builder: Any, signature: Any, values: Any) -> Any:
        (sums,), width = values, signature.args[0].width
        half = width // 2
        while half:
            sums = builder.fadd(sums, _mixed(builder, sums, sums, [k ^ half for k in range(width)]))
            half //= 2
        return builder.extract_element(sums, PLACE(0))

    return types.float64(numbers), emit


@intrinsic
def _without(_typing: Any, numbers: Any, lane: Any) -> Any:
    """The numbers, but zero in one lane."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = context.cast(builder, values[1], signature.args[1], types.uint32)
        return builder.insert_element(values[0], DOUBLE(0.0), place)

    return numbers(numbers, lane), emit


# ---------------------------------------------------------------- to and from memory


def _spreader(kind: Lanes) -> Any:
    """What makes one number stand in all lanes."""

    @intrinsic
    def spread(_typing: Any, number: Any) -> Any:
        def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return _spread(builder, kind.vector, values[0])

        return kind(types.float64), emit

    return spread


def _block(context: Any, builder: Any, signature: Any, values: Any, vector: Any) -> Any:
    """Where in an array (the first argument) numbers stand side by side, from an index (the second) on."""
    data = context.make_array(signature.args[0])(context, builder, values[0]).data
    index = context.cast(builder, values[1], signature.args[1], types.uintp)
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _reader(kind: Lanes) -> Any:
    """What takes numbers from an array, from an index on."""

    @intrinsic
    def read(_typing: Any, array: Any, index: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.load(_block(context, builder, signature, values, kind.vector), align=8)

        return kind(array, index), emit

    return read


@intrinsic
def _write(_typing: Any, array: Any, index: Any, numbers: Any) -> Any:
    """Write numbers into an array from an index on."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _block(context, builder, signature, values, values[2].type), align=8)
        return context.get_dummy_value()

    return types.void(array, index, numbers), emit


@intrinsic
def _columns(_typing: Any, records: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The first eight numbers of four records, turned: eight times four numbers.

    Read in pairs: so a pair that nobody needs is not read, and one that was just written as a pair is there at once.
    """
    result = types.UniTuple(FOUR, FIELDS)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, values[0]).data
        step = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        pair = ir.VectorType(DOUBLE, 2)
        columns = []
        for first in range(0, FIELDS, 2):
            rows = []
            for which in range(LANES):
                index = context.cast(builder, values[1 + which], signature.args[1 + which], types.uintp)
                byte = builder.add(builder.mul(index, step), context.get_constant(types.intp, 8 * first))
                place = builder.bitcast(byte_address(builder, data, byte), pair.as_pointer())
                rows.append(builder.load(place, align=8))
            even, odd = (_mixed(builder, rows[k], rows[k + 2], [0, 1, 2, 3]) for k in range(2))
            columns += [_mixed(builder, even, odd, [0, 4, 2, 6]), _mixed(builder, even, odd, [1, 5, 3, 7])]
        return context.make_tuple(builder, result, columns)

    return result(records, a, b, c, d), emit


@intrinsic
def _pick(_typing: Any, array: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Four items of an array."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        result = ir.Constant(VECTOR, ir.Undefined)
        for lane in range(LANES):
            index = context.cast(builder, values[1 + lane], signature.args[1 + lane], types.uintp)
            number = builder.load(builder.gep(data, [index]))
            result = builder.insert_element(result, number, PLACE(lane))
        return result

    return FOUR(array, a, b, c, d), emit


# ---------------------------------------------------------------- choices among four


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


@intrinsic
def _unless(_typing: Any, numbers: Any, limit: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The numbers, but infinity in the lane of each of four words that is beyond a limit."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        limit, *words = (
            context.cast(builder, value, kind, types.uint32)
            for value, kind in zip(values[1:], signature.args[1:], strict=True)
        )
        marks = ir.Constant(WORDS, ir.Undefined)
        for lane, mark in enumerate(words):
            marks = builder.insert_element(marks, mark, PLACE(lane))
        beyond = builder.icmp_unsigned(">", marks, _spread(builder, WORDS, limit))
        return builder.select(beyond, ir.Constant(VECTOR, [float("inf")] * LANES), values[0])

    return FOUR(numbers, limit, a, b, c, d), emit


@intrinsic
def _least(_typing: Any, numbers: Any) -> Any:
    """The least of the four."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        (numbers,) = values
        halves = _less(builder, numbers, _mixed(builder, numbers, numbers, [2, 3, 0, 1]))
        both = _less(builder, halves, _mixed(builder, halves, halves, [1, 0, 3, 2]))
        return builder.extract_element(both, PLACE(0))

    return types.float64(numbers), emit


@intrinsic
def _equals(_typing: Any, numbers: Any, number: Any) -> Any:
    """Which of the four are equal to a number: bit 0 for the first, up to bit 3."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        same = builder.fcmp_ordered("==", values[0], _spread(builder, VECTOR, values[1]))
        return builder.zext(builder.bitcast(same, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(numbers, types.float64), emit


@intrinsic
def _below(_typing: Any, numbers: Any, limits: Any) -> Any:
    """Which of the four are less than those of another four: bit 0 for the first, up to bit 3."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        less = builder.fcmp_ordered("<", *values)
        return builder.zext(builder.bitcast(less, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(FOUR, FOUR), emit


@intrinsic
def _lowest_bit(_typing: Any, bits: Any) -> Any:
    """The number of the lowest bit that is set."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), emit


# ---------------------------------------------------------------- four words at once


@intrinsic
def _copy_words(_typing: Any, source: Any, index: Any, mark: Any, target: Any, place: Any) -> Any:
    """Copy four words, each with a mark set in it; gives a bit for each of them that is not all ones."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        words = builder.load(_block(context, builder, types.void(*kinds[:2]), values[:2], WORDS), align=4)
        marks = _spread(builder, WORDS, context.cast(builder, values[2], kinds[2], types.uint32))
        there = _block(context, builder, types.void(*kinds[3:]), values[3:], WORDS)
        builder.store(builder.or_(words, marks), there, align=4)
        full = builder.icmp_unsigned("!=", words, ir.Constant(WORDS, [0xFFFFFFFF] * 4))
        return builder.zext(builder.bitcast(full, ir.IntType(4)), ir.IntType(64))

    return types.uint64(source, index, mark, target, place), emit


@intrinsic
def _bits_set(_typing: Any, bits: Any) -> Any:
    """How many bits are set."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.uint64(types.uint64), emit


# As kernels call them, without the typing context.
spread: Any = meaning(_spreader(FOUR), "spread")
spread_eight: Any = meaning(_spreader(EIGHT), "spread_eight")
read: Any = meaning(_reader(FOUR), "read")
read_eight: Any = meaning(_reader(EIGHT), "read_eight")
write: Any = meaning(_write, "write")
fused: Any = meaning(_fused, "fused")
short: Any = meaning(_short, "short")
total: Any = meaning(_total, "total")
without: Any = meaning(_without, "without")
columns: Any = meaning(_columns, "columns")
pick: Any = meaning(_pick, "pick")
meeting: Any = meaning(_meeting, "meeting")
unless: Any = meaning(_unless, "unless")
least: Any = meaning(_least, "least")
equals: Any = meaning(_equals, "equals")
below: Any = meaning(_below, "below")
lowest_bit: Any = meaning(_lowest_bit, "lowest_bit")
copy_words: Any = meaning(_copy_words, "copy_words")
bits_set: Any = meaning(_bits_set, "bits_set")
