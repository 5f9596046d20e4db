"""Dependency relations by name or pattern, and the pairs they draw from parsed sentences.

A pattern is HEAD/label/DEPENDENT, for example `VERB/obj/NOUN`. HEAD and DEPENDENT are UPOS tags
(`NOUN,PROPN`) or `*`; label is dependency labels or globs (`nsubj*`), with `+case` where the
preposition belongs to the context's name: `VERB/obl+case/NOUN` gives contexts such as in:live.
The word is the dependent and the context its head; `~` before a name or pattern turns that round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from roget import catalogue
from roget.errors import InputError, UnknownName
from roget.learn.corpus.base import (
    NONE,
    Ids,
    Pairs,
    Strings,
    Tables,
    Tokens,
    add_tags,
    map_pairs,
)  # fmt: skip

UPOS = ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
        "PUNCT", "SCONJ", "SYM", "VERB", "X")  # fmt: skip
"""The universal parts of speech."""

NAMED = {
    "obj": "VERB/obj/NOUN",
    "subj": "VERB/nsubj/NOUN",
    "amod": "NOUN/amod/ADJ",
    "obl:prep": "VERB/obl+case/NOUN",
    "nmod:prep": "NOUN/nmod+case/NOUN",
}

ALL = "all"
"""Stands for every relation that roget has a name for."""

_ANY = "*"
_WITH_CASE = "+case"
_ROUND = "~"


@dataclass(frozen=True)
class Relation:
    """Which tokens pair with their heads, and how the contexts are named."""

    name: str
    """First part of the context's slot where several relations are counted together."""
    heads: tuple[str, ...]
    """UPOS tags; none: any."""
    labels: tuple[str, ...]
    """Dependency labels, or globs of them."""
    dependents: tuple[str, ...]
    case: bool = False
    """Only dependents with a preposition, which becomes part of the slot."""
    turned: bool = False
    """The head is the word, and the dependent its context."""

    @property
    def has_glob(self) -> bool:
        """Whether slots are named by the label met, not by the relation."""
        return any(sign in label for label in self.labels for sign in "*?[")

    def accepts(self, label: str) -> bool:
        """Whether a dependency label is one of the relation's."""
        return any(fnmatchcase(label, wanted) for wanted in self.labels)


def parse(names: Sequence[str]) -> tuple[Relation, ...]:
    """The relations that names and patterns stand for, each once.

    >>> [relation.name for relation in parse(["~amod", "VERB/nsubj:pass,obj/NOUN,PROPN"])]
    ['~amod', 'nsubj:pass,obj']
    """
    if not names:
        raise InputError(f"no relation: expected {ALL}, {', '.join(NAMED)} or a pattern")
    return tuple(dict.fromkeys(relation for text in names for relation in _parse(text.strip())))


def _parse(text: str) -> list[Relation]:
    if "," in text and "/" not in text:
        each = " ".join(f"-r {name.strip()}" for name in text.split(",") if name.strip())
        raise InputError(f"relation {text!r}: one at a time; repeat -r ({each}), or give a list")
    if text.startswith(_ROUND):
        return [
            replace(relation, name=_ROUND + relation.name, turned=True)
            for relation in _straight(text.removeprefix(_ROUND))
        ]
    return _straight(text)


def _straight(text: str) -> list[Relation]:
    if text == ALL:
        return [relation for name in NAMED for relation in _straight(name)]
    if "/" in text:
        return [_pattern(text)]
    return [replace(_pattern(pattern_of(text)), name=text.removesuffix(":prep"))]


def pattern_of(name: str) -> str:
    """The pattern of a relation that has a name."""
    try:
        pattern: str = catalogue.load("relations", name)
    except UnknownName:
        raise UnknownName("relation", name, [*catalogue.names("relations"), ALL]) from None
    return pattern


def _pattern(text: str) -> Relation:
    parts = text.split("/")
    if len(parts) != 3:
        raise InputError(
            f"relation {text!r} has {len(parts)} parts: expected HEAD/label/DEPENDENT, "
            "for example VERB/obj/NOUN"
        )
    heads, label, dependents = parts
    name, plus, after = label.partition("+")
    if plus + after not in ("", _WITH_CASE):
        raise InputError(f"relation {text!r}: {plus + after!r} after the label, expected +case")
    labels = tuple(name.split(","))
    if not all(labels):
        raise InputError(f"relation {text!r}: a label is empty (any label is written *)")
    return Relation(name, _tags(text, heads), labels, _tags(text, dependents), bool(plus))


def _tags(text: str, part: str) -> tuple[str, ...]:
    if part == _ANY:
        return ()
    tags = tuple(part.split(","))
    for tag in tags:
        if tag not in UPOS:
            raise InputError(
                f"relation {text!r}: unknown UPOS tag {tag!r}, expected * or some of "
                f"{', '.join(UPOS)}"
            )
    return tags


def parsed(tokens: Tokens) -> tuple[Ids, Ids, Ids]:
    """UPOS tags, heads and labels of a batch that must have them."""
    if tokens.upos is None or tokens.head is None or tokens.deprel is None:
        raise InputError("relations need parsed text, with UPOS tags, heads and labels")
    return tokens.upos, tokens.head, tokens.deprel


