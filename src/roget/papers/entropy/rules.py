"""Rules for the claims of Li, Titov & Sporleder (2014), declared before the claims are tested."""

from __future__ import annotations

from roget.papers.rules import arithmetic, recomputed, shape

DATE = "2026-11-18"

POINTS = (
    "exact expectations for 10 cells, uniform and Zipf with s = 1 to 4, N = 2 to 100; |bias| is "
    "compared at every combination. BUB is given the number of cells, and tested with both its "
    "solutions for small samples, bub and bub(small=2)"
)
MOST = "at 90 % of the points or more, since the paper describes what its curves show"

FIGURES_1_2 = {
    "reduced": recomputed(
        "over the entire range of sample sizes, the bias of the corrected estimates is reduced "
        "with respect to ML",
        f"at every point. {POINTS}",
        DATE,
    ),
    "mm": recomputed(
        "the error of MM is consistently larger than that of the other corrections",
        f"{MOST}. {POINTS}",
        DATE,
    ),
    "flat": recomputed(
        "for uniform and flatter Zipf distributions (s = 1, 2), JK is preferable for N > 3",
        f"|bias| of JK is smaller than that of BUB {MOST}. {POINTS}",
        DATE,
    ),
    "skewed": recomputed(
        "BUB outperforms JK with very skewed distributions (s = 3, 4)",
        f"|bias| of BUB is smaller than that of JK {MOST}, for each s. {POINTS}",
        DATE,
    ),
    "tiny": recomputed(
        "BUB in most cases provides the least biased estimates with very small N (N ≤ 2)",
        "|bias| of BUB is smaller than |bias| of ML, MM and JK in more than half of the 10 "
        f"combinations of N = 1, 2 and shape. {POINTS}",
        DATE,
    ),
}

UNIT = (
    "within one unit of the last printed digit, since some printed values are truncated rather "
    "than rounded. Each word is scored separately and weighted by its instances; instances without "
    "a label form one more cluster"
)

TABLE_1 = {
    "clusters": recomputed("average number of clusters per word", UNIT, DATE),
    "v": recomputed("V under four estimators", UNIT, DATE),
    "recall": recomputed("supervised recall", f"{UNIT}. Mean of the organisers' five splits", DATE),
    "rank": recomputed(
        "ranks of the systems",
        "our values of the available systems fall in the order of the printed ranks; recalls that "
        "differ by less than .001 count as equal",
        DATE,
    ),
}

FIGURES_3_4 = {
    "printed-tau": arithmetic(
        "the difference between ML and JK or BUB is larger for systems with more clusters",
        "Kendall's τ of the printed differences and numbers of clusters is positive, p < .05, "
        "without the baseline of one cluster per instance",
        DATE,
    ),
    "tau": recomputed(
        "the difference between ML and JK or BUB is larger for systems with more clusters",
        "the same for our scores of the available systems",
        DATE,
    ),
    "printed-kept": arithmetic(
        "only a minority of the systems keeps its rank", "fewer than half of the printed ranks",
        DATE,
    ),
    "kept": recomputed(
        "only a minority of the systems keeps its rank",
        "fewer than half of our ranks among the available systems",
        DATE,
    ),
    "printed-singletons": arithmetic(
        "ML ranks one cluster per instance highest, BUB assigns it the last rank",
        "printed ranks", DATE,
    ),
    "singletons": recomputed(
        "ML ranks one cluster per instance highest, BUB assigns it the last rank",
        "our ranks among the available systems", DATE,
    ),
}  # fmt: skip

