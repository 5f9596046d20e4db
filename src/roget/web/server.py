"""The explorer's server: this machine only, no file is served by its path.

Every answer is made from the open thesaurus or from the three files of the page, which are read
once and say nothing of it. Requests must name this machine as their host, so that no foreign page
can reach the server through a name of its own, and carry the token of a session.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from roget.catalogue import name_extra
from roget.core.io.values import parse_json
from roget.errors import InputError, RogetError
from roget.learn.thesaurus.files import Changed
from roget.report.render.html import asset, bundle
from roget.web.desk import Desk
from roget.web.routes import EDIT, ROUTES, SCHEMA, SESSION, TOKEN, Route, describe
from roget.web.sessions import NEW_LINK, Sessions, is_other_user
from roget.web.sheets import SHEETS, as_csv, cut
from roget.web.static import PACKAGE, POLICY, render
from roget.web.views import View

with name_extra():
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.convertors import IntegerConvertor, register_url_convertor
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route as Place

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
LONGEST = 1 << 17
"""Bytes of a body."""

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


class _Whole(IntegerConvertor):
    """Numbers in addresses; what is longer than any class or word is no address of ours."""

    regex = "[0-9]{1,9}"


register_url_convertor("whole", _Whole())


class Guard:
    """Lets through sessions that call this machine by its own name; puts headers on all answers."""

    def __init__(self, app: App, port: int, sessions: Sessions, public: frozenset[str]) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}".encode() for name in NAMES}
        self.sessions = sessions
        self.public = public

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sealed(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message = message | {"headers": [*message["headers"], *extra]}
            await send(message)

        app: App = self.app
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            app = _error(421, "this server answers to 127.0.0.1 only")
        elif scope["path"] not in self.public:
            given = [value for name, value in scope["headers"] if name == TOKEN.encode()]
            if len(given) != 1 or not self.sessions.admit(given[0]):
                app = _error(401, f"this page has no session here: {NEW_LINK}")
        await app(scope, receive, sealed)


def application(desk: Desk, port: int, sessions: Sessions) -> Guard:
    """The whole server, as an ASGI application that believes to be at a port."""
    files = {
        "/": (render(), "text/html"),
        "/explore.js": (bundle("explore"), "text/javascript"),
        "/explore.css": (asset(PACKAGE, "assets/explore.css"), "text/css"),
    }
    schema = _json(describe()).decode()
    places = [
        *(Place(place, _file(*found)) for place, found in files.items()),
        Place(SCHEMA, _file(schema, "application/json")),
        *(Place(route.place, _view(desk, route)) for route in ROUTES),
        Place(SESSION, _open(sessions, port), methods=["POST"]),
        Place(EDIT, _edit(desk), methods=["POST"]),
    ]
    app = Starlette(routes=places, exception_handlers={HTTPException: _missing})
    app.router.redirect_slashes = False
    return Guard(app, port, sessions, frozenset((*files, SESSION)))


def _file(text: str, kind: str) -> Any:
    async def answer(_: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


async def _missing(_: Request, error: Any) -> Response:
    """What has no address here, or cannot be asked in this way, or is refused."""
    answer = _error(error.status_code, error.detail)
    answer.headers.update(error.headers or {})
    return answer


def _view(desk: Desk, route: Route) -> Any:
    def answer(request: Request) -> Response:
        now = desk.now
        try:
            view = route.make(now, request.path_params, request.query_params)
        except (RogetError, LookupError) as error:
            return _error(404 if isinstance(error, LookupError) else 400, str(error))
        if request.query_params.get("format") != "csv":
            return Response(_json(view), media_type="application/json")
        if route.name == "cut":
            sheet = cut(now.views, view)
        elif route.name in SHEETS:
            sheet = SHEETS[route.name](view)
        else:
            return _error(400, f"{route.name} has no sheet: ask for JSON")
        headers = {"Content-Disposition": f'attachment; filename="{route.name}.csv"'}
        return Response(as_csv(sheet), media_type="text/csv", headers=headers)

    return answer


def _open(sessions: Sessions, port: int) -> Any:
    async def answer(request: Request) -> Response:
        asked = await _asked(request)
        key = asked.get("key")
        if not isinstance(key, str):
            return _error(400, "expected a JSON object with a key")
        if await run_in_threadpool(is_other_user, request.client, port):
            return _error(403, "this link is for the user who started roget explore")
        token = sessions.exchange(key)
        if token is None:
            return _error(403, f"this link was used before, or is of another run: {NEW_LINK}")
        return Response(_json({"token": token}), media_type="application/json")

    return answer


def _edit(desk: Desk) -> Any:
    async def answer(request: Request) -> Response:
        if locked := desk.locked:
            return _error(501, f"this thesaurus cannot be edited: {locked}")
        asked = await _asked(request)
        try:
            # By its type: true is 1 to Python, but no number to anybody else.
            if type(asked.get("revision")) is not int:
                raise InputError("expected a JSON object with an action and a revision")
            view = await run_in_threadpool(desk.edit, asked, asked["revision"])
        except Changed as error:
            return _error(409, str(error), revision=desk.revision)
        except (RogetError, LookupError, ValueError) as error:
            return _error(400, str(error))
        except OSError as error:
            return _error(500, f"the edit was not saved: {error}")
        return Response(_json(view), media_type="application/json")

    return answer


async def _asked(request: Request) -> dict[str, Any]:
    """The object that a page of ours has sent; what is wrong with it is refused."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers['host']}":
        raise HTTPException(403, "this is taken from the page of this server only")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > LONGEST:
                raise HTTPException(413, f"this is too long: expected at most {LONGEST:,} bytes")
        found = parse_json(bytes(body))
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed before all was sent") from None
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
    if not isinstance(found, dict):
        raise HTTPException(400, "expected a JSON object")
    return found


def _json(view: View) -> bytes:
    text = json.dumps(view, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A word may hold half of a surrogate pair, which no answer can.
    return text.encode("utf-8", "replace")


def _error(status: int, message: str, **more: Any) -> Response:
    return Response(_json({"error": message, **more}), status, media_type="application/json")


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


def make_server(desk: Desk, port: int, sessions: Sessions) -> Any:
    """A server that is to run on a socket at this port."""
    from roget.web.connections import Server

    return Server(application(desk, port, sessions))


def serve(desk: Desk, bound: socket.socket, *, ready: Callable[[Callable[[], str]], None]) -> None:
    """Answer until interrupted; once the server listens, `ready` is told what makes links to it."""
    port, sessions = bound.getsockname()[1], Sessions()
    desk.views.warm()
    server = make_server(desk, port, sessions)
    bound.listen()
    ready(lambda: f"http://{HOST}:{port}/#/open/{sessions.make_key()}")
    server.run(sockets=[bound])
