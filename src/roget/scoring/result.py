"""What scoring returns: rows of values that never travel without their signature.

The warnings of a table say in plain words when a score should not be taken at face value.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from roget import catalogue
from roget.core.types import Floats
from roget.errors import InputError, Undefined, UnknownName

if TYPE_CHECKING:
    from roget.scoring.diagnostics import Details
    from roget.scoring.measures import Measure


@dataclass(frozen=True)
class ScoreRow:
    """One measure under one entropy estimator (None where it uses none)."""

    measure: str
    entropy: str | None
    value: float | None
    """None where the score is undefined; `reason` says why."""
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    direction: str = "higher"
    baselines: Mapping[str, float | None] = field(default_factory=dict)
    """What trivial answers get on the same gold standard."""

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data; a reason only where there is no value."""
        row: dict[str, Any] = {
            "measure": self.measure,
            "entropy": self.entropy,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "better": self.direction,
        }
        if self.baselines:
            row["baselines"] = dict(self.baselines)
        if self.reason is not None:
            row["reason"] = self.reason
        return row


class Shown:
    """What every result shows of itself: as text, in a notebook, as a frame."""

    kind: ClassVar[str]
    """Its name among the reports of the catalogue."""

    def _report(self) -> Any:
        return catalogue.load("reports", self.kind)(self)

    def render(self, format: str = "text") -> str:
        """The result in one of the formats of the catalogue."""
        text: str = self._report().render(format)
        return text

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        text: str = self._report().render_fragment()
        return text

    def to_pandas(self) -> Any:
        """All digits as a pandas DataFrame."""
        return importlib.import_module("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """All digits as a polars DataFrame."""
        return importlib.import_module("polars").DataFrame(self._columns(), strict=False)

    def _columns(self) -> dict[str, list[Any]]:
        sheet = self._report().sheet
        cells = zip(*sheet.rows, strict=True) if sheet.rows else [()] * len(sheet.columns)
        return {c.title: list(column) for c, column in zip(sheet.columns, cells, strict=True)}


@dataclass(frozen=True, repr=False)
class ScoreTable(Shown):
    """Scores of one system on one gold standard.

    `table["v", "jk"]` is a value, `print(table)` the report, `table.as_dict()` the JSON,
    `table.to_pandas()` a frame, `table.flat()` what trackers of experiments log.
    """

    kind = "score"

    signature: str
    items: int | float
    groups: int
    classes: float
    """Gold classes, on average per group."""
    clusters: float
    warnings: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    details: Details | None = None
    """Worst groups, mixed clusters and scattered classes, where asked for."""

    def __getitem__(self, key: str | tuple[str, str | None]) -> float:
        measure, entropy = key if isinstance(key, tuple) else (key, None)
        for row in self.rows:
            if row.measure == measure and (not isinstance(key, tuple) or row.entropy == entropy):
                if row.value is None:
                    raise Undefined(f"{measure}: {row.reason}")
                return row.value
        known = [r.measure if r.entropy is None else f"{r.measure}, {r.entropy}" for r in self.rows]
        wanted = measure if entropy is None else f"{measure}, {entropy}"
        raise UnknownName("row", wanted, known)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        data = {
            "signature": self.signature,
            "items": self.items,
            "groups": self.groups,
            "classes": self.classes,
            "clusters": self.clusters,
            "warnings": list(self.warnings),
            "rows": [row.as_dict() for row in self.rows],
        }
        return data if self.details is None else {**data, "details": self.details.as_dict()}

    def flat(self) -> dict[str, float]:
        """The values by names that trackers such as MLflow and W&B take: {"v/jk": 0.71}.

        Scores that are undefined are left out.
        """
        found = {}
        for row in self.rows:
            if row.value is not None:
                name = re.sub(r"[^\w.-]+", "_", row.measure).rstrip("_")
                found[f"{name}/{row.entropy}" if row.entropy else name] = row.value
        return found

    def falls_short(self, bounds: Iterable[str]) -> list[str]:
        """What is said of scores that miss a bound, such as "v@jk=0.6"; none if all are met.

        A distance must not be above its bound, any other score not below. What was undefined is
        missed. The bounds must be of scores that the table has.
        """
        said = []
        for bound in bounds:
            name, equals, limit = bound.rpartition("=")
            measure, _, entropy = name.strip().partition("@")
            try:
                least = float(limit)
            except ValueError:
                equals = ""
            if not equals or not measure:
                raise InputError(f"{bound!r}: expected MEASURE[@ENTROPY]=NUMBER, such as v@jk=0.6")
            rows = [r for r in self.rows if r.measure == measure and entropy in ("", r.entropy)]
            if not rows:
                raise UnknownName("score", name, [_address(row) for row in self.rows])
            for row in rows:
                higher = row.direction == "higher"
                if row.value is None:
                    said.append(f"{_address(row)} is undefined: {row.reason}")
                elif row.value < least if higher else row.value > least:
                    side = "below" if higher else "above"
                    said.append(f"{_address(row)} is {row.value:.4f}, {side} {limit}")
        return said

    def __repr__(self) -> str:
        shown = [f"{_name_row(row)} {row.value:.3f}" for row in self.rows if row.value is not None]
        more = ", …" if len(shown) > 3 else ""
        return f"<ScoreTable of {self.items:,} items: {', '.join(shown[:3])}{more}>"


THIN_CELL = 5.0
"""Items per non-empty cell below which entropies are mostly bias."""

DISAGREEMENT = 0.05

_ANSWERS = {
    "one cluster": "putting all items in one cluster",
    "one per item": "giving each item its own cluster",
    "random": "random clusters of the same sizes",
}


def advise(
    rows: Sequence[ScoreRow], measures: Sequence[Measure], items_per_cell: float
) -> list[str]:
    """All warnings the rows call for; `measures` are those of the rows."""
    found = [*_find_beaten(rows, measures), *_find_disagreements(rows)]
    if items_per_cell < THIN_CELL and any(row.entropy == "ml" for row in rows):
        found.append(
            f"only {items_per_cell:.1f} items per non-empty (class, cluster) cell: "
            "too thin to trust an entropy without correction"
        )
    return found


def note_undefined(
    values: Floats, measures: Sequence[Measure], reasons: Mapping[int, str]
) -> list[str]:
    """A note for each average (measures × groups) that leaves some groups out."""
    groups = values.shape[1]
    undefined = np.isnan(values).sum(axis=1)
    return [
        f"{measure}: undefined in {undefined[i]} of {groups} groups, which are left out of the "
        f"average ({reasons.get(i, 'no value')})"
        for i, measure in enumerate(measures)
        if 0 < 2 * undefined[i] <= groups
    ]


def _find_beaten(rows: Sequence[ScoreRow], measures: Sequence[Measure]) -> Iterable[str]:
    for name, answer in _ANSWERS.items():
        beaten = []
        for row, measure in zip(rows, measures, strict=True):
            trivial = row.baselines.get(name)
            # A measure that gives a trivial answer the best score cannot tell them apart.
            if row.value is None or trivial is None or trivial == measure.best:
                continue
            if measure.best is None and name == "one per item":
                continue
            if not measure.better(row.value, trivial):
                beaten.append(f"{_name_row(row)} {row.value:.3f} against {trivial:.3f}")
        if beaten:
            shown = "; ".join(beaten[:3]) + (f"; and {len(beaten) - 3} more" if beaten[3:] else "")
            yield f"the system does no better than {answer}: {shown}"


def _find_disagreements(rows: Sequence[ScoreRow]) -> Iterable[str]:
    plain = {row.measure: row.value for row in rows if row.entropy == "ml"}
    apart = []
    for row in rows:
        value = plain.get(row.measure)
        if row.entropy in (None, "ml") or row.value is None or value is None:
            continue
        if abs(row.value - value) > max(DISAGREEMENT, DISAGREEMENT * abs(value)):
            apart.append(f"{row.measure} {value:.3f} (ml) and {row.value:.3f} ({row.entropy})")
    if apart:
        shown = "; ".join(apart[:3]) + (f"; and {len(apart) - 3} more" if apart[3:] else "")
        yield f"plug-in and bias-corrected scores disagree, prefer the corrected: {shown}"


def _address(row: ScoreRow) -> str:
    return row.measure if row.entropy is None else f"{row.measure}@{row.entropy}"


def _name_row(row: ScoreRow) -> str:
    return row.measure if row.entropy is None else f"{row.measure} ({row.entropy})"
