"""What scoring returns: rows of values that never travel without their signature.

The warnings of a table say in plain words when a score should not be taken at face value.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.catalogue import name_extra
from roget.core.io.problems import join_names, plural
from roget.core.notebook import ReportMixin
from roget.core.types import Floats
from roget.errors import InputError, Undefined, UnknownName

if TYPE_CHECKING:
    from roget.scoring.measures import Measure
    from roget.scoring.score import ScoredSystem
    from roget.scoring.steps.components import ScoreComponents
    from roget.scoring.steps.diagnostics import Details, GroupRow
    from roget.scoring.steps.sets import Columns
    from roget.scoring.steps.sweep import Sweep

MEAN, TREE = "mean", "tree"
"""What stands for a level: the mean over all, and the tree that they make."""


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
    z: float | None = None
    """How many standard deviations better than random answers, where asked for."""
    p: float | None = None
    """How often random answers do as well, where asked for."""
    level: str | None = None
    """Which level of gold, of the system or of both was scored, where there are several."""
    golds: Mapping[str, float | None] = field(default_factory=dict)
    """The scores on each of several gold standards, of which the value is the mean."""

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data; a reason only where there is no value."""
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


Score = tuple[str, str | None]
"""A measure and an entropy estimator, None where it uses none."""


def defined(value: float) -> float | None:
    """A number, or None for NaN: inside, NaN stands for "undefined"; it never leaves."""
    return None if np.isnan(value) else float(value)


def find_scores(name: str, known: Iterable[Score]) -> list[Score]:
    """The scores that a text such as "v@jk" or "ari" names: "v" is V under each estimator.

    >>> find_scores("v", [("v", "ml"), ("v", "jk"), ("ari", None)])
    [('v', 'ml'), ('v', 'jk')]
    """
    known = list(known)
    measure, _, entropy = name.strip().partition("@")
    found = [score for score in known if score[0] == measure and entropy in ("", score[1])]
    if not found:
        raise UnknownName("score", name, [address(*score) for score in known])
    return found


def address(measure: str, entropy: str | None) -> str:
    """How people name a score: v@jk."""
    return measure if entropy is None else f"{measure}@{entropy}"


TIE = 1e-12
"""Scores that differ by less are the same."""


def is_plug_in(score: Score) -> bool:
    """Whether entropies are those of the sample, as if it were all there is."""
    return score[1] == "ml"


def is_earned(ours: Iterable[float | None], trivial: Iterable[float | None], better: str) -> bool:
    """Whether the best of some scores is better than every trivial answer's, which there must be.

    >>> is_earned([0.3, 0.2], [0.0, None], "higher"), is_earned([1.0], [1.0], "higher")
    (True, False)
    """
    sign = -1.0 if better == "lower" else 1.0
    known, none = (
        [sign * value for value in values if value is not None] for values in (ours, trivial)
    )
    return bool(known and none) and max(known) > max(none) + TIE


def hide_paths(texts: Iterable[str], *sources: str) -> tuple[str, ...]:
    """The texts with the names of files in the place of their absolute paths.

    What is published should not tell of the machine it was made on.
    """
    long = {one: PurePath(one).name for one in sources if PurePath(one).is_absolute()}
    for path, name in sorted(long.items(), reverse=True):
        texts = [text.replace(path, name) for text in texts]
    return tuple(texts)


def read_signature(signature: str) -> dict[str, str]:
    """The parts of a signature by name.

    >>> read_signature("gold:hard|ci:none")
    {'gold': 'hard', 'ci': 'none'}
    """
    return dict(part.partition(":")[::2] for part in signature.split("|"))


def as_plain(value: Any) -> Any:
    """What a result has, as plain data: rows know theirs, and several of anything are a list."""
    if hasattr(value, "as_dict"):
        return value.as_dict()
    several = isinstance(value, list | tuple | Iterator)
    return [as_plain(one) for one in value] if several else value


