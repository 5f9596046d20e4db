"""The chain of Li & Abe (1996): thesaurus, WordNet, lexical association, and else the noun."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import expit

from roget import catalogue
from roget.core.counts import Counts
from roget.core.folder import (
    CSR,
    need_arrays,
    need_csr,
    need_range,
    need_texts,
    put_under,
    take_under,
)
from roget.core.quadruple import Quadruple
from roget.core.types import Floats, Ints
from roget.learn.attachment.quads import (
    NOUN,
    Forms,
    LemmatisedQuadruple,
    check_answers,
    other_name,
    read_forms,
)
from roget.learn.attachment.sources import Sources, tables, tabulate
from roget.learn.attachment.statistics import Association, BackoffStage
from roget.learn.clustering.notices import ignore_trivial
from roget.learn.command_options import RULES
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut import TreeCut

LEARNT, LEAST = 1000, 5
"""Nouns in a thesaurus that is learnt, and how often each must have been seen."""
WORDS, MDL, MLE, WORDNET = "words", "MDL thesaurus", "MLE thesaurus", "WordNet"
ASSOCIATION, DEFAULT = "lexical association", "default"

PRINTED = "printed"

PAIRS = 1 << 16
"""Words and heads whose probabilities are worked out at a time."""


@dataclass
class Chain:
    """What `Attacher(model="chain")` learns: p(noun|head) in several ways, and which come first.

    A way decides for the noun where p(noun2|noun, prep) times its association with the preposition
    is larger than the same of the verb, for the verb where it is smaller, and leaves ties and zeros
    to the next. Cuts are smoothed as associations are, words are not. By the rule "printed" there
    is neither smoothing nor association before it is association's turn.
    """

    forms: Forms
    association: Association
    preferences: dict[str, AttachmentPreference]
    order: list[str]
    rule: str = RULES[0]

    @property
    def stages(self) -> tuple[str, ...]:
        """What decides, the first of them first."""
        return (*self.order, ASSOCIATION, DEFAULT)

    @classmethod
    def fit(
        cls,
        quads: Sequence[Quadruple],
        sources: Sources,
        seed: int,
        dev: Sequence[Quadruple] | None,
        tell: Callable[[float, str], None],
        rule: str = RULES[0],
    ) -> tuple[Self, None]:
        """Learn from answered quadruples; those for development are not needed."""
        forms = sources.forms()
        normal = forms.normal(quads)
        answers = check_answers(quads)
        tell(0.02, "heads and their nouns")
        pairs = [
            (other_name(quad.noun2), _head(quad, noun))
            for quad, noun in zip(normal, answers, strict=True)
        ]
        preferences = {WORDS: by_words(pairs)}
        trees = _trees(quads, normal, sources, seed, tell)
        for at, (name, tree) in enumerate(trees.items()):
            tell(0.7 + 0.25 * at / len(trees), f"cuts of {name}")
            preferences[name] = by_cut(tree, pairs)
        order = [name for name in trees if name != MLE]
        others = [(LemmatisedQuadruple(*one[:4]), one.attachment == NOUN) for one in sources.quads]
        association = Association.of(normal, answers, others)
        return cls(forms, association, preferences, order, rule), None

    def probability(self, quads: Sequence[Quadruple]) -> tuple[Floats, Ints]:
        """p(N) of each quadruple, and which stage decided."""
        normal = self.forms.normal(quads)
        default = len(self.stages) - 1
        ratio, stage = np.zeros(len(normal)), np.full(len(normal), default)
        found = [
            *(self.ratio(name, normal) for name in self.order),
            self.association.log_ratio(normal),
        ]
        for at, one in enumerate(found):
            fresh = (stage == default) & ~np.isnan(one) & (one != 0)
            ratio[fresh], stage[fresh] = one[fresh], at
        return expit(ratio), stage

    def ratio(self, name: str, quads: Sequence[LemmatisedQuadruple]) -> Floats:
        """log of the noun's part over the verb's; NaN where both are 0."""
        words = [other_name(quad.noun2) for quad in quads]
        sides = []
        for noun in (True, False):
            own = self.preferences[name]
            heads = [_head(quad, noun) for quad in quads]
            plain = name == WORDS or self.rule == PRINTED
            p = own.probability(words, heads) if plain else own.smoothed(words, heads)
            if self.rule != PRINTED:
                p = p * self.association.share(quads, noun)
            sides.append(p)
        ours, its = sides
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(ours / its)
        # Rounding must not decide between equals.
        return np.where((ours > 0) & np.isclose(ours, its, rtol=1e-9, atol=0), 0.0, ratio)

    def table(self, quads: Any, truth: Any, right: Any, stage: Any) -> list[BackoffStage]:
        """Each way alone, then the chain as it grows: which share it decides, and how well."""
        normal = self.forms.normal(quads)
        rows = []
        for name in self.preferences:
            found = self.ratio(name, normal)
            rows.append(
                BackoffStage.of(name, ~np.isnan(found) & (found != 0), (found > 0) == truth)
            )
        for at in range(1, len(self.stages)):
            names = self.stages[: at + 1]
            name = " + ".join(names) if at < len(self.order) else f"+ {names[-1]}"
            rows.append(BackoffStage.of(name, stage <= at, right))
        return rows

    def content(self) -> dict[str, Any]:
        """What is to be kept: plain values and arrays, under names of one level."""
        kept: dict[str, Any] = {"verbs": self.forms.verbs, "nouns": self.forms.nouns}
        kept |= {"order": self.order, "names": list(self.preferences), "rule": self.rule}
        for at, one in enumerate(self.preferences.values()):
            kept |= put_under(f"preference{at}", one.content())
        return kept | put_under("association", self.association.content())

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        need_texts(kept, "names", "order")
        # Folders of older versions have no rule.
        rule = kept.get("rule", RULES[0])
        if rule not in RULES or not {*kept["order"]} <= {*kept["names"]}:
            raise ValueError(f"no chain: {rule!r}, {kept['order']} of {kept['names']}")
        preferences = {
            name: AttachmentPreference.read(take_under(f"preference{at}", kept))
            for at, name in enumerate(kept["names"])
        }
        association = Association.read(take_under("association", kept))
        forms = read_forms(kept)
        return cls(forms, association, preferences, kept["order"], rule)


def _head(quad: LemmatisedQuadruple, noun: bool) -> str:
    """The head whose phrase it would be, with its preposition."""
    kind, word = ("N", quad.noun1) if noun else ("V", quad.verb)
    return head_of(kind, word, quad.preposition)


def _trees(
    quads: Sequence[Quadruple],
    normal: Sequence[LemmatisedQuadruple],
    sources: Sources,
    seed: int,
    tell: Callable[[float, str], None],
) -> dict[str, Any]:
    """Thesauri by name: those given, or else learnt ones; and WordNet."""
    given = list(sources.thesauri)
    wordnet = [given.pop()] if sources.verbs else []
    trees: dict[str, Any] = {}
    if given:
        names = ["thesaurus", *(f"thesaurus {at}" for at in range(2, len(given) + 1))]
        trees = dict(zip(names, given, strict=True))
    else:
        counts = _counts(quads, normal, sources)
        for name, kind, begin in ((MDL, "mdl", 0.05), (MLE, "mle", 0.4)):
            tell(begin, name)
            clusterer = catalogue.load("clusterers", "mdl")
            with ignore_trivial():  # maximum likelihood isolates every noun
                model = clusterer(estimator=kind, random_state=seed).fit(counts)
            trees[name] = Thesaurus.from_clustering(counts, model)
    return trees | dict(zip((WORDNET,), wordnet, strict=False))


def _counts(
    quads: Sequence[Quadruple], normal: Sequence[LemmatisedQuadruple], sources: Sources
) -> Counts:
    """The nouns that were seen most, with their contexts in the counts and in the quadruples."""
    words, contexts, matrix = tabulate(tables(quads, normal, sources)[1])
    counted = [at for at, name in enumerate(contexts) if not name.startswith("^")]
    counts = Counts(matrix[:, counted], words, [contexts[at] for at in counted])
    return counts.min_count(words=LEAST, contexts=2).top(LEARNT)


class AttachmentPreference:
    """p(noun|head) = Σ share of the noun in a class · density of the class with the head.

    shares: csr_array, words × classes. density: csr_array, heads × classes. times: how often each
    head was seen.
    """

    def __init__(
        self, words: list[str], heads: list[str], shares: Any, density: Any, times: Floats
    ) -> None:
        self.words, self.heads = words, heads
        self.shares, self.density, self.times = shares, density, times
        self._words = {word: at for at, word in enumerate(self.words)}
        self._heads = {head: at for at, head in enumerate(self.heads)}

    def probability(self, words: Sequence[str], heads: Sequence[str]) -> Floats:
        """p of each word with the head beside it; 0 where either is not known."""
        rows = np.array([self._words.get(word, -1) for word in words], dtype=np.int64)
        columns = np.array([self._heads.get(head, -1) for head in heads], dtype=np.int64)
        out = np.zeros(rows.size)
        known = np.flatnonzero((rows >= 0) & (columns >= 0))
        for begin in range(0, known.size, PAIRS):
            part = known[begin : begin + PAIRS]
            cells = self.shares[rows[part]].multiply(self.density[columns[part]])
            out[part] = np.asarray(cells.sum(axis=1)).ravel()
        return out

    def smoothed(self, words: Sequence[str], heads: Sequence[str]) -> Floats:
        """p of each word with the head beside it, as if seen once more like its kind of head."""
        places = [self._heads.get(head, -1) for head in heads]
        times = np.append(self.times, 0.0)[places]
        usual = self.probability(words, [kind_of(head) for head in heads])
        return np.asarray((times * self.probability(words, heads) + usual) / (times + 1))

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        kept: dict[str, Any] = {
            "words": self.words,
            "heads": self.heads,
            "n_classes": self.shares.shape[1],
            "times": self.times,
        }
        for name, table in (("shares", self.shares), ("density", self.density)):
            kept |= {f"{name}_{part}": getattr(table, part) for part in CSR}
        return kept

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        need_texts(kept, "words", "heads")
        shapes = {"shares": len(kept["words"]), "density": len(kept["heads"])}
        need_arrays(kept, {"times": ("iuf", (len(kept["heads"]),))})
        for name in ("times", "shares_data", "density_data"):
            need_range(name, kept[name], 0, math.inf)
        shares, density = (
            need_csr([kept[f"{name}_{part}"] for part in CSR], (rows, kept["n_classes"]))
            for name, rows in shapes.items()
        )
        return cls(kept["words"], kept["heads"], shares, density, kept["times"])


def head_of(kind: str, word: str, preposition: str) -> str:
    """A verb (V) or noun (N) with its preposition; all of the kind with it, if the word is ""."""
    return f"{kind}\t{word}\t{preposition}"


def kind_of(head: str) -> str:
    """All heads of the same kind with the same preposition."""
    kind, *_, preposition = head.split("\t")
    return head_of(kind, "", preposition)


def by_words(pairs: Iterable[tuple[str, str]]) -> AttachmentPreference:
    """Shares of words themselves, of pairs (noun, head) that were seen."""
    words, heads, matrix = tabulate(Counter(pairs))
    totals = np.asarray(matrix.sum(axis=0)).ravel()
    density = sparse.csr_array((matrix / totals[None, :]).T)
    return AttachmentPreference(
        words, heads, sparse.eye_array(len(words), format="csr"), density, totals
    )


def by_cut(thesaurus: Any, pairs: Iterable[tuple[str, str]]) -> AttachmentPreference:
    """The tree cuts of a thesaurus for the heads of pairs (noun, head) that were seen.

    Kinds of heads have the mean of the cuts of theirs.
    """
    words, heads, matrix = tabulate(Counter(pairs))
    model = TreeCut(thesaurus).fit(Counts(matrix, words, heads))
    density = model.density_
    used = np.flatnonzero(np.bincount(density.indices, minlength=density.shape[1]))
    shares = sparse.csr_array(model.hierarchy_.shares[:, used])
    known = np.flatnonzero(np.diff(shares.indptr))
    spelt = [str(word).lower() for word in model.hierarchy_.words[known]]
    # Where two words differ by capitals only, the more common spelling comes first.
    first = {word: at for at, word in reversed(list(enumerate(spelt)))}
    rows = np.array(list(first.values()), dtype=np.int64)
    times = np.asarray(matrix.sum(axis=0)).ravel()
    kinds, kind = np.unique([kind_of(head) for head in heads], return_inverse=True)
    seen = sparse.csr_array((times, (kind, np.arange(times.size))))
    totals = np.asarray(seen.sum(axis=1)).ravel()
    density = density[:, used]
    density = sparse.vstack([density, (seen @ density).multiply(1 / totals[:, None])])
    return AttachmentPreference(
        list(first),
        [*heads, *kinds.tolist()],
        shares[known[rows]],
        sparse.csr_array(density),
        np.append(times, totals),
    )
