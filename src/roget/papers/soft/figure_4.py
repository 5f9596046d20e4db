"""Figure 4: error rate of decisions between two verbs, by number of clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roget.learn.evaluation.decision import Decided
from roget.learn.evaluation.decision import decide as decide_verbs
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import Verdict, decide_mean, decide_seeds
from roget.papers.soft.counts import FREQUENT, verb_object
from roget.papers.soft.draws import SIZES, draw_curves, tabulate_means
from roget.papers.soft.rules import FIGURE_4 as RULES

MODEL = "soft"
DRAWS = 4
"""Number of samples of deleted pairs."""


@uses_options("counts", "random_state")
def figure_4(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 4 of Pereira, Tishby & Lee (1993): verb decisions by number of clusters."""
    table, source, _ = verb_object(options)
    found = decide_verbs(
        table, [MODEL], top=FREQUENT, draws=DRAWS, clusters=SIZES, random_state=options.random_state
    )
    every, exceptional = zip(*(row.means() for row in found.rows), strict=True)
    curves = {"all": every, "exceptional": exceptional}
    about = (
        f"{found.words:,} nouns by {found.contexts:,} verbs, {source}; {DRAWS} samples. All "
        f"tokens of {found.pairs} pairs of a noun and a fairly frequent verb are deleted, and Σ "
        "p(c|n) p(v|c) decides between that verb and another verb of similar frequency; the "
        "correct verb is the one with more tokens in the full table. Pairs have at least three "
        "occurrences, and the frequency band of verbs has the share of all tokens that 500 to 5000 "
        f"occurrences have in the paper. {found.triples:,.0f} triples, of which "
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
        claims=judge(found.rows),
        tables=[shown],
        data=data,
        sheet=sheet,
        picture=lambda: draw_curves(SIZES, curves, "error rate", top=1.05),
    )


def judge(rows: Sequence[Decided]) -> list[Claim]:
    """Test the paper's statements about the two curves."""
    every = np.array([row.every for row in rows])
    odd = np.array([row.exceptional for row in rows])
    best, lowest = int(every.mean(axis=1).argmin()), int(odd.mean(axis=1).argmin())
    last = len(rows) - 1
    rise = odd[-1] - odd[lowest]
    # "yes" if the mean is lowest for the most clusters, "differs" if it increases significantly.
    risen = Verdict.UNCLEAR if decide_mean(rise.tolist()) != Verdict.YES else Verdict.NO
    turn = f"lowest at {SIZES[lowest]} clusters, {odd[lowest].mean():.3f}"
    return [
        Claim(
            RULES["one"], "exceptional, one cluster", "consistently wrong",
            f"error {odd[0].mean():.3f}", decided=decide_seeds((odd[0] >= 0.99).tolist()),
            reason="deleting the pairs changes the frequencies of their verbs",
        ),
        Claim(
            RULES["all"], "all triples", "some overtraining",
            f"lowest at {SIZES[best]} clusters, {every[best].mean():.3f}; {every[-1].mean():.3f} "
            f"at {SIZES[-1]}",
            decided=decide_mean((every[-1] - every[best]).tolist()),
            reason="the error does not increase for the largest models" if best == last else "",
        ),
        Claim(
            RULES["falls"], "exceptional, by clusters", "fewer errors than by frequency",
            f"error {odd[0].mean():.3f}, then {odd[-1].mean():.3f}",
            decided=decide_mean((odd[0] - odd[-1]).tolist()),
        ),
        Claim(
            RULES["exceptional"], "exceptional, large models", "no overtraining",
            turn if lowest == last else f"{turn}; {odd[-1].mean():.3f} at {SIZES[-1]}",
            decided=Verdict.YES if lowest == last else risen,
            reason="the largest models also overtrain on these pairs",
        ),
    ]  # fmt: skip
