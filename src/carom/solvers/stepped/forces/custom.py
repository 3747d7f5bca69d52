"""Custom forces: functions of a user, with parameters, compiled when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any

import numpy as np

from carom.errors import ArgumentError
from carom.messages.phrase import Phrase
from carom.scene.fields.base import nearest, shown
from carom.solvers.stepped.forces.custom_call import Compiled, Floats, Value, compile_force, why

ARGUMENTS = ("t", "x", "v", "m", "f")
"""What every force is called with."""
DIMENSIONS = 2
"""The most dimensions that an array may have as a parameter."""


class Force:
    """A custom force, the values of its parameters, and the energy that it stores, if it tells.

    Calling it gives the same force with other values: `spring(k=2.0)`. Nothing is compiled anew for that.
    """

    def __init__(self, function: Callable[..., None], potential: Callable[..., float] | None = None) -> None:
        self.name = function.__name__
        self.__module__ = function.__module__  # where a pickle looks for it
        self.function = function
        self._potential = potential
        self._root = self
        self._compiled: dict[tuple[int, ...], Compiled] = {}
        more = list(signature(function).parameters.values())[len(ARGUMENTS) :]
        self._names = tuple(each.name for each in more)
        self._values: Mapping[str, Value] = MappingProxyType({})
        self._values = self._checked({each.name: each.default for each in more if each.default is not Parameter.empty})

    def __call__(self, **values: Any) -> Force:
        """Give a force with other values of its parameters: numbers, or arrays of one or two dimensions."""
        other = object.__new__(Force)
        other.__dict__.update(self.__dict__)
        other._values = self._checked(values)
        return other

    @property
    def parameters(self) -> Mapping[str, Value]:
        """The values of its parameters, in their order, as far as they are known."""
        return self._values

    @property
    def lacking(self) -> tuple[str, ...]:
        """The parameters that have no value yet."""
        return tuple(name for name in self._names if name not in self._values)

    def _checked(self, values: Mapping[str, Any]) -> Mapping[str, Value]:
        """The values of the parameters with these among them."""
        problems = []
        now = dict(self._values)
        for name, value in values.items():
            try:
                if name not in self._names:
                    known = nearest(name, self._names, "parameters")
                    hint = known if self._names else Phrase("force.no-parameters")
                    raise ArgumentError.of("force.no-parameter", name=repr(name), hint=hint)
                now[name] = _value(name, value)
            except ArgumentError as error:
                problems += [problem.inside(f"force {self.name}") for problem in error.problems]
        if problems:
            raise ArgumentError(problems)
        return MappingProxyType({name: now[name] for name in self._names if name in now})

    def potential(self, function: Callable[..., float]) -> Callable[..., float]:
        """Use this function as the potential energy, J: a decorator. It takes (t, x, v, m), and parameters by name."""
        for name in list(signature(function).parameters)[len(ARGUMENTS) - 1 :]:
            if name not in self._names:
                raise ArgumentError.of("force.potential", where=f"force {self.name}", name=repr(name))
        self._root._potential = function  # noqa: SLF001  # of the same class
        return function

    def energy(self, t: float, x: Any, v: Any, m: Any) -> float | None:
        """The potential energy, J; None if nothing tells it."""
        told = self._root._potential  # noqa: SLF001  # of the same class
        if told is None:
            return None
        wanted = list(signature(told).parameters)[len(ARGUMENTS) - 1 :]
        return float(told(t, x, v, m, **{name: self._values[name] for name in wanted}))

    @property
    def address(self) -> int:
        """Where the compiled function is."""
        return int(self._machine_code.entry.address)

    def reason(self, t: float, place: Floats, velocity: Floats, accel: Floats) -> str:
        """What it raises, called with these rows."""
        return why(self._machine_code, t, place, velocity, accel, list(self._values.values()))

    @property
    def _machine_code(self) -> Compiled:
        kinds = tuple(int(np.ndim(each)) for each in self._values.values())
        known = self._root._compiled  # noqa: SLF001  # of the same class
        if kinds not in known:
            known[kinds] = compile_force(self.function, kinds)
        return known[kinds]

    def __deepcopy__(self, memo: dict[int, Any]) -> Force:
        return self

    def __reduce__(self) -> Any:
        """A pickle holds its name, as it does of functions, and the values of its parameters."""
        if self._root is self:
            return self.function.__qualname__
        return _with, (self._root, dict(self._values))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self._values.items())
        return f"<force {self.name}({given})>" if self._names else f"<force {self.name}>"


def force(function: Callable[..., None]) -> Force:
    """Make a force of a function that adds to `f`; a decorator.

    It is called with the time t (s), places x (N rows of three, m), velocities v (m/s), masses m (kg), and forces f (N
    rows of three, N), and is compiled by Numba, so it may loop over bodies. Arguments after these are its parameters:

        @carom.force
        def wind(t, x, v, m, f, speed, drag=0.1):
            for i in range(len(m)):
                f[i, 0] += drag * (speed - v[i, 0])

        sim = Simulation(scene, forces=[wind(speed=3.0)])
        sim.change_force("wind", speed=5.0)
    """
    given: Any = function
    if not callable(given):
        raise ArgumentError.of("force.not-a-function", where="force", value=shown(given))
    taken = list(signature(function).parameters.values())
    if any(each.kind is not Parameter.POSITIONAL_OR_KEYWORD for each in taken):
        raise ArgumentError.of("force.other-kinds", where="force", name=function.__name__)
    if len(taken) < len(ARGUMENTS):
        arguments = Phrase("count.argument", n=len(taken))
        raise ArgumentError.of("force.too-few-arguments", where="force", name=function.__name__, arguments=arguments)
    return Force(function)


def _with(root: Force, values: Mapping[str, Any]) -> Force:
    """What a pickle calls."""
    return root(**values)


def _value(name: str, value: Any) -> Value:
    """A number, or an array of numbers that is read-only."""
    try:
        numbers = np.array(value, np.float64)
        fits = not isinstance(value, bool | str) and numbers.ndim <= DIMENSIONS and bool(np.isfinite(numbers).all())
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise ArgumentError.of("force.parameter-misfit", where=name, value=shown(value))
    if numbers.ndim == 0:
        return float(numbers)
    numbers.flags.writeable = False
    return numbers
