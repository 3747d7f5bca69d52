"""Reads frames by the table in docs/lab.md, independent of the code that writes them."""

import struct
from typing import Any


def read_frame(data: bytes) -> dict[str, Any]:
    """Decode a frame; None for NaN."""

    def at(offset: int, kind: str) -> Any:
        return struct.unpack_from("<" + kind, data, offset)[0]

    flags, n, d, companions, m = at(2, "H"), at(24, "I"), at(28, "H"), at(30, "H"), at(36, "I")
    offset = 40

    def rows() -> list[list[float | None]]:
        nonlocal offset
        flat = struct.unpack_from(f"<{n * d}f", data, offset)
        offset += 4 * n * d
        plain = [value if value == value else None for value in flat]  # noqa: PLR0124  # NaN is not itself
        return [plain[i * d : (i + 1) * d] for i in range(n)]

    said = {
        "version": at(0, "B"),
        "kind": at(1, "B"),
        "flags": flags,
        "number": at(4, "I"),
        "time": at(8, "d"),
        "epoch": at(16, "I"),
        "seq": at(20, "I"),
        "n": n,
        "dimension": d,
        "rate": at(32, "f"),
        "positions": rows(),
        "velocities": rows() if flags & 1 else None,
        "forces": rows() if flags & 2 else None,
        "companions": [rows() for _ in range(companions)],
        "marks": list(struct.unpack_from(f"<{m}I", data, offset)),
    }
    if offset + 4 * m != len(data):
        raise ValueError(f"{len(data) - offset - 4 * m} bytes are left over")
    return said
