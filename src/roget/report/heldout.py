"""Models compared on held-out counts: `roget heldout` as text, JSON, CSV and a figure. Bits."""

from __future__ import annotations

import csv
import io
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from roget.core.information import bits
from roget.errors import InputError, MissingExtra
from roget.learn.heldout.compare import PARTS, PEER, Comparison, Heldout
from roget.learn.heldout.intervals import Interval
from roget.report.counts import many

NONE = "–"

FIGURES = (".svg", ".png", ".pdf")


def as_dict(found: Comparison) -> dict[str, Any]:
    """Everything, as plain data; losses in bits per pair."""
    return {
        "unit": "bits",
        "words": found.words,
        "contexts": found.contexts,
        "new_words": found.new_words,
        "tokens": found.tokens,
        "splits": found.splits,
        "seed": found.seed,
        "backoff": found.backoff,
        "rows": [_row(row, found.peer) for row in found.rows],
    }


def _row(row: Heldout, peer: Heldout | None) -> dict[str, Any]:
    below = None if peer is None or row is peer else ends(row.below(peer))
    return {
        "model": row.model,
        "loss": {part: ends(row.mean("loss", part)) for part in PARTS},
        "below_kneser_ney": below,
        "relative_entropy": {part: ends(row.mean("entropy", part)) for part in PARTS},
        "test_losses": [bits(value) for value in row.loss["test"]],
    }


def ends(given: Interval, scale: float | None = None) -> dict[str, float | None]:
    """A mean and its interval as plain data, nats as bits unless a scale is given."""
    factor = bits(1.0) if scale is None else scale
    parts = {"mean": given.mean, "low": given.low, "high": given.high}
    return {name: None if value is None else value * factor for name, value in parts.items()}


def as_json(found: Comparison) -> str:
    """For machines."""
    return json.dumps(as_dict(found), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(found: Comparison) -> str:
    """One line for each model and number, with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("model", "quantity", "part", "mean", "low", "high"))
    for row in as_dict(found)["rows"]:
        cells = [("loss", part, row["loss"][part]) for part in PARTS]
        cells.append(("below_kneser_ney", "test", row["below_kneser_ney"]))
        cells += [("relative_entropy", part, row["relative_entropy"][part]) for part in PARTS]
        for quantity, part, value in cells:
            if value is not None:
                writer.writerow((row["model"], quantity, part, *value.values()))
    return out.getvalue()


def render(found: Comparison) -> str:
    """A table that fits 80 columns."""
    lines = [*_about(found), ""]
    lines.append(f"{'':16}{'bits per pair':>19}{'below':>17}{'relative entropy':>25}")
    lines.append(
        f"{'model':16}{'test':>13}{'new':>8}{'Kneser–Ney':>17}{'train':>9}{'test':>8}{'new':>8}"
    )
    lines.append("─" * 79)
    for row in as_dict(found)["rows"]:
        loss, entropy = row["loss"], row["relative_entropy"]
        below = row["below_kneser_ney"]
        lines.append(
            f"{row['model']:16}{spread(loss['test']):>13}{number(loss['new']['mean']):>8}"
            f"{NONE if below is None else spread(below, True):>17}"
            f"{number(entropy['train']['mean']):>9}{number(entropy['test']['mean']):>8}"
            f"{number(entropy['new']['mean']):>8}"
        )
    if found.splits > 1:
        lines += [
            "",
            f"± is half a 95 % interval over {many(found.splits, 'split')} (Student's t).",
        ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _about(found: Comparison) -> list[str]:
    tokens = {part: f"{size:,.0f}" for part, size in found.tokens.items()}
    first = (
        f"{found.words:,} words × {found.contexts:,} contexts: {tokens['train']} tokens to learn "
        f"from, {tokens['dev']} to tune on,"
    )
    new = f"; {found.new_words:,} new words with {tokens['new']}" if found.new_words else ""
    seeds = f"seed {found.seed}" if found.splits == 1 else (
        f"seeds {found.seed} to {found.seed + found.splits - 1}"
    )  # fmt: skip
    return [first, f"{tokens['test']} to test{new} ({seeds})"]


def number(value: float | None, signed: bool = False) -> str:
    """Three decimals; a dash where there is no number."""
    if value is None:
        return NONE
    return f"{value:+.3f}" if signed else f"{value:.3f}"


def spread(given: dict[str, float | None], signed: bool = False) -> str:
    """A mean and half its interval, if it has one."""
    mean, low, high = given["mean"], given["low"], given["high"]
    if mean is None or low is None or high is None:
        return number(mean, signed)
    return f"{number(mean, signed)} ±{(high - low) / 2:.3f}".replace("±0.", "±.")


def drawable(path: str | os.PathLike[str]) -> None:
    """Refuse a figure that could not be drawn, for its name or for want of matplotlib."""
    if Path(path).suffix.lower() not in FIGURES:
        raise InputError(f"{path}: the name of a figure should end in {', '.join(FIGURES)}")
    if find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "figures", "drawing a figure")


def figure(found: Comparison, path: str | os.PathLike[str]) -> None:
    """Draw every model's loss on test tokens with its interval, Kneser–Ney as a line."""
    drawable(path)
    from matplotlib.figure import Figure

    rows = as_dict(found)["rows"][::-1]
    canvas = Figure(figsize=(6.5, 1.2 + 0.35 * len(rows)), layout="constrained")
    axes = canvas.subplots()
    for place, row in enumerate(rows):
        test = row["loss"]["test"]
        axes.plot(test["mean"], place, "o", color="C0", markersize=5)
        if test["low"] is not None:
            axes.plot([test["low"], test["high"]], [place, place], "-", color="C0")
        if row["model"] == PEER:
            axes.axvline(test["mean"], color="grey", linestyle=":", linewidth=1)
    axes.set_yticks(range(len(rows)), [row["model"] for row in rows])
    axes.set_xlabel(f"bits per held-out pair, mean of {many(found.splits, 'split')}")
    canvas.savefig(path)