class Shown(ReportMixin):
    """What every result shows of itself: as text, in a notebook, as a frame."""

    signature: str
    groups: int

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")

    def cite(self) -> str:
        """BibTeX of the measures, estimators and methods that were used, and of roget."""
        from roget.scoring.references import cite

        return cite(self)

    def to_pandas(self) -> Any:
        """All digits as a pandas DataFrame."""
        with name_extra():
            return importlib.import_module("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """All digits as a polars DataFrame."""
        with name_extra():
            return importlib.import_module("polars").DataFrame(self._columns(), strict=False)

    def _plain(self, *names: str) -> dict[str, Any]:
        """Attributes as plain data, ready for JSON."""
        return {name: as_plain(getattr(self, name)) for name in names}

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
    title: str = ""
    """What pages and captions call it."""
    outline: ScoreComponents | None = None
    """Entropies, pairs of items, and sizes of classes and clusters."""
    by_group: tuple[GroupRow, ...] = ()
    """The scores of each group, worst first, where asked for."""
    answered: ScoredSystem | None = field(default=None, repr=False, compare=False)
    """The tables of all groups, where they were to be kept."""

    sweep: Sweep | None = field(default=None, repr=False)
    """The scores of many cuts of a tree, where asked for."""
    chance: int = 0
    """Random answers that z and p are of, where asked for."""

    @property
    def main(self) -> Score:
        """The first score that is better than those of all trivial answers, or the first.

        Corrected scores come before plug-in ones, which a cluster per item does well under.
        """
        rows = sorted(self.rows, key=lambda row: is_plug_in((row.measure, row.entropy)))
        earned = (r for r in rows if is_earned([r.value], r.baselines.values(), r.direction))
        first = next(earned, self.rows[0])
        return first.measure, first.entropy

    def sets(self, kind: str = "clusters") -> Columns:
        """Columns of a table of all "classes", "clusters" or the "mapping" of clusters to classes.

        The scores must be of `roget.score(..., keep=True)`.
        """
        if self.answered is None:
            raise InputError("the tables were not kept: say roget.score(..., keep=True)")
        return list_kind([self.answered], kind)

    def __getitem__(self, key: str | tuple[str, str | None]) -> float:
        measure, entropy = key if isinstance(key, tuple) else (key, None)
        # Of several levels, the mean is the score.
        for row in sorted(self.rows, key=lambda row: row.level not in (None, MEAN)):
            if row.measure == measure and (not isinstance(key, tuple) or row.entropy == entropy):
                if row.value is None:
                    raise Undefined(f"{measure}: {row.reason}")
                return row.value
        known = [r.measure if r.entropy is None else f"{r.measure}, {r.entropy}" for r in self.rows]
        wanted = measure if entropy is None else f"{measure}, {entropy}"
        raise UnknownName("row", wanted, known)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        sizes = "items", "groups", "classes", "clusters"
        data = self._plain("signature", *sizes, "warnings", "rows")
        if self.outline is not None:
            data |= self.outline.as_dict()
        more = ("by_group", "details", "sweep")
        return data | self._plain(*(name for name in more if getattr(self, name)))

    def flat(self) -> dict[str, float]:
        """The values by names that trackers such as MLflow and W&B take: {"v/jk": 0.71}.

        Scores that are undefined are left out. Those of a level have it before them,
        {"level-1/v/jk": 0.6}, and their mean has not.
        """
        found = {}
        for row in self.rows:
            if row.value is not None:
                level = "" if row.level in (None, MEAN) else f"level-{row.level}/"
                found[level.replace("×", "-") + name_metric(row.measure, row.entropy)] = row.value
        return found

    def falls_short(self, bounds: Iterable[str]) -> list[str]:
        """What is said of scores that miss a bound, such as "v@jk=0.6"; none if all are met.

        A distance must not be above its bound, any other score not below. What was undefined is
        missed. The bounds must be of scores that the table has.
        """
        said = []
        for bound in bounds:
            name, equals, limit = bound.rpartition("=")
            try:
                least = float(limit)
            except ValueError:
                equals = ""
            # Nothing is below a bound that is no number: it would never fail.
            if not equals or not name.strip() or math.isnan(least):
                raise InputError(f"{bound!r}: expected MEASURE[@ENTROPY]=NUMBER, such as v@jk=0.6")
            wanted = find_scores(name, ((row.measure, row.entropy) for row in self.rows))
            for row in self.rows:
                if (row.measure, row.entropy) not in wanted:
                    continue
                higher, called = row.direction == "higher", address(row.measure, row.entropy)
                called += "" if row.level is None else f" (level {row.level})"
                if row.value is None:
                    said.append(f"{called} is undefined: {row.reason}")
                elif row.value < least if higher else row.value > least:
                    side = "below" if higher else "above"
                    said.append(f"{called} is {row.value:.4f}, {side} {limit}")
        return said

    def __repr__(self) -> str:
        shown = [f"{_name_row(row)} {row.value:.3f}" for row in self.rows if row.value is not None]
        more = ", …" if len(shown) > 3 else ""
        told = f": {', '.join(shown[:3])}{more}" if shown else ", all scores undefined"
        return f"<ScoreTable of {plural(self.items, 'item', ',')}{told}>"


def list_kind(answered: Sequence[ScoredSystem], kind: str) -> Columns:
    """All classes, clusters or the mapping of some systems, imported where they are asked for."""
    from roget.scoring.steps.sets import KINDS, list_sets

    if kind not in KINDS:
        raise UnknownName("kind of sets", kind, KINDS)
    if any(system.sides.overlapping for system in answered):
        raise InputError(f"{kind}: for items that have one class and one cluster each")
    return list_sets(answered, kind)


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


def merge_notes(notes: Mapping[str, Iterable[str]]) -> list[str]:
    """Notes on several things, each once after their names; without names where it is of all.

    >>> merge_notes({"a": ["late", "long"], "b": ["late"]})
    ['late', 'a: long']
    """
    said: dict[str, list[str]] = {}
    for name, texts in notes.items():
        for text in texts:
            said.setdefault(text, []).append(name)
    return [
        text if len(names) == len(notes) > 1 else f"{join_names(names)}: {text}"
        for text, names in said.items()
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
            yield f"the system does no better than {answer}: {_show_some(beaten)}"


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
        said = "plug-in and bias-corrected scores disagree, prefer the corrected"
        yield f"{said}: {_show_some(apart)}"


def _show_some(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - 3} more" if len(texts) > 3 else ""
    return "; ".join(texts[:3]) + more


def name_metric(measure: str, entropy: str | None) -> str:
    """A score as trackers of experiments can call it, whose names have no brackets.

    >>> name_metric("v(beta=0.5)", "jk"), name_metric("ari", None)
    ('v_beta_0.5/jk', 'ari')
    """
    name = re.sub(r"[^\w.-]+", "_", measure).rstrip("_")
    return f"{name}/{entropy}" if entropy else name


def _name_row(row: ScoreRow) -> str:
    return row.measure if row.entropy is None else f"{row.measure} ({row.entropy})"
