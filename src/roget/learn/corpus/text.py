"""Reader for plain text, which is split by Unicode's rules (UAX #29), without a model.

The rules leave some choices open. Here hyphens and underscores inside a word are part of it
(co-operate, covid-19), except a hyphen between two numbers. In Han, Hiragana, Thai and similar
scripts, every character is a word unless a segmenter is used. Punctuation, symbols and emoji are
not words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import regex

from roget import catalogue
from roget.core.io.source import Source, TextBlock
from roget.errors import MAX_PROBLEMS, FormatError, Notice
from roget.learn.corpus import token_offsets
from roget.learn.corpus.base import Ids, ReadContext, Strings, Tables, Tokens, Written

BATCH = 1 << 19
"""Size of a batch in bytes, about 100,000 words."""

_BREAK = -2
"""Id that marks the end of a sentence in a sequence of word ids."""

_WORD = (
    r"{base}{more}*+(?:[-'.,·_](?:(?<={letter}['.·])(?={letter})|(?<={digit}[.,'])(?={digit})"
    r"|(?<={letter}-)(?={base})|(?<={digit}-)(?={letter})|(?<={more}_)(?={base})){more}++)*+"
    r"{others}|\n"
)
ELISIONS = {
    "fr": "c d j l m n s t qu jusqu lorsqu puisqu quoiqu",
    "it": "c d l m s t v un all anch bell coll com cos dall degl dell dov nell quell quest sull",
    "ca": "d l m n s t",
}
"""Words that lose their last vowel before another word, by language. They are split off at the
apostrophe, unlike in English, where the apostrophe is part of the word (o'clock)."""

_PLAIN = _WORD.format(base=r"[^\W_]", more=r"[^\W_]", letter=r"[^\W\d_]", digit=r"\d", others="")
_PLAIN_WORD = re.compile(_PLAIN)
_SPLIT_WORD = {
    code: re.compile(rf"(?i:{'|'.join(elided.split())})'(?=[^\W\d_])|{_PLAIN}")
    for code, elided in ELISIONS.items()
}
_MARK = r"\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}"
_LETTER = r"\p{WB=ALetter}\p{WB=Hebrew_Letter}"
_ANY_WORD = regex.compile(
    _WORD.format(
        base=rf"[{_LETTER}\p{{WB=Numeric}}]",
        more=rf"[{_LETTER}\p{{WB=Numeric}}{_MARK}]",
        letter=rf"[{_LETTER}{_MARK}]",
        digit=rf"[\p{{WB=Numeric}}{_MARK}]",
        others=rf"|\p{{WB=Katakana}}[\p{{WB=Katakana}}{_MARK}]*|\p{{Alphabetic}}[{_MARK}]*",
    )
)
_NOT_PLAIN = re.compile(
    "[^\\x00-\\xb1\\xb4-\\xb7\\xba\\xbb\\xbf-\u02af\u0370-\u0482\u048a-\u052f\u1e00-\u1fff"
    "\u2010-\u2027\u2030-\u203a\u20a0-\u20bf\u2122]"
)
r"""Pattern for scripts other than Latin, Greek and Cyrillic.

In text without them, \w agrees with Unicode's rules, so the faster `re` module can be used.
"""

_SPELLINGS = {"’": "'", "\u2010": "-", "\u2011": "-", "\xad": ""}
"""Replacements for typographic characters inside words."""

PARAGRAPH = re.compile(r"\n\s*\n|[\f\u2029]")
_END = r"(?:[.!?…{stops}]+[\"'{closers}]*[^\S\u2029]+{wide})(?=\S)"
_PLAIN_END = re.compile(_END.format(stops="", closers=r")\]}”’»›", wide=""))
_ANY_END = regex.compile(
    _END.format(
        stops=r"\p{SB=STerm}",
        closers=r"\p{Pe}\p{Pf}",
        wide=r"|[。！？｡]+[\p{Pe}\p{Pf}]*[^\S\u2029]*",
    )
)
_OPENERS = "\"'([{“‘«‹„¿¡"

_TITLES = {
    *("mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "rev", "gen", "col", "capt", "lt", "sgt"),
    *("gov", "sen", "rep", "hon", "messrs", "mme", "mlle", "mt", "ft", "vs", "cf", "bzw"),
}
"""Abbreviations that do not end a sentence."""
_NUMBERED = {
    *("no", "nos", "nr", "fig", "figs", "eq", "vol", "vols", "pp", "p", "ch", "sec", "art", "jan"),
    *("feb", "mar", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec"),
}
"""Abbreviations that do not end a sentence if they are followed by a number."""


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Read plain text, and split it into sentences and words by Unicode's rules.

    Only window contexts can be counted in such text.
    """
    ids = Numbers(tables.words)
    ids["\n"] = _BREAK
    find, place = _choose_finders(reading)
    for line, text in passages(source):
        divided = sentences(text, reading.lines)
        batch = ids.look_up(find(divided))
        ends = batch == _BREAK
        word = batch[~ends]
        if word.size:
            # A sentence ends where the next one starts. np.unique drops empty sentences.
            places = np.flatnonzero(ends) - np.arange(ends.sum())
            starts = np.unique(np.concatenate([[0], places, [word.size]]))
            written = _write(text, divided, line, place(divided)) if reading.texts else None
            yield Tokens(starts, word, written=written)


def _write(text: str, divided: str, line: int, words: list[tuple[int, int]]) -> Written:
    """Return the sentences that contain words, with token marks, and their line numbers."""
    spans = np.array(words, np.int64).reshape(-1, 2)
    ends = np.array([found.start() for found in re.finditer("\n", divided)], np.int64)
    worded = np.unique(np.searchsorted(ends, spans[:, 0]))
    marked = token_offsets.mark(divided, spans[:, 0], spans[:, 1])
    lines = token_offsets.find_lines(text, divided, line + 1)
    return token_offsets.join([marked[one] for one in worded.tolist()], lines[worded])


def _choose_finders(
    reading: ReadContext,
) -> tuple[Callable[[str], list[str]], Callable[[str], list[tuple[int, int]]]]:
    """Return a function that finds the words of a text, and one that finds their offsets."""
    plain = partial(words, keep_case=reading.keep_case, elisions=reading.elisions)
    find = partial(find_words, elisions=reading.elisions)
    if reading.segment is None:
        return plain, find
    from roget.learn.corpus.segmenting import cut, place

    segment = catalogue.load("segmenters", reading.segment)(reading.lexicon)
    return (lambda text: cut(text, plain, segment)), lambda text: place(text, find, segment)


class Numbers(dict[str, int]):
    """A dictionary from strings to ids for bulk lookup. A new string gets the next id."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, text: str) -> int:
        found = self[text] = self._strings.id(text)
        return found

    def look_up(self, texts: Sequence[str]) -> Ids:
        """Return the ids of the strings in a list."""
        return np.fromiter(map(self.__getitem__, texts), np.int32, len(texts))


def passages(source: Source) -> Iterator[tuple[int, str]]:
    """Yield parts of a few paragraphs from a source, each with the number of preceding lines.

    Line ends are normalised to newlines.
    """
    for block in source.blocks(BATCH):
        try:
            text = block.data.decode()
        except UnicodeDecodeError:
            raise _make_encoding_error(source, block) from None
        even = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        yield block.line, even


def sentences(text: str, lines: bool = False) -> str:
    """Return the text with one sentence per line.

    >>> sentences("Mr. Hu came.  He left the\\nU.S. in 3.5 days... I think.")
    'Mr. Hu came.\\nHe left the U.S. in 3.5 days...\\nI think.'
    """
    if lines:
        return text
    end = _ANY_END if _NOT_PLAIN.search(text) else _PLAIN_END
    parts, begin = [], 0
    text = PARAGRAPH.sub("\u2029", text).replace("\n", " ")
    for match in end.finditer(text):
        stop = match.end()
        if _is_end(text, match.start(), stop):
            parts.append(text[begin:stop].rstrip())
            begin = stop
    parts.append(text[begin:])
    return "\n".join(parts).replace("\u2029", "\n")


def _is_end(text: str, start: int, stop: int) -> bool:
    """Return True if a full stop ends a sentence.

    A full stop before a lower-case letter or in an abbreviation does not.
    """
    after = text[stop]
    while after in _OPENERS and stop + 1 < len(text):
        stop += 1
        after = text[stop]
    if after.islower():
        return False
    if text[start] != "." or text[start + 1] == ".":
        return True
    near = max(0, start - 16)
    word = text[max(near, text.rfind(" ", near, start) + 1) : start].lstrip(_OPENERS)
    if len(word) > 8:
        return True
    initials = word.split(".")
    if max(map(len, initials)) == 1 and word != "I" and initials[-1].isalpha():
        return len(initials) == 1 and not word.isupper()
    known = word.lower()
    return not (known in _TITLES or (known in _NUMBERED and after.isdecimal()))


def words(text: str, keep_case: bool = False, elisions: str | None = None) -> list[str]:
    """Return the words and line ends of a text, in order.

    >>> words("Can’t 3.14 CO-OPERATE\\nU.S. covers 1990-95 :-)")
    ["can't", '3.14', 'co-operate', '\\n', 'u.s', 'covers', '1990', '95']

    >>> words("Aujourd’hui, l’homme dit qu’il vient.", elisions="fr")
    ["aujourd'hui", "l'", 'homme', 'dit', "qu'", 'il', 'vient']
    """
    text = _fold(text, keep_case)
    found: list[str] = _find_pattern(text, elisions).findall(text)
    return found


def find_words(text: str, elisions: str | None = None) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the words that `words` returns."""
    # Keep the case, because lower-casing can change the length of the text and does not affect word
    # boundaries.
    folded = _fold(text, True)
    found = _find_pattern(folded, elisions).finditer(folded)
    spans = [one.span() for one in found if one[0] != "\n"]
    if len(folded) == len(text):
        return spans
    # Folding drops soft hyphens. Map offsets in the folded text back to the original text.
    places = [at for at, sign in enumerate(text) if _SPELLINGS.get(sign) != ""]
    return [(places[begin], places[end - 1] + 1) for begin, end in spans]


def _fold(text: str, keep_case: bool) -> str:
    """Return the text in lower case (unless `keep_case`), with plain apostrophes and hyphens."""
    if not keep_case:
        text = text.lower()
    if not text.isascii():
        for sign, plain in _SPELLINGS.items():
            text = text.replace(sign, plain)
    return text


def _find_pattern(text: str, elisions: str | None) -> Any:
    """Return the regular expression that matches the words of a text."""
    if elisions is not None:
        return _SPLIT_WORD[elisions]
    return _ANY_WORD if _NOT_PLAIN.search(text) else _PLAIN_WORD


def _make_encoding_error(source: Source, block: TextBlock) -> FormatError:
    """Return an error that lists the lines of a block that are not valid UTF-8."""
    problems = []
    for number, line in enumerate(block.data.split(b"\n"), block.line + 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            name = "utf-16" if line[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
            hint = f"if the text is {name.upper()}, pass --encoding {name}"
            problem = f"byte 0x{line[error.start]:02X} is not UTF-8; {hint}"
            problems.append(Notice(f"{source.place(number)}: {problem}", code="not-text"))
    return FormatError(source.name, problems[:MAX_PROBLEMS], more=True)
