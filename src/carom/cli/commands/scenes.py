"""`carom scenes` and `carom schema`: the library, and the form of scene files."""

import json
from importlib import resources
from pathlib import Path

from carom.atomic_write import write_text
from carom.cli.sources import hint, require_writable
from carom.cli.summary import count
from carom.cli.terminal import Mistake, output, show_table, table
from carom.scene import library
from carom.scene.io.files import dump, schema
from carom.scene.library import Entry, Parameter


def show_all() -> int:
    """The library as a table."""
    rows = table("name", "group", "what to look at")
    for entry in library.catalogue():
        rows.add_row(entry.name, entry.group, entry.sentence)
    show_table(rows)
    return 0


def show_one(name: str) -> int:
    """What to look at, how many balls, and the file itself; the whole is a scene file again."""
    entry = entry_of(name)
    scene = library.load(name)
    console = output()
    console.print(f"# {entry.sentence}")
    console.print(f"# {count(len(scene.balls), 'ball')}, {scene.dimension}D\n")
    console.print(text_of(entry).rstrip())
    return 0


def save(name: str, target: Path, *, force: bool) -> int:
    """Write a scene of the library to a file of the user's own; TOML keeps the remarks of the library."""
    entry = entry_of(name)
    require_writable(target, force=force)
    if target.suffix.lower() == ".toml":
        write_text(target, text_of(entry))
    else:
        dump(library.load(name), target)
    output().print(f"{name} saved as {target}. Run it: carom run {target} --until 1")
    return 0


def show_schema(*, of_studies: bool = False) -> int:
    """The JSON Schema of scene files, or of study files."""
    form = schema
    if of_studies:
        from carom.sweeps.study.study import schema as form
    output().print(json.dumps(form(), indent=2, ensure_ascii=False))
    return 0


def entry_of(name: str) -> Entry:
    """The entry of a name, or a suggestion of one."""
    for entry in library.catalogue():
        if entry.name == name:
            return entry
    raise Mistake(f"the library has no scene {name!r}. {hint(name)}")


def text_of(entry: Entry) -> str:
    """A scene of the library as a scene file: a generator with its parameters, or the library's own file."""
    if entry.parameters:
        return "\n".join(["[generator]", f'kind = "{entry.name}"', *map(line_of, entry.parameters), ""])
    return resources.files(library).joinpath("scenes", f"{entry.name}.toml").read_text(encoding="utf-8")


def line_of(parameter: Parameter) -> str:
    """A parameter at its default, with its meaning; one without a default is left for the user to fill in."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    if parameter.default is None:
        return f"# {parameter.name} =   # {parameter.meaning}{unit}"
    return f"{parameter.name} = {json.dumps(parameter.default)}  # {parameter.meaning}{unit}"
