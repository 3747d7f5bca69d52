"""The laboratory as a whole: it opens, it runs, strangers stay outside, and it ends in time."""

import time

import pytest
from playwright.sync_api import Page

from lab.serving import Served, served

STAGE = "[role=application]"


def listened(page: Page) -> dict[str, int]:
    """Counts the frames that arrive on our socket, and what is sent back."""
    counts = {"frames": 0, "acks": 0}

    def count(name: str, wanted: bool) -> None:
        counts[name] += wanted

    def connected(socket) -> None:
        if socket.url.endswith("/socket"):
            socket.on("framereceived", lambda data: count("frames", isinstance(data, bytes)))
            socket.on("framesent", lambda data: count("acks", str(data).startswith('{"ack"')))

    page.on("websocket", connected)
    return counts


def test_the_printed_address_opens_the_scene_and_it_runs(tabs, browser) -> None:
    with served("-m", "carom", "lab", "break", "--no-browser") as one:
        page = tabs.new()
        counts = listened(page)
        page.goto(one.address)
        assert page.url == f"{one.origin}/bench"
        page.locator(STAGE).wait_for()
        page.locator(STAGE).focus()
        page.keyboard.press("Space")
        end = time.monotonic() + 90.0
        while counts["frames"] < 60 and time.monotonic() < end:
            page.wait_for_timeout(100)
        assert counts["frames"] >= 60
        assert counts["acks"] >= counts["frames"] - 2
        tabs.forgive("ERR_CONNECTION_REFUSED|WebSocket")  # the server goes before its page
        began = time.monotonic()
        assert one.interrupt(within=30.0) == 0
        assert time.monotonic() - began < 2.5
        assert len(one.log) == 1, "nothing but the address was said"


@pytest.mark.parametrize("path", ["/", "/bench?scene=break", "/lab/static/bench.js", "/lab/thumbnails/break.svg"])
def test_without_the_cookie_nothing_is_had(laboratory: Served, path: str) -> None:
    assert laboratory.get(path)[0].status == 200
    answer, text = laboratory.get(path, Cookie="")
    assert answer.status == 403
    assert "carom lab" in text


@pytest.mark.parametrize(
    "headers",
    [{"Cookie": ""}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}],
    ids=["no token", "foreign host", "foreign origin", "null origin"],
)
def test_nicegui_itself_is_guarded(laboratory: Served, headers: dict[str, str]) -> None:
    polling = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    assert laboratory.get(polling, **headers)[0].status == 403
    assert laboratory.get(polling, method="POST", **({"Origin": laboratory.origin} | headers))[0].status == 403


def test_no_cors_whatever_nicegui_says(laboratory: Served) -> None:
    answer, _ = laboratory.get("/_nicegui_ws/socket.io/?EIO=4&transport=polling", Origin=laboratory.origin)
    assert answer.getheader("Access-Control-Allow-Origin") is None


def test_two_tabs_do_not_disturb_each_other(visit) -> None:
    one, two = visit("/bench?scene=break"), visit("/bench?scene=break")
    for page in (one, two):
        page.locator(STAGE).wait_for()
        page.evaluate(
            """stage => document.querySelector(stage).addEventListener(
            "carom-state", ({detail}) => { window.lastState = detail })""",
            STAGE,
        )
    one.locator(STAGE).focus()
    one.keyboard.press("Space")
    one.wait_for_function("window.lastState?.time > 0.2")
    two.locator(STAGE).focus()
    two.keyboard.press("Tab")
    two.wait_for_function("window.lastState?.selected.length == 1")
    state = two.evaluate("window.lastState")
    assert (state["running"], state["time"]) == (False, 0.0)
