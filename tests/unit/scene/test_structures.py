"""Structures: what they are made of, and how a scene takes them in."""

from math import pi

import numpy as np
import pytest

from carom.errors import SceneError
from carom.scene import Ball, Balls, Chain, Cloth, Hair, Link, Links, Pieces, Rope, Scene, SoftBody, Structure, Water
from carom.scene.io import files
from carom.scene.structures.catenary import hanging

CHAIN = {"start": (0, 0), "end": (3, 0), "count": 4, "stiffness": 2}
ROPE = {"start": (0, 0), "end": (0, -2), "count": 5}
HAIR = {"start": (0, 0), "direction": (2, 0), "length": 1, "count": 5}
CLOTH = {"corner": (0, 0, 0), "sides": [(2, 0, 0), (0, 0, 1)], "counts": (5, 3), "stiffness": 10}
SOFT = {"corner": (1, 2), "size": (2, 1), "counts": (3, 2), "stiffness": 10}
BLOCK = {"corner": (0, 0), "size": (1, 0.5), "spacing": 0.1}
JET = {"nozzle": (0, 0), "velocity": (2, 0), "width": 0.3, "duration": 0.5, "spacing": 0.1}


def lines(make):
    with pytest.raises(SceneError) as caught:
        make()
    return str(caught.value).splitlines()


def spans(pieces):
    """How long each link is as placed."""
    one, other = pieces.links.between.T
    return np.linalg.norm(pieces.balls.position[one] - pieces.balls.position[other], axis=1)


class TestChain:
    def test_masses_and_springs(self):
        chain = Chain(**CHAIN, mass=[1, 2, 3, 4], damping=0.5).pieces()
        assert chain.balls.position.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
        assert chain.balls.mass.tolist() == [1, 2, 3, 4]
        assert chain.balls.fixed.tolist() == [True, False, False, True]
        assert chain.links == Links(between=[(0, 1), (1, 2), (2, 3)], stiffness=2, damping=0.5, length=1)

    def test_choices(self):
        chain = Chain(**{**CHAIN, "stiffness": [1, 2, 3]}, length=0.5, held="end", velocity=(0, 1), radius=0.1).pieces()
        assert chain.links.stiffness.tolist() == [1, 2, 3]
        assert chain.links.length.tolist() == [0.5] * 3
        assert chain.balls.fixed.tolist() == [False, False, False, True]
        assert chain.balls.velocity.tolist() == [[0, 1], [0, 1], [0, 1], [0, 0]]
        assert chain.balls.radius.tolist() == [0.1] * 4


class TestRope:
    def test_masses_are_shared_by_the_ends_of_links(self):
        rope = Rope(**ROPE, mass=8, stiffness=3, damping=0.5).pieces()
        assert rope.balls.mass.tolist() == [1, 2, 2, 2, 1]
        assert rope.balls.fixed.tolist() == [True, False, False, False, False]
        assert rope.links.stiffness.tolist() == [12] * 4  # four in a row are as stiff as the whole
        assert rope.links.damping.tolist() == [2] * 4
        assert rope.links.length.tolist() == [0.5] * 4
        assert len(rope.bends) == 0

    @pytest.mark.parametrize("count", [2, 5, 1000])
    def test_the_strain_under_its_own_weight(self, count):
        rope = Rope(**{**ROPE, "count": count}, mass=3, strain=0.02).pieces()
        below = np.cumsum(rope.balls.mass[::-1])[::-1][1:]  # what each link carries
        stretch = (below * 9.80665 / rope.links.stiffness).sum()
        # Shared masses make it exact: the sum over links is that of the trapezoidal rule on a linear load.
        assert stretch / 2.0 == pytest.approx(0.02, rel=1e-12)

    def test_a_direction_and_a_length(self):
        rope = Rope(start=(1, 1, 1), direction=(0, -7, 0), length=2, count=3, held="none").pieces()
        assert rope.balls.position.tolist() == [[1, 1, 1], [1, 0, 1], [1, -1, 1]]
        assert not rope.balls.fixed.any()

    def test_bending_by_angle_or_by_far_links(self):
        rope = Rope(**ROPE, bending=3, far=7).pieces()
        assert rope.bends.corner.tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        assert rope.bends.stiffness.tolist() == [6] * 3  # E I over the length of a link
        assert rope.bends.angle.tolist() == [pi] * 3
        far = rope.links[rope.links.length == 1.0]
        assert far.between.tolist() == [[0, 2], [1, 3], [2, 4]]
        assert far.stiffness.tolist() == [7] * 3

    def test_shorter_than_the_way_it_is_taut(self):
        rope = Rope(**ROPE, length=1).pieces()
        assert rope.links.length.tolist() == [0.25] * 4
        assert spans(rope) == pytest.approx([0.5] * 4)

    @pytest.mark.parametrize("end", [(3, 0), (3, 1), (1, -2.5), (2, 0, 2), (1e-3, 0), (0, 1)])
    @pytest.mark.parametrize("length", [4.0, 3.2])
    def test_longer_than_the_way_it_hangs_in_a_catenary(self, end, length):
        start, count = np.zeros(len(end)), 2001
        places = hanging(start, np.array(end, dtype=float), length, count)
        steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
        assert places[0].tolist() == start.tolist()
        assert places[-1].tolist() == list(end)
        # A chord differs from its arc by (ds)³/24R², except where the line folds: there it is at most twice as short.
        assert steps.sum() == pytest.approx(length, rel=1e-3)
        assert np.median(steps) == pytest.approx(length / (count - 1), rel=1e-6)
        level = np.hypot(places[:, 0], places[:, -1] if len(end) == 3 else 0.0)
        if level[-1] > 1.0:  # the tension's level part is the same everywhere: dy/dx grows evenly along the line
            slope = np.diff(places[:, 1]) / np.diff(level)
            assert np.diff(slope) == pytest.approx(np.full(count - 2, np.diff(slope).mean()), rel=1e-3)

    def test_a_hardly_slack_one(self):
        places = hanging(np.zeros(2), np.array([1.0, 0.0]), 1.0 + 1e-9, 101)
        assert places[50, 1] == pytest.approx(-np.sqrt(3e-9 / 8), rel=1e-5)  # sag of a shallow parabola
        assert hanging(np.zeros(2), np.array([1.0, 0.0]), 1.0 + 1e-15, 101)[:, 1].tolist() == [0.0] * 101


