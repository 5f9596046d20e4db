"""Experiment 3: prepositional phrase attachment by tree cuts, with the paper's decision rule."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import numpy as np

from roget.core.intervals import bootstrap_interval, wilson
from roget.core.quadruple import Quadruple
from roget.core.types import Floats
from roget.data import sample
from roget.learn.attachment.attacher import Attacher
from roget.learn.attachment.chain import ASSOCIATION, MDL, MLE, WORDNET, WORDS, Chain
from roget.learn.attachment.quads import NOUN, read
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data
from roget.papers.rules import Rule, Verdict, decide_interval
from roget.report import ReportTable

BASE = "always the noun"
BOTH, LA, MDL_LA = "MDL → WordNet", "LA", "MDL → LA"
WORDNET_LA, CHAIN = "WordNet → LA", "MDL → WordNet → LA"
"""Chains of methods.

LA stands for lexical association, with the noun as the default decision.
"""

PRINTED = {
    BASE: (100.0, 70.2),
    WORDS: (19.7, 95.1),
    MDL: (33.1, 93.0),
    MLE: (33.7, 89.7),
    WORDNET: (49.4, 88.2),
    BOTH: (54.1, 87.1),
    CHAIN: (100.0, 85.5),
}
"""Coverage and accuracy in Tables 1 and 2, in per cent."""

PATTERNS = 172
"""Number of test patterns in the paper."""

HELD_OUT = 3000
"""Number of test quadruples taken from the sample. All others are training data."""

SEEDS = 3
"""Number of random seeds for learning the thesauri."""

RESAMPLES = 1000
"""Number of bootstrap samples of test quadruples."""

WITHIN = 0.05
"""Equivalence margin. Proportions are equal if the interval of their difference lies within it."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions of one method on all test quadruples, one row per seed."""

    decided: Floats
    """1 for quadruples that the method decides, otherwise 0."""
    right: Floats
    """1 for correct decisions, otherwise 0."""

    def coverage(self, weights: Floats) -> Floats:
        """Return the mean coverage over seeds, for each row of item weights."""
        return np.asarray((self.decided @ weights.T / weights.sum(axis=1)).mean(axis=0))

    def accuracy(self, weights: Floats) -> Floats:
        """Return the mean accuracy over seeds, for each row of item weights."""
        return np.asarray(((self.right @ weights.T) / (self.decided @ weights.T)).mean(axis=0))


@dataclass(frozen=True, eq=False)
class Measured:
    """The decisions of all methods on one set of quadruples."""

    ways: Mapping[str, Decisions]
    nouns: Floats
    """1 for quadruples attached to the noun, otherwise 0."""
    resampled: Floats
    """Weights of the quadruples in each bootstrap sample."""
    source: str
    wordnet: bool

    @property
    def plain(self) -> Floats:
        """Equal weights of all quadruples."""
        return np.ones((1, self.nouns.size))

    def balanced(self, share: float) -> Floats:
        """Return item weights under which the given share of quadruples is attached to the noun."""
        mean = self.nouns.mean()
        weights = np.where(self.nouns > 0, share / mean, (1 - share) / (1 - mean))
        return np.asarray(weights[None, :])

    def value(self, way: str, column: str) -> float:
        """Return the coverage or accuracy of a method."""
        return float(getattr(self.ways[way], column)(self.plain)[0])


def measure(options: ReproduceOptions) -> Measured:
    """Train and test all methods on the best data available."""
    training = devset = wordnet = None
    with suppress(MissingData):
        found = find_data(options, "quadruples of the Wall Street Journal", "ppattach", "training")
        training, devset = str(found), str(found.with_name("devset"))
    with suppress(MissingData):
        wordnet = str(find_data(options, "WordNet as tables", "wordnet30"))
    return _measure(training, devset, wordnet, options.random_state)


