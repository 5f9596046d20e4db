"""The "chain" model (Li & Abe 1996).

The model tries a thesaurus, WordNet and lexical association in this order. If none of them decides,
it chooses the noun.
"""

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
from roget.core.contents import (
    CSR,
    put_under,
    require_arrays,
    require_csr,
    require_range,
    require_texts,
    take_under,
)
from roget.core.counts import Counts
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
from roget.learn.options import RULES
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut import TreeCut

LEARNT, LEAST = 1000, 5
"""Size of a thesaurus learnt from counts: maximum number of nouns, and minimum count of a noun."""
WORDS, MDL, MLE, WORDNET = "words", "MDL thesaurus", "MLE thesaurus", "WordNet"
ASSOCIATION, DEFAULT = "lexical association", "default"

PRINTED = "printed"

PAIRS = 1 << 16
"""Number of (word, head) pairs to compute in one batch."""


@dataclass
class Chain:
    """The model used by `Attacher(model="chain")`: a sequence of estimates of p(noun|head).

    The head is the verb or the first noun. For both heads, an estimate multiplies p(noun2|head,
    preposition) by the association of the head with the preposition. The larger product decides. If
    both are equal, the next estimate is tried.

    Tree cuts and associations are smoothed. Word frequencies are not. With `rule="printed"`,
    nothing is smoothed, and associations form a separate stage.
    """

    forms: Forms
    association: Association
    preferences: dict[str, AttachmentPreference]
    order: list[str]
    rule: str = RULES[0]

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages, in the order in which they are tried."""
        return (*self.order, ASSOCIATION, DEFAULT)

    @classmethod
    def fit(
        cls,
        quads: Sequence[Quadruple],
        sources: Sources,
        seed: int,
        dev: Sequence[Quadruple] | None,
        report: Callable[[float, str], None],
        rule: str = RULES[0],
    ) -> tuple[Self, None]:
        """Learn from labelled quadruples. `dev` is ignored."""
        forms = sources.forms()
        normal = forms.normal(quads)
        answers = check_answers(quads)
        report(0.02, "nouns after each head")
        pairs = [
            (other_name(quad.noun2), _head(quad, noun))
            for quad, noun in zip(normal, answers, strict=True)
        ]
        preferences = {WORDS: by_words(pairs)}
        # Fit a tree cut for each head in each thesaurus (Li & Abe 1996, section 4).
        trees = _trees(quads, normal, sources, seed, report)
        for at, (name, tree) in enumerate(trees.items()):
            report(0.7 + 0.25 * at / len(trees), f"cuts of {name}")
            preferences[name] = by_cut(tree, pairs)
        # The maximum likelihood thesaurus is not a stage. Its accuracy is reported for comparison.
        order = [name for name in trees if name != MLE]
        others = [(LemmatisedQuadruple(*one[:4]), one.attachment == NOUN) for one in sources.quads]
        association = Association.from_quadruples(normal, answers, others)
        return cls(forms, association, preferences, order, rule), None

    def probability(self, quads: Sequence[Quadruple]) -> tuple[Floats, Ints]:
        """Return p(N) and the deciding stage for each quadruple."""
        normal = self.forms.normal(quads)
        default = len(self.stages) - 1
        ratio, stage = np.zeros(len(normal)), np.full(len(normal), default)
        found = [
            *(self.ratio(name, normal) for name in self.order),
            self.association.log_ratio(normal),
        ]
        # The first estimate that is defined and not a tie decides.
        for at, one in enumerate(found):
            fresh = (stage == default) & ~np.isnan(one) & (one != 0)
            ratio[fresh], stage[fresh] = one[fresh], at
        return expit(ratio), stage

    def ratio(self, name: str, quads: Sequence[LemmatisedQuadruple]) -> Floats:
        """Return the log odds of N for each quadruple, or NaN if both products are 0."""
        words = [other_name(quad.noun2) for quad in quads]
        sides = []
        for noun in (True, False):
            own = self.preferences[name]
            heads = [_head(quad, noun) for quad in quads]
            # With `rule="printed"`, compare p(noun2|verb, prep) with p(noun2|noun1, prep), as in
            # the paper.
            plain = name == WORDS or self.rule == PRINTED
            p = own.probability(words, heads) if plain else own.smooth(words, heads)
            if self.rule != PRINTED:
                p = p * self.association.share(quads, noun)
            sides.append(p)
        ours, its = sides
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(ours / its)
        # Treat products that differ only by rounding as a tie.
        return np.where((ours > 0) & np.isclose(ours, its, rtol=1e-9, atol=0), 0.0, ratio)

    def table(self, quads: Any, truth: Any, right: Any, stage: Any) -> list[BackoffStage]:
        """Return the results of each estimate alone, then of the chain up to each stage."""
        normal = self.forms.normal(quads)
        rows = []
        for name in self.preferences:
            found = self.ratio(name, normal)
            rows.append(
                BackoffStage.measure(name, ~np.isnan(found) & (found != 0), (found > 0) == truth)
            )
        for at in range(1, len(self.stages)):
            names = self.stages[: at + 1]
            name = " + ".join(names) if at < len(self.order) else f"+ {names[-1]}"
            rows.append(BackoffStage.measure(name, stage <= at, right))
        return rows

    def content(self) -> dict[str, Any]:
        """Return JSON values and arrays for the model folder, keyed by name."""
        kept: dict[str, Any] = {"verbs": self.forms.verbs, "nouns": self.forms.nouns}
        kept |= {"order": self.order, "names": list(self.preferences), "rule": self.rule}
        for at, one in enumerate(self.preferences.values()):
            kept |= put_under(f"preference{at}", one.content())
        return kept | put_under("association", self.association.content())

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Restore an instance from stored values."""
        require_texts(kept, "names", "order")
        # Model folders written by early versions do not store the rule.
        rule = kept.get("rule", RULES[0])
        if rule not in RULES:
            raise ValueError(f"invalid rule {rule!r}")
        if not {*kept["order"]} <= {*kept["names"]}:
            raise ValueError(f"'order' {kept['order']} must list only names in {kept['names']}")
        preferences = {
            name: AttachmentPreference.read(take_under(f"preference{at}", kept))
            for at, name in enumerate(kept["names"])
        }
        association = Association.read(take_under("association", kept))
        forms = read_forms(kept)
        return cls(forms, association, preferences, kept["order"], rule)


