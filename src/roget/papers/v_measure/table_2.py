"""Table 2: how often measures satisfy desirable properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from roget.core.types import CountArray, Floats, Ints
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.rules import Rule, decide
from roget.papers.v_measure.rules import TABLE_2 as RULES
from roget.papers.v_measure.rules import TABLE_2_SECOND as SECOND
from roget.report import ReportTable
from roget.scoring.measures import parse
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.synthetic import make_dom_table

CLASSES = 5
USEFUL = range(2, 12)
NOISE = range(7)
WITHIN, OF_NOISE = (0, 33, 66, 100), (0, 66, 133, 200)
"""Values of ε1 (`WITHIN`), and of ε2 and ε3 (`OF_NOISE`), multiplied by 1000."""

WHOLE = 1_663_200
"""A number of items that can be distributed evenly over the cells of every table.

Errors are given in thousandths, so tables of 1000 · `WHOLE` items have only whole numbers.
"""

ROUNDED = (1000, 1_000_000)
"""Numbers of items in the tables with rounded cells."""

TIE = 1e-12
"""Differences below this value count as ties."""

PROPERTIES = {
    "P1": "more useful clusters, up to the number of classes, are better",
    "P2": "more useful clusters than classes are worse",
    "P3": "more noise clusters are worse, if ε2 > 0",
    "P4": "a larger ε1 is worse",
    "P5": "a larger ε2 is worse",
    "P6": "more noise classes are worse, if ε3 > 0",
    "P7": "a larger ε3 is worse",
}
PRINTED: dict[str, tuple[float, ...]] = {
    "rand": (0.18, 1.0, 0.0, 1.0, 0.50, 0.20, 1.0),
    "mirkin": (0.22, 1.0, 0.0, 1.0, 0.57, 0.20, 1.0),
    "fm": (1.0, 0.76, 0.30, 1.0, 1.0, 0.41, 1.0),
    "gamma": (1.0, 1.0, 0.19, 1.0, 1.0, 0.26, 1.0),
    "jaccard": (1.0, 0.89, 0.21, 1.0, 1.0, 0.52, 1.0),
    "f": (1.0, 0.98, 0.0, 1.0, 1.0, 0.87, 1.0),
    "q0": (1.0,) * 7,
    "vi": (1.0,) * 7,
    "v": (1.0,) * 7,
}
ALWAYS = ("q0", "vi", "v")
"""Measures that satisfy all properties according to the paper."""

OTHERS = (
    "ari", "nvi", "nvi-k", "q2", "b3-f", "paired-f", "homogeneity", "completeness", "purity",
    "zk-entropy", "larsen", "van-dongen", "meila-heckerman", "misclassification",
)  # fmt: skip
"""Additional measures, some of which are mentioned in the paper."""


@dataclass(frozen=True)
class Grid:
    """The contingency tables for a grid of parameters, stored as groups in a single table.

    The axes of the grid are useful clusters, noise clusters, noise classes, ε1, ε2 and ε3.
    """

    classes: int
    clusters: Sequence[int]
    noise: Sequence[int]
    within: Sequence[int]
    of_noise: Sequence[int]
    n: int | None = None
    """Number of items if cells are rounded, or None for exact cells."""
    lossy: bool = True
    """True to include tables that have an error ε2 or ε3 but no noise cluster or class for its
    items. The items are then left out. False excludes these tables."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each parameter."""
        sides = self.clusters, self.noise, self.noise
        return tuple(map(len, (*sides, self.within, self.of_noise, self.of_noise)))

    @cached_property
    def exists(self) -> Floats:
        """Array of the grid's shape: 1 where a table exists, otherwise NaN."""
        _, clusters, classes, _, second, third = np.indices(self.shape, sparse=True)
        noise, errors = np.array(self.noise), np.array(self.of_noise)
        lost = (noise[clusters] == 0) & (errors[second] > 0)
        missing = lost | ((noise[classes] == 0) & (errors[third] > 0))
        if self.lossy:
            missing = np.zeros_like(missing)
        return np.where(np.broadcast_to(missing, self.shape), np.nan, 1.0)

    @cached_property
    def tables(self) -> Contingency:
        """All existing contingency tables in grid order, as groups of a single table."""
        wide = self.classes + max(self.noise), max(self.clusters) + max(self.noise)
        masses = np.array(list(product(self.within, self.of_noise, self.of_noise)))
        masses = np.column_stack([1000 - masses.sum(axis=1), masses])
        there = ~np.isnan(self.exists.reshape(-1, len(masses)))
        cells: list[tuple[Ints, Ints, Ints]] = []
        sides = product(self.clusters, self.noise, self.noise)
        for at, (place, kept) in enumerate(zip(sides, there, strict=True)):
            # Each table is the sum of four tables: correct items, and one for each kind of error.
            made = np.einsum("gp,pij->gij", masses[kept], self._parts(*place))
            if self.n is not None:
                made = np.rint(made * (self.n / (1000 * WHOLE))).astype(np.int64)
            table, row, column = np.nonzero(made)
            group = at * len(masses) + np.flatnonzero(kept)[table]
            cells.append(
                (group * wide[0] + row, group * wide[1] + column, made[table, row, column])
            )
        rows, columns, counts = (np.concatenate(part) for part in zip(*cells, strict=True))
        return Contingency.from_cells(rows, columns, counts).by_group(wide[0])

    def _parts(self, clusters: int, noise_clusters: int, noise_classes: int) -> Ints:
        """Return four tables: the correct items, and the items with error ε1, ε2 and ε3.

        A table is zero if its error requires a missing noise class or cluster.
        """
        parts: list[CountArray] = []
        for kind in range(4):
            errors = [float(kind == one) for one in (1, 2, 3)]
            if (kind == 2 and not noise_clusters) or (kind == 3 and not noise_classes):
                parts.append(np.zeros_like(parts[0]))
                continue
            parts.append(
                make_dom_table(
                    self.classes, clusters, noise_clusters=noise_clusters,
                    noise_classes=noise_classes, errors=errors, n=WHOLE,
                )
            )  # fmt: skip
        return np.array(parts, dtype=np.int64)

    def measure(self, name: str) -> Floats:
        """Return the values of a measure, negated if lower is better. They are NaN where no table
        exists."""
        wanted = parse(name)
        values = np.full(self.exists.size, np.nan)
        values[~np.isnan(self.exists.ravel())] = self.tables.measure_groups(wanted, "ml")
        sign = 1 if wanted.direction == "higher" else -1
        return sign * values.reshape(self.shape)


