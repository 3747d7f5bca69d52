"""Kernels that draw space: what is nearer is in front, sizes are right, and nothing is drawn twice."""

import numpy as np
import pytest

from carom.video.painting import raster
from carom.video.painting.camera import OrbitCamera

LENS = (200.0, 0.0)
RED, BLUE = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]


@pytest.fixture
def sheet():
    return np.ones((120, 160, 3), dtype=np.float32), np.zeros((120, 160), dtype=np.float32)


def ball(sheet, places, radii, fill):
    balls = raster.Spheres(np.array(places), np.array(radii), np.array(fill), np.zeros(len(radii), bool))
    raster.draw_spheres(raster.PixelBuffer(*sheet, *LENS), balls, np.ones(3), 7.0)


def test_a_ball_is_as_large_as_perspective_says(sheet):
    ball(sheet, [[0.0, 0.0, 2.0]], [0.4], [RED])
    seen = sheet[1] > 0.0
    # The rim is where a ray from the eye touches: at r / sqrt(z² - r²), in parts of the focal length.
    radius = LENS[0] * 0.4 / np.sqrt(2.0**2 - 0.4**2)
    assert seen.sum() == pytest.approx(np.pi * radius**2, rel=0.01)
    assert sheet[1][60, 80] == pytest.approx(1.0 / 1.6, rel=1e-3)  # its nearest point


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_ball_is_in_front_whichever_comes_first(sheet, order):
    places, fill = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 3.0]]), np.array([RED, BLUE])
    some = list(order)
    ball(sheet, places[some], np.array([0.2, 0.5])[some], fill[some])
    colour = sheet[0]
    assert colour[60, 80, 0] > colour[60, 80, 2]
    assert colour[60, 80 + 27, 2] > colour[60, 80 + 27, 0]  # beside it, the farther one


def test_a_ball_behind_the_eye_is_not_drawn(sheet):
    ball(sheet, [[0.0, 0.0, -2.0], [0.0, 0.0, 0.1]], [0.4, 0.4], [RED, RED])
    assert not sheet[1].any()


def test_two_panes_that_share_an_edge_cover_each_pixel_once(sheet):
    colour, front = sheet
    a, b, c, d = [-0.3, -0.2, 2.0], [0.31, -0.22, 2.0], [0.33, 0.25, 2.0], [-0.29, 0.21, 2.0]
    faces = np.array([[a, b, c], [a, c, d]])
    normals = np.broadcast_to([0.0, 0.0, 1.0], (2, 3, 3)).copy()
    paint = np.zeros((2, 3))
    panes = raster.Triangles(faces, normals, paint, paint, np.full(2, 0.5), np.zeros(2))
    raster.draw_triangles(raster.PixelBuffer(colour, front, *LENS), panes)
    assert set(np.unique(colour)) == {0.5, 1.0}
    assert not front.any()  # glass hides nothing


def test_a_pane_hides_what_is_behind_it_and_is_cut_by_a_ball(sheet):
    colour, front = sheet
    face = np.array([[[-1.0, -1.0, 2.0], [1.0, -1.0, 2.0], [0.0, 1.5, 2.0]]])
    normals = np.broadcast_to([0.0, 0.0, 1.0], (1, 3, 3)).copy()
    green = np.array([[0.0, 1.0, 0.0]])
    pane = raster.Triangles(face, normals, green, green, np.ones(1), np.zeros(1))
    raster.draw_triangles(raster.PixelBuffer(colour, front, *LENS), pane)
    before = colour.copy()
    ball(sheet, [[0.0, 0.0, 2.5]], [0.4], [RED])
    np.testing.assert_array_equal(colour, before)
    ball(sheet, [[0.0, 0.0, 2.0]], [0.3], [RED])
    assert colour[60, 80, 0] > colour[60, 80, 1]


def test_a_line_is_as_thick_as_asked_and_hidden_by_a_ball(sheet):
    colour, front = sheet
    ball(sheet, [[0.0, 0.0, 2.0]], [0.2], [RED])
    before = colour.copy()
    line = raster.Lines(np.array([[[-0.6, 0.001, 2.5], [0.6, 0.001, 2.5]]]), np.zeros((1, 3)), np.ones(1))
    raster.draw_lines(raster.PixelBuffer(colour, front, *LENS), line, 3.0, 1.0)
    darkness = 1.0 - colour[:, 40, 0]
    assert darkness.sum() == pytest.approx(3.0, abs=0.05)
    np.testing.assert_array_equal(colour[:, 75:85], before[:, 75:85])


def test_the_mean_of_fine_pixels():
    fine = np.zeros((4, 4, 3), dtype=np.float32)
    fine[:2, :2] = 1.0
    fine[0, 2] = 1.0
    pixels = np.empty((2, 2, 4), dtype=np.uint8)
    raster.downsample(fine, pixels, 2)
    assert pixels[:, :, 0].tolist() == [[255, 64], [0, 0]]
    assert (pixels[:, :, 3] == 255).all()


def test_pixels_and_projection_agree(sheet):
    """Arrows and names, which are projected, stand where kernels put the balls."""
    low, high, up = np.zeros(3), np.ones(3), np.array([0.0, 0.0, 1.0])
    camera = OrbitCamera.on(low, high, (160, 120), 0.2, up, round_=False)
    place = np.array([[0.8, 0.3, 0.6]])
    colour, front = sheet
    balls = raster.Spheres(camera.seen(place), np.array([0.05]) / camera.distance, np.array([RED]), np.zeros(1, bool))
    raster.draw_spheres(raster.PixelBuffer(colour, front, camera.focal, camera.lift), balls, np.ones(3), 7.0)
    rows, columns = np.nonzero(front)
    x, y = camera.project(place)[0]
    assert columns.mean() + 0.5 == pytest.approx(x, abs=0.6)
    assert 120.0 - (rows.mean() + 0.5) == pytest.approx(y, abs=0.6)
