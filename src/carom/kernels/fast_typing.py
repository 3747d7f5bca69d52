"""Numba's compiler without what kernels do not need: a third less time, the same code.

Numba looks for closures, array expressions and functions to inline in all that it compiles; kernels have none. And it
finds out anew what `a + b` means at each place where two numbers are added, among some dozen candidates, and how large
a type is each time it makes room for one.
"""

import contextlib
from collections.abc import Iterator
from types import BuiltinFunctionType
from typing import Any

from llvmlite.binding import ffi
from numba.core import base
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext
from numba.core.untyped_passes import InlineClosureLikes

UNUSED = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Passes for closures and comprehensions, for overloads that are inlined as source, and for array expressions."""

Functions: Any = BaseFunction
Values: Any = BaseContext
Target: Any = base.BaseContext
meaning_of, type_of, size_of = Functions.get_call_type, Values.resolve_value_type, Target.get_abi_sizeof
known: dict[Any, Any] = {}
sizes: dict[Any, int] = {}


class Lean(CompilerBase):
    """The compiler of kernels."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's passes, but for those that find nothing in a kernel."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(step, text) for step, text in pipeline.passes if step not in UNUSED]
        pipeline.finalize()
        return [pipeline]


def remembered_meaning(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call of a function of Numba's own; what is compiled for each caller is not remembered."""
    key = (function, context, tuple(args))
    if kws or key not in known:
        signature = meaning_of(function, context, args, kws)
        if kws or function._impl_keys[signature.args] is not function.typing_key:  # noqa: SLF001  # no other way
            return signature
        known[key] = signature
    return known[key]


def quick_type(context: Any, value: Any) -> Any:
    """The type of a constant; built-in functions have theirs from a table, where Numba looks last."""
    found = context._lookup_global(value) if isinstance(value, BuiltinFunctionType) else None  # noqa: SLF001  # as above
    return type_of(context, value) if found is None else found


def remembered_size(context: Any, kind: Any) -> int:
    """How many bytes a type of LLVM's takes; Numba has a module compiled each time to find it out."""
    if kind not in sizes:
        sizes[kind] = size_of(context, kind)
    return sizes[kind]


@contextlib.contextmanager
def what_is_known() -> Iterator[None]:
    """Let Numba remember what it has found out; for who holds its lock."""
    before = Functions.get_call_type, Values.resolve_value_type, Target.get_abi_sizeof  # kernels nest
    try:
        Functions.get_call_type, Values.resolve_value_type = remembered_meaning, quick_type
        Target.get_abi_sizeof = remembered_size
        with untimed():
            yield
    finally:
        Functions.get_call_type, Values.resolve_value_type, Target.get_abi_sizeof = before


@contextlib.contextmanager
def untimed() -> Iterator[None]:
    """Tell nobody of each call of LLVM: Numba would add up the times of tens of thousands."""
    lock = getattr(ffi.lib, "_lock", None)
    if not hasattr(lock, "_cblist"):  # another version of llvmlite
        yield
        return
    calls: Any = lock
    with calls._lock:  # noqa: SLF001  # no other way, and no call is under way in another thread
        told, calls._cblist = calls._cblist, []  # noqa: SLF001  # as above
    try:
        yield
    finally:
        with calls._lock:  # noqa: SLF001  # as above
            calls._cblist = told  # noqa: SLF001  # as above
