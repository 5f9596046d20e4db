"""Opening what a model may learn from besides its quadruples."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from roget.core.counts import Counts
from roget.core.quadruple import Quadruple
from roget.errors import InputError
from roget.learn.attachment.spaces import Sources
from roget.learn.opening import open_classes, open_counts

OWN = 0.5
"""Where more of the quadruples than this are bundled ones, these are no other text."""


def sources_of(
    quads: Sequence[Quadruple], pairs: Any, thesauri: Sequence[Any], wordnet: Any
) -> Sources:
    """Counts, quadruples of other text, and thesauri, opened where they are given by name."""
    from roget.data import sample

    counts = sample("verb_slot_noun") if pairs is None else _counts(pairs)
    others = sample("pp_quads")
    bundled = {one[:4] for one in others}
    if sum(one[:4] in bundled for one in quads) > OWN * len(quads):
        # A test on the rest of the sample would find its own answers there.
        others = []
    nouns, verbs = [_thesaurus(one) for one in thesauri], []
    if wordnet is not None:
        from roget.learn.taxonomy import taxonomy_of

        nouns.append(taxonomy_of(wordnet, part="noun"))
        verbs.append(taxonomy_of(wordnet, part="verb"))
    return Sources(counts, others, nouns, verbs)


def _counts(pairs: Any) -> Counts:
    if isinstance(pairs, Counts):
        return pairs
    if isinstance(pairs, str | os.PathLike):
        return open_counts(pairs, sample="verb_slot_noun")[0]
    raise InputError(f"pairs {type(pairs).__name__}: expected Counts, or the name of their file")


def _thesaurus(given: Any) -> Any:
    """A thesaurus as it is, or read from its folder or file."""
    return open_classes(given) if isinstance(given, str | os.PathLike) else given
