"""`roget.score`: labels in, a table of scores out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from roget import catalogue
from roget._version import __version__
from roget.errors import InputError, Undefined, UnknownName
from roget.scoring import baselines as baseline
from roget.scoring.advice import advice
from roget.scoring.contingency import Contingency
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels import Aligned, align, as_labels, read_pair
from roget.scoring.labels.select import take
from roget.scoring.measures import Measure, parse
from roget.scoring.result import ScoreRow, ScoreTable
from roget.scoring.soft import WeightedTable
from roget.scoring.statistics import Statistics

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
DEFAULT_ENTROPIES = ("ml", "jk")
AVERAGES = ("weighted", "unweighted", "pooled")

Progress = Callable[[int, int], None]
Request = tuple[Measure, str | None]
Values = npt.NDArray[np.float64]


def score(
    gold: Any,
    system: Any = None,
    measures: str | Sequence[str] | None = None,
    entropy: str | Sequence[str] = DEFAULT_ENTROPIES,
    *,
    average: str = "weighted",
    missing: str = "cluster",
    labels: str | None = None,
    columns: Mapping[str, str] | None = None,
    baselines: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score a system's clustering against a gold standard.

    `gold` and `system` are paths, sequences, numpy, pandas, polars or arrow columns, mappings
    from item to label, or n×k weight matrices; with `system` left out, `gold` is the path of a
    file with two aligned columns. Measures that use entropies are computed under each estimator.
    With groups (words, documents), each group is scored and the scores averaged by `average`.
    """
    requests = _requests(measures, entropy)
    if average not in AVERAGES:
        raise UnknownName("average", average, AVERAGES)
    aligned = _aligned(gold, system, missing, labels, columns)
    tables = list(_tables(aligned, pooled=average == "pooled"))
    values, reasons, trivial = _values(tables, requests, baselines, seed, progress)
    weights = np.array([table.n if average == "weighted" else 1.0 for table in tables], dtype=float)
    notes: list[str] = []
    rows = []
    for i, (measure, estimator) in enumerate(requests):
        value, reason = _averaged(values[i], weights, reasons.get(i))
        undefined = int(np.isnan(values[i]).sum())
        if value is not None and undefined:
            notes.append(
                f"{measure}: undefined in {undefined} of {len(tables)} groups, which are left out "
                f"of the average ({reasons[i]})"
            )
        against = {name: _averaged(trivial[name][i], weights)[0] for name in trivial}
        rows.append(
            ScoreRow(
                str(measure),
                estimator,
                value,
                reason,
                direction=measure.direction,
                baselines=against,
            )
        )
    items = sum(table.n for table in tables)
    cells = sum(table.joint.seen for table in tables)
    return ScoreTable(
        signature=_signature(aligned, requests, average, missing, seed),
        items=items,
        groups=len(tables),
        classes=float(np.mean([table.sizes.classes for table in tables])),
        clusters=float(np.mean([table.sizes.clusters for table in tables])),
        warnings=(*aligned.warnings, *notes, *advice(rows, items / cells)),
        rows=tuple(rows),
    )


def measure(
    name: str | Measure, gold: Any, system: Any, entropy: str = "ml", **options: Any
) -> float:
    """One value; raises Undefined where there is none.

    >>> measure("v", ["a", "a", "b"], [1, 1, 2])
    1.0
    """
    table = score(gold, system, [str(parse(name))], [entropy], baselines=False, **options)
    row = table.rows[0]
    if row.value is None:
        raise Undefined(f"{row.measure}: {row.reason}")
    return row.value


def contingency(gold: Any, system: Any, *, missing: str = "cluster") -> Statistics:
    """The table of two labellings, to ask any number of measures of.

    >>> table = contingency(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(table.measure("nvi"), 4), round(table.measure("b3-f"), 4)
    (1.1887, 0.7059)
    """
    aligned = _aligned(gold, system, missing, None, None)
    return next(_tables(aligned, pooled=True))


