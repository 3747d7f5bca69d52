"""Write films and pictures to files, each complete or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from carom.atomic_write import replacing, write_error
from carom.errors import CaromError
from carom.extras import require
from carom.video.painting.canvas import Pixels

FILMS = (".mp4", ".gif")
STILLS = (".svg", ".png")
MAX_GIF_COLOURS, MAX_GIF_FPS = 255, 50.0
"""A GIF needs one more colour for unchanged pixels, and measures time in hundredths of a second."""
# Every player shows 4:2:0; the colours of a screen are those of BT.709; faststart: it plays while it loads.
MP4 = [
    "-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int",
    "-c:v", "libx264", "-crf", "17", "-preset", "medium", "-tune", "animation", "-pix_fmt", "yuv420p",
    "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-movflags", "+faststart", "-f", "mp4",
]  # fmt: skip
LOSSLESS = ["-c:v", "libx264rgb", "-qp", "0", "-preset", "ultrafast", "-f", "matroska"]


class PictureWriter(Protocol):
    """Writes pictures one by one."""

    def add(self, pixels: Pixels) -> None:
        """Write the next picture."""


def ffmpeg() -> str:
    """The path of the program ffmpeg, which comes with the extra `video`."""
    require("video", "making films")
    import imageio_ffmpeg  # type: ignore[import-untyped]  # noqa: PLC0415  # an optional part without types

    try:
        found: str = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError:  # the package for this system has no program
        what = "making films needs the program ffmpeg, which is not here"
        raise CaromError(f"{what}. Install it, or name it in IMAGEIO_FFMPEG_EXE.") from None
    return found


def kind_of(target: Path) -> str:
    """The kind of a file by its ending: "film", "frames" or "still"."""
    ending = target.suffix.lower()
    if ending == ".png" and _is_numbered(target):
        return "frames"
    if ending in FILMS:
        return "film"
    if ending in STILLS:
        return "still"
    raise CaromError(
        f"{target}: its ending does not name a format. Use .mp4 or .gif for films, frames/%05d.png for all "
        "pictures one by one, .svg or .png for one."
    )


def rate(target: Path, fps: float) -> float:
    """Pictures per second, limited for GIF."""
    return min(fps, MAX_GIF_FPS) if target.suffix.lower() == ".gif" else fps


def _is_numbered(target: Path) -> bool:
    """True if the name has a place for the number of a picture, such as %05d."""
    if "%" not in target.name:
        return False
    try:
        return target.name % 0 != target.name % 1
    except (TypeError, ValueError):
        raise CaromError(f"{target}: has a % that is no number's place. Write it as frames/%05d.png.") from None


@contextmanager
def film(target: Path, size: tuple[int, int], fps: float) -> Iterator[PictureWriter]:
    """Write a film; the file appears when the block ends without an error."""
    if kind_of(target) == "frames":
        with _frames(target) as writer:
            yield writer
        return
    if target.suffix.lower() == ".mp4" and (size[0] % 2 or size[1] % 2):
        even = f"{size[0] + size[0] % 2}x{size[1] + size[1] % 2}"
        raise CaromError(f"size: {size[0]}x{size[1]} has an odd side, which MP4 does not allow. Use {even}.")
    with replacing(target) as file, tempfile.TemporaryDirectory(prefix="carom-") as folder:
        gif, made = target.suffix.lower() == ".gif", Path(file.name)
        first = Path(folder) / "film.mkv" if gif else made
        encoder = _Encoder(ffmpeg(), [*_pictures(size, fps), *(LOSSLESS if gif else MP4), str(first)], target)
        try:
            yield encoder
            encoder.close()
        finally:
            encoder.end()
        if gif:
            _make_gif(first, made, fps, target)


def _make_gif(film: Path, made: Path, fps: float, target: Path) -> None:
    """Convert a lossless film, which is read twice: for the colour palette, and for the pictures."""
    colours = film.with_name("colours.png")
    rate = f"fps={min(fps, MAX_GIF_FPS):.9g}"
    choose = f"{rate},palettegen=max_colors={MAX_GIF_COLOURS}:stats_mode=full"
    use = f"{rate}[a];[a][1:v]paletteuse=dither=none:diff_mode=rectangle"
    for arguments in (
        ["-i", str(film), "-vf", choose, "-frames:v", "1", "-update", "1", str(colours)],
        ["-i", str(film), "-i", str(colours), "-lavfi", use, "-loop", "0", "-f", "gif", str(made)],
    ):
        encoder = _Encoder(ffmpeg(), arguments, target)
        try:
            encoder.close()
        finally:
            encoder.end()


class _Encoder:
    """Sends pictures to ffmpeg; `target` is the file that errors name."""

    def __init__(self, program: str, arguments: list[str], target: Path) -> None:
        self.target = target
        # The output of ffmpeg goes to a file: a pipe without a reader would fill up and block it.
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `end`
        self.process = subprocess.Popen(  # noqa: S603  # the program of imageio-ffmpeg, with arguments of our own
            [program, "-y", "-loglevel", "error", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.said, **_own_process_group(),
        )  # fmt: skip

    def add(self, pixels: Pixels) -> None:
        """Write the next picture."""
        assert self.process.stdin is not None  # noqa: S101  # it is a pipe
        try:
            self.process.stdin.write(pixels[:, :, :3].tobytes())
        except BrokenPipeError:
            self.process.wait()
            raise self._failure() from None

    def close(self) -> None:
        """Wait until the film is written; no more pictures follow."""
        assert self.process.stdin is not None  # noqa: S101  # it is a pipe
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        if self.process.wait():
            raise self._failure()

    def end(self) -> None:
        """Stop ffmpeg if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdin is not None and not self.process.stdin.closed:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        self.said.close()

    def _failure(self) -> CaromError:
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()
        word = lines[-1] if lines else f"exit code {self.process.returncode}"
        return CaromError(f"{self.target}: ffmpeg could not write the film: {word}. Is the disk full?")


def _own_process_group() -> dict[str, Any]:
    """Options that keep Ctrl-C from ffmpeg: carom stops it itself."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined,unused-ignore]  # there
    return {"start_new_session": True}


def _pictures(size: tuple[int, int], fps: float) -> list[str]:
    """Options for input of raw pictures."""
    return ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:.9g}", "-i", "-"]


class _NumberedPictures:
    """Writes pictures one by one into a folder."""

    def __init__(self, folder: Path, pattern: str) -> None:
        self.folder = folder
        self.pattern = pattern
        self.count = 0

    def add(self, pixels: Pixels) -> None:
        """Write the next picture."""
        from matplotlib.image import imsave  # noqa: PLC0415  # an optional part

        imsave(self.folder / (self.pattern % self.count), pixels, metadata={"Software": "carom"})
        self.count += 1


@contextmanager
def _frames(target: Path) -> Iterator[PictureWriter]:
    """Write numbered pictures; they appear when the block ends without an error."""
    parent = target.parent
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{parent.name}-", dir=parent if parent.is_dir() else parent.parent))
    except OSError as error:
        raise write_error(target, error) from error
    try:
        writer = _NumberedPictures(made, target.name)
        yield writer
        parent.mkdir(exist_ok=True)
        for each in sorted(made.iterdir()):
            each.replace(parent / each.name)
        while (old := parent / (target.name % writer.count)).exists():  # of a longer film that this one replaces
            old.unlink()
            writer.count += 1
    except OSError as error:
        raise write_error(target, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