class Choice:
    """Says of ids whether their texts are accepted; each text is asked about once."""

    def __init__(self, strings: Strings, accepts: Callable[[str], bool]) -> None:
        self._strings, self._accepts = strings, accepts
        # The last place is that of the id NONE.
        self._answers = np.zeros(1, np.bool_)

    def __call__(self, ids: Ids) -> npt.NDArray[np.bool_]:
        new = self._strings.texts[len(self._answers) - 1 :]
        if new:
            answers = np.array([*map(self._accepts, new), False])
            self._answers = np.concatenate([self._answers[:-1], answers])
        return self._answers[ids]


class Prepositions:
    """The prepositions of tokens: their `case` children that are ADP, each with what is `fixed`."""

    def __init__(self, tables: Tables) -> None:
        self._words = tables.words
        self._case = Choice(tables.deprels, "case".__eq__)
        self._fixed = Choice(tables.deprels, "fixed".__eq__)
        self._adposition = Choice(tables.upos, "ADP".__eq__)
        self.strings = Strings()
        """The prepositions met so far: "in", "out_of"."""

    def __call__(self, tokens: Tokens) -> Ids:
        """For each token the id of its preposition among `strings`, or NONE."""
        upos, head, deprel = parsed(tokens)
        case = np.flatnonzero(self._case(deprel))
        case = case[self._adposition(upos[case]) & _worded(tokens, head, case)]
        is_case = np.zeros(len(tokens), np.bool_)
        is_case[case] = True
        fixed = np.flatnonzero(self._fixed(deprel))
        fixed = fixed[_worded(tokens, head, fixed)]
        fixed = fixed[is_case[head[fixed]]]
        part = np.concatenate([case, fixed])
        anchor = np.concatenate([case, head[fixed]])
        order = np.lexsort((part, part != anchor, anchor, head[anchor]))
        return self._join(tokens.word[part[order]], head[anchor[order]], len(tokens))

    def _join(self, words: Ids, owners: Ids, size: int) -> Ids:
        """For each token the id of its words, joined; words are sorted by owner."""
        starts = np.flatnonzero(np.diff(owners, prepend=NONE))
        more = np.diff(starts, append=len(owners)) > 1
        texts = self._words.texts
        found = np.full(size, NONE, np.int32)
        # Most prepositions are one word: those are looked up once for all tokens that have them.
        singles = starts[~more]
        distinct, places = np.unique(words[singles], return_inverse=True)
        ids = np.array([self.strings.id(texts[word]) for word in distinct.tolist()], np.int32)
        found[owners[singles]] = ids[places]
        ends = np.append(starts[1:], len(owners))
        for start, end in zip(starts[more].tolist(), ends[more].tolist(), strict=True):
            joined = "_".join(texts[word] for word in words[start:end].tolist())
            found[owners[start]] = self.strings.id(joined)
        return found


class Extractor:
    """Draws the pairs of some relations from batches of tokens.

    A pair that two relations match counts in each. Slots: for one relation alone, nothing or the
    preposition ("in"); for several, the relation's name first ("obj", "obl:in", "~amod").
    """

    def __init__(self, relations: Sequence[Relation], tables: Tables, tags: bool = False) -> None:
        self._relations, self._tables, self._tags = relations, tables, tags
        self._prepositions = Prepositions(tables)
        self._labels = [Choice(tables.deprels, one.accepts) for one in relations]
        self._dependents = [Choice(tables.upos, one.dependents.__contains__) for one in relations]
        self._heads = [Choice(tables.upos, one.heads.__contains__) for one in relations]

    def __call__(self, tokens: Tokens) -> Pairs:
        """The pairs of a batch, relation by relation."""
        upos, head, deprel = parsed(tokens)
        case = any(relation.case for relation in self._relations)
        preposition = self._prepositions(tokens) if case else head

        def words(at: npt.NDArray[np.integer[Any]]) -> Ids:
            own = tokens.word[at]
            return add_tags(own, upos[at], self._tables) if self._tags else own

        word, slot, context = [], [], []
        for i, relation in enumerate(self._relations):
            below = np.flatnonzero(self._labels[i](deprel))
            below = below[_worded(tokens, head, below)]
            below = below[tokens.word[head[below]] != NONE]
            if relation.dependents:
                below = below[self._dependents[i](upos[below])]
            if relation.heads:
                below = below[self._heads[i](upos[head[below]])]
            if relation.case:
                below = below[preposition[below] != NONE]
            above = head[below]
            slot.append(self._slots(relation, deprel[below], preposition[below]))
            word.append(words(above if relation.turned else below))
            context.append(words(below if relation.turned else above))
        return Pairs(np.concatenate(word), np.concatenate(slot), np.concatenate(context))

    def _slots(self, relation: Relation, labels: Ids, prepositions: Ids) -> Ids:
        alone = len(self._relations) == 1
        turned = _ROUND if relation.turned else ""
        by_label = relation.has_glob and not alone

        def slot(label: int, preposition: int) -> int:
            name = turned + self._tables.deprels.texts[label] if by_label else relation.name
            parts = [] if alone else [name]
            if relation.case:
                parts.append(self._prepositions.strings.texts[preposition])
            return self._tables.slots.id(":".join(parts))

        nothing = np.zeros_like(labels)
        return map_pairs(
            labels if by_label else nothing, prepositions if relation.case else nothing, slot
        )


def _worded(tokens: Tokens, head: Ids, at: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Which tokens have both a word and a head."""
    worded: npt.NDArray[np.bool_] = (tokens.word[at] != NONE) & (head[at] != NONE)
    return worded
