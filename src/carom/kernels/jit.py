"""The decorators of kernels, and what kernels ask of the processor: `compilers` says how they are compiled."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from carom.kernels.numba_version import require_known_numba

require_known_numba()  # before any module uses names that another release may lack

# ruff: noqa: E402  # for that reason
import numba
from llvmlite import ir
from numba.extending import intrinsic

from carom.kernels.compilers import choose_compiler, meaning
from carom.kernels.llvm import BYTE, byte_address, intrinsic_of_llvm, stack_slot

F = TypeVar("F", bound=Callable[..., Any])

# Numbers inside kernels: Numba knows their true types (unsigned indices, NumPy's floats); Python's would contradict.
Index: TypeAlias = Any
Real: TypeAlias = Any

COMPILER = choose_compiler()
OPTIONS, INLINE = COMPILER.options, COMPILER.inline_options

# What LLVM makes vectors of. The components of one side by side in a register: 5 to 8 % on the exact solver, and the
# same bits. Numba has no option for this of one function: it is set while a kernel is compiled.
VECTORS = {"SLP_VECTORIZE": 1, "LOOP_VECTORIZE": 1}

PAGE = 4096  # bytes of a page of memory


def inline(function: F) -> F:
    """Compile a small function that is always inlined where a kernel calls it."""
    compiled: F = COMPILER.part(function, inlined=True)
    return compiled


def noinline(function: F) -> F:
    """Compile a function for kernels that is not inlined: it is seldom needed, and would only bloat its caller."""
    compiled: F = COMPILER.part(function, inlined=False)
    return compiled


def kernel(function: F) -> F:
    """Compile an entry point, which Python can call.

    It is compiled at its first call, and read from the cache by later processes.
    """
    compiled: F = COMPILER.kernel(function, VECTORS)
    return compiled


def scalar_kernel(function: F) -> F:
    """Compile an entry point whose loops are short and full of branches.

    LLVM would make vectors of them for the day when they are long: about 1 % on the exact solver.
    """
    compiled: F = COMPILER.kernel(function, {**VECTORS, "LOOP_VECTORIZE": 0})
    return compiled


def independent_kernel(function: F) -> F:
    """Compile an entry point that calls nothing outside its own module, by which alone its cache goes."""
    compiled: F = COMPILER.independent_kernel(function)
    return compiled


def stage(function: F) -> F:
    """Compile a large part of a loop by itself, and store it in the cache; only kernels can call it.

    A loop that is compiled for another scene takes it from there, instead of compiling it once more.
    """
    compiled: F = COMPILER.separate(function, VECTORS)
    return compiled


def by_type(choice: Mapping[type, Any]) -> Any:
    """A function for kernels that stands for one of several, by the type of the first named tuple that it is given.

    The choice is made when the kernel that calls it is compiled.
    """
    return COMPILER.by_type(choice)


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
        place = byte_address(builder, data, offset)
        word = ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [place.type, word, word, word])
        function = intrinsic_of_llvm(builder, declared, "llvm.prefetch.p0i8")
        builder.call(function, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return signature, emit


prefetch: Any = meaning(_prefetch, "prefetch")  # as kernels call it, without the context


@intrinsic
def _own_page(typing_context: Any) -> Any:
    """Let the stack frame of the kernel that calls this begin where a page of memory does.

    A processor may take a load for one of what was just stored if both stand in the same place of their pages, and
    wait. A frame that may begin anywhere makes a kernel up to a fifth slower in some processes than in others.
    """

    def emit(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        slot = stack_slot(builder, BYTE)
        slot.align = PAGE
        # Code of no instruction, which must have the slot.
        builder.asm(ir.FunctionType(ir.VoidType(), [slot.type]), "", "r", [slot], side_effect=True)
        return context.get_dummy_value()

    return numba.types.void(), emit


own_page: Any = meaning(_own_page, "own_page")


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


select: Any = meaning(_select, "select")
