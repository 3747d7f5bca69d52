"""Three ways to make a kernel of a Python function: fast, plain, and as it is. All give the same bits.

* fast: with a compiler, a linker and a cache of our own, made of private names of Numba (`numba_private`);
* plain: Numba's documented `njit` alone. It is taken where this release of Numba lacks one of those names, and with
  CAROM_PLAIN_JIT=1. A process then compiles what it needs, and stores nothing;
* as it is: with Numba's own NUMBA_DISABLE_JIT=1, for debuggers and to measure coverage (`kernels.interpreter`).

Strict IEEE arithmetic everywhere (no fastmath, no contraction), so that the same scene gives the same bits. `numpy`
error model: a division by zero gives an infinity instead of an exception.
"""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol

import numba
from numba.extending import overload

from carom.errors import CompilerWarning
from carom.kernels.numba_version import PLAIN_JIT, is_plain_jit

PLAIN_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Documented options, among them all that could change a bit."""

Function = Callable[..., Any]
Choice = Mapping[type, Any]
"""A function for kernels by the type of a named tuple among its arguments."""


class Compiler(Protocol):
    """A way to make kernels of functions."""

    options: dict[str, Any]
    """What `numba.njit` is told of a kernel."""
    inline_options: dict[str, Any]
    """What it is told of a function that is inlined in kernels."""

    def kernel(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What Python can call; compiled with these settings of Numba."""

    def independent_kernel(self, function: Function) -> Any:
        """A kernel that calls nothing outside its own module."""

    def separate(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What only kernels call, compiled by itself."""

    def part(self, function: Function, *, inlined: bool) -> Any:
        """What is compiled into each kernel that calls it."""

    def by_type(self, choice: Choice) -> Any:
        """A function for kernels that stands for one of several."""


class PlainCompiler:
    """Kernels by documented names of Numba alone.

    Nothing is stored: Numba's cache does not notice a change of what a kernel calls, and two processes that store
    variants of a kernel at the same time may mix them up.
    """

    def __init__(self) -> None:
        self.options = self.inline_options = PLAIN_OPTIONS

    def kernel(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What Python can call; the settings have no documented way in, and change no bit."""
        return numba.njit(**PLAIN_OPTIONS)(function)

    def independent_kernel(self, function: Function) -> Any:
        """A kernel of which Numba's cache notices each change."""
        return numba.njit(cache=True, **PLAIN_OPTIONS)(function)

    def separate(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What only kernels should call."""
        return numba.njit(**PLAIN_OPTIONS)(function)

    def part(self, function: Function, *, inlined: bool) -> Any:
        """What only kernels should call; LLVM decides whether it is inlined."""
        return numba.njit(**PLAIN_OPTIONS)(function)

    def by_type(self, choice: Choice) -> Any:
        """Numba chooses when it compiles what calls it."""
        return overloaded(choice, PLAIN_OPTIONS)


class FastCompiler:
    """Kernels by private names of Numba, stored in a cache that processes share."""

    def __init__(self, private: Any, cache: Any) -> None:
        self.private = private
        self.cache = cache
        self.options = {**PLAIN_OPTIONS, **private.OPTIONS}
        self.inline_options = {**PLAIN_OPTIONS, **private.INLINED}

    def kernel(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What Python can call, read from the cache by later processes."""
        return self.cache.share(numba.njit(cache=True, **self.options)(function), settings)

    def independent_kernel(self, function: Function) -> Any:
        """The cache goes by the file of the function alone."""
        return numba.njit(cache=True, **self.options)(function)

    def separate(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What only kernels can call, read from the cache by kernels of other scenes."""
        options = {**PLAIN_OPTIONS, **self.private.SEPARATE, "cache": True}
        return self.cache.share(self.private.compile_for_kernels(function, options), settings)

    def part(self, function: Function, *, inlined: bool) -> Any:
        """What only kernels can call, linked into them."""
        chosen = self.private.INLINED if inlined else self.private.LINKED
        return self.private.compile_for_kernels(function, {**PLAIN_OPTIONS, **chosen})

    def by_type(self, choice: Choice) -> Any:
        """Numba chooses when it compiles what calls it."""
        return overloaded(choice, self.inline_options)


def overloaded(choice: Choice, options: Mapping[str, Any]) -> Any:
    """A name of which Numba takes one meaning or another, by the type of the first named tuple that it is given."""
    first = next(iter(choice.values()))

    def name(*_: Any) -> None:
        message = f"{first.__name__} is for kernels to call"
        raise TypeError(message)

    def choose(*arguments: Any) -> Any:
        kinds = (each.instance_class for each in arguments if hasattr(each, "instance_class"))
        return next(choice[kind].py_func for kind in kinds if kind in choice)

    jit_options: Any = dict(options)
    overload(name, jit_options=jit_options, strict=False)(choose)
    return name


def is_interpreted() -> bool:
    """Does Numba compile nothing, because it was told so by NUMBA_DISABLE_JIT=1?"""
    settings: Any = numba.config
    return bool(settings.DISABLE_JIT)


def meaning(intrinsic: Any, name: str) -> Any:
    """An intrinsic as kernels call it; where they are not compiled, the function of this name that does the same."""
    return getattr(import_module("carom.kernels.interpreter.intrinsics"), name) if is_interpreted() else intrinsic


def choose_compiler() -> Compiler:
    """The way that is asked for, or else the fastest that this release of Numba has."""
    if is_interpreted():
        interpreter: Compiler = import_module("carom.kernels.interpreter.functions").Interpreter()
        return interpreter
    if is_plain_jit():
        return PlainCompiler()
    try:
        private = import_module("carom.kernels.numba_private")
        missing = ", ".join(private.missing_names())
    except (ImportError, AttributeError, TypeError) as error:  # what is imported, inherited or decorated
        missing = str(error)
    if missing:
        message = (
            f"Numba {numba.__version__} differs from the releases that carom knows ({missing}): kernels are compiled "
            f"at each start, with the same results. {PLAIN_JIT}=1 silences this."
        )
        warnings.warn(message, CompilerWarning, stacklevel=2)
        return PlainCompiler()
    return FastCompiler(private, import_module("carom.kernels.cache"))
