"""What other web pages try, in a real browser: see also tests/lab/test_guard.py."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lab.serving import Served, served

PAGE = b"<!doctype html><title>elsewhere</title><link rel=icon href='data:,'><p>Another page"


class Elsewhere(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def tiny() -> Iterator[Served]:
    """A laboratory without a shell."""
    with served() as one:
        yield one


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """The address of a page of another origin (the same host: only the port differs)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_the_printed_address_opens_and_hides_the_token(tabs, tiny: Served) -> None:
    page = tabs.new()
    tabs.forgive("favicon")
    page.goto(tiny.address)
    assert page.url == f"{tiny.origin}/"
    assert page.inner_text("body") == "inside"
    assert page.evaluate("document.cookie") == "", "no script can read the token"


def test_without_it_the_page_says_how(tabs, tiny: Served) -> None:
    tabs.forgive("403")
    page = tabs.new()
    page.goto(f"{tiny.origin}/")
    assert "carom lab" in page.inner_text("body")


def test_a_link_on_another_page_opens_it(tabs, tiny: Served, elsewhere: str) -> None:
    """From a page of another site, for which a browser keeps strict cookies back after a redirect."""
    tabs.forgive("favicon")
    page = tabs.new()
    page.goto(elsewhere.replace("127.0.0.1", "localhost"))
    page.evaluate("address => { location.href = address }", tiny.address)
    page.wait_for_url(f"{tiny.origin}/")
    page.get_by_text("inside").wait_for()


def test_another_page_can_do_nothing_though_the_browser_has_the_cookie(tabs, tiny: Served, elsewhere: str) -> None:
    tabs.forgive("403|WebSocket|CORS|Failed to load|ERR_|frame-ancestors|favicon|X-Frame")
    page = tabs.new()
    page.goto(tiny.address)
    page.get_by_text("inside").wait_for()
    page.goto(elsewhere)
    tries = """async (home) => {
        const fetched = async (options) => {
            try { return (await fetch(home + "/", options)).type } catch { return "refused" }
        };
        const socket = new Promise((resolve) => {
            const line = new WebSocket(home.replace("http", "ws") + "/bench/any/socket");
            line.onopen = () => resolve("open");
            line.onerror = () => resolve("refused");
        });
        const loaded = (name) => new Promise((resolve) => {
            const element = document.createElement(name);
            element.onload = () => resolve("loaded");
            element.onerror = () => resolve("refused");
            element.src = home + "/";
            document.body.append(element);
        });
        return {
            read: await fetched({credentials: "include"}),
            post: await fetched({method: "POST", credentials: "include"}),
            socket: await socket,
            script: await loaded("script"),
            image: await loaded("img"),
        };
    }"""
    assert page.evaluate(tries, tiny.origin) == dict.fromkeys(["read", "post", "socket", "script", "image"], "refused")
    page.evaluate("home => { document.body.innerHTML = `<iframe src='${home}/'></iframe>` }", tiny.origin)
    page.wait_for_timeout(500)
    assert all("inside" not in frame.locator("html").inner_text(timeout=5000) for frame in page.frames[1:])
