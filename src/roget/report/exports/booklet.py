"""A booklet for readers, in Markdown or as one page: contents, classes, an index of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, FullEntry, Options, Target, full_entries, write_lines
from roget.report.thesaurus import sizes

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~$!:@^=])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BIDI = ("R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI")


@dataclass(frozen=True)
class Booklet:
    """A thesaurus for readers."""

    title: str
    summary: str
    whole: str
    """What the share of a class is a share of."""
    entries: tuple[FullEntry, ...]
    by_node: dict[int, FullEntry]
    index: tuple[tuple[str, tuple[int, ...]], ...]
    """Each word, in the order of the alphabet, with its classes, its place first."""


def make_booklet(thesaurus: Thesaurus, options: Options) -> Booklet:
    """The content of a booklet."""
    listed = tuple(full_entries(thesaurus))
    found: dict[str, list[tuple[bool, float, int]]] = {}
    for one in listed:
        for member in one.members:
            place = (not member.placed, -member.probability, one.node)
            found.setdefault(member.word, []).append(place)
    index = tuple(
        (word, tuple(node for *_, node in sorted(found[word])))
        for word in sorted(found, key=lambda word: (word.casefold(), word))
    )
    by_node = {one.node: one for one in listed}
    # An imported thesaurus has no counts of its own: its contexts are classes again.
    imported = "imported" in thesaurus.provenance
    if imported:
        words, classes = len(thesaurus), thesaurus.tree.n_clusters
        summary = f"{words:,} words in {classes:,} class{'es' * (classes != 1)}"
    else:
        summary = sizes(thesaurus)
    whole = "words" if imported else "text"
    return Booklet(options.title, summary, whole, listed, by_node, index)


def share(probability: float) -> str:
    """How much of a word belongs to a class, where that is not all of it.

    >>> share(0.62), share(0.999)
    ('.62', '')
    """
    return "" if probability >= 0.995 else f"{probability:.2f}".removeprefix("0")


def percent(mass: float) -> str:
    """A share of the text; small ones keep a digit.

    >>> percent(0.12), percent(0.0012)
    ('12 %', '0.12 %')
    """
    return f"{100 * mass:.2g} %" if mass < 0.995 else "100 %"


def write_markdown(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write the booklet in Markdown."""
    write_lines(target, _markdown_lines(make_booklet(thesaurus, options)))


def quote_markdown(text: str) -> str:
    """A text in one line that Markdown shows as it is, and that leaves its neighbours alone.

    >>> print(quote_markdown("*a* <b>"))
    \\*a\\* \\<b\\>
    """
    plain = _SPECIAL.sub(r"\\\1", _SPACE.sub(" ", text)).replace("www.", r"www\.")
    if any(unicodedata.bidirectional(character) in _BIDI for character in text):
        # First strong isolate … pop: what is inside cannot turn what is outside around.
        return f"\u2068{plain}\u2069"
    return plain


def _markdown_lines(book: Booklet) -> Iterator[str]:
    yield f"# {quote_markdown(book.title)}\n\n{quote_markdown(book.summary)}\n\n## Contents\n\n"
    for one in book.entries:
        indent = "  " * (len(one.path) - 1)
        yield f"{indent}- {_link(one)}\n"
    yield "\n## Classes\n"
    for one in book.entries:
        yield from _class(one, book)
    yield "\n## Index\n\n"
    for word, places in book.index:
        listed = ", ".join(f"[{node}](#class-{node})" for node in places)
        yield f"- {quote_markdown(word)} {listed}\n"


def _class(one: FullEntry, book: Booklet) -> Iterator[str]:
    yield f'\n### <a id="class-{one.node}"></a>{one.node} · {quote_markdown(one.label)}\n\n'
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
        contexts = ", ".join(quote_markdown(context.context) for context in one.contexts)
        yield f"\n**Contexts:** {contexts}\n"


def _word(word: str, probability: float) -> str:
    said = share(probability)
    return quote_markdown(word) + (f" ({said})" if said else "")


def _link(one: FullEntry) -> str:
    return f"[{one.node} · {quote_markdown(one.label)}](#class-{one.node})"


def write_html(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write the booklet as a page that a browser opens from disk."""
    write_lines(target, _html_pieces(thesaurus, options))


def _html_pieces(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = percent
    environment.filters["share"] = share
    template = environment.from_string(_asset("booklet.html"))
    book = make_booklet(thesaurus, options)
    letters: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for word, nodes in book.index:
        letters.setdefault(_initial(word), []).append((word, nodes))
    stream = template.stream(
        book=book,
        letters=letters,
        language=options.language,
        style=Markup(_asset("booklet.css")),  # ours, and in no need of escapes
    )
    stream.enable_buffering(64)
    yield from stream


def _initial(word: str) -> str:
    """The letter under which the index has a word."""
    first = word[:1].upper()
    return first[:1] if first[:1].isalpha() else "#"


def _asset(name: str) -> str:
    folder = resources.files("roget.report.exports") / "page"
    return (folder / name).read_text(encoding="utf-8")
