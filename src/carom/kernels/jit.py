"""How kernels are compiled: the only place that knows Numba's options.

Strict IEEE arithmetic everywhere (no fastmath, no contraction), so that the same scene gives the same bits. `numpy`
error model: a division by zero gives an infinity instead of an exception. No reference counting (`_nrt`): kernels
allocate nothing.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from carom.kernels.cache import compiled_once
from carom.kernels.fast_typing import Lean
from carom.kernels.linking import ForCallers

F = TypeVar("F", bound=Callable[..., Any])

# Numbers inside kernels: Numba knows their true types (unsigned indices, NumPy's floats); Python's would contradict.
Index: TypeAlias = Any
Real: TypeAlias = Any

OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True, "pipeline_class": Lean,
}  # fmt: skip
ALONE: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True}  # no entry from Python
WITHIN: dict[str, Any] = {**ALONE, "pipeline_class": ForCallers, "forceinline": False}  # else as in the caller
INLINE: dict[str, Any] = {**WITHIN, "forceinline": True}

# What LLVM makes vectors of. The components of one side by side in a register: 5 to 8 % on the exact solver, and the
# same bits. Numba has no option for this of one function: it is set while a kernel is compiled.
VECTORS = {"SLP_VECTORIZE": 1, "LOOP_VECTORIZE": 1}

PAGE = 4096  # bytes of a page of memory


def source_stamp() -> str:
    """A mark that changes when any module with kernels changes.

    Numba stamps a cached kernel with its own file alone, so that a change in a law that it calls would go unnoticed.
    """
    package = Path(__file__).parents[1]
    files = sorted(file for room in ("kernels", "physics", "solvers") for file in (package / room).rglob("*.py"))
    marks = [f"{file.name} {(status := file.stat()).st_mtime_ns} {status.st_size}" for file in files]
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()


STAMP = source_stamp()


def within(function: F, options: dict[str, Any]) -> F:
    """Compile a function that only kernels can call; a call from Python is refused.

    Much of the time to compile would go to entries from Python and C, which these functions do not need. Without
    them a call would end the process, so Numba is kept from finding one: its dispatcher is told of no overload. Nor is
    it told of constants that a function is called with, each of which would be compiled for itself.
    """

    def refuse(*_: Any, **__: Any) -> None:
        message = f"{function.__name__} is for kernels to call; from Python, call kernel({function.__name__}.py_func)"
        raise TypeError(message)

    def remember(overload: Any) -> None:
        dispatcher.overloads[tuple(overload.signature.args)] = overload

    def template(args: Any, kws: Any) -> Any:
        return of_types([numba.types.unliteral(kind) for kind in args], kws)

    dispatcher = numba.njit(**options)(function)
    of_types, dispatcher.get_call_template = dispatcher.get_call_template, template
    dispatcher._compile_for_args, dispatcher.add_overload = refuse, remember  # noqa: SLF001  # Numba offers no other way
    result: F = dispatcher
    return result


def inline(function: F) -> F:
    """Compile a small function that is always inlined where a kernel calls it."""
    return within(function, INLINE)


def noinline(function: F) -> F:
    """Compile a function for kernels that is not inlined: it is seldom needed, and would only bloat its caller."""
    return within(function, WITHIN)


def kernel(function: F) -> F:
    """Compile an entry point, which Python can call.

    It is compiled at its first call, and read from the cache by later processes.
    """
    return kept(numba.njit(**{**OPTIONS, "cache": True})(function), VECTORS)


def scalar_kernel(function: F) -> F:
    """Compile an entry point whose loops are short and full of branches.

    LLVM would make vectors of them for the day when they are long: about 1 % on the exact solver.
    """
    return kept(numba.njit(**{**OPTIONS, "cache": True})(function), {**VECTORS, "LOOP_VECTORIZE": 0})


def stage(function: F) -> F:
    """Compile a large part of a loop by itself, and keep it in the cache; only kernels can call it.

    A loop that is compiled for another scene takes it from there, instead of compiling it once more.
    """
    return kept(within(function, {**ALONE, "cache": True}), VECTORS)


def kept(dispatcher: Any, settings: dict[str, int]) -> Any:
    """Let the cache of a function forget it when any kernel changes, and one process at a time compile it."""
    file = dispatcher._cache._cache_file  # noqa: SLF001  # Numba offers no other way
    file._source_stamp = STAMP  # noqa: SLF001
    # The version is looked at before the rest is read, which may name classes that are no longer there.
    file._version = f"{file._version} {STAMP}"  # noqa: SLF001
    compiled_once(dispatcher, settings)
    return dispatcher


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any, byte: Any) -> Any:
    """Ask for the cache line at `byte` of the item `index` of a one-dimensional array, without waiting for it."""
    signature = numba.types.void(array, index, byte)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type = signature.args[0]
        data = context.make_array(array_type)(context, builder, arguments[0]).data
        step = context.get_constant(numba.types.intp, context.get_abi_sizeof(context.get_data_type(array_type.dtype)))
        offset = builder.add(
            builder.mul(context.cast(builder, arguments[1], signature.args[1], numba.types.intp), step),
            context.cast(builder, arguments[2], signature.args[2], numba.types.intp),
        )
        place = cgutils.pointer_add(builder, builder.bitcast(data, ir.IntType(8).as_pointer()), offset)
        word = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [place.type, word, word, word]),
            "llvm.prefetch.p0i8",
        )
        builder.call(function, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return signature, emit


prefetch: Any = _prefetch  # as kernels call it, without the context


@intrinsic
def _own_page(typing_context: Any) -> Any:
    """Let the stack frame of the kernel that calls this begin where a page of memory does.

    A processor may take a load for one of what was just stored if both stand in the same place of their pages, and
    wait. A frame that may begin anywhere makes a kernel up to a fifth slower in some processes than in others.
    """

    def emit(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        slot = cgutils.alloca_once(builder, ir.IntType(8))
        slot.align = PAGE
        # Code of no instruction, which must have the slot.
        builder.asm(ir.FunctionType(ir.VoidType(), [slot.type]), "", "r", [slot], side_effect=True)
        return context.get_dummy_value()

    return numba.types.void(), emit


own_page: Any = _own_page


@intrinsic
def _select(typing_context: Any, condition: Any, a: Any, b: Any) -> Any:
    """Of two numbers of one type, the first where a condition holds: without a branch.

    For what no processor can guess. A conditional expression leaves it to LLVM, which makes a branch where it hopes to
    save the work for one of the two. For floats the condition must be one
    comparison of floats, or it is a branch still.
    """
    kind = typing_context.unify_types(numba.types.unliteral(a), numba.types.unliteral(b))

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        chosen = builder.select(*arguments)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    return kind(numba.types.boolean, kind, kind), emit


select: Any = _select
