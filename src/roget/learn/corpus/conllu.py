"""Reader for CoNLL-U, the format of Universal Dependencies, with ten columns per word.

Comments, multiword ranges (1-2) and empty nodes (8.1) are skipped. If the lemma is "_", the form
is used. If both are "_", the token has no word. Words are lower-cased with `str.lower` and not
normalised otherwise. Invalid lines are collected and raised as one error at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from roget.core.io.problems import plural
from roget.core.io.source import PIECE, Source, TextBlock
from roget.errors import MAX_PROBLEMS, FormatError, Notice
from roget.learn.corpus import conllu_kernel as kernel
from roget.learn.corpus.base import NONE, ReadContext, Strings, Tables, Tokens, Written
from roget.learn.corpus.conllu_kernel import Bytes, Places

FORM, LEMMA, UPOS, HEAD, DEPREL = 1, 2, 3, 6, 7
"""Zero-based indices of the CoNLL-U columns that the reader uses."""


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Read parsed text in CoNLL-U format, in batches.

    All invalid lines are reported in one error.
    """
    fold = str if reading.keep_case else str.lower
    words = _Column([FORM] if reading.form else [LEMMA, FORM], tables.words, fold)
    forms = _Column([FORM], tables.words, fold) if reading.both else None
    upos, deprels = _Column([UPOS], tables.upos), _Column([DEPREL], tables.deprels)
    problems: list[tuple[str, Notice]] = []
    tabs = 0
    for block in source.blocks(reach=PIECE):
        lines = _Lines(block)
        tabs += lines.tabs
        for kind, begin, number in sorted(lines.broken, key=lambda one: one[1]):
            problem = _describe(kind, number, lines.columns(begin))
            problems.append((source.place(lines.line(begin)), problem))
        if len(problems) >= MAX_PROBLEMS:
            break
        # After the first invalid line, check the rest of the source, but yield no more batches.
        if lines.tokens and not problems:
            columns = words(lines), upos(lines), lines.heads, deprels(lines)
            written = lines.write() if reading.texts else None
            form = None if forms is None else forms(lines)
            yield Tokens(lines.starts, *columns, form, written)
    if problems and not tabs:
        text = "no tabs from this line on; CoNLL-U requires ten tab-separated columns"
        problems = [(problems[0][0], Notice(text, code="broken-lines"))]
    if problems:
        texts = [problem.prefix(place) for place, problem in problems[:MAX_PROBLEMS]]
        raise FormatError(source.name, texts, more=len(texts) == MAX_PROBLEMS)


class _Lines:
    """The tokens of a block of text, with their column offsets and heads, and the invalid lines."""

    def __init__(self, block: TextBlock) -> None:
        self.before = block.line
        # The kernel needs a blank line after every sentence.
        self.raw = block.data if block.data.endswith((b"\n\n", b"\n\r\n")) else block.data + b"\n\n"
        self.data: Bytes = np.frombuffer(self.raw, np.uint8)
        marks = np.empty(len(self.data) + 1, np.int32)
        self.marks: Places = marks[: kernel.mark(self.data, marks)]
        # A valid line has ten marks (nine tabs and a line end). Reading stops after MAX_PROBLEMS
        # invalid lines.
        most = len(self.marks) // 10 + MAX_PROBLEMS
        table = kernel.TokenTable(
            starts=np.zeros(most + 1, np.int64),
            lines=np.empty(most, np.int32),
            tabs=np.empty(most, np.int32),
            heads=np.empty(most, np.int32),
            counts=np.zeros(4, np.int64),
            problems=np.empty((MAX_PROBLEMS, 3), np.int64),
        )
        kernel.find_tokens(self.data, self.marks, table)
        self.tokens = int(table.counts[kernel.TOKENS])
        self.tabs = int(table.counts[kernel.TABS])
        self.starts = table.starts[: table.counts[kernel.SENTENCES] + 1].copy()
        self.heads = table.heads[: self.tokens].copy()
        self.first_tab: Places = table.tabs[: self.tokens]
        self.broken = table.problems[: table.counts[kernel.PROBLEMS]].tolist()
        self.broken += islice(self._find_invalid_utf8(), MAX_PROBLEMS)

    def _find_invalid_utf8(self) -> Iterator[list[int]]:
        """Yield one problem per line with invalid bytes."""
        at = kernel.find_invalid_utf8(self.data, 0)
        while at < len(self.data):
            yield [kernel.UTF8, self.raw.rfind(b"\n", 0, at) + 1, self.raw[at]]
            at = kernel.find_invalid_utf8(self.data, self.raw.find(b"\n", at))

    def write(self) -> Written:
        """Return the original text of the sentences, with their line numbers."""
        # The text is never longer than the data: it consists of the forms, each with one separator.
        out, sentences = np.empty(len(self.data), np.uint8), len(self.starts) - 1
        ends, lines = np.zeros(sentences + 1, np.int64), np.empty(sentences, np.int64)
        kernel.write_sentences(self.data, self.marks, self.first_tab, self.starts, out, ends, lines)
        return Written(out[: ends[-1]].copy(), ends, lines + self.before)

    def line(self, begin: int) -> int:
        """Return the number (counted from 1) of the line at the given offset."""
        return self.before + self.raw.count(b"\n", 0, begin) + 1

    def columns(self, begin: int) -> list[str]:
        """Return the columns of the line at the given offset."""
        end = self.raw.find(b"\n", begin)
        return self.raw[begin:end].decode(errors="replace").rstrip("\r").split("\t")


