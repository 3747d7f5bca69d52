"""Numba's compiler without what kernels do not need: a quarter less time, the same code.

Numba looks for closures, array expressions and functions to inline in all that it compiles; kernels have none. And it
finds out anew what `a + b` means at each place where two numbers are added, among some dozen candidates.
"""

import contextlib
from collections.abc import Iterator
from types import BuiltinFunctionType
from typing import Any

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
meaning_of, type_of = Functions.get_call_type, Values.resolve_value_type
known: dict[Any, Any] = {}


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


@contextlib.contextmanager
def what_is_known() -> Iterator[None]:
    """Let Numba remember what it has found out; for who holds its lock."""
    before = Functions.get_call_type, Values.resolve_value_type  # one kernel is compiled within another
    Functions.get_call_type, Values.resolve_value_type = remembered_meaning, quick_type
    try:
        yield
    finally:
        Functions.get_call_type, Values.resolve_value_type = before
