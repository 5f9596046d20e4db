"""Reports of `roget heldout` and `roget decide`, which compare models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from roget.core.information import bits
from roget.core.intervals import Interval
from roget.learn.evaluation.decision import Decisions
from roget.learn.evaluation.heldout import PARTS, PEER, Heldout, HeldoutComparison
from roget.report import Report, ReportTable
from roget.report.figures import BLUE, GREY, styled
from roget.report.format import UNDEFINED, canvas, number, plural, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_EXCEPTIONAL = "exceptional: triples whose correct context is the less frequent one"


def heldout(found: HeldoutComparison) -> Report:
    """Report every model's loss in bits per pair, and its improvement over Kneser–Ney."""
    rows = [_row(row, found.peer) for row in found.rows]
    titles = (
        "model", "bits\ntest", "bits\nnew", "below\nKneser–Ney", "KL\ntrain", "KL\ntest", "KL\nnew",
    )  # fmt: skip
    explained = [
        "bits: loss in bits per pair, on test pairs and on new words.",
        "KL: relative entropy in bits, averaged over words with equal weight.",
    ]
    return Report(
        title="Models on held-out counts",
        lead=_about(found),
        tables=[ReportTable.of(titles, map(_texts, rows), titles[1:])],
        notes=[*explained, *_spreads(found.splits, "split")],
        data={"unit": "bits", **_facts(found), "rows": rows},
        sheet=_heldout_sheet(rows),
    )


def _row(row: Heldout, peer: Heldout | None) -> dict[str, Any]:
    below = None if peer is None or row is peer else _ends(row.below(peer), bits(1.0))
    return {
        "model": row.model,
        "loss": {part: _ends(row.mean("loss", part), bits(1.0)) for part in PARTS},
        "below_kneser_ney": below,
        "relative_entropy": {part: _ends(row.mean("entropy", part), bits(1.0)) for part in PARTS},
        "test_losses": [bits(value) for value in row.loss["test"]],
    }


def _ends(interval: Interval, scale: float = 1.0) -> dict[str, float | None]:
    """Return a mean and the bounds of its interval as plain data."""
    parts = {"mean": interval.mean, "low": interval.low, "high": interval.high}
    return {name: None if value is None else value * scale for name, value in parts.items()}


def _texts(row: dict[str, Any]) -> list[str]:
    loss, entropy, below = row["loss"], row["relative_entropy"], row["below_kneser_ney"]
    return [
        row["model"],
        spread(**loss["test"]),
        number(loss["new"]["mean"]),
        UNDEFINED if below is None else spread(**below, sign="+"),
        *(number(entropy[part]["mean"]) for part in PARTS),
    ]


def _facts(found: HeldoutComparison | Decisions) -> dict[str, Any]:
    """Return all fields of a comparison except its rows, as a dictionary."""
    return {name: value for name, value in vars(found).items() if name != "rows"}


def _heldout_sheet(rows: Iterable[dict[str, Any]]) -> ReportTable:
    """Return a spreadsheet table with one row per model and quantity, at full precision."""
    cells: list[tuple[str, str, str, dict[str, Any] | None]] = []
    for row in rows:
        cells += [(row["model"], "loss", part, row["loss"][part]) for part in PARTS]
        cells.append((row["model"], "below_kneser_ney", "test", row["below_kneser_ney"]))
        entropy = row["relative_entropy"]
        cells += [(row["model"], "relative_entropy", part, entropy[part]) for part in PARTS]
    titles = ("model", "quantity", "part", "mean", "low", "high")
    return ReportTable.of(titles, [(*names, *value.values()) for *names, value in cells if value])


def _about(found: HeldoutComparison) -> list[str]:
    tokens = {part: f"{size:,.0f}" for part, size in found.tokens.items()}
    first = (
        f"{found.words:,} words × {found.contexts:,} contexts: {tokens['train']} tokens for "
        f"training, {tokens['dev']} for tuning,"
    )
    new = f"; {found.new_words:,} new words with {tokens['new']}" if found.new_words else ""
    return [first, f"{tokens['test']} for testing{new} ({_seeds(found.seed, found.splits)})"]


def _seeds(first: int, many: int) -> str:
    return f"seed {first}" if many == 1 else f"seeds {first} to {first + many - 1}"


def _spreads(many: int, noun: str) -> list[str]:
    if many == 1:
        return []
    return [f"±: half the width of a 95 % interval over {plural(many, noun)} (Student's t)."]


def decisions(found: Decisions) -> Report:
    """Report the error rate of every model on all triples and on the exceptional triples."""
    rows: list[dict[str, Any]] = []
    for row in found.rows:
        every, exceptional = map(_ends, row.means())
        rows.append(
            {
                "model": row.model,
                "all": every,
                "exceptional": exceptional,
                "chosen": row.chosen,
                "errors": row.every,
                "exceptional_errors": [None if e != e else e for e in row.exceptional],
            }
        )
    seeds = _seeds(found.seed, found.draws)
    lead = [
        f"{found.words:,} words × {found.contexts:,} contexts. All tokens of "
        f"{plural(found.pairs, 'pair')} are deleted, and each pair",
        f"is tested against every rival context: {found.triples:,.0f} triples, "
        f"{found.exceptional:,.0f} exceptional",
        f"({seeds if found.draws == 1 else f'mean of {seeds}'}).",
    ]
    kinds = ("all", "exceptional")
    titles = ("error rate", *kinds, "classes with most weight")
    texts = [
        (row["model"], *(spread(**row[kind]) for kind in kinds), row["chosen"] or UNDEFINED)
        for row in rows
    ]
    values = [
        (row["model"], kind, *row[kind].values(), row["chosen"]) for row in rows for kind in kinds
    ]
    return Report(
        title="Which of two verbs takes a noun",
        lead=lead,
        tables=[ReportTable.of(titles, texts, kinds)],
        notes=[_EXCEPTIONAL, *_spreads(found.draws, "sample")],
        data={**_facts(found), "rows": rows},
        sheet=ReportTable.of(("model", "triples", "error", "low", "high", "chosen"), values),
    )


def draw(found: HeldoutComparison) -> Figure:
    """Draw each model's test loss with its interval, and a line at the loss of Kneser–Ney."""
    rows = heldout(found).data["rows"][::-1]
    with styled():
        drawn = canvas(6.5, 1.2 + 0.35 * len(rows))
        axes = drawn.subplots()
        for place, row in enumerate(rows):
            test = row["loss"]["test"]
            axes.plot(test["mean"], place, "o", color=BLUE, markersize=5)
            if test["low"] is not None:
                axes.plot([test["low"], test["high"]], [place, place], "-", color=BLUE)
            if row["model"] == PEER:
                axes.axvline(test["mean"], color=GREY, linestyle=":", linewidth=1)
        axes.set_yticks(range(len(rows)), [row["model"] for row in rows])
        axes.set_xlabel(f"bits per held-out pair, mean of {plural(found.splits, 'split')}")
    return drawn
