"""From a run to a film or a still."""

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
from carom.video.source import Recorded, Running, Source, film_length, film_times
from carom.views.region import pace

if TYPE_CHECKING:
    from carom.video.painting.painter import Picture

SCOUTED = 48
"""Instants that are looked at beforehand, where nothing bounds space."""
LENGTH = 10.0
"""Of the film of a scene that is not recorded, if nobody says, s of the clock."""
MOST_PICTURES = 1_000_000
"""Of a film: nine hours. Who asks for more has given a wrong time, or has a recording that tells one."""

Progress = Callable[[float, float], object]
"""Is told now and then which part is done, and which time it is in the run, s."""


def film(
    what: Any,
    target: str | Path,
    look: Look | None = None,
    timing: Timing | None = None,
    progress: Progress | None = None,
    ahead: Progress | None = None,
) -> int:
    """Make a film (.mp4, .gif) or numbered pictures (frames/%05d.png) of a recording, a simulation or a scene.

    A recording is left as it is, and so is a scene; a simulation runs on. Gives the number of pictures. A GIF has at
    most 50 a second. `progress` is told of each picture; `ahead` of the run beforehand, where nothing bounds space, by
    which the view is chosen.
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
    if count > MOST_PICTURES:
        raise CaromError(
            f"{target}: the film would have {count:.6g} pictures, and the limit is {MOST_PICTURES:,}. "
            "Choose a part of the run (--from, --to), or a larger --speed."
        )
    with files.film(target, look.size, fps) as writer:
        drawn = _picture(source, look, start, end, step, ahead)
        for k, time in enumerate(film_times(start, end, step)):
            writer.add(drawn.pixels(_instant(drawn, source, time)))
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
    """Write one picture (.svg, .png) of a recording, a simulation or a scene at a time; at its start if left out.

    `progress` is told how far the run is on its way there; `ahead` is the same of a run beforehand, as for a film.
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
    """A word to whoever films a recording that holds too few frames for it; None if all is well."""
    run = source_of(recording)
    step = timing.speed * pace(run.scene) / timing.fps
    if not isinstance(run, Recorded) or run.apart <= 1.01 * step:
        return None
    what = f"frames are {run.apart:.3g} s apart, and a picture is due every {step:.3g} s: the film will jerk"
    return (
        f"{recording.path}: {what}. Record with --every {step:.3g}, or film with a smaller --fps or a larger --speed."
    )


def source_of(what: Any) -> Source:
    """Where instants come from: a `Recording`, a `Simulation`, or a `Scene`, which is run for this."""
    from carom.simulation.simulation import Simulation  # noqa: PLC0415  # compiles, and may not be needed

    if isinstance(what, Scene):
        return Running(Simulation(what))
    if isinstance(what, Simulation):
        return Running(what)
    if hasattr(what, "times") and hasattr(what, "at"):
        return Recorded(what)
    raise CaromError(f"a {type(what).__name__} cannot be drawn. Give a Recording, a Simulation or a Scene.")


def _at(
    what: Any, look: Look, at: float | None, progress: Progress | None = None, ahead: Progress | None = None
) -> tuple[Picture, Frame]:
    source = source_of(what)
    time = source.start if at is None else at
    _check_time(source, "at", time)
    drawn = _picture(source, look, max(time - look.trace, source.start), time, time / 100.0 or 0.01, ahead)
    if isinstance(source, Running):
        source.told = _way(source.start, time, progress)
    return drawn, _instant(drawn, source, time)


def _part(source: Source, timing: Timing) -> tuple[float, float]:
    """From when to when, s."""
    start = source.start if timing.start is None else timing.start
    _check_time(source, "from", start)
    if timing.end is not None:
        _check_time(source, "to", timing.end)
        return start, timing.end
    if source.end is not None:
        return start, source.end
    return start, start + LENGTH * timing.speed * pace(source.scene)


def _check_time(source: Source, name: str, time: float) -> None:
    end = np.inf if source.end is None else source.end
    if not source.start <= time <= end * (1.0 + 1e-12):
        until = f"from {source.start:g} s on" if source.end is None else f"from {source.start:g} s to {end:g} s"
        raise CaromError(f"{name}: {time:g} s is not within the run, which goes {until}. Choose a time in it.")


def _way(start: float, end: float, progress: Progress | None) -> Callable[[float], object] | None:
    """Tells which part is done by the time in the run."""
    if progress is None or end <= start:
        return None
    return lambda now: progress(min(max((now - start) / (end - start), 0.0), 1.0), now)


def _picture(
    source: Source, look: Look, start: float, end: float, step: float, ahead: Progress | None = None
) -> Picture:
    from carom.video.painting.painter import Picture  # noqa: PLC0415  # needs matplotlib

    instants = [] if source.scene.boundary.bounded else _scout(source, start, end, ahead)
    return Picture(source.scene, look, instants, end, step)


def _scout(source: Source, start: float, end: float, progress: Progress | None) -> list[Frame]:
    """Some instants of what will be seen."""
    times = np.linspace(start, end, SCOUTED if end > start else 1)
    if isinstance(source, Running):
        copied = Running(source.simulation.copy())
        copied.told = _way(source.start, end, progress)
        return [copied.frame(float(time)) for time in times]
    seen, told = [], _way(start, end, progress)
    for time in times:
        seen.append(source.frame(float(time)))
        if told is not None:
            told(float(time))
    return seen


def _instant(drawn: Picture, source: Source, time: float) -> Frame:
    """A frame, and before it the ways that led there."""
    drawn.traces.follow(source, time)
    frame = source.frame(time)
    drawn.change(source.scene)
    return frame
