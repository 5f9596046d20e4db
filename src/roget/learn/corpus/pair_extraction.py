"""Extract word–context pairs and PP attachment quadruples from parsed sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from roget.core.quadruple import Quadruple
from roget.core.types import BoolArray, Codes, Ints
from roget.learn.corpus.base import (
    NONE,
    Ids,
    PairColumns,
    Strings,
    Tables,
    TextFilter,
    Tokens,
    add_tags,
    map_pairs,
    require_parse,
)
from roget.learn.corpus.relations import Relation


class Prepositions:
    """Find the prepositions of tokens.

    A preposition is a `case` child with the tag ADP, plus its `fixed` children.
    """

    def __init__(self, tables: Tables) -> None:
        self._words = tables.words
        self._case = TextFilter(tables.deprels, "case".__eq__)
        self._fixed = TextFilter(tables.deprels, "fixed".__eq__)
        self._adposition = TextFilter(tables.upos, "ADP".__eq__)
        self._particle = TextFilter(tables.upos, "PART".__eq__)
        self.strings = Strings()
        """Distinct prepositions that have been found, such as "in" and "out_of"."""

    def __call__(self, tokens: Tokens) -> Ids:
        """Return the preposition of each token as an id in `strings`, or NONE."""
        upos, head, deprel = require_parse(tokens)
        case = np.flatnonzero(self._case(deprel))
        case = case[self._adposition(upos[case]) & _has_word_and_head(tokens, head, case)]
        is_case = np.zeros(len(tokens), np.bool_)
        is_case[case] = True
        # In "out of", the word "of" is attached as `fixed` to the `case` token "out".
        fixed = np.flatnonzero(self._fixed(deprel))
        fixed = fixed[_has_word_and_head(tokens, head, fixed)]
        fixed = fixed[is_case[head[fixed]]]
        part = np.concatenate([case, fixed])
        anchor = np.concatenate([case, head[fixed]])
        # Sort the words of prepositions by the token that has the preposition, then by preposition.
        # The first word (the anchor) precedes its fixed words.
        order = np.lexsort((part, part != anchor, anchor, head[anchor]))
        return self._join(tokens.word[part[order]], head[anchor[order]], len(tokens))

    def find_bare(self, tokens: Tokens) -> BoolArray:
        """Return a mask of tokens without a preposition. The English genitive 's does not count."""
        upos, head, deprel = require_parse(tokens)
        marks = self._case(deprel) & (head != NONE) & ~self._particle(upos)
        bare = np.ones(len(tokens), np.bool_)
        bare[head[marks]] = False
        return bare

    def _join(self, words: Ids, owners: Ids, size: int) -> Ids:
        """Join the words of each preposition by underscores. Return one id per token, or NONE.

        `words` must be sorted by `owners`, the tokens that have the prepositions.
        """
        starts = np.flatnonzero(np.diff(owners, prepend=NONE))
        is_long = np.diff(starts, append=len(owners)) > 1
        texts = self._words.texts
        ids = np.full(size, NONE, np.int32)
        # Most prepositions are a single word. Look up each one only once.
        singles = starts[~is_long]
        distinct, places = np.unique(words[singles], return_inverse=True)
        single_ids = [self.strings.id(texts[word].lower()) for word in distinct.tolist()]
        ids[owners[singles]] = np.array(single_ids, np.int32)[places]
        ends = np.append(starts[1:], len(owners))
        for start, end in zip(starts[is_long].tolist(), ends[is_long].tolist(), strict=True):
            joined = "_".join(texts[word].lower() for word in words[start:end].tolist())
            ids[owners[start]] = self.strings.id(joined)
        return ids


