"""The errors and warnings of carom.

    CaromError
    ├── InputError (also ValueError)         input that cannot be used; `problems` holds each reason
    │   ├── SceneError                       an invalid scene, or part of a scene
    │   │   └── StudyError                   an invalid study of many runs
    │   └── ArgumentError                    an invalid argument: a time, an index, a hook, an observable
    ├── SolverError
    │   ├── NotExactError                    a scene that the exact solver cannot treat
    │   ├── StackError                       balls that rest on each other
    │   ├── ForceError                       a custom force that raised an error
    │   ├── EndlessError                     endless events without progress of time
    │   └── BlowUpError                      a step that is too large: a ball moved to infinity
    ├── ClusterError                         a cluster that is unreachable or was lost
    ├── StorageError                         a file that cannot be written, or a recording that cannot be read
    ├── MissingExtraError (also ImportError) an extra that is not installed
    └── VersionError (also ImportError)      an unsupported version of a package

    CompilerWarning (a UserWarning)          kernels that are compiled in a slower way
    StepWarning (a UserWarning)              a step that may be too large
    └── SolverWarning                        an argument that selects the stepped solver instead of the exact one
    StorageWarning (a UserWarning)           a run that is no longer recorded, or not resumed exactly

A message says where, what (with the value) and how to fix it, one line per problem. Characters from files that could
control a terminal or break the line are shown as escapes.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from carom.messages.phrase import ENGLISH, Phrase, told

__all__ = [
    "ArgumentError",
    "BlowUpError",
    "CaromError",
    "ClusterError",
    "CompilerWarning",
    "EndlessError",
    "ForceError",
    "InputError",
    "MissingExtraError",
    "NotExactError",
    "Problem",
    "SceneError",
    "SolverError",
    "SolverWarning",
    "StackError",
    "StepWarning",
    "StorageError",
    "StorageWarning",
    "StudyError",
    "VersionError",
    "first_problems",
    "visible",
]

MAX_PLACE_LENGTH = 200
"""Largest length of a place in a message: a key of a file may have millions of characters."""
MAX_PATH_LENGTH = 400
"""Largest length of a path in a message."""
MAX_REASON_LENGTH = 1000
"""Largest length of the reason in a message."""
RESUME = "Make room and resume; what was written before is whole and can be read."
"""The remedy if the disk is full while a run is recorded."""
FREE = "free"
"""The id of a problem with free texts."""

_STEERING = "\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""Control characters, marks for the direction of writing, and surrogates."""
_UNSEEN = re.compile(f"[{_STEERING}\t\n]")
_UNSEEN_IN_LINES = re.compile(f"[{_STEERING}]")


def visible(text: str, *, lines: bool = False, longest: int | None = None) -> str:
    r"""Replace characters that control a terminal, the direction of writing or the line by escapes such as \u001b.

    With `lines`, line breaks and tabs stay. A text longer than `longest` is shortened to its two ends.
    """
    if longest is not None and len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-(longest // 3) :]}"
    pattern = _UNSEEN_IN_LINES if lines else _UNSEEN
    return pattern.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True, init=False)
class Problem:
    """A problem: where, what, and how to fix it.

    It has an id of the catalogue (`carom.messages`) and the values for its texts,
    `Problem("number.negative", where="mass", value="-1")`; or three texts in English: where, what and remedy.
    """

    id: str
    where: str
    values: Mapping[str, Any]

    def __init__(self, id: str = FREE, /, *texts: str | Phrase, where: str = "", **values: Any) -> None:  # noqa: A002  # the name of the attribute
        if texts:
            id, where, values = FREE, id, dict(zip(("what", "remedy"), texts, strict=True))  # noqa: A001  # as above
        self.__dict__.update(id=id, where=where, values=Phrase(id, **values).values)

    def __hash__(self) -> int:
        return hash((self.id, self.where))

    @property
    def what(self) -> str:
        """What is wrong, in English."""
        return str(self.phrase("what"))

    @property
    def remedy(self) -> str:
        """How to fix it, in English."""
        return str(self.phrase("remedy"))

    def __str__(self) -> str:
        return self.line()

    def line(self, language: str = ENGLISH) -> str:
        """Where, what, and how to fix it, on one line."""
        place = f"{visible(self.where, longest=MAX_PLACE_LENGTH)}: " if self.where else ""
        return place + self.told(language)

    def told(self, language: str = ENGLISH) -> str:
        """What is wrong and how to fix it, in a language; in English if the language lacks a text."""
        what, remedy = told([self.phrase("what"), self.phrase("remedy")], language)
        return f"{visible(what, longest=MAX_REASON_LENGTH)}. {visible(remedy)}"

    def phrase(self, part: Literal["what", "remedy"]) -> Phrase:
        """One of its two texts, for use in other texts."""
        return Phrase(self.id, part, **self.values)

    def at(self, where: str) -> Problem:
        """The problem at another place."""
        return Problem(self.id, where=where, **self.values)

    def inside(self, place: str) -> Problem:
        """The problem with its place inside another: `mass` inside `balls[3]` is `balls[3].mass`."""
        separator = "." if place and self.where and not self.where.startswith("[") else ""
        return self.at(f"{place}{separator}{self.where}")