PAPERS = Grid(CLASSES, USEFUL, NOISE, WITHIN, OF_NOISE)


def count_satisfied(grid: Grid, values: Floats) -> dict[str, float]:
    """Return, for each property P1 to P7, the fraction of steps of its parameter that satisfy it.

    A step that leaves the measure unchanged satisfies P5 if there are no noise clusters, and P7 if
    there are no noise classes.
    """
    steps = [np.diff(values, axis=axis) for axis in range(6)]
    below = sum(number < grid.classes for number in grid.clusters[:-1])
    wanted = {
        "P1": steps[0][:below],
        "P2": -steps[0][below:],
        # If ε2 or ε3 is 0, there are no noise items, so the number of noise clusters or classes has
        # no effect.
        "P3": -steps[1][..., 1:, :],
        "P4": -steps[3],
        "P5": -steps[4],
        "P6": -steps[2][..., 1:],
        "P7": -steps[5],
    }
    none = grid.noise.index(0) if 0 in grid.noise else None
    rates = {}
    for name, rises in wanted.items():
        held = rises > TIE
        if none is not None and name in ("P5", "P7"):
            at = (slice(None), none) if name == "P5" else (slice(None), slice(None), none)
            held[at] |= np.abs(rises[at]) <= TIE
        rates[name] = float(held.sum() / (~np.isnan(rises)).sum())
    return rates


