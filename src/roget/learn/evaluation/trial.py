"""What classes are worth to words they were made for: tokens held out, predicted with and without.

The classes are learnt again, as many and as sharp, from nine tokens in ten; so this costs about as
much as learning them, without the search for their number.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.progress import Progress, Report
from roget.learn.clustering import tokens as heldout

KEPT = 0.9
LEAST = 100
"""With fewer held-out tokens nothing is said."""


def trial(
    counts: Counts, model: Any, seed: int | None, tell: Report | None = None
) -> dict[str, float] | None:
    """Bits per held-out token: by all words' contexts, the word's classes, the word, and both.

    Word and classes are backed off to the contexts of all; for `both`, the word to its classes
    first.
    None where that cannot be told: counts are fractional or few, or Ctrl-C ended it. `tell` is
    called as the clusterer calls its `progress`, with "trial" besides.
    """
    if counts.matrix.dtype.kind != "i":
        return None
    train, held = counts.split(KEPT, random_state=seed)
    if held.total < LEAST:
        return None
    progress = None if tell is None else lambda now: tell(_mark(now))
    again = model.renew(progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again.fit(train)
    if again.interrupted_:
        return None
    tokens = heldout.cells(train.matrix, held.matrix)
    classes = tokens.predicted(again.membership_, again.centroids_)
    predicted = {
        "all": tokens.unigram,
        "class": heldout.weigh(tokens, classes),
        "word": heldout.backoff(tokens),
        "both": heldout.backoff(tokens, classes),
    }
    losses = {name: bits(tokens.loss(values)) for name, values in predicted.items()}
    return {"tokens": float(held.total), **losses}


def _mark(now: Progress) -> Progress:
    return replace(now, facts={**now.facts, "trial": True})
