"""A run of the stepped solver in a user's hands: choosing it, looking, stopping, steering, editing, hooks."""

import contextlib
import copy
import math
import pickle
import re
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

import carom
from carom import (
    ArgumentError,
    Attraction,
    Ball,
    Balls,
    Block,
    BlowUpError,
    Box,
    Cloth,
    HalfSpace,
    Link,
    Links,
    NotExactError,
    Open,
    Scene,
    SceneError,
    Simulation,
    SolverWarning,
    StackError,
    Stepping,
    StepWarning,
    library,
)
from carom.scene.placement import check
from carom.solvers.stepped.integrators.stability import sensible_step

Floats = NDArray[np.float64]
FALLING = Scene(gravity=(0.0, -10.0), balls=[Ball(position=(0.0, 0.0), velocity=(1.0, 0.0), mass=2.0)])
PAIR = Scene(
    balls=[Ball(position=(0.0, 0.0)), Ball(position=(1.2, 0.0), mass=3.0)],
    links=[Link(between=(0, 1), stiffness=5.0, length=1.0)],
)


def bits(sim: Simulation) -> tuple[object, ...]:
    return sim.time, sim.collisions, sim.positions.tobytes(), sim.velocities.tobytes()


def crowd(n: int = 60, **changes: object) -> Scene:
    """Balls in a box under gravity, some of them linked, with friction and loss."""
    rng = np.random.default_rng(5)
    side = math.ceil(math.sqrt(n))
    place = np.stack(np.divmod(np.arange(n), side), axis=1) * 0.1 + 0.1 + rng.uniform(-0.01, 0.01, (n, 2))
    return Scene(
        boundary=Box(size=(0.1 * side + 0.2, 0.1 * side + 0.2)),
        gravity=(0.0, -1.0),
        restitution=0.9,
        friction=0.1,
        drag=0.01,
        balls=Balls(position=place, velocity=rng.normal(0, 1, (n, 2)), radius=0.03, mass=rng.uniform(0.5, 2, n)),
        links=Links(between=[(0, 1), (1, 2)], stiffness=20.0, damping=0.1),
    ).replace(**changes)


