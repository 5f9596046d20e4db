"""Routes: every view that can be asked for, what it is given, and what it answers; declared once.

The server reads requests by them, and `describe` makes an OpenAPI schema of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from roget._version import __version__
from roget.core.counts.evidence import SORTS
from roget.core.io.values import whole_number
from roget.errors import InputError
from roget.web.desk import EDITS, Moment
from roget.web.sheets import SHEETS
from roget.web.views import COLLOCATES, COMMON, LINES, MOST, NEAR, WORDS, View

TOKEN = "x-roget-token"
"""The header that a session's requests carry."""

LARGEST = 10**9 - 1
"""Numbers in addresses: what is larger is no class and no word."""


@dataclass(frozen=True)
class Number:
    """A whole number that may be given; more than `most` is taken for that."""

    name: str
    default: int | None
    most: int = LARGEST

    def read(self, given: str | None) -> int | None:
        """The number, as it was given after `?`."""
        if given is None:
            return self.default
        number = whole_number(given)
        if number is None or number > LARGEST:
            raise InputError(f"{self.name}={given[:40]!r}: expected a whole number")
        return min(number, self.most)

    @property
    def schema(self) -> View:
        """In JSON Schema."""
        about: View = {"type": "integer", "minimum": 0, "maximum": LARGEST}
        return about if self.default is None else about | {"default": self.default}


@dataclass(frozen=True)
class Text:
    """A text that may be given, or one of several."""

    name: str
    default: str | None = ""
    choices: tuple[str, ...] = ()

    def read(self, given: str | None) -> str | None:
        """The text, as it was given after `?`."""
        if self.choices and given is not None and given not in self.choices:
            expected = ", ".join(self.choices)
            raise InputError(f"{self.name}={given[:40]!r}: expected one of {expected}")
        return given or self.default

    @property
    def schema(self) -> View:
        """In JSON Schema."""
        return {"type": "string", "enum": list(self.choices)} if self.choices else _TEXT


@dataclass(frozen=True)
class Route:
    """One view: its address, with numbers in braces, and what may be asked for after `?`."""

    place: str
    view: str
    """A method of `Moment`, or of its views, which is given all that by name."""
    asked: tuple[Number | Text, ...] = ()

    def make(self, now: Moment, path: Mapping[str, Any], query: Mapping[str, str]) -> View:
        """The view of what a request gives."""
        given = {one.name: one.read(query.get(one.name)) for one in self.asked}
        view: View = attrgetter(self.view)(now)(**path, **given)
        return view

    @property
    def name(self) -> str:
        """What follows /api/ in its address."""
        return self.place.split("/")[2]

    @property
    def template(self) -> str:
        """The address as OpenAPI writes it."""
        return self.place.replace(":whole", "")


def _many(default: int) -> Number:
    return Number("n", default, MOST)


WORD = Text("word")

ROUTES = (
    Route("/api/overview", "overview"),
    Route("/api/tree", "tree"),
    Route("/api/class/{node:whole}", "views.word_class", (_many(WORDS), Number("offset", 0))),
    Route("/api/word/{row:whole}", "views.word", (_many(NEAR),)),
    Route("/api/word", "word", (WORD, _many(NEAR))),
    Route("/api/search", "views.find", (Text("q"), _many(10))),
    Route(
        "/api/lines",
        "lines",
        (
            WORD,
            Number("node", None),
            Text("context", None),
            Text("sort", "corpus", SORTS),
            _many(LINES),
        ),
    ),
    Route("/api/sketch/{row:whole}", "views.sketch", (Text("beside", None), _many(COLLOCATES))),
    Route("/api/alike", "views.alike", (WORD, Text("other"), _many(COMMON))),
    Route("/api/why", "views.why", (WORD, Number("node", 0), _many(COMMON))),
    Route("/api/changes", "changes"),
    Route("/api/path", "views.path"),
    Route("/api/history", "history"),
    Route("/api/cut/{k:whole}", "views.cut"),
    Route("/api/compare/{k:whole}", "compare"),
)

SESSION, EDIT, SCHEMA = "/api/session", "/api/edit", "/openapi.json"

REFUSED = {
    400: "What is asked makes no sense; the error says what was expected.",
    401: "No session: open a new link.",
    403: "The key is not of an unused link, or the request is not from a page of this server.",
    404: "No such word, class or address.",
    409: "The thesaurus has changed meanwhile; `revision` is that of what is there now.",
    413: "The body is too long.",
    421: "This server has another name.",
    500: "The edit could not be saved.",
    501: "This thesaurus cannot be edited.",
}
"""What a refusal means, by its status."""

_TEXT: View = {"type": "string"}
_KINDS: dict[type, View] = {
    int: {"type": "integer"},
    str: _TEXT,
    list: {"type": "array", "items": {"anyOf": [_TEXT, {"type": "integer"}, {"type": "object"}]}},
}


def describe() -> View:
    """All routes as an OpenAPI schema."""
    paths: View = {}
    for route in ROUTES:
        form = Text("format", None, ("json", "csv")) if route.name in (*SHEETS, "cut") else None
        given = [
            {"name": name, "in": "path", "required": True, "schema": Number(name, None).schema}
            for name in ("node", "row", "k")
            if f"{{{name}}}" in route.template
        ]
        for one in (*route.asked, *([form] if form else [])):
            given.append({"name": one.name, "in": "query", "schema": one.schema})
        answer = _json({"type": "object"})
        if form:
            answer["text/csv"] = {"schema": _TEXT}
        told = _answers(answer, 400, 401, 404, 421)
        paths[route.template] = {"get": {"parameters": given, "responses": told}}
    made = _json({"type": "object"})
    paths[SESSION] = {
        "post": {
            "security": [],
            "requestBody": {"required": True, "content": _json(_object({"key": _TEXT}))},
            "responses": _answers(made, 400, 403, 413, 421),
        }
    }
    edits = [
        _object(
            {"action": {"const": action}, "revision": _KINDS[int]}
            | {name: _KINDS[kind] for name, kind in needs.items()}
        )
        for action, needs in EDITS.items()
    ]
    paths[EDIT] = {
        "post": {
            "requestBody": {"required": True, "content": _json({"oneOf": edits})},
            "responses": _answers(made, 400, 401, 403, 409, 413, 421, 500, 501),
        }
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "roget explore", "version": __version__},
        "security": [{"session": []}],
        "components": {
            "securitySchemes": {"session": {"type": "apiKey", "in": "header", "name": TOKEN}}
        },
        "paths": paths,
    }


def _answers(content: View, *refused: int) -> View:
    error = _json(_object({"error": _TEXT}))
    told = {str(one): {"description": REFUSED[one], "content": error} for one in refused}
    return {"200": {"description": "What was asked for.", "content": content}, **told}


def _object(properties: View) -> View:
    """The schema of an object that needs all of these."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _json(schema: View) -> View:
    return {"application/json": {"schema": schema}}
