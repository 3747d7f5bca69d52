"""Films and stills: what they show, what they are, and what is left when they are stopped."""

import io
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from matplotlib.image import imread

import carom.video
from carom import Ball, Box, Scene, Simulation, library
from carom.errors import CaromError, MissingExtraError
from carom.storage.recording import Recording
from carom.video import Look, Timing, files, film, picture, source, still
from carom.video.painting.painter import Picture, seen
from carom.video.render import source_of
from carom.views.palette import LIGHT
from carom.views.region import bounds

SMALL = Look(size=(320, 180))


@pytest.fixture
def rolling():
    """A ball that goes from the left to the right at 1 m/s."""
    ball = Ball(position=(0.2, 0.5), velocity=(1.0, 0.0), mass=1.0, radius=0.1)
    return Scene(boundary=Box(size=(2.0, 1.0)), balls=[ball])


def pictures(path):
    """The pictures of a film of 320 x 180, as players decode them, and how many there are a second."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    read = subprocess.run(command, capture_output=True, check=True)
    about = read.stderr.decode()
    assert "320x180" in about
    rate = float(re.search(r"([\d.]+) fps", about).group(1))
    return rate, np.frombuffer(read.stdout, dtype=np.uint8).reshape(-1, 180, 320, 3)


def darkest_column(pixels):
    """Where the ball is: the middle of the dark pixels in the rows of the field, from 0 to 1."""
    rows = pixels[60:110, 40:-40, :3].astype(int).sum(axis=2) < 200
    return (np.nonzero(rows)[1].mean() + 40.5) / pixels.shape[1]


@pytest.mark.requirement("T-19")
@pytest.mark.parametrize("ending", ["mp4", "gif"])
def test_a_film_shows_the_motion(rolling, tmp_path, ending):
    target = tmp_path / f"film.{ending}"
    count = film(rolling, target, SMALL, Timing(fps=10, end=1.5))
    rate, shown = pictures(target)
    assert (count, len(shown), rate) == (16, 16, 10.0)
    scene = Simulation(rolling)
    camera = Picture(rolling, SMALL, [], 1.0, 0.1).camera
    for k in (0, 7, 15):
        scene.run(until=0.1 * k)
        x = camera.project(scene.positions)[0, 0] / 320
        assert darkest_column(shown[k]) == pytest.approx(x, abs=1.0 / 320)
    assert list(tmp_path.iterdir()) == [target]


def test_colours_survive_the_film(rolling, tmp_path):
    film(rolling, tmp_path / "film.mp4", SMALL, Timing(fps=10, end=0.2))
    ground = [int(LIGHT.ground[at : at + 2], 16) for at in (1, 3, 5)]
    _, shown = pictures(tmp_path / "film.mp4")
    np.testing.assert_allclose(shown[0][4, 4], ground, atol=3)  # 4:2:0 and a quantiser
    film(rolling, tmp_path / "film.gif", SMALL, Timing(fps=10, end=0.2))
    _, shown = pictures(tmp_path / "film.gif")
    np.testing.assert_allclose(shown[0][4, 4], ground, atol=1)


def test_numbered_pictures(rolling, tmp_path):
    target = tmp_path / "frames" / "%03d.png"
    assert film(rolling, target, SMALL, Timing(fps=10, end=0.5)) == 6
    assert [each.name for each in sorted((tmp_path / "frames").iterdir())] == [f"{k:03d}.png" for k in range(6)]
    assert imread(tmp_path / "frames/000.png").shape == (180, 320, 4)
    film(rolling, target, SMALL, Timing(fps=10, end=0.2))  # a shorter one takes its place, all of it
    assert len(list((tmp_path / "frames").iterdir())) == 3
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["break", "water-on-a-ball"])
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_stills_are_the_same_every_time(tmp_path, name, ending):
    one, other = tmp_path / f"one.{ending}", tmp_path / f"other.{ending}"
    look = Look(size=(320, 180), arrows=True, trace=0.05)
    for target in (one, other):
        still(library.load(name), target, look, at=0.05)
    assert one.read_bytes() == other.read_bytes()
    if ending == "svg":
        root = ET.fromstring(one.read_text(encoding="utf-8"))
        assert (root.get("width"), root.get("height")) == ("240pt", "135pt")  # 320 x 180 px of CSS
    else:
        assert imread(io.BytesIO(one.read_bytes())).shape[:2] == (180, 320)


@pytest.mark.requirement("T-14")
@pytest.mark.parametrize("name", [name for name in library.names() if name != "empty"])
def test_every_scene_has_a_picture(name):
    scene = library.load(name)
    theme = "dark" if len(name) % 2 else "light"
    pixels = picture(scene, Look(size=(160, 120), theme=theme, arrows=True))
    assert pixels.shape == (120, 160, 4)
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 8
    drawn = Picture(scene, SMALL, [], 1.0, 0.1)
    low, high = bounds(scene)
    corners = np.stack(np.meshgrid(*np.stack([low, high], axis=1)), axis=-1).reshape(-1, scene.dimension)
    at = drawn.camera.project(corners)
    if scene.attraction is None:  # of what goes round, a disc is enough
        assert (at >= 0.0).all()
        assert (at <= SMALL.size).all()


def test_an_empty_scene_has_a_picture_too():
    assert carom.video.picture(library.load("empty"), SMALL).shape == (180, 320, 4)
    assert all(callable(getattr(carom.video, name)) for name in carom.video.__all__)  # no module took a name


@pytest.mark.requirement("M-15")
def test_a_ball_across_a_joined_border_goes_on_at_the_other_side():
    ball = Ball(position=(0.0, 0.5), velocity=(1.0, 0.0), mass=1.0, radius=0.2)
    scene = Scene(boundary=Box(size=(1.0, 1.0), periodic=(True, True)), balls=[ball])
    dark = picture(scene, Look(size=(320, 180)))[..., :3].astype(int).sum(axis=2) < 200
    columns = np.nonzero(dark[20:120].sum(axis=0) > 8)[0]
    camera = Picture(scene, Look(size=(320, 180)), [], 1.0, 0.1).camera
    left, right = camera.project(np.array([[0.0, 0.0], [1.0, 0.0]]))[:, 0]
    assert columns.min() == pytest.approx(left, abs=1.5)
    assert columns.max() == pytest.approx(right, abs=1.5)
    middle = (columns > left + 0.25 * (right - left)) & (columns < right - 0.25 * (right - left))
    assert not middle.any()


@pytest.fixture
def recorded(rolling, tmp_path):
    simulation = Simulation(rolling, solver="stepped")
    with simulation.record(tmp_path / "run.h5", every=0.25):
        simulation.run(until=1.0)
    with Recording(tmp_path / "run.h5") as recording:
        yield recording


def test_a_stepped_recording_shows_the_frames_that_it_has(recorded):
    run = source_of(recorded)
    assert (run.start, run.end) == (0.0, 1.0)
    assert [run.frame(time).time for time in (0.0, 0.1, 0.13, 0.6, 1.0)] == [0.0, 0.0, 0.25, 0.5, 1.0]


def test_a_film_of_a_recording_lasts_as_long_as_it(recorded, tmp_path):
    assert film(recorded, tmp_path / "film.gif", SMALL, Timing(fps=20)) == 21
    assert film(recorded, tmp_path / "film.gif", SMALL, Timing(fps=20, speed=2.0, start=0.5)) == 6


@pytest.mark.parametrize("ending", ["film.mp4", "film.gif", "frames/%02d.png"])
def test_a_film_that_is_stopped_leaves_nothing(rolling, tmp_path, ending):
    def stop(part, _time):
        if part > 0.3:
            raise KeyboardInterrupt

    target = tmp_path / ending
    with pytest.raises(KeyboardInterrupt):
        film(rolling, target, SMALL, Timing(fps=10, end=1.0), stop)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_is_stopped_leaves_the_old_one(rolling, tmp_path):
    target = tmp_path / "film.mp4"
    target.write_bytes(b"old")

    def stop(_part, _time):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        film(rolling, target, SMALL, Timing(fps=10, end=1.0), stop)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_is_told_in_one_line(rolling, tmp_path, monkeypatch):
    """As ffmpeg sees it: a device that takes nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    monkeypatch.setattr(files, "MP4", [*files.MP4, "-f", "matroska", "/dev/full", "-f", "mp4"])
    with pytest.raises(CaromError, match="ffmpeg could not write the film") as caught:
        film(rolling, tmp_path / "film.mp4", SMALL, Timing(fps=10, end=3.0))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_traces_are_bounded_and_follow_the_ball(rolling):
    look = Look(size=(320, 180), trace=0.5)
    run = source.SimulationSource(Simulation(rolling))
    drawn = Picture(rolling, look, [], 1.0, 0.1)
    for time in np.arange(0.0, 1.45, 0.1):
        drawn.traces.follow(run, float(time))
        frame = run.frame(float(time))
    places, ages = drawn.traces.ways(rolling, frame)
    assert len(places) < 250
    assert ages.max() <= 1.0
    np.testing.assert_allclose(places[:, 0, 0], 0.2 + frame.time - 0.5 * ages, atol=1e-9)


