"""How much a test does; more for who has the time."""

import os


def examples(count: int) -> int:
    """So many examples, or times the number in CAROM_EXAMPLES."""
    return count * int(os.environ.get("CAROM_EXAMPLES", "1"))
