"""How many examples tests run; more on request."""

import os


def examples(count: int) -> int:
    """The number of examples, multiplied by CAROM_EXAMPLES."""
    return count * int(os.environ.get("CAROM_EXAMPLES", "1"))
