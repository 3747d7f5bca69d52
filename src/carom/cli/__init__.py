"""The command line: parse, call, print; nothing else."""

from carom.cli.app import main

__all__ = ["main"]
