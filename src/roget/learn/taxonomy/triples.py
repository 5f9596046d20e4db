"""Read RDF statements without network access.

pyoxigraph parses a stream in constant memory. If it is not installed, rdflib loads the whole file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Container, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from roget.catalogue import name_extra
from roget.core.io.source import BLOCK, Source, source_of
from roget.core.progress import Progress, Report
from roget.errors import InputError, RogetError

_SYNTAX = {".ttl": "turtle", ".nt": "nt", ".rdf": "xml", ".xml": "xml", ".owl": "xml"}

LONGEST = 500
"""Maximum length of an XML entity. It is sufficient for URIs but prevents entity bombs."""

HEAD = 1 << 20
"""Number of bytes at the start of a file that may contain XML entity declarations."""

_ENTITY = re.compile(rb"<!ENTITY\s+(%\s+)?([^\s>]+)\s+(\"[^\"]*\"|'[^']*'|[^>]*)")
_ROOT = re.compile(rb"<[A-Za-z_]")


class Triple(NamedTuple):
    """An RDF statement. Blank nodes have the prefix "_:"."""

    subject: str
    predicate: str
    object: str
    language: str | None
    """Lower-case language tag of a literal ("" without a tag), or None for a URI."""


def read(
    place: Path, predicates: Container[str], progress: Report | None = None
) -> Iterator[Triple]:
    """Yield the statements of a file that have one of the given predicates."""
    source = source_of(str(place))
    syntax = _SYNTAX.get(source.suffix, "turtle")
    if syntax == "xml":
        _check_entities(source)
    parse = _read_whole if find_spec("pyoxigraph") is None else _read_stream
    with _Stream(source, progress) as stream:
        try:
            yield from parse(stream, syntax, place.resolve().as_uri(), predicates)
        except (OSError, RogetError, GeneratorExit):
            raise
        except Exception as error:  # Each parser raises different exceptions.
            if stream.broken is not None:
                raise stream.broken from None
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"{place}: invalid RDF: {reason}", code="broken-lines") from None


def _read_stream(
    stream: _Stream, syntax: str, base: str, predicates: Container[str]
) -> Iterator[Triple]:
    """Parse a stream with pyoxigraph."""
    import pyoxigraph as ox

    formats = {
        "turtle": ox.RdfFormat.TURTLE,
        "nt": ox.RdfFormat.N_TRIPLES,
        "xml": ox.RdfFormat.RDF_XML,
    }
    # Parse leniently. Published vocabularies contain invalid URIs, e.g. with spaces.
    found = ox.parse(
        input=io.BufferedReader(stream, BLOCK), format=formats[syntax], base_iri=base, lenient=True
    )
    node, text = ox.NamedNode, ox.Literal
    for quad in found:
        predicate = quad.predicate.value
        if predicate not in predicates:
            continue
        subject, object = quad.subject, quad.object
        if type(object) is text:
            value, language = object.value, (object.language or "").lower()
        else:
            value, language = object.value if type(object) is node else str(object), None
        low = subject.value if type(subject) is node else str(subject)
        yield Triple(low, predicate, value, language)


def _read_whole(
    stream: _Stream, syntax: str, base: str, predicates: Container[str]
) -> Iterator[Triple]:
    """Parse a whole file with rdflib."""
    with name_extra():
        from rdflib import BNode, Graph, Literal

    def name(node: Any) -> str:
        return f"_:{node}" if isinstance(node, BNode) else str(node)

    graph = Graph()
    graph.parse(data=stream.readall(), format=syntax, publicID=base)
    for low, predicate, object in graph:
        if str(predicate) not in predicates:
            continue
        is_literal = isinstance(object, Literal)
        language = (getattr(object, "language", None) or "").lower() if is_literal else None
        yield Triple(name(low), str(predicate), name(object), language)


class _Stream(io.RawIOBase):
    """A binary file object for a source, without its byte order mark."""

    def __init__(self, source: Source, progress: Report | None) -> None:
        self._source, self._progress = source, progress
        self._chunks, self._ready = source.chunks(), memoryview(b"")
        self._begun = False
        self.broken: InputError | None = None
        """Error raised by the source. A parser may replace it by another exception."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next available bytes into a buffer."""
        if not self._ready:
            try:
                chunk = next(self._chunks, b"")
            except InputError as error:
                self.broken = error
                raise
            if not self._begun:
                chunk, self._begun = chunk.removeprefix(b"\xef\xbb\xbf"), True
            self._ready = memoryview(chunk)
            if self._progress is not None:
                self._progress(Progress(self._source.read, self._source.size))
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def _check_entities(source: Source) -> None:
    """Raise an error for unsafe XML entities, or if entities cannot be checked.

    Nested, external and long entities are unsafe.
    """
    head = source.head(HEAD)
    if b"\0" in head:
        raise InputError(f"{source.name}: expected XML in UTF-8", code="not-text")
    root = _ROOT.search(re.sub(rb"<!--.*?-->", b"", head, flags=re.DOTALL))
    if b"<!ENTITY" in head and root is None and len(head) == HEAD:
        raise InputError(
            f"{source.name}: more than {HEAD:,} bytes of declarations before the RDF",
            code="too-large",
        )
    for parameter, name, value in _ENTITY.findall(head):
        text = value[1:-1] if value[:1] in (b'"', b"'") else None
        if parameter or text is None or re.search(rb"&(?!#)|%", text) or len(text) > LONGEST:
            shown = name.decode(errors="replace")[:60]
            raise InputError(
                f"{source.name}: unsafe XML entity {shown!r}; expected at most {LONGEST} "
                "characters, without other entities",
                code="too-large",
            )
