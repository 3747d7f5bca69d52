"""The shell of the laboratory as an ASGI application. It binds nothing, opens nothing and starts no thread."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from nicegui import app as shell
from nicegui import ui
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles

from carom.errors import CaromError
from carom.lab.bench.benches import Benches
from carom.lab.pages import bench as bench_page
from carom.lab.pages import gallery
from carom.lab.pages.frame import words_of
from carom.lab.pages.html import tag
from carom.lab.pages.opening import Counter
from carom.lab.thumbnails import thumbnail
from carom.scene import Scene, library

STATIC = Path(__file__).parent / "static"
FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="11" cy="19" r="8" fill="#2f6fb3"/>'
    '<circle cx="23.5" cy="10.5" r="6" fill="#d9822b"/></svg>'
)


def create_app(benches: Benches, first: Scene | None = None, entry: str = "") -> FastAPI:
    """Make the application. "/bench" without a query opens `first`: the library's `entry`, or a file's."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    counter = Counter(first, entry)
    app.mount("/lab/static", StaticFiles(directory=STATIC), name="lab-static")
    _pictures(app)
    _opening(app, counter)
    _downloads(app, benches)
    gallery.declare()
    bench_page.declare(benches, counter)
    ui.run_with(
        app,
        title="carom",
        favicon=FAVICON,
        dark=False,
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=5.0,
        gzip_middleware_factory=None,  # it is this computer's own line
        show_welcome_message=False,
    )
    shell.config.socket_io_js_transports = ["websocket"]  # `limits` lets no other through
    shell.on_page_exception(sorry)
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # a page that is not there is nothing to tell a terminal
    return app


def sorry() -> None:
    """The page after an internal error; the details are printed in the terminal only."""
    with tag("main", classes="sorry"):
        tag("h1", "Something went wrong inside carom.")
        tag("p", "Reload the page. The terminal that runs the laboratory has the details.")


def _pictures(app: FastAPI) -> None:
    """Serve the pictures of the gallery."""

    @app.get("/lab/thumbnails/{name}.svg")
    async def picture(name: str, theme: str = "light") -> Response:
        if name not in library.names():
            return PlainTextResponse("There is no such scene in the library.", status_code=404)
        svg = await run_in_threadpool(thumbnail, name, "dark" if theme == "dark" else "light")
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


def _opening(app: FastAPI, counter: Counter) -> None:
    """Exchange dropped files, and links with a scene, for tickets."""

    @app.post("/lab/open")
    async def opened(request: Request) -> JSONResponse:
        told = await read_json(request, counter.LARGEST)
        try:
            ticket = await run_in_threadpool(counter.ticket, told)
        except CaromError as problem:
            return JSONResponse(
                {"error": words_of(request).message(problem)}
            )  # a page would report 422 as its own error
        return JSONResponse({"ticket": ticket})


async def read_json(request: Request, most: int) -> Any:
    """The body of a request as JSON; None if it is invalid or too long."""
    body = bytearray()
    try:
        async for part in request.stream():  # what it says of its length may be untrue
            body += part
            if len(body) > most:
                return None
        return await run_in_threadpool(json.loads, body)
    except (ValueError, RecursionError, ClientDisconnect):
        return None


def _downloads(app: FastAPI, benches: Benches) -> None:
    """Serve the downloads of a bench."""

    async def download(identity: str, kind: str) -> Response:
        bench = benches.find(identity)
        if bench is None:
            return PlainTextResponse("This bench has ended. Reload the page.", status_code=404)
        runner = bench.runner
        try:
            text = await run_in_threadpool(runner.save if kind == "toml" else runner.collisions_csv)
        except CaromError as problem:
            return PlainTextResponse(str(problem), status_code=422)
        name = re.sub(r"[^\w-]+", "-", bench.runner.view.entry or bench.runner.view.scene.name or "scene").strip("-")
        filename = (
            f"{name.encode('ascii', 'ignore').decode() or 'scene'}{'-collisions' if kind == 'csv' else ''}.{kind}"
        )
        media = "application/toml" if kind == "toml" else "text/csv; charset=utf-8"
        return Response(text, media_type=media, headers={"Content-Disposition": f'attachment; filename="{filename}"'})

    @app.get("/bench/{identity}/scene.toml")
    async def scene_file(identity: str) -> Response:
        return await download(identity, "toml")

    @app.get("/bench/{identity}/collisions.csv")
    async def collisions_file(identity: str) -> Response:
        return await download(identity, "csv")