class Conjuncts:
    """Find conjuncts that share the syntactic role of the first conjunct.

    They must have the same part of speech.
    """

    def __init__(self, tables: Tables) -> None:
        self._conj = TextFilter(tables.deprels, lambda label: label.partition(":")[0] == "conj")

    def __call__(self, tokens: Tokens) -> tuple[Ints, Ints]:
        """Return the second and later conjuncts, and the first conjunct of each."""
        upos, head, deprel = require_parse(tokens)
        first = np.arange(len(tokens))
        later = np.flatnonzero(self._conj(deprel) & (head != NONE))
        later = later[upos[later] == upos[head[later]]]
        first[later] = head[later]
        # Follow chains of conjuncts by pointer doubling. After k rounds, first[i] is 2^k steps up.
        # A chain stays within a sentence, so log2(longest sentence) rounds suffice.
        for _ in range(int(np.diff(tokens.starts, prepend=0).max(initial=0)).bit_length()):
            firsts = first[first[later]]
            if np.array_equal(firsts, first[later]):
                break
            first[later] = firsts
        # A cyclic chain has no first conjunct, so drop tokens that still point to a later conjunct.
        ends = np.ones(len(tokens), np.bool_)
        ends[later] = False
        later = later[ends[first[later]]]
        return later, first[later]


class _Batch:
    """A batch of tokens, with properties that several relations need."""

    def __init__(
        self,
        tokens: Tokens,
        prepositions: Prepositions,
        conjuncts: Conjuncts,
        relations: Sequence[Relation],
    ) -> None:
        self.tokens = tokens
        self.upos, self.head, self.deprel = require_parse(tokens)
        has_case = any(relation.case for relation in relations)
        self.preposition = prepositions(tokens) if has_case else self.head
        has_bare = any(relation.bare for relation in relations)
        self.is_bare = prepositions.find_bare(tokens) if has_bare else None
        self.later = self.first = np.empty(0, np.intp)
        if any(relation.conjuncts for relation in relations):
            later, first = conjuncts(tokens)
            has_word = tokens.word[later] != NONE
            self.later, self.first = later[has_word], first[has_word]


class Extractor:
    """Extract word–context pairs from batches of tokens, for one or more relations.

    A pair that matches two relations is counted for both. With a single relation, the name of a
    context includes at most the preposition ("in"). With several relations, it begins with the name
    of the relation ("obj", "obl:in", "~amod").
    """

    def __init__(self, relations: Sequence[Relation], tables: Tables, tags: bool = False) -> None:
        self._relations, self._tables, self._tags = relations, tables, tags
        self._prepositions, self._conjuncts = Prepositions(tables), Conjuncts(tables)
        self._labels = [TextFilter(tables.deprels, one.accepts) for one in relations]
        self._dependents = [
            TextFilter(tables.upos, one.dependents.__contains__) for one in relations
        ]
        self._heads = [TextFilter(tables.upos, one.heads.__contains__) for one in relations]

    def __call__(self, tokens: Tokens) -> PairColumns:
        """Return the pairs of a batch, relation by relation."""
        batch = _Batch(tokens, self._prepositions, self._conjuncts, self._relations)
        slots, words_at, contexts_at = [], [], []
        for i, relation in enumerate(self._relations):
            below, origin, preposition = self._match(i, batch)
            above = batch.head[origin]
            slots.append(self._make_slots(relation, batch.deprel[origin], preposition))
            words_at.append(above if relation.transposed else below)
            contexts_at.append(below if relation.transposed else above)
        at, context_at = np.concatenate(words_at), np.concatenate(contexts_at)
        return PairColumns(
            self._get_words(batch, at),
            np.concatenate(slots),
            self._get_words(batch, context_at),
            places=tokens.find_places(at, context_at),
        )

    def _match(self, i: int, batch: _Batch) -> tuple[Codes, Codes, Ids]:
        """Return the dependents that match a relation, with their origin tokens and prepositions.

        The origin is the dependent itself or, for a later conjunct, the first conjunct. Its head is
        the other word of the pair.
        """
        relation, tokens, head = self._relations[i], batch.tokens, batch.head
        # Apply the most selective condition first.
        below = np.flatnonzero(self._labels[i](batch.deprel))
        below = below[_has_word_and_head(tokens, head, below)]
        below = below[tokens.word[head[below]] != NONE]
        if relation.dependents:
            below = below[self._dependents[i](batch.upos[below])]
        if relation.heads:
            below = below[self._heads[i](batch.upos[head[below]])]
        origin = below
        if relation.conjuncts:
            is_below = np.zeros(len(tokens), np.bool_)
            is_below[below] = True
            joined = is_below[batch.first]
            below = np.concatenate([below, batch.later[joined]])
            origin = np.concatenate([origin, batch.first[joined]])
        preposition = batch.preposition[below]
        if relation.case:
            # In "in towns and villages", the second conjunct inherits the preposition of the first.
            preposition = np.where(preposition == NONE, batch.preposition[origin], preposition)
            has = preposition != NONE
            below, origin, preposition = below[has], origin[has], preposition[has]
        if relation.bare and batch.is_bare is not None:
            has = batch.is_bare[below] & batch.is_bare[origin]
            below, origin, preposition = below[has], origin[has], preposition[has]
        return below, origin, preposition

    def _get_words(self, batch: _Batch, at: Codes) -> Ids:
        """Return the word ids of the given tokens. Tags are appended to the words if requested."""
        words = batch.tokens.word[at]
        return add_tags(words, batch.upos[at], self._tables) if self._tags else words

    def _make_slots(self, relation: Relation, labels: Ids, prepositions: Ids) -> Ids:
        """Return the ids of relation and preposition for each pair."""
        is_alone = len(self._relations) == 1 and not relation.named
        sign = "~" if relation.transposed else ""
        has_glob = any(mark in label for label in relation.labels for mark in "*?[")
        by_label = has_glob and not is_alone and not relation.named

        def make_slot(label: int, preposition: int) -> int:
            name = sign + self._tables.deprels.texts[label] if by_label else relation.name
            parts = [] if is_alone else [name]
            if relation.case:
                parts.append(self._prepositions.strings.texts[preposition])
            return self._tables.slots.id(":".join(parts))

        nothing = np.zeros_like(labels)
        return map_pairs(
            labels if by_label else nothing, prepositions if relation.case else nothing, make_slot
        )


