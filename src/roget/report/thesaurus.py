"""Report of `roget build`: the size and quality of a thesaurus, and the top of its tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from roget.core.counts.views import to_dense
from roget.core.information import bits
from roget.errors import Notice
from roget.learn.clustering.result import Clustering
from roget.learn.evaluation import trust
from roget.learn.evaluation.trust import Trust
from roget.learn.thesaurus import ContextClass, Thesaurus, WordClass, lookup, quality, reassign
from roget.learn.thesaurus.lookup import select_distinct
from roget.report import Column, Report, ReportTable
from roget.report.contexts import ContextPhrases
from roget.report.format import branches, plural

Node: TypeAlias = tuple[int, str, float, int, list[str]]
"""Id, label, share of the tokens, number of words and typical contexts of a class."""

SHOWN = 8
"""Default number of classes shown in a report."""

SHOWN_MOVED = 6
"""Number of moved words shown in a report (see `reassign`)."""


def sizes(thesaurus: Thesaurus) -> str:
    """Format the numbers of words, classes, contexts and tokens in one line."""
    beta = thesaurus.provenance.get("beta")
    sharp = "" if beta is None else f" (β = {beta:.3g})"
    words, contexts = thesaurus.counts.shape
    return (
        f"{words:,} words in {plural(thesaurus.tree.n_clusters, 'class')}{sharp}; "
        f"{contexts:,} contexts, {round(float(thesaurus.counts.total)):,} occurrences"
    )


def _lead(thesaurus: Thesaurus, classes: float, words: float) -> Iterator[str]:
    """Yield the opening lines: sizes, the information kept by the classes, and other statistics."""
    yield sizes(thesaurus)
    if levels := thesaurus.provenance.get("levels"):
        yield f"levels of {', '.join(f'{size:,}' for size in levels)} classes"
    if background := thesaurus.provenance.get("background"):
        yield describe_background(background, len(thesaurus))
    if prior := thesaurus.provenance.get("prior"):
        yield describe_background(prior, len(thesaurus), "prior vectors")
    if figures := Trust.from_json(thesaurus.provenance.get(trust.KEY)):
        yield from trust.describe(figures)
    if low := quality.unsorted(thesaurus):
        yield from describe_unsorted(thesaurus, low)
    if moved := thesaurus.provenance.get(reassign.KEY):
        named = ", ".join(moved[:SHOWN_MOVED]) + (", …" if len(moved) > SHOWN_MOVED else "")
        words_moved = plural(len(moved), "frequent word", ",")
        yield f"moved to the class of their contexts in this text: {words_moved} ({named})"
    share = f"{classes / words:.0%}" if words > 0 else "all"
    yield (
        f"the classes keep {share} of the mutual information between words and contexts "
        f"({classes:.2f} of {words:.2f} bits)"
    )
    length = thesaurus.provenance.get("description_length")
    if length is not None:
        saved = bits(sum(float(step["saved"]) for step in thesaurus.clustering.path))
        yield (
            f"description length {bits(length):,.0f} bits, which is {saved:,.0f} bits less than "
            "with one class"
        )
    last = thesaurus.clustering.path[-1] if thesaurus.clustering.path else {}
    if (free := last.get("paper_free_energy")) is not None:
        yield (
            f"annealed to β = {last['beta']:.3g}: distortion D {bits(last['distortion']):.2f}, "
            f"entropy H {bits(last['entropy']):.2f}, free energy D − H/β {bits(free):.2f} bits"
        )
    if found := thesaurus.provenance.get("heldout"):
        yield (
            f"held-out cross-entropy, bits per token: unigram {found['all']:.2f}, class "
            f"{found['class']:.2f}, word {found['word']:.2f}, word + class {found['both']:.2f}"
        )


def describe_unsorted(thesaurus: Thesaurus, low: Iterable[int]) -> Iterator[str]:
    """Yield the number of classes with low trust and their words, and the least trusted class."""
    nodes = list(low)
    worst = min(nodes, key=lambda node: thesaurus.trust(node) or ())
    words = sum(thesaurus.inside(node).size for node in nodes)
    found, classes = thesaurus.trust(worst), plural(thesaurus.tree.n_clusters, "class", ",")
    yield (
        f"{len(nodes):,} of {classes} ({words:,} words) are unsorted (trust below "
        f"{quality.UNSORTED})"
    )
    yield f"least trusted: {thesaurus.label(worst)} ({found and found.reason})"


def describe_background(record: Mapping[str, Any], words: int, called: str = "background") -> str:
    """Format the source of background counts or prior vectors: name, version, hash, coverage."""
    version = f", roget {record['version']}" if record.get("version") else ""
    includes = "it has" if called == "background" else "they include"
    return (
        f"{called}: {record['name']}{version}, sha256 {record['sha256'][:8]}; "
        f"{includes} {record.get('words', 0):,} of {words:,} words"
    )


def _warn(thesaurus: Thesaurus) -> list[str]:
    """Return warnings if there is only one class or the classes are unreliable."""
    figures = Trust.from_json(thesaurus.provenance.get(trust.KEY))
    found = (
        _warn_one_class(thesaurus),
        _warn_unsorted(thesaurus) or (figures and trust.warn(figures)),
    )
    return [one for one in found if one]


def _warn_unsorted(thesaurus: Thesaurus) -> str:
    """Return a warning if most classes have low trust, or ""."""
    low, k = quality.unsorted(thesaurus), thesaurus.tree.n_clusters
    if 2 * len(low) <= k:
        return ""
    background = thesaurus.provenance.get("background")
    enough = quality.ENOUGH[bool(background)]
    seen = float(np.median(thesaurus.counts.word_totals))
    text = (
        f"too little text for good classes: {len(low):,} of {k:,} have low trust ({seen:,.0f} "
        f"occurrences per word); use at least {enough:,} words of text"
        + ("" if background else ", or add background counts with --background")
    )
    return Notice(text, code="unstable-classes")


def _warn_one_class(thesaurus: Thesaurus) -> str:
    """Return a warning if only one class was found, or ""."""
    asked = thesaurus.provenance.get("asked")
    if thesaurus.tree.n_clusters > 1 or asked == 1:
        return ""
    more = "" if asked else ", --clusters N"
    text = f"only one class: too few counts to separate classes; try more text, --min-count 1{more}"
    return Notice(text, code="too-little-text")


def report(thesaurus: Thesaurus, k: int = SHOWN, *, whole: bool = True) -> Report:
    """Report the sizes, the quality and the tree of the first k classes.

    `whole=False` means that the thesaurus is still being built. A single class then causes no
    warning.
    """
    phrase = ContextPhrases(thesaurus.counts)
    table, nodes = _tabulate_levels(thesaurus) or _tabulate_tree(thesaurus, k, phrase)
    context_classes = lookup.context_classes(thesaurus)
    words, contexts_seen = thesaurus.counts.shape
    made = thesaurus.provenance
    kept, total = map(bits, quality.information(thesaurus))
    titles = ("node", "label", "share", "words", "contexts")
    data = {
        "words": words,
        "contexts": contexts_seen,
        "tokens": thesaurus.counts.total,
        "classes": thesaurus.tree.n_clusters,
        **{name: made.get(name) for name in ("levels", "beta", "description_length")},
        "background": made.get("background"),
        **({"prior": made["prior"]} if made.get("prior") else {}),
        "trust": made.get("trust"),
        "unsorted": [
            {"node": node, "label": thesaurus.label(node), **one._asdict(), "reason": one.reason}
            for node, one in quality.unsorted(thesaurus).items()
        ],
        "information_bits": {"classes": kept, "words": total},
        "heldout": made.get("heldout") or None,
        "tree": [dict(zip(titles, node, strict=True)) for node in nodes],
    }
    if context_classes:
        data["context_classes"] = [
            {"share": one.probability, "contexts": list(one.contexts)} for one in context_classes
        ]
    return Report(
        title="Thesaurus",
        lead=list(_lead(thesaurus, kept, total)),
        tables=[
            table,
            *([_tabulate_contexts(context_classes, k, phrase)] if context_classes else []),
        ],
        notes=phrase.notes,
        warnings=_warn(thesaurus) if whole else [],
        data=data,
        sheet=ReportTable.of(titles, [(*node[:4], ", ".join(node[4])) for node in nodes]),
    )


def _tabulate_levels(thesaurus: Thesaurus) -> tuple[ReportTable, list[Node]] | None:
    """Return a table of the top-level classes and their largest subclasses, if there are levels."""
    tree, shares = thesaurus.tree, thesaurus.index.places.shares
    levels = lookup.list_levels(thesaurus)
    if not levels:
        return None

    cuts = [sorted(tree.tops(k), key=lambda node: -shares[node]) for k in levels]
    subclasses: dict[int, list[int]] = {node: [] for node in cuts[0]}
    for cut in cuts[1:]:
        # Use the first level that splits the class.
        whole = {node for node, below in subclasses.items() if not below}.difference(cut)
        for node in cut:
            if found := whole.intersection(tree.path(node)):
                subclasses[found.pop()].append(node)
    rows, nodes = [], []
    for node, below in subclasses.items():
        one = thesaurus.word_class(node, 4)
        largest = [thesaurus.word_class(child, 0).label for child in below[:4]]
        numbers = (f"{one.mass:.1%}", f"{one.size:,}", f"{tree.leaves(node).size:,}")
        rows.append((*numbers, one.label, " · ".join(largest)))
        contexts = [context.context for context in one.contexts]
        nodes.append((node, one.label, one.mass, one.size, contexts))
    columns = [
        *Column.numbers("share", "words", "classes", fit="keep"),
        Column("class: its typical words", share=2),
        Column("largest subclasses", share=3),
    ]
    return ReportTable(columns, rows), nodes


def _tabulate_tree(
    thesaurus: Thesaurus, k: int, phrase: ContextPhrases
) -> tuple[ReportTable, list[Node]]:
    """Return a table of the top of the tree, down to k classes."""
    unit = thesaurus.clustering.unit
    columns = [
        *Column.numbers("share", "words", unit.title, fit="keep"),
        Column("class: its most typical words", fit="cut", share=3),
        Column("typical contexts", fit="cut", share=2),
    ]
    rows, nodes = [], []
    for branch, one in top(thesaurus, k):
        contexts = [context.context for context in one.contexts]
        split = ""
        if one.value is not None:
            split = f"{bits(one.value):,.0f}" if unit.kind == "bits" else f"{one.value:.3f}"
        numbers = (f"{one.mass:.1%}", f"{one.size:,}", split)
        rows.append((*numbers, branch + one.label, ", ".join(phrase.distinct(contexts))))
        nodes.append((one.node, one.label, one.mass, one.size, contexts))
    first = thesaurus.tree.children(0)
    shown = {node[0] for node in nodes}
    hidden = bool(shown.intersection(first)) and not shown.issuperset(first)
    note = f"showing the {k} most frequent of {len(first):,} classes" if hidden else ""
    return ReportTable(columns, rows, note), nodes


def _tabulate_contexts(
    classes: Sequence[ContextClass], k: int, phrase: ContextPhrases
) -> ReportTable:
    """Return a table of the k most probable context classes."""
    columns = [
        *Column.numbers("share", "contexts", fit="keep"),
        Column("context class: its most frequent contexts", fit="cut", share=1),
    ]
    rows = [
        (
            f"{one.probability:.1%}",
            f"{len(one.contexts):,}",
            ", ".join(phrase.distinct(one.contexts[:SHOWN])),
        )
        for one in classes[:k]
    ]
    shown = f"{len(rows)} of {plural(len(classes), 'class')} of contexts"
    return ReportTable(columns, rows, shown if len(classes) > k else "")


def report_clustering(clustering: Clustering, k: int = SHOWN) -> Report:
    """Report the k clusters with the most tokens: share of the text, size, typical contexts."""
    names = clustering.contexts
    if names is None:
        names = np.arange(clustering.background.size).astype(str)
    words = np.bincount(clustering.labels, minlength=clustering.n_clusters)
    rows, values = [], []
    for cluster in np.argsort(-clustering.mass, kind="stable")[:k].tolist():
        here = to_dense(clustering.centroids[[cluster]]).ravel()
        contexts = [one.context for one in select_distinct(here, clustering.background, names, 4)]
        share, size = float(clustering.mass[cluster]), int(words[cluster])
        phrases = ", ".join(ContextPhrases.from_names(contexts).distinct(contexts))
        rows.append((str(cluster), f"{share:.1%}", f"{size:,}", phrases))
        values.append((cluster, share, size, ", ".join(contexts)))
    hidden = clustering.n_clusters > k
    titles = ("cluster", "share", "words", "typical contexts")
    return Report(
        title="Clustering",
        lead=[repr(clustering)],
        tables=[ReportTable.of(titles, rows, titles[:3])],
        notes=[f"showing the {k} most frequent of {clustering.n_clusters:,} classes"]
        if hidden
        else [],
        data=[dict(zip(titles, row, strict=True)) for row in values],
        sheet=ReportTable.of(titles, values),
    )


def top(thesaurus: Thesaurus, k: int = SHOWN) -> Iterator[tuple[str, WordClass]]:
    """Yield the nodes of the tree's first k classes, each with the prefix that draws its branch.

    If the root has more than k children, the k most frequent ones are yielded.
    """
    tree = thesaurus.tree
    ends, first = set(tree.tops(min(k, tree.n_clusters))), tree.children(0)
    if ends == {0}:
        first = tuple(sorted(first, key=lambda node: -thesaurus.index.places.shares[node])[:k])
        ends = set(first)
    below = {0: first} | dict.fromkeys(ends, ())
    for branch, _, node in branches(
        lambda node: below[node] if node in below else tree.children(node)
    ):
        yield branch, thesaurus.word_class(node, 4)