SECTION_5 = {
    "gold": recomputed(
        "the entropy of the gold standard differs by less than .02 between ML and JK or BUB",
        "H(c) of all words, averaged by instances; it does not depend on the system",
        DATE,
    ),
    "difference": shape(
        "average differences between JK or BUB and ML of H(k) and H(k,c) for the five systems "
        "with the largest number of clusters",
        "within .03 of the printed value. Duluth-R-110 and Duluth-R-15 are available; each of the "
        "other three is replaced by random clusters, in the printed average number per word "
        "(KSU KDD 17.5, UoY 11.5, Hermit 10.8), mean of 5 seeds",
        DATE,
    ),
    "joint": recomputed(
        "joint entropies are more significantly corrected",
        "the correction of H(k,c) is larger than that of H(k) in all available systems, baselines "
        "excluded",
        DATE,
    ),
    "fall": arithmetic(
        "BUB corrects H(k) by .15, H(k,c) by .06 and H(c) by less than .02",
        "the change of mutual information that follows, H(k) + H(c) − H(k,c), has the sign of the "
        "mean printed change of V from ML to BUB of the five systems",
        DATE,
    ),
}

RANKING = {
    "ami": recomputed(
        "AMI on the ranking page of SemEval-2010 task 14",
        "ami(average=max), averaged over words by instances, equals the printed value within one "
        "unit of its last digit",
        DATE,
    ),
    "b3": recomputed(
        "B-cubed F on the ranking page, nouns and verbs",
        "b3-f, averaged over words by instances, equals the printed value within one unit of its "
        "last digit",
        DATE,
    ),
    "b3-all": recomputed(
        "B-cubed F on the ranking page, table headed nouns",
        "second rule, since the baseline of one cluster differs by 6 points for nouns but not for "
        "all words: b3-f of all words, averaged by instances, equals the printed value within one "
        "unit of its last digit",
        DATE,
    ),
    "clusters": arithmetic(
        "numbers of clusters in the B-cubed table for nouns",
        "equal to the numbers that the AMI table prints for the same system",
        DATE,
    ),
}

WEIGHTED = {
    "expectation": recomputed(
        "the recursion of Section 3.3 gives the expected estimate for weighted labels",
        "expectations of H(k) and H(k,c) under four estimators are within 4 standard errors of the "
        "means of 2,000 sampled labellings, for 3 seeds",
        DATE,
    ),
    "hard": recomputed(
        "labels without weights are a special case",
        "with weights of 0 and 1, V under four estimators equals that of hard labels within 1e−9",
        DATE,
    ),
    "decrease": arithmetic(
        "KCDC-PC-2 is mostly decreased with weights, except for MM",
        "printed values of Table 1, with and without weights",
        DATE,
    ),
    "increase": arithmetic(
        "UoY is mostly improved with weights, except for BUB",
        "printed values of Table 1, with and without weights",
        DATE,
    ),
    "printed-spread": arithmetic(
        "estimators disagree more with weights than without",
        "range of the four printed values, with weights minus without, is above 0 for both systems",
        DATE,
    ),
    "spread": shape(
        "estimators disagree more with weights than without",
        "the same for all systems of SemEval-2013 task 13: yes if for all, no if for none",
        DATE,
    ),
}

SIMULATED = (
    "20 simulated clusterings each of 5, 20 and 100 classes into as many clusters, with seeds "
    "other than in the trial with 3 sets on which this rule is based; samples of 512 items "
    "against samples of 16,384 items of the same clustering; 95 % t-interval of the mean difference"
)

SAMPLE_SIZE = {
    "rise": shape(
        "plug-in entropies overestimate V, most in small samples",
        "V (ml) is higher in the small sample for each number of classes: " + SIMULATED,
        "2026-11-19",
    ),
    "stable": shape(
        "V with corrected entropies does not depend on the sample size",
        "the interval lies within ±.01 for each number of classes (yes), or outside for at least "
        "one (differs): " + SIMULATED,
        "2026-11-19",
    ),
    "order": shape(
        "V with plug-in entropies ranks embeddings by MTEB's protocol as in large samples",
        "no pair of 8 simulated models has another order by mean V (ml) in 10 samples of 512 items "
        "than in 10 samples of 8,192 items, for each of 3 seeds (yes), or for none (differs)",
        "2026-11-19",
    ),
}
