"""The explorer's server. It is reachable from this machine only and serves no files by path.

Every response is made from the open thesaurus or from the three files of the page, which are read
once and contain no data. Requests must have this machine as host name, which prevents access by
other sites through DNS rebinding, and must carry an access token.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from roget.catalogue import name_extra
from roget.core.io.values import parse_json
from roget.errors import InputError, RogetError, code_of
from roget.learn.thesaurus.files import Changed
from roget.report import Report, ReportTable
from roget.report.render.data import render_csv
from roget.report.render.html import asset, bundle
from roget.web.access import NEW_LINK, AccessTokens, is_other_user
from roget.web.schema import EDIT, SCHEMA, SESSION, TOKEN, describe
from roget.web.session import Session, warm
from roget.web.static import PACKAGE, POLICY, render
from roget.web.views import VIEWS, overview
from roget.web.views.base import Sheet, View

with name_extra():
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.convertors import IntegerConvertor, register_url_convertor
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
MAX_BODY = 1 << 17
"""Maximum size of a request body in bytes."""

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


class _WholeConvertor(IntegerConvertor):
    """URL convertor for whole numbers of at most nine digits."""

    regex = "[0-9]{1,9}"


register_url_convertor("whole", _WholeConvertor())


class Guard:
    """Middleware that checks the host name and the token, and adds headers to all responses."""

    def __init__(self, app: App, port: int, tokens: AccessTokens, public: frozenset[str]) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}".encode() for name in NAMES}
        self.tokens = tokens
        self.public = public

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message = message | {"headers": [*message["headers"], *extra]}
            await send(message)

        app: App = self.app
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            app = _error(421, "this server accepts requests only for the host 127.0.0.1")
        elif scope["path"] not in self.public:
            sent = [value for name, value in scope["headers"] if name == TOKEN.encode()]
            if len(sent) != 1 or not self.tokens.admit(sent[0]):
                app = _error(401, f"this browser has no access: {NEW_LINK}")
        await app(scope, receive, send_with_headers)


def application(session: Session, port: int, tokens: AccessTokens) -> Guard:
    """Return the ASGI application of the server for a port."""
    files = {
        "/": (render(), "text/html"),
        "/explore.js": (bundle("explore"), "text/javascript"),
        "/explore.css": (asset(PACKAGE, "assets/explore.css"), "text/css"),
    }
    schema = _json(describe()).decode()
    routes = [
        *(Route(path, _serve_text(*file)) for path, file in files.items()),
        Route(SCHEMA, _serve_text(schema, "application/json")),
        *(Route(view.starlette_path, _serve_view(session, view)) for view in VIEWS),
        Route(SESSION, _open_session(tokens, port), methods=["POST"]),
        Route(EDIT, _serve_edits(session), methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _handle_error})
    app.router.redirect_slashes = False
    return Guard(app, port, tokens, frozenset((*files, SESSION)))


def _serve_text(text: str, kind: str) -> Any:
    async def respond(_: Request) -> Response:
        return Response(text, media_type=kind)

    return respond


async def _handle_error(_: Request, error: Any) -> Response:
    """Convert HTTP errors (unknown URL, wrong method, rejected request) to JSON."""
    response = _error(error.status_code, error.detail)
    response.headers.update(error.headers or {})
    return response


def _serve_view(session: Session, view: View) -> Any:
    def respond(request: Request) -> Response:
        snapshot = session.snapshot
        try:
            data = view.respond(snapshot, request.path_params, request.query_params)
        except (RogetError, LookupError) as error:
            status = 404 if isinstance(error, LookupError) else 400
            return _error(status, str(error), **_code(error))
        if request.query_params.get("format") != "csv":
            return Response(_json(data), media_type="application/json")
        if view.sheet is None:
            return _error(400, f"{view.name} has no sheet; request JSON instead")
        headers = {"Content-Disposition": f'attachment; filename="{view.name}.csv"'}
        text = format_csv(view.sheet(data, snapshot))
        return Response(text, media_type="text/csv", headers=headers)

    return respond


def format_csv(sheet: Sheet) -> str:
    """Return a sheet as CSV. Cells that spreadsheets would run as formulas are not changed."""
    return render_csv(Report("", sheet=ReportTable.of(*sheet)))


def _open_session(tokens: AccessTokens, port: int) -> Any:
    async def respond(request: Request) -> Response:
        key = (await _read_object(request)).get("key")
        if not isinstance(key, str):
            return _error(400, "expected a JSON object with a key")
        if await run_in_threadpool(is_other_user, request.client, port):
            return _error(403, "this link can be used only by the user who started roget explore")
        token = tokens.exchange(key)
        if token is None:
            return _error(
                403, f"this link was used before, or it belongs to another run: {NEW_LINK}"
            )
        return Response(_json({"token": token}), media_type="application/json")

    return respond


def _serve_edits(session: Session) -> Any:
    async def respond(request: Request) -> Response:
        if reason := session.snapshot.lock_reason:
            return _error(501, f"this thesaurus cannot be edited: {reason}")
        edit = await _read_object(request)
        try:
            # Use type() instead of isinstance, because True is an int in Python.
            if type(edit.get("revision")) is not int:
                raise InputError(
                    "expected a JSON object with an action and a revision", code="edit-refused"
                )
            snapshot = await run_in_threadpool(session.edit, edit, edit["revision"])
        except Changed as error:
            return _error(409, str(error), revision=session.revision, **_code(error))
        except (RogetError, LookupError, ValueError) as error:
            return _error(400, str(error), **_code(error))
        except OSError as error:
            return _error(500, f"the edit was not saved: {error}")
        return Response(_json(overview.make(snapshot)), media_type="application/json")

    return respond


async def _read_object(request: Request) -> dict[str, Any]:
    """Read the JSON object in a request. Reject requests from other sites."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers['host']}":
        raise HTTPException(403, "only a page of this server may send this request")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                raise HTTPException(
                    413, f"the request body is too long; the maximum is {MAX_BODY:,} bytes"
                )
        value = parse_json(bytes(body))
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed before the end of the body") from None
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
    if not isinstance(value, dict):
        raise HTTPException(400, "expected a JSON object")
    return value


def _json(data: Any) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A word may contain a lone surrogate, which UTF-8 cannot encode.
    return text.encode("utf-8", "replace")


def _code(error: Exception) -> dict[str, str]:
    code = code_of(error)
    return {} if code is None else {"code": code}


def _error(status: int, message: str, **more: Any) -> Response:
    return Response(_json({"error": message, **more}), status, media_type="application/json")


def free_port(port: int | None) -> socket.socket:
    """Return a local socket bound to the port, or to any free port."""
    # IPPROTO_TCP makes asyncio set TCP_NODELAY. Otherwise, each response is delayed by 40 ms.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port or 0))
    except OSError as error:
        bound.close()
        raise InputError(
            f"port {port}: {error.strerror}; choose another with --port", code="invalid-option"
        ) from None
    return bound


def make_server(session: Session, port: int, tokens: AccessTokens) -> Any:
    """Return a server that is ready to run on a socket bound to this port."""
    from roget.web.connections import Server

    return Server(application(session, port, tokens))


def serve(
    session: Session, bound: socket.socket, *, ready: Callable[[Callable[[], str]], None]
) -> None:
    """Serve until interrupted. `ready` is called at startup with a function that creates links."""
    port, tokens = bound.getsockname()[1], AccessTokens()
    warm(session.snapshot)
    server = make_server(session, port, tokens)
    bound.listen()
    ready(lambda: f"http://{HOST}:{port}/#/open/{tokens.make_key()}")
    server.run(sockets=[bound])
