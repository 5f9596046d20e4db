"""Figure 4: error rate of decisions between two verbs, by number of clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roget.learn.evaluation.decision import Decided, decide
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, heeds
from roget.papers.soft.counts import FREQUENT, bundled
from roget.papers.soft.draws import DRAWS, SIZES, draw_curves, tabulate_means

MODEL = "soft"


@heeds("counts", "random_state")
def figure_4(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 4 of Pereira, Tishby & Lee (1993): verb decisions by number of clusters."""
    table, source = bundled(options)
    found = decide(
        table, [MODEL], top=FREQUENT, draws=DRAWS, clusters=SIZES, random_state=options.random_state
    )
    every, exceptional = zip(*(row.means() for row in found.rows), strict=True)
    curves = {"all": every, "exceptional": exceptional}
    about = (
        f"{found.words:,} nouns by {found.contexts:,} verbs, from {source}; {DRAWS} samples. All "
        f"tokens of {found.pairs} pairs of a noun and a fairly frequent verb are deleted, and Σ "
        "p(c|n) p(v|c) decides between that verb and another verb of similar frequency; the "
        "correct verb is the one with more tokens in the full table. Pairs have at least three "
        "occurrences, and the frequency band of verbs has the paper's share of all tokens, since "
        f"its 500 to 5000 occurrences are too many here. {found.triples:,.0f} triples, of which "
        f"{found.exceptional:,.0f} are exceptional: the correct verb is the less frequent one. ± "
        "is half the width of a 95 % interval over samples."
    )
    shown, sheet = tabulate_means(SIZES, curves)
    data = [
        {"n_clusters": size, "all": row.every, "exceptional": row.exceptional}
        for size, row in zip(SIZES, found.rows, strict=True)
    ]
    return Reproduced(
        "Decisions between two verbs (Pereira, Tishby & Lee 1993, Figure 4)",
        about=about,
        claims=_claims(found.rows, options),
        tables=[shown],
        data=data,
        sheet=sheet,
        picture=lambda: draw_curves(SIZES, curves, "error rate", top=1.05),
    )


def _claims(rows: Sequence[Decided], options: ReproduceOptions) -> list[Claim]:
    """Check the paper's statements about the curves, either on average or in every sample."""
    every = np.array([row.every for row in rows])
    odd = np.array([row.exceptional for row in rows])
    given = options.counts is not None
    best, lowest = int(every.mean(axis=1).argmin()), int(odd.mean(axis=1).argmin())
    inside = bool(((every[0] > every[best]) & (every[-1] > every[best])).all())
    last = len(rows) - 1
    return [
        Claim(
            "exceptional, one cluster",
            "always wrong",
            f"{odd[0].mean():.3f} wrong",
            holds=bool((odd[0] > 0.95).all()),
            excused=given,
            remark="deleting pairs changes the frequencies of verbs slightly",
        ),
        Claim(
            "all: overtraining of the largest models",
            "some",
            f"lowest at {SIZES[best]} clusters, {every[best].mean():.3f}; then up to "
            f"{every[-1].mean():.3f}",
            holds=inside,
            excused=given,
            remark="in every sample" if inside else "",
        ),
        Claim(
            "exceptional: clusters help",
            "from 1 down",
            f"from {odd[0].mean():.3f} down to {odd[lowest].mean():.3f}",
            holds=bool((odd[lowest] < odd[0] / 2).all()),
            excused=given,
        ),
        Claim(
            "exceptional: overtraining",
            "none",
            "none" if lowest == last else f"from {SIZES[lowest]} clusters on",
            excused=True,
            remark="the sample has a tenth of the paper's tokens",
        ),
    ]
