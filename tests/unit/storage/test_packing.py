import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.storage.hdf5.packing import PACKED, UNSHUFFLED, Packer, compress, is_compressible, shuffle, store


def read(data: bytes) -> bytes | None:
    """What any reader makes of a stream; None if it is refused."""
    try:
        return zlib.decompress(data)
    except zlib.error:
        return None


def packed(rows: np.ndarray) -> bytes:
    """A chunk by a packer that has not seen others."""
    return Packer()(rows)


def unpacked(data: bytes, dtype: str, count: int) -> np.ndarray:
    """What any reader makes of a chunk."""
    planes = np.frombuffer(zlib.decompress(data), np.uint8).reshape(-1, count)
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["f8", "i4", "u1", "i8"]), st.integers(1, 40_000))
def test_a_chunk_comes_back(seed: int, dtype: str, count: int) -> None:
    rng = np.random.default_rng(seed)
    rows = (rng.normal(size=count) * 10.0 ** rng.integers(0, 9)).astype(dtype)
    assert unpacked(Packer()(rows), dtype, count).tobytes() == rows.tobytes()


def test_noise_is_stored_and_order_is_pressed() -> None:
    rows = 1.0 + np.random.default_rng(1).random(30_000)
    planes = shuffle(rows)
    assert [is_compressible(plane) for plane in planes] == [False] * 6 + [True, True]
    assert 0.75 * rows.nbytes < len(Packer()(rows)) < 0.85 * rows.nbytes  # six bytes of eight are noise
    assert len(Packer()(np.zeros(30_000))) < 0.01 * rows.nbytes


def test_a_chunk_can_be_made_longer() -> None:
    rows = np.arange(5000, dtype=float)
    usual = Packer()(rows)
    other = Packer()(rows, not_length=len(usual))
    assert len(other) > len(usual)
    assert unpacked(other, "f8", 5000).tolist() == rows.tolist()
    assert unpacked(Packer().sparse_chunk(rows), "f8", 5000).tolist() == rows.tolist()


@pytest.mark.parametrize("rows", [np.full(1000, -1, np.int32), np.random.default_rng(1).normal(size=1000)])
@pytest.mark.parametrize("pack", [store, compress, packed, Packer().sparse_chunk])
def test_a_damaged_chunk_is_told(pack: Any, rows: np.ndarray) -> None:
    """Also one whose ones became zeros, which HDF5's own checksum does not tell apart."""
    data = pack(rows)
    for k in range(0, len(data) - 64, 64):
        for damage in (bytes([data[k] ^ 1]), bytes([data[k] ^ 128]), bytes(64)):
            broken = data[:k] + damage + data[k + len(damage) :]
            assert read(broken) in (None, zlib.decompress(data))  # bits between two stretches tell nothing


@pytest.mark.parametrize("count", [1, 8191, 8192, 20_000])
def test_stored_chunks_are_streams_of_whole_blocks(count: int) -> None:
    rows = np.random.default_rng(1).normal(size=count)
    data = store(rows)
    assert zlib.decompress(data) == rows.tobytes()
    longer = store(rows, not_length=len(data))
    assert len(longer) > len(data)
    assert zlib.decompress(longer) == rows.tobytes()


@pytest.mark.parametrize("shape", [(7, 5, 3), (1,), (64, 2)])
def test_rows_of_any_shape(shape: tuple[int, ...]) -> None:
    rows = np.arange(np.prod(shape), dtype=float).reshape(shape)
    assert unpacked(Packer()(rows[::1]), "f8", rows.size).tolist() == rows.ravel().tolist()
    turned = np.asfortranarray(rows)
    assert Packer()(turned) == Packer()(rows)


def test_chunks_of_noise_stand_as_they_are_after_a_trial() -> None:
    noise = np.random.default_rng(1).normal(size=30_000)
    packer = Packer()
    assert packer.chunk(noise)[1] == PACKED, "it is tried"
    data, mask = packer.chunk(noise)
    assert mask == UNSHUFFLED
    assert zlib.decompress(data) == noise.tobytes()
    longer, mask = packer.chunk(noise, not_length=len(data))
    assert mask == UNSHUFFLED
    assert len(longer) > len(data), "it is to have another size"
    assert zlib.decompress(longer) == noise.tobytes()
    whole = Packer()
    assert [whole.chunk(np.arange(30_000))[1] for _ in range(3)] == [PACKED] * 3
