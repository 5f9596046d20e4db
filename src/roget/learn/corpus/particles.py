"""Separable verbs, put together again: "fängt … an" is anfangen, as it is where it stands whole.

Treebanks of languages such as German and Dutch give the verb's lemma without its particle, which
stands apart under a label of its own (`compound:prt`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roget.learn.corpus.base import NONE, Tables, Tokens, map_pairs
from roget.learn.corpus.relations import RelationFilter, need_parse

SEPARABLE = ("af", "de", "nl", "lb", "hu")
"""Languages whose dictionaries have the particle before the verb; others say "give up"."""


class Particles:
    """Joins particles to the verbs they belong to, in batches of tokens."""

    def __init__(self, tables: Tables) -> None:
        self._words = tables.words
        self._particle = RelationFilter(
            tables.deprels, lambda label: label in ("compound:prt", "compound:preverb")
        )
        self._verb = RelationFilter(tables.upos, ("VERB", "AUX").__contains__)

    def __call__(self, tokens: Tokens) -> Tokens:
        """The batch with whole verbs, and no word where a particle stood."""
        upos, head, deprel = need_parse(tokens)
        at = np.flatnonzero(self._particle(deprel) & (tokens.word != NONE) & (head != NONE))
        at = at[self._verb(upos[head[at]]) & (tokens.word[head[at]] != NONE)]
        # Of two particles the nearer one would win by chance: the first is taken.
        _, first = np.unique(head[at], return_index=True)
        at = at[first]
        word = tokens.word.copy()
        word[head[at]] = map_pairs(tokens.word[at], tokens.word[head[at]], self._join)
        word[at] = NONE
        return replace(tokens, word=word)

    def _join(self, particle: int, verb: int) -> int:
        before, stem = self._words.texts[particle].lower(), self._words.texts[verb]
        # Some treebanks have the particle in the lemma as well.
        return verb if stem.lower().startswith(before) else self._words.id(before + stem)
