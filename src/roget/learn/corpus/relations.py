"""Dependency relations by name or pattern, and the pairs they draw from parsed sentences.

A pattern is HEAD/label/DEPENDENT, for example `VERB/obj/NOUN`. HEAD and DEPENDENT are UPOS tags
(`NOUN,PROPN`) or `*`; label is dependency labels or globs (`nsubj*`), `!` before those to pass
over, with `+case` where the preposition belongs to the context's name (`VERB/obl+case/NOUN` gives
contexts such as in:live), `+bare` where there must be none (the genitive of "das Haus des
Vaters"), and `+conj` where conjuncts stand in the place of the first one.
The word is the dependent and the context its head; `~` before a name or pattern turns that round.
`SLOT=` before all of it names the contexts, so that several patterns can share a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from roget import catalogue
from roget.core.quadruple import Quadruple
from roget.core.types import BoolArray, Codes, Ints
from roget.errors import InputError
from roget.learn.corpus.base import (
    NONE,
    Ids,
    PairColumns,
    Strings,
    Tables,
    Tokens,
    add_tags,
    map_pairs,
)

UPOS = ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
        "PUNCT", "SCONJ", "SYM", "VERB", "X")  # fmt: skip
"""The universal parts of speech."""

# Who does it where another makes them do it, and what is done to something, have labels of their
# own: "il fait manger les enfants" (obj:agent), and the object after Chinese 把 (obl:patient).
_OBJECT = "obj,obj:*,!obj:agent,dobj,nsubj:pass,nsubjpass,obl:patient+conj"
_SUBJECT = (
    "nsubj,nsubj:*,!nsubj:pass,!nsubj:outer,!nsubj:caus,obl:agent,nmod:agent,obj:agent,iobj:agent"
    "+conj"
)
_RECEIVER = "iobj,iobj:*,!iobj:agent+conj"
_DATIVE = "obl:arg+bare+conj"
_OBLIQUE = "obl,obl:*,nmod,!obl:agent,!obl:patient+case+conj"
_NOMINAL = "nmod,nmod:*,!nmod:poss,!nmod:agent+case+conj"
_GENITIVE = "nmod,nmod:g*+bare+conj"
_SAID_OF = "nsubj,nsubj:*,!nsubj:outer+conj"


def _nominals(tag: str) -> tuple[str, ...]:
    """What tells nouns, or names, apart."""
    return (
        f"obj=VERB/{_OBJECT}/{tag}",
        f"subj=VERB/{_SUBJECT}/{tag}",
        f"iobj=VERB/{_RECEIVER}/{tag}",
        f"iobj=VERB/{_DATIVE}/{tag}",
        f"~amod=~{tag}/amod,amod:*+conj/ADJ",
        f"~amod=ADJ/{_SAID_OF}/{tag}",  # "the milk is cold" tells as much as "cold milk"
        f"obl=VERB/{_OBLIQUE}/{tag}",
        f"nmod=NOUN,PROPN/{_NOMINAL}/{tag}",
        f"~nmod=~{tag}/{_NOMINAL}/NOUN,PROPN",
        f"nmod=NOUN,PROPN/{_GENITIVE}/{tag}",
        f"~nmod=~{tag}/{_GENITIVE}/NOUN,PROPN",
        f"~nmod:poss=~{tag}/nmod:poss/NOUN,PROPN",
        f"compound=NOUN,PROPN/compound/{tag}",
        f"~compound=~{tag}/compound/NOUN,PROPN",
        f"conj=NOUN,PROPN/conj/{tag}",
        f"conj=~{tag}/conj/NOUN,PROPN",
    )


NAMED: dict[str, str | tuple[str, ...]] = {
    "obj": "VERB/obj/NOUN",
    "subj": "VERB/nsubj/NOUN",
    "amod": "NOUN/amod/ADJ",
    "obl:prep": "VERB/obl+case/NOUN",
    "nmod:prep": "NOUN/nmod+case/NOUN",
    "nouns": _nominals("NOUN"),
    "verbs": (
        f"~obj=~VERB/{_OBJECT}/NOUN,PROPN",
        f"~subj=~VERB/{_SUBJECT}/NOUN,PROPN",
        f"~iobj=~VERB/{_RECEIVER}/NOUN,PROPN",
        f"~iobj=~VERB/{_DATIVE}/NOUN,PROPN",
        f"~obl=~VERB/{_OBLIQUE}/NOUN,PROPN",
        "~advmod=~VERB/advmod,advmod:*/ADV,ADJ",
        "~prt=~VERB/compound:prt/ADP,ADV",
        "xcomp=VERB/xcomp,ccomp/VERB",
        "~xcomp=~VERB/xcomp,ccomp/VERB",
        "conj=VERB/conj/VERB",
        "conj=~VERB/conj/VERB",
    ),
    "adjectives": (
        "amod=NOUN,PROPN/amod,amod:*+conj/ADJ",
        f"amod=~ADJ/{_SAID_OF}/NOUN,PROPN",
        f"~obl=~ADJ/{_OBLIQUE}/NOUN,PROPN",
        "advmod=VERB/advmod,advmod:*/ADJ",
        "~advmod=~ADJ/advmod,advmod:*/ADV",
        "xcomp=VERB/xcomp/ADJ",
        "conj=ADJ/conj/ADJ",
        "conj=~ADJ/conj/ADJ",
    ),
    "names": (
        *_nominals("PROPN"),
        "appos=NOUN,PROPN/appos/PROPN",
        "appos=~PROPN/appos/NOUN,PROPN",
        "flat=PROPN/flat,flat:*/PROPN",
        "~flat=~PROPN/flat,flat:*/PROPN",
    ),
    "all": ("nouns", "verbs", "adjectives", "names"),
}
"""Patterns by name; several for a preset, which may also name others."""

ALL = "all"
"""The preset whose words are of several parts of speech, which they keep: drink/VERB."""

_ROUND = "~"
_MORE = {"case": "+case", "conj": "+conj", "bare": "+bare"}


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
    conjuncts: bool = False
    """Conjuncts of a dependent that are of its part of speech pair with its head too."""
    bare: bool = False
    """Only dependents without a preposition."""
    named: bool = False
    """The name is asked for: it is the slot's, also of one relation alone."""

    def accepts(self, label: str) -> bool:
        """Whether a dependency label is one of the relation's."""
        passed = any(fnmatchcase(label, one[1:]) for one in self.labels if one[0] == "!")
        return not passed and any(fnmatchcase(label, wanted) for wanted in self.labels)


