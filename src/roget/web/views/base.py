"""The declaration of a view: its route, parameters, data, sheet and place in the static page.

Each view is declared once, as a `View` in a separate module. The server, the OpenAPI schema, the
CSV sheets, the blocks of the static page and the TypeScript types are derived from this
declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypedDict, cast

from roget.core.io.values import whole_number
from roget.core.progress import Progress
from roget.core.progress import Report as ProgressReport
from roget.errors import InputError
from roget.report.format import brief
from roget.web.snapshot import ThesaurusSnapshot

MAX_ROWS = 1000
"""Maximum length of a list in one response."""

MAX_NUMBER = 10**9 - 1
"""Largest number accepted in a URL. No class or word has a larger number."""

Data: TypeAlias = dict[str, Any]
Sheet: TypeAlias = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""A table: column names and rows."""


class Named(TypedDict):
    """A class: its node, label, number of words and share of the text."""

    node: int
    label: str
    words: int
    share: float


class Word(TypedDict):
    """A word and its row number."""

    id: int
    word: str


class Phrase(TypedDict):
    """A context with its readable phrase, such as "open …"."""

    context: str
    phrase: str


class Context(Phrase):
    """A context with its count or probability, and its lift relative to the whole text."""

    amount: float
    lift: float


class Notes(TypedDict):
    """The definition and the editors' note of a class or word."""

    definition: str
    note: str


@dataclass(frozen=True)
class Number:
    """A whole-number parameter. Values above `maximum` are replaced by `maximum`."""

    name: str
    default: int | None = None
    maximum: int = MAX_NUMBER

    def parse(self, text: str | None) -> int | None:
        """Parse the value of a query parameter."""
        if text is None:
            return self.default
        number = whole_number(text)
        if number is None or number > MAX_NUMBER:
            raise InputError(
                f"{self.name}={text[:40]!r}: expected a whole number", code="invalid-option"
            )
        return min(number, self.maximum)

    @property
    def schema(self) -> Data:
        """The parameter in JSON Schema."""
        schema: Data = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER}
        return schema if self.default is None else schema | {"default": self.default}

    typescript = "number"


@dataclass(frozen=True)
class Text:
    """A string parameter, optionally restricted to several choices."""

    name: str
    default: str | None = ""
    choices: tuple[str, ...] = ()

    def parse(self, text: str | None) -> str | None:
        """Parse the value of a query parameter."""
        if self.choices and text is not None and text not in self.choices:
            expected = ", ".join(self.choices)
            raise InputError(
                f"{self.name}={text[:40]!r}: expected one of {expected}", code="invalid-option"
            )
        return text or self.default

    @property
    def schema(self) -> Data:
        """The parameter in JSON Schema."""
        return {"type": "string", **({"enum": list(self.choices)} if self.choices else {})}

    typescript = "string"


Parameter: TypeAlias = Number | Text

WORD = Text("word")


def rows_parameter(default: int) -> Number:
    """Return the parameter n: the maximum number of rows."""
    return Number("n", default, MAX_ROWS)


@dataclass(frozen=True)
class View:
    """The declaration of one view.

    Parameters
    ----------
    name : the name of the view, of its sheet and of its block in the static page.
    make : function that makes the data from a snapshot and the parameters.
    data : TypedDict of the data, from which JSON Schema and TypeScript types are generated.
    parameters : the path parameters and query parameters.
    route : the URL path, with path parameters in braces. Default: /api/NAME.
    sheet : function that makes the CSV table; None if the view has no table.
    static : function that makes the blocks of the static page; None if a server is required.
    """

    name: str
    make: Callable[..., Any]
    data: type
    parameters: tuple[Parameter, ...] = ()
    route: str = ""
    sheet: Callable[[Any, ThesaurusSnapshot], Sheet] | None = None
    static: Callable[[StaticPage], dict[str, Any]] | None = None

    @property
    def path(self) -> str:
        """The URL path in OpenAPI syntax."""
        return self.route or f"/api/{self.name}"

    @property
    def starlette_path(self) -> str:
        """The URL path in Starlette syntax, with the convertor "whole" for numbers."""
        return re.sub(r"\{(\w+)\}", r"{\1:whole}", self.path)

    @property
    def path_parameters(self) -> tuple[Parameter, ...]:
        """The parameters in the URL path."""
        return tuple(one for one in self.parameters if f"{{{one.name}}}" in self.path)

    @property
    def query_parameters(self) -> tuple[Parameter, ...]:
        """The parameters in the query string."""
        return tuple(one for one in self.parameters if f"{{{one.name}}}" not in self.path)

    def respond(
        self, snapshot: ThesaurusSnapshot, path: Mapping[str, Any], query: Mapping[str, str]
    ) -> Any:
        """Return the data for a request."""
        values = {one.name: one.parse(query.get(one.name)) for one in self.query_parameters}
        return self.make(snapshot, **path, **values)


