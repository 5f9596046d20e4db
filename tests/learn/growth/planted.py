"""A taxonomy and counts in which it is known where each word belongs."""

from __future__ import annotations

import numpy as np

from roget.core.counts import Counts
from roget.learn.taxonomy.taxonomy import Taxonomy

AREAS, CLASSES, WORDS = 4, 3, 14
SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "pa", "ri", "su", "ta", "ve", "zo"]


def plant(unknown=2, seed=0, tokens=60):
    """Areas of classes of words, of which the last are not in the taxonomy; and where they belong.

    Words of a class share contexts, those of an area some more; the names of words say nothing.
    """
    rng = np.random.default_rng(seed)
    taxonomy, truth, words, rows = Taxonomy("planted"), {}, [], []
    taxonomy.labels["top"] = "everything"
    for area in range(AREAS):
        taxonomy.labels[f"a{area}"] = f"area {area}"
        taxonomy.parents[f"a{area}"] = ["top"]
        for number in range(CLASSES):
            name = f"c{area}{number}"
            taxonomy.labels[name] = f"class {area} {number}"
            taxonomy.parents[name] = [f"a{area}"]
            for at in range(WORDS):
                word = "".join(rng.choice(SYLLABLES, 4)) + f"{len(words):03}"
                words.append(word)
                if at < WORDS - unknown:
                    taxonomy.add(word, name)
                else:
                    truth[word] = name
                p = np.full(AREAS * CLASSES * 8 + AREAS * 8 + 10, 0.2)
                first = (area * CLASSES + number) * 8
                p[first : first + 8] += 6
                p[AREAS * CLASSES * 8 + area * 8 :][:8] += 2
                rows.append(rng.multinomial(tokens, p / p.sum()))
    contexts = [f"obj:v{at}" for at in range(len(rows[0]))]
    return taxonomy, Counts(np.array(rows), words, contexts), truth
