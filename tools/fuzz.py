"""Fuzz the inputs that take text, guided by coverage, for any time (Linux, needs atheris).

    pip install 'carom[fuzz]'
    python tools/fuzz.py scene --seconds 600

The checks are those of tests/hostile. A text that fails is saved in build/fuzz.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FINDINGS = ROOT / "build" / "fuzz"

Door = tuple[Callable[[str], object], list[str]]


def scene() -> Door:
    """Scene files, as TOML and as JSON."""
    door = importlib.import_module("hostile.test_scene_files")

    def look(text: str) -> None:
        door.seen_through(text, "json" if text.lstrip().startswith("{") else "toml")

    return look, [*door.TEXTS.values(), *door.JSONS]


def link() -> Door:
    """Share links, encoded and decoded."""
    door = importlib.import_module("hostile.test_links")

    def look(text: str) -> None:
        door.opened(text)
        door.opened(door.link(text.encode("utf-8", "surrogateescape")))

    return look, [door.SOUND, *door.JSONS]


def study() -> Door:
    """Study files."""
    door = importlib.import_module("hostile.test_study_files")

    return door.seen_through, list(door.TEXTS.values())


def packet() -> Door:
    """Messages of a page to the laboratory."""
    from carom.lab.server.packets import verdict  # noqa: PLC0415  # imported while it is watched

    def look(text: str) -> None:
        if verdict(text, "me") not in {"pass", "drop", "refuse"}:
            raise AssertionError(text)

    told = '"client_id":"me","id":3,"listener_id":"l","args":["1",null]'
    return look, ["40", f'42["event",{{{told}}}]', '42["ack",{"client_id":"me","next_message_id":5}]']


DOORS = {door.__name__: door for door in (scene, link, study, packet)}


def main() -> None:
    """Fuzz an input; ends the process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("door", choices=DOORS)
    parser.add_argument("--seconds", type=int, default=300)
    wanted = parser.parse_args()
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        sys.exit("This needs atheris. Install it: pip install 'carom[fuzz]'")
    sys.path.insert(0, str(ROOT / "tests"))
    with atheris.instrument_imports(include=["carom", "tomllib", "json"]):
        look, originals = DOORS[wanted.door]()

    def one(raw: bytes) -> None:
        look(raw.decode("utf-8", "surrogateescape"))

    corpus = FINDINGS / wanted.door
    corpus.mkdir(parents=True, exist_ok=True)
    for k, text in enumerate(originals):
        (corpus / f"original-{k}").write_bytes(text.encode())
    options: list[Any] = [f"-max_total_time={wanted.seconds}", f"-artifact_prefix={FINDINGS}/{wanted.door}-"]
    atheris.Setup([sys.argv[0], *options, "-timeout=20", "-rss_limit_mb=4096", str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
