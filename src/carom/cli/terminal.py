"""Text on the terminal: results go to standard output, everything else to standard error.

Only carom writes escape codes, and only to a terminal: those in names of files, scenes and studies are made visible.
"""

import json
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import typer
from rich.console import Console
from rich.table import Table

from carom.errors import visible

PLAIN_WIDTH = 1000  # columns of a table in a file or a pipe, where lines are not folded


class Screen(Console):
    """A console that makes control characters in texts visible."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts, and whatever rich can draw."""
        super().print(*(visible(each, lines=True) if isinstance(each, str) else each for each in objects), **options)


class SafeTable(Table):
    """A table that makes control characters and line breaks in cells visible."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        """Add a row of texts."""
        super().add_row(*(visible(each) if isinstance(each, str) else each for each in cells), **options)


def output() -> Console:
    """Standard output, for results."""
    return console(sys.stdout)


def notice() -> Console:
    """Standard error, for progress, remarks and errors."""
    return console(sys.stderr)


def console(stream: TextIO) -> Console:
    """A console that prints text as it is, without markup, and never breaks a line."""
    width = None if stream.isatty() else PLAIN_WIDTH
    return Screen(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def complain(text: str) -> None:
    """Print a problem on standard error, one line per problem."""
    notice().print(text)


def table(*columns: str, header: bool = True) -> Table:
    """An empty table in the style of carom."""
    made = SafeTable(box=None, show_header=header, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        made.add_column(visible(column))
    return made


def show_table(made: Table) -> None:
    """Print a table on standard output; in a file or a pipe, without trailing blanks."""
    target = output()
    if target.is_terminal:
        target.print(made)
        return
    with target.capture() as captured:
        target.print(made)
    for line in captured.get().splitlines():
        target.print(line.rstrip())


def show_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and their values as a table without a header."""
    rows = table("", "", header=False)
    for name, value in facts:
        rows.add_row(name, value)
    show_table(rows)


def print_json(values: dict[str, Any]) -> None:
    """Print one JSON object on one line."""
    output().print(json.dumps(values, allow_nan=False, ensure_ascii=False))


class Mistake(typer.TyperException):
    """A wrong command line: one line for the user, exit code 2."""