def _has_word_and_head(tokens: Tokens, head: Ids, at: npt.NDArray[np.intp]) -> BoolArray:
    """Return a mask of tokens that have both a word and a head."""
    return np.asarray((tokens.word[at] != NONE) & (head[at] != NONE))


def extract_quadruples(tokens: Tokens, tables: Tables) -> list[Quadruple]:
    """Return quadruples for prepositional phrases that may modify a verb or its object.

    A quadruple consists of a verb, its object, and the preposition and noun of the phrase that
    follows the object: "saw the man with a telescope" gives (see, man, with, telescope). Its label
    is V if the phrase modifies the verb (`obl`) and N if it modifies the object (`nmod`). Only the
    first such noun after an object is used. There must be no verb between the object and the noun,
    and the noun must have exactly one `case` child tagged ADP.
    """
    upos, head, deprel = require_parse(tokens)
    verb, noun, adposition = (
        TextFilter(tables.upos, tag.__eq__)(upos) for tag in ("VERB", "NOUN", "ADP")
    )
    obj, nmod, obl, case = (
        np.flatnonzero(TextFilter(tables.deprels, label.__eq__)(deprel) & (head != NONE) & kind)
        for label, kind in (("obj", noun), ("nmod", noun), ("obl", noun), ("case", adposition))
    )
    obj = obj[verb[head[obj]] & (head[obj] < obj)]
    objects, phrases = _find_first_phrases(obj, nmod, obl, head)
    # If there is no verb between two tokens, both have the same cumulative count of verbs.
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


def _find_first_phrases(obj: Ints, nmod: Ints, obl: Ints, head: Ids) -> tuple[Ints, Ints]:
    """Pair each object with the first later noun that modifies the object or its verb."""
    of_object = nmod[np.isin(head[nmod], obj)]
    # A verb may have several objects. Pair each object with each phrase of its verb. With objects
    # sorted by verb, phrase i pairs with objects low[i], …, high[i] - 1.
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
