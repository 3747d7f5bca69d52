"""Frames are what docs/lab.md says, byte for byte."""

import json
import math

import numpy as np
import pytest

from carom.lab.seen import frames
from lab.reading import read_frame
from lab.samples import GOLDEN, MEANING, golden, view


def test_frames_are_the_golden_bytes() -> None:
    assert b"".join(golden()) == GOLDEN.read_bytes()


def test_the_golden_bytes_say_what_is_written_beside_them() -> None:
    data = GOLDEN.read_bytes()
    for said in json.loads(MEANING.read_text(encoding="utf-8")):
        offset, length = said.pop("offset"), said.pop("length")
        assert read_frame(data[offset : offset + length]) == said
    assert offset + length == len(data)


def test_the_golden_frames_were_read_with_open_eyes() -> None:
    """The few numbers that a person checked by hand."""
    plain, rich, solid, none = json.loads(MEANING.read_text(encoding="utf-8"))
    assert (plain["flags"], plain["number"], plain["positions"]) == (0, 1, [[0.25, -0.5], [1.5, 2.0]])
    assert rich["flags"] == 1 + 2 + 4 + 16
    assert rich["positions"] == [[0.0, 0.0], [1.25, 2.5]]
    assert rich["forces"] == [[0.0, -9.75], [3.5, 0.125]]
    assert rich["companions"][1] == [[0.0, 0.25], [1.5, 2.5]]
    assert (rich["time"], rich["epoch"], rich["seq"], rich["rate"], rich["marks"]) == (1.25, 7, 42, 0.5, [0, 1])
    assert solid["flags"] == 1 + 8, "no forces were there to be sent"
    assert solid["positions"] == [[0.5, 2.0, 3.0], [None, None, None], [-1e9, 8.0, 9.0]]
    assert (none["n"], none["length"], none["number"]) == (0, 40, 4294967295)


def test_an_origin_keeps_small_things_far_away_apart() -> None:
    far = view(positions=np.array([[1.5e11, 0.0], [1.5e11 + 1.0, 0.0]]))
    (x0, _), (x1, _) = read_frame(frames.frame(far, 1, (1.5e11, 0.0)))["positions"]
    assert x1 - x0 == 1.0


def test_counters_start_again() -> None:
    said = read_frame(frames.frame(view(epoch=2**32 + 1, seq=2**32), 2**32 + 5, (0.0, 0.0)))
    assert (said["epoch"], said["seq"], said["number"]) == (1, 0, 5)


def test_a_frame_does_not_change_the_view() -> None:
    seen = view(born=np.array([True, False]))
    before = seen.positions.copy()
    frames.frame(seen, 1, (1.0, 1.0), velocities=True)
    assert np.array_equal(seen.positions, before)


def test_what_is_too_large_for_a_frame_is_infinite() -> None:
    said = read_frame(frames.frame(view(positions=np.array([[1e300, 0.0], [0.0, 0.0]])), 1, (0.0, 0.0)))
    assert said["positions"][0][0] == math.inf


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan"), np.array([1.0, np.nan])[1]])
def test_text_knows_no_infinity(value: float) -> None:
    assert frames.text({"state": {"a": [1, (value, {"b": value})]}}) == '{"state":{"a":[1,[null,{"b":null}]]}}'


def test_text_takes_arrays() -> None:
    assert (
        frames.text({"a": np.arange(3), "b": np.float64(0.5), "c": np.bool_(True)}) == '{"a":[0,1,2],"b":0.5,"c":true}'
    )
    assert frames.text({"a": np.array([1.0, np.inf])}) == '{"a":[1.0,null]}'


def test_text_refuses_what_it_does_not_know() -> None:
    with pytest.raises(TypeError, match="set has no form in JSON"):
        frames.text({"a": {1}})


def test_a_state_goes_into_json() -> None:
    state = json.loads(frames.text({"state": view().state()}))["state"]
    assert (state["solving"]["solver"], state["solving"]["has_forces"]) == ("exact", False)
    assert state["time"] == 0.0