def test_open_space_shows_where_balls_go_but_not_too_far():
    balls = [
        Ball(position=(0.0, 0.0), velocity=(1.0, 0.0), mass=1.0, radius=0.5),
        Ball(position=(0.0, 3.0), velocity=(0.0, 100.0), mass=1.0, radius=0.5),
    ]
    scene = Scene(balls=balls)
    run = source.SimulationSource(Simulation(scene))
    low, high = seen(scene, [run.frame(0.0), run.frame(1.0)])
    assert high[0] == pytest.approx(1.5)
    assert high[1] < 12.0
    assert low[0] == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s, d: film(s, d / "film.avi"), "film.avi: its ending does not name a format"),
        (lambda s, d: film(s, d / "film.mp4", Look(size=(321, 180)), Timing(end=0.1)), "Use 322x180"),
        (lambda s, d: film(s, d / "x.svg"), "is the name of one picture"),
        (lambda s, d: film(s, d / "a%zd.png"), "has a % that is no number's place"),
        (lambda s, d: still(s, d / "film.mp4"), "is the name of a film"),
        (lambda s, d: still(s, d / "x.svg", at=-1.0), "at: -1 s is not within the run, which goes from 0 s on"),
        (lambda s, d: picture(3), "a int cannot be drawn. Give a Recording"),
        (lambda s, d: Look(size=(3, 3)), "size: 3x3 px"),
        (lambda s, d: Look(theme="blue"), "Use 'light' or 'dark'"),
        (lambda s, d: Look(trace=-1.0), "trace: -1.0 s"),
        (lambda s, d: Timing(fps=0.0), "fps: 0"),
        (lambda s, d: Timing(speed=-1.0), "speed: -1"),
        (lambda s, d: Timing(start=2.0, end=1.0), "to: 1 s is before the start, 2 s"),
        (lambda s, d: Timing(start=float("nan")), "from: nan s"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(rolling, tmp_path, call, says):
    with pytest.raises(CaromError) as caught:
        call(rolling, tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_time_outside_of_a_recording(recorded, tmp_path):
    with pytest.raises(CaromError, match="at: 2 s is not within the run, which goes from 0 s to 1 s"):
        still(recorded, tmp_path / "x.png", at=2.0)


def test_what_is_not_installed_is_named(rolling, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match=r'pip install "carom\[video\]"'):
        film(rolling, tmp_path / "film.mp4", SMALL, Timing(end=0.1))
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "carom\[video\]"'):
        picture(rolling, SMALL)


def test_balls_that_merge_grow(tmp_path):
    balls = [
        Ball(position=(0.0, 0.0), velocity=(0.2, 0.0), mass=1.0, radius=0.1),
        Ball(position=(0.3, 0.0), velocity=(-0.2, 0.0), mass=1.0, radius=0.1),
    ]
    scene = Scene(balls=balls, attraction={"G": 1e-3, "touch": "merge"})
    simulation = Simulation(scene, step=0.01)
    with simulation.record(tmp_path / "merge.h5", every=0.1):
        simulation.run(until=1.0)
    with Recording(tmp_path / "merge.h5") as recording:
        run = source_of(recording)
        assert run.frame(0.0).present.tolist() == [True, True]
        last = run.frame(1.0)
        assert last.present.sum() == 1
        assert run.scene.balls.radius[last.present] > 0.12
        pixels = picture(recording, SMALL, at=1.0)
    assert pixels.shape == (180, 320, 4)
    live = source.SimulationSource(Simulation(scene, step=0.01))
    assert len(live.frame(1.0)) == len(live.scene.balls) == 1
    assert film(scene, tmp_path / "film.gif", Look(size=(320, 180), trace=0.2), Timing(fps=10, end=1.0)) == 11
