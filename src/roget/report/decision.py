"""Models compared in the verb decision task: `roget decide` as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from roget.learn.decision import Decisions
from roget.report.counts import many
from roget.report.heldout import NONE, ends, spread


def as_dict(found: Decisions) -> dict[str, Any]:
    """Everything, as plain data; errors are shares of the triples."""
    rows = []
    for row in found.rows:
        every, exceptional = row.means()
        rows.append(
            {
                "model": row.model,
                "all": ends(every, 1.0),
                "exceptional": ends(exceptional, 1.0),
                "chosen": row.chosen,
                "errors": row.every,
                "exceptional_errors": [None if e != e else e for e in row.exceptional],
            }
        )
    return {
        "words": found.words,
        "contexts": found.contexts,
        "pairs": found.pairs,
        "triples": found.triples,
        "exceptional": found.exceptional,
        "draws": found.draws,
        "seed": found.seed,
        "rows": rows,
    }


def as_json(found: Decisions) -> str:
    """For machines."""
    return json.dumps(as_dict(found), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(found: Decisions) -> str:
    """One line for each model and kind of triple, with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("model", "triples", "error", "low", "high", "chosen"))
    for row in as_dict(found)["rows"]:
        for kind in ("all", "exceptional"):
            writer.writerow((row["model"], kind, *row[kind].values(), row["chosen"]))
    return out.getvalue()


def render(found: Decisions) -> str:
    """A table that fits 80 columns."""
    lines = [
        f"{found.words:,} words × {found.contexts:,} contexts. All tokens of "
        f"{many(found.pairs, 'pair')} are deleted, and each",
        f"is asked about with every rival: {found.triples:,.0f} triples, {found.exceptional:,.0f} "
        "exceptional",
        f"({_draws(found)}).",
        "",
        f"{'share of wrong decisions':24}{'all':>12}{'exceptional':>16}   classes that weigh most",
        "─" * 79,
    ]
    for row in as_dict(found)["rows"]:
        lines.append(
            f"{row['model']:20}{spread(row['all']):>16}{spread(row['exceptional']):>16}   "
            f"{row['chosen'] or NONE}"
        )
    if found.draws > 1:
        lines += ["", f"± is half a 95 % interval over {many(found.draws, 'draw')} (Student's t)."]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _draws(found: Decisions) -> str:
    if found.draws == 1:
        return f"seed {found.seed}"
    return f"mean of seeds {found.seed} to {found.seed + found.draws - 1}"
