"""However neighbours are found, the motion is the same to the last bit: in dense gases, with many seams crossed."""

import pytest

from carom import Simulation, library


@pytest.mark.requirement("M-15")
@pytest.mark.parametrize(("dimension", "eta"), [(2, 0.6), (3, 0.4)])
@pytest.mark.parametrize("ratio", [1.0, 3.0], ids=["equal", "mixed"])
def test_cells_and_lists_give_the_same_bits(dimension, eta, ratio):
    more = {"fraction": 0.5, "radius_ratio": ratio} if ratio > 1.0 else {}
    scene = library.load("gas", count=80, packing_fraction=eta, dimension=dimension, seed=7, **more)
    by_cells, by_lists = (Simulation(scene, neighbours=way).run(collisions=20_000) for way in ("cells", "lists"))
    assert by_cells.time == by_lists.time
    assert by_cells.positions.tobytes() == by_lists.positions.tobytes()
    assert by_cells.velocities.tobytes() == by_lists.velocities.tobytes()
