"""Table 1: V of word sense induction systems under four estimators, and supervised recall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from roget.papers.entropy.rules import TABLE_1 as RULES
from roget.papers.entropy.semeval import (
    ESTIMATORS,
    SPLITS,
    TABLE_1,
    Printed,
    ScoredAnswer,
    find_task,
    score_task,
)
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced

WITHIN = 0.001
"""Tolerance. Some printed values were rounded down, and the paper's Random files may differ."""

Rows = Mapping[str, ScoredAnswer]


def table_1(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 1 of Li, Titov & Sporleder (2014): word sense induction, four estimators."""
    rows = score_task(find_task(options), SPLITS)
    claims = [claim for name, ours in rows.items() for claim in _compare(name, TABLE_1[name], ours)]
    claims += [_rank(f"order by V ({name})", rows, at) for at, name in enumerate(ESTIMATORS)]
    claims += [
        _rank(f"order by recall, {ratio}", rows, at, split)
        for at, (split, ratio) in enumerate(SPLITS.items())
    ]
    return Reproduced(
        "Word sense induction under four estimators (Li, Titov & Sporleder 2014, Table 1)",
        about=(
            "SemEval-2010 task 14: 8,915 instances of 100 words. V is computed for each word and "
            "averaged by instances; instances without a label form one more cluster of their "
            "word. Supervised recall is over all test instances, averaged over the organisers' "
            f"five splits. The output of {len(rows)} of {len(TABLE_1)} systems is available; "
            "Random is the mean of five files."
        ),
        claims=claims,
        notes=[
            "Orders are compared among the available systems. Recalls that differ by less than "
            ".001 count as equal, since the paper does not state how ties of senses are broken."
        ],
        data={
            name: {
                "clusters": row.clusters,
                "v": dict(row.v),
                "recall": dict(row.recall),
                "entropies": {key: list(values) for key, values in row.entropies.items()},
            }
            for name, row in rows.items()
        },
    )


def _compare(name: str, printed: Printed, ours: ScoredAnswer) -> Iterator[Claim]:
    yield Claim(
        RULES["clusters"], f"{name}: clusters", printed.clusters, ours.clusters, 1, within=0.1
    )
    for estimator, value in zip(ESTIMATORS, printed.v, strict=True):
        what = f"{name}: V ({estimator})"
        yield Claim(RULES["v"], what, value / 100, ours.v[estimator], within=WITHIN)
    for at, ((split, ratio), value) in enumerate(
        zip(SPLITS.items(), printed.recall or (), strict=False)
    ):
        yield Claim(
            RULES["recall"],
            f"{name}: recall, {ratio}",
            value / 100,
            ours.recall[split],
            within=WITHIN,
            misprint=prove_rank(name, at),
        )


def prove_rank(name: str, at: int) -> str:
    """Return how a printed recall contradicts its printed rank, or "" if it does not."""
    known = {one: row for one, row in TABLE_1.items() if row.recall and row.recall_ranks}
    recall, rank = known[name].recall, known[name].recall_ranks
    assert recall is not None
    assert rank is not None
    others = [
        (row.recall[at], row.recall_ranks[at])
        for one, row in known.items()
        if one != name and row.recall and row.recall_ranks
    ]
    above = min(value for value, place in others if place < rank[at]) if rank[at] > 1 else 100.0
    if recall[at] <= above:
        return ""
    below = max(value for value, place in others if place > rank[at])
    return (
        f"its printed rank is {rank[at]}, between {above} and {below}; {recall[at]} would be rank "
        f"{1 + sum(value > recall[at] for value, _ in others)}"
    )


def _rank(what: str, rows: Rows, at: int, split: str | None = None) -> Claim:
    """Check that our values are in the order of the printed ranks."""

    def rank(name: str) -> int:
        printed = TABLE_1[name]
        return printed.ranks[at] if split is None else (printed.recall_ranks or ())[at]

    ranked = [name for name in rows if split is None or TABLE_1[name].recall_ranks]
    ranked.sort(key=rank)
    values = [
        rows[name].v[ESTIMATORS[at]] if split is None else rows[name].recall[split]
        for name in ranked
    ]
    slack = 1e-9 if split is None else WITHIN
    turned = sum(after > before + slack for before, after in pairwise(values))
    order = f"{turned} of {len(ranked) - 1} neighbours swapped" if turned else "as printed"
    return Claim(RULES["rank"], what, "as printed", order)