class _Column:
    """Map the strings of a column from bytes to ids.

    Each distinct string is decoded and looked up only once.
    """

    def __init__(
        self, columns: Sequence[int], strings: Strings, fold: Callable[[str], str] = str
    ) -> None:
        self._columns, self._strings, self._fold = columns, strings, fold
        slots, ends = np.full(1 << 10, NONE, np.int64), np.zeros((1 << 9) + 1, np.int64)
        self._pool = kernel.Pool(slots, ends, np.empty(1 << 12, np.uint8), np.zeros(1, np.int64))
        # ids[k] is the id of string k in the pool. The last element is the id for NONE (-1).
        self._ids = np.array([NONE], np.int32)

    def __call__(self, lines: _Lines) -> Places:
        """Return the ids of the strings in this column, one per token."""
        numbers = np.full(lines.tokens, NONE, np.int32)
        table = lines.data, lines.marks, lines.first_tab
        # Use later columns to fill gaps in earlier ones, e.g. the form if there is no lemma.
        for column in self._columns:
            at = kernel.intern(*table, column, 0, numbers, self._pool)
            while at < lines.tokens:
                self._grow()
                at = kernel.intern(*table, column, at, numbers, self._pool)
        self._look_up_new()
        return self._ids[numbers]

    def _grow(self) -> None:
        """Double the capacity of the string pool."""
        old, ends, text, known = self._pool
        slots = np.full(2 * len(old), NONE, np.int64)
        kernel.rehash(old, slots)
        ends = np.concatenate([ends, np.zeros(len(ends) - 1, np.int64)])
        text = np.concatenate([text, np.empty(len(text), np.uint8)])
        self._pool = kernel.Pool(slots, ends, text, known)

    def _look_up_new(self) -> None:
        """Assign ids to the new strings of the pool."""
        before, now = self._pool.ends[[len(self._ids) - 1, self._pool.known[0]]]
        if before < now:
            # Decode and lower-case all new strings in one call. This is safe because no string
            # contains a line end, and lower-casing (final sigma) never looks beyond a line.
            text = self._fold(self._pool.text[before : now - 1].tobytes().decode())
            new = [*map(self._strings.id, text.split("\n")), NONE]
            self._ids = np.concatenate([self._ids[:-1], np.array(new, np.int32)])


def _describe(kind: int, number: int, columns: Sequence[str]) -> Notice:
    """Return an error message for an invalid line, with the invalid value and the expected ones."""
    if kind == kernel.COLUMNS:
        text = f"{plural(number, 'column')}; CoNLL-U requires 10, separated by tabs"
    elif kind == kernel.NO_ID:
        text = f"id {columns[0]!r} is not a number, a range (1-2) or an empty node (8.1)"
    elif kind == kernel.ORDER:
        hint = " (is a blank line missing before it?)" if columns[0] == "1" else ""
        text = f"id {columns[0]} should be {number}: ids are numbered from 1 in each sentence{hint}"
    elif kind == kernel.NO_HEAD:
        text = f"head {columns[HEAD]!r} is not a number or _"
    elif kind == kernel.RANGE:
        text = f"head {columns[HEAD]} is outside the sentence, which has {plural(number, 'token')}"
    else:
        text = f"byte 0x{number:02X} is not UTF-8; for Latin-1 text, pass --encoding latin-1"
        return Notice(text, code="not-text")
    return Notice(text, code="broken-lines")