def _head(quad: LemmatisedQuadruple, noun: bool) -> str:
    """Return the key of a head (the verb or the first noun) with its preposition."""
    kind, word = ("N", quad.noun1) if noun else ("V", quad.verb)
    return head_of(kind, word, quad.preposition)


def _trees(
    quads: Sequence[Quadruple],
    normal: Sequence[LemmatisedQuadruple],
    sources: Sources,
    seed: int,
    report: Callable[[float, str], None],
) -> dict[str, Any]:
    """Return the thesauri by name, including WordNet if it was passed.

    If no thesaurus was passed, two thesauri are learnt from the counts.
    """
    thesauri = list(sources.thesauri)
    wordnet = [thesauri.pop()] if sources.verbs else []
    trees: dict[str, Any] = {}
    if thesauri:
        names = ["thesaurus", *(f"thesaurus {at}" for at in range(2, len(thesauri) + 1))]
        trees = dict(zip(names, thesauri, strict=True))
    else:
        counts = _counts(quads, normal, sources)
        for name, kind, begin in ((MDL, "mdl", 0.05), (MLE, "mle", 0.4)):
            report(begin, name)
            clusterer = catalogue.load("clusterers", "mdl")
            with ignore_trivial():  # Maximum likelihood puts every noun in a separate cluster.
                model = clusterer(estimator=kind, random_state=seed).fit(counts)
            trees[name] = Thesaurus.from_clustering(counts, model)
    return trees | dict(zip((WORDNET,), wordnet, strict=False))


def _counts(
    quads: Sequence[Quadruple], normal: Sequence[LemmatisedQuadruple], sources: Sources
) -> Counts:
    """Return counts of the most frequent nouns, from the given counts and the quadruples."""
    words, contexts, matrix = tabulate(tables(quads, normal, sources)[1])
    # Skip columns that begin with ^: they are surface features of words, not contexts.
    counted = [at for at, name in enumerate(contexts) if not name.startswith("^")]
    counts = Counts(matrix[:, counted], words, [contexts[at] for at in counted])
    return counts.min_count(words=LEAST, contexts=2).top(LEARNT)


