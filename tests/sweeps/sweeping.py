"""A sweep in a separate process, to be killed: `python sweeping.py FOLDER`."""

import signal
import sys

import carom
from sweeps.moody import SLOW, study

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
    try:
        carom.sweep(study([SLOW], speeds=60), out=sys.argv[1], workers=2)
    except KeyboardInterrupt:
        sys.stdout.write("interrupted\n")
        sys.exit(130)
