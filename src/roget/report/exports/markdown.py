"""A booklet in Markdown: contents, each class with its words and contexts, an index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, FullEntry, Options, Target, write_lines
from roget.report.exports.booklet import Booklet, booklet, percent, share

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~$!:@^=])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BIDI = ("R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI")


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write the booklet in Markdown."""
    write_lines(target, _lines(booklet(thesaurus, options)))


def escaped(text: str) -> str:
    """A text in one line that Markdown shows as it is, and that leaves its neighbours alone.

    >>> print(escaped("*a* <b>"))
    \\*a\\* \\<b\\>
    """
    plain = _SPECIAL.sub(r"\\\1", _SPACE.sub(" ", text)).replace("www.", r"www\.")
    if any(unicodedata.bidirectional(character) in _BIDI for character in text):
        # First strong isolate … pop: what is inside cannot turn what is outside around.
        return f"\u2068{plain}\u2069"
    return plain


def _lines(book: Booklet) -> Iterator[str]:
    yield f"# {escaped(book.title)}\n\n{escaped(book.summary)}\n\n## Contents\n\n"
    for one in book.entries:
        indent = "  " * (len(one.path) - 1)
        yield f"{indent}- {_link(one)}\n"
    yield "\n## Classes\n"
    for one in book.entries:
        yield from _class(one, book)
    yield "\n## Index\n\n"
    for word, places in book.index:
        listed = ", ".join(f"[{node}](#class-{node})" for node in places)
        yield f"- {escaped(word)} {listed}\n"


def _class(one: FullEntry, book: Booklet) -> Iterator[str]:
    yield f'\n### <a id="class-{one.node}"></a>{one.node} · {escaped(one.label)}\n\n'
    above = " › ".join(_link(book.by_node[node]) for node in one.path[:-1])
    words = f"{one.size:,} word{'s' * (one.size != 1)}"
    yield f"{above + ' · ' if above else ''}{words}, {percent(one.mass)} of the {book.whole}\n"
    if one.children:
        parts = "; ".join(_link(book.by_node[child]) for child in one.children)
        yield f"\n**Parts:** {parts}\n"
    here = [_word(m.word, m.probability) for m in one.members if m.placed]
    also = [_word(m.word, m.probability) for m in one.members if not m.placed]
    for title, listed in (("Words", here), ("Also", also)):
        if listed:
            yield f"\n**{title}:** {', '.join(listed)}\n"
    if one.contexts:
        contexts = ", ".join(escaped(context.context) for context in one.contexts)
        yield f"\n**Contexts:** {contexts}\n"


def _word(word: str, probability: float) -> str:
    said = share(probability)
    return escaped(word) + (f" ({said})" if said else "")


def _link(one: FullEntry) -> str:
    return f"[{one.node} · {escaped(one.label)}](#class-{one.node})"
