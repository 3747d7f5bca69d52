"""The JSON Schema in the documents is the one that carom makes."""

import json
from pathlib import Path

from carom.scene.files import schema

STORED = Path(__file__).parent.parent.parent / "docs/schema/scene.schema.json"


def test_schema_is_fresh() -> None:
    """If this fails: carom schema > docs/schema/scene.schema.json."""
    assert json.loads(STORED.read_text(encoding="utf-8")) == schema()
