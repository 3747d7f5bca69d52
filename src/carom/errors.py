"""Every error that carom raises.

    CaromError
    ├── InputError (also ValueError)         what was given cannot be used; `problems` holds each reason
    │   ├── SceneError                       a scene, or a part of one, that cannot be
    │   │   └── StudyError                   a study of many runs that cannot be
    │   └── ArgumentError                    an argument that does not fit: a time, an index, a hook, an observable
    ├── SolverError
    │   ├── NotExactError                    a scene that the exact solver cannot do
    │   ├── StackError                       balls that rest on each other
    │   ├── ForceError                       a custom force that raised an error
    │   ├── EndlessError                     events without end, time standing still
    │   └── BlowUpError                      a step that is too large: something flew off to infinity
    ├── ClusterError                         a cluster that cannot be reached, or was lost
    ├── StorageError                         a file that cannot be written, or a recording that cannot be read
    ├── MissingExtraError (also ImportError) an optional part that is not installed
    └── VersionError (also ImportError)      a version of a package that carom does not work with

    StepWarning (a UserWarning)              a step that may be too large
    └── SolverWarning                        a step, or the like, that takes the place of the exact solver
    StorageWarning (a UserWarning)           a run that is not recorded any more, or not resumed as it was

A text says where, what (with the value) and how to mend it, one line per problem, whatever names a file has in it:
letters that could steer a terminal or break the line are shown as escapes.
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
    "the_first",
    "visible",
]

LONGEST_PLACE = 200
"""Letters of a place in a message: a key of a file may have millions."""
LONGEST_PATH = 400
"""Letters of a path: no system allows a name of more than 255."""
LONGEST_REASON = 1000
"""Letters of what is wrong."""
RESUME = "Make room and resume; what was written before is whole and can be read."
"""What to do where a recording has no room left on the disk."""
FREE = "free"
"""The id of a problem that is made of texts."""

_STEERING = "\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""Controls (escape codes begin with one), marks that turn the direction of writing, and halves of letters."""
_UNSEEN = re.compile(f"[{_STEERING}\t\n]")
_UNSEEN_IN_LINES = re.compile(f"[{_STEERING}]")


def visible(text: str, *, lines: bool = False, longest: int | None = None) -> str:
    r"""A text with escapes such as \u001b for letters that steer a terminal, turn the writing, or break the line.

    With `lines`, line breaks and tabs stay. Of a text that is longer than `longest`, both ends are left.
    """
    if longest is not None and len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-(longest // 3) :]}"
    pattern = _UNSEEN_IN_LINES if lines else _UNSEEN
    return pattern.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True, init=False)
class Problem:
    """One thing that is wrong: where, what, and how to mend it.

    Made of an id of the catalogue (`carom.messages`) and the values that fill in its texts,
    `Problem("number.negative", where="mass", value="-1")`, or of three texts in English: where, what and remedy.
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
        """How to mend it, in English."""
        return str(self.phrase("remedy"))

    def __str__(self) -> str:
        return self.line()

    def line(self, language: str = ENGLISH) -> str:
        """Where, what, and how to mend it, on one line."""
        place = f"{visible(self.where, longest=LONGEST_PLACE)}: " if self.where else ""
        return place + self.told(language)

    def told(self, language: str = ENGLISH) -> str:
        """What is wrong and how to mend it, in a language if it has the texts, or else in English."""
        what, remedy = told([self.phrase("what"), self.phrase("remedy")], language)
        return f"{visible(what, longest=LONGEST_REASON)}. {visible(remedy)}"

    def phrase(self, part: Literal["what", "remedy"]) -> Phrase:
        """One of its two texts, as a part of other texts."""
        return Phrase(self.id, part, **self.values)

    def at(self, where: str) -> Problem:
        """The problem at another place."""
        return Problem(self.id, where=where, **self.values)

    def inside(self, place: str) -> Problem:
        """The problem seen from further out: `mass` inside `balls[3]` is `balls[3].mass`."""
        separator = "." if place and self.where and not self.where.startswith("[") else ""
        return self.at(f"{place}{separator}{self.where}")


def the_first(
    problems: Sequence[Problem], total: int | None = None, *, at_least: bool = False, limit: int = 20
) -> list[Problem]:
    """At most `limit` of the problems, then one that tells how many more there are of the `total` (or at least are)."""
    more = (len(problems) if total is None else total) - min(len(problems), limit)
    return [*problems[:limit], *([Problem("more.at-least" if at_least else "more", n=more)] if more else [])]


class CaromError(Exception):
    """Base of all errors of carom."""

    def told(self, language: str = ENGLISH) -> str:  # noqa: ARG002  # what has no texts in the catalogue is English
        """What is wrong and how to mend it, in a language if it has the texts, or else in English."""
        return str(self)


class InputError(CaromError, ValueError):
    """Something given to carom that it cannot use: a scene, a study, or an argument of a call.

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
    """A scene, or a part of one, that cannot be."""


