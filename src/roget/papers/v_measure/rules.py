"""Rules for the claims of Rosenberg & Hirschberg (2007), declared before the claims are tested."""

from __future__ import annotations

from roget.papers.rules import arithmetic, recomputed, shape

DATE = "2026-11-18"

PRINTED_DIGIT = "equal within half of the last printed digit"

FIGURE_2 = {
    "f": recomputed("F of solutions A to D in the text", PRINTED_DIGIT, DATE),
    "v": recomputed("V of solutions A to D in the text", PRINTED_DIGIT, DATE),
    "caption": arithmetic(
        "F of solutions A to D in the captions",
        "equal to 2PR/(P + R) with the precision P and recall R that the text prints, within half "
        "of the last printed digit",
        DATE,
    ),
}

FIGURE_3 = {"cell": recomputed("cells of the sample table", "equal", DATE)}

READING = (
    "5 useful classes, the whole grid of the paper. Where an error has no noise cluster or class "
    "to go to, its mass is left out of the table; equality satisfies P5 and P7 in such tables, as "
    "the properties state"
)

TABLE_2 = {
    "rate": recomputed("rates of satisfaction", f"{PRINTED_DIGIT}. {READING}", DATE),
    "all": recomputed(
        "only V, VI and Q0 satisfy P1 to P7 in all experimental conditions",
        f"the measures with seven rates of 1 are these three. {READING}",
        DATE,
    ),
    "noise": recomputed(
        "Rand, Mirkin, Fowlkes–Mallows, Γ, Jaccard and F fail P3 and P6 in at least one condition",
        f"both rates of each of the six are below 1. {READING}",
        DATE,
    ),
    "errors": recomputed(
        "all evaluated measures satisfy P4 and P7",
        f"both rates of each measure are 1. {READING}",
        DATE,
    ),
    "linear": arithmetic(
        "rates of Rand and Mirkin",
        "equal. Mirkin is n²(1 − Rand) times a constant of n, so the two agree on every step "
        "between tables of the same n; only P5 and P7 have steps that may change n",
        DATE,
    ),
}

SECOND = (
    "second rule, since the first also counts steps of P3 and P6 from a table that loses items to "
    "one that does not: tables that lose items count in P5 and P7 only"
)

TABLE_2_SECOND = {
    name: recomputed(rule.statement, rule.test.replace(READING, SECOND), DATE)
    for name, rule in TABLE_2.items()
    if name in ("all", "noise", "errors")
}

STARTS = "4 k-means starts; 95 % t-interval of the mean over starts"

FIGURE_4 = {
    "vi": shape(
        "VI depends on the number of clusters",
        "Spearman correlation of VI with k is above .9: " + STARTS,
        DATE,
    ),
    "similar": shape(
        "V and Q2 behave similarly",
        "Spearman correlation of V and Q2 over all k is above 0: " + STARTS,
        DATE,
    ),
    "descent": shape(
        "Q2 shows a greater descent than V as the number of clusters increases",
        "relative decrease from the maximum to the largest k, Q2 minus V, is above 0: " + STARTS,
        DATE,
    ),
    "peak": shape(
        "V and Q2 are highest at 35 clusters",
        "35 is within the range of the positions of the maximum over 4 k-means starts",
        DATE,
    ),
    "shares": arithmetic(
        "relative frequencies of the 12 topics",
        "the printed percentages add up to 100 within their rounding errors",
        DATE,
    ),
}

SIMULATED = (
    "5 simulated sets (or 4 k-means starts on a table passed with --features); 95 % t-interval of "
    "the mean over sets"
)

FIGURE_5 = {
    "vi": shape(
        "VI closely depends on k",
        "Spearman correlation of VI with k is above .9: " + SIMULATED,
        DATE,
    ),
    "q2": shape(
        "Q2 descends as k increases",
        "Spearman correlation of Q2 with k ≥ 10 is below 0: " + SIMULATED,
        DATE,
    ),
    "peak": shape(
        "Q2 has its maximum at k = 10",
        "10 is within the range of the positions of the maximum over the sets",
        DATE,
    ),
    "v": shape(
        "from approximately 30 clusters on, more clusters mean a higher V",
        "V at the largest k minus V at the first k ≥ 30 is above 0: " + SIMULATED,
        DATE,
    ),
    "homogeneity": shape(
        "this is due to an increased homogeneity",
        "homogeneity at the largest k minus homogeneity at the first k ≥ 30 is above 0: "
        + SIMULATED,
        DATE,
    ),
    "completeness": shape(
        "and a relatively stable completeness",
        "the relative change of completeness over the same k is less than a quarter of that of "
        "homogeneity: " + SIMULATED,
        DATE,
    ),
    "shares": arithmetic(
        "relative frequencies of the 5 accent types",
        "the printed percentages add up to 100 within their rounding errors",
        DATE,
    ),
}

BIAS = {
    "rise": shape(
        "more clusters mean a higher V (Rosenberg & Hirschberg 2007)",
        "V with plug-in entropies at the largest k minus V at the first k ≥ 30 is above 0: "
        + SIMULATED,
        DATE,
    ),
    "plug-in": shape(
        "plug-in entropies overestimate V, most for many clusters (Li, Titov & Sporleder 2014)",
        "Spearman correlation of V (ml) − V (jk) with k is above .9: " + SIMULATED,
        DATE,
    ),
    "chance": shape(
        "the preference for richer clusterings is caused by bias (Li, Titov & Sporleder 2014)",
        "with shuffled classes, about which clusters contain no information, V (ml) between the "
        "same k rises by more than half of its rise with the real classes: " + SIMULATED,
        DATE,
    ),
}