def first_problems(
    problems: Sequence[Problem], total: int | None = None, *, at_least: bool = False, limit: int = 20
) -> list[Problem]:
    """At most `limit` problems, and one with the number of others of a `total`, or a lower bound for it."""
    more = (len(problems) if total is None else total) - min(len(problems), limit)
    return [*problems[:limit], *([Problem("more.at-least" if at_least else "more", n=more)] if more else [])]


class CaromError(Exception):
    """Base of all errors of carom."""

    def told(self, language: str = ENGLISH) -> str:  # noqa: ARG002  # without texts in the catalogue, English
        """What is wrong and how to fix it, in a language; in English if the language lacks a text."""
        return str(self)


class InputError(CaromError, ValueError):
    """Invalid input: a scene, a study, or an argument of a call.

    `problems` holds each reason; `source` names the file, if there is one.
    """

    def __init__(self, problems: Iterable[Problem], source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__(self.problems, source)

    @classmethod
    def of(cls, id: str, /, where: str = "", source: str = "", **values: Any) -> Self:  # noqa: A002  # as of Problem
        """The error of one problem, by its id in the catalogue of messages."""
        return cls([Problem(id, where=where, **values)], source)

    def __str__(self) -> str:
        return self.told()

    def told(self, language: str = ENGLISH) -> str:
        """One line per problem, in a language if it has the texts, or else in English."""
        prefix = f"{visible(self.source)}: " if self.source else ""
        return "\n".join(f"{prefix}{problem.line(language)}" for problem in self.problems)


class SceneError(InputError):
    """An invalid scene, or part of a scene."""


class ArgumentError(InputError):
    """An invalid argument of a call: a time, the index of a ball, a hook, an observable, an option."""


class StudyError(SceneError):
    """An invalid study of many runs, or part of a study."""


class SolverError(CaromError):
    """A run that cannot start, or cannot continue."""

    @property
    def problem(self) -> Problem | None:
        """The problem, if the catalogue has texts for it."""
        return None

    def __str__(self) -> str:
        return self.problem.told() if self.problem else super().__str__()

    def told(self, language: str = ENGLISH) -> str:
        """What is wrong and how to fix it, in a language; in English if the language lacks a text."""
        return self.problem.told(language) if self.problem else str(self)


class NotExactError(SolverError):
    """A scene that the exact solver cannot treat."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    @property
    def problem(self) -> Problem:
        """The problem with its values."""
        return Problem("solver.not-exact", reason=self.reason)


class StackError(SolverError):
    """Balls that rest on each other, or a ball on a round solid, which the exact solver cannot treat."""

    def __init__(self, balls: Sequence[int], time: float) -> None:
        self.balls = tuple(balls)
        self.time = time
        super().__init__(self.balls, time)

    @property
    def problem(self) -> Problem:
        """The problem with its values."""
        if len(self.balls) > 1:
            return Problem("solver.stack", balls=self.balls, time=self.time)
        return Problem("solver.on-round", ball=self.balls[0], time=self.time)


class EndlessError(SolverError):
    """Endless events without progress of time."""

    def __init__(self, time: float, events: int) -> None:
        self.time = time
        self.events = events
        super().__init__(time, events)

    @property
    def problem(self) -> Problem:
        """The problem with its values."""
        return Problem("solver.endless", events=self.events, time=self.time)


class BlowUpError(SolverError):
    """A run of the stepped solver in which a ball moved to infinity."""

    def __init__(self, ball: int, time: float, step: float) -> None:
        self.ball = ball
        self.time = time
        self.step = step
        super().__init__(ball, time, step)

    @property
    def problem(self) -> Problem:
        """The problem with its values."""
        return Problem("solver.blow-up", ball=self.ball, time=self.time, step=self.step)


class ForceError(SolverError):
    """A custom force raised an error in a run of the stepped solver, which is at the end of the previous step."""

    def __init__(self, force: str, time: float, reason: str) -> None:
        self.force = force
        self.time = time
        self.reason = reason
        super().__init__(force, time, reason)

    @property
    def problem(self) -> Problem:
        """The problem with its values."""
        reason = visible(" ".join(self.reason.split()), longest=MAX_REASON_LENGTH)
        return Problem("solver.force-failed", force=self.force, time=self.time, reason=reason)


class ClusterError(CaromError):
    """A cluster that is unreachable or was lost."""

    def __init__(self, where: str, what: str, remedy: str) -> None:
        self.where = where
        self.what = what
        self.remedy = remedy
        super().__init__(where, what, remedy)

    def __str__(self) -> str:
        return visible(f"{self.where}: {self.what}. {self.remedy}")


class StepWarning(UserWarning):
    """A step that is unstable, or so large that heavy balls may sink into light ones."""


class SolverWarning(StepWarning):
    """A run uses the stepped solver because of an argument, although the exact solver could treat it."""


class CompilerWarning(UserWarning):
    """Numba lacks what makes the compilation of kernels fast; results are the same."""


class StorageWarning(UserWarning):
    """A run is no longer recorded, or cannot be resumed exactly."""


class StorageError(CaromError):
    """A file cannot be written, or a recording or checkpoint cannot be read."""

    def __init__(self, path: str | Path, what: str, remedy: str) -> None:
        self.path = str(path)
        self.what = what
        self.remedy = remedy
        super().__init__(self.path, what, remedy)

    def __str__(self) -> str:
        return visible(f"{visible(self.path, longest=MAX_PATH_LENGTH)}: {self.what}. {self.remedy}")

    @classmethod
    def of(cls, path: str | Path, error: BaseException, full: str = RESUME) -> StorageError:
        """The error of a system error, with a remedy; `full` is the remedy if the disk is full."""
        number = getattr(error, "errno", None)
        text = str(error).replace("\n", " ")
        if number in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} or "No space left" in text or "File too large" in text:
            return cls(path, "there is no room left on the disk", full)
        if isinstance(error, FileNotFoundError):
            return cls(path, "there is no such file or folder", "Check the name.")
        if isinstance(error, IsADirectoryError):
            return cls(path, "is a folder, not a file", "Name a file in it.")
        if isinstance(error, PermissionError):
            return cls(path, "the system does not permit it", "Check the permissions of the file and its folder.")
        told = getattr(error, "strerror", None) or text
        return cls(path, f"cannot be used ({told})", "Check the file and its folder.")


class MissingExtraError(CaromError, ImportError):
    """An extra of carom is not installed."""

    def __init__(self, feature: str, extra: str, packages: Sequence[str] = ()) -> None:
        self.feature = feature
        self.extra = extra
        self.packages = tuple(packages)
        super().__init__(feature, extra, self.packages)

    def __str__(self) -> str:
        what = " and ".join(self.packages) or "more than is installed"
        # Double quotes work in every shell; that of Windows passes single ones on to pip.
        return f'{self.feature} needs {what}: pip install "carom[{self.extra}]"'


class VersionError(CaromError, ImportError):
    """An unsupported version of another package."""

    def __init__(self, what: str, requirement: str) -> None:
        self.what = what
        self.requirement = requirement
        super().__init__(what, requirement)

    def __str__(self) -> str:
        return visible(f'{self.what}: pip install "{self.requirement}"')