class TestChoice:
    @pytest.mark.parametrize(
        ("options", "what"),
        [
            ({"step": 0.1}, "a step"),
            ({"integrator": "rk4"}, "an integrator"),
            ({"contacts": "impacts"}, "contacts"),
            ({"step": 0.1, "integrator": "rk4"}, "a step and an integrator"),
        ],
    )
    def test_what_takes_the_place_of_the_exact_solver_is_told_once(self, options, what: str) -> None:
        with pytest.warns(
            SolverWarning, match=rf"^the run goes in steps because of {what}; the exact solver could"
        ) as all_told:
            assert Simulation(FALLING, **options).solver == "stepped"
        assert len(all_told) == 1
        assert all_told[0].filename == __file__
        Simulation(FALLING, solver="stepped", **options)
        Simulation(FALLING.replace(stepping=Stepping(solver="stepped")), **options)
        Simulation(PAIR, **options)  # only the stepped one can
        Simulation(library.load("pour", count=5), **options)  # the stepped one is chosen anyway

    def test_forces_pick_it_by_themselves(self) -> None:
        assert Simulation(PAIR).solver == "stepped"
        assert Simulation(FALLING).solver == "exact"
        with pytest.warns(SolverWarning, match="a step"):
            assert Simulation(FALLING, step=0.1).solver == "stepped"
        with pytest.warns(SolverWarning, match="an integrator"):
            assert Simulation(FALLING, integrator="rk4").method.integrator.name == "rk4"
        assert Simulation(FALLING, solver="stepped").method.step == 1.0 / 60.0

    @pytest.mark.requirement("S-08")
    @pytest.mark.parametrize(
        "changes",
        [
            {"gravity": (0.0, -9.81)},  # once "steps of 2000 s", and nothing met the floor
            {"gravity": (0.0, -9.81), "boundary": Open()},
            {"obstacles": [HalfSpace(point=(0.0, 0.5), normal=(0.0, 1.0))]},
            {},  # at rest between walls: nothing but attraction moves them, but a hand may
        ],
    )
    def test_weak_attraction_does_not_make_steps_long(self, changes: dict[str, object]) -> None:
        balls = [Ball(position=(1.0 + k, 1.0), radius=0.1) for k in range(2)]
        scene = Scene(boundary=Box(size=(4.0, 4.0)), attraction=Attraction(), balls=balls).replace(**changes)
        assert sensible_step(scene) == 1.0 / 60.0

    @pytest.mark.requirement("S-08")
    def test_attraction_does_not_make_steps_longer_than_motion_bears(self) -> None:
        """Points that pass each other: r = √2 m at u = 3 m/s is 0.47 s, in 20 steps. Once it was 5000 s."""
        balls = [Ball(position=(1.0, 1.0), velocity=(2.0, 0.0)), Ball(position=(2.0, 2.0), velocity=(-1.0, 0.0))]
        assert sensible_step(Scene(attraction=Attraction(), balls=balls)) == 0.02
        room = Scene(boundary=Box(size=(4e11, 4e11)), attraction=Attraction(), balls=balls)
        far = room.balls.replace(position=room.balls.position * 1e11, velocity=room.balls.velocity * 1e4, mass=1e29)
        assert sensible_step(room.replace(balls=far)) == 2e5  # s: a large box has large steps

    @pytest.mark.requirement("S-08")
    def test_attraction_between_few_resolves_the_closest_approach_to_come(self) -> None:
        """A parabola with h = 0.5 m²/s: r = 1/8 m, and 2π √(r³/2μ)/100 = 0.00196 s."""

        def step(*, touch: str = "pass", away: float = -1.0, more: int = 0, **changes: float) -> float:
            balls = [
                Ball(position=(0.0, 0.0), mass=1.0, fixed=True, radius=0.2),
                Ball(position=(10.0, 0.0), velocity=(away * math.sqrt(0.2 - 0.05**2), 0.05), mass=1e-9),
                *(Ball(position=(1000.0 + k, 1000.0), mass=1e-9) for k in range(more)),
            ]
            return sensible_step(Scene(attraction=Attraction(G=1.0, touch=touch, **changes), balls=balls))

        assert step() == 0.001
        assert step(away=1.0001) == step(more=20) == 0.5, "it flies off; of many, pairs do not tell what comes"
        assert step(touch="merge") > 0.01, "they touch before"
        assert step(softening=1.0) == 0.02, "softening rounds it off: √(1/2)"

    @pytest.mark.requirement("S-08")
    def test_orbits_keep_their_large_steps(self) -> None:
        steps = {name: sensible_step(library.load(name)) for name in ("satellite", "two-bodies", "figure-eight")}
        assert steps == {"satellite": 20.0, "two-bodies": 0.005, "figure-eight": 0.02}
        earth = [Ball(position=(0.0, 0.0), mass=2e30), Ball(position=(1.5e11, 0.0), velocity=(0.0, 3e4), mass=6e24)]
        assert sensible_step(Scene(attraction=Attraction(), balls=earth)) == 1e5  # s: a year in 316 steps

    def test_a_pile_says_that_it_has_an_integrator_of_its_own(self) -> None:
        pile = Scene(
            boundary=Box(size=(1.0, 1.0)), gravity=(0.0, -9.81), restitution=0.5,
            balls=Balls(position=[(0.3, 0.3), (0.6, 0.3)], radius=0.1),
        )  # fmt: skip
        sims = [Simulation(pile, integrator=name) for name in (None, "rk4")]
        assert {str(sim.method) for sim in sims} == {"euler in substeps, steps of 0.0166667 s, pile"}
        assert len({bits(sim.run(until=0.5)) for sim in sims}) == 1

    @pytest.mark.requirement("S-08")
    def test_attraction_can_be_strict(self) -> None:
        """The quick inverse cube is good to its last digits, and so hardly differs; but it does."""
        rng = np.random.default_rng(2)
        place = rng.uniform(-1.0, 1.0, (20, 3))

        def places(**changes: object) -> Floats:
            attraction = {"G": 1.0, "softening": 0.3, **changes}
            scene = Scene(balls=Balls(position=place), attraction=attraction)  # type: ignore[arg-type]  # a table
            return Simulation(scene, step=0.01).run(until=0.2).positions

        quick, strict = places(), places(strict=True)
        assert not np.array_equal(quick, strict)
        assert quick == pytest.approx(strict, rel=1e-12)
        assert np.array_equal(strict, places(strict=True))

    def test_the_exact_one_names_the_reason(self) -> None:
        with pytest.raises(NotExactError, match=r"^the exact solver cannot do this scene: links\. Use the stepped"):
            Simulation(PAIR, solver="exact")

    def test_balls_that_fall_and_lose_energy_pick_it_for_they_come_to_rest_on_each_other(self) -> None:
        """The exact solver would end in a StackError; here they lie still on each other in the end."""
        place = [(0.3 + 0.4 * (k % 2), 0.2 + 0.25 * k) for k in range(6)]
        balls = Balls(position=place, radius=0.1)
        scene = Scene(boundary=Box(size=(1.0, 2.0)), gravity=(0.0, -9.81), restitution=0.5, balls=balls)
        sim = Simulation(scene)
        assert (sim.solver, sim.method.contacts) == ("stepped", "pile")
        with pytest.raises(StackError):
            Simulation(scene, solver="exact").run(until=10.0)
        sim.run(until=10.0)
        assert np.abs(sim.velocities).max() < 1e-3
        assert sim.positions[:, 1].min() == pytest.approx(0.1, abs=0.002)

    def test_what_is_lost_at_walls_alone_lets_them_pile_up_too(self) -> None:
        """Impacts alone would let them sink into each other."""
        balls = Balls(position=[(0.25 + 0.01 * k, 0.2 + 0.25 * k) for k in range(6)], radius=0.1)
        restitution = {"ball_ball": 1.0, "ball_wall": 0.5}
        sim = Simulation(
            Scene(boundary=Box(size=(0.5, 2.0)), gravity=(0.0, -9.81), restitution=restitution, balls=balls)
        )
        assert (sim.solver, sim.method.contacts) == ("stepped", "pile")
        x = sim.run(until=10.0).positions
        apart = np.linalg.norm(x[:, None] - x, axis=2)[np.triu_indices(6, 1)]
        assert apart.min() > 0.2 * 0.98

    @pytest.mark.parametrize(
        ("changes", "options"),
        [
            ({"restitution": 1.0}, {}),  # nothing comes to rest
            ({"gravity": (0.0, 0.0)}, {}),  # nothing presses
            ({"boundary": {"kind": "open"}}, {}),  # there is no floor
            ({"balls": Balls(position=[(0.5, 0.5)], radius=0.1)}, {}),  # a floor holds one ball
            ({"balls": Balls(position=[(0.5, 0.5), (0.5, 0.6)])}, {}),  # points do not meet
            ({}, {"solver": "exact"}),
            ({}, {"neighbours": "cells"}),  # said of the exact one
        ],
    )
    def test_else_it_is_the_exact_one(self, changes: dict[str, object], options: dict[str, str]) -> None:
        balls = Balls(position=[(0.3, 0.2), (0.7, 0.5)], radius=0.1)
        scene = Scene(boundary=Box(size=(1.0, 2.0)), gravity=(0.0, -9.81), restitution=0.5, balls=balls)
        assert Simulation(scene.replace(**changes), **options).solver == "exact"  # type: ignore[arg-type]  # all words

    @pytest.mark.parametrize(
        ("options", "line"),
        [
            ({"solver": "magic"}, "solver: 'magic' is unknown. Use 'auto', 'exact' or 'stepped'."),
            ({"contacts": "glue"}, "contacts: 'glue' is unknown. Use 'auto', 'impacts' or 'pile'."),
            ({"step": 0.0}, "step: 0.0 is not a time above 0. Give a number of seconds."),
            ({"step": math.nan}, "step: nan is not a time above 0. Give a number of seconds."),
            ({"step": "fast"}, "step: 'fast' is not a time above 0. Give a number of seconds."),
            ({"integrator": "verlett"}, "integrator: there is no integrator 'verlett'. Did you mean 'verlet'?"),
            ({"integrator": "RK4"}, "integrator: there is no integrator 'RK4'. Did you mean 'rk4'?"),
            ({"forces": [3]}, "forces[0]: 3 is not a force. Make one of a function with @carom.force."),
            ({"forces": 3}, "forces[0]: 3 is not a force. Make one of a function with @carom.force."),
        ],
    )
    def test_a_wrong_wish_is_one_clear_line(self, options: dict[str, object], line: str) -> None:
        with pytest.raises(ArgumentError) as caught:
            Simulation(PAIR, **options)  # type: ignore[arg-type]  # that is the point
        assert str(caught.value) == line

    @pytest.mark.parametrize("name", [4, ["x"]])
    def test_an_integrator_that_is_no_text_is_one_clear_line(self, name: object) -> None:
        with pytest.raises(
            ArgumentError, match=r"^integrator: there is no integrator .*\. Known integrators: verlet, "
        ):
            Simulation(PAIR, integrator=name)  # type: ignore[arg-type]  # that is the point

    @pytest.mark.requirement("S-01")
    def test_a_step_beyond_the_stable_one_is_warned_of_and_stops_in_order(self) -> None:
        with pytest.warns(StepWarning, match=r"^step: 2 s may be too large .* stable for sure is 0\.712 s") as caught:
            sim = Simulation(PAIR, step=2.0)
        assert caught[0].filename == __file__  # it points at who asked for the step
        with pytest.raises(BlowUpError, match=r"^ball [01] flew off to infinity at t = .* with steps of 2 s"):
            sim.run(until=1e6)
        assert 0.0 < sim.time < 1e6

    def test_the_bound_of_the_stable_step_is_a_bound(self) -> None:
        """The true limit of two balls on a spring is 2/ω = 2 / sqrt(5 (1 + 1/3)) = 0.7746 s, the bound 0.712 s."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sim = Simulation(PAIR, step=0.71).run(until=10000.0)
        assert np.abs(sim.positions).max() < 10.0
        with pytest.warns(StepWarning):
            sim = Simulation(PAIR, step=0.78)
        with pytest.raises(BlowUpError):
            sim.run(until=10000.0)

    @pytest.mark.parametrize("stiffness", [0.0, 100.0, 5000.0])
    def test_so_it_is_where_motion_is_damped(self, stiffness: float) -> None:
        """A single mode, x'' = -γ x' - ω² x with γ = 50 /s: the bound is the limit itself."""
        damped = [Link(between=(0, 1), stiffness=stiffness, damping=50.0, length=1.0)]
        scene = Scene(balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.1, 0.0))], links=damped)
        limit = 2.0 / (50.0 + math.sqrt(50.0**2 + stiffness))
        sim = Simulation(scene, step=0.99 * limit)
        sim.push(1, (1e-3, 0.0))
        assert np.abs(sim.run(until=2000.0 * limit).positions).max() < 2.0
        with pytest.warns(StepWarning, match=rf"stable for sure is {limit:.3g} s"):
            sim = Simulation(scene, step=1.01 * limit)
        sim.push(1, (1e-3, 0.0))
        sim.run(until=2000.0 * limit)
        assert np.abs(sim.velocities).max() > 1.0

    @pytest.mark.parametrize(
        "stiffen",
        [
            lambda sim: sim.link(0, 1, stiffness=500.0),
            lambda sim: sim.change_scene(links=[Link(between=(0, 1), stiffness=505.0)]),
            lambda sim: sim.change(0, mass=0.01),
            lambda sim: sim.pull(0, (0.0, 0.0), stiffness=1000.0, damping=0.0),
            lambda sim: sim.pull(1, (0.0, 0.0), stiffness=1.0, damping=1000.0),
        ],
    )
    def test_so_is_one_that_is_too_large_for_what_comes_while_it_runs(self, stiffen) -> None:
        sim = Simulation(PAIR, step=0.1).run(until=1.0)
        with pytest.warns(
            StepWarning, match=r"^step: 0\.1 s may be too large .* stable for sure is 0\.0\d+ s"
        ) as caught:
            stiffen(sim)
        assert len(caught) == 1
        assert "Simulation(sim.snapshot(), step=…)" in str(caught[0].message)
        assert caught[0].filename == __file__
        if len(sim.links) > 1:  # the bound is one: with it, all is well
            largest = float(re.findall(r"for sure is (\S+) s", str(caught[0].message))[0])
            assert np.abs(Simulation(sim.snapshot(), step=0.99 * largest).run(until=1000.0).positions).max() < 10.0
        with pytest.raises(BlowUpError):
            sim.run(until=1e5)

    def test_what_is_soft_enough_or_makes_nothing_worse_is_not(self) -> None:
        sim = Simulation(PAIR, step=0.1)
        sim.link(0, 1, stiffness=1.0)
        sim.pull(0, (0.0, 0.0), stiffness=1.0)
        sim.pull(0, (1.0, 0.0))
        with pytest.warns(StepWarning):
            sim.link(0, 1, stiffness=1000.0)
        sim.add(Ball(position=(5.0, 5.0)))
        sim.pull(1, (1.0, 0.0), stiffness=2.0)
        sim.unlink(0, 1)

    def test_a_hand_of_which_nothing_is_said_is_no_stiffer_than_the_step_bears(self) -> None:
        """All of a chain hangs on a light ball: a hand that moves it in some tenths of a second would be too stiff."""
        chain = Links(between=[(k, k + 1) for k in range(19)], stiffness=20.0, damping=0.5)
        scene = Scene(balls=Balls(position=[(0.1 * k, 0.0) for k in range(20)], mass=0.1), links=chain)
        sim = Simulation(scene, step=0.01)
        sim.pull(0, (0.0, 1.0))
        assert 1.0 < sim._solver.hands[0].stiffness < 2.0 * 400.0 * 0.5  # type: ignore[attr-defined]  # of steps
        sim.run(until=60.0)
        assert sim.positions[0] == pytest.approx((0.0, 1.0), abs=0.01)


