"""All private names of Numba and llvmlite that carom uses. No other module touches one; a test looks.

Numba documents `numba.njit`, `cfunc`, `types`, `config` and `numba.extending`, and llvmlite documents its `ir`. All
else may be renamed in any release. It makes compilation faster, and the cache safe between processes; no result needs
it. So this module is imported by `kernels.jit` alone (and by what reports compilations), which compiles without it
where a name is missing: `missing_names` says which.

What is gained:

* `KernelCompiler` leaves out the passes for closures, array expressions and inlining of source, which kernels have
  none of. `faster_typing` lets Numba remember what `a + b` means for which types, and how large types are. Together a
  third of the time to compile.
* `LinkedCompiler` makes no machine code of functions that only kernels call. They are linked into the kernel as
  intermediate code, and optimised once, there. That is another fifth.
* The cache gets a stamp of all modules with kernels (Numba's own is that of one file), and is read without making the
  compiler ready.
"""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import numba
from llvmlite.binding import ffi
from numba import _dynfunc  # type: ignore[attr-defined]  # compiled, without types
from numba.core import base, caching, config, dispatcher, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.options import DefaultOptions
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext
from numba.core.untyped_passes import InlineClosureLikes

# ruff: noqa: SLF001  # private names are what this module is for

UNUSED_PASSES = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Passes for closures and comprehensions, for overloads that are inlined as source, and for array expressions."""

Functions: Any = BaseFunction
Values: Any = BaseContext
Target: Any = base.BaseContext
Dispatcher: Any = dispatcher.Dispatcher
find_call_type, find_value_type, find_size = Functions.get_call_type, Values.resolve_value_type, Target.get_abi_sizeof

# ---------------------------------------------------------------- what is there

ATTRIBUTES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (DefaultOptions, ("_nrt", "no_cpython_wrapper", "no_cfunc_wrapper", "forceinline")),
    (Dispatcher, ("_cache", "overloads", "targetctx", "compile", "get_call_template", "add_overload")),
    (Dispatcher, ("_compile_for_args",)),
    (caching.FunctionCache, ("cache_path", "load_overload", "save_overload", "_load_overload", "_index_key")),
    (caching.FunctionCache, ("_guard_against_spurious_io_errors", "_impl", "_cache_file")),
    (caching.IndexDataCacheFile, ("_load_index", "_source_stamp", "_version")),
    (caching.CacheImpl, ("locator", "filename_base")),
    (JITCodeLibrary, ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")),
    (JITCodeLibrary, ("_finalized", "_reload_init")),
    (Functions, ("_impl_keys", "get_call_type")),
    (Values, ("_lookup_global", "resolve_value_type")),
    (Target, ("get_abi_sizeof", "insert_user_function")),
    (type(global_compiler_lock), ("_lock",)),
    (config, ("SLP_VECTORIZE", "LOOP_VECTORIZE")),
    (event, ("Listener", "install_listener", "register", "unregister", "trigger_event")),
    (_dynfunc, ("make_function",)),
    (rtsys, ("initialize",)),
)
"""What is used of Numba's modules and classes beyond the imports above."""

PARAMETERS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (Dispatcher.compile, ("self", "sig")),
    (caching.FunctionCache.load_overload, ("self", "sig", "target_context")),
    (caching.FunctionCache.save_overload, ("self", "sig", "data")),
    (caching.FunctionCache._index_key, ("self", "sig", "codegen")),
    (Functions.get_call_type, ("self", "context", "args", "kws")),
    (Values.resolve_value_type, ("self", "val")),
    (Target.get_abi_sizeof, ("self", "ty")),
    (NativeLowering.run_pass, ("self", "state")),
)
"""The parameters of methods that are replaced or called."""


def missing_names() -> list[str]:
    """Private names that this release of Numba lacks, or has with other parameters."""
    absent = [
        f"{owner.__name__}.{name}" if hasattr(owner, "__name__") else name
        for owner, names in ATTRIBUTES
        for name in names
        if not _has(owner, name)
    ]
    other = [f"{method.__qualname__}()" for method, names in PARAMETERS if _parameters(method) != names]
    return absent + other


def _has(owner: Any, name: str) -> bool:
    """Is a name an attribute of a module or class, or set when an object of the class is made?"""
    made_by = [vars(each)["__init__"] for each in getattr(owner, "__mro__", ()) if "__init__" in vars(each)]
    return hasattr(owner, name) or any(name in each.__code__.co_names for each in made_by if hasattr(each, "__code__"))


