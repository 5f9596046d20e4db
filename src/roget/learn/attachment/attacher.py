"""`Attacher`: an estimator that decides where prepositional phrases attach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from roget.core import contents
from roget.core import folder as folders
from roget.core.intervals import wilson
from roget.core.options import check, document, helps_of
from roget.core.progress import Progress
from roget.core.quadruple import Quadruple
from roget.core.types import Array, Floats, PathLike
from roget.errors import InputError
from roget.learn.attachment.best import Best
from roget.learn.attachment.chain import Chain
from roget.learn.attachment.quads import NOUN, VERB, check_answers, check_quadruples
from roget.learn.attachment.sources import make_sources
from roget.learn.attachment.statistics import BackoffStage
from roget.learn.options import RULES, AttachOptions
from roget.learn.representation.background import NONE

MODELS: dict[str, Any] = {"best": Best, "chain": Chain}
KIND = folders.model("attacher", "attachment.model")
CHUNK = 1 << 14
"""Number of quadruples to classify in one batch."""

Quads = Iterable[Sequence[str]]


@dataclass(frozen=True)
class Test:
    """Results of testing a model on labelled quadruples."""

    __test__ = False  # Prevent pytest from collecting this class.

    items: int
    coverage: float
    """Fraction of the quadruples for which the model does not fall back on the default label."""
    accuracy: float
    low: float
    """Lower bound of the 95 % confidence interval of the accuracy (Wilson score interval)."""
    high: float
    """Upper bound of the 95 % confidence interval of the accuracy (Wilson score interval)."""
    stages: tuple[BackoffStage, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the results as a JSON-compatible dictionary."""
        return asdict(self)


class Attacher(BaseEstimator, AttachOptions):  # type: ignore[misc]
    """Classifier for prepositional phrases: attached to the noun (N) or to the verb (V).

    In "eat pizza with fork" the phrase attaches to the verb. The model "best" combines a kernel
    machine over the similarity of all four words with counts from other text. The model "chain",
    from Li & Abe (1996), tries a thesaurus, WordNet and lexical association in turn, and finally
    chooses the noun. With `rule="printed"`, it does not smooth probabilities, as in the paper.

    `pairs` accepts Counts or the path to a counts file. `thesauri` accepts thesauri of nouns or
    their folders. `vectors` also accepts a `Prior`. `progress` is called with a `Progress` (the
    fraction done and the name of the step).

    Fitted attributes are `classes_`, `left_out_accuracy_` (leave-one-out accuracy; None for the
    chain) and `dev_` (a `Test` on the development quadruples, if any were passed).
    """

    @property
    def _kind(self) -> str:
        """Return the name of the model to fit.

        Raise an error if `rule` is set for a model other than the chain.
        """
        if self.rule is not None and self.model == "best":
            raise InputError(
                f"rule={self.rule!r} requires model='chain'", code="conflicting-options"
            )
        return self.model or ("best" if self.rule is None else "chain")

    @property
    def _more(self) -> dict[str, str]:
        return {"rule": self.rule or RULES[0]} if self._kind == "chain" else {}

    def _report(self, done: float, what: str) -> None:
        if self.progress is not None:
            self.progress(Progress(done, facts={"what": what}))

    def fit(self, quads: Quads, y: Iterable[str] | None = None, dev: Quads | None = None) -> Self:
        """Learn from quadruples (verb, noun, preposition, noun) and their labels, N or V.

        Labels are passed as `y`, or as the fifth element of each quadruple, as in `dev`.
        """
        check(self)
        kind = self._kind
        train, held = check_quadruples(quads, y), check_quadruples(dev) if dev is not None else None
        answers = set(check_answers(train))
        if not train:
            raise InputError("no quadruples to learn from", code="empty-input")
        if len(answers) == 1:
            only = NOUN if answers == {True} else VERB
            raise InputError(
                f"all {len(train):,} quadruples have the label {only}; both N and V are needed",
                code="too-little-text",
            )
        if held is not None:
            check_answers(held)
        if kind != "best" and self.vectors not in (None, NONE):
            raise InputError(
                f"vectors={str(self.vectors)!r} requires model='best'", code="conflicting-options"
            )
        sources = make_sources(train, self.pairs, self.thesauri, self.wordnet, self.vectors)
        # Use one thread: rounding depends on the number of threads, and small products are faster
        # with one.
        with threadpool_limits(1):
            self.fitted_, self.left_out_accuracy_ = MODELS[kind].fit(
                train, sources, self.random_state, held, self._report, **self._more
            )
        self.classes_ = np.array([NOUN, VERB])
        self.trained_on_ = len(train)
        self.dev_ = self.test(held) if held else None
        return self

    def predict_proba(self, quads: Quads) -> Floats:
        """Return p(N) and p(V) for each quadruple, in the order of `classes_`."""
        nouns = self._decide(check_quadruples(quads))[0]
        return np.column_stack([nouns, 1 - nouns])

    def predict(self, quads: Quads) -> Array:
        """Return the more likely label, N or V, for each quadruple. Ties are resolved as N."""
        return np.where(self.predict_proba(quads)[:, 0] >= 0.5, NOUN, VERB)

    def score(self, quads: Quads, y: Iterable[str] | None = None) -> float:
        """Return the accuracy on labelled quadruples."""
        return self.test(quads, y).accuracy

    def test(self, quads: Quads, y: Iterable[str] | None = None) -> Test:
        """Return the accuracy on labelled quadruples, overall and by stage of the model."""
        labelled = check_quadruples(quads, y)
        truth = np.array(check_answers(labelled))
        if not labelled:
            raise InputError("no quadruples to test on", code="empty-input")
        nouns, stage = self._decide(labelled)
        right = (nouns >= 0.5) == truth
        low, high = wilson(int(right.sum()), len(labelled))
        stages = tuple(self.fitted_.table(labelled, truth, right, stage))
        covered = float(np.mean(stage < len(self.fitted_.stages) - 1))
        return Test(len(labelled), covered, float(right.mean()), low, high, stages)

    def save(self, path: PathLike) -> None:
        """Write the model to a self-contained folder of JSON files and arrays."""
        check_is_fitted(self, "fitted_")
        about = {
            "options": {"model": self._kind, "random_state": self.random_state, **self._more},
            "left_out_accuracy": self.left_out_accuracy_,
            "trained_on": self.trained_on_,
        }
        folders.write(path, KIND, about | contents.put_under("fitted", self.fitted_.content()))

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model written by `save`."""
        kept = folders.read(path, KIND)
        with contents.report_damage(path):
            made = cls(**kept["options"])
            check(made)
            contents.require_numbers(kept, "trained_on", low=0)
            made.left_out_accuracy_ = kept["left_out_accuracy"]
            if made.left_out_accuracy_ is not None:
                contents.require_numbers(kept, "left_out_accuracy", low=0)
            made.trained_on_ = kept["trained_on"]
            made.fitted_ = MODELS[made._kind].read(contents.take_under("fitted", kept))
        made.classes_, made.dev_ = np.array([NOUN, VERB]), None
        return made

    def _decide(self, quads: list[Quadruple]) -> tuple[Any, Any]:
        """Return p(N) for each quadruple, and the index of the stage that decided."""
        check_is_fitted(self, "fitted_")
        parts = [quads[at : at + CHUNK] for at in range(0, len(quads), CHUNK)]
        if not parts:
            return np.zeros(0), np.zeros(0, dtype=np.int64)
        found = [self.fitted_.probability(part) for part in parts]
        return np.concatenate([p for p, _ in found]), np.concatenate([s for _, s in found])


document(Attacher, "Parameters", helps_of(Attacher))