def table_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Table 2 of Rosenberg & Hirschberg (2007): measures with properties P1 to P7."""
    found = {name: count_satisfied(PAPERS, PAPERS.measure(name)) for name in (*PRINTED, *OTHERS)}
    strict = replace(PAPERS, lossy=False)
    without = {name: count_satisfied(strict, strict.measure(name)) for name in PRINTED}
    # The paper may also mean that tables that lose items are used only for P5 and P7.
    mixed = {
        name: {**without[name], "P5": found[name]["P5"], "P7": found[name]["P7"]}
        for name in PRINTED
    }
    also = _find_whole(found, OTHERS)
    coarse = {}
    for n in ROUNDED:
        grid = replace(PAPERS, n=n)
        for name in ALWAYS:
            coarse[f"{name}, n = {n:,}"] = count_satisfied(grid, grid.measure(name))
    steps = sum(int((~np.isnan(np.diff(PAPERS.exists, axis=axis))).sum()) for axis in range(6))
    return Reproduced(
        "Rates of satisfaction of desirable properties (Rosenberg & Hirschberg 2007, Table 2)",
        about=f"Dom's solutions with {CLASSES} useful classes over the whole grid of the paper: "
        f"{PAPERS.tables.groups:,} tables, {steps:,} steps of one parameter. Without a noise "
        "cluster (or class), the items of ε2 (or ε3) are left out of the table, so the number of "
        f"items changes. With {1000 * WHOLE:,} items all cells are whole numbers; the paper states "
        "neither its n nor what it does in these cases.",
        claims=[
            *_judge_words(RULES, found),
            *_judge_words(SECOND, mixed, " (second rule)"),
            *_judge_linear(without),
            *_judge_rates(found, without),
        ],
        tables=[
            ReportTable.of(("", "property"), list(PROPERTIES.items()), title="properties"),
            _tabulate(without, tuple(PRINTED), "without tables that lose items"),
            _tabulate(found, OTHERS, "other measures"),
            _tabulate(coarse, tuple(coarse), "cells rounded to whole items"),
        ],
        notes=[
            f"Printed rates that agree: {_count(found)} of {7 * len(PRINTED)}; by the second rule "
            f"{_count(mixed)}; without tables that lose items {_count(without)}.",
            f"Other measures that satisfy all seven properties: {', '.join(also) or 'none'}.",
        ],
        data={"rates": found, "without": without, "rounded": coarse, "n": 1000 * WHOLE},
    )


def _judge_words(
    rules: Mapping[str, Rule], found: Mapping[str, Mapping[str, float]], label: str = ""
) -> list[Claim]:
    """Test the statements about the table in the text of the paper."""
    whole = _find_whole(found, PRINTED)
    others = [name for name in PRINTED if name not in ALWAYS]
    fail = [name for name in others if found[name]["P3"] < 1 and found[name]["P6"] < 1]
    miss = [name for name in PRINTED if found[name]["P4"] < 1 or found[name]["P7"] < 1]

    def explain(names: Iterable[str], *among: str, full: bool = False) -> str:
        return "; ".join(
            f"{name} " + ", ".join(f"{of} {found[name][of]:.4f}" for of in among
                                   if full or found[name][of] < 1)
            for name in names
        )  # fmt: skip

    return [
        Claim(
            rules["all"], f"satisfy all properties{label}", ", ".join(ALWAYS), ", ".join(whole),
            reason=explain([name for name in ALWAYS if name not in whole], *PROPERTIES),
        ),
        Claim(
            rules["noise"], f"fail P3 and P6 somewhere{label}", ", ".join(others), ", ".join(fail),
            reason=explain([name for name in others if name not in fail], "P3", "P6", full=True),
        ),
        Claim(
            rules["errors"], f"fail P4 or P7 somewhere{label}", "none", ", ".join(miss) or "none",
            reason=explain(miss, "P4", "P7"),
        ),
    ]  # fmt: skip


def _judge_linear(without: Mapping[str, Mapping[str, float]]) -> list[Claim]:
    """Compare the printed rates of Rand and Mirkin for properties whose steps do not change n."""
    claims = []
    for at, of in enumerate(PROPERTIES):
        if of in ("P5", "P7"):
            continue
        rand, mirkin = (PRINTED[name][at] for name in ("rand", "mirkin"))
        ours = [without[name][of] for name in ("rand", "mirkin")]
        same = f"both {ours[0]:.2f}" if ours[0] == ours[1] else f"{ours[0]:.4f} and {ours[1]:.4f}"
        claims.append(
            Claim(
                RULES["linear"], f"Rand and Mirkin, {of}", f"{rand:.2f} and {mirkin:.2f}", same,
                decided=decide(rand == mirkin),
                reason="if both were computed from the same tables, one of the two is wrong",
            )
        )  # fmt: skip
    return claims


def _judge_rates(
    found: Mapping[str, Mapping[str, float]], without: Mapping[str, Mapping[str, float]]
) -> list[Claim]:
    """Compare each printed rate with ours."""
    return [
        Claim(
            RULES["rate"], f"{name}, {of}", published, found[name][of], 2,
            reason=f"reason unknown; {without[name][of]:.3f} without tables that lose items",
        )
        for name, rates in PRINTED.items()
        for of, published in zip(PROPERTIES, rates, strict=True)
    ]  # fmt: skip


def _count(found: Mapping[str, Mapping[str, float]]) -> int:
    """Return the number of printed rates that agree with the computed rates."""
    pairs = [
        (printed, found[name][of])
        for name, rates in PRINTED.items()
        for of, printed in zip(PROPERTIES, rates, strict=True)
    ]
    return sum(abs(printed - ours) <= 0.005 + 1e-9 for printed, ours in pairs)


def _find_whole(found: Mapping[str, Mapping[str, float]], names: Iterable[str]) -> list[str]:
    """Return the measures that satisfy all properties without exception."""
    return [name for name in names if all(rate == 1 for rate in found[name].values())]


def _tabulate(
    found: Mapping[str, Mapping[str, float]], names: Sequence[str], title: str
) -> ReportTable:
    rows = [(name, *(f"{found[name][of]:.2f}" for of in PROPERTIES)) for name in names]
    return ReportTable.of(("measure", *PROPERTIES), rows, tuple(PROPERTIES), title=title)
