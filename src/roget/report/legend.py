"""Legends: lines that explain the abbreviations in a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roget import catalogue

MEASURES = {
    "v": "V-measure",
    "vi": "variation of information",
    "nvi": "VI / H(classes)",
    "nvi-k": "VI / H(clusters)",
    "vi-logn": "VI / log N",
    "vi-2logn": "VI / (2 log N)",
    "vi-2logk": "VI / (2 log k*)",
    "mi": "mutual information",
    "nmi": "normalised mutual information",
    "ami": "adjusted mutual information",
    "smi": "standardised mutual information",
    "pmi2": "p-value adjusted Rand index",
    "rmi": "reduced mutual information",
    "q0": "Dom's code length per item",
    "q2": "Dom's code length, normalised",
    "f": "F of classes and their best clusters",
    "ari": "adjusted Rand index",
    "fm": "Fowlkes–Mallows index",
    "nca": "normalised clustering accuracy",
    "psi": "pair sets index",
    "b3-precision": "B-cubed precision",
    "b3-recall": "B-cubed recall",
    "b3-f": "B-cubed F",
    "xb3-f": "extended B-cubed F",
    "ceaf-e": "entity-based CEAF",
    "ceaf-m": "mention-based CEAF",
    "muc": "MUC links F",
    "mention-f": "F of mention detection",
    "lea": "link-based entity-aware F",
    "onmi": "overlapping NMI",
    "zk-entropy": "Zhao–Karypis entropy",
}
"""Full names of measures, keyed by abbreviation."""

ENTROPIES = {
    "ml": "plug-in (maximum likelihood)",
    "mm": "Miller–Madow",
    "jk": "jackknife",
    "bub": "best upper bound",
    "grassberger": "Grassberger",
    "chao-shen": "Chao–Shen",
    "cwj": "Chao–Wang–Jost",
    "shrink": "James–Stein shrinkage",
    "nsb": "Nemenman–Shafee–Bialek",
}
"""Full names of entropy estimators, keyed by abbreviation."""

IN_NATS = ("vi", "mi", "q0", "rmi", "rmi-plug-in")
"""Measures whose values are in nats."""

SIMILARITY = "similarity: standard deviations above the mean similarity of two words"

SOURCES = "source: where most of the contexts that make two words similar occur"

PRIOR = "prior: at least a third of the similarity comes from prior vectors"


def _spell(names: Iterable[str], kind: str, titles: Mapping[str, str]) -> str:
    """Return "name = title" for each abbreviation with a known title.

    Titles come from `titles` or from the `title` attribute of the catalogue entry.
    """
    found = []
    for name in names:
        title = titles.get(name)
        # Look up built-in names first, because finding plug-ins requires a scan of all installed
        # packages.
        if title is None and (name in catalogue.KINDS[kind] or name in catalogue.names(kind)):
            title = getattr(catalogue.load(kind, name), "title", "")
        if title:
            found.append(f"{name} = {title}")
    return ", ".join(found)


def explain_scores(scores: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return a line that explains abbreviated measures and entropy estimators, if there are any.

    >>> explain_scores([("v", "jk"), ("ari", None), ("purity", None)])
    ['v = V-measure, ari = adjusted Rand index; entropy: jk = jackknife']
    """
    scores = list(scores)
    # A measure may have parameters, as in v(beta=0.5).
    names = list(dict.fromkeys(measure.partition("(")[0] for measure, _ in scores))
    entropies = list(dict.fromkeys(entropy for _, entropy in scores if entropy))
    parts = []
    if measures := _spell(names, "measures", MEASURES):
        parts.append(measures)
    if known := _spell(entropies, "entropies", ENTROPIES):
        parts.append(f"entropy: {known}")
    if in_nats := [name for name in names if name in IN_NATS]:
        parts.append(f"{', '.join(in_nats)} in nats (natural logarithm)")
    return ["; ".join(parts)] if parts else []
