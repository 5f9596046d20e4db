"""SKOS exports of a thesaurus, in Turtle or RDF/XML: classes and words are concepts."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

import numpy as np

from roget._version import __version__
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.edits import Note
from roget.learn.thesaurus.neighbours import list_neighbours
from roget.learn.thesaurus.quality import cap
from roget.report.exports.base import (
    ExportEntry,
    Member,
    describe_left_out,
    entries,
    exporter,
    is_mere_root,
    number,
    quote_lines,
)
from roget.report.format import plural
from roget.report.language import UNKNOWN
from roget.report.options import ReportOptions

NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "roget": "urn:x-roget:",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
LONGEST = 200
"""Maximum length of a word in an IRI. Longer words are replaced by their hash."""

_TURTLE = {
    **{code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)},
    **str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}),
}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;"}
)


class Address(NamedTuple):
    """The IRI of a resource."""

    iri: str


class SkosText(NamedTuple):
    """A literal with an optional language tag."""

    text: str
    language: str | None


class SkosNumber(NamedTuple):
    """A numeric literal, written with its XML Schema type."""

    value: int | float

    @property
    def type(self) -> str:
        """The XML Schema type."""
        return "xsd:integer" if isinstance(self.value, int) else "xsd:double"


Value: TypeAlias = str | Address | SkosText | SkosNumber
"""The object of a statement: a prefixed name such as skos:Concept, an IRI or a literal."""
Statements: TypeAlias = list[tuple[str, Value]]


@dataclass(frozen=True)
class Scheme:
    """A concept scheme: the base IRI and the language of the labels."""

    base: str
    language: str

    @classmethod
    def from_options(cls, options: ReportOptions) -> Scheme:
        """Create the scheme from options. The tag of an unknown language is "und"."""
        base = options.base or f"urn:x-roget:thesaurus:{make_slug(options.called)}#"
        base = base if base[-1] in "#/" else base + "#"
        return cls(base, options.language or UNKNOWN)

    @property
    def address(self) -> Address:
        """The IRI of the concept scheme."""
        return Address(self.base.removesuffix("#"))

    def class_address(self, id: int) -> Address:
        """Return the IRI of a class. It contains the class id, which edits do not change."""
        return Address(f"{self.base}class-{id}")

    def text(self, text: str) -> SkosText:
        """Return a literal tagged with the language of the words."""
        return SkosText(text, self.language)


def describe(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[tuple[Address, Statements]]:
    """Yield the statements about the scheme, each class, each word and each collection."""
    scheme, ids = Scheme.from_options(options), thesaurus.ids.tolist()
    classes = list(entries(thesaurus, options.left_out))
    shown = {one.node for one in classes}
    root_is_class = not is_mere_root(classes[0])
    tops = classes[:1] if root_is_class else [one for one in classes if one.parent == 0]
    classes = classes if root_is_class else classes[1:]
    named = _distinct(classes, thesaurus)
    splits = {node: at for at, (node, _) in enumerate(thesaurus.tree.splits, 1)}
    title = scheme.text(options.called)
    yield (
        scheme.address,
        [
            ("rdf:type", "skos:ConceptScheme"),
            ("dcterms:title", title),
            ("skos:prefLabel", title),
            *(("skos:hasTopConcept", scheme.class_address(ids[one.node])) for one in tops),
            ("skos:note", _note(f"made by roget {__version__}")),
            *([] if root_is_class else [("roget:root", SkosNumber(ids[0]))]),
            *_origin(thesaurus, options),
        ],
    )
    belongs: dict[str, list[tuple[ExportEntry, Member]]] = {
        str(word): [] for word in thesaurus.words
    }
    for one in classes:
        for member in one.members:
            belongs[member.word].append((one, member))
        facts = _class(one, named[one.node], scheme, is_top=one in tops)
        if one.node in splits:
            facts.append(("roget:split", SkosNumber(splits[one.node])))
        yield scheme.class_address(ids[one.node]), facts + _written(thesaurus, one.node, scheme)
    related = _relate(thesaurus, options.related)
    table, leaves = thesaurus.memberships, thesaurus.tree.cluster_nodes
    for row, (word, places) in enumerate(belongs.items()):
        count = number(thesaurus.counts.word_totals[row])
        if not places:
            continue  # The class of the word is left out of the export.
        places.sort(key=lambda place: -place[1].probability)
        here = slice(*table.indptr[row : row + 2])
        held = zip(leaves[table.indices[here]].tolist(), table.data[here].tolist(), strict=True)
        largest = sorted(held, key=lambda one: (-one[1], one[0]))
        shares = [f"{ids[node]}:{share!r}" for node, share in largest if share]
        yield (
            word_address(scheme.base, word),
            [
                ("rdf:type", "skos:Concept"),
                ("rdf:type", "roget:Word"),
                ("skos:inScheme", scheme.address),
                ("skos:prefLabel", scheme.text(word)),
                *(("skos:broader", scheme.class_address(ids[one.node])) for one, _ in places),
                *(
                    ("skos:related", word_address(scheme.base, other))
                    for other in related.get(word, ())
                    if belongs[other]
                ),
                *_written(thesaurus, word, scheme),
                *(
                    ("skos:example", scheme.text(text))
                    for text in quote_lines(thesaurus, word, options.evidence)
                ),
                ("roget:count", SkosNumber(count)),
                ("roget:memberships", SkosText(" ".join(shares), None)),
            ],
        )
    for k in options.collections or options.levels or ():
        yield Address(f"{scheme.base}level-{k}"), _collection(thesaurus, k, scheme, shown)


def _origin(thesaurus: Thesaurus, options: ReportOptions) -> Statements:
    """Return statements that record the exported state, so that an import can detect changes."""
    facts: Statements = [("roget:state", SkosText(options.state or thesaurus.editor.state, None))]
    if options.levels:
        facts.append(("roget:levels", SkosText(",".join(map(str, options.levels)), None)))
    if options.build_levels:
        facts.append(("roget:buildLevels", SkosNumber(1)))
    if options.left_out:
        facts.append(("roget:leftOut", SkosText(",".join(map(str, options.left_out)), None)))
        facts.append(("skos:note", _note(describe_left_out(thesaurus, options.left_out))))
    if options.min_children > 1:
        facts.append(("roget:minChildren", SkosNumber(options.min_children)))
    return facts


def _written(thesaurus: Thesaurus, about: int | str, scheme: Scheme) -> Statements:
    """Return statements for the definition and the note that users wrote for a class or word."""
    written = thesaurus.notes.get(about, Note())
    texts = ("skos:definition", written.definition), ("skos:editorialNote", written.note)
    return [(name, scheme.text(text)) for name, text in texts if text]


def _collection(thesaurus: Thesaurus, k: int, scheme: Scheme, shown: set[int]) -> Statements:
    """Return the statements that define the collection of all classes in a cut of the tree."""
    nodes = [node for node in thesaurus.tree.tops(k) if node in shown]
    return [
        ("rdf:type", "skos:Collection"),
        ("skos:inScheme", scheme.address),
        ("skos:prefLabel", _note(plural(len(nodes), "class"))),
        *(("skos:member", scheme.class_address(int(thesaurus.ids[node]))) for node in nodes),
    ]


def _relate(thesaurus: Thesaurus, n: int) -> dict[str, list[str]]:
    """Return the n nearest neighbours of each word, made symmetric because skos:related is.

    In SKOS, a concept must not be related to a broader concept. Words are narrower only than
    classes, so this never occurs.
    """
    if not n:
        return {}
    words = thesaurus.words.tolist()
    near = list_neighbours(thesaurus, np.arange(len(words)), n)
    pairs = {(word, each.word) for word, some in zip(words, near, strict=True) for each in some}
    found: dict[str, list[str]] = {}
    for word, other in sorted(pairs | {(other, word) for word, other in pairs}):
        if word != other:
            found.setdefault(word, []).append(other)
    return found


def _distinct(classes: list[ExportEntry], thesaurus: Thesaurus) -> dict[int, str]:
    """Return a unique label for each class. The class id is appended to duplicate labels."""
    used = Counter(one.label for one in classes) + Counter(map(str, thesaurus.words))
    named, taken = {}, set(used)
    for one in classes:
        name = one.label
        while used[one.label] > 1 and name in taken:
            name += f" ({thesaurus.ids[one.node]})"
        taken.add(name)
        named[one.node] = name
    return named


def make_slug(title: str) -> str:
    """Return a title as a part of an IRI: its letters and digits in lower case, with hyphens.

    >>> make_slug("World English Bible (2nd ed.)"), make_slug("?")
    ('world-english-bible-2nd-ed', 'untitled')
    """
    return quote(re.sub(r"[\W_]+", "-", title.casefold()).strip("-"), safe="") or "untitled"


def word_address(base: str, word: str) -> Address:
    """Return the IRI of a word, which is the same in every thesaurus with this base IRI.

    >>> word_address("urn:t#", "crème brûlée").iri
    'urn:t#word-cr%C3%A8me%20br%C3%BBl%C3%A9e'
    """
    spelt = quote(word, safe="")
    if len(spelt) > LONGEST:
        # The prefix "hash-" cannot collide with other words, because these have the prefix "word-".
        return Address(f"{base}hash-{hashlib.sha256(word.encode()).hexdigest()[:32]}")
    return Address(f"{base}word-{spelt}")


def _class(one: ExportEntry, name: str, scheme: Scheme, *, is_top: bool) -> Statements:
    ids = one.thesaurus.ids.tolist()
    facts: Statements = [
        ("rdf:type", "skos:Concept"),
        ("rdf:type", "roget:WordClass"),
        ("skos:inScheme", scheme.address),
        ("skos:prefLabel", scheme.text(name)),
    ]
    if name != one.label:
        facts.append(("skos:altLabel", scheme.text(one.label)))
    if is_top:
        facts.append(("skos:topConceptOf", scheme.address))
    else:
        facts.append(("skos:broader", scheme.class_address(ids[one.parent])))
    facts += [("skos:narrower", scheme.class_address(ids[child])) for child in one.children]
    facts += [("skos:narrower", word_address(scheme.base, each.word)) for each in one.members]
    if one.trust is not None:
        facts.append(("roget:trust", SkosNumber(round(cap(one.trust.trust), 2))))
    if one.contexts:
        seen = ", ".join(one.contexts)
        facts.append(("skos:scopeNote", _note(f"typical contexts: {seen}")))
    facts.append(("roget:id", SkosNumber(ids[one.node])))
    return facts


def _note(text: str) -> SkosText:
    return SkosText(text, "en")


def quote_turtle(text: str) -> str:
    """Quote a string for Turtle.

    >>> print(quote_turtle('say "no"'))
    "say \\"no\\""
    """
    return f'"{text.translate(_TURTLE)}"'


@exporter
def write_turtle(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write classes and words as SKOS concepts in Turtle."""
    return as_turtle(describe(thesaurus, options))


