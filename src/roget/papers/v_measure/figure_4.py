"""Figure 4: clusterings of documents."""

from __future__ import annotations

from statistics import fmean

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.data import sample
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, uses_options
from roget.papers.rules import decide_mean
from roget.papers.v_measure.documents import (
    count_stems,
    find_top_terms,
    name_classes,
    read_texts,
    split_words,
    weigh_terms,
)
from roget.papers.v_measure.rules import FIGURE_4 as RULES
from roget.papers.v_measure.sweep import (
    Scores,
    claim_growth,
    claim_peak,
    claim_sum,
    correlate,
    list_ks,
    show,
    sweep_kmeans,
)

PEAK = 35
"""Number of clusters at which V and Q2 are highest in the paper."""

TERMS = 484
"""Number of top terms in the paper."""


def open_documents(options: ReproduceOptions) -> tuple[Counts, str, str]:
    """Return the document–stem matrix, its source, and the name of its classes, e.g. "topics"."""
    try:
        path = find_data(options, "2,225 news texts of the BBC", "bbc-news", "bbc.tsv")
    except MissingData:
        return sample("documents"), "the bundled sample (AMALGUM)", "genres"
    texts = {name: split_words(text) for name, text in read_texts(path).items()}
    return count_stems(texts), "the BBC's news", "topics"


SHARES = (
    "22.3", "14.4", "12.9", "8.75", "7.4", "6.7", "6.5", "6.4", "5.3", "4.7", "3.2", "1.4",
)  # fmt: skip
"""Percentages of documents per topic, as printed."""


@uses_options("random_state")
def figure_4(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 4 of Rosenberg & Hirschberg (2007): scores of k-means on documents."""
    counts, source, kind = open_documents(options)
    weights = weigh_terms(counts)
    top = find_top_terms(weights)
    ks = list_ks(counts.shape[0])
    scores = sweep_kmeans(unit(weights[:, top]), name_classes(counts), ks, options.random_state)
    return show(
        "Clusterings of documents (Rosenberg & Hirschberg 2007, Figure 4)",
        f"{scores.items:,} documents of {scores.classes} {kind}: {source}. The paper has 1,884 "
        "documents of TDT-4 on 12 topics. Documents are represented by tf·idf weights of Porter "
        f"stems, restricted to the top terms of all documents ({top.size:,} terms; the paper has "
        f"{TERMS}), with rows of unit length. k-means starts from random documents, {len(scores)} "
        f"times for each of {len(ks)} numbers of clusters.",
        scores,
        scores.as_sweep(source),
        judge(scores),
        documents=scores.items,
        terms=int(top.size),
    )


def judge(scores: Scores) -> list[Claim]:
    """Test the paper's statements about the figure."""
    alike = correlate(scores, "v", other="q2")
    drops = {name: scores.find_drops(name) for name in ("v", "q2")}
    lost = ", ".join(f"{name.upper()} {100 * drop.mean():.0f} %" for name, drop in drops.items())
    return [
        claim_growth(RULES["vi"], scores),
        Claim(
            RULES["similar"], "V and Q2", "similar behaviour",
            f"rank correlation {fmean(alike):.2f}", decided=decide_mean(alike),
            reason="one measure keeps rising or falling while the other does not",
        ),
        Claim(
            RULES["descent"], f"decrease up to k = {scores.ks[-1]:,}", "Q2 more than V", lost,
            decided=decide_mean((drops["q2"] - drops["v"]).tolist()),
        ),
        claim_peak(RULES["peak"], scores, "v", PEAK),
        claim_peak(RULES["peak"], scores, "q2", PEAK),
        claim_sum(RULES["shares"], "sum of the shares of topics, %", SHARES),
    ]  # fmt: skip
