"""Kernels and their parts as plain functions of Python."""

import functools
import threading
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from carom.kernels.interpreter.names import KernelNames
from carom.kernels.interpreter.views import given_back, seen

Function = Callable[..., Any]


class _Thread(threading.local):
    """How deep in kernels a thread is."""

    depth = 0


_thread = _Thread()


def interpreted(function: Any) -> Any:
    """The function with the names that kernels know."""
    made: Any = types.FunctionType(
        function.__code__,
        KernelNames(function.__globals__),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    functools.update_wrapper(made, function)
    made.py_func = function
    return made


class Interpreter:
    """Takes the place of a compiler of kernels."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}
        self.inline_options: dict[str, Any] = {}

    def kernel(self, function: Function, settings: Mapping[str, int]) -> Any:
        """What Python can call; its arguments become what kernels know, and its result what Python does."""
        within = interpreted(function)

        @functools.wraps(function)
        def entry(*arguments: Any) -> Any:
            if _thread.depth:
                return within(*arguments)
            _thread.depth += 1
            try:
                with np.errstate(all="ignore"):  # infinities and what is not a number are results
                    return given_back(within(*map(seen, arguments)))
            finally:
                _thread.depth -= 1

        made: Any = entry
        made.py_func = function
        return made

    def independent_kernel(self, function: Function) -> Any:
        """As any kernel."""
        return self.kernel(function, {})

    def separate(self, function: Function, settings: Mapping[str, int]) -> Any:
        """As any part of a kernel."""
        return interpreted(function)

    def part(self, function: Function, *, inlined: bool) -> Any:
        """What kernels call."""
        return interpreted(function)

    def by_type(self, choice: Mapping[type, Any]) -> Any:
        """A function that chooses when it is called."""

        def chosen(*arguments: Any) -> Any:
            return next(choice[type(each)] for each in arguments if type(each) in choice)(*arguments)

        return chosen
