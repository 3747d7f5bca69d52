"""`carom scenes` and `carom schema`: the library, and the schema of scene files."""

import json
from importlib import resources
from pathlib import Path

from carom.atomic_write import write_text
from carom.cli.sources import require_writable, scene_hint
from carom.cli.summary import count
from carom.cli.terminal import Mistake, output, show_table, table
from carom.scene import library
from carom.scene.io.files import dump, schema
from carom.scene.library import Entry, Parameter


def show_all() -> int:
    """Print the library as a table."""
    rows = table("name", "group", "what to look at")
    for entry in library.catalogue():
        rows.add_row(entry.name, entry.group, entry.sentence)
    show_table(rows)
    return 0


def show_one(name: str) -> int:
    """Print a scene with remarks on it; the output is a valid scene file."""
    entry = entry_of(name)
    scene = library.load(name)
    console = output()
    console.print(f"# {entry.sentence}")
    console.print(f"# {count(len(scene.balls), 'ball')}, {scene.dimension}D\n")
    console.print(text_of(entry).rstrip())
    return 0


def save(name: str, target: Path, *, force: bool) -> int:
    """Write a scene of the library to a new file; TOML keeps the comments of the library."""
    entry = entry_of(name)
    require_writable(target, force=force)
    if target.suffix.lower() == ".toml":
        write_text(target, text_of(entry))
    else:
        dump(library.load(name), target)
    output().print(f"{name} saved as {target}. Run it: carom run {target} --until 1")
    return 0


def show_schema(*, of_studies: bool = False) -> int:
    """Print the JSON Schema of scene files, or of study files."""
    form = schema
    if of_studies:
        from carom.sweeps.study.study import schema as form
    output().print(json.dumps(form(), indent=2, ensure_ascii=False))
    return 0


def entry_of(name: str) -> Entry:
    """Find an entry by its name; Mistake with a suggestion if there is none."""
    for entry in library.catalogue():
        if entry.name == name:
            return entry
    raise Mistake(f"the library has no scene {name!r}. {scene_hint(name)}")


def text_of(entry: Entry) -> str:
    """The scene file of an entry: a generator with its parameters, or the file in the library."""
    if entry.parameters:
        return "\n".join(["[generator]", f'kind = "{entry.name}"', *map(line_of, entry.parameters), ""])
    return resources.files(library).joinpath("scenes", f"{entry.name}.toml").read_text(encoding="utf-8")


def line_of(parameter: Parameter) -> str:
    """A line of TOML that sets a parameter to its default, commented out if it has none."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    if parameter.default is None:
        return f"# {parameter.name} =   # {parameter.meaning}{unit}"
    return f"{parameter.name} = {json.dumps(parameter.default)}  # {parameter.meaning}{unit}"