@cache
def _measure(training: str | None, devset: str | None, wordnet: str | None, seed: int) -> Measured:
    """Train and test all methods. Results are cached, because both tables use them."""
    own = training is not None and devset is not None
    train, test = (read(str(training)), read(str(devset))) if own else split_sample(seed)
    source = (
        f"{len(train):,} training and {len(test):,} test quadruples of Ratnaparkhi, Reynar & "
        "Roukos (1994; the development set)"
        if own
        else f"{len(train):,} training and {len(test):,} test quadruples of the bundled sample "
        "(AMALGUM, attachment by a parser)"
    )
    nouns = np.array([one.attachment == NOUN for one in test])
    runs = []
    for number in range(seed, seed + SEEDS):
        model = Attacher(rule="printed", wordnet=wordnet, random_state=number).fit(train)
        runs.append(decide_all_ways(model.fitted_, test))
    ways = {}
    for way in runs[0]:
        ratios = np.array([run[way] for run in runs])
        decided = ~np.isnan(ratios) & (ratios != 0)
        right = decided & ((ratios > 0) == nouns)
        ways[way] = Decisions(decided.astype(np.float64), right.astype(np.float64))
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(test), np.full(len(test), 1 / len(test)), size=RESAMPLES)
    return Measured(
        ways, nouns.astype(np.float64), drawn.astype(np.float64), source, wordnet is not None
    )


def decide_all_ways(chain: Chain, test: Sequence[Quadruple]) -> dict[str, Floats]:
    """Return the log ratios of each method.

    A positive ratio selects the noun, and a negative ratio the verb. 0 and NaN mean undecided.
    """
    normal = chain.forms.normal(test)
    known = {name: chain.ratio(name, normal) for name in chain.preferences}
    known[BASE] = np.ones(len(test))
    known[ASSOCIATION] = chain.association.log_ratio(normal)
    chains = {LA: (ASSOCIATION, BASE), MDL_LA: (MDL, ASSOCIATION, BASE)}
    if WORDNET in known:
        chains |= {
            BOTH: (MDL, WORDNET),
            WORDNET_LA: (WORDNET, ASSOCIATION, BASE),
            CHAIN: (MDL, WORDNET, ASSOCIATION, BASE),
        }
    return known | {name: back_off([known[one] for one in ways]) for name, ways in chains.items()}


def back_off(ratios: Sequence[Floats]) -> Floats:
    """Return the first ratio that decides each quadruple.

    >>> back_off([np.array([1.0, 0.0, np.nan]), np.array([2.0, -3.0, np.nan])]).tolist()
    [1.0, -3.0, 0.0]
    """
    found = np.zeros_like(ratios[0])
    for one in ratios:
        fresh = (found == 0) & ~np.isnan(one)
        found[fresh] = one[fresh]
    return found


def split_sample(seed: int) -> tuple[list[Quadruple], list[Quadruple]]:
    """Split the bundled quadruples into training and test data, keeping duplicates together."""
    quads = sample("pp_quads")
    groups: dict[tuple[str, ...], list[Quadruple]] = {}
    for one in quads:
        groups.setdefault(tuple(one[:4]), []).append(one)
    distinct = list(groups.values())
    train: list[Quadruple] = []
    test: list[Quadruple] = []
    for at in np.random.default_rng(seed).permutation(len(distinct)).tolist():
        (test if len(test) < HELD_OUT else train).extend(distinct[at])
    return train, test


def compare_printed(rule: Rule, found: Measured, ways: Sequence[str]) -> list[Claim]:
    """Compare coverage and accuracy with the paper, as proportions of independent test sets."""
    claims = []
    share = PRINTED[BASE][1] / 100
    for way in (one for one in ways if one in found.ways):
        coverage, accuracy = (value / 100 for value in PRINTED[way])
        ours = found.value(way, "coverage"), found.value(way, "accuracy")
        items = found.nouns.size
        for column, published, value, n, m in (
            ("coverage", coverage, ours[0], PATTERNS, items),
            ("accuracy", accuracy, ours[1], round(PATTERNS * coverage), round(items * ours[0])),
        ):
            if column == "coverage" and coverage == 1:
                continue
            reason = "other test patterns"
            if column == "accuracy":
                even = 100 * float(found.ways[way].accuracy(found.balanced(share))[0])
                reason += (
                    f": {100 * found.nouns.mean():.1f} % belong to the noun, in the paper "
                    f"{100 * share:.1f} %; with that share, ours is {even:.1f}"
                )
            claims.append(
                Claim(rule, f"{way}: {column} %", 100 * published, 100 * value, 1, reason=reason,
                      decided=compare_proportions(published, n, value, m))
            )  # fmt: skip
    return claims


