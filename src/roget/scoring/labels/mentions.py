"""Mentions of coreference: a document is a group, a mention an item, its entity the label.

Mentions are known by the words they span, so that both sides must have the same words. One that
comes again is left out, as the reference scorer does: that of the entity which is named first in
the document stays. But in a system's entities it counts again if gold does not have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.io.values import whole_number
from roget.errors import InputError
from roget.scoring.labels.labels import Labels, code_texts
from roget.scoring.labels.read import BEGIN, refuse_columns
from roget.scoring.labels.table import Columns

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile

_END = re.compile(r"#\s*end document")
_BRACKETS = re.compile(r"\(([^()|]*)\)|\(([^()|]*)|(?<![^()|])([^()|]*)\)")
"""An entity in both brackets, in one that opens, in one that closes."""
_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$")
_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
"""An entity, and which of how many parts of a mention with gaps this is."""
_MENTIONS = "a file of mentions"
_COLUMNS = 10
"""Of a line in CoNLL-U."""


class Document:
    """The mentions of one document, as its words come."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self._problems = problems
        self._entities: dict[str, list[str]] = {}
        self._open: dict[str, list[tuple[str, int]]] = {}
        self._parts: dict[str, list[str]] = {}

    def add(self, line: int, word: str, brackets: list[tuple[str, str, str]]) -> None:
        """Take in the brackets at one word: whole mentions, then those that open and that close."""
        for whole, _, _ in brackets:
            # "(3+4)": two antecedents, which the reference scorer does not count.
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
                    said = f"a mention of {closed!r} ends that did not begin; expected ({closed}"
                    self._problems.add(line, said)

    def _put(self, bracket: str, span: str, line: int) -> None:
        """Give an entity a mention, or a part of one, which the last part makes whole."""
        part = _PART.fullmatch(bracket)
        if part is None:
            self._entities.setdefault(bracket, []).append(span)
            return
        entity, number, last = part.groups()
        spans = self._parts.setdefault(entity, [])
        spans.append(span)
        if len(spans) != whole_number(number):
            said = f"part {number} of {last} of a mention of {entity!r}; expected {len(spans)}"
            self._problems.add(line, said)
        if number == last:
            self._entities.setdefault(entity, []).append(",".join(self._parts.pop(entity)))

    def close(self) -> None:
        """Note mentions that do not end."""
        for entity, waiting in self._open.items():
            for _, line in waiting:
                self._problems.add(
                    line, f"a mention of {entity!r} does not end; expected {entity})"
                )

    def mentions(self) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """The entity of each mention, of several the one named first; and those that come again."""
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
    """The entity that a bracket names.

    >>> name_entity("e7"), name_entity("e7[1/2]")
    ('e7', 'e7')
    """
    part = _PART.fullmatch(bracket)
    return bracket if part is None else part[1]


def name_span(first: str, last: str) -> str:
    """A mention by its words.

    >>> name_span("3", "3"), name_span("3", "5")
    ('3', '3-5')
    """
    return first if first == last else f"{first}-{last}"


def find_brackets(text: str) -> list[tuple[str, str, str]]:
    """Entities with both brackets, with one that opens, and with one that closes.

    >>> find_brackets("(1)|(2(3")
    [('1', '', ''), ('', '2', ''), ('', '3', '')]
    """
    return _BRACKETS.findall(text)


def read_conll(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The mentions of a file of CoNLL-2012: brackets in the last column, a line for each word."""
    refuse_columns(file, columns, _MENTIONS, "#begin document")
    problems = Problems(file.name)
    documents: dict[str, Document] = {}
    here: Document | None = None
    word = 0
    for line, text in file.lines():
        if text.startswith("#"):
            begin = BEGIN.match(text)
            if begin:
                if here is not None:  # its end is not marked
                    here.close()
                here = _begin_document(begin[1], line, documents, problems)
                word = 0
            elif _END.match(text) and here is not None:
                here.close()
                here = None
            continue
        fields = text.rsplit(None, 1)
        if not fields:
            continue
        if here is None:
            problems.add(line, "a word outside of a document; expected #begin document NAME before")
            continue
        if "(" in fields[-1] or ")" in fields[-1]:
            here.add(line, str(word), find_brackets(fields[-1]))
        word += 1
    if here is not None:
        here.close()
    return _to_labels(file, documents.values(), problems, gold)


def read_corefud(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The mentions of a CoNLL-U file with `Entity=` in its last column, as CorefUD has them."""
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
            said = f"{plural(len(fields), 'field')}; expected {_COLUMNS}, parted by tabs"
            problems.add(line, said)
            continue
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


def _number(documents: dict[str, Document]) -> str:
    """What a document without a name is called."""
    return f"document {len(documents) + 1}"


def _begin_document(
    name: str, line: int, documents: dict[str, Document], problems: Problems
) -> Document:
    if name in documents:
        problems.add(line, f"the document {name!r} begins again; expected a name for each")
    documents[name] = Document(name, problems)
    return documents[name]


def _to_labels(
    file: LabelFile, documents: Iterable[Document], problems: Problems, gold: bool
) -> Labels:
    """All mentions; documents without one are known as well."""
    problems.check()
    documents = list(documents)
    if not documents:
        raise InputError(f"{file.name}: no items")
    found, again = zip(*(document.mentions() for document in documents), strict=True)
    repeated = tuple((at, *one) for at, some in enumerate(again) for one in some)
    warnings = []
    if repeated:
        said = f"{plural(len(repeated), 'mention')} of {file.name}"
        unless = "" if gold else ", unless gold has no such mention"
        warnings.append(f"{said} {_come(len(repeated))} again: left out{unless}")
    groups = [at for at, mentions in enumerate(found) for _ in mentions]
    return Labels.of(
        code_texts([*chain.from_iterable(mentions.values() for mentions in found)]),
        items=[*chain.from_iterable(found)],
        groups=np.array(groups, dtype=np.int64),
        group_names=[document.name for document in documents],
        source=file.name,
        warnings=tuple(warnings),
        mentions=True,
        repeated=repeated,
    )


def _come(number: int) -> str:
    return "comes" if number == 1 else "come"


def count_again(gold: Labels, system: Labels) -> Labels:
    """The system's mentions with those that come again and that gold lacks, each once more.

    They make entities larger, as in the reference scorer, which removes only repeated mentions
    that it finds in the key.
    """
    places, names = gold.groups, gold.group_names or ()
    if places is None or gold.items is None or system.groups is None:
        return system
    groups = map(names.__getitem__, places.tolist())
    known = {*zip(groups, gold.items, strict=True)}
    own = system.group_names or ()
    again = [one for one in system.repeated if (own[one[0]], one[1]) not in known]
    if not again:
        return system
    labels = [system.label(code) for code in system.codes.tolist()]
    coded = code_texts([*labels, *(label for _, _, label in again)])
    said = f"{plural(len(again), 'mention')} of {system.source} that gold lacks"
    return replace(
        system,
        **coded._asdict(),
        items=[
            *(system.items or ()),
            *(f"{item} again {n}" for n, (_, item, _) in enumerate(again)),
        ],
        groups=np.append(system.groups, [group for group, _, _ in again]),
        warnings=(*system.warnings, f"{said} {_come(len(again))} again: counted again"),
        repeated=(),
    )
