"""Routes of the explorer: paths, query strings, headers and bodies, sent to the application
directly.
"""

from __future__ import annotations

import asyncio
import json
import weakref
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes

from campaigns.fuzz.imports import thesaurus
from campaigns.fuzz.mutate import mutate
from campaigns.fuzz.targets import NOTHING, Found, Lawless, Target

PORT = 8765

GETS = (
    b"/", b"/explore.js", b"/explore.css", b"/openapi.json",
    b"/api/overview", b"/api/tree", b"/api/class/3",
    b"/api/class/1?n=5&offset=1", b"/api/word/2", b"/api/word?word=tea&n=3",
    b"/api/search?q=te&n=5",
    b"/api/lines?word=tea&sort=corpus", b"/api/lines?node=3&context=c1",
    b"/api/sketch/1?other=ale",
    b"/api/alike?word=tea&other=ale", b"/api/why?word=tea&node=3", b"/api/changes", b"/api/path",
    b"/api/history", b"/api/cut/3", b"/api/cut/3?format=csv", b"/api/compare/2",
    b"/api/class/3?format=csv", b"/api/word/2?format=csv", b"/api/history?format=csv",
)  # fmt: skip
BODIES = (
    b'{"action":"rename","node":3,"label":"x","revision":0}',
    b'{"action":"move","words":["tea"],"node":4,"revision":0}',
    b'{"action":"merge","node":3,"into":4,"revision":0}',
    b'{"action":"note","node":3,"text":"t","field":"note","revision":0}',
    b'{"action":"add","word":"gin","node":3,"revision":0}',
    b'{"action":"undo","revision":0}',
    b'{"action":"redo","revision":0}',
    b'{"action":"undo_to","n":1,"revision":0}',
    b'{"action":"split","node":3,"revision":0}',
    b'{"action":"bulk","edits":[{"action":"rename","node":3,"label":"y"}],"revision":0}',
)
WORDS = (
    b"word=", b"&", b"?", b"%00", b"%ff", b"%2F", b"%F0%9F%98%80", b"n=", b"offset=", b"node=",
    b"context=", b"format=csv", b"sort=left", b"other=", b"tea", b"/api/", b"/../", b"c1",
    b"action",
    b'"revision"', b"bulk", b"undo", b"delete", b"nest", b"accept", b"[]", b"{}", b'"words"',
)  # fmt: skip


class Routes:
    """Inputs: METHOD, space, target, line end, body. Revision 0 stands for the current revision."""

    def __init__(self, folder: Path) -> None:
        from roget.web.access import AccessTokens
        from roget.web.server import application
        from roget.web.session import Session

        self._sessions = AccessTokens()
        self._token = str(self._sessions.exchange(self._sessions.make_key()))
        self._folder = folder / "words.thesaurus"
        thesaurus().save(self._folder)
        self._make_session, self._application = Session, application
        self._loop = asyncio.new_event_loop()
        weakref.finalize(self, self._loop.close)
        self._open()

    def _open(self) -> None:
        self._session = self._make_session(self._folder)
        self._app = self._application(self._session, PORT, self._sessions)

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if found.inputs:
            head, _, body = random.choice(found.inputs).partition(b"\n")
            words = found.words or WORDS
            if head.startswith(b"POST"):
                return head + b"\n" + mutate(random, [body], words)
            return b"GET " + _plain(mutate(random, [head.removeprefix(b"GET ")], words)) + b"\n"
        if random.random() < 0.7:
            return b"GET " + _plain(mutate(random, GETS, WORDS)) + b"\n"
        body = (
            mutate(random, BODIES, WORDS)
            if random.random() < 0.8
            else json.dumps(_body(random)).encode()
        )
        return (b"POST /api/edit\n" if random.random() < 0.95 else b"POST /api/session\n") + body

    def run(self, data: bytes) -> Any:
        head, _, body = data.partition(b"\n")
        method, _, target = head.partition(b" ")
        if method == b"POST":
            body = self._set_revision(body)
        answer = self._loop.run_until_complete(self._ask(method.decode("latin-1"), target, body))
        status, content = answer
        if status >= 500 and status != 501:
            raise Lawless(f"status {status}: {content[:300]!r}")
        # Limit the growth of labels and words.
        if self._session.revision > 200:
            self._renew()
        return status

    def _renew(self) -> None:
        import shutil

        shutil.rmtree(self._folder)
        thesaurus().save(self._folder)
        self._open()

    def _set_revision(self, body: bytes) -> bytes:
        return body.replace(b'"revision":0', b'"revision":%d' % self._session.revision, 1)

    async def _ask(self, method: str, target: bytes, body: bytes) -> tuple[int, bytes]:
        path, _, query = target.partition(b"?")
        host = f"127.0.0.1:{PORT}"
        headers = [
            (b"host", host.encode()),
            (b"x-roget-token", self._token.encode()),
            (b"origin", f"http://{host}".encode()),
            (b"content-type", b"application/json"),
        ]
        from urllib.parse import unquote_to_bytes

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            # As in a server: unquoted, and decoded as UTF-8 as far as possible.
            "path": unquote_to_bytes(path).decode("utf-8", "replace") or "/",
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", PORT),
        }
        sent = [{"type": "http.request", "body": body, "more_body": False}]
        status, parts = 0, []

        async def receive() -> dict[str, Any]:
            return sent.pop() if sent else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                parts.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return status, b"".join(parts)


def _plain(target: bytes) -> bytes:
    """Return a target as servers pass it on: ASCII without spaces."""
    return quote_from_bytes(target, safe="/?&=%+.-_~!$'()*,;:@[]")[:4000].encode()


def _body(random: Random) -> dict[str, Any]:
    """Return an edit that contains values of random types."""
    values: tuple[Any, ...] = (
        None,
        True,
        0,
        3,
        6,
        -1,
        10**30,
        1.5,
        "tea",
        "",
        "\ud800",
        "x" * 500,
        ["tea"],
        [],
        {},
        [3],
        "c1",
    )
    names = (
        "node",
        "into",
        "label",
        "text",
        "words",
        "word",
        "field",
        "n",
        "edits",
        "changes",
        "k",
    )
    actions = ("rename", "move", "merge", "nest", "add", "delete", "split", "note", "undo", "redo",
               "undo_to", "bulk", "accept", "refuse", "", 3)  # fmt: skip
    found: dict[str, Any] = {name: random.choice(values) for name in names if random.random() < 0.4}
    return {**found, "action": random.choice(actions), "revision": 0}


TARGETS = [Target("routes", 40, Routes)]
