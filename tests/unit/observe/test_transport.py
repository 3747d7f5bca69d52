"""Displacements, velocity correlation, profiles."""

import numpy as np
import pytest

from carom import Ball, Balls, Box, Circle, Scene, Simulation
from carom.errors import ArgumentError
from carom.observe.observable import observable


def lone(position, velocity, periodic=True, **more):
    return Simulation(
        Scene(boundary=Box(size=(1, 1), periodic=periodic), balls=[Ball(position=position, velocity=velocity)], **more)
    )


def test_a_free_ball_goes_v_t_also_round_the_box():
    sim = lone((0.5, 0.5), (0.7, -0.2))
    moved, kept = observable("mean_squared_displacement"), observable("velocity_autocorrelation")
    moved.begin(sim)
    kept.begin(sim)
    sim.run(until=12.0)
    assert moved.sample(sim) == pytest.approx(144.0 * (0.49 + 0.04))
    assert kept.sample(sim) == pytest.approx(1.0)


def test_a_wall_turns_the_velocity_round():
    sim = lone((0.5, 0.5), (1.0, 0.0), periodic=False)
    kept = observable("velocity_autocorrelation")
    kept.begin(sim)
    sim.run(until=0.75)
    assert kept.sample(sim) == pytest.approx(-1.0)


def test_balls_that_come_and_go_are_refused():
    sim = lone((0.5, 0.5), (1.0, 0.0))
    moved = observable("mean_squared_displacement")
    moved.begin(sim)
    sim.add(Ball(position=(0.1, 0.1)))
    with pytest.raises(ArgumentError, match="balls: 1 when recording began, 2 now"):
        moved.sample(sim)


def test_layers_are_along_gravity():
    position = [(0.11, 0.33), (0.51, 0.33), (0.91, 0.95)]
    balls = Balls(position=position, velocity=[(2, 0), (0, 4), (1, 0)], mass=[1, 2, 3])
    sim = Simulation(Scene(boundary=Box(size=(1, 1)), gravity=(0, -9.81), balls=balls))
    density, heat = observable("density_profile"), observable("temperature_profile")
    density.begin(sim)
    heat.begin(sim)
    rho, kt = density.sample(sim), heat.sample(sim)
    assert rho.sum() * density.slab == pytest.approx(3.0)
    assert rho[16] * density.slab == pytest.approx(2.0)
    assert kt[16] == pytest.approx(0.5 * (1.0 * 4.0 + 2.0 * 16.0) / 2.0)
    assert kt[47] == pytest.approx(1.5)
    assert np.isnan(kt[0])
    sideways = Simulation(Scene(boundary=Box(size=(1, 1)), gravity=(-9.81, 0), balls=balls))
    density.begin(sideways)
    assert density.sample(sideways)[16] == 0.0


def test_layers_need_a_box():
    scene = Scene(boundary=Circle(centre=(0, 0), radius=1), balls=[Ball(position=(0, 0))])
    with pytest.raises(ArgumentError, match="layers are those of a box"):
        observable("density_profile").begin(Simulation(scene))
