"""What a user holds in the hand: running, reading, editing."""

import math

import numpy as np
import pytest

from carom import (
    ArgumentError,
    Ball,
    Balls,
    Box,
    Circle,
    Collision,
    InputError,
    Open,
    Polygon,
    Scene,
    SceneError,
    Simulation,
    library,
)

SCENE = Scene(
    boundary=Box(size=(0.5, 0.3)),
    balls=[
        Ball(position=(0.10, 0.1), velocity=(0.1, 0.0), mass=0.02, radius=0.02),
        Ball(position=(0.35, 0.1), velocity=(-0.1, 0.0), mass=0.01, radius=0.01),
    ],
)


def gas(count=30, **parameters):
    return library.load("gas", **{"count": count, "packing_fraction": 0.3, "periodic": False, "seed": 1, **parameters})


def state(sim):
    """Everything that moves, to compare bit for bit."""
    return sim.time, sim.collisions, sim.positions.tolist(), sim.velocities.tolist()


def lines(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value).splitlines()


class TestRunning:
    @pytest.mark.requirement("T-02", "T-14")
    def test_a_system_built_from_nothing_runs(self):
        sim = Simulation(SCENE)
        assert (sim.time, sim.collisions) == (0.0, 0)
        (first,) = sim.upcoming
        assert isinstance(first, Collision)
        assert (first.kind, first.partners, first.wall) == ("ball-ball", (0, 1), None)
        assert sim.run(until=2.0) is sim
        assert sim.time == 2.0
        assert sim.collisions == sum(sim.collisions_by_kind.values()) == 1

    def test_until_and_collisions_whichever_comes_first(self):
        sim = Simulation(gas())
        sim.run(until=1e9, collisions=7)
        assert sim.collisions == 7
        seventh = sim.time
        sim.run(until=seventh, collisions=100)
        assert (sim.collisions, sim.time) == (7, seventh)

    def test_a_run_to_a_time_stands_there(self):
        sim = Simulation(gas()).run(until=0.25)
        assert sim.time == 0.25
        assert sim.upcoming[0].time > 0.25

    def test_a_run_by_collisions_stands_at_the_last(self):
        sim = Simulation(gas())
        third = [each.time for each in sim.copy().events(collisions=3)][-1]
        assert sim.run(collisions=3).time == third

    @pytest.mark.requirement("T-06")
    def test_paused_and_resumed_is_the_same_as_straight_on(self):
        straight = Simulation(gas()).run(until=2.0)
        halting = Simulation(gas())
        for t in np.linspace(0.0, 2.0, 41)[1:].tolist():
            halting.run(until=t)
            _ = halting.upcoming, halting.positions, halting.energy, halting.snapshot()
        assert state(halting) == state(straight)

    def test_nothing_to_run(self):
        sim = Simulation(SCENE)
        before = state(sim)
        sim.run(until=0.0)
        sim.run(collisions=0)
        assert list(sim.events(collisions=0)) == []
        assert sim.collide(collisions=0).size == 0
        assert state(sim) == before

    def test_events_stop_the_clock_at_each(self):
        sim = Simulation(gas())
        times = []
        for each in sim.events(until=0.5):
            assert sim.time == each.time
            times.append(each.time)
        assert sim.time == 0.5
        assert times == sorted(times)
        assert len(times) == sim.collisions > 20

    def test_events_that_are_left_early(self):
        sim = Simulation(gas())
        for each in sim.events(until=100.0):
            last = each
            if sim.collisions == 5:
                break
        assert (sim.collisions, sim.time) == (5, last.time)
        assert state(sim) == state(Simulation(gas()).run(collisions=5))

    def test_step_by_step(self):
        sim = Simulation(SCENE)
        foretold = sim.upcoming[0]
        assert sim.step() == foretold
        assert sim.time == foretold.time

    def test_step_without_a_future(self):
        sim = Simulation(Scene(balls=[Ball(position=(0, 0), velocity=(1, 0))]))
        assert sim.step() is None
        assert sim.upcoming == []

    def test_collide_gives_all_at_once(self):
        one, two = Simulation(gas()), Simulation(gas())
        hits = one.collide(until=1.0)
        events = list(two.events(until=1.0))
        assert hits.size == len(events) == one.collisions
        assert state(one) == state(two)
        assert hits["time"].tolist() == [each.time for each in events]
        assert hits["impulse"].tolist() == [each.impulse for each in events]
        pairs = hits[hits["kind"] == 1]
        assert [tuple(p) for p in pairs[["a", "b"]].tolist()] == [e.partners for e in events if e.kind == "ball-ball"]
        assert one.time == 1.0

    def test_collide_by_number(self):
        sim = Simulation(gas())
        assert sim.collide(collisions=70_000).size == 70_000  # more than one part
        assert sim.collisions == 70_000

    def test_progress_is_told_and_changes_nothing(self):
        told = []
        sim = Simulation(gas()).run(until=50.0, progress=told.append)
        assert told[-1] == 1.0
        assert told == sorted(told)
        assert len(told) > 1
        assert all(0.0 <= part <= 1.0 for part in told)
        assert state(sim) == state(Simulation(gas()).run(until=50.0))
        counted = []
        sim.run(collisions=5000, progress=counted.append)
        assert counted == sorted(counted)
        assert counted[-1] == 1.0

    def test_an_empty_system_runs(self):
        sim = Simulation(library.load("empty")).run(until=3.0)
        assert (sim.time, sim.collisions, sim.positions.shape, sim.upcoming) == (3.0, 0, (0, 2), [])
        assert (sim.kinetic_energy, sim.momentum.tolist(), sim.resting) == (0.0, [0.0, 0.0], ())

    def test_only_fixed_balls(self):
        sim = Simulation(Scene(balls=[Ball(position=(1, 2), radius=0.1, fixed=True)])).run(until=3.0)
        assert sim.positions.tolist() == [[1.0, 2.0]]
        assert sim.upcoming == []


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda s: s.run(), "run: no end is given. Say until=… (s) or collisions=…."),
        (lambda s: list(s.events()), "run: no end is given. Say until=… (s) or collisions=…."),
        (lambda s: s.run(until=0.5), "until: 0.5 s is before now, 1.0 s. Time only goes forward."),
        (lambda s: s.run(until=math.nan), "until: nan is not a time. Give a number of seconds."),
        (
            lambda s: s.run(collisions=-1),
            "collisions: -1 is not a number of collisions. Use a whole number, 0 or more.",
        ),
        (
            lambda s: s.run(collisions=1.5),
            "collisions: 1.5 is not a number of collisions. Use a whole number, 0 or more.",
        ),
        (
            lambda s: s.run(collisions=True),
            "collisions: True is not a number of collisions. Use a whole number, 0 or more.",
        ),
        (lambda s: s.change(2, mass=1.0), "index: there is no ball 2. Use a number from 0 to 1."),
        (lambda s: s.remove([0, 5]), "index: there is no ball 5. Use a number from 0 to 1."),
        (
            lambda s: s.change("0", mass=1.0),
            "index: there is no ball named '0'. No ball has a name: use its number.",
        ),
        (
            lambda s: Simulation(SCENE, neighbours="trees"),
            "neighbours: 'trees' is unknown. Use 'auto', 'cells' or 'lists'.",
        ),
    ],
)
def test_a_bad_argument_is_one_clear_line_and_changes_nothing(call, line):
    sim = Simulation(SCENE).run(until=1.0)
    before = state(sim)
    assert lines(lambda: call(sim)) == [line]
    assert state(sim) == before


