"""Table 1: attachment by words, by learnt thesauri and by WordNet, each used alone."""

from __future__ import annotations

from roget.learn.attachment.chain import MDL, MLE, WORDNET, WORDS
from roget.papers.mdl import attachment
from roget.papers.mdl.attachment import BASE, PATTERNS, Measured, order
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, heeds

WAYS = (BASE, WORDS, MDL, MLE, WORDNET)


@heeds("random_state")
def table_1(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 1 of Li & Abe (1996): attachment by words, by learnt thesauri, by WordNet."""
    found = attachment.measure(options)
    claims = [
        order(found, "coverage", (WORDS, MDL, WORDNET, BASE)),
        order(found, "coverage", (WORDS, MLE, WORDNET)),
        order(found, "accuracy", (MDL, WORDS)),
        _more_right_than_mle(found),
        *([order(found, "accuracy", (BASE, WORDNET, MDL))] if found.wordnet else []),
        *attachment.printed_beside(found, WAYS),
    ]
    title = "Attachment by words, thesauri and WordNet (Li & Abe 1996, Table 1)"
    return attachment.show(title, found, WAYS, claims)


def _more_right_than_mle(found: Measured) -> Claim:
    """Check that MDL is more accurate than MLE, which the paper concludes from a small test set."""
    mdl, mle = found.rows[MDL], found.rows[MLE]
    decided = round(PATTERNS * attachment.PRINTED[MDL][0] / 100)
    return Claim(
        "accuracy: MLE < MDL",
        "89.7 < 93.0",
        f"{mle.accuracy:.1f}, {mdl.accuracy:.1f}",
        holds=mle.accuracy < mdl.accuracy,
        remark=f"our intervals overlap, and the paper's value rests on {decided} decisions"
        if mle.high > mdl.low
        else "",
        excused=mle.accuracy >= mdl.accuracy and mle.low < mdl.high,
    )
