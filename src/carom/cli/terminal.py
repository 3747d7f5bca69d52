"""Where text goes: results to standard output, everything else to standard error; escape codes only to a terminal.

Escape codes are ours alone: those in the names of files, scenes and studies are shown, not obeyed.
"""

import sys
from typing import Any, TextIO

import typer
from rich.console import Console
from rich.table import Table

from carom.errors import visible

PLAIN_WIDTH = 1000  # columns of a table that goes to a file or a pipe: no line is folded there


class Screen(Console):
    """A console on which no text can steer the terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts with their controls made visible, and what rich can draw."""
        super().print(*(visible(each, lines=True) if isinstance(each, str) else each for each in objects), **options)


class Rows(Table):
    """A table in which no text can steer the terminal, nor break its row."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        """A row of texts with their controls made visible."""
        super().add_row(*(visible(each) if isinstance(each, str) else each for each in cells), **options)


def output() -> Console:
    """Standard output: what was asked for."""
    return console(sys.stdout)


def notice() -> Console:
    """Standard error: progress, remarks, complaints."""
    return console(sys.stderr)


def console(stream: TextIO) -> Console:
    """A console that prints text as it is (square brackets and colons mean nothing) and never breaks a line."""
    width = None if stream.isatty() else PLAIN_WIDTH
    return Screen(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def complain(text: str) -> None:
    """One line a problem, on standard error."""
    notice().print(text)


def table(*columns: str, header: bool = True) -> Table:
    """An empty table in the one style of carom."""
    made = Rows(box=None, show_header=header, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        made.add_column(visible(column))
    return made


def show_table(made: Table) -> None:
    """Print a table on standard output; in a file or a pipe, without blanks at the ends of lines."""
    target = output()
    if target.is_terminal:
        target.print(made)
        return
    with target.capture() as captured:
        target.print(made)
    for line in captured.get().splitlines():
        target.print(line.rstrip())


class Mistake(typer.TyperException):
    """A command that was given wrongly: one line for the user, exit code 2."""
