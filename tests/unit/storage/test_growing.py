from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.storage.hdf5.chunks import Chunks
from carom.storage.hdf5.growing import GrowingDataset

PARTS = st.lists(st.tuples(st.integers(0, 50), st.booleans()), max_size=12)


@settings(deadline=None, max_examples=60)
@given(PARTS, st.integers(1, 20), st.integers(0, 30), st.booleans())
def test_rows_come_back_however_they_came(
    parts: list[tuple[int, bool]], chunk: int, before: int, shuffle: bool
) -> None:
    """In chunks that HDF5 reads, after any sequence of rows and settling, also where others began."""
    with h5py.File("growing.h5", "w", driver="core", backing_store=False, libver="latest") as file:
        options = {"shuffle": shuffle, "compression": "gzip", "compression_opts": 1}
        dataset = file.create_dataset("a", (before, 3), "f8", maxshape=(None, 3), chunks=(chunk, 3), **options)
        rng = np.random.default_rng(len(parts))
        expected = [rng.normal(size=(before, 3))]
        dataset[:] = expected[0]
        file.flush()
        growing = GrowingDataset(dataset)
        for count, settle in parts:
            rows = rng.normal(size=(count, 3))
            expected.append(rows)
            growing.take(rows)
            if settle:
                growing.settle()
                assert growing.length == len(dataset) == sum(map(len, expected))
        growing.settle()
        assert dataset[:].tobytes() == np.concatenate(expected).tobytes()


@pytest.mark.parametrize("kind", ["f8", "i8"])
def test_a_chunk_that_is_written_again_moves(tmp_path: Path, kind: str) -> None:
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        options = {"shuffle": True, "compression": "gzip", "compression_opts": 1}
        dataset = file.create_dataset("a", (0,), kind, maxshape=(None,), chunks=(64,), **options)
        file.swmr_mode = True
        growing, places = GrowingDataset(dataset), []
        for k in range(64):
            growing.append(np.full(1, k, kind))
            places.append(dataset.id.get_chunk_info(0).byte_offset)
        assert len(set(places)) == 64
        assert dataset[:].tolist() == list(range(64))


@pytest.mark.parametrize("shuffle", [True, False])
def test_rows_come_back_in_parts_from_a_chunk_that_moves(tmp_path: Path, shuffle: bool) -> None:
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        options = {"shuffle": shuffle, "compression": "gzip", "compression_opts": 1}
        dataset = file.create_dataset("a", (0, 2), "f8", maxshape=(None, 2), chunks=(64, 2), **options)
        file.swmr_mode = True
        growing, places = GrowingDataset(dataset), []
        for k in range(100):
            growing.append(np.full((1, 2), float(k)))
            places.append(dataset.id.get_chunk_info(k // 64).byte_offset)
        assert len(set(places)) == 100
        chunks = Chunks(dataset)
        for start, stop in ((0, 100), (3, 9), (60, 70), (63, 64), (64, 64), (99, 100)):
            assert chunks.read(start, stop).tolist() == [[k, k] for k in range(start, stop)]


def test_chunks_of_noise_are_not_packed_and_hdf5_reads_them(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).normal(size=(4096, 3))
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        options = {"shuffle": True, "compression": "gzip", "compression_opts": 1}
        dataset = file.create_dataset("a", (0, 3), "f8", maxshape=(None, 3), chunks=(1024, 3), **options)
        growing = GrowingDataset(dataset)
        for part in np.array_split(noise[:-1], 7):
            growing.take(part)
            growing.settle()
        assert {dataset.id.get_chunk_info(k).filter_mask for k in range(4)} == {0b00, 0b01}
        assert dataset[:].tobytes() == noise[:-1].tobytes()
        assert Chunks(dataset).read(0, 4095).tobytes() == noise[:-1].tobytes()
