"""Compare class models with Kneser–Ney, NMF and LDA: log-loss on held-out pairs, and verb
decisions.

Weights and discounts are tuned on development tokens of each split, weights of decisions on pairs
that are deleted from the training table. Sizes and settings were chosen with seeds from 100 on;
reported figures use seeds from 0 on. --quick omits NMF, LDA and the model `all`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from harness.measuring import Case, Row, Rows, find_data, progress
from harness.script import run_script

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.progress import Progress
from roget.data import sample
from roget.learn.evaluation.decision import decide
from roget.learn.evaluation.heldout import compare
from roget.report import evaluation as report

TRIAL = "an hour; vo-bench, and the bundled sample"
OPTIONS = {"splits": {"metavar": "N", "type": int, "default": 5, "help": "or draws (5)"}}

BARS = {
    "roget": -0.10,  # bits below Kneser–Ney
    "all": -0.12,
    "interval": 0.0,  # the upper end of the difference
    "decisions, all": 0.165,
    "decisions, exceptional": 0.36,
}
PEERS = ("nmf", "lda")
LOSS = ("unigram", "mle", "absolute", "kneser-ney", "nearest", "soft", "soft-symmetric", "mdl")
SLOW = (*PEERS, "all")


def vo_bench(*parts: str) -> Counts:
    """Return the nouns × verbs of all parts of the benchmark."""
    first, *others = (
        Counts.read(find_data("vo-bench", f"{part}.tsv"), columns=(2, 1, 3)) for part in parts
    )
    return first.merge(*others)


def losses(read: Callable[[], Counts], top: int, splits: int, quick: bool) -> Rows:
    """Yield the differences to Kneser–Ney on one table."""
    models = (*LOSS, "comdl", "roget", *(() if quick else SLOW))
    found = compare(read(), models, top=top, splits=splits, progress=_tell)
    rows = {row.model: row for row in found.rows}
    peer = rows["kneser-ney"]
    beside = f"kneser-ney {bits(peer.mean('loss', 'test').mean or 0.0):.3f} bits"
    for name in ("roget",) if quick else ("roget", "all"):
        below = rows[name].below(peer)
        yield Row(f"{name} − Kneser–Ney", -bits(below.mean or 0.0), None, beside, "", BARS[name])
        if below.low is not None:
            end = -bits(below.low)
            yield Row(f"{name}, interval's end", end, None, "", "", BARS["interval"])
    yield report.heldout(found).render()


def decisions(splits: int, quick: bool) -> Rows:
    """Yield the errors of verb decisions on vo-bench."""
    names = ("unigram", "nearest", "soft-symmetric", "comdl", "roget", *(() if quick else ("nmf",)))
    found = decide(vo_bench("train"), names, draws=splits, progress=_tell)
    rows = {row.model: row.means() for row in found.rows}
    for place, kind in enumerate(("all", "exceptional")):
        beside = "" if quick else f"nmf {rows['nmf'][place].mean:.3f}"
        error, case = rows["roget"][place].mean or 0.0, f"decisions, {kind}"
        yield Row(case, error, None, beside, "", BARS[case])
    yield report.decisions(found).render()


def _tell(now: Progress) -> None:
    progress(f"{now.done} of {now.total}")


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    both, ours = partial(vo_bench, "train", "test"), partial(sample, "verb_object")
    given = asked.splits, asked.quick
    return {
        "vo-bench 1000": partial(losses, both, 1000, *given),
        "AMALGUM 1000": partial(losses, ours, 1000, *given),
        "AMALGUM 3000": partial(losses, ours, 3000, *given),
        "decisions": partial(decisions, *given),
    }


if __name__ == "__main__":
    run_script(__file__)
