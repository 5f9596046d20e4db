"""A booklet as one page that needs nothing else: no script, no network, no other file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources

import jinja2
from markupsafe import Markup

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target, write_lines
from roget.report.exports.booklet import booklet, percent, share


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write the booklet as a page that a browser opens from disk."""
    write_lines(target, _pieces(thesaurus, options))


def _pieces(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = percent
    environment.filters["share"] = share
    template = environment.from_string(_asset("booklet.html"))
    book = booklet(thesaurus, options)
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