@pytest.mark.requirement("T-05")
@pytest.mark.parametrize(
    "bad",
    [{"until": "soon"}, {"until": [1.0]}, {"collisions": "many"}, {"collisions": math.inf}, {"collisions": math.nan}],
)
def test_a_nonsensical_end_is_a_clear_line_too(bad):
    sim = Simulation(SCENE)
    (line,) = lines(lambda: sim.run(**bad))
    assert line.startswith(next(iter(bad)))


class TestReading:
    def test_sums_are_those_of_the_balls(self):
        sim = Simulation(gas()).run(until=1.0)
        v, m = sim.velocities, sim.masses
        assert sim.kinetic_energy == pytest.approx(0.5 * (m[:, None] * v**2).sum(), rel=1e-15)
        assert sim.momentum == pytest.approx((m[:, None] * v).sum(axis=0), rel=1e-15)
        assert sim.energy == sim.kinetic_energy
        assert sim.radii.tolist() == sim.scene.balls.radius.tolist()

    def test_potential_energy_counts_movers_only(self):
        balls = [Ball(position=(0.5, 0.25), mass=2.0), Ball(position=(0.2, 0.75), mass=8.0, fixed=True)]
        sim = Simulation(Scene(boundary=Box(size=(1, 1)), gravity=(0.0, -10.0), balls=balls))
        assert sim.potential_energy == pytest.approx(5.0)

    def test_what_is_read_is_ones_own(self):
        """An array that was read keeps its values while the run goes on, and a copy of it can be written to."""
        sim = Simulation(gas()).run(until=0.3)
        before, places = state(sim), sim.positions
        sim.positions.copy()[:] = 0.0
        assert state(sim) == before
        sim.run(until=0.6)
        assert (places != sim.positions).any()
        assert (places == Simulation(gas()).run(until=0.3).positions).all()

    @pytest.mark.requirement("M-15", "T-12")
    def test_upcoming_across_a_seam(self):
        """Two balls that meet only through the seam of a periodic axis, one of them after going round."""
        balls = [
            Ball(position=(0.25, 0.5), velocity=(-0.5, 0.0), radius=0.0625),
            Ball(position=(0.5, 0.5), radius=0.0625),
        ]
        sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0), periodic=True), balls=balls))
        (first,) = sim.upcoming
        # 0.25 to the seam and 0.375 from the other end to the contact.
        assert (first.time, first.partners) == (1.25, (0, 1))
        assert first.place == pytest.approx((0.5625, 0.5), abs=1e-15)
        assert first.normal == pytest.approx((1.0, 0.0), abs=1e-15)
        before = state(sim)
        assert sim.upcoming == [first]
        assert state(sim) == before
        assert sim.step() == first

    def test_a_periodic_box_of_one_ball_has_no_future(self):
        scene = Scene(
            boundary=Box(size=(1, 1), periodic=True), balls=[Ball(position=(0.5, 0.5), velocity=(0.3, 0.7), radius=0.1)]
        )
        assert Simulation(scene).upcoming == []

    def test_walls_have_names(self):
        shapes = [
            (Polygon(vertices=[(0, 0), (1, 0), (1, 1), (0, 1)]), (0.5, 0.5), (1, 0), "edge 1"),
            (Circle(centre=(0.5, 0.5), radius=0.5), (0.5, 0.5), (1, 0), "circle"),
            (Polygon(vertices=[(-1, -1), (2, -1), (2, 2), (-1, 2)], holes=[[(0.8, 0.4), (1, 0.5), (0.8, 0.6)]]),
             (0.5, 0.5), (1, 0), "hole 0 edge 2"),
            (Polygon(vertices=[(0, 0), (1, 0), (1, 1), (0.5, 0.7), (0, 1)]), (0.5, 0.2), (0, 1), "corner 3"),
        ]  # fmt: skip
        for boundary, place, velocity, name in shapes:
            sim = Simulation(Scene(boundary=boundary, balls=[Ball(position=place, velocity=velocity, radius=0.05)]))
            assert sim.upcoming[0].wall == name

    def test_obstacles_have_names(self):
        scene = Scene(
            boundary=Box(size=(1, 1)),
            obstacles=[
                Circle(centre=(0.8, 0.5), radius=0.1),
                Polygon(vertices=[(0.4, 0.8), (0.6, 0.8), (0.6, 0.9), (0.4, 0.9)]),
            ],
            balls=[Ball(position=(0.5, 0.5), velocity=(1, 0), radius=0.05)],
        )
        sim = Simulation(scene)
        assert sim.upcoming[0].wall == "obstacle 0"
        sim.change(0, velocity=(0.0, 1.0))
        assert sim.upcoming[0].wall == "obstacle 1 edge 0"

    def test_the_report_says_what_rested(self):
        sim = Simulation(library.load("bouncing-ball"))
        assert str(sim.report) == "no ball rests, and no collision fell within the contact time"
        sim.run(until=5.0)
        assert sim.report.resting == sim.resting == (0,)
        assert sim.report.contact_time > 0.0
        assert str(sim.report).startswith("1 balls rest on walls") or str(sim.report).startswith("1 ball rests")

    def test_a_copy_goes_its_own_way(self):
        sim = Simulation(gas()).run(until=0.5)
        twin = sim.copy()
        assert state(twin) == state(sim)
        twin.run(until=1.0)
        assert sim.time == 0.5
        assert state(sim.run(until=1.0)) == state(twin)
        twin.change(0, velocity=(0.0, 0.0))
        assert state(sim) != state(twin)

    @pytest.mark.requirement("T-06")
    def test_a_snapshot_is_the_scene_as_it_is_now(self):
        sim = Simulation(gas()).run(until=0.7)
        scene = sim.snapshot()
        assert scene.balls.position.tolist() == sim.positions.tolist()
        assert scene.balls.velocity.tolist() == sim.velocities.tolist()
        assert (scene.boundary, scene.restitution) == (sim.scene.boundary, sim.scene.restitution)
        again = Simulation(scene)
        assert again.upcoming[0].partners == sim.upcoming[0].partners
        assert again.upcoming[0].time + 0.7 == pytest.approx(sim.upcoming[0].time, abs=1e-14)

    def test_a_snapshot_at_the_start_is_the_scene(self):
        assert Simulation(SCENE).snapshot() == SCENE


