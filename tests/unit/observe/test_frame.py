import numpy as np
import pytest

from carom.observe.frame import Frame


def test_a_frame_is_read_only() -> None:
    frame = Frame(1.0, np.zeros((2, 2)), np.ones((2, 2)))
    for array in (frame.positions, frame.velocities):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


def test_rows_of_nan_are_balls_that_are_not_there() -> None:
    places = np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, 4.0]])
    frame = Frame(0.0, places, places.copy())
    assert frame.present.tolist() == [True, False, True]
    assert len(frame) == 3


def test_unwrapped_places_count_the_rounds() -> None:
    frame = Frame(0.0, np.array([[0.5, 0.25]]), np.zeros((1, 2)), np.array([[2, -1]]))
    assert frame.unwrapped(np.array([1.0, 3.0])).tolist() == [[2.5, -2.75]]
    assert frame.unwrapped(None) is frame.positions
