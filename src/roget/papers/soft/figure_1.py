"""Figure 1: the objects of a verb, split into clusters."""

from __future__ import annotations

from functools import partial

import numpy as np

from roget.core.counts import Counts
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.thesaurus import Thesaurus
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide_seeds
from roget.papers.soft.counts import verb_object
from roget.papers.soft.rules import FIGURE_1 as RULES
from roget.papers.soft.tree import NEAREST, describe, draw, tabulate

VERB = "fire"
MAX_NOUNS = 64
"""Maximum number of nouns, as in the paper."""

SEEDS = 3
"""Number of random seeds for which the splits are checked."""

CLUSTERS = 3
"""Number of clusters after two splits, as in the paper."""

VERBS = 5
"""Minimum number of verbs per noun. A noun with a single verb would form its own cluster."""

PEOPLE = {"officer", "aide", "chief", "manager", "man", "minister", "president", "staff", "worker"}
WEAPONS = {"bullet", "gun", "missile", "rocket", "shot", "weapon"}
"""Weapons among the objects of "fire", as in the paper.

`PEOPLE` also contains nouns from other corpora.
"""

PRINTED = (
    "In the paper (64 nouns, Associated Press 1988): cluster 1 has missile, rocket and bullet, "
    "cluster 2 officer, aide, chief and manager; cluster 1 then splits into gun, missile, "
    "weapon, rocket (3) and shot, bullet, rocket, missile (4)."
)


@uses_options("counts", "verb", "random_state")
def figure_1(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 1 of Pereira, Tishby & Lee (1993): clusters of the objects of "fire"."""
    verb = options.verb or VERB
    counts, source, least = verb_object(options)
    nouns = objects(counts, verb, MAX_NOUNS, least)
    model = SoftAnnealing(CLUSTERS, prior="uniform", random_state=options.random_state).fit(nouns)
    thesaurus = Thesaurus.from_clustering(nouns, model)
    words, contexts = nouns.shape
    about = (
        f'{words} nouns: the most frequent objects of "{verb}" (at most {MAX_NOUNS}) that occur at '
        f"least {least} times as an object and with at least {VERBS} verbs, each a distribution "
        f"over {contexts:,} verbs; {source}. All nouns have the same weight, as in the paper. Each "
        f"cluster is shown with the {NEAREST} nouns nearest to its centroid and their KL distances "
        "in bits; leaf clusters are followed by their nouns."
    )
    return Reproduced(
        f'Direct object clusters for "{verb}" (Pereira, Tishby & Lee 1993, Figure 1)',
        about=about,
        claims=judge(nouns, options) if verb == VERB else [],
        tables=[tabulate(thesaurus)],
        notes=[PRINTED] if verb == VERB else [],
        data=[describe(thesaurus, node) for node in range(thesaurus.tree.n_nodes)],
        picture=partial(draw, thesaurus),
    )


def judge(nouns: Counts, options: ReproduceOptions) -> list[Claim]:
    """Test whether the first two splits separate weapons and people, for several seeds."""
    first, second = [], []
    for seed in range(options.random_state, options.random_state + SEEDS):
        model = SoftAnnealing(CLUSTERS, prior="uniform", random_state=seed).fit(nouns)
        thesaurus = Thesaurus.from_clustering(nouns, model)
        if thesaurus.tree.n_clusters < CLUSTERS:
            return []
        weapons, people = (_find_side(thesaurus, known) for known in (WEAPONS, PEOPLE))
        first.append("weapons and people" if weapons != people else "something else")
        sides = {weapons: "the weapons", people: "the people"}
        second.append(sides.get(thesaurus.tree.splits[1][0], "neither"))
    claims = []
    for rule, what, published, found in (
        ("first", "the first split separates", "weapons and people", first),
        ("second", "the second split refines", "the weapons", second),
    ):
        verdict = decide_seeds([one == published for one in found])
        ours = ", ".join(dict.fromkeys(found))
        claims.append(
            Claim(RULES[rule], what, published, ours, decided=verdict, reason="other text")
        )
    return claims


def _find_side(thesaurus: Thesaurus, nouns: set[str]) -> int | None:
    """Return the top-level cluster with most of the nouns, or None if no noun is known."""
    known = nouns.intersection(thesaurus.words.tolist())
    sides = [thesaurus.path(noun)[1] for noun in sorted(known)]
    return max(sorted(set(sides)), key=sides.count) if sides else None


def objects(counts: Counts, verb: str, most: int, least: int, verbs: int = VERBS) -> Counts:
    """Return the counts of a verb's most frequent objects, with all verbs that take them."""
    column = counts.matrix[:, [counts.context_id(verb)]].toarray().ravel()
    order = sorted(np.flatnonzero(column), key=lambda row: (-column[row], counts.words[row]))
    seen = np.diff(counts.matrix.indptr)
    kept = [r for r in order[:most] if counts.word_totals[r] >= least and seen[r] >= verbs]
    return counts.select(words=counts.words[kept]).drop_empty()