class TestEditing:
    """Editing keeps the rest of the state exactly: compared bit for bit with a run that was not edited."""

    def bystanders(self, edit, scene=None, until=1.0):
        """Two equal runs up to a time, one of them edited then; both read at that time."""
        plain, edited = (Simulation(scene or gas()).run(until=until) for _ in range(2))
        result = edit(edited)
        return plain, edited, result

    @pytest.mark.requirement("T-03")
    def test_add_keeps_the_others(self):
        far = Ball(position=(0.3, 0.2), velocity=(0.0, 0.1), radius=0.01)
        sim = Simulation(SCENE).run(until=0.5)
        before = state(sim)
        assert list(sim.add(far)) == [2]
        assert sim.positions[:2].tolist() == before[2]
        assert sim.velocities[:2].tolist() == before[3]
        assert sim.positions[2].tolist() == [0.3, 0.2]
        assert (sim.time, sim.collisions) == before[:2]
        # It is not in the way: the others go on as if it were not there, to the last bit.
        plain = Simulation(SCENE).run(until=1.15)
        assert sim.run(until=1.15).positions[:2].tolist() == plain.positions.tolist()
        assert sim.positions[2].tolist() == pytest.approx([0.3, 0.2 + 0.1 * 0.65])

    @pytest.mark.requirement("T-03")
    def test_add_many_to_an_empty_system(self):
        sim = Simulation(library.load("empty"))
        numbers = sim.add(
            [Balls(position=[(0.1, 0.1), (0.2, 0.1)], radius=0.01), Ball(position=(0.3, 0.1), radius=0.01)]
        )
        assert list(numbers) == [0, 1, 2]
        assert len(sim.scene.balls) == 3
        sim.change(0, velocity=(0.1, 0.0))
        assert [each.partners for each in sim.events(collisions=2)] == [(0, 1), (1, 2)]

    @pytest.mark.requirement("T-03", "T-05")
    @pytest.mark.parametrize(
        ("ball", "complaint"),
        [
            (Ball(position=(0.15, 0.1), radius=0.02), "balls 0 and 2 overlap"),
            (Ball(position=(0.495, 0.2), radius=0.02), "ball 2"),
            (Ball(position=(0.2, 0.2, 0.2), radius=0.02), ""),
        ],
    )
    def test_a_refused_addition_changes_nothing(self, ball, complaint):
        sim = Simulation(SCENE).run(until=0.5)
        before, scene = state(sim), sim.scene
        (line,) = lines(lambda: sim.add("ball"))  # type: ignore[arg-type]  # a mistake
        assert line == "add: 'ball' is not a ball. Give a Ball, Balls, or a list of them."
        (line,) = lines(lambda: sim.add(ball))
        assert complaint in line
        assert state(sim) == before
        assert sim.scene == scene
        assert state(sim.run(until=2.0)) == state(Simulation(SCENE).run(until=2.0))

    def test_remove_keeps_the_others(self):
        plain, edited, _ = self.bystanders(lambda sim: sim.remove([3, 7]))
        kept = [k for k in range(30) if k not in (3, 7)]
        assert edited.positions.tolist() == plain.positions[kept].tolist()
        assert edited.velocities.tolist() == plain.velocities[kept].tolist()
        assert (edited.time, edited.collisions) == (plain.time, plain.collisions)
        edited.run(collisions=50)

    def test_remove_one_and_all(self):
        sim = Simulation(gas()).run(until=1.0)
        sim.remove(0)
        sim.remove(-1)
        assert len(sim.positions) == 28
        sim.remove(range(28))
        assert sim.run(until=2.0).positions.shape == (0, 2)

    @pytest.mark.requirement("T-04")
    @pytest.mark.parametrize(
        "change",
        [
            {"velocity": (0.3, -0.2)},
            {"mass": 5.0},
            {"radius": 0.001},
            {"material": "rubber"},
            {"name": "marked"},
            {"fixed": True, "velocity": (0.0, 0.0)},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_change_keeps_the_others(self, change):
        plain, edited, _ = self.bystanders(lambda sim: sim.change(4, **change))
        others = [k for k in range(30) if k != 4]
        assert edited.positions.tolist() == plain.positions.tolist()
        assert edited.velocities[others].tolist() == plain.velocities[others].tolist()
        ball = edited.snapshot().balls[4]
        for name, value in change.items():
            assert getattr(ball, name) == value
        assert edited.run(collisions=20).collisions == plain.collisions + 20

    @pytest.mark.requirement("T-04")
    def test_a_ball_is_moved(self):
        sim = Simulation(SCENE).run(until=0.5)
        sim.change(0, position=(0.1, 0.25))
        assert sim.positions[0].tolist() == [0.1, 0.25]
        assert sim.velocities[0].tolist() == [0.1, 0.0]
        assert all(each.kind == "ball-wall" for each in sim.upcoming)  # it is out of the way now

    @pytest.mark.requirement("T-04", "T-05")
    @pytest.mark.parametrize(
        "change",
        [
            {"mass": -1.0}, {"mass": math.nan}, {"radius": -0.1}, {"radius": 1.0}, {"position": (9.0, 9.0)},
            {"position": (0.3, 0.1)}, {"velocity": (math.inf, 0.0)}, {"colour": "red"}, {"velocity": (1.0, 0.0, 0.0)},
        ],
    )  # fmt: skip
    def test_a_refused_change_is_one_line_and_changes_nothing(self, change):
        sim = Simulation(SCENE).run(until=0.5)
        before, scene = state(sim), sim.scene
        message = lines(lambda: sim.change(0, **change))
        assert len(message) >= 1
        assert all(len(line) < 300 for line in message)
        assert state(sim) == before
        assert sim.scene == scene
        assert state(sim.run(until=2.0)) == state(Simulation(SCENE).run(until=2.0))

    @pytest.mark.requirement("T-04")
    def test_many_are_changed_at_once_and_the_others_kept(self):
        chosen = [4, 11, -1]
        plain, edited, _ = self.bystanders(
            lambda sim: sim.change_balls(chosen, mass=[5.0, 6.0, 7.0], material="rubber", name=["a", None, "c"])
        )
        others = [k for k in range(30) if k not in (4, 11, 29)]
        assert edited.positions.tolist() == plain.positions.tolist()
        assert edited.velocities.tolist() == plain.velocities.tolist()
        balls = edited.snapshot().balls
        assert [balls[k].mass for k in (4, 11, 29)] == [5.0, 6.0, 7.0]
        assert [balls[k].name for k in (4, 11, 29)] == ["a", None, "c"]
        assert {balls[k].material for k in (4, 11, 29)} == {"rubber"}
        assert [balls[k] for k in others] == [plain.snapshot().balls[k] for k in others]
        assert edited.run(collisions=20).collisions == plain.collisions + 20

    @pytest.mark.requirement("T-04")
    def test_balls_that_change_places_are_not_in_each_others_way(self):
        sim = Simulation(SCENE).run(until=0.5)
        one, two = sim.positions.tolist()
        sim.change_balls([0, 1], position=[two, one])
        assert sim.positions.tolist() == [two, one]
        assert lines(lambda: sim.change(0, position=one))  # one by one they are

    @pytest.mark.requirement("T-04", "T-05")
    @pytest.mark.parametrize(
        ("indices", "columns", "where"),
        [
            ([0, 0], {"mass": 1.0}, "indices: a ball is named twice"),
            ([0, 7], {"mass": 1.0}, "index: there is no ball 7"),
            ([0, 1], {"mass": [1.0, -1.0]}, "mass[1]: "),
            ([0, 1], {"position": [[0.1, 0.1]]}, "position: 1 places are given for 2 balls"),
            ([0, 1], {"colour": "red"}, "colour: "),
            ([0, 1], {"radius": 9.0}, "ball 0 is across wall x-"),
        ],
    )
    def test_a_refused_change_of_many_is_told_and_changes_nothing(self, indices, columns, where):
        sim = Simulation(SCENE).run(until=0.5)
        before, scene = state(sim), sim.scene
        assert any(line.startswith(where) for line in lines(lambda: sim.change_balls(indices, **columns)))
        assert state(sim) == before
        assert sim.scene == scene

    def test_an_edit_that_changes_nothing_changes_nothing(self):
        """The others keep their anchors; but where the edited ball stood, its line is begun anew."""
        plain, edited, _ = self.bystanders(lambda sim: sim.change_scene(name="renamed"))
        assert edited.scene.name == "renamed"
        assert state(edited) == state(plain)
        assert state(edited.run(until=3.0)) == state(plain.run(until=3.0))

    @pytest.mark.requirement("T-04")
    def test_walls_that_swallow_energy(self):
        plain, edited, _ = self.bystanders(lambda sim: sim.change_walls(restitution=0.5))
        assert state(edited) == state(plain)
        assert edited.scene.restitution.ball_wall == 0.5
        assert edited.scene.restitution.ball_ball == 1.0
        energy = edited.kinetic_energy
        hits = [each for each in edited.events(until=edited.time + 0.5) if each.kind == "ball-wall"]
        assert hits
        assert edited.kinetic_energy < energy

    def test_walls_of_another_material(self):
        rule = {"ball_ball": 1.0, "ball_wall": 1.0, "pairs": [{"materials": ("ball", "felt"), "value": 0.25}]}
        scene = Scene(
            boundary=Box(size=(1, 1)), restitution=rule, balls=[Ball(position=(0.5, 0.5), velocity=(1, 0), radius=0.1)]
        )
        sim = Simulation(scene).run(until=0.1)
        sim.change_walls(material="felt")
        assert sim.run(collisions=1).velocities.tolist() == [[-0.25, 0.0]]

    def test_gravity_is_switched_on(self):
        plain, edited, _ = self.bystanders(lambda sim: sim.change_scene(gravity=(0.0, -9.81)), scene=SCENE, until=0.5)
        assert edited.positions.tolist() == plain.positions.tolist()
        assert edited.velocities.tolist() == plain.velocities.tolist()
        edited.run(until=0.6)
        assert edited.velocities[:, 1] == pytest.approx(-0.981)
        assert edited.positions[:, 1] == pytest.approx(0.1 - 0.5 * 9.81 * 0.01)

    def test_gravity_is_switched_off(self):
        scene = SCENE.replace(gravity=(0.0, -1.0))
        sim = Simulation(scene).run(until=0.2)
        place, velocity = sim.positions, sim.velocities
        sim.change_scene(gravity=(0.0, 0.0))
        assert sim.positions.tolist() == place.tolist()
        assert sim.velocities.tolist() == velocity.tolist()
        assert sim.run(until=0.25).positions == pytest.approx(place + 0.05 * velocity, abs=1e-16)

    def test_a_resting_ball_falls_when_gravity_turns(self):
        sim = Simulation(library.load("bouncing-ball")).run(until=5.0)
        assert sim.resting == (0,)
        sim.change_scene(gravity=(0.0, 9.81))
        assert sim.resting == ()
        assert sim.run(until=5.1).positions[0, 1] == pytest.approx(0.03 + 0.5 * 9.81 * 0.01)

    def test_a_larger_box(self):
        plain, edited, _ = self.bystanders(
            lambda sim: sim.change_scene(boundary=Box(size=(0.6, 0.3))), scene=SCENE, until=0.5
        )
        assert state(edited) == state(plain)
        edited.remove(0)
        assert [each.wall for each in edited.events(collisions=2)][-1] == "x+"
        assert edited.positions[0, 0] == pytest.approx(0.59)

    def test_a_box_too_small_is_refused(self):
        sim = Simulation(SCENE).run(until=0.5)
        before = state(sim)
        assert lines(lambda: sim.change_scene(boundary=Box(size=(0.3, 0.3))))
        assert state(sim) == before

    def test_time_goes_on_after_an_edit(self):
        sim = Simulation(gas()).run(until=1.0)
        sim.change(0, velocity=(0.0, 0.0))
        assert sim.time == 1.0
        assert next(sim.events(collisions=1)).time > 1.0
        count = sim.collisions
        assert sim.run(collisions=1).collisions == count + 1


def test_check_can_be_left_out():
    overlapping = SCENE.replace(balls=[SCENE.balls[0], SCENE.balls[0]])
    assert "overlap" in lines(lambda: Simulation(overlapping))[0]
    Simulation(overlapping, check=False)


def test_open_space():
    sim = Simulation(
        Scene(boundary=Open(), balls=[Ball(position=(0, 0), velocity=(1, 0)), Ball(position=(1, 0), radius=0.25)])
    )
    assert sim.step().time == 0.75
    assert sim.run(until=10.0).positions[1].tolist() == [10.25, 0.0]


@pytest.mark.requirement("T-05")
def test_balls_are_not_changed_with_the_scene():
    sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=[Ball(position=(0.5, 0.5), mass=1.0, radius=0.1)]))
    with pytest.raises(ArgumentError, match=r"balls: cannot be changed .* Use add, remove or change"):
        sim.change_scene(balls=[])
    assert len(sim.positions) == 1


@pytest.mark.requirement("T-05")
def test_more_balls_than_can_be_numbered(monkeypatch):
    monkeypatch.setattr("carom.solvers.exact.neighbours.candidate.MOST", 1)
    with pytest.raises(SceneError, match="balls: 2 are more than the exact solver can number, 1"):
        Simulation(library.load("gas", count=2))
