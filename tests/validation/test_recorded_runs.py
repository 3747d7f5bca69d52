"""A recording of very many events: it is in the file, not in memory.

CAROM_EVENTS sets the number of collisions, 1e7 if it is not given; they take some 80 bytes each on the disk.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import carom

pytestmark = pytest.mark.slow

EVENTS = int(float(os.environ.get("CAROM_EVENTS", "1e7")))
FIRST = 500_000
"""Collisions after which everything has been compiled, and every buffer filled once."""
ROOM = 350e6
"""Bytes by which memory may grow after that: what may wait for the writer (256 MB), and some to work with."""

RUN = """
import resource, sys
import carom

sim = carom.Simulation(carom.library.load("gas", count=1000))
with sim.record(sys.argv[1]) as recorder:
    for count in (int(sys.argv[2]), int(sys.argv[3])):
        sim.run(collisions=count)
        recorder.flush()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.requirement("T-08")
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units there")
@pytest.mark.timeout(7200)
def test_memory_does_not_grow_with_events(tmp_path: Path) -> None:
    path = tmp_path / "gas.h5"
    environment = {**os.environ, "PYTHONPATH": str(Path(carom.__file__).parents[1])}
    told = subprocess.run(
        [sys.executable, "-c", RUN, str(path), str(FIRST), str(EVENTS - FIRST)],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    first, last = map(int, told.stdout.split())
    assert path.stat().st_size > 50 * EVENTS, "it is all in the file"
    assert last - first < ROOM
    with carom.Recording(path) as recording:
        assert recording.collisions is not None
        assert len(recording.collisions) == EVENTS