class TestHair:
    def test_root_and_direction_are_held(self):
        hair = Hair(**HAIR, far=3).pieces()
        assert hair.balls.position.tolist() == [[0, 0], [0.25, 0], [0.5, 0], [0.75, 0], [1, 0]]
        assert hair.balls.fixed.tolist() == [True, True, False, False, False]
        assert len(hair.bends) == 0
        assert len(hair.links) == 4 + 3

    def test_it_is_stiff_by_itself(self):
        assert Hair(**HAIR, mass=2).pieces().bends.stiffness == pytest.approx([2 * 9.80665 / 0.8 / 0.25] * 3)
        assert Hair(**HAIR, bending=3).pieces().bends.stiffness == pytest.approx([12] * 3)
        assert len(Hair(**HAIR, bending=0).pieces().bends) == 0


@pytest.mark.requirement("M-10")
class TestCloth:
    def test_points_in_rows(self):
        cloth = Cloth(**CLOTH, mass_per_area=4).pieces()
        assert cloth.balls.position[:6].tolist() == [
            [0, 0, 0],
            [0.5, 0, 0],
            [1, 0, 0],
            [1.5, 0, 0],
            [2, 0, 0],
            [0, 0, 0.5],
        ]
        assert cloth.balls.mass.sum() == pytest.approx(8.0)
        assert cloth.balls.mass.reshape(3, 5).tolist() == [
            [0.25, 0.5, 0.5, 0.5, 0.25],
            [0.5, 1, 1, 1, 0.5],
            [0.25, 0.5, 0.5, 0.5, 0.25],
        ]

    @pytest.mark.parametrize(
        ("choice", "number"), [("structural", 3 * 4 + 5 * 2), ("shear", 22 + 2 * 8), ("bending", 38 + 3 * 3 + 5)]
    )
    def test_each_choice_includes_the_former(self, choice, number):
        cloth = Cloth(**CLOTH, links=choice, shear_stiffness=3, bending_stiffness=2).pieces()
        assert len(cloth.links) == number
        assert len({tuple(sorted(pair)) for pair in cloth.links.between.tolist()}) == number
        assert spans(cloth) == pytest.approx(cloth.links.length)
        stiffness = {10.0: {0.5}, 3.0: {0.5 * 2**0.5}, 2.0: {1.0}}
        for value, lengths in stiffness.items():
            found = cloth.links.length[cloth.links.stiffness == value]
            assert all(min(abs(length - right) for right in lengths) < 1e-12 for length in found)

    def test_a_hundred_by_a_hundred(self):
        assert len(Cloth(**{**CLOTH, "counts": (100, 100)}).pieces().links) == 59_002

    @pytest.mark.parametrize(
        ("held", "numbers"),
        [("none", []), ("edge", [0, 1, 2, 3, 4]), ("two corners", [0, 4]), ("corners", [0, 4, 10, 14])],
    )
    def test_what_is_held(self, held, numbers):
        assert np.flatnonzero(Cloth(**CLOTH, held=held).pieces().balls.fixed).tolist() == numbers

    def test_triangles_cover_it_and_their_edges_are_links(self):
        cloth = Cloth(**CLOTH).pieces()
        a, b, c = cloth.balls.position[cloth.triangles.T]
        normals = np.cross(b - a, c - a)
        assert len(cloth.triangles) == 2 * 4 * 2
        assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(2.0)
        assert (normals[:, 1] < 0).all()  # all on one side
        links = {frozenset(pair) for pair in cloth.links.between.tolist()}
        edges = {frozenset((t[k], t[k - 1])) for t in cloth.triangles.tolist() for k in range(3)}
        assert edges <= links

    def test_in_the_plane_there_are_none(self):
        assert len(Cloth(**{**CLOTH, "corner": (0, 0), "sides": [(2, 0), (0, 1)]}).pieces().triangles) == 0


