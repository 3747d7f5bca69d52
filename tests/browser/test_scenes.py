"""Each scene of the library in the real laboratory: it opens, runs and draws, without a complaint."""

import pytest

from browser.workbench import Workbench
from carom import library

PAINTED = """() => {
  carom._draw(performance.now());
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [carom.canvases.balls.width, carom.canvases.balls.height];
  const c = sheet.getContext("2d", { willReadFrequently: true });
  const count = (canvases) => {
    c.clearRect(0, 0, sheet.width, sheet.height);
    for (const canvas of canvases) c.drawImage(canvas, 0, 0);
    const { data } = c.getImageData(0, 0, sheet.width, sheet.height);
    let found = 0;
    for (let k = 3; k < data.length; k += 4) found += data[k] > 0;
    return found;
  };
  return { balls: count([carom.canvases.balls]), all: count(carom._all()) };
}"""
"""How many pixels are painted: of balls, and of anything."""


@pytest.mark.requirement("T-01", "S-08", "M-14", "M-16")
@pytest.mark.parametrize("name", library.names())
def test_each_scene_opens_runs_and_draws(workbench: Workbench, shared, name: str) -> None:
    shared.tabs.complaints.clear()
    workbench.open(name)
    assert workbench.state("entry") == name
    assert workbench.page.locator(".carom-lost").is_hidden()
    first = workbench.page.evaluate(PAINTED)
    assert first["all"] > 100
    workbench.do("run")
    workbench.until("carom.frame.time > 0 && carom.frame.number > 3 && carom.state.end > 0")
    workbench.until("number => carom.frame.number >= number + 3", workbench.page.evaluate("carom.frame.number"))
    assert workbench.state("running"), workbench.state("message")
    assert (workbench.state("message") or {}).get("kind") != "error"
    if workbench.count():
        assert workbench.page.evaluate(PAINTED)["balls"] > 10
    workbench.do("pause")
    assert shared.tabs.complaints == []
