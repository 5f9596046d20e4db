"""Rules for the claims of Pereira, Tishby & Lee (1993), declared before the claims are tested."""

from __future__ import annotations

from roget.papers.rules import shape

DATE = "2026-11-18"

SEEDS = "seeds 0 to 2: yes if for all, no if for none"

FIGURE_1 = {
    "first": shape(
        'the first split separates the weaponry sense of "fire" from the personnel action',
        f"most of the known weapons and most of the known people are on different sides; {SEEDS}",
        DATE,
    ),
    "second": shape(
        "the second split refines the weaponry sense",
        f"the second split divides the side with most of the known weapons; {SEEDS}",
        DATE,
    ),
}

FIGURE_2 = {
    "nearer": shape(
        "clusters become tighter down the tree (conductor .699, then .457)",
        "KL distance of the nearest noun to the centroid of a cluster, minus that of its child: "
        "95 % t-interval of the mean over all steps from a cluster to a child, root excluded; "
        "nouns with fewer than 5 verbs left out",
        DATE,
    ),
}

DRAWS = (
    "1000 most frequent nouns, all with the same weight, 10 random splits of the tokens, K = 1, 2, "
    "4 … 256; 95 % t-interval over splits"
)

FIGURE_3 = {
    "train": shape(
        "the relative entropy of the training set decreases monotonically",
        f"from each K to the next, in every split: yes if in all splits, no if in none. {DRAWS}",
        DATE,
    ),
    "minimum": shape(
        "that of the test set decreases to a minimum and then increases",
        f"its value at K = 1 and its value at K = 256, minus the lowest mean, are above 0. {DRAWS}",
        DATE,
    ),
    "position": shape(
        "the minimum is at 206 clusters", f"the mean is lowest at K = 128 or 256. {DRAWS}", DATE
    ),
    "gain": shape(
        "clusters provide over one bit of information about new nouns",
        f"value of new nouns at K = 1 minus the lowest value, minus 1 bit, is above 0. {DRAWS}",
        DATE,
    ),
    "sharper": shape(
        "overtraining is even sharper for new nouns than for held-out data",
        "increase from the lowest value to K = 256, new nouns minus test set, is above 0. " + DRAWS,
        DATE,
    ),
}

DECISIONS = (
    "BNC pairs if available, otherwise the bundled sample; 1000 most frequent nouns, 4 samples of "
    "deleted pairs, K = 1, 2, 4 … 256; 95 % t-interval over samples"
)

FIGURE_4 = {
    "one": shape(
        "one cluster is consistently wrong for exceptional triples",
        f"error rate of at least .99 in every sample: yes if in all, no if in none. {DECISIONS}",
        DATE,
    ),
    "all": shape(
        "some overtraining for the largest models, all triples",
        f"error rate at K = 256 minus the lowest mean error rate is above 0. {DECISIONS}",
        DATE,
    ),
    "falls": shape(
        "clusters decide exceptional triples better than marginal frequencies",
        f"error rate at K = 1 minus error rate at K = 256 is above 0. {DECISIONS}",
        DATE,
    ),
    "exceptional": shape(
        "no overtraining for exceptional triples",
        "the mean error rate is lowest at K = 256; otherwise no if the increase from the lowest "
        f"mean to K = 256 is above 0, else cannot tell. {DECISIONS}",
        DATE,
    ),
}