@pytest.mark.requirement("M-10")
class TestSoftBody:
    def test_in_the_plane(self):
        body = SoftBody(**SOFT, mass=8, links="structural").pieces()
        assert body.balls.position.tolist() == [[1, 2], [2, 2], [3, 2], [1, 3], [2, 3], [3, 3]]
        assert body.balls.mass.tolist() == [1, 2, 1, 1, 2, 1]
        pairs = sorted(sorted(pair) for pair in body.links.between.tolist())
        assert pairs == [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5]]
        assert len(SoftBody(**SOFT, links="shear").pieces().links) == 7 + 4
        assert len(SoftBody(**SOFT, links="bending").pieces().links) == 7 + 4 + 2

    @pytest.mark.parametrize(("choice", "number"), [("structural", 54), ("shear", 54 + 72 + 32), ("bending", 158 + 27)])
    def test_in_space(self, choice, number):
        body = SoftBody(corner=(0, 0, 0), size=(2, 2, 2), counts=(3, 3, 3), stiffness=1, links=choice).pieces()
        assert len(body.links) == len({frozenset(pair) for pair in body.links.between.tolist()}) == number
        assert spans(body) == pytest.approx(body.links.length)
        assert set(body.links.length.round(6)) <= {1.0, 1.414214, 1.732051, 2.0}
        assert body.balls.mass.sum() == pytest.approx(1.0)
        assert len(body.triangles) == 0


class TestWater:
    def test_a_block(self):
        water = Water(**BLOCK, velocity=(1, 0)).pieces().balls
        assert len(water) == 50
        assert water.mass.sum() == pytest.approx(500.0)
        assert water.position.min(axis=0) == pytest.approx([0.05, 0.05])
        assert water.position.max(axis=0) == pytest.approx([0.95, 0.45])
        assert water.velocity.tolist() == [[1, 0]] * 50
        assert water.material.names == ("water",)
        assert len(Water(corner=(0, 0, 0), size=(1, 1, 0.01), spacing=0.25).pieces().balls) == 16

    def test_a_jet_in_layers(self):
        jet = Water(**JET).pieces().balls
        assert len(jet) == 3 * 10
        assert jet.born.tolist() == pytest.approx([0.05 * layer for layer in range(10) for _ in range(3)])
        assert jet.position[:3] == pytest.approx(np.array([[0, -0.1], [0, 0], [0, 0.1]]))
        assert jet.mass.sum() == pytest.approx(1000 * 0.3 * 2 * 0.5)

    @pytest.mark.parametrize("velocity", [(2, 0, 0), (0, 0, -3), (1, 2, 3)])
    def test_a_jet_in_space_is_round_and_across(self, velocity):
        jet = Water(**{**JET, "nozzle": (1, 1, 1), "velocity": velocity, "spacing": 0.02}).pieces().balls
        offset = jet.position - 1.0
        assert np.abs(offset @ np.array(velocity)).max() < 1e-15
        assert np.linalg.norm(offset, axis=1).max() <= 0.15 * (1 + 1e-12)
        assert jet.mass.sum() == pytest.approx(1000 * pi * 0.15**2 * np.linalg.norm(velocity) * 0.5)

    @pytest.mark.parametrize("nozzle", [(0, 0), (0, 0, 0)])
    def test_a_jet_at_random(self, nozzle):
        given = {**JET, "nozzle": nozzle, "velocity": (2, 0, 0)[: len(nozzle)]}
        jet, again = (Water(**given, seed=3).pieces().balls for _ in range(2))
        assert jet == again
        assert jet != Water(**given, seed=4).pieces().balls
        assert (np.diff(jet.born) >= 0).all()
        assert 0 < len(set(jet.born.tolist())) == len(jet)
        assert jet.born.max() < 0.5
        assert np.linalg.norm(jet.position, axis=1).max() <= 0.15


