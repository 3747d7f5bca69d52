"""Metadata of recordings and checkpoints as models of pydantic: files are not trusted, and checked before use."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from carom.scene import Scene
from carom.scene.io.files import MAX_FILE_SIZE, build, parse
from carom.storage.hdf5.open_file import one_line

Times = Annotated[float, Field(ge=0.0)]
Counts = Annotated[int, Field(ge=0, lt=2**62)]
Word = Annotated[str, Field(max_length=1000)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="allow")


class SolvingMetadata(_Model):
    """How the run is solved."""

    step: Annotated[float, Field(gt=0.0)] | None
    integrator: Word | None
    contacts: Word | None
    neighbours: Word
    forces: list[Word]
    hooks: Counts = 0
    touched: bool = False
    ids: list[Counts] | None = None
    issued: Counts | None = None


class GoalMetadata(_Model):
    """The planned end of the run, and where its scene came from."""

    until: Times | None = None
    collisions: Counts | None = None
    source: str = ""


class RecordedMetadata(_Model):
    """What is recorded in the file with this mark beside the checkpoint, and how many rows it has."""

    mark: str
    rows: Annotated[dict[str, Counts], Field(min_length=1)]
    triggers: list[dict[str, Any]]
    observables: list[str]
    events: bool
    pause: Times | None
    goal: GoalMetadata


class CheckpointMetadata(_Model):
    """The metadata of a checkpoint."""

    time: Times
    solver: Literal["exact", "stepped"]
    wish: SolvingMetadata
    recording: RecordedMetadata | None
    versions: dict[Word, Word]

    @field_validator("time", mode="before")
    @classmethod
    def _read(cls, text: Any) -> float:
        return float.fromhex(str(text))

    @field_validator("recording", mode="before")
    @classmethod
    def _none(cls, recording: Any) -> Any:
        return None if recording == {} else recording


class RecordingMetadata(_Model):
    """The metadata of a recording."""

    solver: Literal["exact", "stepped"]
    wish: SolvingMetadata
    versions: dict[Word, Word]
    triggers: list[dict[str, Any]]
    walls: list[str]
    mark: Word
    source: str
    origin: dict[Word, Any]


def written_by(versions: Any) -> str:
    """The version of carom that wrote a file, as text; the file may claim anything."""
    version = versions.get("carom") if isinstance(versions, dict) else None
    return f"carom {one_line(version)[:40]}" if isinstance(version, str) and version else "an unknown version of carom"


def stored_scene(text: bytes) -> Scene:
    """The scene in a file. It must list its balls: a generator could make a scene of any size."""
    if len(text) > MAX_FILE_SIZE:
        raise ValueError(f"the scene has {len(text) / 1e6:.0f} MB, and the limit is {MAX_FILE_SIZE / 1e6:.0f} MB")
    content = parse(text.decode("utf-8"), "json")
    for key in ("generator", "structures"):
        if key in content:
            raise ValueError(f"the scene has a {key}, where its balls should be")
    return build(content)
