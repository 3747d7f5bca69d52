"""The benchmarks are a package beside the library, not part of it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