class TestInAScene:
    def test_they_become_balls_and_links_after_the_others(self):
        own = [Ball(position=(5, 5)), Ball(position=(6, 5))]
        tie = Link(between=(1, 2), stiffness=9, length=1)  # to the first point of the first structure
        scene = Scene(
            balls=own, links=[tie], structures=[Rope(**ROPE, bending=1), {"kind": "chain", **CHAIN, "count": 4}]
        )
        assert scene.structures == ()
        assert len(scene.balls) == 2 + 5 + 4
        assert scene.links.between.tolist() == [
            [1, 2],
            *([k, k + 1] for k in range(2, 6)),
            *([k, k + 1] for k in range(7, 10)),
        ]
        assert scene.bends.corner.tolist() == [[2, 3, 4], [3, 4, 5], [4, 5, 6]]
        assert scene.balls.material.names == ("ball", "rope")

    def test_triangles_are_numbered_on(self):
        cloth = Cloth(**CLOTH)
        scene = Scene(structures=[cloth, cloth])
        assert scene.triangles.tolist() == [
            *cloth.pieces().triangles.tolist(),
            *(cloth.pieces().triangles + 15).tolist(),
        ]

    def test_a_changed_copy_does_not_build_them_again(self):
        scene = Scene(structures=[Rope(**ROPE)])
        assert scene.replace(name="rope").balls == scene.balls
        assert len(scene.replace(structures=[Rope(**ROPE)]).balls) == 10

    @pytest.mark.parametrize("form", ["toml", "json"])
    def test_in_a_file(self, form):
        text = "[[structures]]\nkind = 'rope'\nstart = [0, 0]\nend = [0, -2]\ncount = 5\n"
        scene = files.loads(text)
        assert scene == Scene(structures=[Rope(**ROPE)])
        assert files.loads(files.dumps(scene, form), form) == scene

    def test_one_of_a_users_own(self):
        class Pair(Structure):
            @property
            def dimension(self):
                return 2

            def pieces(self):
                return Pieces(Balls(position=[(0, 0), (1, 0)]), Links(between=[(0, 1)], stiffness=1))

        assert Scene(structures=[Pair(), Pair()]).links.between.tolist() == [[0, 1], [2, 3]]

    @pytest.mark.requirement("T-05")
    @pytest.mark.parametrize(
        ("structures", "line"),
        [
            (3, "structures: 3 is not a list. Write a list of structures."),
            ([{"kind": "roop"}], "structures[0].kind: 'roop' is not a kind of structure. Did you mean 'rope'?"),
            (
                [{"count": 3}],
                (
                    "structures[0].kind: is missing. Add the kind of structure, "
                    "one of 'chain', 'rope', 'hair', 'cloth', 'soft-body', 'water'."
                ),
            ),
            (
                [Rope(**ROPE), Cloth(**CLOTH)],
                "structures[1]: has 3 dimensions, but structures[0] has 2. Give both the same number of components.",
            ),
            (
                [Rope(**{**ROPE, "count": 3}, stiffness=1e150)],
                (
                    "structures[0].stiffness: 2e+150 is beyond 1e+150. "
                    "Use numbers up to 1e+150, for squares must not overflow."
                ),
            ),
        ],
        ids=str,
    )
    def test_a_mistake_is_one_clear_line(self, structures, line):
        assert lines(lambda: Scene(structures=structures)) == [line]


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Chain(**{**CHAIN, "end": (0, 0)}), "end: (0.0, 0.0) is where it starts. Move one of the ends."),
        (
            lambda: Chain(**{**CHAIN, "end": (0, 0, 1)}),
            "end: (0.0, 0.0, 1.0) has 3 components, but start has 2. Give both the same number of components.",
        ),
        (lambda: Chain(**{**CHAIN, "count": 1}), "count: 1 is not from 2 to 10000000. Use 2 points or more."),
        (
            lambda: Chain(**{**CHAIN, "count": 2.5}),
            "count: 2.5 is not a whole number. Write a whole number, such as 3.",
        ),
        (lambda: Chain(**CHAIN, mass=[1, 2]), "mass: 2 values for 4 masses. Give one for all, or one for each mass."),
        (
            lambda: Chain(**{**CHAIN, "stiffness": [1, -2, 3]}),
            "stiffness[1]: -2 is negative. Use 0 or a number above.",
        ),
        (lambda: Chain(**CHAIN, held="ends"), "held: 'ends' is not a choice here. Did you mean 'end'?"),
        (
            lambda: Chain(**CHAIN, velocity=(1, 2, 3)),
            "velocity: (1.0, 2.0, 3.0) has 3 components, but start has 2. Give both the same number of components.",
        ),
        (lambda: Rope(**ROPE, stiffness=1, strain=0.1), "strain: is given together with stiffness. Keep one of them."),
        (lambda: Rope(**ROPE, direction=(0, 1)), "direction: is given together with end. Keep one of them."),
        (lambda: Rope(start=(0, 0), count=3), "end: is missing. Add it, or a direction and a length."),
        (
            lambda: Rope(start=(0, 0), count=3, direction=(0, 1)),
            "length: is missing. Add it: length without force, in m.",
        ),
        (
            lambda: Rope(start=(0, 0), end=(0, 0), count=3),
            "end: (0.0, 0.0) is where it starts. Move one of the ends, or give a length.",
        ),
        (
            lambda: Hair(**{**HAIR, "direction": (0, 0)}),
            "direction: (0, 0) has no direction. Use a vector that is not zero.",
        ),
        (lambda: Hair(**{**HAIR, "count": 2}), "count: 2 is not from 3 to 10000000. Use 3 points or more."),
        (
            lambda: Cloth(**{**CLOTH, "sides": [(1, 0, 0), (2, 0, 0)]}),
            "sides: ((1.0, 0.0, 0.0), (2.0, 0.0, 0.0)) are parallel. Turn one of them.",
        ),
        (lambda: Cloth(**{**CLOTH, "sides": [(1, 0, 0)]}), "sides: [(1, 0, 0)] is not two vectors. Write two vectors."),
        (
            lambda: Cloth(**{**CLOTH, "sides": [(1, 0, 0), (0, 1)]}),
            "sides[1]: (0.0, 1.0) has 2 components, but corner has 3. Give both the same number of components.",
        ),
        (
            lambda: Cloth(**{**CLOTH, "counts": (5000, 5000)}),
            "counts: (5000, 5000) makes 25000000 points. Use at most 1000000 in all.",
        ),
        (
            lambda: Cloth(**{**CLOTH, "counts": (5, 5, 5)}),
            "counts: (5, 5, 5) is not two numbers of points. Write two numbers of points.",
        ),
        (
            lambda: Cloth(**CLOTH, links="all"),
            "links: 'all' is not a choice here. Known choices: structural, shear, bending.",
        ),
        (
            lambda: SoftBody(**{**SOFT, "counts": (3, 3, 3)}),
            "counts: (3, 3, 3) has 3 numbers, but size has 2. Give one for each side.",
        ),
        (
            lambda: SoftBody(**{**SOFT, "corner": (0, 0, 0)}),
            "size: (2.0, 1.0) has 2 components, but corner has 3. Give both the same number of components.",
        ),
        (lambda: Water(spacing=1), "corner: is missing. Add it for a block, or a nozzle for a jet."),
        (lambda: Water(**BLOCK, nozzle=(0, 0)), "nozzle: is given together with corner. Keep one of them."),
        (
            lambda: Water(spacing=1, corner=(0, 0)),
            "size: is missing. A block needs it: lengths of the sides of a block, in m.",
        ),
        (
            lambda: Water(spacing=1, nozzle=(0, 0), width=1),
            "duration: is missing. A jet needs it: duration of a jet, in s.",
        ),
        (lambda: Water(**BLOCK, duration=1), "duration: is no business of a block. Leave it out."),
        (lambda: Water(**JET, size=(1, 1)), "size: is no business of a jet. Leave it out."),
        (
            lambda: Water(**{**JET, "velocity": (0, 0)}),
            "velocity: a jet needs a velocity that is not zero. Say where it goes, and how fast.",
        ),
        (
            lambda: Water(**{**BLOCK, "spacing": 1e-9}),
            "spacing: 1e-09 makes 5e+17 points. Use at most 10000000 in all.",
        ),
        (
            lambda: Water(**{**BLOCK, "size": (1, 1, 1)}),
            "size: (1.0, 1.0, 1.0) has 3 components, but corner has 2. Give both the same number of components.",
        ),
    ],
)
def test_a_mistake_is_one_clear_line(make, line):
    assert lines(make) == [line]
