"""Convert TIGER dependencies, used by spaCy's German pipelines, to Universal Dependencies.

In TIGER, the head of a clause is its finite auxiliary, the head of a prepositional phrase is the
preposition, and a conjunction is the head of the conjunct that follows it. In Universal
Dependencies the heads are full verbs, nouns and first conjuncts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from roget.learn.corpus.base import NONE

_SIGNS = ("sb", "oa", "nk")
"""Labels that occur only in TIGER. Almost any German text contains at least one of them."""

_LABELS = {
    "ROOT": "root", "sb": "nsubj", "oa": "obj", "oa2": "obj", "da": "iobj", "og": "iobj",
    "ag": "nmod", "svp": "compound:prt", "app": "appos", "pnc": "flat", "rc": "acl:relcl",
    "cp": "mark", "cd": "cc", "cj": "conj", "ng": "advmod", "nmc": "nummod", "ac": "case",
    "pd": "xcomp", "ep": "expl", "ju": "cc", "vo": "vocative", "dm": "discourse", "rs": "parataxis",
}  # fmt: skip
"""Mapping from TIGER labels to Universal Dependencies labels."""
_INSIDE = {
    "ADJ": "amod", "DET": "det", "NUM": "nummod", "PRON": "det", "NOUN": "appos", "PROPN": "appos",
    "ADV": "advmod", "ADP": "case",
}  # fmt: skip
"""Universal Dependencies labels for parts of a noun phrase (nk in TIGER), by part of speech."""
_VERBAL = ("VERB", "AUX")
_CLAUSAL = (*_VERBAL, "ADJ", "ADV")
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "DET", "X")


class Sentences(NamedTuple):
    """Token columns of a batch of sentences. Labels and heads are modified in place."""

    labels: list[str]
    heads: list[int]
    upos: list[str]
    lemmas: list[str]
    tags: list[str]
    """STTS tags, which are "" if unknown."""


def is_tiger(labels: Collection[str]) -> bool:
    """Return True if any of the labels is used only by TIGER."""
    return any(sign in labels for sign in _SIGNS)


def make_universal(tokens: Sentences) -> None:
    """Convert heads and labels to Universal Dependencies in place."""
    below: list[list[int]] = [[] for _ in tokens.heads]
    for i, head in enumerate(tokens.heads):
        if head != NONE:
            below[head].append(i)
    _reverse_auxiliaries(tokens, below)
    for i, label in enumerate(list(tokens.labels)):
        if label == "cj":
            _join(tokens, i)
    _reverse_prepositions(tokens)
    for i, label in enumerate(tokens.labels):
        tokens.labels[i] = _rename(tokens, i, label)


def _reverse_auxiliaries(tokens: Sentences, below: list[list[int]]) -> None:
    """Attach the dependents of an auxiliary to its full verb or, for a copula, to the predicate."""
    labels, heads = tokens.labels, tokens.heads
    for i, tag in enumerate(tokens.upos):
        if tag != "AUX" or (heads[i] != NONE and tokens.upos[heads[i]] == "AUX"):
            continue
        # Follow the chain of auxiliaries ("wird gesehen worden sein") down to the full verb.
        verb, passive = i, False
        while tokens.upos[verb] == "AUX":
            after = [j for j in below[verb] if labels[j] == "oc" and tokens.upos[j] in _VERBAL]
            if not after:
                break
            passive = passive or tokens.lemmas[verb] == "werden"
            verb = after[-1]
        passive = passive and tokens.tags[verb] in ("VVPP", "")
        predicates = (
            [j for j in below[verb] if labels[j] == "pd"] if tokens.upos[verb] == "AUX" else []
        )
        target = predicates[-1] if predicates else verb
        if target == i:
            continue
        # Attach all auxiliaries of the chain to the target.
        above = {i}
        while verb != i and heads[verb] not in above and tokens.upos[heads[verb]] == "AUX":
            above.add(heads[verb])
        if verb != target:
            above.add(verb)
        for helper in above:
            for j in below[helper]:
                if j != target and labels[j] not in ("oc", "pd", "cd", "cj"):
                    heads[j] = target
                    if labels[j] == "sb" and passive:
                        labels[j] = "nsubj:pass"
        heads[target], labels[target] = heads[i], labels[i]
        for helper in above:
            heads[helper], labels[helper] = target, "cop" if predicates else "aux"


def _join(tokens: Sentences, i: int) -> None:
    """Attach a conjunct to the previous one, and the conjunction to the later conjunct."""
    above = tokens.heads[i]
    if above != NONE and tokens.labels[above] in ("cd", "cc") and tokens.heads[above] != NONE:
        tokens.heads[i], tokens.heads[above] = tokens.heads[above], i


def _reverse_prepositions(tokens: Sentences) -> None:
    """Attach each noun to the head of its preposition, and the preposition to the noun."""
    labels, heads, upos = tokens.labels, tokens.heads, tokens.upos
    for i, label in enumerate(list(labels)):
        above = heads[i]
        if label != "nk" or above == NONE or upos[above] != "ADP" or upos[i] not in _NOMINAL:
            continue
        governor, role = heads[above], labels[above]
        if role == "case":
            continue
        labels[i] = "cj" if role == "cj" else label_phrase(upos, governor, role == "sbp")
        heads[i] = governor
        heads[above], labels[above] = i, "case"


def label_phrase(upos: Sequence[str], above: int, agent: bool) -> str:
    """Return the label of a noun with a preposition.

    `above` is the head of the noun, or NONE for a root.
    """
    if above == NONE:
        return "root"
    if agent:
        return "obl:agent"
    return "obl" if upos[above] in _CLAUSAL else "nmod"


def _rename(tokens: Sentences, i: int, label: str) -> str:
    """Convert the TIGER label of a token to a Universal Dependencies label."""
    head = tokens.heads[i]
    above, own = ("" if head == NONE else tokens.upos[head]), tokens.upos[i]
    if label == "nk":
        both = own == above == "PROPN"
        return "flat" if both else _INSIDE.get(own, "dep")
    if label in ("mo", "mnr", "pg", "op", "sbp"):
        if own in ("ADV", "ADJ", "PART"):
            return "amod" if own == "ADJ" and above not in _CLAUSAL else "advmod"
        return "obl" if above in _CLAUSAL else "nmod"
    if label == "oc":
        return "xcomp" if own in _VERBAL else "ccomp"
    return _LABELS.get(label, label)
