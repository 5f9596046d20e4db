"""Table 2: attachment by a learnt thesaurus and WordNet combined, and by the whole chain."""

from __future__ import annotations

from roget.learn.attachment.chain import MDL, WORDNET
from roget.papers.mdl import attachment
from roget.papers.mdl.attachment import BASE, BOTH, CHAIN, order
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Reproduced, heeds

WAYS = (BASE, MDL, WORDNET, BOTH, CHAIN)


@heeds("random_state")
def table_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 2 of Li & Abe (1996): attachment by the whole chain of methods."""
    found = attachment.measure(options)
    claims = [
        *([order(found, "coverage", (MDL, WORDNET, BOTH, CHAIN))] if found.wordnet else []),
        order(found, "accuracy", (BASE, CHAIN)),
        *attachment.printed_beside(found, (BOTH, CHAIN)),
    ]
    note = (
        "`roget attach train --model chain` combines smoothed cuts with association and is more "
        "accurate; `--model best` is more accurate still."
    )
    title = "Attachment by the whole chain (Li & Abe 1996, Table 2)"
    return attachment.show(title, found, WAYS, claims, [note])
