"""Rules for the claims of Reichart & Rappoport (2009), declared before the claims are tested."""

from __future__ import annotations

from roget.papers.rules import arithmetic, recomputed, shape

DATE = "2026-11-18"

PRINTED_DIGIT = "equal within half of the last printed digit"

TABLE_1 = {
    "value": recomputed("scores of singletons and of solution R", PRINTED_DIGIT, DATE),
    "prefers": recomputed(
        "V and NVI_K favour singletons; VI and NVI favour solution R",
        "the clustering with the better score is that of the printed scores",
        DATE,
    ),
}

TABLES_2_4 = {
    "ratio": arithmetic(
        "NVI, NVI_K and V of Table 3",
        "equal to VI/H(C), VI/H(K) and 1 − VI/(H(C) + H(K)) of the printed VI and entropies, "
        "within the rounding errors of all numbers",
        DATE,
    ),
    "labels": arithmetic(
        "numbers of labels in Table 2",
        "labels with fewer than 100 constituents and labels with more add up to all labels",
        DATE,
    ),
    "similar": arithmetic(
        "V gives the three clusterings very similar scores",
        "relative range of the printed V is less than half of that of the printed NVI, in each "
        "corpus",
        DATE,
    ),
}

TABLES = "600 random gold standards with two clusterings each, from 3 seeds; tolerance 1e−9"

PROPERTIES = {
    "holds": recomputed("properties of NVI and VI", f"in all trials. {TABLES}", DATE),
    "fails": recomputed(
        "properties that do not hold", f"violated in at least one trial of each seed. {TABLES}",
        DATE,
    ),
}  # fmt: skip

TREEBANKS = (
    "UD treebanks of English (EWT), German (GSD) and Chinese (GSDSimp), sentences of at most 10 "
    "words; labels merged by description length (MDL), then by k-means to T or P labels, 10 seeds; "
    "95 % t-interval over seeds"
)

GRAMMAR = {
    "single": shape(
        "most MDL labels annotate a single constituent", f"more than half. {TREEBANKS}", DATE
    ),
    "vi": shape(
        "VI and NVI strongly prefer the merged labels T and P",
        f"score of MDL minus the worse score of T and P is above 0. {TREEBANKS}",
        DATE,
    ),
    "prominent": shape(
        "VI and NVI prefer P to T", f"NVI of T minus NVI of P is above 0. {TREEBANKS}", DATE
    ),
    "nvi-k": shape(
        "NVI_K prefers MDL",
        f"the better score of T and P minus that of MDL is above 0. {TREEBANKS}",
        DATE,
    ),
    "v": shape(
        "V values are almost identical",
        "half of the relative range of NVI over MDL, T and P, minus the relative range of V, is "
        f"above 0. {TREEBANKS}",
        DATE,
    ),
    "entropy": shape(
        "H(K) increases with the number of clusters",
        f"H(K) of MDL minus that of T, and of T minus that of P, are above 0. {TREEBANKS}",
        DATE,
    ),
}
