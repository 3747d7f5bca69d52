"""How parts of a scene look to `help`, `inspect` and completion: plain types, and nothing of pydantic's."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = ["HIDDEN", "ReadableSignature"]

HIDDEN = frozenset(name for name in dir(BaseModel) if not name.startswith("_"))
"""Names that pydantic gives every model: they work, but are no part of a scene."""


class Words(str):
    """A type in words, which a signature shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ReadableSignature:
    """The signature of a model: its fields with plain types, those of `by_position` first."""

    def __get__(self, instance: Any, kind: Any) -> Signature:
        return Signature(list(_parameters(kind)))


def _parameters(kind: Any) -> Iterator[Parameter]:
    fields: dict[str, FieldInfo] = kind.model_fields
    first: tuple[str, ...] = kind.by_position
    for name in (*first, *(name for name in fields if name not in first)):
        field = fields[name]
        yield Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD if name in first else Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.is_required() else None if field.default_factory else field.default,
            annotation=Words(_words(field.annotation)),
        )


def _words(kind: Any) -> str:
    """A type in words: what checks its values is left out."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _words(parts[0])
    if origin in {Union, UnionType}:
        return " | ".join(map(_words, parts))
    if origin is np.ndarray:
        return "array"
    if origin is Literal:
        return " | ".join(map(repr, parts))
    own: str = getattr(origin or kind, "__name__", str(kind))
    name = {NoneType: "None", Ellipsis: "..."}.get(kind, own)
    return f"{name}[{', '.join(map(_words, parts))}]" if parts else name
