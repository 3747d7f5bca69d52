"""By keys alone: corners of walls, several balls, links."""

import pytest

from carom import Box, Polygon, Scene
from carom.lab.bench.session import Session
from carom.lab.commands.keymap import KEYS
from carom.lab.commands.walls import corners
from carom.scene import Block, library


def press(session: Session, key: str, *held: str) -> None:
    """Do what a key stands for."""
    (found,) = [each for each in KEYS if each.key == key and each.held == held]
    session.do(found.command, **found.arguments)


def told(session: Session) -> str:
    """What the bench says to the person."""
    message = session.view().message
    return "" if message is None else message.text


@pytest.mark.requirement("B-02", "T-17")
def test_a_corner_is_chosen_and_moved_by_keys() -> None:
    session = Session(library.load("polygon-table"))
    before = session.track.scene.boundary.vertices
    press(session, "c")
    press(session, "c")
    assert session.view().corner == ("boundary", 1)
    assert session.view().state()["corner"] == ("boundary", 1)
    press(session, "ArrowRight")
    after = session.track.scene.boundary.vertices
    assert after[1][0] > before[1][0]
    assert after[1][1] == before[1][1]
    assert [after[0], *after[2:]] == [before[0], *before[2:]]
    session.do("undo")
    assert session.track.scene.boundary.vertices == before
    press(session, "c", "Shift")
    assert session.view().corner == ("boundary", 0)
    press(session, "Tab")
    assert session.view().corner is None, "arrow keys move the ball again"


def test_corners_are_those_of_polygons_and_blocks_in_the_plane() -> None:
    block = Block(low=(4.0, 4.0), high=(5.0, 6.0))
    triangle = Polygon(vertices=((0.0, 0.0), (9.0, 0.0), (0.0, 9.0)))
    told = corners(Scene(boundary=triangle, obstacles=[block]))
    assert [corner for corner, _ in told] == [*(("boundary", k) for k in range(3)), *((0, k) for k in range(4))]
    assert told[5] == ((0, 2), (5.0, 6.0))
    assert corners(Scene(boundary=Box(size=(1.0, 1.0, 1.0)))) == []


def test_where_there_is_no_corner_it_is_said() -> None:
    session = Session(library.load("gas", count=4))
    press(session, "c")
    assert "no wall here has corners" in told(session)


def test_balls_are_selected_and_linked_by_keys() -> None:
    session = Session(library.load("empty"))
    for x in (0.1, 0.2, 0.3):
        session.do("add", position=[x, 0.1], mass=1.0, radius=0.01)
    session.do("solve", solver="stepped")
    session.do("select-none")
    press(session, "Tab")
    press(session, "l")
    assert "one is selected. Select another one too" in told(session)
    press(session, "e")
    press(session, "e")
    assert session.view().selected == (0, 1, 2)
    press(session, "l")
    assert session.track.sim.links.between.tolist() == [[0, 1], [1, 2]]
    press(session, "l", "Shift")
    assert len(session.track.sim.links) == 0
    press(session, "l", "Shift")
    assert "no link is between" in told(session)
    session.do("undo")
    assert len(session.track.sim.links) == 2
