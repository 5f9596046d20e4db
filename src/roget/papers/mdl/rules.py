"""Rules for the claims of Li & Abe (1996), declared before the claims are tested."""

from __future__ import annotations

from roget.papers.rules import shape

DATE = "2026-11-18"

FIGURE_2 = {
    "pair": shape(
        "million and billion are classified in one noun cluster, stock and share together",
        "20 most frequent nouns of the Wall Street Journal quadruples of Ratnaparkhi et al. (1994, "
        "training part; lemmas; noun1 as object of the verb, noun2 as complement of its head), "
        "description length and search of the paper, seeds 0 to 19: 1 if both nouns are in one "
        "class, minus the share of all pairs of nouns that are in one class, is above 0 (95 % "
        "t-interval over seeds)",
        DATE,
    ),
}

TRIALS = (
    "simulation with 4 true clusters; the paper does not state its true model. 10 trials, 95 % "
    "t-interval. Tested for the search as printed and for the best split"
)

FIGURE_3 = {
    "number": shape(
        "MDL selects a model of 4 clusters, like the true model",
        f".5 − |number of clusters − 4| at 30,000 pairs is above 0: {TRIALS}",
        DATE,
    ),
    "overfits": shape(
        "MLE tends to select a model overfitting the data",
        f"clusters of MLE minus clusters of MDL, smallest over data sizes, is above 0: {TRIALS}",
        DATE,
    ),
    "nearer": shape(
        "MDL converges to the true model faster than MLE",
        "KL distance of MLE minus that of MDL is above 0 at every data size: yes if all intervals "
        f"are above 0, no if one is below. {TRIALS}",
        DATE,
    ),
}

PAIRED = (
    "paired difference on the same test quadruples (RRR development set, or held-out quadruples of "
    "the sample without it), mean of thesauri learnt with seeds 0 to 2, is above 0: 95 % interval "
    "of 1,000 bootstrap samples of quadruples"
)
PROPORTIONS = (
    "difference to our value. The paper has 172 test patterns; 95 % interval of the difference of "
    "two independent proportions (Newcombe): yes if it lies within ± 5 points, no if it excludes 0"
)

TABLE_1 = {
    "value": shape("coverage and accuracy", PROPORTIONS, DATE),
    "coverage": shape(
        "the coverage of MDL-Thesaurus outperforms that of Word-Based, that of WordNet outperforms "
        "MDL-Thesaurus",
        PAIRED,
        DATE,
    ),
    "drop": shape("the accuracy of MDL-Thesaurus drops from Word-Based", PAIRED, DATE),
    "wordnet": shape("in accuracy, MDL-Thesaurus outperforms WordNet", PAIRED, DATE),
    "mle": shape("in accuracy, MDL is better than MLE", PAIRED, DATE),
    "baseline": shape("methods are more accurate than the baseline", PAIRED, DATE),
}

TABLE_2 = {
    "value": shape("coverage and accuracy", PROPORTIONS, DATE),
    "improves": shape(
        "using the thesaurus can improve attachment: 85.5 against 84.3 with WordNet alone",
        f"accuracy of MDL → WordNet → association minus WordNet → association: {PAIRED}",
        DATE,
    ),
    "association": shape(
        "using the thesaurus can improve attachment",
        f"accuracy of MDL → association minus association alone: {PAIRED}",
        DATE,
    ),
    "combination": shape(
        "it is best to combine an automatically constructed and a hand-made thesaurus",
        f"accuracy of MDL → WordNet → association minus MDL → association: {PAIRED}",
        DATE,
    ),
}
