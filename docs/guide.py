"""Make the tables and figures of docs/guide.md from the results of benchmarks/estimators.py.

    python docs/guide.py chance|error|nvi|kinds|real|default|enough|entropy
    python docs/guide.py figures [FOLDER]

`docs/build.py` puts the tables on the page and draws the figures.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roget import catalogue
from roget.core.types import BoolArray, Floats
from roget.report import Report, ReportTable
from roget.report.figures import GREY, INK, SERIES, save_picture, styled
from roget.report.format import canvas
from roget.scoring import entropy as entropies
from roget.scoring.entropy import LinearEstimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent
FILE = DOCS / "data" / "estimators.json"
PICTURES = DOCS / "pictures"
CLOSE = 0.01
"""Errors that differ by less are treated as equal."""
WANTED = 0.02
"""Largest tolerated error of a score in 95 % of the samples."""
LARGE = 100
"""Smallest number of items of a sample that is not called small."""
CHOSEN = ("v@ml", "v@jk", "v@cwj", "v@bub", "ami")
"""Scores in figures and small tables."""
LINES = dict(
    zip(CHOSEN, zip((*SERIES, (INK, "x")), ("-", "--", "-", "-.", ":"), strict=True), strict=True)
)


@dataclass(frozen=True, eq=False)
class Study:
    """Errors of scores by case, score, number of items and statistic."""

    draws: int
    slow: dict[str, int]
    """Estimators that scored only one sample in N, with N."""
    statistics: list[str]
    items: list[int]
    scores: list[str]
    cases: list[dict[str, Any]]
    values: Floats

    @classmethod
    def read(cls, path: Path = FILE, real: bool = False) -> Study:
        """Read the results for synthetic or real tables; undefined values are NaN."""
        found = json.loads(path.read_text(encoding="utf-8"))
        cases = [case for case in found["cases"] if ("name" in case) == real]
        values = np.array([case["values"] for case in cases], dtype=np.float64)
        about = {name: found[name] for name in ("draws", "slow", "statistics", "items", "scores")}
        return cls(**about, cases=cases, values=values)

    def of(self, score: str, statistic: str = "rmse") -> Floats:
        """Return a statistic of a score: cases × numbers of items."""
        where = self.scores.index(score), self.statistics.index(statistic)
        return np.asarray(self.values[:, where[0], :, where[1]])

    def half(self, score: str) -> Floats:
        """Return half the 95 % interval of the bias."""
        variance = np.maximum(self.of(score) ** 2 - self.of(score, "bias") ** 2, 0)
        draws = self.draws / self.slow.get(score.partition("@")[2], 1)
        return np.asarray(1.96 * np.sqrt(variance / draws))

    def where(self, **wanted: Any) -> BoolArray:
        """Return a mask of the cases with these properties."""
        return np.array([all(case[k] == v for k, v in wanted.items()) for case in self.cases])

    def of_v(self) -> list[str]:
        """Return all scores that estimate V."""
        return [score for score in self.scores if score.startswith("v@")] + ["ami"]

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Distinct pairs of numbers of classes and clusters."""
        return list(dict.fromkeys((case["classes"], case["clusters"]) for case in self.cases))


def tabulate_chance(study: Study) -> Report:
    """Tabulate the scores of random clusterings."""
    numbers = (30, 100, 300, 1000, 10_000)
    rows, widest = [], 0.0
    for classes, clusters in study.shapes:
        alike = study.where(classes=classes, clusters=clusters, agreement=0.0)
        for score in ("v@ml", "v@jk", "v@cwj", "ami"):
            bias = study.of(score, "bias")[alike].mean(axis=0)
            widest = max(widest, _widest(study.half(score)[alike, 1:]))
            means = [_plain(bias[study.items.index(number)]) for number in numbers]
            rows.append([f"{classes} × {clusters}", score, *means])
    return _table("classes × clusters|score", numbers, rows, [
        "mean score of clusterings that are independent of gold, by number of items; the true "
        f"value is 0. Mean over uniform, Zipf 1 and Zipf 2 sizes; ± {widest:.3f} or less.",
    ])  # fmt: skip


def tabulate_error(study: Study) -> Report:
    """Tabulate the error of V with each estimator, and of measures without entropies."""
    others = ["ari", "b3-f", "one-to-one"]
    return _errors(study, [*study.of_v(), *others])


def tabulate_nvi(study: Study) -> Report:
    """Tabulate the error of NVI with each estimator."""
    return _errors(study, [score for score in study.scores if score.startswith("nvi@")])


def _errors(study: Study, scores: Sequence[str]) -> Report:
    rows, widest = [], 0.0
    for score in scores:
        widest = max(widest, _widest(study.of(score, "half")[:, 1:]))
        rows.append([score, *(f"{one:.3f}" for one in study.of(score).mean(axis=0))])
    return _table("score", study.items, rows, [
        f"root mean squared error by number of items, mean over {len(study.cases)} cases; ± "
        f"{widest:.3f} or less from 30 items on.",
    ])  # fmt: skip


