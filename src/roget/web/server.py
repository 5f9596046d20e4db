"""The explorer's server: this machine only, no file is served by its path.

Every answer is made from the open thesaurus or from the three files of the page, which are read
once. Requests must name this machine as their host, so that no foreign page can reach the server
through a name of its own; edits must also carry a token that only our own page is given.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from roget.catalogue import name_extra
from roget.core.counts.evidence import SORTS
from roget.core.io.values import parse_json, whole_number
from roget.errors import InputError, RogetError
from roget.learn.thesaurus.files import Changed
from roget.report.render.html import asset, bundle
from roget.web.desk import Desk
from roget.web.sheets import SHEETS, as_csv, cut
from roget.web.static import PACKAGE, POLICY, render
from roget.web.views import (
    COLLOCATES,
    COMMON,
    LINES,
    MOST,
    NEAR,
    WORDS,
    View,
    Views,
)

with name_extra():
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.convertors import IntegerConvertor, register_url_convertor
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
LONGEST = 1 << 17
"""Bytes of an edit."""

HEADERS = {
    "Content-Security-Policy": POLICY.format(script="'self'", style="'self'", connect="'self'")
    + "; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

Scope = Any
App = Callable[[Scope, Any, Any], Awaitable[None]]
Answer = Callable[[Request], View]


class _Whole(IntegerConvertor):
    """Numbers in addresses; what is longer than any class or word is no address of ours."""

    regex = "[0-9]{1,9}"


register_url_convertor("whole", _Whole())


class Guard:
    """Lets through requests to this machine by its own name, and puts headers on all answers."""

    def __init__(self, app: App, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in NAMES}

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sealed(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message = message | {"headers": [*message["headers"], *extra]}
            await send(message)

        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            refused = _error(421, "this server answers to 127.0.0.1 only")
            await refused(scope, receive, sealed)
            return
        await self.app(scope, receive, sealed)


def application(desk: Desk, port: int) -> Guard:
    """The whole server, as an ASGI application that believes to be at a port."""
    token = secrets.token_urlsafe(32)
    views: dict[str, tuple[str, Answer]] = {
        "/api/overview": ("overview", lambda _: desk.overview()),
        "/api/tree": ("tree", lambda _: desk.views.tree()),
        "/api/class/{node:whole}": (
            "class",
            lambda r: desk.views.word_class(
                r.path_params["node"], _number(r, "n", WORDS, MOST), _number(r, "offset", 0)
            ),
        ),
        "/api/word/{row:whole}": (
            "word",
            lambda r: desk.views.word(r.path_params["row"], _number(r, "n", NEAR, MOST)),
        ),
        "/api/word": (
            "word",
            lambda r: desk.views.word(
                desk.views.thesaurus.row(r.query_params.get("word", "")),
                _number(r, "n", NEAR, MOST),
            ),
        ),
        "/api/search": (
            "search",
            lambda r: desk.views.find(r.query_params.get("q", ""), _number(r, "n", 10, MOST)),
        ),
        "/api/lines": ("lines", lambda r: _lines(desk.views, r)),
        "/api/sketch/{row:whole}": (
            "sketch",
            lambda r: desk.views.sketch(
                r.path_params["row"],
                r.query_params.get("beside") or None,
                _number(r, "n", COLLOCATES, MOST),
            ),
        ),
        "/api/alike": (
            "alike",
            lambda r: desk.views.alike(
                r.query_params.get("word", ""),
                r.query_params.get("other", ""),
                _number(r, "n", COMMON, MOST),
            ),
        ),
        "/api/why": (
            "why",
            lambda r: desk.views.why(
                r.query_params.get("word", ""), _number(r, "node", 0), _number(r, "n", COMMON, MOST)
            ),
        ),
        "/api/changes": ("changes", lambda _: desk.changes()),
        "/api/path": ("path", lambda _: desk.views.path()),
        "/api/history": ("history", lambda _: desk.history()),
        "/api/cut/{k:whole}": ("cut", lambda r: desk.views.cut(r.path_params["k"])),
        "/api/compare/{k:whole}": ("compare", lambda r: desk.compare(r.path_params["k"])),
    }
    page = render(title=desk.views.name, token=token)
    files = {
        "/": (page, "text/html"),
        "/explore.js": (bundle("explore"), "text/javascript"),
        "/explore.css": (asset(PACKAGE, "assets/explore.css"), "text/css"),
    }
    routes = [Route(place, _file(*found)) for place, found in files.items()]
    routes += [Route(place, _view(desk, *found)) for place, found in views.items()]
    routes.append(Route("/api/edit", _edit(desk, token), methods=["POST"]))
    return Guard(Starlette(routes=routes), port)


def _file(text: str, kind: str) -> Any:
    async def answer(_: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _view(desk: Desk, name: str, make: Answer) -> Any:
    sheets = SHEETS | {"cut": partial(cut, desk.views)}

    def answer(request: Request) -> Response:
        try:
            view = make(request)
        except (RogetError, LookupError) as error:
            return _error(404 if isinstance(error, LookupError) else 400, str(error))
        if request.query_params.get("format") != "csv":
            return Response(_json(view), media_type="application/json")
        if name not in sheets:
            return _error(400, f"{name} has no sheet: ask for JSON")
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return Response(as_csv(sheets[name](view)), media_type="text/csv", headers=headers)

    return answer


def _edit(desk: Desk, token: str) -> Any:
    async def answer(request: Request) -> Response:
        given = request.headers.get("x-roget-token", "")
        origin = request.headers.get("origin")
        if not hmac.compare_digest(given.encode(), token.encode()) or (
            origin is not None and origin != f"http://{request.headers['host']}"
        ):
            return _error(403, "edits are taken from the page of this server only")
        if locked := desk.locked:
            return _error(501, f"this thesaurus cannot be edited: {locked}")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LONGEST:
                return _error(413, "this is too long for an edit")
        try:
            asked = parse_json(body)
            # By its type: true is 1 to Python, but no number to anybody else.
            if not isinstance(asked, dict) or type(asked.get("revision")) is not int:
                raise InputError("expected a JSON object with an action and a revision")
            view = await run_in_threadpool(desk.edit, asked, asked["revision"])
        except Changed as error:
            return _error(409, str(error))
        except (RogetError, LookupError, ValueError) as error:
            return _error(400, str(error))
        except OSError as error:
            return _error(500, f"the edit was not saved: {error}")
        return Response(_json(view), media_type="application/json")

    return answer


def _lines(views: Views, request: Request) -> View:
    """Of a word, or of the words of a class with a context."""
    asked = request.query_params
    context, sort = asked.get("context") or None, asked.get("sort", "corpus")
    if sort not in SORTS:
        raise InputError(f"sort={sort[:40]!r}: expected one of {', '.join(SORTS)}")
    n = _number(request, "n", LINES, MOST)
    if "node" not in asked:
        return views.lines(asked.get("word", ""), context, n, sort)
    if context is None:
        raise InputError("lines of a class are those with a context: expected context=")
    return views.class_lines(_number(request, "node", 0), context, n, sort)


def _json(view: View) -> bytes:
    text = json.dumps(view, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A word may hold half of a surrogate pair, which no answer can.
    return text.encode("utf-8", "replace")


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)


def _number(request: Request, name: str, default: int, most: int = 10**9) -> int:
    given = request.query_params.get(name)
    if given is None:
        return default
    number = whole_number(given)
    if number is None or number >= 10**9:
        raise InputError(f"{name}={given[:40]!r}: expected a whole number")
    return min(number, most)


def free_port(wanted: int | None) -> socket.socket:
    """A socket bound to this machine only: at the wanted port, or at any that is free."""
    # Said to be TCP, so that asyncio sends what it has at once: else each answer waits 40 ms.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, wanted or 0))
    except OSError as error:
        bound.close()
        raise InputError(f"port {wanted}: {error.strerror}; choose another with --port") from None
    return bound


def serve(desk: Desk, bound: socket.socket, *, ready: Callable[[str], None]) -> None:
    """Answer until interrupted; `ready` is told the address once the server listens."""
    with name_extra():
        import uvicorn
    port = bound.getsockname()[1]
    desk.views.warm()
    config = uvicorn.Config(
        application(desk, port), log_level="warning", access_log=False, server_header=False
    )
    bound.listen(128)
    ready(f"http://{HOST}:{port}/")
    uvicorn.Server(config).run(sockets=[bound])
