"""Prepositional phrases that could belong to a verb or to its object, and to which they do.

A quadruple is a verb, its object, and the preposition and noun of a phrase after it: "saw the man
with a telescope" gives (see, man, with, telescope), V if the phrase is the verb's (`obl`) and N
if it is the object's (`nmod`). Only the first noun of either kind after an object is looked at: no
verb may stand before it, and exactly one of its `case` children must be an ADP.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from roget.core.quadruple import Quadruple
from roget.learn.corpus.base import NONE, Ids, Tables, Tokens
from roget.learn.corpus.relations import Choice, parsed

_Places = npt.NDArray[np.int64]


def quadruples(tokens: Tokens, tables: Tables) -> list[Quadruple]:
    """The quadruples of a batch, in the order of their objects."""
    upos, head, deprel = parsed(tokens)
    verb, noun, adposition = (
        Choice(tables.upos, tag.__eq__)(upos) for tag in ("VERB", "NOUN", "ADP")
    )
    obj, nmod, obl, case = (
        np.flatnonzero(Choice(tables.deprels, label.__eq__)(deprel) & (head != NONE) & kind)
        for label, kind in (("obj", noun), ("nmod", noun), ("obl", noun), ("case", adposition))
    )
    obj = obj[verb[head[obj]] & (head[obj] < obj)]
    objects, phrases = _first_phrases(obj, nmod, obl, head)
    verbs_before = np.cumsum(verb)
    cases = np.bincount(head[case], minlength=len(tokens))
    good = (verbs_before[phrases] == verbs_before[objects]) & (cases[phrases] == 1)
    objects, phrases = objects[good], phrases[good]
    preposition = np.full(len(tokens), NONE)
    preposition[head[case]] = case
    places = np.stack([head[objects], objects, preposition[phrases], phrases], axis=1)
    words = tokens.word[places]
    texts = tables.words.texts
    return [
        Quadruple(texts[v], texts[n], texts[p], texts[m], "N" if of_object else "V")
        for (v, n, p, m), of_object in zip(words.tolist(), head[phrases] == objects, strict=True)
        if NONE not in (v, n, p, m)
    ]


def _first_phrases(obj: _Places, nmod: _Places, obl: _Places, head: Ids) -> tuple[_Places, _Places]:
    """Objects with the first noun after each that modifies it or its verb."""
    of_object = nmod[np.isin(head[nmod], obj)]
    # A verb may have several objects: each is joined to each phrase of the verb.
    by_verb = obj[np.argsort(head[obj], kind="stable")]
    low, high = (np.searchsorted(head[by_verb], head[obl], side) for side in ("left", "right"))
    many = high - low
    nth = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    objects = np.concatenate([head[of_object], by_verb[np.repeat(low, many) + nth]])
    phrases = np.concatenate([of_object, np.repeat(obl, many)])
    later = phrases > objects
    objects, phrases = objects[later], phrases[later]
    order = np.argsort(phrases, kind="stable")
    distinct, first = np.unique(objects[order], return_index=True)
    return distinct, phrases[order][first]
