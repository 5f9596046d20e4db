"""What scoring returns: rows of values that never travel without their signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roget import catalogue
from roget.errors import Undefined, UnknownName

if TYPE_CHECKING:
    from roget.scoring.diagnostics import Details


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


@dataclass(frozen=True)
class ScoreTable:
    """Scores of one system on one gold standard.

    `table["v", "jk"]` is a value, `print(table)` the report, `table.as_dict()` the JSON.
    """

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

    def render(self, format: str = "text") -> str:
        """The table in one of the formats of the catalogue."""
        text: str = catalogue.load("reports", "score")(self).render(format)
        return text

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")
