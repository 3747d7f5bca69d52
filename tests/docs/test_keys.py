"""docs/keys.md says what the keymap says."""

import subprocess
import sys
from pathlib import Path

from carom.lab.commands.keymap import KEYS
from carom.lab.pages.keys import sign
from carom.lab.texts import texts

ROOT = Path(__file__).parent.parent.parent


def test_the_table_of_keys_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools/keys_table.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_key_is_in_it() -> None:
    table = (ROOT / "docs/keys.md").read_text(encoding="utf-8")
    for key in KEYS:
        row = next(line for line in table.splitlines() if line.endswith(f"| {texts('en')(key.text)} |"))
        if key.key not in "=_":  # on the same keys as + and -
            assert all(f"<kbd>{sign(each)}</kbd>" in row for each in (*key.held, key.key)), key
