"""The command line: parse, call, print; nothing else."""

import sys
from collections.abc import Sequence

__all__ = ["main"]

INTERRUPTED = 130  # the exit code of a program that Ctrl-C stopped: 128 + SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code. Mistakes and Ctrl-C print one line, never a traceback."""
    try:
        from carom.cli.app import answer

        return answer(arguments)
    except KeyboardInterrupt:  # at any moment, also while modules load
        sys.stderr.write("stopped by Ctrl-C.\n")
        return INTERRUPTED
