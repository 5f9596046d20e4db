"""The ranking page of SemEval-2010 task 14: adjusted mutual information and B-cubed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from roget.papers.entropy.rules import RANKING as RULES
from roget.papers.entropy.semeval import FILES, Key, find_task, read_key
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.rules import decide
from roget.scoring.score import contingency


class PageRow(NamedTuple):
    """A system on the page. Missing values are None. B-cubed is multiplied by 100."""

    ami: float | None
    clusters: float
    nouns: float | None
    clusters_by_nouns: float | None
    """Number of clusters in the B-cubed table for nouns."""
    verbs: float | None = None


PAGE = {
    "1ClI": PageRow(0.186, 89.15, 8.0, 89.15),
    "MFS": PageRow(0.0, 1.0, 64.1, 1.0, 63.4),
    "Duluth-WSI": PageRow(0.041, 4.15, 44.4, 4.15),
    "Duluth-WSI-SVD": PageRow(0.041, 4.15, 44.4, 4.15),
    "Duluth-WSI-Co": PageRow(0.042, 2.49, 51.8, 2.49),
    "Duluth-WSI-Co-Gap": PageRow(0.027, 1.6, 54.2, 2.66, 52.6),
    "Duluth-WSI-Gap": PageRow(0.018, 1.4, 55.0, 1.6, 53.7),
    "Duluth-WSI-SVD-Gap": PageRow(0.0, 1.02, 64.0, 1.02, 63.3),
    "Duluth-R-12": PageRow(0.001, 2.0, 49.4, 2.0),
    "Duluth-R-13": PageRow(0.001, 3.0, 40.9, 17.5),
    "Duluth-R-15": PageRow(-0.001, 4.97, 31.2, 10.78),
    "Duluth-R-110": PageRow(-0.001, 9.71, 21.4, 9.71),
}
"""Printed values of the systems whose output is available.

B-cubed for verbs is included only where the page is legible.
"""

AMI = "ami(average=max)"

WITHIN = 0.1
"""Tolerance for B-cubed: one unit of the last printed digit."""


class Scored(NamedTuple):
    """The scores of one system, averaged over words (weighted by instances).

    B-cubed is multiplied by 100.
    """

    ami: float
    nouns: float
    verbs: float
    words: float


def score_systems(folder: Path) -> dict[str, Scored]:
    """Score all systems of the page whose output is available."""
    gold = read_key(folder / "gold" / "all.key")
    scores = {}
    for name in PAGE:
        for path in sorted(folder.glob(FILES[name]))[:1]:
            system = read_key(path)
            scores[name] = Scored(
                average(gold, system, AMI),
                100 * average(gold, system, "b3-f", ".n"),
                100 * average(gold, system, "b3-f", ".v"),
                100 * average(gold, system, "b3-f"),
            )
    return scores


def average(gold: Key, system: Key, measure: str, ending: str = "") -> float:
    """Return the mean of a measure over words with the given ending, weighted by instances.

    Instances without a label form one more cluster.
    """
    words = [word for word in gold if word.endswith(ending)]
    total = sum(len(gold[word]) for word in words)
    value = 0.0
    for word in words:
        clusters = [system.get(word, {}).get(item, "") for item in gold[word]]
        table = contingency(list(gold[word].values()), clusters)
        value += len(clusters) / total * table.measure(measure)
    return value


def ranking(options: ReproduceOptions) -> Reproduced:
    """Reproduce the ranking page of SemEval-2010 task 14: AMI and B-cubed."""
    rows = score_systems(find_task(options))
    return Reproduced(
        "The ranking page of SemEval-2010 task 14: AMI and B-cubed",
        about=(
            "The page of the organisers (www.cs.york.ac.uk/semeval2010_WSI) scores the systems "
            "by adjusted mutual information and by B-cubed F, for nouns and verbs separately. "
            "AMI is normalised by the larger entropy. Each word is scored separately and "
            f"weighted by its instances. The output of {len(rows)} systems and baselines is "
            "available."
        ),
        claims=judge(rows),
        data={name: row._asdict() for name, row in rows.items()},
    )


def judge(rows: Mapping[str, Scored]) -> list[Claim]:
    """Compare the page with our scores, and its tables with each other."""
    claims = []
    for name, ours in rows.items():
        page = PAGE[name]
        proof = (
            "with one cluster per item, every permutation of the items has the same mutual "
            f"information, H(C), so AMI is 0 by definition; ours is {ours.ami:.3f}"
        )
        if page.ami is not None:
            claims.append(
                Claim(
                    RULES["ami"], f"{name}: AMI", page.ami, ours.ami, within=0.001,
                    misprint=proof if name == "1ClI" else "",
                )
            )  # fmt: skip
        for rule, part, printed, value in (
            ("b3", "nouns", page.nouns, ours.nouns),
            ("b3", "verbs", page.verbs, ours.verbs),
            ("b3-all", "nouns (second rule: all words)", page.nouns, ours.words),
        ):
            if printed is not None:
                reason = ""
                if part == "nouns":
                    same = abs(ours.words - printed) <= WITHIN
                    both = f"nouns and verbs together have {ours.words:.1f}"
                    reason = f"{both}, the printed value" if same else f"reason unknown; {both}"
                claims.append(
                    Claim(RULES[rule], f"{name}: B-cubed, {part}", printed, value, 1,
                          within=WITHIN, reason=reason)
                )  # fmt: skip
        if page.clusters_by_nouns is not None:
            equal = page.clusters_by_nouns == page.clusters
            claims.append(
                Claim(
                    RULES["clusters"], f"{name}: clusters", f"{page.clusters_by_nouns:g}",
                    f"{page.clusters:g}", decided=decide(equal),
                    misprint=f"the AMI table of the same page has {page.clusters:g}",
                )
            )  # fmt: skip
    return claims