def parse(names: Sequence[str]) -> tuple[Relation, ...]:
    """The relations that names and patterns stand for, each once.

    >>> [relation.name for relation in parse(["~amod", "VERB/nsubj:pass,obj/NOUN,PROPN"])]
    ['~amod', 'nsubj:pass,obj']
    """
    if not names:
        raise InputError(f"no relation: expected {', '.join(NAMED)} or a pattern")
    return tuple(dict.fromkeys(relation for text in names for relation in _parse(text.strip())))


def _parse(text: str) -> list[Relation]:
    if "," in text and "/" not in text:
        each = " ".join(f"-r {name.strip()}" for name in text.split(",") if name.strip())
        _refuse(text, f"one at a time; repeat -r ({each}), or give a list")
    if "/" in text:
        slot, equals, pattern = text.rpartition("=")
        straight = pattern.removeprefix(_ROUND)
        found = [_pattern(straight)]
        if equals:
            named = replace(found[0], name=slot, turned=straight != pattern, named=True)
            return [named] if slot else _refuse(text, "no slot before =")
    else:
        straight, pattern = text.removeprefix(_ROUND), text
        meant = meaning_of(text)
        if isinstance(meant, str):
            found = [replace(one, name=straight.removesuffix(":prep")) for one in _parse(meant)]
        else:
            found = [one for each in meant for one in _parse(each)]
    return found if straight == pattern else [*map(_turn, found)]