def compare_proportions(p: float, n: int, q: float, m: int) -> Verdict:
    """Compare two independent proportions by Newcombe's 95 % interval of q − p.

    >>> str(compare_proportions(0.93, 57, 0.811, 1600)), str(compare_proportions(0.5, 9, 0.4, 9))
    ('differs', 'cannot tell')
    """
    (low, high), (left, right) = wilson(p * n, n), wilson(q * m, m)
    least = q - p - math.hypot(q - left, high - p)
    most = q - p + math.hypot(right - q, p - low)
    if least > 0 or most < 0:
        return Verdict.NO
    return Verdict.YES if least > -WITHIN and most < WITHIN else Verdict.UNCLEAR


def compare_ways(
    rule: Rule, found: Measured, column: str, more: str, less: str, published: str, reason: str = ""
) -> list[Claim]:
    """Test whether one method has a higher coverage or accuracy than another.

    If a method is not available, no claim is returned.
    """
    if not {more, less} <= found.ways.keys():
        return []
    drawn, value = (
        100 * (getattr(found.ways[more], column)(w) - getattr(found.ways[less], column)(w))
        for w in (found.resampled, found.plain)
    )
    ends = bootstrap_interval(float(value[0]), drawn)
    values = [100 * found.value(way, column) for way in (more, less)]
    ours = f"{values[0]:.1f} and {values[1]:.1f}, difference {ends.low:+.1f} to {ends.high:+.1f}"
    what = f"{column}: {more} > {less}"
    verdict = decide_interval(ends.low, ends.high)
    return [Claim(rule, what, published, ours, decided=verdict, reason=reason)]


def show(
    title: str,
    found: Measured,
    ways: Sequence[str],
    claims: Sequence[Claim],
    notes: Sequence[str] = (),
) -> Reproduced:
    """Return the reproduction: the method, its differences from the paper, and our results."""
    lacks = "" if found.wordnet else " WordNet is not available, so its rows are left out."
    about = (
        f"{found.source}. The larger of P(noun2|verb, prep) and P(noun2|noun1, prep), without "
        "smoothing, decides. Ties and pairs of zeros are left to the next method (→). LA is "
        "lexical association (Hindle & Rooth), which chooses the noun if it is undecided. "
        "Thesauri of 1000 nouns are learnt by the default code from bundled counts and the "
        f"training quadruples. Values are means over {SEEDS} seeds; the paper used its own code, "
        f"the 150 nouns of its {PATTERNS} test patterns and 180,000 case frames.{lacks}"
    )
    share = PRINTED[BASE][1] / 100
    rows, data = [], {}
    for way in (one for one in ways if one in found.ways):
        one = found.ways[way]
        ends = bootstrap_interval(0.0, one.accuracy(found.resampled))
        values = {
            "coverage": 100 * found.value(way, "coverage"),
            "accuracy": 100 * found.value(way, "accuracy"),
            "low": 100 * (ends.low or 0.0),
            "high": 100 * (ends.high or 0.0),
            "accuracy_at_the_share_of_the_paper": 100
            * float(one.accuracy(found.balanced(share))[0]),
        }
        data[way] = values
        coverage, accuracy, low, high, even = values.values()
        rows.append(
            (way, f"{coverage:.1f}", f"{accuracy:.1f}", f"{low:.1f}–{high:.1f}", f"{even:.1f}")
        )
    titles = ("", "coverage %", "accuracy %", "95 % interval", f"with {100 * share:.1f} % nouns")
    table = ReportTable.of(titles, rows, titles[1:])
    return Reproduced(title, about, claims, [table], notes, data)
