"""What a measure is: a small frozen value that is printed, parsed, hashed and computed."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, Literal

from roget import catalogue
from roget.errors import InputError

Need = Literal["entropies", "sizes", "pairs", "bcubed", "matched", "table", "chance"]


class Measure(ABC):
    """A measure of agreement between gold classes and system clusters.

    Subclasses declare what they are, and compute a value from the statistics they need, in the
    order of `needs`. Parameters are dataclass fields with defaults.
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
    reference: ClassVar[str]

    @abstractmethod
    def compute(self, *statistics: Any) -> float:
        """The value, or Undefined with a reason."""

    @property
    def uses_entropy(self) -> bool:
        """Whether the value depends on a choice of entropy estimator."""
        return "entropies" in self.needs

    def better(self, a: float, b: float) -> bool:
        """Whether score a is better than score b, rounding aside."""
        close = math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        return not close and (a > b) == (self.direction == "higher")

    def __str__(self) -> str:
        given = [
            f"{field.name}={_written(getattr(self, field.name))}"
            for field in fields(self)  # type: ignore[arg-type]
            if getattr(self, field.name) != field.default
        ]
        return f"{self.name}({', '.join(given)})" if given else self.name


_CALL = re.compile(r"\s*([a-z0-9_-]+)\s*(?:\(\s*(.*?)\s*\))?\s*")


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
        raise InputError(f"{measure!r} is not a measure: expected a name, or name(parameter=value)")
    cls: type[Measure] = catalogue.load("measures", match[1])
    given: dict[str, Any] = {}
    defaults = {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type]
    for argument in filter(None, re.split(r"\s*,\s*", match[2] or "")):
        key, equals, text = (part.strip() for part in argument.partition("="))
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
        raise InputError(f"{measure}: {parameter}={value!r}, expected one of {', '.join(known)}")
    return value


def harmonic(precision: float, recall: float) -> float:
    """F1: the harmonic mean, 0 when both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
