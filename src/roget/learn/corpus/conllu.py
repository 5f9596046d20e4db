"""CoNLL-U, the format of Universal Dependencies: ten columns divided by tabs, a line per word.

Comments, multiword ranges (1-2) and empty nodes (8.1) are passed over. A lemma "_" gives way to
the form; where that is "_" too, the token has no word. Texts are folded by `str.lower` and not
otherwise normalised. Broken lines are collected, and raised once at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from roget.core.io.problems import plural
from roget.core.io.source import PIECE, Source, TextBlock
from roget.errors import MAX_PROBLEMS, FormatError
from roget.learn.corpus import conllu_kernel as kernel
from roget.learn.corpus.base import NONE, ReadContext, Strings, Tables, Tokens, Written
from roget.learn.corpus.conllu_kernel import Bytes, Places

FORM, LEMMA, UPOS, HEAD, DEPREL = 1, 2, 3, 6, 7
"""Columns, counted from 0."""


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """CoNLL-U: parsed text, in batches; broken lines are raised together at the end."""
    fold = str if reading.keep_case else str.lower
    words = _Column([FORM] if reading.form else [LEMMA, FORM], tables.words, fold)
    forms = _Column([FORM], tables.words, fold) if reading.both else None
    upos, deprels = _Column([UPOS], tables.upos), _Column([DEPREL], tables.deprels)
    problems: list[tuple[str, str]] = []
    tabs = 0
    for block in source.blocks(reach=PIECE):
        lines = _Lines(block)
        tabs += lines.tabs
        for kind, begin, number in sorted(lines.broken, key=lambda one: one[1]):
            what = _describe(kind, number, lines.columns(begin))
            problems.append((source.place(lines.line(begin)), what))
        if len(problems) >= MAX_PROBLEMS:
            break
        if lines.tokens and not problems:
            columns = words(lines), upos(lines), lines.heads, deprels(lines)
            written = lines.write() if reading.texts else None
            form = None if forms is None else forms(lines)
            yield Tokens(lines.starts, *columns, form, written)
    if problems and not tabs:
        what = "no tab, here or after: expected CoNLL-U, ten columns divided by tabs"
        problems = [(problems[0][0], what)]
    if problems:
        texts = [f"{place}: {what}" for place, what in problems[:MAX_PROBLEMS]]
        raise FormatError(source.name, texts, more=len(texts) == MAX_PROBLEMS)


class _Lines:
    """A block's tokens: where their columns are, their heads, and which lines are broken."""

    def __init__(self, block: TextBlock) -> None:
        # The kernel ends a sentence at a blank line only.
        self.before = block.line
        self.raw = block.data if block.data.endswith((b"\n\n", b"\n\r\n")) else block.data + b"\n\n"
        self.data: Bytes = np.frombuffer(self.raw, np.uint8)
        marks = np.empty(len(self.data) + 1, np.int32)
        self.marks: Places = marks[: kernel.mark(self.data, marks)]
        # A sound line has ten marks, and reading ends when there are enough that are not.
        most = len(self.marks) // 10 + MAX_PROBLEMS
        starts = np.zeros(most + 1, np.int64)
        lines, tabs, heads = (np.empty(most, np.int32) for _ in range(3))
        counts, problems = np.zeros(4, np.int64), np.empty((MAX_PROBLEMS, 3), np.int64)
        kernel.rows(self.data, self.marks, starts, lines, tabs, heads, counts, problems)
        self.tokens = int(counts[kernel.TOKENS])
        self.tabs = int(counts[kernel.TABS])
        self.starts = starts[: counts[kernel.SENTENCES] + 1].copy()
        self.heads = heads[: self.tokens].copy()
        self.first_tab: Places = tabs[: self.tokens]
        self.broken = problems[: counts[kernel.PROBLEMS]].tolist()
        self.broken += islice(self._not_utf8(), MAX_PROBLEMS)

    def _not_utf8(self) -> Iterator[list[int]]:
        at = kernel.not_utf8(self.data, 0)
        while at < len(self.data):
            yield [kernel.UTF8, self.raw.rfind(b"\n", 0, at) + 1, self.raw[at]]
            at = kernel.not_utf8(self.data, self.raw.find(b"\n", at))

    def write(self) -> Written:
        """The sentences as they are written, and their lines."""
        # A form is a part of the data, and what is between forms stands for tabs.
        out, sentences = np.empty(len(self.data), np.uint8), len(self.starts) - 1
        ends, lines = np.zeros(sentences + 1, np.int64), np.empty(sentences, np.int64)
        kernel.write(self.data, self.marks, self.first_tab, self.starts, out, ends, lines)
        return Written(out[: ends[-1]].copy(), ends, lines + self.before)

    def line(self, begin: int) -> int:
        """The number of the line that begins here, counted from 1."""
        return self.before + self.raw.count(b"\n", 0, begin) + 1

    def columns(self, begin: int) -> list[str]:
        """The columns of the line that begins here."""
        end = self.raw.find(b"\n", begin)
        return self.raw[begin:end].decode(errors="replace").rstrip("\r").split("\t")


