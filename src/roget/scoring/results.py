"""Results of scoring. Each result has a signature that describes how it was computed.

`ScoreTable` contains the scores of one system, and `Comparison` contains the scores of several
systems.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from roget import catalogue
from roget.catalogue import name_extra
from roget.core.io.problems import plural
from roget.errors import InputError, Notice, Undefined, UnknownName
from roget.scoring.signature import Signed, change_signature

if TYPE_CHECKING:
    from roget.scoring.steps.components import ScoreComponents
    from roget.scoring.steps.diagnostics import Details, GroupRow
    from roget.scoring.steps.headline import ComparisonHeadline, Headline, QuickIntervals
    from roget.scoring.steps.sets import Columns
    from roget.scoring.steps.sweep import Sweep
    from roget.scoring.systems import ScoredSystem

MEAN, TREE = "mean", "tree"
"""Values of `ScoreRow.level` for means over all levels, and for scores of whole trees."""

Score = tuple[str, str | None]
"""A measure and an entropy estimator (None if the measure uses no entropies)."""


def none_if_nan(value: float) -> float | None:
    """Return a Python float, or None for NaN (an undefined value)."""
    return None if np.isnan(value) else float(value)


def score_key(measure: str, entropy: str | None) -> str:
    """Return the name of a score, such as v@jk."""
    return measure if entropy is None else f"{measure}@{entropy}"


def name_metric(measure: str, entropy: str | None) -> str:
    """Return the name of a score for experiment trackers, which do not allow parentheses.

    >>> name_metric("v(beta=0.5)", "jk"), name_metric("ari", None)
    ('v_beta_0.5/jk', 'ari')
    """
    name = re.sub(r"[^\w.-]+", "_", measure).rstrip("_")
    return f"{name}/{entropy}" if entropy else name


def find_scores(name: str, known: Iterable[Score]) -> list[Score]:
    """Return the scores that match a name such as "v@jk".

    The name "v" matches V with every estimator.

    >>> find_scores("v", [("v", "ml"), ("v", "jk"), ("ari", None)])
    [('v', 'ml'), ('v', 'jk')]
    """
    known = list(known)
    measure, _, entropy = name.strip().partition("@")
    matches = [score for score in known if score[0] == measure and entropy in ("", score[1])]
    if not matches:
        ours = name_measure(measure)
        matches = [score for score in known if score[0] == ours and entropy in ("", score[1])]
    if not matches:
        # Supervised recall on splits, e.g. supervised-recall[80_20].
        matches = [
            score for score in known if score[0].partition("[")[0] == measure and not entropy
        ]
    if not matches:
        remedy = f"; to compute it, pass --measure {ours}" if is_measure(ours) else ""
        raise UnknownName("score", name, [score_key(*score) for score in known], remedy=remedy)
    return matches


def name_measure(name: str) -> str:
    """Return roget's name for a measure, or the name unchanged if it is unknown.

    >>> name_measure("V"), name_measure("v_measure_score"), name_measure("v(beta=1)")
    ('v', 'v', 'v')
    """
    from roget.scoring.measures.base import parse

    try:
        return str(parse(name))
    except (InputError, UnknownName):
        return name


def is_measure(name: str) -> bool:
    """Return True if a name, with or without parameters, is a measure of the catalogue.

    >>> is_measure("v(beta=0.5)"), is_measure("w")
    (True, False)
    """
    return name.partition("(")[0] in catalogue.MEASURES


def is_plug_in(score: Score) -> bool:
    """Return True if entropies are plug-in estimates without bias correction."""
    return score[1] == "ml"


def choose_estimator(rows: Sequence[ScoreRow]) -> ScoreRow:
    """Return the row of a measure that short reports show.

    This is the first corrected score, or the plug-in score if corrected scores are undefined, for
    instance because weights are fractional.
    """
    ordered = sorted(rows, key=lambda row: row.entropy == "ml")
    return next((row for row in ordered if row.value is not None), ordered[0])


PREFERRED = ("ami", "v")
"""The measures that may be the main score by default, before all others."""


def choose_main(rows: Iterable[ScoreRow]) -> Score:
    """Return the default main score: AMI, else V, else the first score, bias-corrected if possible.

    The choice does not depend on the values. Scores that are undefined for a system are skipped.

    >>> rows = [ScoreRow("v", "ml", 0.9), ScoreRow("v", "jk", 0.2), ScoreRow("ami", None, None)]
    >>> choose_main(rows)
    ('v', 'jk')
    """
    defined: dict[Score, list[bool]] = {}
    for row in rows:
        defined.setdefault((row.measure, row.entropy), []).append(row.value is not None)
    order = {name: at for at, name in enumerate(PREFERRED)}
    scores = sorted(defined, key=lambda one: (order.get(one[0], len(order)), is_plug_in(one)))
    for enough in (all, any):
        for score in scores:
            if enough(defined[score]):
                return score
    return scores[0]


def as_plain(value: Any) -> Any:
    """Convert rows and sequences of rows to dictionaries and lists."""
    if hasattr(value, "as_dict"):
        return value.as_dict()
    several = isinstance(value, list | tuple | Iterator)
    return [as_plain(one) for one in value] if several else value


class Result(Signed):
    """Base class of results, which can be printed as reports and converted to data frames."""

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")

    def cite(self) -> str:
        """Return BibTeX entries for the measures, estimators and methods used, and for roget."""
        from roget.scoring.references import cite

        return cite(self)

    def to_pandas(self) -> Any:
        """Return all values, in full precision, as a pandas DataFrame."""
        with name_extra():
            return importlib.import_module("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """Return all values, in full precision, as a polars DataFrame."""
        with name_extra():
            return importlib.import_module("polars").DataFrame(self._columns(), strict=False)

    def _plain(self, *names: str) -> dict[str, Any]:
        """Return the named attributes as a JSON-serialisable dictionary."""
        return {name: as_plain(getattr(self, name)) for name in names}

    def _columns(self) -> dict[str, list[Any]]:
        """Return the columns of the report's table, keyed by title."""
        sheet = self._report().make_sheet()
        cells = zip(*sheet.rows, strict=True) if sheet.rows else [()] * len(sheet.columns)
        return {c.title: list(column) for c, column in zip(sheet.columns, cells, strict=True)}