def _parameters(method: Any) -> tuple[str, ...]:
    """The names of a method's parameters."""
    code = inspect.unwrap(method).__code__
    return tuple(code.co_varnames[: code.co_argcount])


# ---------------------------------------------------------------- compilers


class KernelCompiler(CompilerBase):
    """The compiler of kernels."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's passes, but for those that find nothing in a kernel."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(step, text) for step, text in pipeline.passes if step not in UNUSED_PASSES]
        pipeline.finalize()
        return [pipeline]


class LinkedCode(JITCodeLibrary):
    """Code that is there to be linked into that of a caller."""

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel, which optimises all at once."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerForCallers(NativeLowering):
    """Lower a function to code that its callers link."""

    _name = "carom_lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        """Lower, and tell Numba of a function that can be linked but not be called."""
        state.library = LinkedCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        changed: bool = super().run_pass(state)
        lowered, no_address = state["cr"], 0
        described = lowered.fndesc
        entry = _dynfunc.make_function(
            described.lookup_module(), described.qualname, "", no_address, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(entry, described, [state.library])
        state.reload_init.extend(state.library._reload_init)  # as Numba's own lowering does
        state["cr"] = lowered._replace(cfunc=entry)
        return changed


class LinkedCompiler(KernelCompiler):
    """The compiler of functions that are part of a kernel."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes of a kernel, with another last one."""
        [pipeline] = super().define_pipelines()
        pipeline.passes = [
            (LowerForCallers if step is NativeLowering else step, text) for step, text in pipeline.passes
        ]
        return [pipeline]


OPTIONS: dict[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True, "pipeline_class": KernelCompiler}
"""Options of a kernel: no reference counting, for kernels allocate nothing; no entry from C."""
SEPARATE: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True}
"""Options of a function that kernels call, with machine code of its own; no entry from Python."""
LINKED: dict[str, Any] = {**SEPARATE, "pipeline_class": LinkedCompiler, "forceinline": False}
"""Options of a function that is linked into kernels. If it did not say so, it would be inlined where its caller is."""
INLINED: dict[str, Any] = {**LINKED, "forceinline": True}


def compile_for_kernels(function: Any, options: Mapping[str, Any]) -> Any:
    """A dispatcher for a function that only kernels can call; a call from Python is refused.

    Much of the time to compile would go to entries from Python and C, which these functions do not need. Without
    them a call would end the process, so Numba is kept from finding one: its dispatcher is told of no overload. Nor is
    it told of constants that a function is called with, each of which would be compiled for itself.
    """

    def refuse(*_: Any, **__: Any) -> None:
        message = f"{function.__name__} is for kernels to call; from Python, call kernel({function.__name__}.py_func)"
        raise TypeError(message)

    def remember(overload: Any) -> None:
        made.overloads[tuple(overload.signature.args)] = overload

    def template(args: Any, kws: Any) -> Any:
        return template_for([numba.types.unliteral(kind) for kind in args], kws)

    made: Any = numba.njit(**options)(function)
    template_for, made.get_call_template = made.get_call_template, template
    made._compile_for_args, made.add_overload = refuse, remember
    return made


# ---------------------------------------------------------------- what the compiler may remember

call_types: dict[Any, Any] = {}
sizes: dict[Any, int] = {}


def remembered_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call of a function of Numba's own; what is compiled for each caller is not remembered."""
    key = (function, context, tuple(args))
    if kws or key not in call_types:
        signature = find_call_type(function, context, args, kws)
        if kws or function._impl_keys[signature.args] is not function.typing_key:
            return signature
        call_types[key] = signature
    return call_types[key]


def quick_value_type(context: Any, value: Any) -> Any:
    """The type of a constant; built-in functions have theirs from a table, where Numba looks last."""
    found = context._lookup_global(value) if isinstance(value, BuiltinFunctionType) else None
    return find_value_type(context, value) if found is None else found


def remembered_size(context: Any, kind: Any) -> int:
    """How many bytes a type of LLVM's takes; Numba has a module compiled each time to find it out."""
    if kind not in sizes:
        sizes[kind] = find_size(context, kind)
    return sizes[kind]


