"""What a measure is (a small frozen value that is printed, parsed and computed), and its values."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
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

    Subclasses declare what they are, by keywords of the class or by attributes, and compute a
    value from the statistics they need: the parameters of `compute` name them. Parameters of
    the measure itself are dataclass fields with defaults.
    """

    name: ClassVar[str]
    direction: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The values plug-in (or count-based) scores can take; corrected entropies may leave it."""
    symmetric: ClassVar[bool] = False
    needs: ClassVar[tuple[Need, ...]]
    best: ClassVar[float | None] = 1.0
    """The score of a perfect clustering; None where it depends on the gold standard."""
    ties: ClassVar[bool] = False
    """Whether cells of equal count are told apart by their order."""
    linear: ClassVar[Literal["", "information", "pairs"]] = ""
    """Given the sizes, the value is a straight line in plug-in mutual information, or in the pairs
    together in both: its mean and deviation over random answers are then exact."""
    reference: ClassVar[str]

    def __init_subclass__(cls, **declared: Any) -> None:
        super().__init_subclass__()
        for attribute, value in declared.items():
            if attribute not in Measure.__annotations__:
                known = ", ".join(Measure.__annotations__)
                raise TypeError(f"{cls.__name__} declares {attribute!r}; a measure has: {known}")
            setattr(cls, attribute, value)
        if "compute" in vars(cls) and "needs" not in vars(cls):
            code = cls.compute.__code__
            cls.needs = code.co_varnames[1 : code.co_argcount]  # type: ignore[assignment]
            if unknown := set(cls.needs) - set(get_args(Need)):
                raise TypeError(
                    f"compute of {cls.__name__} asks for {', '.join(sorted(unknown))}; "
                    f"there are: {', '.join(get_args(Need))}"
                )

    @abstractmethod
    def compute(self, *statistics: Any) -> Values:
        """The value, or Undefined with a reason.

        Declared to return a float, it sees one group at a time. Declared to return `Values`, it
        is written for numbers and arrays alike (see `divide` and `undefined`), and sees the
        statistics of all groups at once.
        """

    @property
    def uses_entropy(self) -> bool:
        """Whether the value depends on a choice of entropy estimator."""
        return "entropies" in self.needs

    @property
    def sees_tree(self) -> bool:
        """Whether the value of a tree is that of the whole tree, not of a cut."""
        return not {"tree", "elements"}.isdisjoint(self.needs)

    def better(self, a: float, b: float) -> bool:
        """Whether score a is better than score b, rounding aside."""
        close = math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        return not close and (a > b) == (self.direction == "higher")

    def __str__(self) -> str:
        given = [
            f"{field.name}={_written(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"{self.name}({', '.join(given)})" if given else self.name


class Distance(Measure, direction="lower", best=0.0):
    """A measure of which 0 is best."""


UNBOUNDED = (0.0, math.inf)
EVERYTHING = (-math.inf, math.inf)

MODELS = ("perm", "num", "all", "num1", "all1")
"""What random clusterings keep: sizes, numbers of clusters, nothing; the last two leave gold be."""

_PARAMETERS = {"average_method": "average"}
"""What scikit-learn calls parameters of ours."""
_CALL = re.compile(r"\s*([a-z0-9_-]+)\s*(?:\(\s*(.*?)\s*\))?\s*")


class Adjusted(Measure):
    """A measure that is adjusted for chance, by a random model that may be chosen."""

    model: str
    adjusts: ClassVar[str]
    """Who adjusted it first."""

    @property
    def reference(self) -> str:  # type: ignore[override]
        """Of the measure, and of the model where it is not the usual one."""
        return self.adjusts if self.model == MODELS[0] else f"{self.adjusts}; Gates & Ahn 2017"

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Where both sides are random."""
        return not self.model.endswith("1")