def tabulate_kinds(study: Study) -> Report:
    """Tabulate the error of V by the kind of agreement between classes and clusters."""
    numbers = [study.items.index(number) for number in (LARGE, 300, 1000)]
    kinds = dict.fromkeys((case["agreement"], case["others"]) for case in study.cases)
    titles = [f"{agreement:g} {others}" for agreement, others in kinds]
    rows = []
    for score in study.of_v():
        errors = study.of(score)[:, numbers]
        means = (errors[study.where(agreement=a, others=o)].mean() for a, o in kinds)
        rows.append([score, *map(_plain, means)])
    return _table("score", titles, rows, [
        "root mean squared error for samples of 100, 300 and 1,000 items, by the share of items in "
        "the cluster of their class, and by the position of the other items: anywhere, or in the "
        "next two classes.",
    ])  # fmt: skip


def tabulate_real(study: Study) -> Report:
    """Tabulate the error of V for tables of real clusterings."""
    real = Study.read(real=True)
    numbers = (30, 100, 300)
    at = [real.items.index(number) for number in numbers]
    rows, widest = [], 0.0
    for score in real.of_v():
        bias, error = (real.of(score, what).mean(axis=0)[at] for what in ("bias", "rmse"))
        rows.append([score, *(f"{one:+z.3f}" for one in bias), *map(_plain, error)])
        halves = real.half(score), real.of(score, "half")
        widest = max(widest, *(_widest(half[:, at]) for half in halves))
    titles = [f"{what} {number:,}" for what in ("bias", "rmse") for number in numbers]
    names = ", ".join(case["name"] for case in real.cases)
    return _table("score", titles, rows, [
        f"mean error and root mean squared error of V by number of items, mean over {names}; ± "
        f"{widest:.3f} or less.",
    ])  # fmt: skip


def tabulate_default(study: Study) -> Report:
    """Compare the error of each estimate of V with the best one and with the jackknife."""
    named = [score for score in study.of_v() if not {"+", ","} & {*score}]
    errors = {score: study.of(score) for score in study.of_v()}
    best = np.min([errors[score] for score in named], axis=0)
    usual = errors["v@jk"]
    small = np.array(study.items) < LARGE
    titles = ["score", "within 5 %", "lost", "at worst", "worse", "by at most", "better"]
    tables = []
    for title, part in ((f"under {LARGE} items", small), (f"{LARGE} items or more", ~small)):
        least, theirs = best[:, part], usual[:, part]
        rows = []
        for score, error in errors.items():
            mine = error[:, part]
            shares = mine <= 1.05 * least, mine > theirs + CLOSE, mine < theirs - CLOSE
            near, worse, better = map(_share, shares)
            lost, more = mine - least, max(0.0, float((mine - theirs).max()))
            sizes = f"{lost.mean():.3f}", f"{lost.max():.2f}"
            rows.append([score, near, *sizes, worse, f"{more:.2f}", better])
        tables.append(ReportTable.of(titles, rows, numbers=titles[1:], title=title))
    notes = [
        "within 5 %: share of cases and numbers of items in which the error is at most 1.05 times "
        "the smallest error; lost: difference to the smallest error, mean and maximum; worse, "
        f"better: share in which the error is larger, or smaller, than that of v@jk by more than "
        f"{CLOSE}."
    ]
    return Report("Defaults", tables=tables, notes=notes)


def tabulate_enough(study: Study) -> Report:
    """Tabulate the number of items from which a score is close to the truth."""
    scores = ("v@ml", "v@jk", "v@cwj", "v@bub", "ami", "nvi@jk", "ari", "b3-f")
    rows = []
    for classes, clusters in study.shapes:
        alike = study.where(classes=classes, clusters=clusters)
        needed = np.array([
            [need_items(study.items, reach) for reach in study.of(score, "reach")[alike]]
            for score in scores
        ])  # fmt: skip
        for title, numbers in (("half", np.median(needed, axis=1)), ("all", needed.max(axis=1))):
            rows.append([f"{classes} × {clusters}", title, *map(_items, numbers)])
    return _table("classes × clusters|cases", scores, rows, [
        f"smallest number of items for which 95 % of the samples score within {WANTED} of the "
        "truth, in half of the cases and in all. Interpolated linearly between logarithms.",
    ])  # fmt: skip


def need_items(items: Sequence[int], reach: Floats, wanted: float = WANTED) -> float:
    """Return the number of items from which the error stays below the limit, or ∞."""
    beyond = np.flatnonzero(~(reach <= wanted))
    if not beyond.size:
        return float(items[0])
    at = int(beyond[-1])
    if at == len(items) - 1:
        return math.inf
    x, y = np.log(items[at : at + 2]), np.log(np.maximum(reach[at : at + 2], 1e-9))
    return float(np.exp(x[0] + (x[1] - x[0]) * (math.log(wanted) - y[0]) / (y[1] - y[0])))