class AttachmentPreference:
    """An estimate of p(noun|head) = Σ_c share(noun, c) · density(head, c) over classes c.

    shares: a csr_array of shape (words, classes). density: a csr_array of shape (heads, classes).
    times: occurrences of each head.
    """

    def __init__(
        self, words: list[str], heads: list[str], shares: Any, density: Any, times: Floats
    ) -> None:
        self.words, self.heads = words, heads
        self.shares, self.density, self.times = shares, density, times
        self._words = {word: at for at, word in enumerate(self.words)}
        self._heads = {head: at for at, head in enumerate(self.heads)}

    def probability(self, words: Sequence[str], heads: Sequence[str]) -> Floats:
        """Return p(word|head) for each pair, or 0 if the word or the head is unknown."""
        rows = np.array([self._words.get(word, -1) for word in words], dtype=np.int64)
        columns = np.array([self._heads.get(head, -1) for head in heads], dtype=np.int64)
        out = np.zeros(rows.size)
        known = np.flatnonzero((rows >= 0) & (columns >= 0))
        for begin in range(0, known.size, PAIRS):
            part = known[begin : begin + PAIRS]
            cells = self.shares[rows[part]].multiply(self.density[columns[part]])
            out[part] = np.asarray(cells.sum(axis=1)).ravel()
        return out

    def smooth(self, words: Sequence[str], heads: Sequence[str]) -> Floats:
        """Return p(word|head), smoothed by one pseudo-count.

        The pseudo-count is distributed like the words after all heads with the same part of speech
        and preposition.
        """
        places = [self._heads.get(head, -1) for head in heads]
        times = np.append(self.times, 0.0)[places]
        usual = self.probability(words, [kind_of(head) for head in heads])
        return np.asarray((times * self.probability(words, heads) + usual) / (times + 1))

    def content(self) -> dict[str, Any]:
        """Return the values to store in a model folder."""
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
        """Restore an instance from stored values."""
        require_texts(kept, "words", "heads")
        shapes = {"shares": len(kept["words"]), "density": len(kept["heads"])}
        require_arrays(kept, {"times": ("iuf", (len(kept["heads"]),))})
        for name in ("times", "shares_data", "density_data"):
            require_range(name, kept[name], 0, math.inf)
        shares, density = (
            require_csr([kept[f"{name}_{part}"] for part in CSR], (rows, kept["n_classes"]))
            for name, rows in shapes.items()
        )
        return cls(kept["words"], kept["heads"], shares, density, kept["times"])


def head_of(kind: str, word: str, preposition: str) -> str:
    """Return the key of a verb (V) or noun (N) with a preposition. The word "" means all words."""
    return f"{kind}\t{word}\t{preposition}"


def kind_of(head: str) -> str:
    """Return the key for all heads with the same part of speech and preposition."""
    kind, *_, preposition = head.split("\t")
    return head_of(kind, "", preposition)


def by_words(pairs: Iterable[tuple[str, str]]) -> AttachmentPreference:
    """Estimate p(noun|head) from the relative frequencies of (noun, head) pairs."""
    words, heads, matrix = tabulate(Counter(pairs))
    totals = np.asarray(matrix.sum(axis=0)).ravel()
    density = sparse.csr_array((matrix / totals[None, :]).T)
    return AttachmentPreference(
        words, heads, sparse.eye_array(len(words), format="csr"), density, totals
    )


def by_cut(thesaurus: Any, pairs: Iterable[tuple[str, str]]) -> AttachmentPreference:
    """Estimate p(noun|head) from (noun, head) pairs by tree cuts of a thesaurus.

    For all heads of one kind (see `kind_of`), average their cuts, weighted by occurrences.
    """
    # 1. Fit a tree cut for each head (Li & Abe 1998).
    words, heads, matrix = tabulate(Counter(pairs))
    model = TreeCut(thesaurus).fit(Counts(matrix, words, heads))
    density = model.density_
    # 2. Keep only classes that occur in a cut, and the words in them.
    used = np.flatnonzero(np.bincount(density.indices, minlength=density.shape[1]))
    shares = sparse.csr_array(model.hierarchy_.shares[:, used])
    known = np.flatnonzero(np.diff(shares.indptr))
    spelt = [str(word).lower() for word in model.hierarchy_.words[known]]
    # Words that differ only in case share the row of the first one.
    first = {word: at for at, word in reversed(list(enumerate(spelt)))}
    rows = np.array(list(first.values()), dtype=np.int64)
    times = np.asarray(matrix.sum(axis=0)).ravel()
    kinds, kind = np.unique([kind_of(head) for head in heads], return_inverse=True)
    # 3. Add a row for each kind of head: the mean of its heads' cuts, weighted by occurrences.
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
