"""Table 1: attachment by words, by learnt thesauri and by WordNet, each used alone."""

from __future__ import annotations

from roget.learn.attachment.chain import MDL, MLE, WORDNET, WORDS
from roget.papers.mdl import attachment
from roget.papers.mdl.attachment import BASE, PRINTED, compare_printed, compare_ways
from roget.papers.mdl.rules import TABLE_1 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Reproduced, uses_options

WAYS = (BASE, WORDS, MDL, MLE, WORDNET)

ORDERS = (
    ("coverage", "coverage", MDL, WORDS),
    ("coverage", "coverage", WORDNET, MDL),
    ("drop", "accuracy", WORDS, MDL),
    ("wordnet", "accuracy", MDL, WORDNET),
    ("mle", "accuracy", MDL, MLE),
    ("baseline", "accuracy", MDL, BASE),
    ("baseline", "accuracy", WORDNET, BASE),
)
"""Comparisons reported in the paper, as tuples (rule, column, better method, worse method)."""


@uses_options("random_state")
def table_1(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 1 of Li & Abe (1996): attachment by words, by learnt thesauri, by WordNet."""
    found = attachment.measure(options)
    claims = []
    for rule, column, more, less in ORDERS:
        at = column == "accuracy"
        published = f"{PRINTED[more][at]:.1f} > {PRINTED[less][at]:.1f}"
        claims += compare_ways(RULES[rule], found, column, more, less, published)
    claims += compare_printed(RULES["value"], found, WAYS)
    title = "Attachment by words, thesauri and WordNet (Li & Abe 1996, Table 1)"
    return attachment.show(title, found, WAYS, claims)
