"""Verb–object counts, from which the paper learns clusters of nouns."""

from __future__ import annotations

from roget.core.counts import Counts
from roget.data import sample
from roget.learn.load import open_counts
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import MissingData, find_data

FREQUENT = 1000
"""Number of nouns, as in the paper."""


def verb_object(options: ReproduceOptions) -> tuple[Counts, str, int]:
    """Return verb–object counts of nouns, their source, and the minimum frequency of a noun."""
    if options.counts is not None:
        return open_counts(options.counts)[0], f"from {options.counts}", 5
    try:
        path = find_data(options, "the BNC's pairs", "bnc-verb-noun", "verb_object.tsv")
    except MissingData:
        source = "from the bundled sample (AMALGUM), which is small, so the result is approximate"
        return sample("verb_object"), source, 5
    source = "from the British National Corpus (pairs with at least 5 occurrences)"
    return Counts.read(path, columns=(2, 1, 3)), source, 30


def bundled(options: ReproduceOptions) -> tuple[Counts, str]:
    """Return the counts passed by the user, or else bundled counts, and their source.

    The British National Corpus is not used here, because its pairs with fewer than 5 occurrences
    were removed. Without rare pairs, the test curve has no minimum.
    """
    table, _ = open_counts(options.counts or "verb_object")
    return table, options.counts or "the bundled sample (AMALGUM)"