@contextlib.contextmanager
def faster_typing() -> Iterator[None]:
    """Let Numba remember what it has found out; the caller holds its lock."""
    before = Functions.get_call_type, Values.resolve_value_type, Target.get_abi_sizeof  # kernels nest
    try:
        Functions.get_call_type, Values.resolve_value_type = remembered_call_type, quick_value_type
        Target.get_abi_sizeof = remembered_size
        with untimed():
            yield
    finally:
        Functions.get_call_type, Values.resolve_value_type, Target.get_abi_sizeof = before


@contextlib.contextmanager
def untimed() -> Iterator[None]:
    """Do not time each call of LLVM: Numba would add up the times of tens of thousands."""
    lock = getattr(ffi.lib, "_lock", None)
    if not hasattr(lock, "_cblist"):  # another version of llvmlite
        yield
        return
    calls: Any = lock
    with calls._lock:  # no call is under way in another thread
        callbacks, calls._cblist = calls._cblist, []
    try:
        yield
    finally:
        with calls._lock:
            calls._cblist = callbacks


@contextlib.contextmanager
def settings_of_numba(settings: Mapping[str, int]) -> Iterator[None]:
    """Change settings of Numba; the caller holds its lock, so that other functions are compiled with their own."""
    before = {name: getattr(config, name) for name in settings}
    try:
        for name, value in settings.items():
            setattr(config, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


def compiler_lock() -> Any:
    """The lock that a thread holds while it compiles."""
    return global_compiler_lock._lock


# ---------------------------------------------------------------- the cache


def stamp_cache(made: Any, stamp: str) -> None:
    """Let the cache of a dispatcher forget what was stored under another stamp."""
    file = made._cache._cache_file
    file._source_stamp = stamp
    # The version is compared before the rest is read, which may name classes that are no longer there.
    file._version = f"{file._version} {stamp}"


def is_cached(made: Any, signature: Any) -> bool:
    """Does the cache have this variant?"""
    cache = made._cache
    name = cache._cache_file._load_index().get(cache._index_key(signature, made.targetctx.codegen()))
    return name is not None and Path(cache.cache_path, name).exists()


def cache_base(made: Any) -> Path:
    """The folder of a dispatcher's cache, which is made if need be, and how the names of its files begin."""
    cache = made._cache
    cache._impl.locator.ensure_cache_path()
    return Path(cache.cache_path, cache._impl.filename_base)


def replace_compile(
    made: Any,
    compile_variant: Callable[[Any, Callable[[Any], Any]], Any],
    save_variant: Callable[[Callable[[], None]], None],
) -> None:
    """Let a dispatcher compile and store its variants through two functions, each of which gets what Numba does."""
    cache, compile_now = made._cache, made.compile
    save_now = cache.save_overload

    def load(signature: Any, context: Any) -> Any:
        # As Numba does it, but without making its compiler ready first, which code that is compiled does not need.
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    made.compile = lambda signature: compile_variant(signature, compile_now)
    cache.load_overload = load
    cache.save_overload = lambda signature, overload: save_variant(lambda: save_now(signature, overload))


# ---------------------------------------------------------------- events


class Listener(event.Listener):
    """Calls one function when something begins, and another when it is done or has failed."""

    def __init__(self, begins: Callable[[], object], ends: Callable[[], object] = lambda: None) -> None:
        self.begins = begins
        self.ends = ends

    def on_start(self, _event: Any) -> None:
        """It begins, in this thread or another."""
        self.begins()

    def on_end(self, _event: Any) -> None:
        """It is done, or has failed."""
        self.ends()


def add_compilation_listener(listener: Listener) -> None:
    """Tell a listener of each compilation from now on."""
    event.register("numba:compile", listener)


def remove_compilation_listener(listener: Listener) -> None:
    """Tell it no more."""
    event.unregister("numba:compile", listener)


def at_each_pass(begins: Callable[[], object]) -> contextlib.AbstractContextManager[Any]:
    """While it is entered, call a function when a pass of the compiler begins."""
    listening: contextlib.AbstractContextManager[Any] = event.install_listener("numba:run_pass", Listener(begins))
    return listening


def compilation_event(made: Any, signature: Any) -> contextlib.AbstractContextManager[Any]:
    """While it is entered, a variant counts as being compiled."""
    data = {"dispatcher": made, "args": signature, "return_type": None}
    begun: contextlib.AbstractContextManager[Any] = event.trigger_event("numba:compile", data=data)
    return begun
