"""Figure 4: clusterings of documents."""

from __future__ import annotations

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.data import sample
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, heeds
from roget.papers.v_measure.documents import (
    count_stems,
    find_top_terms,
    name_classes,
    read_texts,
    split_words,
    weigh_terms,
)
from roget.papers.v_measure.sweep import (
    claim_growth,
    claim_peak,
    claim_shapes,
    list_ks,
    show,
    sweep_kmeans,
)

PEAK = 35
"""Number of clusters at which V and Q2 are highest in the paper."""

TERMS = 484
"""Number of top terms in the paper."""


def open_documents(options: ReproduceOptions) -> tuple[Counts, str, str]:
    """Return the document–stem matrix, its source, and the name for its classes, e.g. "topics"."""
    try:
        path = find_data(options, "2,225 news texts of the BBC", "bbc-news", "bbc.tsv")
    except MissingData:
        return sample("documents"), "the bundled sample (AMALGUM)", "genres"
    texts = {name: split_words(text) for name, text in read_texts(path).items()}
    return count_stems(texts), "the BBC's news", "topics"


@heeds("random_state")
def figure_4(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 4 of Rosenberg & Hirschberg (2007): scores of k-means on documents."""
    counts, source, kind = open_documents(options)
    weights = weigh_terms(counts)
    top = find_top_terms(weights)
    ks = list_ks(counts.shape[0])
    scores = sweep_kmeans(unit(weights[:, top]), name_classes(counts), ks, options.random_state)
    other = f"{scores.classes} {kind}, not 12"
    claims = [
        claim_growth(scores),
        *claim_shapes(scores),
        claim_peak(scores, "v", PEAK, other),
        claim_peak(scores, "q2", PEAK, other),
        Claim("terms used", float(TERMS), float(top.size), digits=0,
              remark=other, excused=True),
    ]  # fmt: skip
    return show(
        "Clusterings of documents (Rosenberg & Hirschberg 2007, Figure 4)",
        f"{scores.items:,} documents of {scores.classes} {kind}: {source}. The paper has 1,884 "
        "documents of TDT-4 on 12 topics. Porter stems, tf·idf, only the top term of each "
        f"document, unit-length rows; k-means from random documents, {len(scores)} starts for each "
        f"of {len(ks)} numbers of clusters.",
        scores,
        scores.as_sweep(source),
        claims,
        documents=scores.items,
        terms=int(top.size),
    )
