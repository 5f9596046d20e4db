"""Readers based on spaCy, for plain text parsed by a pipeline and for documents in a DocBin.

Labels are converted to Universal Dependencies. In ClearNLP labels (spaCy's English pipelines), dobj
becomes obj. A pobj becomes the obl or nmod of the head of its preposition, and the preposition
becomes its case. TIGER labels (spaCy's German pipelines) are converted by the module `tiger`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np

from roget.catalogue import name_extra
from roget.core.counts import marks
from roget.core.io import limits
from roget.core.io.source import Source
from roget.errors import InputError
from roget.learn.corpus import text, tiger, token_offsets
from roget.learn.corpus.base import NONE, Ids, ReadContext, Tables, Tokens, Written

BATCH = 1 << 15
"""Minimum number of tokens in a batch."""

LONGEST = 100_000
"""Maximum number of characters in a paragraph. Longer paragraphs are split at a space to save
memory."""

Where: TypeAlias = tuple[int, str, int]
"""The location of a document in its source.

The fields are the number of lines before its paragraph, the text of the paragraph, and the number
of visible characters in earlier documents from the same paragraph.
"""

_UNUSED = ("ner", "entity_ruler", "entity_linker", "textcat", "textcat_multilabel", "spancat")

_UNIVERSAL = {
    "ROOT": "root", "dobj": "obj", "dative": "iobj", "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass", "auxpass": "aux:pass", "agent": "case", "prep": "case",
    "poss": "nmod:poss", "prt": "compound:prt", "relcl": "acl:relcl",
}  # fmt: skip
"""Mapping from ClearNLP labels to Universal Dependencies labels."""
_PREPOSITIONS = ("prep", "agent", "dative")
_REQUIRED = {"DEP": "dependency labels", "HEAD": "heads", "POS": "parts of speech"}
"""Annotations that a document must have, with their names in error messages."""
_INNER, _ENDS = re.compile(r"\s"), marks.SPACE + marks.GLUE


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Read plain text, and parse it with the spaCy pipeline `reading.model`."""
    if reading.model is None:
        raise InputError(
            "no spaCy pipeline specified; pass the name or folder of a pipeline with --model",
            code="missing-option",
        )
    nlp = load(reading.model)

    def describe(missing: str) -> str:
        return (
            f"the spaCy pipeline {reading.model} produces no {missing}; a parser and a tagger or "
            "morphologizer are required, but its components are: "
            f"{', '.join(nlp.pipe_names) or 'none'}"
        )

    paragraphs = (
        one
        for line, part in text.passages(source)
        for one in _split_paragraphs(part, line, reading.lines)
    )
    yield from _collect_batches(nlp.pipe(paragraphs, as_tuples=True), tables, reading, describe)


