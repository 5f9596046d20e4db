"""Table 2: attachment by a learnt thesaurus and WordNet combined, and by the whole chain."""

from __future__ import annotations

from roget.learn.attachment.chain import MDL
from roget.papers.mdl import attachment
from roget.papers.mdl.attachment import (
    BASE,
    BOTH,
    CHAIN,
    LA,
    MDL_LA,
    WORDNET_LA,
    Measured,
    compare_printed,
    compare_ways,
)
from roget.papers.mdl.rules import TABLE_2 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Reproduced, uses_options

WAYS = (BASE, BOTH, LA, MDL_LA, WORDNET_LA, CHAIN)


@uses_options("random_state")
def table_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 2 of Li & Abe (1996): attachment by the whole chain of methods."""
    found = attachment.measure(options)
    reason = _explain(found)
    claims = [
        *compare_ways(
            RULES["improves"], found, "accuracy", CHAIN, WORDNET_LA, "85.5 > 84.3", reason
        ),
        *compare_ways(RULES["association"], found, "accuracy", MDL_LA, LA, "improves", reason),
        *compare_ways(RULES["combination"], found, "accuracy", CHAIN, MDL_LA, "best", reason),
        *compare_printed(RULES["value"], found, (BOTH, CHAIN)),
    ]
    note = (
        "84.3 is the accuracy of WordNet → association → noun in Li & Abe (1995). `roget attach "
        "train --model chain` multiplies smoothed cuts by association, and `--model best` uses "
        "classes as features of a kernel machine; both are more accurate."
    )
    title = "Attachment by the whole chain (Li & Abe 1996, Table 2)"
    return attachment.show(title, found, WAYS, claims, [note])


def _explain(found: Measured) -> str:
    """Compare the thesaurus with association on the quadruples that the thesaurus decides."""
    first = found.ways[MDL]
    right = (first.decided * found.ways[LA].right).sum() / first.decided.sum()
    return (
        "on the quadruples that the thesaurus decides, it is right in "
        f"{100 * found.value(MDL, 'accuracy'):.1f} % of cases, and association in "
        f"{100 * right:.1f} %"
    )
