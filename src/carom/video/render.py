"""Render a run as a film or a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.atomic_write import write_bytes
from carom.errors import CaromError
from carom.observe.frame import Frame
from carom.scene import Scene
from carom.video import files
from carom.video.options import Look, Timing
from carom.video.painting.canvas import Pixels, require_matplotlib
from carom.video.source import FrameSource, RecordingSource, SimulationSource, film_length, film_times
from carom.views.region import pace

if TYPE_CHECKING:
    from carom.video.painting.painter import Picture

SCOUT_COUNT = 48
"""Number of frames from which the view of an unbounded scene is chosen."""
DEFAULT_LENGTH = 10.0
"""Default length of the film of a run that is not recorded, s of wall-clock time."""
MAX_PICTURES = 1_000_000
"""Largest number of pictures of a film, nine hours: more is a mistake in a time or in a recording."""

Progress = Callable[[float, float], object]
"""Is called with the fraction that is done, and the time in the run, s."""


def film(
    what: Any,
    target: str | Path,
    look: Look | None = None,
    timing: Timing | None = None,
    progress: Progress | None = None,
    ahead: Progress | None = None,
) -> int:
    """Make a film (.mp4, .gif) or numbered pictures (frames/%05d.png) of a recording, a simulation or a scene.

    Recordings and scenes do not change; a simulation is advanced. Returns the number of pictures. A GIF has at most 50
    per second. `progress` is called after each picture; `ahead` during the run beforehand from which the view of an
    unbounded scene is chosen.
    """
    require_matplotlib()
    look, timing, target = look or Look(), timing or Timing(), Path(target)
    if files.kind_of(target) == "still":
        raise CaromError(f"{target}: is the name of one picture. Use carom.video.still, or name a .mp4 or .gif.")
    source = source_of(what)
    start, end = _part(source, timing)
    fps = files.rate(target, timing.fps)
    step = timing.speed * pace(source.scene) / fps
    count = film_length(start, end, step)
    if count > MAX_PICTURES:
        raise CaromError(
            f"{target}: the film would have {count:.6g} pictures, and the limit is {MAX_PICTURES:,}. "
            "Choose a part of the run (--from, --to), or a larger --speed."
        )
    with files.film(target, look.size, fps) as writer:
        drawn = _picture(source, look, start, end, step, ahead)
        for k, time in enumerate(film_times(start, end, step)):
            writer.add(drawn.pixels(_next_frame(drawn, source, time)))
            if progress is not None:
                progress((k + 1) / count, time)
    return count


def still(
    what: Any,
    target: str | Path,
    look: Look | None = None,
    at: float | None = None,
    progress: Progress | None = None,
    ahead: Progress | None = None,
) -> None:
    """Write one picture (.svg, .png) of a recording, a simulation or a scene at a time, s; default: its start.

    `progress` is called during the run to that time; `ahead` during a run beforehand, as for a film.
    """
    require_matplotlib()
    target = Path(target)
    if files.kind_of(target) != "still":
        raise CaromError(f"{target}: is the name of a film. Use carom.video.film, or name a .svg or .png.")
    drawn, frame = _at(what, look or Look(), at, progress, ahead)
    write_bytes(target, drawn.document(frame, target.suffix.lower()[1:]))


def picture(what: Any, look: Look | None = None, at: float | None = None) -> Pixels:
    """One picture as an array: rows from the top, of red, green, blue and opacity."""
    require_matplotlib()
    drawn, frame = _at(what, look or Look(), at)
    return drawn.pixels(frame)


def remark(recording: Any, timing: Timing) -> str | None:
    """A warning if a recording has too few frames for a smooth film; None if not."""
    run = source_of(recording)
    step = timing.speed * pace(run.scene) / timing.fps
    if not isinstance(run, RecordingSource) or run.apart <= 1.01 * step:
        return None
    what = f"frames are {run.apart:.3g} s apart, and a picture is due every {step:.3g} s: the film will jerk"
    return (
        f"{recording.path}: {what}. Record with --every {step:.3g}, or film with a smaller --fps or a larger --speed."
    )


def source_of(what: Any) -> FrameSource:
    """The source of frames of a `Recording`, a `Simulation`, or a `Scene`, which is run for it."""
    from carom.simulation.simulation import Simulation  # noqa: PLC0415  # compiles, and may not be needed

    if isinstance(what, Scene):
        return SimulationSource(Simulation(what))
    if isinstance(what, Simulation):
        return SimulationSource(what)
    if hasattr(what, "times") and hasattr(what, "at"):
        return RecordingSource(what)
    raise CaromError(f"a {type(what).__name__} cannot be drawn. Give a Recording, a Simulation or a Scene.")


def _at(
    what: Any, look: Look, at: float | None, progress: Progress | None = None, ahead: Progress | None = None
) -> tuple[Picture, Frame]:
    source = source_of(what)
    time = source.start if at is None else at
    _check_time(source, "at", time)
    drawn = _picture(source, look, max(time - look.trace, source.start), time, time / 100.0 or 0.01, ahead)
    if isinstance(source, SimulationSource):
        source.on_progress = _progress_by_time(source.start, time, progress)
    return drawn, _next_frame(drawn, source, time)


def _part(source: FrameSource, timing: Timing) -> tuple[float, float]:
    """Start and end of the film in the run, s."""
    start = source.start if timing.start is None else timing.start
    _check_time(source, "from", start)
    if timing.end is not None:
        _check_time(source, "to", timing.end)
        return start, timing.end
    if source.end is not None:
        return start, source.end
    return start, start + DEFAULT_LENGTH * timing.speed * pace(source.scene)


def _check_time(source: FrameSource, name: str, time: float) -> None:
    end = np.inf if source.end is None else source.end
    if not source.start <= time <= end * (1.0 + 1e-12):
        until = f"from {source.start:g} s on" if source.end is None else f"from {source.start:g} s to {end:g} s"
        raise CaromError(f"{name}: {time:g} s is not within the run, which goes {until}. Choose a time in it.")


def _progress_by_time(start: float, end: float, progress: Progress | None) -> Callable[[float], object] | None:
    """A function that reports progress by the time in the run; None if there is nothing to report."""
    if progress is None or end <= start:
        return None
    return lambda now: progress(min(max((now - start) / (end - start), 0.0), 1.0), now)


def _picture(
    source: FrameSource, look: Look, start: float, end: float, step: float, ahead: Progress | None = None
) -> Picture:
    from carom.video.painting.painter import Picture  # noqa: PLC0415  # needs matplotlib

    instants = [] if source.scene.boundary.bounded else _scout(source, start, end, ahead)
    return Picture(source.scene, look, instants, end, step)


def _scout(source: FrameSource, start: float, end: float, progress: Progress | None) -> list[Frame]:
    """Some frames of the part of the run that will be shown."""
    times = np.linspace(start, end, SCOUT_COUNT if end > start else 1)
    if isinstance(source, SimulationSource):
        copied = SimulationSource(source.simulation.copy())
        copied.on_progress = _progress_by_time(source.start, end, progress)
        return [copied.frame(float(time)) for time in times]
    seen, on_progress = [], _progress_by_time(start, end, progress)
    for time in times:
        seen.append(source.frame(float(time)))
        if on_progress is not None:
            on_progress(float(time))
    return seen


def _next_frame(drawn: Picture, source: FrameSource, time: float) -> Frame:
    """The frame at a time; the traces follow the run up to it."""
    drawn.traces.follow(source, time)
    frame = source.frame(time)
    drawn.change(source.scene)
    return frame
