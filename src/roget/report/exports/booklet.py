"""What a booklet holds, in whatever format: classes in order, and an index of words."""

from __future__ import annotations

from dataclasses import dataclass

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import FullEntry, Options, full_entries
from roget.report.thesaurus import sizes


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


def booklet(thesaurus: Thesaurus, options: Options) -> Booklet:
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