class ArgumentError(InputError):
    """An argument of a call that does not fit: a time, the index of a ball, a hook, an observable, an option."""


class StudyError(SceneError):
    """A study of many runs, or a part of one, that cannot be."""


class SolverError(CaromError):
    """A run that cannot be, or cannot go on."""

    @property
    def problem(self) -> Problem | None:
        """What is wrong, if the catalogue has texts for it."""
        return None

    def __str__(self) -> str:
        return self.problem.told() if self.problem else super().__str__()

    def told(self, language: str = ENGLISH) -> str:
        """What is wrong and how to mend it, in a language if it has the texts, or else in English."""
        return self.problem.told(language) if self.problem else str(self)


class NotExactError(SolverError):
    """A scene that the exact solver cannot do."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    @property
    def problem(self) -> Problem:
        """What is wrong."""
        return Problem("solver.not-exact", reason=self.reason)


class StackError(SolverError):
    """Balls that rest on each other, or one on something round, which the exact solver cannot hold."""

    def __init__(self, balls: Sequence[int], time: float) -> None:
        self.balls = tuple(balls)
        self.time = time
        super().__init__(self.balls, time)

    @property
    def problem(self) -> Problem:
        """What is wrong."""
        if len(self.balls) > 1:
            return Problem("solver.stack", balls=self.balls, time=self.time)
        return Problem("solver.on-round", ball=self.balls[0], time=self.time)


class EndlessError(SolverError):
    """Events that follow each other without time going on."""

    def __init__(self, time: float, events: int) -> None:
        self.time = time
        self.events = events
        super().__init__(time, events)

    @property
    def problem(self) -> Problem:
        """What is wrong."""
        return Problem("solver.endless", events=self.events, time=self.time)


class BlowUpError(SolverError):
    """A run of the stepped solver in which a body flew off to infinity."""

    def __init__(self, ball: int, time: float, step: float) -> None:
        self.ball = ball
        self.time = time
        self.step = step
        super().__init__(ball, time, step)

    @property
    def problem(self) -> Problem:
        """What is wrong."""
        return Problem("solver.blow-up", ball=self.ball, time=self.time, step=self.step)


class ForceError(SolverError):
    """A run of the stepped solver in which a custom force raised an error; it stands at the end of the step before."""

    def __init__(self, force: str, time: float, reason: str) -> None:
        self.force = force
        self.time = time
        self.reason = reason
        super().__init__(force, time, reason)

    @property
    def problem(self) -> Problem:
        """What is wrong."""
        reason = visible(" ".join(self.reason.split()), longest=LONGEST_REASON)
        return Problem("solver.force-failed", force=self.force, time=self.time, reason=reason)


class ClusterError(CaromError):
    """A cluster that cannot be reached, or was lost."""

    def __init__(self, where: str, what: str, remedy: str) -> None:
        self.where = where
        self.what = what
        self.remedy = remedy
        super().__init__(where, what, remedy)

    def __str__(self) -> str:
        return visible(f"{self.where}: {self.what}. {self.remedy}")


class StepWarning(UserWarning):
    """A step that is larger than the largest that is stable, or in which heavy balls may sink into light ones."""


class SolverWarning(StepWarning):
    """A run that goes in steps because of an argument, where the exact solver could have done it."""


class StorageWarning(UserWarning):
    """A run that is not recorded any more, or that cannot be resumed quite as it was."""


class StorageError(CaromError):
    """A file that cannot be written, or a recording or checkpoint that cannot be read."""

    def __init__(self, path: str | Path, what: str, remedy: str) -> None:
        self.path = str(path)
        self.what = what
        self.remedy = remedy
        super().__init__(self.path, what, remedy)

    def __str__(self) -> str:
        return visible(f"{visible(self.path, longest=LONGEST_PATH)}: {self.what}. {self.remedy}")

    @classmethod
    def of(cls, path: str | Path, error: BaseException, full: str = RESUME) -> StorageError:
        """What the system said, as a line that tells what to do; `full` is the remedy where the disk is full."""
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
    """An optional part of carom that is not installed."""

    def __init__(self, feature: str, extra: str, packages: Sequence[str] = ()) -> None:
        self.feature = feature
        self.extra = extra
        self.packages = tuple(packages)
        super().__init__(feature, extra, self.packages)

    def __str__(self) -> str:
        what = " and ".join(self.packages) or "more than is installed"
        # In double quotes, which every shell takes: that of Windows hands single ones on to pip.
        return f'{self.feature} needs {what}: pip install "carom[{self.extra}]"'


class VersionError(CaromError, ImportError):
    """A version of another package that carom does not work with."""

    def __init__(self, what: str, requirement: str) -> None:
        self.what = what
        self.requirement = requirement
        super().__init__(what, requirement)

    def __str__(self) -> str:
        return visible(f'{self.what}: pip install "{self.requirement}"')
