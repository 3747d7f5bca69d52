"""`carom render`: a film or a still of a recording, or of a scene that is run meanwhile."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from carom.cli.commands.run import INTERRUPTED
from carom.cli.compilation import Announcement
from carom.cli.interrupt import Interrupt
from carom.cli.sources import named_in_errors, scene_from
from carom.cli.terminal import Mistake, complain, notice, output
from carom.errors import SolverError
from carom.scene import library

if TYPE_CHECKING:
    from carom.video import Look, Timing

RECORDINGS = (".h5", ".h5md", ".hdf5")
SIGNATURE = b"\x89HDF\r\n\x1a\n"
"""How a file of HDF5 begins."""


def render(  # what, as what, and how
    source: str, target: Path, look: "Look", timing: "Timing", at: float | None, *, force: bool, quiet: bool
) -> int:
    """Make a film or a still, by the ending of the target."""
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
    with opened(source) as subject, Announcement(notice(), quiet=quiet), named_in_errors(source):
        try:
            if kind == "still":
                with Interrupt() as interrupt, Bar(interrupt, quiet=quiet) as bar:
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


def film(  # what, as what, and how
    subject: Any, source: str, target: Path, look: "Look", timing: "Timing", *, quiet: bool
) -> str:
    """Make a film, with progress; gives a word on it."""
    from carom import video
    from carom.video.files import rate
    from carom.video.render import remark

    wished = timing.fps
    timing = replace(timing, fps=rate(target, wished))
    words = [remark(subject, timing)] if is_recording(source) else []
    if timing.fps < wished:
        words.append(f"{target}: made with {timing.fps:g} pictures a second, which is the most that a GIF can have.")
    for word in words:
        if word and not quiet:
            complain(word)
    began = time.perf_counter()
    with Interrupt() as interrupt, Bar(interrupt, quiet=quiet) as bar:
        count = video.film(subject, target, look, timing, bar, bar.ahead)
    took = time.perf_counter() - began
    return f"{source} filmed as {target}: {count} pictures, {count / timing.fps:.3g} s, made in {took:.1f} s."


@contextmanager
def opened(source: str) -> Iterator[Any]:
    """The recording of a file, or a scene of a file or of the library."""
    if is_recording(source):
        from carom.storage.recording import Recording

        with Recording(source) as recording:
            yield recording
    else:
        yield scene_from(source)


def is_recording(source: str) -> bool:
    """Is it a file of HDF5, by its ending or by how it begins?"""
    path = Path(source)
    if path.suffix.lower() in RECORDINGS:
        return True
    if source in library.names() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def require_free(target: Path, kind: str, *, force: bool) -> None:
    """Stop before any work is done if the film could not be written in the end."""
    folder = target.parent
    if kind == "frames":
        if folder.exists() and not folder.is_dir():
            raise Mistake(f"{folder} is a file. Name a folder for the pictures.")
        if not folder.parent.is_dir():
            raise Mistake(f"{target}: there is no folder {folder.parent}. Make it first.")
        if not force and folder.is_dir() and any(folder.glob(f"*{target.suffix}")):
            raise Mistake(f"{folder} holds pictures already. Choose another folder, or overwrite them with --force.")
        return
    if not folder.is_dir():
        raise Mistake(f"{target}: there is no folder {folder}. Make it first.")
    if target.is_dir():
        raise Mistake(f"{target} is a folder. Name a file.")
    if target.exists() and not force:
        raise Mistake(f"{target} exists already. Choose another name, or overwrite it with --force.")


class Bar:
    """How far a film is; drawn on a terminal only. Call it with the part that is done, and the time in the run."""

    def __init__(self, interrupt: Interrupt, *, quiet: bool) -> None:
        console = notice()
        self.interrupt = interrupt
        self.progress = Progress(
            BarColumn(),
            TextColumn("{task.fields[words]}"),
            TextColumn("t = {task.fields[time]:.6g} s"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self.task = self.progress.add_task("", total=None, time=0.0, words="")
        self.done = 0
        self.stage = ""

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def __call__(self, part: float, now: float) -> None:
        """A picture is done."""
        self.done += 1
        self._draw("pictures", f"{self.done}/{round(self.done / part)} pictures", part, now)

    def ahead(self, part: float, now: float) -> None:
        """The run goes beforehand, to find out what the view must hold."""
        self._draw("ahead", f"looking ahead, {part:.0%}", part, now)

    def run(self, part: float, now: float) -> None:
        """The run goes on to the instant of a picture."""
        self._draw("run", f"running, {part:.0%}", part, now)

    def _draw(self, stage: str, words: str, part: float, now: float) -> None:
        """Draw how far it is, and stop if Ctrl-C was pressed."""
        self.interrupt.heed()
        if stage != self.stage:
            self.stage = stage
            self.progress.reset(self.task, total=1.0)  # the time that is left is that of this part
        self.progress.update(self.task, completed=part, time=now, words=words)