def _turn(one: Relation) -> Relation:
    name = one.name.removeprefix(_ROUND) if one.turned else _ROUND + one.name
    return replace(one, name=name, turned=not one.turned)


def meaning_of(name: str) -> str | Sequence[str]:
    """The pattern that a name stands for, which is one itself, or those of a preset."""
    if "/" in name:
        return name
    found: str | Sequence[str] = catalogue.load("relations", name.removeprefix(_ROUND))
    return found


def slots_of(names: Sequence[str]) -> list[str]:
    """The names that slots of these relations begin with, each once."""
    return list(dict.fromkeys(relation.name for relation in parse(names)))


def _refuse(text: str, why: str) -> NoReturn:
    raise InputError(f"relation {text!r}: {why}")


def _pattern(text: str) -> Relation:
    parts = text.split("/")
    if len(parts) != 3:
        raise InputError(
            f"relation {text!r} has {len(parts)} parts: expected HEAD/label/DEPENDENT, "
            "for example VERB/obj/NOUN"
        )
    heads, label, dependents = parts
    name, *more = label.split("+")
    for one in more:
        if one not in _MORE:
            _refuse(text, f"{f'+{one}'!r} after the label, expected {' or '.join(_MORE.values())}")
    labels = tuple(name.split(","))
    if not all(one.removeprefix("!") for one in labels):
        _refuse(text, "a label is empty (any label is written *)")
    case, conjuncts, bare = (one in more for one in _MORE)
    if case and bare:
        _refuse(text, "+case wants a preposition and +bare none: expected one of them")
    tags = _tags(text, heads), labels, _tags(text, dependents)
    return Relation(name, *tags, case, conjuncts=conjuncts, bare=bare)


def _tags(text: str, part: str) -> tuple[str, ...]:
    if part == "*":
        return ()
    tags = tuple(part.split(","))
    for tag in tags:
        if tag not in UPOS:
            _refuse(text, f"unknown UPOS tag {tag!r}, expected * or some of {', '.join(UPOS)}")
    return tags


def need_parse(tokens: Tokens) -> tuple[Ids, Ids, Ids]:
    """UPOS tags, heads and labels of a batch that must have them."""
    if tokens.upos is None or tokens.head is None or tokens.deprel is None:
        lacking = {"UPOS tags": tokens.upos, "heads": tokens.head, "labels": tokens.deprel}
        gone = ", no ".join(name for name, column in lacking.items() if column is None)
        raise InputError(
            f"relations need parsed text, and this has no {gone}: count neighbours with --window 2"
        )
    return tokens.upos, tokens.head, tokens.deprel


class RelationFilter:
    """Says of ids whether their texts are accepted; each text is asked about once."""

    def __init__(self, strings: Strings, accepts: Callable[[str], bool]) -> None:
        self._strings, self._accepts = strings, accepts
        # The last place is that of the id NONE.
        self._answers = np.zeros(1, np.bool_)

    def __call__(self, ids: Ids) -> BoolArray:
        new = self._strings.texts[len(self._answers) - 1 :]
        if new:
            answers = np.array([*map(self._accepts, new), False])
            self._answers = np.concatenate([self._answers[:-1], answers])
        return self._answers[ids]


