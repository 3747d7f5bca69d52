"""Scene files and links that carom 0.1.0 wrote open as the scenes that they were."""

import json
import lzma
from pathlib import Path

import pytest

from carom.lab.share import from_link
from carom.scene.io.files import dumps, loads

SAMPLES: dict[str, dict[str, str]] = json.loads(
    lzma.decompress((Path(__file__).parent / "carom-0.1.0/scenes.json.xz").read_bytes())
)


@pytest.mark.requirement("T-08")
@pytest.mark.parametrize("name", SAMPLES)
def test_files_and_links_of_an_earlier_version_open(name: str) -> None:
    sample = SAMPLES[name]
    scene = loads(sample["json"], "json")
    assert dumps(scene, "json") == sample["json"]
    for other in (loads(sample["toml"], "toml"), from_link(sample["link"])):
        assert dumps(other, "json") == sample["json"]