def list_columns(key: str, *names: str) -> Callable[[Any, ThesaurusSnapshot], Sheet]:
    """Return a function that converts a list in a view's data to a table of the given fields."""

    def sheet(data: Any, _: ThesaurusSnapshot) -> Sheet:
        return names, [[row[name] for name in names] for row in data[key]]

    return sheet


def name_class(snapshot: ThesaurusSnapshot, node: int) -> Named:
    """Return the node, label, number of words and share of a class."""
    return {
        "node": node,
        "label": snapshot.labels[node],
        "words": snapshot.sizes[node],
        "share": snapshot.shares[node],
    }


def describe_context(snapshot: ThesaurusSnapshot, context: str) -> Phrase:
    """Return a context together with a readable phrase, such as "open …"."""
    return {"context": context, "phrase": snapshot.phrase(context)}


def read_notes(snapshot: ThesaurusSnapshot, about: int | str) -> Notes:
    """Return the notes on a class, given by its node, or on a word."""
    note = snapshot.thesaurus.notes.get(about)
    return {"definition": note.definition, "note": note.note} if note else NO_NOTES.copy()


NO_NOTES: Notes = {"definition": "", "note": ""}


short = cast(Callable[[float], float], brief)
"""Round a finite number to the number of digits shown on a page."""


def check_index(noun: str, number: int, size: int) -> None:
    """Raise an InputError unless 0 ≤ number < size."""
    if not 0 <= number < size:
        raise InputError(f"{noun} {number}: expected 0 to {size - 1}", code="unknown-name")


def check_rows(n: int) -> int:
    """Return the number of rows, capped at 10⁹. Raise an error if it is negative."""
    if not n >= 0:
        raise InputError(f"n={n}: expected a non-negative number", code="invalid-option")
    return min(n, 10**9)


@dataclass(eq=False)
class StaticPage:
    """The blocks of the static page while it is being built.

    Context names are long and repeated, so lists contain context numbers instead. Numbers are
    assigned in order of first use, and the names are written last, in the block "contexts".
    """

    snapshot: ThesaurusSnapshot
    evidence: int = 0
    """Number of example sentences per word and context."""
    sketches: bool = False
    progress: ProgressReport | None = None
    contexts: dict[str, int] = field(default_factory=dict)
    word_contexts: list[list[str]] = field(default_factory=list)
    """The contexts shown for each word, in row order. The word view fills this list."""

    SHARD = 256
    """Number of words per block. A block is parsed when one of its words is opened."""
    CONTEXTS = 16
    """Number of contexts kept for a class or word."""
    DIGITS = 3
    """Number of significant digits. More digits would make no visible difference to the bars."""

    def shards(self) -> Iterator[tuple[int, range]]:
        """Yield the number of each block, and the rows of its words."""
        size = len(self.snapshot.thesaurus)
        for begin in range(0, size, self.SHARD):
            yield begin // self.SHARD, range(begin, min(begin + self.SHARD, size))

    def report(self, done: int) -> None:
        """Report the number of words written."""
        if self.progress is not None:
            self.progress(Progress(done, len(self.snapshot.thesaurus)))

    def flatten(self, rows: Iterable[Any], first: str, *rest: str) -> list[Any]:
        """Flatten rows into a single list. All fields except the first one are rounded."""
        return [
            value
            for row in rows
            for value in (row[first], *(brief(row[name], self.DIGITS) for name in rest))
        ]

    def flatten_contexts(self, contexts: Sequence[Context]) -> list[Any]:
        """Flatten contexts into a single list of context number, amount and lift."""
        rows = [
            {**one, "number": self.contexts.setdefault(one["context"], len(self.contexts))}
            for one in contexts[: self.CONTEXTS]
        ]
        return self.flatten(rows, "number", "amount", "lift")
