"""Class models beside Kneser–Ney, NMF and LDA: log-loss on held-out pairs, and verb decisions.

Run `python benchmarks/classmodel.py [--only PATTERN] [--splits N] [--quick] [--json FILE]`. Weights
and discounts are tuned on development tokens of each split, and weights of decisions on pairs that
are deleted from the training table; sizes and settings were chosen on seeds from 100 on, what is
reported are seeds from 0 on. Counts that do not ship are looked for in ROGET_TEST_DATA (else
../shared/data beside the repository); what is absent is left out.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from harness import Row, machine, progress, table, verdict

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.progress import Progress
from roget.data import sample
from roget.learn.evaluation.decision import decide
from roget.learn.evaluation.heldout import compare
from roget.report import evaluation as report

Rows = Iterator[Row | str]

BARS = {
    "roget": -0.10,  # bits below Kneser–Ney
    "all": -0.12,
    "interval": 0.0,  # the upper end of the difference
    "decisions, all": 0.165,
    "decisions, exceptional": 0.36,
}
PEERS = ("nmf", "lda")
LOSS = ("unigram", "mle", "absolute", "kneser-ney", "nearest", "soft", "soft-symmetric", "mdl")
SLOW = (*PEERS, "all")


def folder() -> Path:
    """Where data that do not ship are."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("ROGET_TEST_DATA") or default)


def vo_bench(*parts: str) -> Counts:
    """Nouns × verbs of the benchmark's parts together."""
    first, *others = (
        Counts.read(folder() / "vo-bench" / f"{part}.tsv", columns=(2, 1, 3)) for part in parts
    )
    return first.merge(*others)


def losses(read: Callable[[], Counts], top: int, splits: int, quick: bool) -> Rows:
    """Differences to Kneser–Ney on one table."""
    models = (*LOSS, "comdl", "roget", *(() if quick else SLOW))
    found = compare(read(), models, top=top, splits=splits, progress=_tell)
    rows = {row.model: row for row in found.rows}
    peer = rows["kneser-ney"]
    beside = f"kneser-ney {bits(peer.mean('loss', 'test').mean or 0.0):.3f} bits"
    for name in ("roget",) if quick else ("roget", "all"):
        below = rows[name].below(peer)
        yield Row(f"{name} − Kneser–Ney", -bits(below.mean or 0.0), None, beside, "", BARS[name])
        if below.low is not None:
            end = -bits(below.low)
            yield Row(f"{name}, interval's end", end, None, "", "", BARS["interval"])
    yield report.heldout(found).render()


def decisions(splits: int, quick: bool) -> Rows:
    """Errors of verb decisions on vo-bench."""
    names = ("unigram", "nearest", "soft-symmetric", "comdl", "roget", *(() if quick else ("nmf",)))
    found = decide(vo_bench("train"), names, draws=splits, progress=_tell)
    rows = {row.model: row.means() for row in found.rows}
    for place, kind in enumerate(("all", "exceptional")):
        beside = "" if quick else f"nmf {rows['nmf'][place].mean:.3f}"
        error, case = rows["roget"][place].mean or 0.0, f"decisions, {kind}"
        yield Row(case, error, None, beside, "", BARS[case])
    yield report.decisions(found).render()


def _tell(now: Progress) -> None:
    progress(f"{now.done} of {now.total}")


def main() -> None:
    """Run the chosen cases, then print the table and what fell short."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="PATTERN", default="*", help="such as 'AMALGUM*'")
    parser.add_argument("--splits", metavar="N", type=int, default=5, help="or draws (5)")
    parser.add_argument("--quick", action="store_true", help="without NMF, LDA and all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the rows there")
    chosen = parser.parse_args()
    both, ours = partial(vo_bench, "train", "test"), partial(sample, "verb_object")
    given = chosen.splits, chosen.quick
    known: dict[str, Callable[[], Rows]] = {
        "vo-bench 1000": partial(losses, both, 1000, *given),
        "AMALGUM 1000": partial(losses, ours, 1000, *given),
        "AMALGUM 3000": partial(losses, ours, 3000, *given),
        "decisions": partial(decisions, *given),
    }
    names = fnmatch.filter(known, chosen.only)
    if not names:
        sys.exit(f"no case matches {chosen.only!r}; known: {', '.join(known)}")
    rows: list[Row] = []
    for name in names:
        progress(name)
        print(f"\n{name}\n")
        try:
            for item in known[name]():
                if isinstance(item, Row):
                    rows.append(item)
                else:
                    print(item, flush=True)
        except FileNotFoundError as error:
            print(f"{name} was left out: {error}")
    print(table(rows), verdict(rows), sep="\n")
    if chosen.json:
        written = {"about": machine(), "rows": [row.as_json() for row in rows]}
        chosen.json.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
