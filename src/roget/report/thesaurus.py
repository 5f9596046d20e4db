"""A thesaurus as text: the top of its tree, and what it is made of."""

from __future__ import annotations

import io
from collections.abc import Iterator

from roget.core.information import bits
from roget.learn.thesaurus import Thesaurus, WordClass
from roget.report.terminal import printable
from roget.report.text import width

SHOWN = 8
"""Classes in the top of the tree."""


def sizes(thesaurus: Thesaurus) -> str:
    """Words, classes, contexts and tokens in one line."""
    beta = thesaurus.provenance.get("beta")
    sharp = "" if beta is None else f" (β = {beta:.3g})"
    words, contexts = thesaurus.counts.shape
    classes = thesaurus.tree.n_clusters
    return (
        f"{words:,} words in {classes:,} class{'es' * (classes != 1)}{sharp}, by {contexts:,} "
        f"contexts seen {thesaurus.counts.total:,} times"
    )


def description(thesaurus: Thesaurus) -> str:
    """How long the description of the counts is, and what the splits saved; "" if not by length."""
    length = thesaurus.provenance.get("description_length")
    if length is None:
        return ""
    saved = bits(sum(float(step["saved"]) for step in thesaurus.steps))
    return f"described in {bits(length):,.0f} bits, {saved:,.0f} fewer than as one class"


def quality(thesaurus: Thesaurus) -> str:
    """How much of what words tell about their contexts the classes tell as well."""
    classes, words = map(bits, thesaurus.information())
    share = f"{classes / words:.0%}" if words > 0 else "all"
    return (
        f"classes keep {share} of what words tell about their contexts "
        f"({classes:.2f} of {words:.2f} bits)"
    )


def heldout(thesaurus: Thesaurus) -> str:
    """How well held-out tokens were predicted by words and classes; "" if that was not tried."""
    found = thesaurus.provenance.get("heldout")
    if not found:
        return ""
    return (
        f"held out, bits per token: {found['all']:.2f} knowing nothing, {found['class']:.2f} the "
        f"class, {found['word']:.2f} the word, {found['both']:.2f} both"
    )


def alone(thesaurus: Thesaurus) -> str:
    """Why there is but one class, and what to do; "" if there are more, or no more were wanted."""
    options = thesaurus.provenance.get("options") or {}
    asked = options.get("n_clusters", options.get("n_row_classes"))
    if thesaurus.tree.n_clusters > 1 or asked == 1:
        return ""
    more = "" if asked else ", --clusters N"
    return (
        "one class: too few counts to tell classes apart; try more text, a lower --min-count" + more
    )


def render(thesaurus: Thesaurus, k: int = SHOWN) -> str:
    """The tree of the first k classes: share, words, label and typical contexts."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False, expand=True)
    grid.add_column("share", justify="right", no_wrap=True)
    grid.add_column("words", justify="right", no_wrap=True)
    unit = thesaurus.clustering.unit
    grid.add_column(unit.title, justify="right", no_wrap=True)
    grid.add_column("class: its most typical words", ratio=3, no_wrap=True, overflow="ellipsis")
    grid.add_column("typical contexts", ratio=2, no_wrap=True, overflow="ellipsis")
    for branch, one in top(thesaurus, k):
        contexts = printable(", ".join(context.context for context in one.contexts), width())
        label = branch + printable(one.label, width())
        row = (f"{one.mass:.1%}", f"{one.size:,}", _split(one, unit.kind), label)
        grid.add_row(*map(Text, (*row, contexts)))
    out = io.StringIO()
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _split(one: WordClass, kind: str) -> str:
    if one.value is None:
        return ""
    return f"{bits(one.value):,.0f}" if kind == "bits" else f"{one.value:.3f}"


def top(thesaurus: Thesaurus, k: int = SHOWN) -> Iterator[tuple[str, WordClass]]:
    """The nodes down to the first k classes, each with the branch that leads to it."""
    ends = {one.node for one in thesaurus.classes(min(k, thesaurus.tree.n_clusters), 0)}
    waiting = [("", "", 0)]
    while waiting:
        branch, below, node = waiting.pop()
        yield branch, thesaurus.word_class(node, 4)
        if node in ends:
            continue
        children = thesaurus.tree.children(node)
        for number, child in reversed(list(enumerate(children, 1))):
            last = number == len(children)
            waiting.append(
                (below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "), child)
            )
