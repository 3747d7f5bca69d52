"""A kind of event and an image fit a ball's record and a byte of a history, and come back from both."""

import numpy as np
import pytest

from carom.kernels.jit import inline, kernel
from carom.solvers.exact.balls import ball_record
from carom.solvers.exact.history.notes import FIRST_KINDS, SEAMS, coded, decoded
from carom.solvers.exact.kinds import (
    BALL,
    COLLISIONS,
    EDGE,
    KINDS,
    MOST_KINDS,
    WALL,
    is_collision,
    packed,
    partner_image,
    partner_kind,
)

IMAGES = 27
of_byte = inline(decoded)


@kernel
def through_a_record(balls, kind, image):
    balls[0].kind = packed(kind, image)
    return partner_kind(balls[0]), partner_image(balls[0]), is_collision(partner_kind(balls[0]))


@kernel
def through_a_byte(kind, image):
    code = coded(kind, image)
    return code, of_byte(code)


def test_a_record_holds_each_kind_that_there_can_be_with_each_image():
    assert len(KINDS) < MOST_KINDS
    balls = np.zeros(1, ball_record)
    for kind in range(MOST_KINDS):
        for image in range(IMAGES):
            collides = kind < len(KINDS) and KINDS[kind].collision
            assert through_a_record(balls, kind, image) == (kind, image, collides)
    assert COLLISIONS == 1 << BALL | 1 << WALL


@pytest.mark.parametrize("kind", range(1, FIRST_KINDS))
def test_the_first_kinds_stand_in_files_as_they_always_did(kind):
    for image in range(IMAGES):
        assert through_a_byte(kind, image) == (kind + 4 * image, (kind, image))
        assert decoded(kind + 4 * image) == (kind, image)
    assert (BALL, WALL, EDGE) == (1, 2, 3)


def test_a_later_kind_has_a_byte_of_its_own():
    first = {kind + 4 * image for kind in range(FIRST_KINDS) for image in range(IMAGES) if kind or not image}
    later = [through_a_byte(kind, 0) for kind in range(FIRST_KINDS, MOST_KINDS)]
    assert [contact for _, contact in later] == [(kind, 0) for kind in range(FIRST_KINDS, MOST_KINDS)]
    assert {code for code, _ in later}.isdisjoint(first)
    assert max(code for code, _ in later) < SEAMS
