"""The `paths` file of Brown clusterings: a string of bits for each word."""

from __future__ import annotations

from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target, number, one_line, ways, write_lines


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a line for each word: bits, tab, word, tab, count; ordered by bits, then by count.

    The bits lead from the root to the word's place: one for each split into two; as many as tell
    the parts apart for a split into more.
    """
    one_line(map(str, thesaurus.words), "a Brown paths file")
    write_lines(target, _lines(thesaurus))


def codes(thesaurus: Thesaurus) -> dict[int, str]:
    """The bits that lead to each class; none begins with those of a class beside it."""
    found = {0: ""}
    for *_, node in ways(thesaurus):
        children = thesaurus.tree.children(node)
        width = (len(children) - 1).bit_length()
        for place, child in enumerate(children):
            found[child] = found[node] + (f"{place:0{width}b}" if width else "")
    return found


def _lines(thesaurus: Thesaurus) -> Iterator[str]:
    bits = codes(thesaurus)
    rows = zip(
        (bits[int(place)] for place in thesaurus.places),
        (-float(total) for total in thesaurus.counts.word_totals),
        map(str, thesaurus.words),
        strict=True,
    )
    for path, negative, word in sorted(rows):
        yield f"{path}\t{word}\t{number(-negative)}\n"
