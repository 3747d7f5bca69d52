"""The JSON Schemas in the documents are those that carom makes."""

import json
from pathlib import Path

import pytest

from carom.scene.io import files
from carom.sweeps.study import study

STORED = Path(__file__).parent.parent.parent / "docs/schema"


@pytest.mark.parametrize(("name", "schema"), [("scene", files.schema), ("study", study.schema)])
def test_schema_is_fresh(name, schema) -> None:
    """If this fails: make schema."""
    assert json.loads((STORED / f"{name}.schema.json").read_text(encoding="utf-8")) == schema()
