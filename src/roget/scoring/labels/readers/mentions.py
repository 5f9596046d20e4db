"""Read coreference files. Documents are groups, mentions are items, and entities are labels.

Mentions are identified by the words they span, so gold and system must have the same words. If a
mention is repeated, only its occurrence in the document's first entity is kept, as in the CoNLL
reference scorer. A system's repeated mentions are counted again if gold does not contain them (see
`align`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.io.values import parse_json, whole_number
from roget.errors import InputError, Notice
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.labels import Labels, NoItems, code_texts
from roget.scoring.labels.readers.base import LabelReader, refuse_columns

BEGIN = re.compile(r"#\s*begin document\s*(.*?)\s*$")
"""Pattern that matches the first line of a document in CoNLL-2012 files."""
_END = re.compile(r"#\s*end document")
_BRACKETS = re.compile(r"\(([^()|]*)\)|\(([^()|]*)|(?<![^()|])([^()|]*)\)")
"""Pattern that matches an entity name after an opening bracket or before a closing bracket."""
_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$")
_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
"""Pattern that matches a part of a discontinuous mention: entity, part number, number of parts."""
_MENTIONS = "a file of mentions"
_COLUMNS = 10
"""Number of columns in the CoNLL-U format."""


class Document:
    """The mentions of one document, collected word by word."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.words = 0
        """The number of words, or 0 if the file does not contain them."""
        self._problems = problems
        self._entities: dict[str, list[str]] = {}
        self._open: dict[str, list[tuple[str, int]]] = {}
        self._parts: dict[str, list[str]] = {}

    def add(self, line: int, word: str, brackets: list[tuple[str, str, str]]) -> None:
        """Process the brackets at a word, starting with one-word mentions."""
        for whole, _, _ in brackets:
            # "(3+4)" is a split antecedent, which the reference scorer ignores.
            if whole and "+" not in whole:
                self._put(whole, word, line)
        for _, opened, _ in brackets:
            if opened:
                self._entities.setdefault(name_entity(opened), [])
                self._open.setdefault(opened, []).append((word, line))
        for _, _, closed in brackets:
            if closed:
                waiting = self._open.get(closed)
                if waiting:
                    self._put(closed, name_span(waiting.pop()[0], word), line)
                else:
                    text = (
                        f"a mention of {closed!r} ends but has no beginning; expected ({closed} "
                        "before this line"
                    )
                    self._problems.add(line, text)

    def _put(self, bracket: str, span: str, line: int) -> None:
        """Add a mention, or a part of a discontinuous mention, to an entity."""
        part = _PART.fullmatch(bracket)
        if part is None:
            self._entities.setdefault(bracket, []).append(span)
            return
        entity, number, last = part.groups()
        spans = self._parts.setdefault(entity, [])
        spans.append(span)
        if len(spans) != whole_number(number):
            text = f"found part {number} of {last} of {entity!r}; expected part {len(spans)}"
            self._problems.add(line, text)
        if number == last:
            self._entities.setdefault(entity, []).append(",".join(self._parts.pop(entity)))

    def close(self) -> None:
        """Add a problem for each mention that has no closing bracket."""
        for entity, waiting in self._open.items():
            for _, line in waiting:
                self._problems.add(
                    line, f"a mention of {entity!r} is not closed; expected {entity})"
                )

    def mentions(self) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """Return the first entity of each mention, and a list of repeated mentions."""
        found: dict[str, str] = {}
        repeated = []
        for entity, spans in self._entities.items():
            for span in spans:
                if span in found:
                    repeated.append((span, entity))
                else:
                    found[span] = entity
        return found, repeated


def name_entity(bracket: str) -> str:
    """Return the entity name in a bracket, without a part number.

    >>> name_entity("e7"), name_entity("e7[1/2]")
    ('e7', 'e7')
    """
    part = _PART.fullmatch(bracket)
    return bracket if part is None else part[1]


def name_span(first: str, last: str) -> str:
    """Return the name of a mention, which consists of the positions of its first and last words.

    >>> name_span("3", "3"), name_span("3", "5")
    ('3', '3-5')
    """
    return first if first == last else f"{first}-{last}"


