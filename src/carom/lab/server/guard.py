"""Access control: only the laboratory's own pages, opened by the printed address, may send requests.

Any web page that a person visits can send requests to 127.0.0.1, and a name that is made to point there (DNS
rebinding) makes them look like the page's own. So every request, to a socket too, must name this server as its
Host, must not come from another Origin, and must bring the token of this run in a cookie.
"""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import parse_qsl, urlencode

from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
SAFE_METHODS = ("GET", "HEAD")
OWN_SITES = ("same-origin", "none")
"""Allowed values of Sec-Fetch-Site: the laboratory's page, or an address typed by the person."""
POLICY = (
    "default-src 'self'; "
    # Scripts in a page carry the nonce of that answer. NiceGUI evaluates the handlers that the server sends, and Vue
    # compiles templates in the browser: without 'unsafe-eval' nothing would run. Elements have styles of their own.
    "script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' blob:; worker-src 'self' blob:; "
    "connect-src 'self' ws://{host}; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HARDENING = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",  # an address may hold the token
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()",
}
IGNORED_HEADERS = (b"accept-encoding", b"x-forwarded-", b"forwarded")
"""Request headers that are dropped: local connections need no compression, and there is no proxy."""
CLOSE_REFUSED = 1008

Headers = list[tuple[bytes, bytes]]

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>carom: not opened</title>
<style>
  :root {{ color-scheme: light dark; }}
  body {{ font: 1.05rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }}
  h1 {{ font-size: 1.4rem; font-weight: 600; }}
  code {{ font-size: .95em; }}
</style></head>
<body><h1>{title}</h1>{words}</body></html>"""

LOCKED = (
    "<p>The laboratory opens with the address that <code>carom lab</code> printed in the terminal, the one that holds "
    "<code>?token=</code>. Copy that line into the address bar. A new run prints a new one.</p>"
    # A plain link to here would drop what stands after the "#" of the address: a scene, in a shared link.
    "<p>Is it open in this browser already? Then "
    '<a href="" id="on">go on</a>.</p>'
    '<script>document.getElementById("on").onclick = () => { location.reload(); return false; };</script>'
)
WRONG_HOST = "<p>Open it by the address that <code>carom lab</code> printed, which begins with <code>http://127.0.0.1</code>.</p>"
FOREIGN = "<p>The request came from another web page. Open the laboratory by the address that it printed.</p>"


ONWARD = """<!doctype html><meta charset="utf-8"><title>carom</title><script>
  const target = new URL(location.href);
  target.searchParams.delete("token");
  location.replace(target);
</script>"""
"""Redirects to the address without the token, and keeps the part after "#"."""


class Guard:
    """ASGI middleware: admits only requests of the laboratory's own pages, to pages, files and sockets."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app = app
        self.token = token
        self.cookie = f"carom-{port}"
        """The name includes the port, because all ports of a host share cookies."""
        self.hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, pass on or refuse a request."""
        if scope["type"] == "http":
            await self.answer(scope, receive, send)
        elif scope["type"] == "websocket":
            if self.trouble(scope) is None and self.opened(scope):
                await self.app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": CLOSE_REFUSED})
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a page or a file if allowed; add security headers to every answer."""
        nonce = secrets.token_urlsafe(16)
        page = GuardedPage(nonce)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self.hardened(list(message.get("headers", [])), scope, nonce)
            for each in page.passed(message):
                await send(each)

        response = self.refusal(scope)
        if response is None:
            heard = [pair for pair in scope["headers"] if not pair[0].lower().startswith(IGNORED_HEADERS)]
            await self.app({**scope, "headers": heard}, receive, send_guarded)
        else:
            await response(scope, receive, send_guarded)

    def refusal(self, scope: Scope) -> Response | None:
        """The refusal of a request; None if the app should answer."""
        words = self.trouble(scope)
        if words is not None:
            return refused("This is not the way in", words)
        if (response := self.admission(scope)) is not None:
            return response
        return None if self.opened(scope) else refused("The laboratory is locked", LOCKED)

    def trouble(self, scope: Scope) -> str | None:
        """What is wrong with the origin of a request; None if nothing is."""
        hosts = values(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return WRONG_HOST
        origins = values(scope, b"origin")
        needed = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in origins) or (needed and len(origins) != 1):
            return FOREIGN
        # A link on another page may lead here; another page may not use our files, nor hold us in a frame.
        link = values(scope, b"sec-fetch-dest") == ["document"]
        return FOREIGN if from_elsewhere(scope) and not link else None

    def admission(self, scope: Scope) -> Response | None:
        """Answer an address with the token: set the cookie, and redirect to the address without it."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if scope["method"] not in SAFE_METHODS or not given:
            return None
        if not self.right(given[0]):
            return refused("The laboratory is locked", LOCKED)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0].lstrip("/\\")
        target = f"{path}?{rest}" if rest else path
        response: Response
        if from_elsewhere(scope):
            # Someone else's link: a redirect would still be that page's doing, and bring no strict cookie.
            response = HTMLResponse(ONWARD, headers={"Cache-Control": "no-store"})
        else:
            response = RedirectResponse(target, status_code=303)
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return response

    def opened(self, scope: Scope) -> bool:
        """Does the request have the token?"""
        # Other programs of this computer leave cookies of any shape here: starlette's parser minds none of them.
        jars = [cookie_parser(header) for header in values(scope, b"cookie")]
        return any(self.right(jar[self.cookie]) for jar in jars if self.cookie in jar)

    def right(self, token: str) -> bool:
        """Compare tokens in constant time."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def hardened(self, given: Headers, scope: Scope, nonce: str) -> Headers:
        """Add security headers, and remove those that would admit other pages (CORS)."""
        hosts = values(scope, b"host")
        host = hosts[0].lower() if hosts and hosts[0].lower() in self.hosts else "127.0.0.1"
        own = HARDENING | {b"content-security-policy": POLICY.format(host=host, nonce=nonce).encode()}
        kept = [
            pair for pair in given if not pair[0].lower().startswith(b"access-control-") and pair[0].lower() not in own
        ]
        return [*kept, *own.items()]


class GuardedPage:
    """An answer that is being sent. In a page, scripts get the nonce of its policy.

    What a person has written stands in a page with "<" escaped (tests see to that), so that every "<script" is ours.
    """

    def __init__(self, nonce: str) -> None:
        self.mark = f'<script nonce="{nonce}"'.encode()
        self.start: Message | None = None
        self.body = b""

    def passed(self, message: Message) -> list[Message]:
        """The messages to send now."""
        if message["type"] == "http.response.start":
            kinds = [value for name, value in message["headers"] if name.lower() == b"content-type"]
            self.start = message if any(kind.startswith(b"text/html") for kind in kinds) else None
            return [] if self.start else [message]
        if self.start is None or message["type"] != "http.response.body":
            return [message]
        self.body += message.get("body", b"")
        if message.get("more_body", False):
            return []
        start, body = self.start, self.body.replace(b"<script", self.mark)
        if body:
            kept = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            start["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
        return [start, {**message, "body": body}]


def values(scope: Scope, name: bytes) -> list[str]:
    """All headers with a name."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def from_elsewhere(scope: Scope) -> bool:
    """Does the request come from another page, according to the browser?"""
    return any(site not in OWN_SITES for site in values(scope, b"sec-fetch-site"))


def refused(title: str, words: str) -> HTMLResponse:
    """A page that explains a refusal, and how to open the laboratory."""
    # The connection ends with it: strangers keep none.
    headers = {"Cache-Control": "no-store", "Connection": "close"}
    return HTMLResponse(PAGE.format(title=title, words=words), status_code=403, headers=headers)
