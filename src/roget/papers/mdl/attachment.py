"""Experiment 3: prepositional phrase attachment by tree cuts, with the paper's decision rule."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np

from roget.core.intervals import wilson
from roget.core.quadruple import Quadruple
from roget.data import sample
from roget.learn.attachment.attacher import Attacher
from roget.learn.attachment.chain import MDL, MLE, WORDNET, WORDS
from roget.learn.attachment.quads import NOUN, read
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data
from roget.report import ReportTable

BASE = "always the noun"
BOTH, CHAIN = f"{MDL} + {WORDNET}", "the whole chain"

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
"""Number of test quadruples taken from the sample; the rest is training data."""


class AttachmentRow(NamedTuple):
    """Coverage and accuracy of a method, with an interval for the accuracy, in per cent."""

    way: str
    coverage: float
    accuracy: float
    low: float
    high: float


class Measured(NamedTuple):
    """The results of all methods on one set of quadruples."""

    rows: dict[str, AttachmentRow]
    source: str
    wordnet: bool
    own: bool
    """True if the quadruples are from the Wall Street Journal."""


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
    """Train and test all methods. Cached, since both tables use the results."""
    own = training is not None and devset is not None
    train, test = (read(str(training)), read(str(devset))) if own else split_sample(seed)
    source = (
        f"{len(train):,} training and {len(test):,} test quadruples of Ratnaparkhi, Reynar & "
        "Roukos (1994)"
        if own
        else f"{len(train):,} training and {len(test):,} test quadruples of the bundled sample "
        "(AMALGUM, attachment by a parser)"
    )
    model = Attacher(rule="printed", wordnet=wordnet, random_state=seed).fit(train)
    tested = model.test(test)
    nouns = sum(one.attachment == NOUN for one in test)
    rows = {BASE: _row(BASE, 1.0, nouns / len(test), len(test))}
    for stage in tested.stages:
        if stage.accuracy is not None:
            rows[stage.stage] = _row(stage.stage, stage.coverage, stage.accuracy, len(test))
    rows[CHAIN] = _row(CHAIN, 1.0, tested.accuracy, len(test))
    return Measured(rows, source, wordnet is not None, own)


def split_sample(seed: int) -> tuple[list[Quadruple], list[Quadruple]]:
    """Split the bundled quadruples into training and test data; duplicates stay together."""
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


def _row(way: str, coverage: float, accuracy: float, items: int) -> AttachmentRow:
    decided = coverage * items
    ends = wilson(accuracy * decided, decided)
    return AttachmentRow(way, 100 * coverage, 100 * accuracy, 100 * ends[0], 100 * ends[1])


def printed_beside(found: Measured, ways: tuple[str, ...]) -> list[Claim]:
    """Compare coverage and accuracy with the paper.

    All differences are excused, since the data are not the same.
    """
    reason = "other patterns of the same newspaper" if found.own else "other text"
    return [
        Claim(f"{way}: {column} %", PRINTED[way][at], found.rows[way][at + 1], 1, remark=reason,
              excused=True)
        for way in ways
        if way in found.rows
        for at, column in enumerate(("coverage", "accuracy"))
    ]  # fmt: skip


def order(found: Measured, column: str, ways: tuple[str, ...]) -> Claim:
    """Check that the methods have the same order as in the paper, from lowest to highest value."""
    known = [way for way in ways if way in found.rows]
    printed = [f"{PRINTED[way][column != 'coverage']:.1f}" for way in known]
    ours = [float(getattr(found.rows[way], column)) for way in known]
    return Claim(
        f"{column}: {' < '.join(known)}",
        " < ".join(printed),
        ", ".join(f"{value:.1f}" for value in ours),
        holds=ours == sorted(ours),
    )


def show(
    title: str,
    found: Measured,
    ways: tuple[str, ...],
    claims: Sequence[Claim],
    notes: Sequence[str] = (),
) -> Reproduced:
    """Return the reproduction: the method, its differences from the paper, and our results."""
    lacks = "" if found.wordnet else " WordNet is not available: its rows are left out."
    about = (
        f"{found.source}. The larger of P(noun2|verb, prep) and P(noun2|noun1, prep), without "
        "smoothing, decides; ties and two zeros are left undecided. Thesauri of 1000 nouns are "
        "learnt from bundled counts and the training quadruples; the paper used the 150 nouns of "
        f"its {PATTERNS} test patterns and 180,000 case frames.{lacks}"
    )
    shown = [found.rows[way] for way in ways if way in found.rows]
    rows = [
        (row.way, f"{row.coverage:.1f}", f"{row.accuracy:.1f}", f"{row.low:.1f}–{row.high:.1f}")
        for row in shown
    ]
    titles = ("", "coverage %", "accuracy %", "95 % interval")
    table = ReportTable.of(titles, rows, titles[1:])
    data = {row.way: row._asdict() for row in shown}
    return Reproduced(title, about, claims, [table], notes, data)
