"""Quality of classes, measured by the mutual information that they preserve."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roget.core.information import kl
from roget.core.types import Floats

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus


class Information(NamedTuple):
    """Mutual information between classes and contexts, and between words and contexts, in nats."""

    classes: float
    words: float


def information(thesaurus: Thesaurus) -> Information:
    """Return the mutual information of classes and contexts, and of words and contexts.

    I(classes; contexts) = Σ p(c)·KL(p(v|c) ‖ p(v)) is at most I(words; contexts).
    """
    kept = float(thesaurus.mass @ _divergences(thesaurus))
    return Information(kept, thesaurus.index.words.information)


def _divergences(thesaurus: Thesaurus) -> Floats:
    """Return KL(centroid ‖ average) of each cluster, reusing values from before the edits."""
    draft, profiles = thesaurus.edited, thesaurus.index.profiles
    if draft is None:
        return profiles.divergences
    learnt, known = draft.base.index.profiles, draft.memory.divergences
    units = draft.units()
    for cluster, some in enumerate(units):
        if some not in known:
            if len(some) == 1 and some[0] < learnt.mass.size:
                known[some] = float(learnt.divergences[some[0]])
            else:
                known[some] = kl(profiles.centroids[cluster], profiles.average)
    return np.array([known[some] for some in units])
