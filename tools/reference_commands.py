"""The command line as Markdown: each command with its arguments and options, read from typer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

from carom.cli.app import app
from reference_schema import table


def commands() -> list[str]:
    """The command line."""
    lines = [
        "What `carom --help` and `carom COMMAND --help` print. The exit code is 0 if all went well, 1 if something is",
        "wrong with a scene, a file or a run, 2 for a wrong command line, and 130 after Ctrl-C. Each error",
        "is one line.",
    ]
    for command in app.registered_commands:
        does: Any = command.callback
        told = (inspect.getdoc(does) or "").partition("\n\n")[0]
        lines += ["", f"## carom {command.name}", "", " ".join(told.split()), *_options(does)]
    return lines


def _options(command: Callable[..., int]) -> list[str]:
    hints = get_type_hints(command, include_extras=True)
    rows = []
    for name, one in inspect.signature(command).parameters.items():
        if get_origin(hints[name]) is Annotated:
            kind, told = get_args(hints[name])[:2]
            rows.append([_usage(name, kind, told), _default(one), told.help or ""])
    return ["", *table(["argument or option", "default", "meaning"], rows)] if rows else []


def _default(one: inspect.Parameter) -> str:
    if one.default is one.empty:
        return "needed"
    return "" if one.default in (None, False) else f"`{one.default}`"


def _usage(name: str, kind: Any, told: Any) -> str:
    """How an argument or option is written."""
    metavar = told.metavar or "N"
    if isinstance(told, ArgumentInfo):
        return " or ".join(f"`{word}`" for word in metavar.strip("[]").split("|"))
    said = (told.default, *(told.param_decls or ()))  # within Annotated, typer takes the first name for a default
    ways = [way for way in said if isinstance(way, str)] or ["--" + name.replace("_", "-")]
    if kind is bool:
        return ", ".join(f"`{way}`" for way in ways)
    choices = next((get_args(each) for each in (kind, *get_args(kind)) if get_origin(each) is Literal), ())
    if choices:
        return f"`{ways[0]}` {', '.join(f'`{each}`' for each in choices)}"
    return ", ".join(f"`{way} {metavar}`" for way in ways)
