"""Methods of `Simulation` that are implemented by one of its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

if TYPE_CHECKING:
    from carom.simulation.simulation import Simulation

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class DelegatedMethod(Protocol[P, R_co]):
    """A delegated method as type checkers see it: bound when it is read from a simulation."""

    @overload
    def __get__(self, sim: None, owner: type[Simulation]) -> Callable[Concatenate[Simulation, P], R_co]: ...
    @overload
    def __get__(self, sim: Simulation, owner: type[Simulation]) -> Callable[P, R_co]: ...


def delegate(part: str, method: Callable[Concatenate[Any, P], R_co]) -> DelegatedMethod[P, R_co]:
    """Make a method of `Simulation` that calls `method` of its attribute `part`; signature and docstring are copied."""

    @wraps(method)
    def call(sim: Simulation, /, *args: P.args, **named: P.kwargs) -> R_co:
        return method(getattr(sim, part), *args, **named)

    call.__qualname__, call.__module__ = f"Simulation.{method.__name__}", "carom.simulation.simulation"
    return cast("DelegatedMethod[P, R_co]", call)
