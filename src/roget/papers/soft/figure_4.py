"""Figure 4: wrong decisions between two verbs against the number of clusters."""

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
    """Figure 4 of Pereira, Tishby & Lee (1993): verb decisions against the number of clusters"""
    table, source = bundled(options)
    found = decide(
        table, [MODEL], top=FREQUENT, draws=DRAWS, clusters=SIZES, random_state=options.random_state
    )
    every, exceptional = zip(*(row.means() for row in found.rows), strict=True)
    curves = {"all": every, "exceptional": exceptional}
    about = (
        f"{found.words:,} nouns by {found.contexts:,} verbs, from {source}; {DRAWS} draws. All "
        f"tokens of {found.pairs} pairs of a noun and a fairly frequent verb are deleted, and Σ "
        "p(c|n) p(v|c) decides whether the noun rather takes that verb or another one of that "
        "frequency; what is right is what the whole table has more of. Pairs were seen three times "
        "or more, and the band of frequent verbs is the paper's share of all tokens, as its 500 "
        f"to 5000 occurrences would be too many here. {found.triples:,.0f} triples, of which "
        f"{found.exceptional:,.0f} are exceptional: how often the verbs are seen at all says the "
        "opposite. Beside means ± is half a 95 % interval over draws."
    )
    shown, sheet = tabulate_means(SIZES, curves)
    data = [
        {"n_clusters": size, "all": row.every, "exceptional": row.exceptional}
        for size, row in zip(SIZES, found.rows, strict=True)
    ]
    return Reproduced(
        "Wrong decisions between two verbs (Pereira, Tishby & Lee 1993, Figure 4)",
        about=about,
        claims=_claims(found.rows, options),
        tables=[shown],
        data=data,
        sheet=sheet,
        picture=lambda: draw_curves(SIZES, curves, "share of wrong decisions", top=1.05),
    )


def _claims(rows: Sequence[Decided], options: ReproduceOptions) -> list[Claim]:
    """What the curves do, in the mean over draws; where there are doubts, in each of them."""
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
            remark="what is deleted changes how often verbs are seen, a little",
        ),
        Claim(
            "all: overtraining of the largest models",
            "some",
            f"least at {SIZES[best]} clusters, {every[best].mean():.3f}; then up to "
            f"{every[-1].mean():.3f}",
            holds=inside,
            excused=given,
            remark="in every draw" if inside else "",
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
