"""`Part`, the base class of all parts of a scene: frozen, validated, with clear errors."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from carom.errors import MAX_PLACE_LENGTH, InputError, Problem, SceneError, first_problems
from carom.messages.phrase import Phrase
from carom.scene.fields.signatures import HIDDEN, ReadableSignature

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60
_short.maxlist = _short.maxtuple = 4

MAX_SUGGESTED_WORD = 60
"""Length of the longest word for which similar words are suggested."""
MAX_UNKNOWN_KEYS = 20
"""Largest number of unknown keys that are listed."""
MAX_PROBLEMS = 100
"""Largest number of problems that are listed."""


AnyPart = TypeVar("AnyPart", bound="Part")


class Part(BaseModel):
    """A part of a scene: immutable, and valid from the moment it exists.

    Every mistake raises a `SceneError`, never an error of pydantic.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, validate_default=True)

    by_position: ClassVar[tuple[str, ...]] = ()
    """The fields that may be given as positional arguments, in this order."""

    def __init__(self, *given: Any, **values: Any) -> None:
        """Check and store the fields."""
        values = self._named(given, values) if given else values
        if len(values) > len(type(self).model_fields) + MAX_UNKNOWN_KEYS:
            raise SceneError(unknown_keys(values, type(self).model_fields))
        with _scene_errors(type(self)):
            super().__init__(**values)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        cls.__signature__ = ReadableSignature()  # type: ignore[assignment]  # it gives one when it is asked

    @classmethod
    def _named(cls, given: tuple[Any, ...], values: dict[str, Any]) -> dict[str, Any]:
        """All values by name, also positional ones."""
        if len(given) > len(cls.by_position):
            left = [name for name in cls.model_fields if name not in {*values, *cls.by_position, "kind"}]
            name = next((each for each in left if cls.model_fields[each].is_required()), left[0] if left else "…")
            raise fault(
                "part.no-name",
                where=cls.__name__,
                value=shown(given[len(cls.by_position)]),
                name=cls.__name__,
                fields=[*cls.by_position, f"{name}=…"],
            )
        named = dict(zip(cls.by_position, given, strict=False))
        twice = next((name for name in named if name in values), None)
        if twice is not None:
            raise fault("part.twice", where=twice)
        return {**named, **values}

    def __dir__(self) -> Iterable[str]:
        """The names of a part, without those of pydantic, which work too."""
        hidden = {*HIDDEN, "by_position"} - set(type(self).model_fields)
        return [name for name in super().__dir__() if name not in hidden]

    def __setattr__(self, name: str, value: Any) -> None:
        raise fault("part.frozen", where=name, name=name)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """An instance of this class from a mapping or an instance."""
        with _scene_errors(cls):
            return super().model_validate(obj, **options)

    @classmethod
    def of(cls, value: Any) -> Self:
        """Return an instance as it is, or make one from a table of fields."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise fault("table.not-one", value=shown(value), known=list(cls.model_fields))
        if not all(isinstance(key, str) for key in value):
            raise fault("table.keys", value=shown(value), known=list(cls.model_fields))
        return cls(**value)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, and checked."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self)(**{**given, **changes})


def of_number(kind: type[AnyPart], value: Any, *fields: str) -> AnyPart:
    """Make a part with one value for several fields; an error is that of the value and names no field."""
    try:
        return kind(**dict.fromkeys(fields, value))
    except SceneError as error:
        raise SceneError([error.problems[0].at("")]) from None


def of_kind(value: Any, kinds: Sequence[type[Part]], noun: str) -> Any:
    """Return an instance of one of the kinds, or make one from a table that names its kind."""
    if isinstance(value, tuple(kinds)):
        return value
    by_name = {kind.model_fields["kind"].default: kind for kind in kinds}
    names = ", ".join(map(repr, by_name))
    if not isinstance(value, dict):
        raise fault("kind.no-table", value=shown(value), noun=noun, names=names)
    if "kind" not in value:
        raise fault("kind.missing", where="kind", noun=noun, names=names)
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in by_name:
        raise fault(
            "kind.unknown", where="kind", value=shown(kind), noun=noun, hint=nearest(str(kind), by_name, "kinds")
        )
    return by_name[kind].of(value)


def raw_default(default: Any, description: str) -> Any:
    """A field whose default is in the form of input: it is checked and converted like a given value."""
    return Field(default=default, description=description)


def unset() -> Any:
    """Default factory, None, of fields whose default depends on others; it keeps null out of the JSON Schema."""
    return None


fault = SceneError.of


def shown(value: object) -> str:
    """A value as text for messages: exact for numbers, shortened if long."""
    try:
        return _short.repr(value.tolist() if hasattr(value, "tolist") else value)
    except ValueError:  # Python does not format integers of thousands of digits
        return "a number of thousands of digits"


def nearest(word: str, known: Iterable[str], noun: str = "keys") -> Phrase:
    """The remedy for an unknown word: the nearest known one, or all of them."""
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1) if len(word) <= MAX_SUGGESTED_WORD else []
    return Phrase("nearest", word=repr(close[0])) if close else Phrase(f"known.{noun}", known=known)


def and_more(others: int) -> Phrase | str:
    """Text for the number of further problems of the same kind; empty if there are none."""
    return Phrase("and-more", n=others) if others else ""


def place(location: Iterable[int | str]) -> str:
    """A path such as `balls[3].mass` from its steps."""
    path = ""
    for step in location:
        word = step if isinstance(step, int) else step[: MAX_PLACE_LENGTH + 1]  # longer words are cut in messages
        path += f"[{word}]" if isinstance(step, int) else f".{word}" if path else f"{word}"
    return path


def unknown_keys(values: Mapping[str, object], known: Iterable[str]) -> list[Problem]:
    """Problems for the first unknown keys, and one with the number of others."""
    known = list(known)
    unknown = [key for key in values if key not in known]
    return first_problems([_unknown_key(key, values[key], known) for key in unknown[:MAX_UNKNOWN_KEYS]], len(unknown))


@contextmanager
def _scene_errors(model: type[BaseModel]) -> Iterator[None]:
    """Convert pydantic's errors about a `model` to a `SceneError`."""
    try:
        yield
    except ValidationError as error:
        details = error.errors(include_url=False)
        problems = [problem for detail in details for problem in _problems(detail, model)]
        raise SceneError(first_problems(problems, limit=MAX_PROBLEMS)) from None


def _problems(detail: ErrorDetails, model: type[BaseModel]) -> Iterator[Problem]:
    """An error of pydantic as problems: those of a part, or pydantic's own message."""
    kind, location = detail["type"], detail["loc"]
    said = detail.get("ctx", {}).get("error")
    if isinstance(said, InputError):
        yield from (problem.inside(place(location)) for problem in said.problems)
    elif kind == "extra_forbidden":
        yield _unknown_key(place(location), detail["input"], model.model_fields)
    elif kind == "missing":
        yield Problem("field.missing", where=place(location), description=_description(model, location))
    else:
        yield Problem(
            "field.misfit",
            where=place(location),
            value=shown(detail["input"]),
            reason=_lower(detail["msg"]),
            description=_description(model, location),
        )


def _unknown_key(where: str, value: object, known: Iterable[str]) -> Problem:
    return Problem("key.unknown", where=where, value=shown(value), hint=nearest(where, known))


def _description(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    field = model.model_fields.get(str(location[0])) if location else None
    return (field.description if field else None) or f"see the documentation of {model.__name__}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