class _Column:
    """Turns a column's bytes into ids; each distinct string is decoded and looked up once."""

    def __init__(
        self, columns: Sequence[int], strings: Strings, fold: Callable[[str], str] = str
    ) -> None:
        self._columns, self._strings, self._fold = columns, strings, fold
        slots, ends = np.full(1 << 10, NONE, np.int64), np.zeros((1 << 9) + 1, np.int64)
        self._pool = kernel.Pool(slots, ends, np.empty(1 << 12, np.uint8), np.zeros(1, np.int64))
        # The last place is that of the number NONE.
        self._ids = np.array([NONE], np.int32)

    def __call__(self, lines: _Lines) -> Places:
        """The ids of a block's tokens."""
        numbers = np.full(lines.tokens, NONE, np.int32)
        table = lines.data, lines.marks, lines.first_tab
        for column in self._columns:
            at = kernel.intern(*table, column, 0, numbers, self._pool)
            while at < lines.tokens:
                self._grow()
                at = kernel.intern(*table, column, at, numbers, self._pool)
        self._look_up_new()
        return self._ids[numbers]

    def _grow(self) -> None:
        old, ends, text, known = self._pool
        slots = np.full(2 * len(old), NONE, np.int64)
        kernel.move(old, slots)
        ends = np.concatenate([ends, np.zeros(len(ends) - 1, np.int64)])
        text = np.concatenate([text, np.empty(len(text), np.uint8)])
        self._pool = kernel.Pool(slots, ends, text, known)

    def _look_up_new(self) -> None:
        before, now = self._pool.ends[[len(self._ids) - 1, self._pool.known[0]]]
        if before < now:
            # All at once: no string has an end of line in it, and lower-casing stops at one.
            text = self._fold(self._pool.text[before : now - 1].tobytes().decode())
            new = [*map(self._strings.id, text.split("\n")), NONE]
            self._ids = np.concatenate([self._ids[:-1], np.array(new, np.int32)])


def _describe(kind: int, number: int, columns: Sequence[str]) -> str:
    """What is wrong with a line, the bad value, and what was expected."""
    if kind == kernel.COLUMNS:
        return f"{plural(number, 'column')}, expected 10 divided by tabs"
    if kind == kernel.NO_ID:
        return f"id {columns[0]!r}: expected a number, a range (1-2) or an empty node (8.1)"
    if kind == kernel.ORDER:
        hint = " (is a blank line missing before it?)" if columns[0] == "1" else ""
        return f"id {columns[0]}, expected {number}: ids count from 1 in each sentence{hint}"
    if kind == kernel.NO_HEAD:
        return f"head {columns[HEAD]!r}: expected a number or _"
    if kind == kernel.RANGE:
        return f"head {columns[HEAD]}: the sentence has {plural(number, 'token')}"
    return f"byte 0x{number:02X} is not UTF-8: if the text is Latin-1, say --encoding latin-1"
