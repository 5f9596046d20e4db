"""The chain of Li & Abe (1996): thesaurus, WordNet, lexical association, and else the noun."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from roget.core.quadruple import Quadruple
from roget.learn.attachment.association import Association
from roget.learn.attachment.preference import Preference, by_cut, by_words, head_of
from roget.learn.attachment.quads import NOUN
from roget.learn.attachment.spaces import Sources, tables
from roget.learn.attachment.words import Forms, Normal, make_forms, other_name

if TYPE_CHECKING:
    from roget.core.counts import Counts

Floats = npt.NDArray[np.float64]
Row = tuple[str, float, float | None]

LEARNT, LEAST = 1000, 5
"""Nouns in a thesaurus that is learnt, and how often each must have been seen."""
WORDS, MDL, MLE, WORDNET = "words", "MDL thesaurus", "MLE thesaurus", "WordNet"
ASSOCIATION, DEFAULT = "lexical association", "default"


class Chain:
    """What `Attacher(model="chain")` learns: p(noun|head) in several ways, and which come first.

    A way decides for the noun where p(noun2|noun, prep) times its association with the preposition
    is larger than the same of the verb, for the verb where it is smaller, and leaves ties and zeros
    to the next. Cuts are smoothed as associations are, words are not.
    """

    def __init__(
        self,
        forms: Forms,
        association: Association,
        preferences: Mapping[str, Preference],
        order: Sequence[str],
    ) -> None:
        self.forms, self.association = forms, association
        self.preferences, self.order = dict(preferences), list(order)
        self.stages = (*self.order, ASSOCIATION, DEFAULT)

    @classmethod
    def fit(
        cls,
        quads: Sequence[Quadruple],
        sources: Sources,
        seed: int,
        dev: Sequence[Quadruple] | None = None,
        progress: Callable[[float, str], None] | None = None,
    ) -> tuple[Self, None]:
        """Learn from answered quadruples; those for development are not needed."""
        tell = progress or (lambda done, what: None)
        forms = sources.forms()
        normal = forms.normal(quads)
        answers = [one.attachment == NOUN for one in quads]
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
        others = [(Normal(*one[:4]), one.attachment == NOUN) for one in sources.quads]
        return cls(forms, Association.of(normal, answers, others), preferences, order), None

    def probability(self, quads: Sequence[Quadruple]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """p(N) of each quadruple, and which stage decided."""
        normal = self.forms.normal(quads)
        ratio, stage = np.zeros(len(normal)), np.full(len(normal), len(self.stages) - 1)
        for at, name in enumerate(self.order):
            found = self.ratio(name, normal)
            fresh = (stage == len(self.stages) - 1) & ~np.isnan(found) & (found != 0)
            ratio[fresh], stage[fresh] = found[fresh], at
        found = self.association.log_ratio(normal)
        fresh = (stage == len(self.stages) - 1) & (found != 0)
        ratio[fresh], stage[fresh] = found[fresh], len(self.order)
        return expit(ratio), stage

    def ratio(self, name: str, quads: Sequence[Normal]) -> Floats:
        """log of the noun's part over the verb's; NaN where both are 0."""
        words = [other_name(quad.noun2) for quad in quads]
        sides = []
        for noun in (True, False):
            own = self.preferences[name]
            heads = [_head(quad, noun) for quad in quads]
            p = own.probability(words, heads) if name == WORDS else own.smoothed(words, heads)
            sides.append(p * self.association.share(quads, noun))
        ours, its = sides
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(ours / its)
        # Rounding must not decide between equals.
        return np.where((ours > 0) & np.isclose(ours, its, rtol=1e-9, atol=0), 0.0, ratio)

    def table(self, quads: Sequence[Quadruple], truth: Any, right: Any, stage: Any) -> list[Row]:
        """Each way alone, then the chain as it grows: which share it decides, and how well."""
        normal = self.forms.normal(quads)
        rows = []
        for name in self.preferences:
            found = self.ratio(name, normal)
            decided = ~np.isnan(found) & (found != 0)
            rows.append(_row(name, decided, (found > 0) == truth))
        for at in range(1, len(self.stages)):
            names = self.stages[: at + 1]
            name = " + ".join(names) if at < len(self.order) else f"+ {names[-1]}"
            rows.append(_row(name, stage <= at, right))
        return rows

    def content(self) -> dict[str, Any]:
        """What is to be kept: plain values and arrays, under names of one level."""
        kept: dict[str, Any] = {
            "verbs": self.forms.verbs,
            "nouns": self.forms.nouns,
            "order": self.order,
            "names": list(self.preferences),
        }
        for at, one in enumerate(self.preferences.values()):
            kept |= {f"preference{at}.{key}": value for key, value in one.content().items()}
        return kept | {f"association.{k}": v for k, v in self.association.content().items()}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""

        def part(prefix: str) -> dict[str, Any]:
            return {
                key.removeprefix(prefix): value
                for key, value in kept.items()
                if key.startswith(prefix)
            }

        preferences = {
            name: Preference.read(part(f"preference{at}.")) for at, name in enumerate(kept["names"])
        }
        return cls(
            make_forms(kept["verbs"], kept["nouns"]),
            Association.read(part("association.")),
            preferences,
            kept["order"],
        )


def _head(quad: Normal, noun: bool) -> str:
    """The head whose phrase it would be, with its preposition."""
    kind, word = ("N", quad.noun1) if noun else ("V", quad.verb)
    return head_of(kind, word, quad.preposition)


def _row(name: str, decided: Any, right: Any) -> Row:
    share = float(np.mean(decided))
    return name, share, float(np.mean(right[decided])) if share else None


def _trees(
    quads: Sequence[Quadruple],
    normal: Sequence[Normal],
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
            trees[name] = _learnt(counts, kind, seed)
    return trees | dict(zip((WORDNET,), wordnet, strict=False))


def _counts(quads: Sequence[Quadruple], normal: Sequence[Normal], sources: Sources) -> Counts:
    """The nouns that were seen most, with their contexts in the counts and in the quadruples."""
    from roget.core.counts import Counts

    words, contexts, matrix = tables(quads, normal, sources)[1].matrix()
    counted = [at for at, name in enumerate(contexts) if not name.startswith("^")]
    counts = Counts(matrix[:, counted], words, [contexts[at] for at in counted])
    return counts.min_count(words=LEAST, contexts=2).top(LEARNT)


def _learnt(counts: Counts, estimator: str, seed: int) -> Any:
    """A thesaurus by description length, or by the data's part of it alone."""
    from roget.learn.clustering.mdl.estimator import MDLTree
    from roget.learn.thesaurus import Thesaurus

    model = MDLTree(estimator=estimator, random_state=seed).fit(counts)
    return Thesaurus.from_clustering(counts, model)
