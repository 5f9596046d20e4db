"""The page as one file, which opens from disk and asks for nothing."""

from __future__ import annotations

from typing import Any

from roget.core.progress import Progress, Report
from roget.report.render.data import embed
from roget.web.compare import CUTS
from roget.web.desk import Desk
from roget.web.page import alone
from roget.web.views import Views

SHARD = 256
"""Words in one block of data; a block is parsed when one of its words is opened."""

WORDS, CONTEXTS, NEAR, MEMBERSHIPS = 40, 16, 12, 8
"""How many of each are kept for a class or word; a leaf keeps all its words."""


def page(desk: Desk, progress: Report | None = None) -> str:
    """The whole page; the same thesaurus gives the same page."""
    views = desk.views
    contexts = Numbers()
    blocks = {f"words-{at}": shard for at, shard in enumerate(_shards(views, contexts, progress))}
    blocks["classes"] = embed([_class(views, node, contexts) for node in _nodes(views)])
    blocks["words"] = embed([str(word) for word in views.thesaurus.words])
    blocks["places"] = embed(views.thesaurus.places.tolist())
    blocks["contexts"] = embed(list(contexts.names))
    blocks["tree"] = embed(views.tree())
    blocks["path"] = embed(views.path())
    about = desk.overview() | {"editable": False, "locked": None, "shard": SHARD}
    blocks["overview"] = embed(about)
    if about["compare"] is not None:
        ks = [k for k in about["compare"]["ks"] if k <= max(CUTS)]
        blocks["compare"] = embed({str(k): desk.compare(k) for k in ks})
    whole = alone(views.name, blocks)
    # A word may hold half of a surrogate pair, which no file can.
    return whole.encode("utf-8", "replace").decode("utf-8")


class Numbers:
    """Names by number, in the order they were met."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))


def _nodes(views: Views) -> range:
    return range(views.thesaurus.tree.n_nodes)


def _class(views: Views, node: int, contexts: Numbers) -> list[Any]:
    """Words as row, bits apart, probability; contexts as number, probability, lift; all flat."""
    leaf = not views.thesaurus.tree.children(node)
    n = max(WORDS, int(views.thesaurus.sizes[node])) if leaf else WORDS
    view = views.word_class(node, n)
    return [
        [
            x
            for w in view["typical"]
            for x in (w["id"], _r(w["distance_bits"]), _r(w["probability"]))
        ],
        _told(view["contexts"], contexts),
    ]


def _shards(views: Views, contexts: Numbers, progress: Report | None) -> list[str]:
    shards, size = [], len(views.thesaurus)
    for begin in range(0, size, SHARD):
        rows = range(begin, min(begin + SHARD, size))
        shards.append(embed([_word(views, row, contexts) for row in rows]))
        if progress is not None:
            progress(Progress(rows.stop, size))
    return shards


def _word(views: Views, row: int, contexts: Numbers) -> list[Any]:
    view = views.word(row, NEAR)
    return [
        view["observations"],
        view["among"],
        [x for m in view["memberships"][:MEMBERSHIPS] for x in (m["node"], _r(m["probability"]))],
        [x for w in view["neighbours"] for x in (w["id"], _r(w["distance_bits"]))],
        _told(view["contexts"], contexts),
    ]


def _told(found: list[dict[str, Any]], contexts: Numbers) -> list[Any]:
    kept = found[:CONTEXTS]
    return [x for c in kept for x in (contexts(c["context"]), _r(c["amount"]), _r(c["lift"]))]


def _r(value: float | None) -> float | int | None:
    """Three digits are what a bar can show."""
    if value is None:
        return None
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() else short
