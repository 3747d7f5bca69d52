"""`carom render`: a film or a picture of a recording, or of a scene that is run for it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from carom.cli import INTERRUPTED
from carom.cli.compilation import Announcement
from carom.cli.interrupt import Interrupt
from carom.cli.progress import ProgressBar
from carom.cli.sources import RECORDINGS, named_in_errors, require_place, scene_from
from carom.cli.terminal import Mistake, complain, notice, output
from carom.errors import SolverError
from carom.scene import library

if TYPE_CHECKING:
    from carom.video import Look, Timing


def render(  # the arguments of the command
    source: str, target: Path, look: "Look", timing: "Timing", at: float | None, *, force: bool, quiet: bool
) -> int:
    """Make a film or a picture; the suffix of the target says which."""
    from carom import video
    from carom.video.files import kind_of
    from carom.video.painting.canvas import require_matplotlib

    kind = kind_of(target)
    require_free(target, kind, force=force)
    require_matplotlib()
    if at is not None and kind != "still":
        raise Mistake("--at is for one picture (.svg, .png). For a part of a film, use --from and --to.")
    if kind == "still" and (timing.start is not None or timing.end is not None):
        raise Mistake("--from and --to are for films. For one picture, use --at.")
    with open_source(source) as subject, Announcement(notice(), quiet=quiet), named_in_errors(source):
        try:
            if kind == "still":
                with Interrupt() as interrupt, FilmBar(interrupt, quiet=quiet) as bar:
                    video.still(subject, target, look, at, bar.run, bar.ahead)
                words = f"{source} drawn as {target}."
            else:
                words = film(subject, source, target, look, timing, quiet=quiet)
        except KeyboardInterrupt:
            complain(f"stopped by Ctrl-C; {target} was not written.")
            return INTERRUPTED
        except SolverError as error:
            complain(f"{source}: {error}")
            return 1
    if not quiet:
        output().print(words)
    return 0


def film(  # as above
    subject: Any, source: str, target: Path, look: "Look", timing: "Timing", *, quiet: bool
) -> str:
    """Make a film, and return a sentence about it."""
    from carom import video
    from carom.video.files import rate
    from carom.video.render import remark

    wished = timing.fps
    timing = replace(timing, fps=rate(target, wished))
    words = [remark(subject, timing)] if is_recording(source) else []
    if timing.fps < wished:
        words.append(f"{target}: made with {timing.fps:g} pictures per second, the maximum for a GIF.")
    for word in words:
        if word and not quiet:
            complain(word)
    began = time.perf_counter()
    with Interrupt() as interrupt, FilmBar(interrupt, quiet=quiet) as bar:
        count = video.film(subject, target, look, timing, bar, bar.ahead)
    took = time.perf_counter() - began
    return f"{source} filmed as {target}: {count} pictures, {count / timing.fps:.3g} s, made in {took:.1f} s."


@contextmanager
def open_source(source: str) -> Iterator[Any]:
    """Open a recording, or load a scene from a file or the library."""
    if is_recording(source):
        from carom.storage.recording import Recording

        with Recording(source) as recording:
            yield recording
    else:
        yield scene_from(source)


def is_recording(source: str) -> bool:
    """Is it an HDF5 file, by its suffix or its first bytes?"""
    path = Path(source)
    if path.suffix.lower() in RECORDINGS:
        return True
    if source in library.names() or not path.is_file():
        return False
    from carom.storage.hdf5.open_file import SIGNATURE

    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def require_free(target: Path, kind: str, *, force: bool) -> None:
    """Mistake, before any work is done, if the pictures could not be written at the end."""
    folder = target.parent
    if kind == "frames":
        if folder.exists() and not folder.is_dir():
            raise Mistake(f"{folder} is a file. Name a folder for the pictures.")
        if not folder.parent.is_dir():
            raise Mistake(f"{target}: there is no folder {folder.parent}. Make it first.")
        if not force and folder.is_dir() and any(folder.glob(f"*{target.suffix}")):
            raise Mistake(f"{folder} holds pictures already. Choose another folder, or overwrite them with --force.")
        return
    require_place(target, force=force)


class FilmBar(ProgressBar):
    """The bar of a film or a picture. Call it with the fraction that is done and the time in the run, per picture."""

    def __init__(self, interrupt: Interrupt, *, quiet: bool) -> None:
        super().__init__(
            notice(),
            BarColumn(),
            TextColumn("{task.fields[words]}"),
            TextColumn("t = {task.fields[time]:.6g} s"),
            TimeRemainingColumn(),
            quiet=quiet,
            total=None,
            time=0.0,
            words="",
        )
        self.interrupt = interrupt
        self.pictures = 0
        self.stage = ""

    def __call__(self, part: float, now: float) -> None:
        """Count a picture that is done."""
        self.pictures += 1
        self._draw("pictures", f"{self.pictures}/{round(self.pictures / part)} pictures", part, now)

    def ahead(self, part: float, now: float) -> None:
        """Show how far the first pass is, which finds what the view must contain."""
        self._draw("ahead", f"looking ahead, {part:.0%}", part, now)

    def run(self, part: float, now: float) -> None:
        """Show how far the run to the time of a picture is."""
        self._draw("run", f"running, {part:.0%}", part, now)

    def _draw(self, stage: str, words: str, part: float, now: float) -> None:
        """Draw the progress, and stop if Ctrl-C was pressed."""
        self.interrupt.check()
        if stage != self.stage:
            self.stage = stage
            self.progress.reset(self.task, total=1.0)  # the time left is estimated per stage
        self.show(part, time=now, words=words)