class TestTime:
    @pytest.mark.requirement("S-01", "S-12")
    def test_a_view_at_any_rate_shows_the_same_physics(self) -> None:
        one, two = Simulation(crowd()), Simulation(crowd())
        for _ in range(60):
            one.advance(1.0 / 60.0)
        rng = np.random.default_rng(1)
        while two.time < 1.0:
            two.advance(min(float(rng.uniform(0.0, 0.05)), 1.0 - two.time))
        one.run(until=1.5)
        two.run(until=1.5)
        assert bits(one) == bits(two)

    def test_looking_between_steps_follows_the_parabola_and_changes_nothing(self) -> None:
        sim, alone = Simulation(FALLING, solver="stepped", step=0.25), Simulation(FALLING, solver="stepped", step=0.25)
        for t in (0.1, 0.3, 0.55):
            sim.run(until=t)
            assert sim.positions[0] == pytest.approx((t, -5.0 * t * t), abs=1e-15)
            assert sim.velocities[0] == pytest.approx((1.0, -10.0 * t), abs=1e-14)
        assert bits(sim.run(until=1.0)) == bits(alone.run(until=1.0))

    @pytest.mark.requirement("M-08")
    @pytest.mark.parametrize("integrator", ["verlet", "stormer", "rk4", "pefrl"])
    def test_nobody_is_behind_a_wall_between_two_steps(self, integrator: str) -> None:
        """100 m/s at a wall of a micrometre, read in the middle of a step: once it was at x = 1.3, and stayed there."""
        wall = Block(low=(1.0, -1.0), high=(1.000001, 1.0))
        ball = Ball(position=(0.5, 0.0), velocity=(100.0, 0.0), radius=0.01)
        sim = Simulation(Scene(obstacles=[wall], balls=[ball]), step=1.0 / 60.0, integrator=integrator)
        sim.run(until=0.008)
        assert sim.positions[0, 0] == pytest.approx(0.99 - (0.5 + 0.8 - 0.99), rel=1e-12)
        assert sim.velocities[0, 0] == pytest.approx(-100.0, rel=1e-12)
        assert sim.account.error == pytest.approx(0.0, abs=1e-12 * sim.energy)
        sim.change_scene(name="edited on the way")
        assert sim.collisions == 1
        assert sim.run(until=0.02).positions[0, 0] == pytest.approx(0.68 - 1.2, rel=1e-12)

    @pytest.mark.parametrize("integrator", ["verlet", "stormer", "rk4"])
    def test_a_loss_between_two_steps_is_in_the_account_of_an_edited_run(self, integrator: str) -> None:
        ground = HalfSpace(point=(0.0, 0.0), normal=(0.0, 1.0))
        ball = Ball(position=(0.0, 1.0), velocity=(0.0, -50.0), radius=0.01)
        scene = Scene(obstacles=[ground], balls=[ball], restitution=0.5, drag=1e-9)
        sim = Simulation(scene, step=0.05, integrator=integrator).run(until=0.03)
        assert sim.kinetic_energy == pytest.approx(0.25 * 1250.0, rel=1e-6)
        sim.change_scene(name="edited on the way")
        assert sim.account.lost["restitution"] == pytest.approx(0.75 * 1250.0, rel=1e-6)
        assert abs(sim.account.error) < 1e-6 * sim.account.start

    def test_a_crowd_can_be_edited_at_any_time(self) -> None:
        """Its steps leave some that overlap a little; new overlaps are refused all the same."""
        rng = np.random.default_rng(1)
        place = np.stack(np.divmod(np.arange(100), 10), axis=1) * 0.1 + 0.05
        balls = Balls(position=place, velocity=rng.normal(0.0, 1.0, (100, 2)), radius=0.04)
        sim = Simulation(Scene(boundary=Box(size=(1.0, 1.0)), balls=balls), solver="stepped")
        overlapped = 0
        for k in range(60):
            sim.advance(0.0113)
            overlapped += bool(check.problems(sim.snapshot()))
            sim.change_scene(name=f"edit {k}")
        assert overlapped > 10
        assert sim.energy == pytest.approx(0.5 * (balls.velocity**2).sum(), rel=1e-12)
        with pytest.raises(SceneError, match=r"^balls 0 and 1 overlap"):
            sim.change(0, position=sim.positions[1] + 0.01)

    def test_links_break_with_steps_and_not_with_looks(self) -> None:
        scene = PAIR.replace(links=[Link(between=(0, 1), stiffness=5.0, length=1.0, breaking=0.25)], drag=1e-9)
        scene = scene.replace(boundary=Box(size=(9.0, 9.0)), balls=scene.balls.replace(position=[(1, 1), (2.2, 1)]))
        sim, alone = (Simulation(scene, step=0.25) for _ in range(2))
        for each in (sim, alone):
            each.push(1, (3.0, 0.0))
        sim.run(until=0.2)
        assert np.ptp(sim.positions[:, 0]) > 1.25
        assert len(sim.links) == 1
        assert bits(sim.run(until=1.0)) == bits(alone.run(until=1.0))

    def test_a_pile_lies_still_between_two_steps_too(self) -> None:
        """Along a parabola all would fall by g s²/2, 0.3 mm in half a step."""
        balls = Balls(position=[(0.3, 0.1), (0.5, 0.1), (0.7, 0.1), (0.4, 0.28), (0.6, 0.28)], radius=0.1)
        pile = Scene(boundary=Box(size=(1.0, 1.0)), gravity=(0.0, -9.81), restitution=0.3, friction=0.5, balls=balls)
        sim = Simulation(pile).run(until=5.0)
        before = sim.positions
        assert np.abs(sim.velocities).max() < 1e-6
        for part in (1e-6, 0.1, 0.4, 0.4):  # of a step, one after the other
            sim.advance(part * sim.method.step)
            assert np.abs(sim.positions - before).max() < 1e-9
            assert np.abs(sim.velocities).max() < 1e-6

    def test_turns_are_kept_where_an_edit_comes_after_the_seam(self) -> None:
        scene = Scene(
            boundary=Box(size=(1.0, 1.0), periodic=True), balls=[Ball(position=(0.95, 0.5), velocity=(1.0, 0.0))]
        )
        sim = Simulation(scene, solver="stepped", step=0.25).run(until=0.1)
        sim.change_scene(name="edited on the way")
        assert sim.positions[0] + sim.turns[0] == pytest.approx((1.05, 0.5))

    def test_resumed_equals_straight_and_so_does_a_copy(self) -> None:
        straight = Simulation(crowd()).run(until=2.0)
        sim = Simulation(crowd()).run(until=0.7)
        other = copy.deepcopy(sim)
        assert bits(sim.run(until=2.0)) == bits(straight)
        assert bits(other.run(until=2.0)) == bits(straight)

    def test_a_run_without_collisions_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("carom.solvers.stepped.engine.PATIENCE", 1000)
        sim = Simulation(PAIR).run(collisions=1)
        assert sim.collisions == 0
        assert sim.time > 0.0
        told: list[float] = []
        sim = Simulation(PAIR).run(collisions=1, progress=told.append)
        assert sim.time >= 1000 * sim.method.step
        assert told[-1] == 1.0

    def test_going_on_by_what_is_no_time_is_one_clear_line(self) -> None:
        with pytest.raises(ArgumentError, match=r"^dt: 'a frame' is not a time\. Give a number of seconds\.$"):
            Simulation(PAIR).advance("a frame")  # type: ignore[arg-type]  # that is the point

    def test_progress_goes_up_to_one(self) -> None:
        told: list[float] = []
        Simulation(crowd()).run(until=1.0, progress=told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0

    @pytest.mark.requirement("S-04")
    def test_balls_are_there_from_their_birth(self) -> None:
        scene = Scene(
            gravity=(0.0, -10.0),
            balls=[Ball(position=(0.0, 0.0), born=0.5), Ball(position=(1.0, 0.0)), Ball(position=(2.0, 0.0), born=1.0)],
        )
        sim = Simulation(scene, step=0.125)
        assert sim.solver == "stepped"
        sim.run(until=0.5)
        assert sim.positions[:, 1].tolist() == [0.0, -1.25, 0.0]
        sim.run(until=2.0)
        assert sim.positions[:, 1] == pytest.approx((-11.25, -20.0, -5.0), abs=1e-12)
        assert sim.positions[:, 0].tolist() == [0.0, 1.0, 2.0]

    @pytest.mark.requirement("S-04", "M-02")
    @pytest.mark.parametrize("integrator", ["euler", "explicit-euler", "stormer", "verlet", "rk4", "pefrl"])
    def test_who_is_born_late_moves_as_who_was_there(self, integrator: str) -> None:
        """Two swings of a spring: the second begins a quarter of a second later, and is that late ever after."""
        pins = [Ball(position=(0.0, y), fixed=True) for y in (0.0, 5.0)]
        swings = [Ball(position=(1.5, y), velocity=(0.0, 1.0), mass=2.0, born=y / 20) for y in (0.0, 5.0)]
        springs = [Link(between=(k, k + 2), stiffness=30.0, length=1.0) for k in (0, 1)]
        scene = Scene(gravity=(0.0, -9.81), balls=pins + swings, links=springs)
        sim = Simulation(scene, step=2.0**-6, integrator=integrator).run(until=1.0)
        first, velocity = sim.positions[2], sim.velocities[2]
        sim.run(until=1.25)
        assert sim.positions[3] - (0.0, 5.0) == pytest.approx(first, rel=1e-12, abs=1e-12)
        assert sim.velocities[3] == pytest.approx(velocity, rel=1e-12, abs=1e-12)

    @pytest.mark.requirement("S-04")
    def test_who_is_not_born_has_no_energy_and_no_momentum(self) -> None:
        balls = [Ball(position=(x, 0.0), velocity=(0.0, 1.0), born=x) for x in (0.0, 1.0)]
        sim = Simulation(Scene(balls=balls), step=0.125).run(until=0.5)
        assert sim.kinetic_energy == sim.account.kinetic == 0.5
        assert sim.momentum.tolist() == [0.0, 1.0]
        assert sim.run(until=1.5).kinetic_energy == sim.account.kinetic == 1.0
        assert sim.momentum.tolist() == [0.0, 2.0]

    @pytest.mark.requirement("S-04")
    def test_a_snapshot_counts_births_from_now(self) -> None:
        balls = [Ball(position=(x, 0.0), velocity=(0.0, 1.0), born=x) for x in (0.0, 1.0)]
        sim = Simulation(Scene(balls=balls), step=0.125).run(until=0.75)
        assert sim.snapshot().balls.born.tolist() == [0.0, 0.25]
        later = Simulation(sim.snapshot(), step=0.125).run(until=1.25)
        assert np.array_equal(later.positions, sim.run(until=2.0).positions)


class TestReading:
    @pytest.mark.requirement("S-04", "M-01")
    def test_points_know_place_force_mass_and_birth_and_held_ones_stay(self) -> None:
        scene = Scene(
            gravity=(0.0, -10.0),
            balls=[Ball(position=(0.0, 0.0), fixed=True), Ball(position=(1.5, 0.0), mass=2.0, born=0.25)],
            links=[Link(between=(0, 1), stiffness=4.0, length=1.0)],
        )
        sim = Simulation(scene, step=0.25)
        assert sim.forces.tolist() == [[0.0, 0.0], [0.0, 0.0]]  # it is not born yet
        sim.run(until=0.25)
        assert sim.positions[1].tolist() == [1.5, 0.0]
        sim.run(until=0.5)
        away = np.hypot(*sim.positions[1])
        pull = -4.0 * (away - 1.0) * sim.positions[1] / away
        assert sim.forces[1] == pytest.approx(pull + np.array((0.0, -20.0)), rel=1e-12)
        assert sim.positions[0].tolist() == [0.0, 0.0]
        assert sim.masses.tolist() == [1.0, 2.0]
        assert sim.scene.balls.born.tolist() == [0.0, 0.25]

    def test_the_exact_solver_knows_its_force_too(self) -> None:
        assert Simulation(FALLING).forces.tolist() == [[0.0, -20.0]]


class TestCollisions:
    @pytest.mark.requirement("S-06", "S-07", "T-10")
    def test_events_tell_who_when_where_and_how_hard(self) -> None:
        scene = Scene(
            boundary=Box(size=(1.0, 1.0)),
            balls=[
                Ball(position=(0.2, 0.5), velocity=(1.0, 0.0), radius=0.1, mass=2.0),
                Ball(position=(0.6, 0.5), radius=0.1, mass=2.0),
            ],
        )
        sim = Simulation(scene, solver="stepped", step=0.03)
        first, second = list(sim.events(collisions=2))
        assert (first.kind, first.partners, first.wall) == ("ball-ball", (0, 1), None)
        assert first.time == pytest.approx(0.2, abs=1e-14)
        assert first.place == pytest.approx((0.5, 0.5))
        assert first.normal == pytest.approx((-1.0, 0.0))
        assert first.impulse == pytest.approx(2.0)
        assert (second.kind, second.partners, second.wall) == ("ball-wall", (1,), "x+")
        assert second.time == pytest.approx(0.5, abs=1e-14)
        assert second.place == pytest.approx((1.0, 0.5))
        assert second.normal == pytest.approx((-1.0, 0.0))
        assert second.impulse == pytest.approx(4.0)

    def test_all_ways_to_collisions_agree(self) -> None:
        logs = Simulation(crowd()).collide(until=1.0)
        told = list(Simulation(crowd()).events(until=1.0))
        counted = Simulation(crowd()).run(until=1.0)
        assert len(logs) == len(told) == counted.collisions == sum(counted.collisions_by_kind.values()) > 50
        assert [each.time for each in told] == logs["time"].tolist()
        assert bits(Simulation(crowd()).run(until=1.0)) == bits(counted)

    def test_upcoming_is_not_known(self) -> None:
        assert Simulation(crowd()).upcoming == []


class TestHooks:
    @pytest.mark.requirement("M-03")
    def test_they_are_called_around_each_step_and_change_no_bit(self) -> None:
        sim, alone = Simulation(crowd(), step=0.01), Simulation(crowd(), step=0.01).run(until=0.1)
        calls: list[str] = []
        seen: list[np.ndarray] = []
        sim.before_step(lambda: calls.append("before"))
        sim.prepared(lambda: (calls.append("prepared"), seen.append(sim.positions)))
        sim.after_step(lambda: calls.append("after"))
        start = sim.positions
        sim.run(until=0.01)
        assert calls == ["before", "prepared", "after"]
        assert np.abs(seen[0] - start).max() > 0.0
        sim.run(until=0.1)
        assert len(calls) == 30
        assert bits(sim) == bits(alone)

    @pytest.mark.requirement("M-03")
    def test_a_hook_can_act(self) -> None:
        sim = Simulation(FALLING, solver="stepped", step=0.1)

        @sim.before_step
        def jet() -> None:
            sim.push(0, (0.0, 2.0))  # twice the weight for a tenth of a second: 2 kg x 10 m/s² x 0.1 s

        sim.run(until=1.0)
        assert sim.velocities[0, 1] == pytest.approx(0.0, abs=1e-12)

    @pytest.mark.requirement("M-03")
    def test_what_a_hook_reads_is_of_its_moment(self) -> None:
        sim = Simulation(FALLING, solver="stepped", step=0.25)
        before: list[tuple[float, ...]] = []
        after: list[tuple[float, ...]] = []
        sim.before_step(lambda: before.append((sim.time, *sim.positions[0], *sim.velocities[0])))
        sim.after_step(lambda: after.append((sim.time, *sim.positions[0], *sim.velocities[0])))
        sim.run(until=1.1)
        states = [(t, t, -5.0 * t * t, 1.0, -10.0 * t) for t in (0.0, 0.25, 0.5, 0.75, 1.0)]
        assert before == [pytest.approx(state, abs=1e-14) for state in states[:-1]]
        assert after == [pytest.approx(state, abs=1e-14) for state in states[1:]]
        assert sim.time == 1.1

    @pytest.mark.parametrize(
        ("act", "what"),
        [
            (lambda s: s.run(until=9.0), "run"),
            (lambda s: s.remove(0), "an edit"),
            (lambda s: s.change_scene(drag=1.0), "an edit"),
        ],
    )
    def test_a_hook_can_neither_run_nor_edit(self, act, what: str) -> None:
        sim = Simulation(PAIR, step=0.01)
        sim.after_step(lambda: act(sim))
        with pytest.raises(ArgumentError) as caught:
            sim.run(until=0.1)
        remedy = "Do it between two runs; a hook can push, pull, drive and release."
        assert str(caught.value) == f"{what}: is not possible from a hook, amid a step. {remedy}"
        assert sim.time == 0.01
        sim.change(0, mass=2.0)  # after it, all is as ever

    def test_hooks_stay_with_the_run_that_they_act_on(self) -> None:
        sim = Simulation(FALLING, solver="stepped", step=0.1)
        sim.before_step(lambda: sim.push(0, (1.0, 0.0)))
        for other in (sim.copy(), pickle.loads(pickle.dumps(sim))):
            assert other.run(until=1.0).velocities[0, 0] == 1.0
        assert sim.velocities[0, 0] == 1.0
        assert sim.run(until=1.0).velocities[0, 0] == pytest.approx(6.0)

    def test_what_cannot_be_called_is_one_clear_line(self) -> None:
        with pytest.raises(
            ArgumentError, match=r"^after_step: 3 cannot be called\. Give a function without arguments\.$"
        ):
            Simulation(PAIR).after_step(3)  # type: ignore[arg-type]  # that is the point


class TestSteering:
    @pytest.mark.requirement("M-13")
    @pytest.mark.parametrize("d", [2, 3])
    def test_a_hand_pulls_to_its_target(self, d: int) -> None:
        scene = Scene(gravity=(0.0,) * d, balls=[Ball(position=(0.0,) * d, mass=2.0)])
        sim = Simulation(scene, solver="stepped")
        target = (1.0, 2.0, 3.0)[:d]
        sim.pull(0, target)
        sim.run(until=3.0)
        assert sim.positions[0] == pytest.approx(target, abs=1e-9)
        sim.pull(0, (0.0,) * d)
        sim.run(until=6.0)
        assert sim.positions[0] == pytest.approx((0.0,) * d, abs=1e-9)
        sim.release(0)
        sim.push(0, (1.0,) * d)
        sim.run(until=8.0)
        assert sim.positions[0] == pytest.approx((1.0,) * d, abs=1e-6)

    @pytest.mark.requirement("M-13")
    def test_the_work_of_a_hand_is_in_the_account(self) -> None:
        sim = Simulation(FALLING, solver="stepped", step=1e-3)
        sim.pull(0, (0.0, 1.0), stiffness=50.0, damping=5.0)
        sim.run(until=2.0)
        assert abs(sim.account.work) > 1.0
        assert abs(sim.account.error) < 0.02  # one force a step: of first order

    @pytest.mark.requirement("M-13")
    def test_driven_by_velocity_or_by_acceleration(self) -> None:
        sim = Simulation(FALLING, solver="stepped", step=0.01)
        sim.drive(0, velocity=(0.0, 2.0))
        sim.run(until=1.0)
        assert sim.positions[0] == pytest.approx((0.0, 2.0), abs=1e-12)
        sim.release(0)
        sim.drive(0, acceleration=(0.0, 10.0))
        sim.run(until=2.0)
        assert sim.velocities[0] == pytest.approx((0.0, 2.0), abs=1e-12)
        sim.release(0)
        sim.run(until=3.0)
        assert sim.velocities[0] == pytest.approx((0.0, -8.0), abs=1e-12)

    @pytest.mark.requirement("M-13")
    @pytest.mark.parametrize("fixed", [True, False])
    def test_what_is_driven_has_kinetic_energy_in_the_account_too(self, fixed: bool) -> None:
        balls = [Ball(position=(0.0, 0.0), mass=2.0, fixed=fixed), Ball(position=(1.2, 0.0), mass=3.0)]
        sim = Simulation(PAIR.replace(balls=balls), step=1e-3)
        sim.drive(0, velocity=(0.0, 0.5))
        assert sim.kinetic_energy == sim.account.kinetic == sim.account.work == 0.25
        sim.run(until=1.0)
        assert sim.kinetic_energy == pytest.approx(sim.account.kinetic, rel=1e-15)
        assert sim.energy == pytest.approx(sim.account.mechanical, rel=1e-15)
        assert abs(sim.account.error) < 1e-3  # one force a step: of first order
        sim.change(1, velocity=(0.0, 0.0))
        assert abs(sim.account.error) < 1e-3
        sim.release(0)
        assert sim.velocities[0].tolist() == ([0.0, 0.0] if fixed else [0.0, 0.5])
        assert sim.kinetic_energy == sim.account.kinetic
        assert abs(sim.run(until=2.0).account.error) < 1e-3

    @pytest.mark.requirement("M-16")
    def test_links_are_added_and_taken_away_while_it_runs(self) -> None:
        scene = PAIR.replace(links=[])
        sim = Simulation(scene, solver="stepped").run(until=1.0)
        sim.link(0, 1, stiffness=5.0, breaking=0.5)
        assert sim.links.length.tolist() == pytest.approx([1.2])
        sim.push(1, (0.3, 0.0))
        sim.run(until=2.0)
        assert sim.velocities[0, 0] > 0.01
        assert sim.momentum == pytest.approx((0.3, 0.0), abs=1e-14)
        sim.unlink(0, 1)
        speed = sim.velocities
        assert np.array_equal(sim.run(until=3.0).velocities, speed)
        with pytest.raises(ArgumentError, match="unlink: there is no link between balls 0 and 1"):
            sim.unlink(0, 1)

    @pytest.mark.requirement("M-16")
    def test_the_height_of_what_is_built_is_the_score(self) -> None:
        balls = [Ball(position=(0.0, y), fixed=True) for y in (0.0, 1.0, 5.0)]
        sim = Simulation(Scene(gravity=(0.0, -1.0), balls=balls), solver="stepped")
        assert sim.height == 0.0
        sim.link(0, 1, stiffness=10.0)
        assert sim.height == 1.0
        sim.link(1, 2, stiffness=10.0)
        assert sim.height == 5.0

    @pytest.mark.parametrize(
        "call",
        [
            lambda s: s.pull(0, (1.0, 1.0)),
            lambda s: s.drive(0, velocity=(1.0, 1.0)),
            lambda s: s.release(0),
            lambda s: s.push(0, (1.0, 0.0)),
            lambda s: s.link(0, 0, 1.0),
            lambda s: s.before_step(print),
            lambda s: s.account,
            lambda s: s.method,
        ],
    )
    def test_the_exact_solver_says_that_it_cannot(self, call) -> None:
        with pytest.raises(ArgumentError, match="needs forces, which the exact solver does not know"):
            call(Simulation(FALLING))

    @pytest.mark.parametrize(
        ("call", "line"),
        [
            (lambda s: s.pull(5, (0.0, 0.0)), "index: there is no ball 5. Use a number from 0 to 2."),
            (lambda s: s.pull(0, (0.0,)), "target: (0.0,) is not a vector of 2 numbers. Give 2 finite numbers."),
            (lambda s: s.pull(0, "up"), "target: 'up' is not a vector of 2 numbers. Give 2 finite numbers."),
            (
                lambda s: s.pull(0, (0.0, 0.0), stiffness=-1.0),
                "stiffness: -1.0 is not a number that fits. Use 0 or more.",
            ),
            (lambda s: s.drive(0), "drive: takes one of two. Say velocity=… or acceleration=…."),
            *(
                (
                    act,
                    (
                        f"{name}: ball 2 is fixed, and no force moves it. "
                        "Use drive(2, velocity=…), or change(2, fixed=False) first."
                    ),
                )
                for name, act in (
                    ("pull", lambda s: s.pull(2, (0.0, 0.0))),
                    ("push", lambda s: s.push(-1, (1.0, 0.0))),
                    ("drive", lambda s: s.drive(2, acceleration=(1.0, 0.0))),
                )
            ),
            (
                lambda s: s.push(0, (math.inf, 0.0)),
                "impulse: (inf, 0.0) is not a vector of 2 numbers. Give 2 finite numbers.",
            ),
        ],
    )
    def test_bad_input_is_one_clear_line_and_changes_nothing(self, call, line: str) -> None:
        balls = Balls.concatenate([PAIR.balls, Ball(position=(9.0, 9.0), fixed=True)])
        sim = Simulation(PAIR.replace(balls=balls)).run(until=0.5)
        before = bits(sim)
        with pytest.raises(ArgumentError) as caught:
            call(sim)
        assert str(caught.value) == line
        assert bits(sim) == before


class TestEditing:
    @pytest.mark.requirement("T-03", "T-04")
    def test_the_others_stay_as_they_are(self) -> None:
        sim = Simulation(crowd()).run(until=0.5)
        places, speeds = sim.positions, sim.velocities
        size = sim.scene.boundary.size  # type: ignore[union-attr]  # a box
        sim.add(Ball(position=(size[0] - 0.05, size[1] - 0.05), radius=0.01))
        assert np.array_equal(sim.positions[:-1], places)
        assert np.array_equal(sim.velocities[:-1], speeds)
        sim.change(3, velocity=(0.0, 9.0))
        assert np.array_equal(np.delete(sim.positions[:-1], 3, 0), np.delete(places, 3, 0))
        sim.remove(1)
        assert np.array_equal(sim.positions[:-1], np.delete(places, 1, 0))
        assert len(sim.links) == 0  # both hung on ball 1
        collisions = sim.collisions
        assert sim.run(until=1.0).collisions > collisions

    def test_gravity_from_a_planet_can_be_changed_while_it_runs(self) -> None:
        scene = FALLING.replace(gravity=carom.Planet())
        sim = Simulation(scene, solver="stepped", step=0.01).run(until=1.0)
        assert sim.velocities[0, 1] == pytest.approx(-9.82, abs=0.01)
        sim.change_scene(gravity=carom.Planet(R=2.0 * 6.371e6))
        assert sim.run(until=2.0).velocities[0, 1] == pytest.approx(-9.82 * 1.25, abs=0.02)

    def test_the_method_cannot_be_changed_unnoticed(self) -> None:
        sim = Simulation(PAIR)
        with pytest.raises(ArgumentError, match=r"^stepping: cannot be changed in a running scene\. Begin a new run"):
            sim.change_scene(stepping={"step": 0.001})
        assert sim.scene.stepping.step is None

    def test_where_there_are_no_balls_none_can_be_named(self) -> None:
        with pytest.raises(ArgumentError, match=r"^index: there is no ball 0\. Add one first\.$"):
            Simulation(Scene(drag=1.0)).remove(0)

    @pytest.mark.requirement("M-16")
    def test_the_energy_of_a_broken_link_is_lost_and_the_run_can_be_edited(self) -> None:
        """Two balls that part: the link breaks at a strain of 0.25 or a step later."""
        scene = PAIR.replace(links=[Link(between=(0, 1), stiffness=5.0, length=1.0, breaking=0.25)])
        sim = Simulation(scene, step=1e-4)
        sim.push(1, (3.0, 0.0))
        sim.run(until=1.0)
        assert len(sim.links) == 0
        assert sim.account.lost["breaking"] == pytest.approx(0.5 * 5.0 * 0.25**2, rel=1e-3)
        assert abs(sim.account.error) < 1e-6
        sim.change(0, velocity=(0.0, 1.0))
        sim.add(Ball(position=(0.0, 9.0)))
        assert len(sim.links) == len(sim.snapshot().links) == 0
        assert abs(sim.run(until=2.0).account.error) < 1e-6

    def test_an_edit_counts_as_work(self) -> None:
        sim = Simulation(PAIR, step=1e-3).run(until=0.5)
        sim.change(0, velocity=(0.0, 0.3))
        assert abs(sim.run(until=1.0).account.error) < 1e-5


class TestOwnForces:
    def test_a_force_in_a_few_lines(self) -> None:
        @carom.force
        def wind(t, x, v, m, f):
            for i in range(len(m)):
                f[i, 0] += 3.0 * m[i] * t

        sim = Simulation(FALLING, forces=[wind], step=1e-3).run(until=1.0)
        assert sim.velocities[0] == pytest.approx((1.0 + 1.5, -10.0), abs=1e-6)

    def test_its_potential_is_in_the_account(self) -> None:
        @carom.force
        def well(t, x, v, m, f):
            for i in range(len(m)):
                f[i, 0] -= 4.0 * x[i, 0]

        @well.potential
        def energy(t, x, v, m):
            return 2.0 * (x[:, 0] ** 2).sum()

        scene = Scene(balls=[Ball(position=(1.0, 0.0))])
        sim = Simulation(scene, forces=[well], step=1e-3).run(until=1.0)
        assert sim.positions[0, 0] == pytest.approx(math.cos(2.0), abs=1e-5)
        assert sim.account.potential["well"] == pytest.approx(2.0 * math.cos(2.0) ** 2, abs=1e-4)
        assert abs(sim.account.error) < 1e-5

    def test_one_alone_needs_no_list(self) -> None:
        assert Simulation(FALLING, forces=lift, step=0.1).run(until=1.0).velocities[0, 1] == pytest.approx(-5.0)  # type: ignore[arg-type]  # a kindness

    def test_a_run_with_one_can_be_pickled(self) -> None:
        sim = Simulation(FALLING, forces=[lift], step=0.1).run(until=0.5)
        other = pickle.loads(pickle.dumps(sim))
        assert bits(other.run(until=1.0)) == bits(sim.run(until=1.0))

    @pytest.mark.parametrize(
        ("function", "line"),
        [
            (3, "force: 3 is not a function. Write a function of (t, x, v, m, f)."),
            (lambda t, x: None, "force: <lambda> takes 2 arguments. Write a function of (t, x, v, m, f)."),
            (
                lambda t, x, v, m, f: nowhere,  # type: ignore[name-defined]  # noqa: F821  # that is the point
                (
                    "force <lambda>: does not compile: NameError: name 'nowhere' is not defined. "
                    "Write it in what Numba knows: numbers, arrays, loops, math."
                ),
            ),
        ],
    )
    def test_a_mistake_is_one_clear_line(self, function, line: str) -> None:
        with pytest.raises(ArgumentError) as caught:
            Simulation(FALLING, forces=[carom.force(function)]).run(until=1.0)
        assert str(caught.value) == line


@carom.force
def lift(t, x, v, m, f):
    """Half the weight."""
    f[0, 1] += 5.0 * m[0]


def test_balls_that_attract_and_bounce_with_loss_come_to_rest_on_each_other() -> None:
    """Contacts that are only impacts let them sink into each other, where attraction grows without end."""
    balls = [Ball(position=(x, 0.0), radius=0.1) for x in (-1.0, 1.0)]
    sim = Simulation(Scene(attraction={"G": 1.0, "touch": "bounce"}, restitution=0.5, balls=balls), step=0.01)
    sim.run(until=10.0)
    assert sim.method.contacts == "pile"
    assert np.linalg.norm(sim.positions[1] - sim.positions[0]) == pytest.approx(0.2, rel=0.01)
    assert np.abs(sim.velocities).max() < 1e-3


@carom.force
def burst(t, x, v, m, f):
    """Nothing, and from 1 s on more than anything can bear."""
    if t > 1.0:
        f[0, 0] += 1e200


def test_time_is_as_far_as_it_came_where_balls_merge_too() -> None:
    balls = [Ball(position=(x, 0.0), radius=0.1) for x in (-5.0, 5.0)]
    scene = Scene(attraction={"G": 1e-3, "touch": "merge"}, balls=balls)
    sim = Simulation(scene, forces=[burst], step=0.1)
    with pytest.raises(BlowUpError) as caught:
        sim.run(until=10.0)
    assert sim.time == caught.value.time == pytest.approx(1.1, abs=0.11)


class TestWork:
    """Steps beyond reason are announced before the run."""

    @staticmethod
    def told_of(scene: Scene, until: float = 0.2, **wish: object) -> list[str]:
        """What is told before the first step; the run is not made."""

        def enough(part: float) -> None:
            raise KeyboardInterrupt

        sim = Simulation(scene, **wish)  # type: ignore[arg-type]  # whatever it is
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                with contextlib.suppress(KeyboardInterrupt):
                    sim.run(until=until, progress=enough)
        assert all(each.filename == __file__ and each.category is StepWarning for each in caught)
        return [str(each.message) for each in caught]

    @staticmethod
    def cloth(**changes: float) -> Scene:
        cloth = Cloth(corner=(0, 0, 0), sides=((1, 0, 0), (0, 1, 0)), counts=(11, 11), **changes)  # type: ignore[arg-type]
        return Scene(gravity=(0.0, 0.0, -9.81), structures=[cloth])

    def test_of_a_cloth_that_is_damped_too_much(self) -> None:
        """Told once, although it runs twice. Of 121 balls, a corner has a quarter of the mass of an inner one."""
        [message] = self.told_of(self.cloth(stiffness=1e6, damping=1e6))
        assert message == (
            "run: 0.2 s for 121 balls are 4e+10 steps of 5e-12 s. Steps are that short for the link between balls 0 "
            "and 11: stiffness 1e+06 N/m, damping 1e+06 N s/m, masses 0.0005 and 0.001 kg. Use less damping, or "
            "heavier balls."
        )

    @pytest.mark.parametrize(
        ("scene", "wish", "cause"),
        [
            (cloth(stiffness=1e25), {}, r"stiffness 1e\+25 N/m.* Use less stiffness"),
            (cloth(stiffness=1.0), {"step": 1e-13}, r"2e\+12 steps of 1e-13 s\. Use a longer step=…"),
            (Scene(drag=1e15, balls=Balls(position=np.eye(2))), {}, r"for the drag on ball 0 of 1 kg\. Use less damp"),
            (
                Scene(drag=0.1, balls=Balls(position=np.eye(2), velocity=1e15 * np.eye(2), radius=0.1)),
                {},
                "small balls",
            ),
        ],
    )
    def test_the_cause_is_named(self, scene: Scene, wish: dict[str, object], cause: str) -> None:
        [message] = self.told_of(scene, **wish)
        assert re.search(cause, message)

    def test_what_is_long_but_not_beyond_reason_is_not_told(self) -> None:
        assert self.told_of(self.cloth(stiffness=1.0), until=1e3) == []
        assert self.told_of(FALLING, until=1e7, solver="stepped") == [], "6e8 steps of one ball: half a minute"


class TestCloseApproaches:
    @staticmethod
    def falling(**changes: object) -> Scene:
        """Two points that fall at each other, which meet after π/2 √(1/4) · 2 s, about 1.6 s."""
        balls = [Ball(position=(-1.0, 0.0)), Ball(position=(1.0, 1e-4))]
        return Scene(attraction={"G": 1.0, **changes}, balls=balls)  # type: ignore[arg-type]  # a table

    astray = r"^step: the energy is [\d.e+]+ J at t = .*, and should be -0\.5 J: balls that attract .* softening=…"

    @pytest.mark.requirement("S-01")
    @pytest.mark.parametrize("frame", [5.0, 0.1])
    def test_one_that_steps_cannot_follow_is_warned_of_once(self, frame: float) -> None:
        sim = Simulation(self.falling(), step=0.01)

        def go_on() -> None:
            while sim.time < 20.0:
                sim.run(until=sim.time + frame)
            sim.add(Ball(position=(0.0, 9.0)))
            sim.run(until=40.0)

        with pytest.warns(StepWarning, match=self.astray) as caught:
            go_on()
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert sim.account.error > 1.0  # J; there was -0.5 J

    @pytest.mark.requirement("S-01")
    def test_a_flyby_that_is_off_by_some_per_cent_is_warned_of(self) -> None:
        """10 degrees off. The limit was a tenth of all energies."""
        balls = [Ball(position=(0.0, 0.0), fixed=True), Ball(position=(-10.0, 3.0), velocity=(0.5, 0.0), mass=1e-9)]
        sim = Simulation(Scene(attraction=Attraction(G=1.0), balls=balls), step=1.0)
        with pytest.warns(StepWarning, match=r"closer than steps of 1 s can follow\. Give"):
            sim.run(until=60.0)

    def test_one_that_they_can_is_not(self) -> None:
        """Warnings are errors here. By softening, or by steps that are small enough for the path."""
        assert abs(Simulation(self.falling(softening=0.2), step=0.01).run(until=20.0).account.error) < 0.05
        ellipse = self.falling().replace(
            balls=Balls(position=[(-1.0, 0.0), (1.0, 0.0)], velocity=[(0.0, 0.15), (0.0, -0.15)])
        )
        sim = Simulation(ellipse, step=0.001)
        for _ in range(2000):
            sim.advance(0.01)
        assert abs(sim.account.error) < 0.05

    def test_looks_are_seldom_and_change_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        scene = self.falling(softening=0.2)
        one = Simulation(scene, step=0.01).run(until=50.0)
        looks: list[float] = []
        monkeypatch.setattr(type(one._solver), "_look_at_energy", lambda self, _account: looks.append(self.time))
        two = Simulation(scene, step=0.01)
        for k in range(1, 501):
            two.run(until=0.1 * k)
        assert bits(one) == bits(two)
        assert 30 < len(looks) < 50, "of 5000 steps, a hundredth"
        assert looks[-1] > 45.0, "the last is not long before the end"


def test_determinism_whatever_is_asked_meanwhile() -> None:
    one, two = Simulation(crowd()), Simulation(crowd())
    for _ in range(20):
        one.advance(0.05)
        _ = one.positions, one.energy, one.account, one.upcoming, one.snapshot(), str(one.report)
    two.run(until=one.time)
    assert bits(one) == bits(two)


@pytest.mark.parametrize("periodic", [False, True])
def test_two_threads_give_the_bits_of_one(periodic: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = carom.library.load("gas", count=300, packing_fraction=0.4, seed=2, periodic=periodic)
    ends = []
    for threaded in (10**9, 1):
        monkeypatch.setattr("carom.solvers.stepped.build.THREADED", threaded)
        ends.append(bits(Simulation(scene, solver="stepped").run(until=0.5)))
    assert ends[0] == ends[1]
    assert ends[0][1] > 100


@pytest.mark.requirement("S-08")
def test_a_merged_body_takes_in_all_that_it_reaches() -> None:
    """A grid that falls into its middle: many touch at once, and what they become is larger than each."""
    places = [(0.3 * x, 0.3 * y) for x in range(5) for y in range(5)]
    balls = [Ball(position=place, radius=0.1, mass=1.0) for place in places]
    sim = Simulation(Scene(attraction={"G": 0.05, "touch": "merge"}, balls=balls))
    momentum = sim.momentum
    sim.run(until=2.0)
    assert len(sim.masses) < 25
    assert sim.masses.sum() == pytest.approx(25.0)
    assert (sim.radii**2).sum() == pytest.approx(25 * 0.1**2)
    np.testing.assert_allclose(sim.momentum, momentum, atol=1e-12)
    assert not len(check.overlapping(sim.snapshot()))