def parse(measure: str | Measure) -> Measure:
    """The measure a text names: the same text that `str` gives back.

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
            # As thresholds and rows name a score; measures and estimators are chosen apart.
            raise InputError(
                f"{measure}: say -m {name} -e {estimator} (in Python measures={name!r}, "
                f"entropy={estimator!r})"
            )
        raise InputError(f"{measure!r} is not a measure: expected a name, or name(parameter=value)")
    cls: type[Measure] = catalogue.load("measures", catalogue.find_familiar(match[1]))
    given: dict[str, Any] = {}
    defaults = {field.name: field.default for field in fields(cls)}
    for argument in filter(None, re.split(r"\s*,\s*", match[2] or "")):
        key, equals, text = (part.strip() for part in argument.partition("="))
        key = _PARAMETERS.get(key, key)
        if key in given:
            raise InputError(f"{measure}: {key} is given twice")
        if not equals or key not in defaults:
            has = ", ".join(defaults) or "none"
            raise InputError(f"{measure}: {match[1]} has no parameter {key!r}; it has: {has}")
        given[key] = _value(measure, key, text, type(defaults[key]))
    return cls(**given)


def _value(measure: str, key: str, text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        expected = {int: "a whole number", float: "a number"}[kind]
        raise InputError(f"{measure}: {key} is {text!r}, expected {expected}") from None


def _written(value: object) -> str:
    # All digits, so that the text names the same measure again.
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def choose(measure: str, parameter: str, value: str, known: tuple[str, ...]) -> str:
    """Check a parameter that takes one of a few words."""
    if value not in known:
        raise InputError(
            f"{measure}: invalid {parameter}={value!r}; expected one of {', '.join(known)}",
            code="invalid-option",
        )
    return value


def divide(above: Any, below: Any, otherwise: Any = 0.0) -> Any:
    """above/below, and `otherwise` where below is 0: of numbers, or of arrays over groups.

    >>> divide(1, 0, 0.5), divide(np.array([1, 1]), np.array([0, 2])).tolist()
    (0.5, [0.0, 0.5])
    """
    if not isinstance(below, np.ndarray):
        return above / below if below else otherwise
    none = below == 0
    return np.where(none, otherwise, above / np.where(none, 1, below))


def undefined(where: Any, reason: str) -> Any:
    """NaN where a value does not exist, else 0: to be added to it. Undefined if nowhere it does.

    The reason is told when a group is asked alone.
    """
    if np.all(where):
        raise Undefined(reason)
    return np.where(where, np.nan, 0.0)


def harmonic(precision: Values, recall: Values) -> Values:
    """F1: the harmonic mean, 0 when both are 0."""
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

COVER_MEASURES = (
    "xb3-precision",
    "xb3-recall",
    "xb3-f",
    "omega",
    "onmi",
    "mean-best-f1",
    "element-centric",
)
"""Those for items that are in several clusters."""


Request = tuple[Measure, str | None]
"""A measure and the name of an estimator, None where it uses none."""

Asked = str | Measure | Sequence[str | Measure]


def usual_measures(measures: Asked | None, *, cover: bool) -> Asked | None:
    """The measures that were chosen, else those that are usual where items are in several sets."""
    return COVER_MEASURES if measures is None and cover else measures


def list_requests(measures: Asked | None, entropy: str | Sequence[str]) -> list[Request]:
    """Every measure under every estimator, each once, in the order given."""
    chosen = split_names("measure", DEFAULT_MEASURES if measures is None else measures)
    estimators = [str(name) for name in split_names("entropy estimator", entropy)]
    for name in estimators:
        catalogue.load("entropies", name)
    asked: list[Request] = []
    for wanted in map(parse, chosen):
        asked += [(wanted, name) for name in (estimators if wanted.uses_entropy else [None])]
    return list(dict.fromkeys(asked))


def split_names(kind: str, names: Asked) -> list[str | Measure]:
    """Names one by one; a text may hold several, parted by commas outside of brackets.

    >>> split_names("measure", "v(beta=2), ari")
    ['v(beta=2)', 'ari']
    """
    given = [names] if isinstance(names, str | Measure) else names
    if not isinstance(given, Sequence) or not given:
        raise InputError(f"no {kind} was chosen: {names!r}")
    found: list[str | Measure] = []
    for name in given:
        if isinstance(name, str):
            found += re.split(r"\s*,\s*(?![^(]*\))", name.strip())
        elif isinstance(name, Measure):
            found.append(name)
        else:
            raise InputError(f"{name!r} is not the name of a {kind}")
    return found


class Measurable(Protocol):
    """What can be asked for the values of a measure in one or many groups."""

    @property
    def groups(self) -> int | None: ...

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats: ...

    def block(self, group: int) -> Any: ...


def evaluate(tables: Measurable, request: Request) -> tuple[Floats, str | None]:
    """The value of each group, NaN where undefined, and why it is in the first such group."""
    try:
        values = tables.measure_groups(request[0], request[1] or "ml")
    except Undefined as error:
        return np.full(tables.groups or 1, np.nan), str(error)
    gaps = np.flatnonzero(np.isnan(values))
    return values, explain(tables, int(gaps[0]), request) if gaps.size else None


def explain(tables: Measurable, group: int, request: Request) -> str | None:
    """Why a score has no value in a group, if it has none."""
    try:
        tables.block(group).measure(request[0], request[1] or "ml")
    except Undefined as error:
        return str(error)
    return None


def average_groups(values: Floats, weights: Floats, own: Floats | None = None) -> Floats:
    """The weighted mean over groups (the last axis), undefined (NaN) groups left out.

    Beyond half of the groups there is no average: NaN. `own` is as in `average_draws`.
    """
    mostly = 2 * np.isnan(values).sum(axis=-1) > weights.size
    return np.where(mostly, np.nan, average_draws(values, weights[None, :], own)[0])


def average_draws(values: Floats, weights: Floats, own: Floats | None = None) -> Floats:
    """One mean per row of weights: draws × the leading axes of values.

    `own` (of the values' last axes) weighs the groups of a score beside the weights of all.
    """
    flat = values.reshape(-1, values.shape[-1])
    held = ~np.isnan(flat)
    filled = np.where(held, flat, 0.0)
    masses = held.astype(np.float64)
    if own is not None:
        of_each = np.broadcast_to(own, values.shape).reshape(flat.shape)
        filled, masses = filled * of_each, masses * of_each
    # Not a matrix product: its sums would depend on the number of threads.
    total = np.einsum("dg,kg->dk", weights, filled)
    if own is None and held.all():
        mass = np.broadcast_to(weights.sum(axis=1)[:, None], total.shape)
    else:
        mass = np.einsum("dg,kg->dk", weights, masses)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(mass > 0, total / mass, np.nan)
    return means.reshape(-1, *values.shape[:-1])