def tabulate_entropy(study: Study) -> Report:
    """Tabulate the exact bias of the entropy estimates."""
    rows = []
    for name in catalogue.names("entropies"):
        estimator = entropies.get(name)
        if isinstance(estimator, LinearEstimator):
            biases = (expect_bias(estimator, 10, 10, skew) for skew in range(5))
            rows.append([name, *(f"{bias:+.3f}" for bias in biases)])
    return _table("entropy", ("uniform", *(f"Zipf {s}" for s in range(1, 5))), rows, [
        "exact bias of H in nats, for 10 items from 10 cells whose number is known."
    ])  # fmt: skip


def expect_bias(estimator: LinearEstimator, items: int, cells: int, skew: float) -> float:
    """Return E[Ĥ] − H of a linear estimator, from the binomial distribution of each count."""
    from scipy.stats import binom

    p = (np.arange(cells) + 1.0) ** -skew
    p /= p.sum()
    counts = np.arange(items + 1)
    weights = np.append(
        estimator.empty_cell(items, cells), estimator.coefficients(counts[1:], items, cells)
    )
    expected = float((binom.pmf(counts, items, p[:, None]) @ weights).sum())
    return expected + float(np.sum(p * np.log(p)))


def draw_bias(study: Study) -> Figure:
    """Draw the bias of V against the number of items, one panel per kind of agreement."""
    links = [(0.0, "anywhere"), (0.5, "anywhere"), (0.9, "anywhere"), (0.9, "near")]
    titles = ["nothing in common", "half agree", "nine in ten agree", "nine in ten, errors near"]
    figure = canvas(7.2, 4.6)
    panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for axes, (agreement, others), title in zip(panels, links, titles, strict=True):
        chosen = study.where(classes=10, clusters=10, skew=1, agreement=agreement, others=others)
        (at,) = np.flatnonzero(chosen)
        axes.axhline(0, color=GREY, lw=0.8)
        for score, ((colour, marker), line) in LINES.items():
            axes.errorbar(study.items, study.of(score, "bias")[at], study.half(score)[at],
                          color=colour, marker=marker, ls=line, lw=1.3, elinewidth=0.8, ms=4,
                          label=score)  # fmt: skip
        axes.set_title(f"{title}: true V {study.cases[at]['truth']['v']:.2f}", fontsize=9)
        _set_items(axes)
    for axes in panels[::2]:
        axes.set_ylabel("mean error of V")
    for axes in panels[2:]:
        axes.set_xlabel("items")
    panels[0].legend(frameon=False, fontsize=8)
    return figure


def draw_error(study: Study) -> Figure:
    """Draw the error of V against the number of items: mean over cases, and worst case."""
    from matplotlib.ticker import StrMethodFormatter

    figure = canvas(7.2, 3.0)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, title in zip(panels, ("mean over cases", "worst case"), strict=True):
        for score, ((colour, marker), line) in LINES.items():
            errors = study.of(score)
            shown = errors.mean(axis=0) if axes is panels[0] else errors.max(axis=0)
            axes.plot(study.items, shown, color=colour, marker=marker, ls=line, lw=1.3, ms=4,
                      label=score)  # fmt: skip
        axes.set_title(title, fontsize=9)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.set_xlabel("items")
        _set_items(axes)
    panels[0].set_ylabel("RMSE of V")
    panels[0].legend(frameon=False, fontsize=8)
    return figure


def _set_items(axes: Axes) -> None:
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=GREY, alpha=0.25, lw=0.6)


FIGURES: dict[str, Callable[[Study], Figure]] = {"bias": draw_bias, "error": draw_error}
TABLES: dict[str, Callable[[Study], Report]] = {
    "chance": tabulate_chance,
    "error": tabulate_error,
    "nvi": tabulate_nvi,
    "kinds": tabulate_kinds,
    "real": tabulate_real,
    "default": tabulate_default,
    "enough": tabulate_enough,
    "entropy": tabulate_entropy,
}


def draw(folder: Path = PICTURES) -> Iterator[Path]:
    """Write the figures and yield their paths."""
    study = Study.read()
    for name, make in FIGURES.items():
        path = folder / f"guide-{name}.svg"
        with styled():
            save_picture(make(study), path)
        yield path


def _table(first: str, titles: Sequence[Any], rows: list[list[str]], notes: list[str]) -> Report:
    names = [f"{title:,}" if isinstance(title, int) else str(title) for title in titles]
    columns = [*first.split("|"), *names]
    return Report("Guide", tables=[ReportTable.of(columns, rows, numbers=names)], notes=notes)


def _widest(halves: Floats) -> float:
    """Return the largest half interval of the means over cases."""
    return float(np.sqrt((halves**2).sum(axis=0)).max()) / len(halves)


def _plain(value: float) -> str:
    return f"{value:z.3f}"


def _share(right: BoolArray) -> str:
    return f"{right.mean():.0%}"


def _items(number: float) -> str:
    """A number of items to two digits."""
    if math.isinf(number):
        return "more"
    return f"{float(f'{number:.2g}'):,.0f}"


def main() -> None:
    """Print a table, or draw the figures."""
    match sys.argv[1:]:
        case ["figures", *folder]:
            print(*draw(Path(*folder) if folder else PICTURES), sep="\n")
        case [name] if name in TABLES:
            print(TABLES[name](Study.read()).render("text"), end="")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
