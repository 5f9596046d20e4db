"""The thesaurus as a booklet (Markdown, HTML or PDF) with table of contents and word index."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.quality import UNSORTED, format_trust
from roget.report.exports.base import (
    PLAIN,
    ExportEntry,
    Target,
    describe_left_out,
    entries,
    exporter,
    is_mere_root,
    list_other_uses,
    new_bytes,
)
from roget.report.format import plural
from roget.report.options import ReportOptions
from roget.report.render.html import asset, environment

if TYPE_CHECKING:
    from jinja2 import Environment

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Browsers that can print PDF files. The first one that is installed is used."""

DEEPEST = 4
"""Maximum number of levels at which class numbers have a part for each level, as in 3.2.1."""

TIMEOUT = 300.0
"""Time limit for printing a PDF, in seconds."""

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
    """Write the booklet as one self-contained HTML page."""
    return _fill(environment(), "booklet.html", thesaurus, options)


def write_pdf(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write the booklet as PDF, printed by an installed Chromium or Chrome."""
    with new_bytes(target, "PDF") as draft, tempfile.TemporaryDirectory(prefix="roget.") as folder:
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            raise InputError(
                "PDF export requires Chromium or Chrome, and neither is installed; export as "
                ".html and print the page in a browser",
                code="missing-extra",
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
        command.insert(1, "--no-sandbox")  # Chromium does not run as root without this option.
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(
            f"{browser} failed to print the booklet: {error}", code="not-writable"
        ) from None
    if done.returncode or not printed.is_file():
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise InputError(
            f"{browser} failed to print the booklet: {' '.join(last)}", code="not-writable"
        )


def _fill(
    made: Environment, name: str, thesaurus: Thesaurus, options: ReportOptions
) -> Iterator[str]:
    """Yield the text of a booklet piece by piece, rendered from a template."""
    listed = list(entries(thesaurus, options.left_out, by_trust=True))
    if is_mere_root(listed[0]):
        listed = listed[1:]
    numbers = number_entries(listed)
    uses = list_other_uses(thesaurus, options.left_out)
    found: dict[str, list[tuple[bool, float, int]]] = {}
    for one in listed:
        for member in one.members:
            place = (not member.placed, -member.probability, one.node)
            found.setdefault(member.word, []).append(place)
            for node in uses.get(member.row, ()) if member.placed else ():
                found[member.word].append((True, 0.0, node))
    # Make an index of all words in alphabetical order, each with its classes, the main class first.
    index = [
        (word, list(dict.fromkeys(node for *_, node in sorted(found[word]))))
        for word in sorted(found, key=lambda word: (word.casefold(), word))
    ]
    letters: dict[str, list[tuple[str, list[int]]]] = {}
    for word, nodes in index:
        first = word[:1].upper()[:1]
        letters.setdefault(first if first.isalpha() else "#", []).append((word, nodes))
    classes = plural(thesaurus.tree.n_clusters, "class")
    made.globals["UNSORTED"] = UNSORTED
    made.filters |= {"trusted": format_trust, "share": share, "css": quote_css}
    summary = f"{len(thesaurus):,} words in {classes}"
    if left_out := describe_left_out(thesaurus, options.left_out):
        summary += f"; {left_out}"
    stream = made.from_string(asset("roget.report.exports", f"page/{name}")).stream(
        title=options.called,
        language=options.language,
        summary=summary,
        numbers=numbers,
        entries=listed,
        by_node={one.node: one for one in listed},
        index=index,
        letters=letters,
        style=asset("roget.report.exports", "page/booklet.css"),
    )
    stream.enable_buffering(64)
    return stream


def share(probability: float) -> str:
    """Format the probability of a class given a word, or return "" if it rounds to 1.

    >>> share(0.62), share(0.999)
    ('.62', '')
    """
    return "" if probability >= 0.995 else f"{probability:.2f}".removeprefix("0")


def number_entries(listed: Sequence[ExportEntry]) -> dict[int, str]:
    """Return the printed numbers of classes, which increase from page to page.

    Subclasses of class 3 are 3.1, 3.2 and so on. In deep trees, all classes are numbered 1, 2, 3 …
    """
    printed = {one.node for one in listed}
    ways = [[node for node in one.path if node in printed] for one in listed]
    if max(map(len, ways)) > DEEPEST:
        return {one.node: str(at) for at, one in enumerate(listed, 1)}
    numbers: dict[int, str] = {}
    last: dict[int | None, int] = {}
    for one, way in zip(listed, ways, strict=True):
        above = way[-2] if len(way) > 1 else None
        last[above] = last.get(above, 0) + 1
        numbers[one.node] = (f"{numbers[above]}." if above is not None else "") + str(last[above])
    return numbers


def quote_css(text: str) -> str:
    """Escape a string for CSS.

    >>> quote_css("a<b")
    'a\\\\3c b'
    """
    plain = _SPACE.sub(" ", text)
    return "".join(one if one.isalnum() or one == " " else f"\\{ord(one):x} " for one in plain)


def quote_markdown(text: str) -> str:
    """Escape a string for Markdown and put it on one line.

    >>> print(quote_markdown("*a* <b>"))
    \\*a\\* \\<b\\>
    """
    plain = _SPECIAL.sub(r"\\\1", _SPACE.sub(" ", text)).replace("www.", r"www\.")
    if any(unicodedata.bidirectional(character) in _BIDI for character in text):
        # Isolate the string (FSI … PDI), so that it cannot reverse the direction of the surrounding
        # text.
        return f"\u2068{plain}\u2069"
    return plain