def _requests(measures: str | Sequence[str] | None, entropy: str | Sequence[str]) -> list[Request]:
    chosen = [measures] if isinstance(measures, str) else list(measures or DEFAULT_MEASURES)
    estimators = [entropy] if isinstance(entropy, str) else list(entropy)
    if not estimators:
        raise InputError("no entropy estimator was chosen")
    for name in estimators:
        catalogue.load("entropies", name)
    requests: list[Request] = []
    for wanted in map(parse, chosen):
        requests += [(wanted, name) for name in (estimators if wanted.uses_entropy else [None])]
    return list(dict.fromkeys(requests))


def _aligned(
    gold: Any,
    system: Any,
    missing: str,
    labels: str | None,
    columns: Mapping[str, str] | None,
) -> Aligned:
    if system is None:
        left, right = read_pair(gold, labels=labels, columns=columns)
    else:
        left = as_labels(gold, labels=labels, columns=columns, gold=True)
        right = as_labels(system, labels=labels, columns=columns)
    return align(left, right, missing=missing)


def _tables(aligned: Aligned, *, pooled: bool) -> Iterator[Statistics]:
    """One source of statistics per group, or one for all."""
    gold, system, groups = aligned.gold, aligned.system, aligned.groups
    n_groups = 1 if groups is None else int(groups.max()) + 1
    if not (gold.weighted or system.weighted):
        table = Contingency.from_labels(gold, system, groups, n_groups)
        yield from [table] if pooled or groups is None else table.blocks()
    elif groups is None:
        yield WeightedTable.from_labels(gold, system)
    elif pooled:
        raise InputError("pooling groups is not possible with weighted answers: average them")
    else:
        order = np.argsort(groups, kind="stable")
        cuts = np.searchsorted(groups[order], np.arange(n_groups + 1))
        for begin, end in pairwise(cuts):
            chosen = order[begin:end]
            yield WeightedTable.from_labels(take(gold, chosen), take(system, chosen))


def _values(
    tables: Sequence[Statistics],
    requests: Sequence[Request],
    baselines: bool,
    seed: int,
    progress: Progress | None,
) -> tuple[Values, dict[int, str], dict[str, Values]]:
    """Every request of every table, NaN where undefined, and the same of the trivial answers."""
    shape = (len(requests), len(tables))
    values, reasons = np.full(shape, np.nan), dict[int, str]()
    trivial: dict[str, Values] = {}
    for column, table in enumerate(tables):
        _fill(values, column, table, requests, reasons)
        for name, answer in baseline.trivial(table, seed + column).items() if baselines else ():
            _fill(trivial.setdefault(name, np.full(shape, np.nan)), column, answer, requests)
        if progress is not None:
            progress(column + 1, len(tables))
    return values, reasons, trivial


def _fill(
    values: Values,
    column: int,
    table: Statistics,
    requests: Sequence[Request],
    reasons: dict[int, str] | None = None,
) -> None:
    for i, (wanted, estimator) in enumerate(requests):
        try:
            values[i, column] = table.measure(wanted, estimator or "ml")
        except Undefined as error:
            if reasons is not None:
                reasons.setdefault(i, str(error))


def _averaged(
    values: Values, weights: Values, reason: str | None = None
) -> tuple[float | None, str | None]:
    """The weighted mean over groups that have a value."""
    held = ~np.isnan(values)
    if not held.any():
        return None, reason
    if held.size == 1:
        return float(values[0]), None
    return float(np.average(values[held], weights=weights[held])), None


def _signature(
    aligned: Aligned, requests: Sequence[Request], average: str, missing: str, seed: int
) -> str:
    """Everything a score depends on beside the data."""
    entropies = dict.fromkeys(name for _, name in requests if name is not None)
    supports = {get_estimator(name).joint_support for name in entropies}
    fields = {
        "roget": __version__,
        "gold": "weighted" if aligned.gold.weighted else "hard",
        "system": "weighted" if aligned.system.weighted else "hard",
        "average": average if aligned.groups is not None else "none",
        "missing": missing,
        "entropy": ",".join(entropies) or "none",
        "support": "+".join(sorted("CxK" if s == "product" else "seen" for s in supports))
        or "none",
        "measures": ",".join(dict.fromkeys(str(wanted) for wanted, _ in requests)),
        "ci": "none",
        "seed": str(seed),
    }
    return "|".join(f"{key}:{value}" for key, value in fields.items())
