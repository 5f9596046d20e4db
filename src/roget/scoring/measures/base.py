"""The base class of measures, and functions that parse measure names and average over groups."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, get_args

import numpy as np

from roget import catalogue
from roget.core.types import Floats, Values
from roget.errors import InputError, Undefined
from roget.scoring.entropy import Estimator

Need = Literal[
    "entropies",
    "sizes",
    "pairs",
    "bcubed",
    "matched",
    "table",
    "joint",
    "chance",
    "deviation",
    "elements",
    "cover",
    "degrees",
    "tree",
]


@dataclass(frozen=True)
class Measure(ABC):
    """A measure of agreement between gold classes and system clusters.

    Measures are immutable, can be compared, and can be converted to a string and parsed again.
    Subclasses declare their properties as class keywords or attributes. The parameters of `compute`
    name the statistics that the measure requires. Parameters of the measure itself are dataclass
    fields with defaults.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """The full name for legends, required for abbreviations that `report.legend` does not list."""
    direction: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The range of the score with plug-in entropies. Bias-corrected scores may lie outside."""
    symmetric: ClassVar[bool] = False
    needs: ClassVar[tuple[Need, ...]]
    uses_entropy: ClassVar[bool] = False
    """True if the value depends on the entropy estimator."""
    sees_tree: ClassVar[bool] = False
    """True if the value depends on the whole tree rather than on a cut of it."""
    best: ClassVar[float | None] = 1.0
    """The score of a perfect clustering, or None if it depends on the gold standard."""
    ties: ClassVar[bool] = False
    """True if the value may depend on the order of cells with equal counts (ties)."""
    linear: ClassVar[Literal["", "information", "pairs"]] = ""
    """The statistic on which the value depends linearly if the class and cluster sizes are fixed:
    plug-in mutual information, or the number of pairs in the same class and the same cluster. For
    such measures, the mean and standard deviation over random clusterings are computed exactly.
    """
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The allowed values of parameters, keyed by parameter."""
    reference: ClassVar[str]
    """The publications that define the measure, as "author year", separated by semicolons."""
    bibtex: ClassVar[str] = ""
    """BibTeX entries for publications that are not in references.bib."""

    def __init_subclass__(cls, **declared: Any) -> None:
        super().__init_subclass__()
        for attribute, value in declared.items():
            if attribute not in Measure.__annotations__:
                known = ", ".join(Measure.__annotations__)
                raise TypeError(
                    f"{cls.__name__}: unknown class keyword {attribute!r}; choose from {known}"
                )
            setattr(cls, attribute, value)
        if "compute" in vars(cls) and "needs" not in vars(cls):
            code = cls.compute.__code__
            cls.needs = code.co_varnames[1 : code.co_argcount]  # type: ignore[assignment]
            if unknown := set(cls.needs) - set(get_args(Need)):
                raise TypeError(
                    f"{cls.__name__}.compute: unknown statistics {', '.join(sorted(unknown))}; "
                    f"choose from {', '.join(get_args(Need))}"
                )
        if "needs" in vars(cls):
            cls.uses_entropy = "entropies" in cls.needs
            cls.sees_tree = not {"tree", "elements"}.isdisjoint(cls.needs)

    def __post_init__(self) -> None:
        """Raise InputError if a parameter is not one of the allowed choices."""
        for parameter, known in self.choices.items():
            if (value := getattr(self, parameter)) not in known:
                raise InputError(
                    f"{self.name}: invalid {parameter}={value!r}; expected one of "
                    f"{', '.join(known)}",
                    code="invalid-option",
                )

    @abstractmethod
    def compute(self, *statistics: Any) -> Values:
        """Return the value of the measure, or raise Undefined with a reason.

        A method with the return annotation `float` is called for one group at a time. A method with
        the annotation `Values` receives the statistics of all groups at once, and must accept both
        numbers and arrays (see `divide` and `undefined`).
        """

    def better(self, a: float, b: float) -> bool:
        """Return True if score a is better than score b by more than rounding error."""
        close = math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        return not close and (a > b) == (self.direction == "higher")

    def __str__(self) -> str:
        parameters = [
            f"{field.name}={_format_value(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"{self.name}({', '.join(parameters)})" if parameters else self.name


class Distance(Measure, direction="lower", best=0.0):
    """A measure whose best value is 0."""


UNBOUNDED = (0.0, math.inf)
EVERYTHING = (-math.inf, math.inf)

MODELS = ("perm", "num", "all", "num1", "all1")
"""Random models: `perm` keeps the cluster sizes, `num` keeps the number of clusters, and `all`
keeps only the number of items. `num1` and `all1` also keep the gold classes fixed.
"""

_PARAMETERS = {"average_method": "average"}
"""Mapping from scikit-learn's parameter names to roget's parameter names."""
_CALL = re.compile(r"\s*([a-z0-9_-]+)\s*(?:\(\s*(.*?)\s*\))?\s*")


class Adjusted(Measure):
    """A measure that is adjusted for chance under one of several random models."""

    model: str
    adjusts: ClassVar[str]
    """The publication that defines the adjusted measure."""

    @property
    def reference(self) -> str:  # type: ignore[override]
        """The publications that define the measure and, if not the default, the random model."""
        return self.adjusts if self.model == MODELS[0] else f"{self.adjusts}; Gates & Ahn 2017"

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if the random model permutes or redraws both gold and system."""
        return not self.model.endswith("1")


def parse(measure: str | Measure) -> Measure:
    """Parse the name of a measure with its parameters, in the format returned by `str`.

    >>> str(parse("v(beta=0.5)"))
    'v(beta=0.5)'
    >>> str(parse("v(beta=1)"))
    'v'
    >>> parse("v(gamma=2)")
    Traceback (most recent call last):
        ...
    roget.errors.InputError: v(gamma=2): v has no parameter 'gamma'; it has: beta
    """
    if isinstance(measure, Measure):
        return measure
    match = _CALL.fullmatch(measure.lower())
    if match is None:
        name, at, estimator = measure.partition("@")
        if at:
            # The notation v@jk is valid only in options such as --fail-under.
            raise InputError(
                f"{measure}: use --measure {name} --entropy {estimator}",
                code="invalid-option",
            )
        raise InputError(
            f"{measure!r} is not a measure: expected a name, or name(parameter=value)",
            code="unknown-name",
        )
    known = match[1] in catalogue.MEASURES
    name = match[1] if known else catalogue.find_familiar(match[1])
    cls: type[Measure] = catalogue.load("measures", name)
    parameters: dict[str, Any] = {}
    defaults = {field.name: field.default for field in fields(cls)}
    for argument in filter(None, re.split(r"\s*,\s*", match[2] or "")):
        key, equals, text = (part.strip() for part in argument.partition("="))
        key = _PARAMETERS.get(key, key)
        if key in parameters:
            raise InputError(
                f"{measure}: parameter {key} is specified twice", code="duplicate-name"
            )
        if not equals or key not in defaults:
            has = ", ".join(defaults) or "none"
            raise InputError(
                f"{measure}: {match[1]} has no parameter {key!r}; it has: {has}",
                code="unknown-name",
            )
        parameters[key] = _parse_value(measure, key, text, type(defaults[key]))
    return cls(**parameters)


def _parse_value(measure: str, key: str, text: str, kind: type) -> Any:
    """Convert the string value of a parameter to the type of its default."""
    try:
        return kind(text)
    except ValueError:
        expected = {int: "a whole number", float: "a number"}[kind]
        raise InputError(
            f"{measure}: invalid {key}={text!r}; expected {expected}", code="invalid-option"
        ) from None


def _format_value(value: object) -> str:
    """Format a parameter in full precision, so that parsing the name yields the same measure."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def divide(above: Any, below: Any, otherwise: Any = 0.0) -> Any:
    """Divide numbers or arrays, and return `otherwise` where the denominator is 0.

    >>> divide(1, 0, 0.5), divide(np.array([1, 1]), np.array([0, 2])).tolist()
    (0.5, [0.0, 0.5])
    """
    if not isinstance(below, np.ndarray):
        return above / below if below else otherwise
    zero = below == 0
    return np.where(zero, otherwise, above / np.where(zero, 1, below))


def undefined(where: Any, reason: str) -> Any:
    """Return NaN for groups in which a value is undefined, and 0 for all other groups.

    Raise Undefined with the reason if the value is undefined in all groups.
    """
    if np.all(where):
        raise Undefined(reason)
    return np.where(where, np.nan, 0.0)


def harmonic(precision: Values, recall: Values) -> Values:
    """Return the harmonic mean (F1) of precision and recall, or 0 if both are 0."""
    return divide(2 * precision * recall, precision + recall)


DEFAULT_MEASURES = (
    "homogeneity",
    "completeness",
    "v",
    "vi",
    "nvi",
    "ari",
    "ami",
    "b3-f",
    "one-to-one",
)

COREFERENCE = {
    "MUC": ("muc-recall", "muc-precision", "muc"),
    "B-cubed": ("b3-recall", "b3-precision", "b3-f"),
    "CEAF-e": ("ceaf-e-recall", "ceaf-e-precision", "ceaf-e"),
    "mentions": ("mention-recall", "mention-precision", "mention-f"),
    "CEAF-m": ("ceaf-m-recall", "ceaf-m-precision", "ceaf-m"),
    "BLANC": ("blanc-recall", "blanc-precision", "blanc"),
    "LEA": ("lea-recall", "lea-precision", "lea"),
}
"""Recall, precision and F of each family of coreference measures, the ones in CoNLL first."""

MENTION_MEASURES = ("conll", *(name for family in COREFERENCE.values() for name in family))
"""The default measures for coreference mentions, the main one first."""

COVER_MEASURES = (
    "xb3-precision",
    "xb3-recall",
    "xb3-f",
    "omega",
    "onmi",
    "mean-best-f1",
    "element-centric",
)
"""The default measures for overlapping clusters."""


Request = tuple[Measure, str | None]
"""A measure and the name of an entropy estimator (None if the measure uses no entropies)."""

MeasureSpec = str | Measure | Sequence[str | Measure]
"""One or more measures, as objects or names. A string may list several, separated by commas."""


def list_requests(measures: MeasureSpec | None, entropy: str | Sequence[str]) -> list[Request]:
    """Combine every measure with every estimator, without duplicates, in the requested order."""
    chosen = split_names("measure", DEFAULT_MEASURES if measures is None else measures)
    estimators = [str(name) for name in split_names("entropy estimator", entropy)]
    for name in estimators:
        catalogue.load("entropies", name)
    requests: list[Request] = []
    for measure in map(parse, chosen):
        requests += [(measure, name) for name in (estimators if measure.uses_entropy else [None])]
    return list(dict.fromkeys(requests))


def split_names(kind: str, names: MeasureSpec) -> list[str | Measure]:
    """Split a string, or each string in a sequence, at commas outside parentheses.

    >>> split_names("measure", "v(beta=2), ari")
    ['v(beta=2)', 'ari']
    """
    sequence = [names] if isinstance(names, str | Measure) else names
    if not isinstance(sequence, Sequence) or not sequence:
        raise InputError(f"expected at least one {kind}, but got {names!r}", code="missing-option")
    split: list[str | Measure] = []
    for name in sequence:
        if isinstance(name, str):
            split += re.split(r"\s*,\s*(?![^(]*\))", name.strip())
        elif isinstance(name, Measure):
            split.append(name)
        else:
            raise InputError(f"{name!r} is not the name of a {kind}", code="unknown-name")
    return split


class Measurable(Protocol):
    """An object on which measures can be evaluated, for one or many groups."""

    @property
    def groups(self) -> int | None: ...

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats: ...

    def block(self, group: int) -> Any: ...


def evaluate(tables: Measurable, request: Request) -> tuple[Floats, str | None]:
    """Return the value in each group (NaN if undefined), and the reason for the first NaN."""
    try:
        values = tables.measure_groups(request[0], request[1] or "ml")
    except Undefined as error:
        return np.full(tables.groups or 1, np.nan), str(error)
    gaps = np.flatnonzero(np.isnan(values))
    return values, explain(tables, int(gaps[0]), request) if gaps.size else None


def explain(tables: Measurable, group: int, request: Request) -> str | None:
    """Return the reason why a score is undefined in a group, or None if it is defined."""
    try:
        tables.block(group).measure(request[0], request[1] or "ml")
    except Undefined as error:
        return str(error)
    return None


def average_groups(values: Floats, weights: Floats, own: Floats | None = None) -> Floats:
    """Return the weighted mean over groups (the last axis), ignoring undefined (NaN) values.

    If more than half of the groups are undefined, the mean is NaN. `own` contains additional group
    weights for each score, as in `average_draws`.
    """
    mostly = 2 * np.isnan(values).sum(axis=-1) > weights.size
    return np.where(mostly, np.nan, average_draws(values, weights[None, :], own)[0])


def average_draws(values: Floats, weights: Floats, own: Floats | None = None) -> Floats:
    """Return the weighted means over groups for each bootstrap sample.

    `weights` has the shape (samples, groups), and the last axis of `values` is the group. The
    result has one row per sample, followed by the other axes of `values`. `own` contains additional
    group weights, which may differ between scores.
    """
    flat = values.reshape(-1, values.shape[-1])
    defined = ~np.isnan(flat)
    filled = np.where(defined, flat, 0.0)
    masses = defined.astype(np.float64)
    if own is not None:
        own_flat = np.broadcast_to(own, values.shape).reshape(flat.shape)
        filled, masses = filled * own_flat, masses * own_flat
    # Use einsum, because rounding errors of a matrix product would depend on the number of threads.
    total = np.einsum("dg,kg->dk", weights, filled)
    if own is None and defined.all():
        mass = np.broadcast_to(weights.sum(axis=1)[:, None], total.shape)
    else:
        mass = np.einsum("dg,kg->dk", weights, masses)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(mass > 0, total / mass, np.nan)
    return means.reshape(-1, *values.shape[:-1])