def as_turtle(described: Iterable[tuple[Address, Statements]]) -> Iterator[str]:
    """Serialise statements as Turtle."""
    for prefix, address in NAMESPACES.items():
        yield f"@prefix {prefix}: <{address}> .\n"
    for subject, facts in described:
        lines = " ;\n    ".join(f"{_term(predicate)} {_term(value)}" for predicate, value in facts)
        yield f"\n{_term(subject)}\n    {lines} .\n"


def _term(value: Value) -> str:
    match value:
        case Address(iri):
            return f"<{iri}>"
        case SkosText(text, language):
            return quote_turtle(text) + (f"@{language}" if language else "")
        case SkosNumber():
            plain = value.type == "xsd:integer"
            return str(value.value) if plain else f'"{value.value!r}"^^{value.type}'
        case name:
            return "a" if name == "rdf:type" else name


def quote_xml(text: str) -> str:
    """Escape a string for XML elements and attributes.

    >>> quote_xml("a < b\\x00")
    'a &lt; b\ufffd'
    """
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text).translate(_XML)


@exporter
def write_xml(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write classes and words as SKOS concepts in RDF/XML.

    XML cannot represent most control characters, so they are replaced by U+FFFD in labels. In the
    IRI of a word they are percent-encoded.
    """
    spaces = "".join(f'\n    xmlns:{name}="{iri}"' for name, iri in NAMESPACES.items())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF{spaces}>\n'
    for subject, facts in describe(thesaurus, options):
        yield f'  <rdf:Description rdf:about="{quote_xml(subject.iri)}">\n'
        for predicate, value in facts:
            yield f"    {_element(predicate, value)}\n"
        yield "  </rdf:Description>\n"
    yield "</rdf:RDF>\n"


def _element(tag: str, value: Value) -> str:
    match value:
        case Address(iri):
            return f'<{tag} rdf:resource="{quote_xml(iri)}"/>'
        case SkosText(text, language):
            tagged = f' xml:lang="{language}"' if language else ""
            return f"<{tag}{tagged}>{quote_xml(text)}</{tag}>"
        case SkosNumber():
            return f'<{tag} rdf:datatype="{_full(value.type)}">{value.value!r}</{tag}>'
        case name:
            return f'<{tag} rdf:resource="{_full(name)}"/>'


def _full(name: str) -> str:
    """Return the full IRI of a prefixed name."""
    prefix, local = name.split(":")
    return NAMESPACES[prefix] + local