def read_docbin(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Read parsed documents saved by spaCy as a DocBin (.spacy). No pipeline is needed."""
    spacy = _import_spacy()
    # The file is binary, so the encoding option is ignored.
    whole = replace(source, encoding="utf-8", expansion=limits.IN_MEMORY)
    data = b"".join(block.data for block in whole.blocks())
    source.read += whole.read
    limits.check_inflated(source.name, data)

    def describe(missing: str) -> str:
        return f"{source.name}: a document has no {missing}; save it after the parser has run"

    try:
        docs = spacy.tokens.DocBin().from_bytes(data).get_docs(spacy.vocab.Vocab())
        yield from _collect_batches(((doc, None) for doc in docs), tables, reading, describe)
    except (InputError, MemoryError):
        raise
    except Exception:  # spaCy does not validate its input, so damaged files raise various errors.
        raise InputError(
            f"{source.name}: not a spaCy DocBin (.spacy) file, or the file is damaged",
            code="broken-archive",
        ) from None


@cache
def load(name: str) -> Any:
    """Load a pipeline by name or folder, without the components that are not needed."""
    spacy = _import_spacy()
    try:
        return spacy.load(name, exclude=_UNUSED)
    except OSError as error:
        raise InputError(
            f"cannot load the spaCy pipeline {name!r}: it must be an installed package (python -m "
            f"spacy download {name}) or a folder ({error})",
            code="missing-extra",
        ) from None


def get_language(name: str) -> str | None:
    """Return the language of a pipeline, or None if it is unknown or multilingual (xx)."""
    try:
        code = str(_import_spacy().info(name, silent=True).get("lang", ""))
    except (OSError, ValueError, SystemExit):
        return None  # `load` will raise the error.
    return code if code not in ("", "xx") else None


def _import_spacy() -> Any:
    """Import spaCy. If it is missing, the error names the extra to install."""
    with name_extra():
        import spacy
        import spacy.tokens
        import spacy.vocab
    return spacy


def _split_paragraphs(part: str, line: int, lines: bool) -> Iterator[tuple[str, Where]]:
    """Yield the documents in a part of a text, with their origins. `line` lines precede the part.

    Runs of white space are replaced by one space, because spaCy would turn them into tokens.
    """
    begin = 0
    ends = (one.span() for one in re.finditer("\n" if lines else text.PARAGRAPH, part))
    for stop, after in [*ends, (len(part), len(part))]:
        paragraph, done = part[begin:stop], 0
        even = " ".join(paragraph.split())
        while len(even) > LONGEST:
            cut = even.rfind(" ", 0, LONGEST) + 1 or LONGEST
            yield even[:cut].strip(), (line, paragraph, done)
            done += len("".join(even[:cut].split()))
            even = even[cut:]
        if even:
            yield even, (line, paragraph, done)
        line += part.count("\n", begin, after)
        begin = after


def _collect_batches(
    docs: Iterable[tuple[Any, Where | None]],
    tables: Tables,
    reading: ReadContext,
    describe: Callable[[str], str],
) -> Iterator[Tokens]:
    columns: _Columns | None = None
    for doc, where in docs:
        if not len(doc):
            continue
        missing = [name for key, name in _REQUIRED.items() if not doc.has_annotation(key)]
        if missing:
            raise InputError(describe(" and no ".join(missing)), code="not-parsed")
        if columns is None:
            columns = _Columns(doc.vocab.strings, tables, reading)
        columns.add(doc, where)
        if columns.size >= BATCH:
            yield columns.take()
    if columns is not None and columns.size:
        yield columns.take()


class _Columns:
    """Buffer that collects documents and converts them to the columns of a batch."""

    def __init__(self, strings: Any, tables: Tables, reading: ReadContext) -> None:
        from spacy.attrs import DEP, HEAD, LEMMA, ORTH, POS, SENT_START, SPACY, TAG

        self._attributes = [ORTH, LEMMA, POS, DEP, HEAD, SENT_START, SPACY, TAG]
        self._reading = reading

        def word(number: int) -> int:
            text = strings[number]
            return tables.words.id(text if reading.keep_case else text.lower())

        def upos(number: int) -> int:
            return tables.upos.id(strings[number]) if number else NONE

        def is_text(number: int) -> int:
            return not strings[number].isspace()

        self._word, self._upos, self._is_text = cache(word), cache(upos), cache(is_text)
        self._label = cache(strings.__getitem__)
        self._upos_texts = tables.upos.texts
        self._deprels = text.Numbers(tables.deprels)
        self._docs: list[Any] = []
        self._where: list[Where | None] = []
        self.size = 0

    def add(self, doc: Any, where: Where | None) -> None:
        self._docs.append(doc.to_array(self._attributes))
        self._where.append(where)
        self.size += len(doc)

    def take(self) -> Tokens:
        """Return the documents added since the last call as a batch, without white-space tokens."""
        rows = np.concatenate(self._docs)
        begins = np.cumsum([0, *map(len, self._docs[:-1])])
        places, self._docs, self._where, self.size = self._where, [], [], 0
        orth, lemma, pos, dep, head, sent_start, space, tag = rows.T
        kept = _map_each(self._is_text, orth) == 1
        begin = np.zeros(len(rows), np.bool_) if self._reading.lines else sent_start == 1
        begin[begins] = True
        sentence = np.cumsum(begin)[kept]
        starts = np.append(np.flatnonzero(np.diff(sentence, prepend=0)), sentence.size)
        # spaCy stores a head as a signed distance, which is 0 for a root.
        distance = head.astype(np.int64)
        above = np.arange(len(rows)) + distance
        place = np.where(kept, np.cumsum(kept) - 1, NONE)
        heads = np.where(distance == 0, NONE, place[above])[kept].astype(np.int32)
        numbers = orth if self._reading.form else np.where(lemma == 0, orth, lemma)
        upos = _map_each(self._upos, pos[kept])
        labels = list(map(self._label, dep[kept].tolist()))
        tags = ["" if i == NONE else self._upos_texts[i] for i in upos.tolist()]
        known = set(labels)
        if "pobj" in known:
            _reverse_prepositions(labels, heads, tags)
        elif tiger.is_tiger(known):
            lemmas = [self._label(one).lower() for one in numbers[kept].tolist()]
            xpos = list(map(self._label, tag[kept].tolist()))
            tokens = tiger.Sentences(labels, heads.tolist(), tags, lemmas, xpos)
            tiger.make_universal(tokens)
            heads = np.array(tokens.heads, np.int32)
        deprels = self._deprels.look_up([_UNIVERSAL.get(label, label) for label in labels])
        forms = _map_each(self._word, orth[kept]) if self._reading.both else None
        found = Tokens(starts, _map_each(self._word, numbers[kept]), upos, heads, deprels, forms)
        if self._reading.texts:
            document = np.searchsorted(begins, np.flatnonzero(kept)[starts[:-1]], side="right") - 1
            words = list(map(self._label, orth[kept].tolist()))
            found.written = _write(starts, words, space[kept] == 1, document, places)
        return found


def _write(
    starts: Any, words: list[str], spaces: Any, document: Any, places: list[Where | None]
) -> Written:
    """Return the sentences of documents with token marks, and their line numbers if known."""
    ends = [marks.SPACE if one else marks.GLUE for one in spaces.tolist()]
    units = [_INNER.sub(marks.INNER, word) for word in words]
    bounds = starts.tolist()
    marked = [
        "".join(chain.from_iterable(zip(units[a:b], ends[a:b], strict=True))).rstrip(_ENDS).encode()
        for a, b in pairwise(bounds)
    ]
    lines = np.zeros(len(marked), np.int64)
    for number in np.unique(document).tolist():
        inside = np.flatnonzero(document == number)
        where = places[number]
        if where is not None:
            texts = ["".join(words[bounds[one] : bounds[one + 1]]) for one in inside.tolist()]
            before, paragraph, done = where
            lines[inside] = token_offsets.find_lines(paragraph, "\n".join(texts), before + 1, done)
    return token_offsets.join(marked, lines)


def _map_each(look_up: Callable[[int], int], numbers: Any) -> Ids:
    return np.fromiter(map(look_up, numbers.tolist()), np.int32, len(numbers))


def _reverse_prepositions(labels: list[str], heads: Ids, upos: list[str]) -> None:
    """Attach each noun to the head of its preposition, and the preposition to the noun."""
    for noun in [i for i, label in enumerate(labels) if label == "pobj"]:
        chain, above = [], int(heads[noun])
        while above != NONE and labels[above] in _PREPOSITIONS:
            chain.append(above)
            above = int(heads[above])
        if not chain:
            continue
        labels[noun] = tiger.label_phrase(upos, above, labels[chain[-1]] == "agent")
        heads[noun] = above
        for preposition in chain:
            heads[preposition], labels[preposition] = noun, "case"
