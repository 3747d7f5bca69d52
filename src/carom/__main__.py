"""`python -m carom` is the command `carom`."""

import sys

from carom.cli import main

if __name__ == "__main__":
    sys.exit(main())