def find_brackets(text: str) -> list[tuple[str, str, str]]:
    """Parse a cell into tuples (one-word mention, opened mention, closed mention).

    Two of the three entity names in each tuple are empty.

    >>> find_brackets("(1)|(2(3")
    [('1', '', ''), ('', '2', ''), ('', '3', '')]
    """
    return _BRACKETS.findall(text)


def read_conll(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a CoNLL-2012 file: one word per line, with entities in brackets in the last column."""
    refuse_columns(file, columns, _MENTIONS, "#begin document")
    problems = Problems(file.name)
    documents: dict[str, Document] = {}
    here: Document | None = None
    for line, text in file.lines():
        if text.startswith("#"):
            begin = BEGIN.match(text)
            if begin:
                if here is not None:  # The previous document has no end marker.
                    here.close()
                here = _begin_document(begin[1], line, documents, problems)
            elif _END.match(text) and here is not None:
                here.close()
                here = None
            continue
        fields = text.rsplit(None, 1)
        if not fields:
            continue
        if here is None:
            problems.add(
                line, "found a word before the first document; expected #begin document NAME"
            )
            continue
        if "(" in fields[-1] or ")" in fields[-1]:
            here.add(line, str(here.words), find_brackets(fields[-1]))
        here.words += 1
    if here is not None:
        here.close()
    return _to_labels(file, documents.values(), problems, gold)


def read_corefud(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a CorefUD file: CoNLL-U with `Entity=` in the last column."""
    refuse_columns(file, columns, _MENTIONS, "CoNLL-U lines")
    problems = Problems(file.name)
    documents: dict[str, Document] = {}
    here: Document | None = None
    sentence, fresh = 0, True
    for line, text in file.lines():
        if text.startswith("#"):
            begin = _DOCUMENT.match(text)
            if begin:
                if here is not None:
                    here.close()
                here = _begin_document(begin[1] or _number(documents), line, documents, problems)
                sentence, fresh = 0, True
            continue
        if not text.strip():
            fresh = True
            continue
        if here is None:
            here = _begin_document(_number(documents), line, documents, problems)
        if fresh:
            sentence, fresh = sentence + 1, False
        fields = text.split("\t")
        if len(fields) != _COLUMNS:
            text = f"found {plural(len(fields), 'field')}; expected {_COLUMNS}, separated by tabs"
            problems.add(line, text)
            continue
        here.words += "-" not in fields[0]  # Ranges such as 1-2 are not words.
        entity = _ENTITY.search(fields[-1]) if "Entity=" in fields[-1] else None
        if entity is not None:
            named = [
                (whole.partition("-")[0], opened.partition("-")[0], closed)
                for whole, opened, closed in find_brackets(entity[1])
            ]
            here.add(line, f"{sentence}:{fields[0]}", named)
    if here is not None:
        here.close()
    return _to_labels(file, documents.values(), problems, gold)


def read_json_documents(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read JSON Lines with one document per line, whose clusters are lists of [first, last] words.

    If a document also has predicted clusters, system labels are read from these.
    """
    if columns:
        raise InputError(
            f"{file.name}: --columns does not apply to {_MENTIONS}", code="conflicting-options"
        )
    problems = Problems(file.name)
    documents: dict[str, Document] = {}
    for line, text in file.lines():
        if not text.strip():
            continue
        try:
            record = parse_json(text)
        except ValueError as error:
            problems.add(line, f"invalid JSON: {error}")
            continue
        clusters = _list_clusters(record, gold)
        if clusters is None:
            problems.add(line, _describe_clusters(record, gold))
            continue
        name = str(next((record[key] for key in _KEYS if key in record), _number(documents)))
        document = _begin_document(name, line, documents, problems)
        for number, spans in enumerate(clusters, start=1):
            for first, last in spans:
                document.add(line, name_span(str(first), str(last)), [(str(number), "", "")])
    return _to_labels(file, documents.values(), problems, gold)


_KEYS = ("doc_key", "doc_id", "document_id", "id", "name")
"""Keys of the name of a document, best first."""


def _list_clusters(record: Any, gold: bool) -> list[list[list[int]]] | None:
    """Return the clusters of a document, or None if its JSON object has no lists of spans."""
    clusters = _find_clusters(record, gold)
    if not isinstance(clusters, list):
        return None
    spans = [span for cluster in clusters if isinstance(cluster, list) for span in cluster]
    whole = all(isinstance(cluster, list) for cluster in clusters)
    return clusters if whole and all(map(is_span, spans)) else None


def _find_clusters(record: Any, gold: bool) -> Any:
    """Return the value with the clusters of a document, or None if the document has no clusters."""
    if not isinstance(record, dict):
        return None
    keys = ("clusters", "predicted_clusters") if gold else ("predicted_clusters", "clusters")
    return next((record[key] for key in keys if key in record), None)


def is_span(span: Any) -> bool:
    """Return True for a list of two integers.

    >>> is_span([6, 7]), is_span([6, "a"]), is_span(6)
    (True, False, False)
    """
    return isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)


def _describe_clusters(record: Any, gold: bool) -> str:
    """Return the problem of a line without valid clusters, and name the first invalid span."""
    expected = "expected an object with a list of clusters, lists of [first, last]"
    clusters = _find_clusters(record, gold)
    if not isinstance(clusters, list):
        return expected
    spans = (span for cluster in clusters if isinstance(cluster, list) for span in cluster)
    bad = next((span for span in spans if not is_span(span)), None)
    if bad is None:
        return expected
    return f"invalid span {json.dumps(bad)}; expected [first, last], the numbers of two words"


def _sniff_json(lines: Sequence[str]) -> bool:
    if "clusters" not in lines[0]:
        return False
    try:
        record = parse_json(lines[0])
    except ValueError:
        return False
    if not isinstance(record, dict):
        return False
    # Lists of lists are spans, even if some are invalid. The reader then reports them.
    clusters = next((record[key] for key in ("clusters", "predicted_clusters") if key in record), 0)
    clusters = clusters if isinstance(clusters, list) else [None]
    return all(
        isinstance(cluster, list) and all(isinstance(span, list) for span in cluster)
        for cluster in clusters
    )


def _number(documents: dict[str, Document]) -> str:
    """Return a numbered default name for a document without a name."""
    return f"document {len(documents) + 1}"


def _begin_document(
    name: str, line: int, documents: dict[str, Document], problems: Problems
) -> Document:
    if name in documents:
        problems.add(line, f"the document {name!r} occurs twice; expected unique names")
    documents[name] = Document(name, problems)
    return documents[name]


def _to_labels(
    file: LabelFile, documents: Iterable[Document], problems: Problems, gold: bool
) -> Labels:
    """Convert all mentions to labels. Documents without mentions are kept as groups."""
    problems.check()
    documents = list(documents)
    if not documents:
        raise NoItems(f"{file.name}: no items")
    found, again = zip(*(document.mentions() for document in documents), strict=True)
    repeated = tuple((at, *one) for at, some in enumerate(again) for one in some)
    warnings = []
    if repeated:
        verb = "is" if len(repeated) == 1 else "are"
        unless = "" if gold else ", unless gold does not contain the mention"
        text = (
            f"{plural(len(repeated), 'mention')} of {file.name} {verb} repeated and dropped{unless}"
        )
        warnings.append(Notice(text, code="repeated-rows"))
    groups = [at for at, mentions in enumerate(found) for _ in mentions]
    coded = code_texts([*chain.from_iterable(mentions.values() for mentions in found)])
    return Labels(
        **coded._asdict(),
        items=[*chain.from_iterable(found)],
        groups=np.array(groups, dtype=np.int64),
        group_names=[document.name for document in documents],
        source=file.name,
        warnings=tuple(warnings),
        mentions=True,
        repeated=repeated,
        lengths=tuple(document.words for document in documents),
    )


def _sniff_conll(lines: Sequence[str]) -> bool:
    return BEGIN.match(lines[0]) is not None


def _sniff_corefud(lines: Sequence[str]) -> bool:
    return lines[0].startswith("#") and any(line.startswith("# global.Entity") for line in lines)


CONLL = LabelReader(
    "Coreference mentions in CoNLL-2012 files.", (".conll",), _sniff_conll, labels=read_conll
)
COREF_JSON = LabelReader(
    "Coreference clusters in JSON Lines, one document per line.",
    sniff=_sniff_json,
    labels=read_json_documents,
    inside=("jsonl",),
)
COREFUD = LabelReader(
    "Coreference mentions in CorefUD (CoNLL-U) files.",
    (".conllu",),
    _sniff_corefud,
    labels=read_corefud,
)
