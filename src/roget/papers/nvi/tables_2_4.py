"""Tables 2 to 4: internal consistency of the numbers published for the grammar experiment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from roget.papers.nvi.rules import TABLES_2_4 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.rules import Verdict, decide

LABELS = ("MDL", "T", "P")


class TaggedCorpus(NamedTuple):
    """A row of Tables 3 and 4 as printed. Values are in the order MDL, T, P."""

    v: tuple[str, str, str]
    vi: tuple[str, str, str]
    nvi: tuple[str, str, str]
    nvi_k: tuple[str, str, str]
    classes: str
    """H(C) as printed."""
    clusters: tuple[str, str, str]
    """H(K) as printed."""


PRINTED = {
    "WSJ10": TaggedCorpus(
        ("0.4", "0.44", "0.41"), ("3.83", "2.32", "1.9"), ("2.21", "1.34", "1.1"),
        ("0.81", "0.86", "1.2"), "1.73", ("4.72", "2.7", "1.58"),
    ),
    "NEGRA10": TaggedCorpus(
        ("0.47", "0.5", "0.5"), ("2.56", "1.8", "1.4"), ("1.51", "1.1", "0.83"),
        ("0.76", "0.96", "1.1"), "1.69", ("3.36", "1.87", "1.29"),
    ),
    "CTB10": TaggedCorpus(
        ("0.42", "0.42", "0.45"), ("3.0", "2.22", "1.85"), ("1.72", "1.26", "1.1"),
        ("0.87", "1.1", "1.25"), "1.76", ("3.45", "2.1", "1.48"),
    ),
}  # fmt: skip
"""Tables 3 and 4 as printed, except that the paper omits trailing zeros (3.0 is printed as 3)."""

TABLE_2 = {
    "WSJ10": ((26, 3, 23), (8, 0, 8), (2916, 2864, 52)),
    "NEGRA10": ((22, 12, 10), (6, 1, 5), (1202, 1191, 11)),
    "CTB10": ((24, 11, 13), (9, 4, 5), (1050, 1044, 6)),
}
"""Numbers of labels for T, P and MDL.

Each triple contains the total, the number of labels with fewer than 100 constituents, and the
number of labels with 100 or more.
"""


def tables_2_4(options: ReproduceOptions) -> Reproduced:
    """Reproduce Tables 2 to 4 of Reichart & Rappoport (2009): consistency of their numbers."""
    claims = [
        claim
        for name, row in PRINTED.items()
        for at, labels in enumerate(LABELS)
        for claim in _fit(name, labels, row, at)
    ]
    claims += [
        Claim(
            RULES["labels"],
            f"Table 2, {name}: T, P, MDL labels",
            ", ".join(str(every) for every, _, _ in rows),
            ", ".join(str(few + many) for _, few, many in rows),
        )
        for name, rows in TABLE_2.items()
    ]
    claims += [_judge_similar(name, row) for name, row in PRINTED.items()]
    return Reproduced(
        "Numbers of the grammar experiment (Reichart & Rappoport 2009, Tables 2 to 4)",
        about=(
            "Constituents have thousands of labels (MDL), as many as the treebank (T), or the "
            "fewest that cover 95 % of it (P). Table 3 prints VI, and Table 4 prints H(C) and "
            "H(K). Our values are NVI = VI/H(C), NVI_K = VI/H(K) and V = 1 − VI/(H(C) + H(K)), "
            "computed from these numbers with a tolerance for rounding. For Table 2, the number "
            "of labels with fewer than 100 constituents is added to the number of other labels."
        ),
        claims=claims,
        notes=[_moral()],
    )


def _fit(name: str, labels: str, row: TaggedCorpus, at: int) -> Iterator[Claim]:
    """Compare the printed NVI, NVI_K and V with the values that follow from VI and entropies.

    If NVI and NVI_K fit but V does not, V is the misprint.
    """
    vi, clusters, classes = row.vi[at], row.clusters[at], row.classes
    claims: list[Claim] = []
    for measure, printed, below in (
        ("NVI", row.nvi[at], (classes,)),
        ("NVI_K", row.nvi_k[at], (clusters,)),
        ("V", row.v[at], (classes, clusters)),
    ):
        share, error = divide(vi, below)
        proof = ""
        if measure == "V" and all(claim.verdict == Verdict.YES for claim in claims):
            proof = (
                f"1 − {vi}/({classes} + {clusters}) = {1 - share:.3f} ± {error:.3f}, not {printed}"
                "; the printed NVI and NVI_K confirm these VI and entropies"
            )
        ours = 1 - share if measure == "V" else share
        claims.append(
            Claim(
                RULES["ratio"], f"{name}, {labels}: {measure}", float(printed), ours,
                digits(printed), within=half(printed) + error, misprint=proof,
            )
        )  # fmt: skip
    yield from claims


def _judge_similar(name: str, row: TaggedCorpus) -> Claim:
    """Test whether V changes far less than NVI between the printed clusterings."""
    v, nvi = (1 - min(map(float, one)) / max(map(float, one)) for one in (row.v, row.nvi))
    return Claim(
        RULES["similar"], f"{name}: range of V and of NVI", "V very similar",
        f"{100 * v:.0f} % and {100 * nvi:.0f} %", decided=decide(v < nvi / 2),
    )  # fmt: skip


def digits(printed: str) -> int:
    """Return the number of decimals of a printed number."""
    return len(printed.partition(".")[2])


def half(printed: str) -> float:
    """Return the maximum rounding error of a printed number."""
    return 0.5 * 10.0 ** -digits(printed)


def divide(above: str, below: tuple[str, ...]) -> tuple[float, float]:
    """Divide a printed number by a sum and return the quotient and its maximum rounding error."""
    total, hidden = sum(map(float, below)), sum(map(half, below))
    most = (float(above) + half(above)) / (total - hidden)
    return float(above) / total, most - float(above) / total


def _moral() -> str:
    """Return a note that states which labelling each measure prefers in the printed tables."""
    rows = PRINTED.values()
    best = {
        name: {
            min(LABELS, key=lambda one: float(getattr(row, field)[LABELS.index(one)]))
            for row in rows
        }
        for name, field in (("VI", "vi"), ("NVI", "nvi"), ("NVI_K", "nvi_k"))
    }
    spread = max(max(map(float, row.v)) - min(map(float, row.v)) for row in rows)
    prefer = "; ".join(
        f"{name} prefers {' or '.join(sorted(found))}" for name, found in best.items()
    )
    return f"In all three corpora, as printed: {prefer}; V differs by at most {spread:.2f}."
