"""Run the command `carom` by `python -m carom`."""

import sys

from carom.cli import main

if __name__ == "__main__":
    sys.exit(main())
