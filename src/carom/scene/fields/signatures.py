"""Signatures of parts of a scene for `help`, `inspect` and completion: plain types, without those of pydantic."""

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
"""Names that every model inherits from pydantic: they work, but do not describe a scene."""


class TypeText(str):
    """The text of a type, which a signature shows without quotes."""

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
            annotation=TypeText(_type_text(field.annotation)),
        )


def _type_text(kind: Any) -> str:
    """The text of a type without its validators."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _type_text(parts[0])
    if origin in {Union, UnionType}:
        return " | ".join(map(_type_text, parts))
    if origin is np.ndarray:
        return "array"
    if origin is Literal:
        return " | ".join(map(repr, parts))
    own: str = getattr(origin or kind, "__name__", str(kind))
    name = {NoneType: "None", Ellipsis: "..."}.get(kind, own)
    return f"{name}[{', '.join(map(_type_text, parts))}]" if parts else name
