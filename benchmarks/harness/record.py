"""Recorded ratios of an earlier run, and regressions against them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness.measuring import Row
from roget.core.io.values import format_json, parse_json
from roget.core.store import write_atomic

NAME = "record.json"
TOLERANCE = 0.35
"""Relative increase of a ratio that counts as a regression if runs do not vary."""
MOST = 1.0
"""Largest tolerance, however much runs vary."""


class Behind(NamedTuple):
    """A ratio that is worse than the recorded one."""

    benchmark: str
    case: str
    peer: str
    ratio: float
    recorded: float
    allowed: float

    def __str__(self) -> str:
        return (
            f"{self.benchmark}: {self.case} ÷ {self.peer}: {self.ratio:.3g}, recorded "
            f"{self.recorded:.3g}, allowed up to {self.allowed:.3g}"
        )


def _key(row: Row) -> str:
    return f"{row.case} ÷ {row.peer_name}"


@dataclass(frozen=True)
class Record:
    """Recorded ratios by size and benchmark, with the machine they were measured on."""

    path: Path
    held: Mapping[str, Mapping[str, Any]]

    @classmethod
    def load(cls, folder: Path) -> Record:
        """Load the record in a folder of benchmarks; without one, return an empty record."""
        path = folder / NAME
        held = parse_json(path.read_text(encoding="utf-8")) if path.exists() else {}
        return cls(path, held)

    def find(self, benchmark: str, quick: bool, row: Row) -> tuple[float, float] | None:
        """Return the recorded ratio of a row and its variation between runs, or None."""
        of = self.held.get("quick" if quick else "full", {}).get(benchmark, {})
        found = of.get("ratios", {}).get(_key(row))
        return None if found is None else (float(found[0]), float(found[1]))

    def find_behind(self, benchmark: str, quick: bool, rows: Iterable[Row]) -> list[Behind]:
        """Return the rows whose ratio is worse than recorded by more than the variation between
        runs.

        Only ratios are compared, because machines differ; rows without a peer have a bar instead.
        """
        found = []
        for row in rows:
            before = None if row.peer is None else self.find(benchmark, quick, row)
            if before is None:
                continue
            allowed = before[0] * (1 + min(TOLERANCE + row.spread + before[1], MOST))
            if row.ratio > allowed:
                found.append(
                    Behind(benchmark, row.case, row.peer_name, row.ratio, before[0], allowed)
                )
        return found

    def write(self, facts: Mapping[str, str], quick: bool, ran: Mapping[str, list[Row]]) -> None:
        """Replace the recorded ratios of the benchmarks that ran."""
        size = "quick" if quick else "full"
        held = {key: dict(value) for key, value in self.held.items()}
        for benchmark, rows in ran.items():
            ratios = {
                _key(row): [float(f"{row.ratio:.4g}"), round(row.spread, 3)]
                for row in rows
                if row.peer is not None
            }
            before = held.get(size, {}).get(benchmark, {}).get("ratios", {})
            if ratios:
                of = {"machine": dict(facts), "ratios": {**before, **ratios}}
                held.setdefault(size, {})[benchmark] = of
        ordered = {key: dict(sorted(held[key].items())) for key in sorted(held)}
        write_atomic(self.path, format_json(ordered) + "\n")