class Prepositions:
    """The prepositions of tokens: their `case` children that are ADP, each with what is `fixed`."""

    def __init__(self, tables: Tables) -> None:
        self._words = tables.words
        self._case = RelationFilter(tables.deprels, "case".__eq__)
        self._fixed = RelationFilter(tables.deprels, "fixed".__eq__)
        self._adposition = RelationFilter(tables.upos, "ADP".__eq__)
        self._particle = RelationFilter(tables.upos, "PART".__eq__)
        self.strings = Strings()
        """The prepositions met so far: "in", "out_of"."""

    def __call__(self, tokens: Tokens) -> Ids:
        """For each token the id of its preposition among `strings`, or NONE."""
        upos, head, deprel = need_parse(tokens)
        case = np.flatnonzero(self._case(deprel))
        case = case[self._adposition(upos[case]) & _find_worded(tokens, head, case)]
        is_case = np.zeros(len(tokens), np.bool_)
        is_case[case] = True
        fixed = np.flatnonzero(self._fixed(deprel))
        fixed = fixed[_find_worded(tokens, head, fixed)]
        fixed = fixed[is_case[head[fixed]]]
        part = np.concatenate([case, fixed])
        anchor = np.concatenate([case, head[fixed]])
        order = np.lexsort((part, part != anchor, anchor, head[anchor]))
        return self._join(tokens.word[part[order]], head[anchor[order]], len(tokens))

    def find_bare(self, tokens: Tokens) -> BoolArray:
        """Which tokens have nothing for a preposition; the particle of a genitive is none."""
        upos, head, deprel = need_parse(tokens)
        marks = self._case(deprel) & (head != NONE) & ~self._particle(upos)
        bare = np.ones(len(tokens), np.bool_)
        bare[head[marks]] = False
        return bare

    def _join(self, words: Ids, owners: Ids, size: int) -> Ids:
        """For each token the id of its words, joined; words are sorted by owner."""
        starts = np.flatnonzero(np.diff(owners, prepend=NONE))
        more = np.diff(starts, append=len(owners)) > 1
        texts = self._words.texts
        found = np.full(size, NONE, np.int32)
        # Most prepositions are one word: those are looked up once for all tokens that have them.
        singles = starts[~more]
        distinct, places = np.unique(words[singles], return_inverse=True)
        ids = np.array(
            [self.strings.id(texts[word].lower()) for word in distinct.tolist()], np.int32
        )
        found[owners[singles]] = ids[places]
        ends = np.append(starts[1:], len(owners))
        for start, end in zip(starts[more].tolist(), ends[more].tolist(), strict=True):
            joined = "_".join(texts[word].lower() for word in words[start:end].tolist())
            found[owners[start]] = self.strings.id(joined)
        return found


class Conjuncts:
    """The tokens that stand in the place of a first conjunct of the same part of speech."""

    def __init__(self, tables: Tables) -> None:
        self._conj = RelationFilter(tables.deprels, lambda label: label.partition(":")[0] == "conj")

    def __call__(self, tokens: Tokens) -> tuple[Ints, Ints]:
        """Those tokens, and the first conjunct of each."""
        upos, head, deprel = need_parse(tokens)
        first = np.arange(len(tokens))
        later = np.flatnonzero(self._conj(deprel) & (head != NONE))
        later = later[upos[later] == upos[head[later]]]
        first[later] = head[later]
        # A chain ends within its sentence; if it runs in a circle, it has no first conjunct.
        for _ in range(int(np.diff(tokens.starts, prepend=0).max(initial=0)).bit_length()):
            firsts = first[first[later]]
            if np.array_equal(firsts, first[later]):
                break
            first[later] = firsts
        ends = np.ones(len(tokens), np.bool_)
        ends[later] = False
        later = later[ends[first[later]]]
        return later, first[later]


