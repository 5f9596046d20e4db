"""Join the particles of separable verbs to the verb, so "fängt … an" is counted as anfangen.

In treebanks of languages such as German and Dutch, the lemma of a verb lacks the particle. The
particle is a separate token with the label `compound:prt`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roget.learn.corpus.base import NONE, Tables, TextFilter, Tokens, map_pairs, require_parse

SEPARABLE = ("af", "de", "nl", "lb", "hu")
"""Languages whose dictionaries list separable verbs with the particle as a prefix (anfangen)."""


class Particles:
    """Joins particles to their verbs in batches of tokens."""

    def __init__(self, tables: Tables) -> None:
        self._words = tables.words
        self._particle = TextFilter(
            tables.deprels, lambda label: label in ("compound:prt", "compound:preverb")
        )
        self._verb = TextFilter(tables.upos, ("VERB", "AUX").__contains__)

    def __call__(self, tokens: Tokens) -> Tokens:
        upos, head, deprel = require_parse(tokens)
        at = np.flatnonzero(self._particle(deprel) & (tokens.word != NONE) & (head != NONE))
        at = at[self._verb(upos[head[at]]) & (tokens.word[head[at]] != NONE)]
        # If a verb has two particles, use the first.
        _, first = np.unique(head[at], return_index=True)
        at = at[first]
        word = tokens.word.copy()
        word[head[at]] = map_pairs(tokens.word[at], tokens.word[head[at]], self._join)
        word[at] = NONE
        return replace(tokens, word=word)

    def _join(self, particle: int, verb: int) -> int:
        """Return the id of the verb with the particle as a prefix."""
        prefix, stem = self._words.texts[particle].lower(), self._words.texts[verb]
        # Some treebanks include the particle in the lemma.
        return verb if stem.lower().startswith(prefix) else self._words.id(prefix + stem)
