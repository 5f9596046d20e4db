"""A booklet for readers, in Markdown or as one page: contents, classes, an index of words."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Target, entries, exporter, new_bytes
from roget.report.format import plural
from roget.report.options import ReportOptions
from roget.report.render.html import asset, environment
from roget.report.thesaurus import sizes

if TYPE_CHECKING:
    from jinja2 import Environment

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that print pages, the first that is found."""

PATIENCE = 300.0
"""Seconds that printing may take."""

_SPECIAL = re.compile(r"([\\`*_\[\]<>&#|~$!:@^=])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BIDI = ("R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI")


@exporter
def write_markdown(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write the booklet in Markdown."""
    plain = environment().overlay(autoescape=False)
    plain.filters["quote"] = quote_markdown
    return _fill(plain, "booklet.md", thesaurus, options)


@exporter
def write_html(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write the booklet as a page that a browser opens from disk."""
    return _fill(environment(), "booklet.html", thesaurus, options)


def write_pdf(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write the booklet as PDF, printed by a Chromium or Chrome that is installed."""
    with new_bytes(target, "PDF") as draft, tempfile.TemporaryDirectory(prefix="roget.") as folder:
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            raise InputError(
                "a PDF is printed by Chromium or Chrome, and none is found: export as .html, open "
                "it in a browser and print it there"
            )
        page, printed = Path(folder) / "booklet.html", Path(folder) / "booklet.pdf"
        write_html(thesaurus, page, options)
        _print(browser, page, printed)
        shutil.copyfile(printed, draft)


def _print(browser: str, page: Path, printed: Path) -> None:
    command = [
        browser, "--headless", "--disable-gpu", "--no-pdf-header-footer",
        f"--user-data-dir={page.parent / 'profile'}", f"--print-to-pdf={printed}", page.as_uri(),
    ]  # fmt: skip
    if getattr(os, "geteuid", lambda: 1)() == 0:
        command.insert(1, "--no-sandbox")  # which Chromium demands of root
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{browser} could not print the booklet: {error}") from None
    if done.returncode or not printed.is_file():
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise InputError(f"{browser} could not print the booklet: {' '.join(said)}")


def _fill(
    made: Environment, name: str, thesaurus: Thesaurus, options: ReportOptions
) -> Iterator[str]:
    """The pieces of a booklet."""
    listed = list(entries(thesaurus))
    found: dict[str, list[tuple[bool, float, int]]] = {}
    for one in listed:
        for member in one.members:
            place = (not member.placed, -member.probability, one.node)
            found.setdefault(member.word, []).append(place)
    # Each word, in the order of the alphabet, with its classes, its place first.
    index = [
        (word, [node for *_, node in sorted(found[word])])
        for word in sorted(found, key=lambda word: (word.casefold(), word))
    ]
    letters: dict[str, list[tuple[str, list[int]]]] = {}
    for word, nodes in index:
        first = word[:1].upper()[:1]
        letters.setdefault(first if first.isalpha() else "#", []).append((word, nodes))
    # An imported thesaurus has no counts of its own: its contexts are classes again.
    imported = thesaurus.is_imported
    classes = plural(thesaurus.tree.n_clusters, "class")
    made.filters |= {"percent": percent, "share": share, "css": quote_css}
    stream = made.from_string(asset("roget.report.exports", f"page/{name}")).stream(
        title=options.called,
        language=options.language,
        summary=f"{len(thesaurus):,} words in {classes}" if imported else sizes(thesaurus),
        whole="words" if imported else "text",  # what the share of a class is a share of
        entries=listed,
        by_node={one.node: one for one in listed},
        index=index,
        letters=letters,
        style=asset("roget.report.exports", "page/booklet.css"),
    )
    stream.enable_buffering(64)
    return stream


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


def quote_css(text: str) -> str:
    """A text in a string of a style sheet, whatever it holds.

    >>> quote_css("a<b")
    'a\\\\3c b'
    """
    plain = _SPACE.sub(" ", text)
    return "".join(one if one.isalnum() or one == " " else f"\\{ord(one):x} " for one in plain)


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