class Extractor:
    """Draws the pairs of some relations from batches of tokens.

    A pair that two relations match counts in each. Slots: for one relation alone, nothing or the
    preposition ("in"); for several, the relation's name first ("obj", "obl:in", "~amod").
    """

    def __init__(self, relations: Sequence[Relation], tables: Tables, tags: bool = False) -> None:
        self._relations, self._tables, self._tags = relations, tables, tags
        self._prepositions, self._conjuncts = Prepositions(tables), Conjuncts(tables)
        self._has_bare = any(relation.bare for relation in relations)
        self._labels = [RelationFilter(tables.deprels, one.accepts) for one in relations]
        self._dependents = [
            RelationFilter(tables.upos, one.dependents.__contains__) for one in relations
        ]
        self._heads = [RelationFilter(tables.upos, one.heads.__contains__) for one in relations]

    def __call__(self, tokens: Tokens) -> PairColumns:
        """The pairs of a batch, relation by relation."""
        upos, head, deprel = need_parse(tokens)
        case = any(relation.case for relation in self._relations)
        preposition = self._prepositions(tokens) if case else head
        is_bare = self._prepositions.find_bare(tokens) if self._has_bare else None
        later = first = np.empty(0, np.intp)
        if any(relation.conjuncts for relation in self._relations):
            later, first = self._conjuncts(tokens)
            worded = tokens.word[later] != NONE
            later, first = later[worded], first[worded]

        def words(at: Codes) -> Ids:
            own = tokens.word[at]
            return add_tags(own, upos[at], self._tables) if self._tags else own

        slots, words_at, contexts_at = [], [], []
        for i, relation in enumerate(self._relations):
            below = np.flatnonzero(self._labels[i](deprel))
            below = below[_find_worded(tokens, head, below)]
            below = below[tokens.word[head[below]] != NONE]
            if relation.dependents:
                below = below[self._dependents[i](upos[below])]
            if relation.heads:
                below = below[self._heads[i](upos[head[below]])]
            origin = below
            if relation.conjuncts:
                is_below = np.zeros(len(tokens), np.bool_)
                is_below[below] = True
                joined = is_below[first]
                below = np.concatenate([below, later[joined]])
                origin = np.concatenate([origin, first[joined]])
            found = preposition[below]
            if relation.case:
                # "in towns and villages": the first one's preposition, unless there is another.
                found = np.where(found == NONE, preposition[origin], found)
                has = found != NONE
                below, origin, found = below[has], origin[has], found[has]
            if relation.bare and is_bare is not None:
                has = is_bare[below] & is_bare[origin]
                below, origin, found = below[has], origin[has], found[has]
            above = head[origin]
            slots.append(self._slots(relation, deprel[origin], found))
            words_at.append(above if relation.turned else below)
            contexts_at.append(below if relation.turned else above)
        at, beside = np.concatenate(words_at), np.concatenate(contexts_at)
        places = tokens.find_places(at, beside)
        return PairColumns(words(at), np.concatenate(slots), words(beside), places=places)

    def _slots(self, relation: Relation, labels: Ids, prepositions: Ids) -> Ids:
        alone = len(self._relations) == 1 and not relation.named
        turned = _ROUND if relation.turned else ""
        has_glob = any(sign in label for label in relation.labels for sign in "*?[")
        by_label = has_glob and not alone and not relation.named

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


def _find_worded(tokens: Tokens, head: Ids, at: npt.NDArray[np.intp]) -> BoolArray:
    """Which tokens have both a word and a head."""
    return np.asarray((tokens.word[at] != NONE) & (head[at] != NONE))


def quadruples(tokens: Tokens, tables: Tables) -> list[Quadruple]:
    """The prepositional phrases of a batch that could belong to a verb or to its object.

    A quadruple is a verb, its object, and the preposition and noun of a phrase after it: "saw the
    man with a telescope" gives (see, man, with, telescope), V if the phrase is the verb's (`obl`)
    and N if it is the object's (`nmod`). Only the first noun of either kind after an object is
    looked at: no verb may stand before it, and exactly one of its `case` children must be an ADP.
    """
    upos, head, deprel = need_parse(tokens)
    verb, noun, adposition = (
        RelationFilter(tables.upos, tag.__eq__)(upos) for tag in ("VERB", "NOUN", "ADP")
    )
    obj, nmod, obl, case = (
        np.flatnonzero(RelationFilter(tables.deprels, label.__eq__)(deprel) & (head != NONE) & kind)
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


def _first_phrases(obj: Ints, nmod: Ints, obl: Ints, head: Ids) -> tuple[Ints, Ints]:
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
