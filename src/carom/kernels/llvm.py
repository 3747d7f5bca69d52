"""Pieces of LLVM's intermediate language that intrinsics write, with llvmlite's documented `ir` alone."""

from typing import Any

from llvmlite import ir

BYTE = ir.IntType(8)


def intrinsic_of_llvm(builder: Any, kind: Any, name: str) -> Any:
    """LLVM's own function of a name, declared in the module once."""
    declared = builder.module.globals.get(name)
    return ir.Function(builder.module, kind, name) if declared is None else declared


def byte_address(builder: Any, pointer: Any, offset: Any) -> Any:
    """The address some bytes behind a pointer."""
    return builder.gep(builder.bitcast(pointer, BYTE.as_pointer()), [offset])


def stack_slot(builder: Any, kind: Any, count: int = 1) -> Any:
    """Room for values in the stack frame of the function, which is there from its beginning."""
    with builder.goto_entry_block():
        return builder.alloca(kind, size=ir.IntType(64)(count))