@dataclass(frozen=True)
class ScoreRow:
    """The value of one measure with one entropy estimator."""

    measure: str
    entropy: str | None
    value: float | None
    """The score, or None if it is undefined (see `reason`)."""
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    direction: str = "higher"
    baselines: Mapping[str, float | None] = field(default_factory=dict)
    """The scores of the baselines on the same gold standard."""
    z: float | None = None
    """The z-score relative to random clusterings, if requested with `chance`."""
    p: float | None = None
    """The p-value of the test against random clusterings, if requested with `chance`."""
    level: str | None = None
    """The level of the gold labels, of the system labels or of both, if labels are hierarchical."""
    golds: Mapping[str, float | None] = field(default_factory=dict)
    """The scores on each of several gold standards, of which `value` is the mean."""

    @property
    def title(self) -> str:
        """The name of the score in messages, such as v (jk)."""
        return self.measure if self.entropy is None else f"{self.measure} ({self.entropy})"

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary, with the reason if the score is undefined."""
        row: dict[str, Any] = {} if self.level is None else {"level": self.level}
        row |= {
            "measure": self.measure,
            "entropy": self.entropy,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "better": self.direction,
        }
        if self.p is not None:
            row |= {"z": self.z, "p": self.p}
        if self.baselines:
            row["baselines"] = dict(self.baselines)
        if self.golds:
            row["golds"] = dict(self.golds)
        if self.reason is not None:
            row["reason"] = self.reason
        return row


@dataclass(frozen=True, repr=False)
class ScoreTable(Result):
    """The scores of one system.

    `table["v"]` is the score that `print(table)` shows, `table["v", "ml"]` and `table["v", "jk"]`
    are the plug-in and the corrected score. `table.as_dict()` returns data for JSON,
    `table.to_pandas()` a data frame, and `table.flat()` a dictionary for experiment trackers.
    """

    kind = "score"

    signature: str
    items: int | float
    groups: int
    classes: float
    """The mean number of gold classes per group."""
    clusters: float
    """The mean number of clusters per group."""
    warnings: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    """One row per score. Intervals are included if they were requested (see `with_intervals`)."""
    details: Details | None = None
    """The worst groups, mixed clusters and scattered classes, if requested."""
    title: str = ""
    """The title of pages and table captions."""
    own_components: ScoreComponents | None = field(default=None, repr=False)
    """The components, if the contingency tables are not kept."""
    by_group: tuple[GroupRow, ...] = ()
    """The scores of each group, from worst to best, if requested."""
    scored: ScoredSystem | None = field(default=None, repr=False, compare=False)
    """The contingency tables of all groups, if `keep` is True."""
    sweep: Sweep | None = field(default=None, repr=False)
    """The scores for many cuts of a tree, if requested."""
    chance: int = 0
    """The number of random clusterings used to compute z and p."""
    headline: Headline | None = field(default=None, repr=False, compare=False)
    """The scores and warnings of the short report, or None if reports show everything."""
    quick: QuickIntervals | None = field(default=None, repr=False, compare=False)
    """Intervals that have not been computed yet (see `with_intervals`)."""
    missing_items: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The gold items without a system label (at most 10,000), if items have ids."""
    extra_items: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The system items that gold does not contain (at most 10,000)."""

    @property
    def main(self) -> Score:
        """The main score: AMI, or V if AMI was not computed or is undefined."""
        return choose_main(self.rows)

    @cached_property
    def components(self) -> ScoreComponents | None:
        """Entropies, pair counts, and sizes of classes and clusters."""
        if self.scored is None:
            return self.own_components
        from roget.scoring.steps.components import compute_components

        estimators = dict.fromkeys(row.entropy for row in self.rows if row.entropy)
        return compute_components(self.scored.parts, estimators, self.scored.weights)

    @property
    def verdict(self) -> str:
        """A verbal summary: whether the scores beat chance, and which errors are frequent.

        It is empty if specific measures were requested.
        """
        headline = self.with_intervals().headline
        return "" if headline is None else headline.verdict

    def with_intervals(self) -> ScoreTable:
        """Return the table with the intervals that its report shows.

        Intervals that take less than a second are computed when they are first needed: for
        reports, for JSON and for data frames.
        """
        quick, headline = self.quick, self.headline
        if quick is None or not quick.ends:
            return self
        return replace(
            self,
            rows=quick.add_bounds(self.rows),
            signature=change_signature(self.signature, ci=quick.method),
            headline=headline and replace(headline, rows=quick.add_bounds(headline.rows)),
            quick=None,
        )

    def sets(self, kind: str = "clusters") -> Columns:
        """Return the columns of a table of "classes", "clusters" or the "mapping" between them.

        The mapping lists the class of each cluster. The scores must have been computed by
        `roget.score(..., keep=True)`.
        """
        if self.scored is None:
            raise InputError(
                f"{kind}: the contingency tables were not kept; pass keep=True to roget.score",
                code="missing-option",
            )
        return list_kind([self.scored], kind)

    def __getitem__(self, key: str | tuple[str, str | None]) -> float:
        """Return the score for a measure, or for a measure and an estimator.

        `table["v@jk"]` is the same as `table["v", "jk"]`. Without an estimator, it is the score
        that reports show, which is bias-corrected if
        possible. Names of other libraries, such as scikit-learn's "v_measure_score", denote the
        plug-in scores that those libraries compute.
        """
        measure, entropy = key if isinstance(key, tuple) else (key, None)
        if "@" in measure:
            measure, entropy = measure.split("@", 1)
            key = measure, entropy
        if all(row.measure != measure for row in self.rows):
            if any(measure in names for names in catalogue.FAMILIAR.values()):
                entropy = entropy or "ml"
            measure = name_measure(measure)
        # If there are levels, prefer the mean over all levels.
        rows = [row for row in self.rows if row.measure == measure]
        if MEAN in {row.level for row in rows}:
            rows = [row for row in rows if row.level == MEAN]
        rows = [row for row in rows if row.level == rows[0].level]
        own = [row for row in rows if row.entropy == entropy]
        rows = own if isinstance(key, tuple) else own or rows
        printed = {} if self.headline is None else self.headline.list_families()
        if not rows and entropy in (None, "ml") and printed.get(measure) is not None:
            return printed[measure]
        if rows:
            row = choose_estimator(rows)
            if row.value is None:
                raise Undefined(f"{measure}: {row.reason}")
            return row.value
        known = dict.fromkeys(row.measure for row in self.rows)
        if entropy is not None and measure in known:
            estimators = [str(row.entropy) for row in self.rows if row.measure == measure]
            if estimators == ["None"]:
                raise UnknownName("score", f"{measure}, {entropy}", [measure])
            raise UnknownName(f"estimator of {measure}", entropy, estimators)
        remedy = f"; to compute it, pass --measure {measure}" if is_measure(measure) else ""
        raise UnknownName("score", measure, known, remedy=remedy)

    def __contains__(self, key: object) -> bool:
        """Return True if `table[key]` is defined."""
        try:
            self[key]  # type: ignore[index]
        except (UnknownName, Undefined, TypeError):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the measures with a defined score."""
        return (name for name in dict.fromkeys(row.measure for row in self.rows) if name in self)

    def keys(self) -> list[str]:
        """Return the names of the measures, so that `dict(table)` has the scores of the report."""
        return list(self)

    @property
    def low(self) -> dict[str, float]:
        """The lower confidence limits, with keys such as v@jk."""
        return {key: ends[0] for key, ends in self._bounds().items()}

    @property
    def high(self) -> dict[str, float]:
        """The upper confidence limits, with keys such as v@jk."""
        return {key: ends[1] for key, ends in self._bounds().items()}

    def _bounds(self) -> dict[str, tuple[float, float]]:
        """Return the confidence limits of each score (of the mean, if there are levels)."""
        return {
            score_key(row.measure, row.entropy): (row.low, row.high)
            for row in self.with_intervals().rows
            if row.level in (None, MEAN) and row.low is not None and row.high is not None
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a JSON-serialisable dictionary."""
        table = self.with_intervals()
        sizes = "items", "groups", "classes", "clusters"
        data = table._plain("signature", *sizes, "warnings", "rows")
        if self.components is not None:
            data |= self.components.as_dict()
        more = ("by_group", "details", "sweep")
        data |= self._plain(*(name for name in more if getattr(self, name)))
        if self.headline is not None and self.headline.families:
            data[self.headline.kind] = as_plain(self.headline.families)
        return data

    def flat(self) -> dict[str, float]:
        """Return the defined scores under names for experiment trackers, e.g. {"v/jk": 0.71}.

        The scores for single levels have names with a prefix, e.g. {"level-1/v/jk": 0.6}. Means
        over levels have no prefix.
        """
        values = {}
        for row in self.rows:
            if row.value is not None:
                level = "" if row.level in (None, MEAN) else f"level-{row.level}/"
                values[level.replace("×", "-") + name_metric(row.measure, row.entropy)] = row.value
        return values

    def falls_short(self, bounds: Iterable[str]) -> list[str]:
        """Return a message for each score that violates a bound such as "v@jk=0.6".

        The bound is an upper bound for distances and a lower bound for all other scores. An
        undefined score violates every bound.
        """
        missed = []
        for bound in bounds:
            name, limit = _parse_bound(bound)
            value = self._find_printed(name)
            if value is not None:
                if value < float(limit):
                    missed.append(f"{name} is {value:.4f}, below {limit}")
                continue
            bounded = find_scores(name, ((row.measure, row.entropy) for row in self.rows))
            for row in self.rows:
                if (row.measure, row.entropy) not in bounded:
                    continue
                higher, called = row.direction == "higher", score_key(row.measure, row.entropy)
                called += "" if row.level is None else f" (level {row.level})"
                if row.value is None:
                    missed.append(f"{called} is undefined: {row.reason}")
                elif row.value < float(limit) if higher else row.value > float(limit):
                    side = "below" if higher else "above"
                    missed.append(f"{called} is {row.value:.4f}, {side} {limit}")
        return missed

    def _find_printed(self, name: str) -> float | None:
        """Return a score of coreference or entities that is only in the report, else None."""
        if self.headline is None or any(row.measure == name_measure(name) for row in self.rows):
            return None
        return self.headline.list_families().get(name_measure(name))

    def __repr__(self) -> str:
        rows = self.rows if self.headline is None else self.headline.rows
        shown = [f"{row.title} {row.value:.3f}" for row in rows if row.value is not None]
        more = ", …" if len(shown) > 3 else ""
        scores = f": {', '.join(shown[:3])}{more}" if shown else ", all scores undefined"
        return f"<ScoreTable of {plural(self.items, 'item', ',')}{scores}>"


def _parse_bound(bound: str) -> tuple[str, str]:
    """Split a bound such as "v@jk=0.6" into the name of a score and a number, both as strings."""
    name, equals, limit = bound.rpartition("=")
    try:
        number = float(limit)
    except ValueError:
        number = math.nan
    # Comparisons with NaN are always false, so no score could violate a NaN bound.
    if not equals or not name.strip() or math.isnan(number):
        raise InputError(
            f"{bound!r}: expected MEASURE[@ENTROPY]=NUMBER, such as v@jk=0.6",
            code="invalid-option",
        )
    return name, limit


@dataclass(frozen=True)
class SystemRow(ScoreRow):
    """One score of a system or a baseline."""

    system: str = ""
    trivial: bool = False
    """True for baselines and annotators, which are not ranked."""
    clusters: float | None = None
    """The mean number of clusters per group."""
    rank: int | None = None
    """The rank of the system. Rank 1 is best, and ties share a rank."""
    rank_low: int | None = None
    """The best rank in the simultaneous 95 % interval, if differences were tested."""
    rank_high: int | None = None
    """The worst rank in the simultaneous 95 % interval."""
    tier: int | None = None
    """The tier, if differences were tested. No two systems in a tier differ significantly."""
    letters: str | None = None
    """Significance letters: systems that share a letter do not differ significantly."""
    first: float | None = None
    """The fraction of bootstrap samples in which the system is best."""
    annotator: bool = False
    """True for an annotator who is scored on the other annotators' gold standards.

    Such scores are a realistic upper bound.
    """

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary."""
        about = {"system": self.system, "trivial": self.trivial, "clusters": self.clusters}
        names = ("rank", "rank_low", "rank_high", "tier", "letters", "first")
        ranked = {name: getattr(self, name) for name in names}
        more = {"annotator": self.annotator} if self.golds else {}
        return {**about, **super().as_dict(), **ranked, **more}


@dataclass(frozen=True)
class Pair:
    """The difference a − b between the scores of two systems."""

    a: str
    b: str
    measure: str
    entropy: str | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    reason: str | None = None
    """The reason why the difference cannot be significant, such as too few groups."""
    code: str | None = None
    """The code of the reason, e.g. too-few-groups, which `roget explain` explains."""

    def as_dict(self) -> dict[str, Any]:
        """Return the pair as a dictionary."""
        return dict(self.__dict__)


def list_by_score(pairs: Iterable[Pair]) -> dict[Score, list[Pair]]:
    """Return the pairs of each score."""
    found: dict[Score, list[Pair]] = {}
    for one in pairs:
        found.setdefault((one.measure, one.entropy), []).append(one)
    return found


def explain_untestable(pairs: Sequence[Pair]) -> Notice | None:
    """Return the reason why no pair of a score can differ significantly, or None."""
    if not pairs or any(one.reason is None for one in pairs):
        return None
    return Notice(pairs[0].reason or "", code=pairs[0].code or "")


@dataclass(frozen=True)
class GoldStandard:
    """The name and size of one of several gold standards."""

    name: str
    items: int | float
    groups: int
    classes: float
    """The mean number of classes per group."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return dict(vars(self))


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """The scores of several systems, with ranks and significance tests.

    `comparison["ours"]` is the `ScoreTable` of one system, and `comparison["ours"]["v"]` a single
    score. `for name in comparison` iterates over the names of the systems, in input order.
    """

    kind = "comparison"

    signature: str
    items: int | float
    groups: int
    classes: float
    """The mean number of gold classes per group."""
    warnings: tuple[str, ...]
    rows: tuple[SystemRow, ...]
    pairs: tuple[Pair, ...] = ()
    scored: tuple[ScoredSystem, ...] = field(default=(), repr=False, compare=False)
    """The tables and group scores of each system."""
    chosen: Score | None = None
    """The main score, if one was requested."""
    title: str = ""
    """The title of pages and table captions."""
    golds: tuple[GoldStandard, ...] = ()
    """The gold standards, if there are several."""
    show_intervals: bool = True
    """True if printed tables show intervals. JSON and CSV always contain them."""
    show_details: bool = False
    """True if reports show entropies, pair counts and sizes. JSON always contains them."""
    components: tuple[ScoreComponents, ...] = field(default=(), repr=False)
    """Entropies, pair counts and sizes of each system."""
    by_group: tuple[GroupRow, ...] = ()
    """The scores of each system in each group, if requested."""
    headline: ComparisonHeadline | None = field(default=None, repr=False, compare=False)
    """The scores of the short report, or None if reports show everything."""
    quick: Mapping[str, QuickIntervals] = field(default_factory=dict, repr=False, compare=False)
    """Intervals for the main score, keyed by system, that have not been computed yet."""

    @property
    def has_tests(self) -> bool:
        """True if differences between systems were tested."""
        return bool(self.pairs)

    @property
    def untestable(self) -> Notice | None:
        """The reason why no two systems can differ significantly on the main score, or None."""
        return explain_untestable(list_by_score(self.pairs).get(self.main, []))

    @property
    def systems(self) -> list[str]:
        """The names of the systems in input order."""
        return list(dict.fromkeys(row.system for row in self.rows if not row.trivial))

    def __getitem__(self, system: str | int) -> ScoreTable:
        """Return the scores of one system, with the baseline scores.

        Names that are not strings, such as numbers of clusters, are converted.
        """
        system = str(system)
        if system not in self.systems:
            raise UnknownName("system", system, self.systems)
        whole = self.with_intervals()
        trivial: dict[Score, dict[str, float | None]] = {}
        for row in whole.rows:
            if row.trivial and not row.annotator:
                trivial.setdefault((row.measure, row.entropy), {})[row.system] = row.value
        rows = tuple(
            replace(row, baselines=trivial.get((row.measure, row.entropy), {}))
            for row in whole.rows
            if row.system == system
        )
        named = dict(zip(self.systems, self.components, strict=False))
        return ScoreTable(
            signature=whole.signature,
            items=self.items,
            groups=self.groups,
            classes=self.classes,
            clusters=math.nan if rows[0].clusters is None else rows[0].clusters,
            warnings=tuple(text for text in self.warnings if text.startswith(f"{system}: ")),
            rows=rows,
            title=system,
            own_components=named.get(system),
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def __contains__(self, system: object) -> bool:
        return str(system) in self.systems

    def with_intervals(self) -> Comparison:
        """Return the comparison with the intervals that its report shows, as in `ScoreTable`."""
        return self._with_intervals

    @cached_property
    def _with_intervals(self) -> Comparison:
        quick = self.quick if self.show_intervals else {}
        if not any(one.ends for one in quick.values()):
            return self
        rows = tuple(
            quick[row.system].add_bounds([row])[0]
            if row.system in quick and not row.trivial
            else row
            for row in self.rows
        )
        method = next(iter(quick.values())).method
        return replace(
            self,
            rows=rows,
            signature=change_signature(self.signature, ci=method),
            quick={},
        )

    @property
    def scores(self) -> list[Score]:
        """The (measure, entropy) pairs in input order."""
        return list(dict.fromkeys((row.measure, row.entropy) for row in self.rows))

    @cached_property
    def main(self) -> Score:
        """The score by which systems are sorted.

        By default, or if the requested score is undefined for all systems, this is AMI, or V if
        AMI was not computed or is undefined for a system.
        """
        if self.chosen is not None and self.chosen in self.defined:
            return self.chosen
        return choose_main(row for row in self.rows if not row.trivial)

    @property
    def reason(self) -> str:
        """The reason why the main score was chosen."""
        families = self.headline is not None and bool(self.headline.families)
        if families and self.main == ("conll", None):
            return "the mean F of MUC, B-cubed and CEAF-e, by which shared tasks rank systems"
        if self.main not in self.defined:
            return "no score is defined"
        if self.chosen is not None:
            named = score_key(*self.chosen)
            return "as requested" if self.chosen == self.main else f"because {named} is undefined"
        known = {measure for measure, _ in self.scores}
        if self.main[0] == "v" and "ami" in known:
            return "the default where AMI is undefined; set another score with --main"
        return "the default; set another score with --main"

    @cached_property
    def defined(self) -> list[Score]:
        """The scores that are defined for at least one system, in input order."""
        found = {
            (row.measure, row.entropy)
            for row in self.rows
            if not row.trivial and row.value is not None
        }
        return [score for score in self.scores if score in found]

    @property
    def ordered(self) -> list[Score]:
        """The defined scores, starting with the main score and the others of the short report."""
        first = (self.main,) if self.headline is None else self.headline.scores
        return list(dict.fromkeys((*first, *self.defined)))

    def stability(self) -> list[dict[str, Any]]:
        """Return Kendall's τ between rankings by the same measure with different estimators."""
        from scipy.stats import kendalltau

        taus = []
        for measure in dict.fromkeys(measure for measure, entropy in self.scores if entropy):
            entropies = [entropy for name, entropy in self.scores if name == measure]
            for a, b in combinations(entropies, 2):
                ranks = [self._ranks(measure, entropy) for entropy in (a, b)]
                shared = [name for name in ranks[0] if name in ranks[1]]
                if len(shared) < 2:
                    continue
                tau = kendalltau(*[[side[name] for name in shared] for side in ranks]).statistic
                moved = max(shared, key=lambda name: abs(ranks[0][name] - ranks[1][name]))
                taus.append(
                    {
                        "measure": measure,
                        "a": a,
                        "b": b,
                        "tau": None if tau != tau else float(tau),
                        "moved": moved,
                        "from": ranks[0][moved],
                        "to": ranks[1][moved],
                    }
                )
        return taus

    def _ranks(self, measure: str, entropy: str | None) -> dict[str, int]:
        """Return the ranks of all systems on one score."""
        return {
            row.system: row.rank
            for row in self.rows
            if (row.measure, row.entropy) == (measure, entropy) and row.rank is not None
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a JSON-serialisable dictionary."""
        whole = self.with_intervals()
        data: dict[str, Any] = {
            **whole._plain("signature", "items", "groups", "classes"),
            "main": {"measure": self.main[0], "entropy": self.main[1], "reason": self.reason},
            **whole._plain("warnings", "rows", "pairs"),
            "stability": self.stability(),
            "systems": [
                {"system": name, **one.as_dict()}
                for name, one in zip(self.systems, self.components, strict=False)
            ],
        }
        return data | self._plain(*(name for name in ("golds", "by_group") if getattr(self, name)))

    def sets(self, kind: str = "clusters") -> Columns:
        """Return the columns of a table of "classes", "clusters" or the "mapping" between them.

        The table contains rows for all systems. The kind "pairs" lists the differences between all
        pairs of systems, with intervals and p-values.
        """
        if kind == "pairs":
            return self._list_pairs()
        if not self.scored:
            raise InputError(
                f"a table of {kind} requires a single gold standard",
                code="conflicting-options",
            )
        return list_kind(self.scored, kind)

    def _list_pairs(self) -> Columns:
        """Return the columns of a table with one row per pair of systems."""
        if not self.pairs:
            raise InputError(
                "differences between systems were not tested; pass --ci 1000",
                code="missing-option",
            )
        names = [one.name for one in fields(Pair)]
        return {name: [getattr(pair, name) for pair in self.pairs] for name in names}

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems on {self.items:,} items>"


def list_kind(scored: Sequence[ScoredSystem], kind: str) -> Columns:
    """Return the columns of the "classes", "clusters" or "mapping" table for several systems."""
    from roget.scoring.steps.sets import KINDS, list_sets

    if kind not in KINDS:
        raise UnknownName("kind of sets", kind, KINDS)
    if any(system.sides.overlapping for system in scored):
        raise InputError(
            f"a table of {kind} requires one class and one cluster per item",
            code="conflicting-options",
        )
    return list_sets(scored, kind)
