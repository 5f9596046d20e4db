"""Nouns as objects of verbs: what the paper's clusters are learnt from."""

from __future__ import annotations

from roget.core.counts import Counts
from roget.data import sample
from roget.learn.load import open_counts
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import MissingData, find_data

FREQUENT = 1000
"""Nouns, as in the paper."""


def verb_object(options: ReproduceOptions) -> tuple[Counts, str, int]:
    """Nouns as objects of verbs, where they are from, and how often a noun should be seen."""
    if options.counts is not None:
        return open_counts(options.counts)[0], f"from {options.counts}", 5
    try:
        path = find_data(options, "the BNC's pairs", "bnc-verb-noun", "verb_object.tsv")
    except MissingData:
        source = "from the bundled sample (AMALGUM), which is small: see the nouns as a sketch"
        return sample("verb_object"), source, 5
    source = "from the British National Corpus (pairs seen fewer than 5 times are not in it)"
    return Counts.read(path, columns=(2, 1, 3)), source, 30


def bundled(options: ReproduceOptions) -> tuple[Counts, str]:
    """The user's counts, or the bundled ones, and where they are from.

    Not the British National Corpus, whose pairs seen fewer than 5 times were cut: without rare
    pairs no test set has a minimum.
    """
    table, _ = open_counts(options.counts or "verb_object")
    return table, options.counts or "the bundled sample (AMALGUM)"
