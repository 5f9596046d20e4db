"""SKOS as RDF/XML, for tools that do not read Turtle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target, write_lines
from roget.report.exports.concepts import NAMESPACES, Address, Name, Text, Value, described

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;"}
)


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write classes and words as SKOS concepts in RDF/XML.

    XML has no way to write most control characters: in texts they become U+FFFD, while a word's
    address still spells them.
    """
    write_lines(target, _lines(thesaurus, options))


def escaped(text: str) -> str:
    """A text as XML writes it, in elements and attributes.

    >>> escaped("a < b\\x00")
    'a &lt; b\ufffd'
    """
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text).translate(_ESCAPES)


def _lines(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    spaces = "".join(f'\n    xmlns:{name}="{iri}"' for name, iri in NAMESPACES.items())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF{spaces}>\n'
    for subject, facts in described(thesaurus, options):
        yield f'  <rdf:Description rdf:about="{escaped(subject.iri)}">\n'
        for predicate, value in facts:
            yield f"    {_element(predicate, value)}\n"
        yield "  </rdf:Description>\n"
    yield "</rdf:RDF>\n"


def _element(predicate: Name, value: Value) -> str:
    tag = f"{predicate.prefix}:{predicate.local}"
    match value:
        case Address(iri):
            return f'<{tag} rdf:resource="{escaped(iri)}"/>'
        case Name(prefix, local):
            return f'<{tag} rdf:resource="{NAMESPACES[prefix]}{local}"/>'
        case Text(text, language):
            spoken = f' xml:lang="{language}"' if language else ""
            return f"<{tag}{spoken}>{escaped(text)}</{tag}>"
