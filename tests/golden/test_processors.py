"""Is a scene the same to the last bit on processors of other kinds? NumPy and BLAS are told to work as on those."""

import json
import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

WIDE = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
PROCESSORS = {
    "of 2004": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(WIDE)},
    "of 2013": {
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in WIDE if "512" in name or name == "X86_V4"),
    },
    "of 2017, in its sums": {"OPENBLAS_CORETYPE": "SkylakeX"},
}

MARKS = """
import hashlib, json
from carom.scene import library
from carom.scene.io.files import dumps
from carom.solvers.stepped.integrators.method import method_for
from carom.solvers.stepped.regions.table import regions_of
from carom.solvers.exact.world import contact_of
from carom.solvers.exact.wall_table import WallTable

mixed = {"count": 300, "mass_ratio": 7.0, "radius_ratio": 2.0, "fraction": 0.1}
asked = [(name, {}) for name in library.names()]
asked += [("gas", {**mixed, "dimension": d, "periodic": p}) for d in (2, 3) for p in (True, False)]
asked += [("gas-under-gravity", {"dimension": 3}), ("brownian", {"dimension": 3})]
asked += [("planetary-system", {"days": 9131.0})]
marks = {}
for name, options in asked:
    scene = library.load(name, **options)
    walls = b"" if scene.dimension == 3 and scene.forces_needed else WallTable(scene).records.tobytes()
    table = regions_of(scene)
    parts = {
        "scene": dumps(scene, "json").encode(),
        "walls": walls,
        "regions": table.regions.tobytes() + table.edges.tobytes(),
        "times": repr((contact_of(scene), method_for(scene).step)).encode(),
    }
    marks |= {f"{name} {options}: {part}": hashlib.sha256(content).hexdigest() for part, content in parts.items()}
print(json.dumps(marks))
"""


def marks(surroundings):
    """What scenes of the library are in bits, in a process of its own."""
    kept = {key: value for key, value in os.environ.items() if key not in surroundings}
    done = subprocess.run(
        [sys.executable, "-c", MARKS], env=kept | surroundings, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def here():
    return marks({})


@pytest.mark.parametrize("processor", PROCESSORS)
def test_scenes_have_the_same_bits(processor, here):
    there = marks(PROCESSORS[processor])
    assert [what for what in here if here[what] != there[what]] == []
    assert len(here) == len(there) > 120
