"""The page itself: one template, for the server or as one file, which asks for nothing."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from roget.core.progress import Progress, Report
from roget.errors import InputError
from roget.report.format import brief
from roget.report.render.data import embed
from roget.report.render.html import asset, bundle, digest, fill
from roget.web.compare import CUTS
from roget.web.desk import Desk
from roget.web.views import Views

PACKAGE = "roget.web"

POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; "
    "img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

SHARD = 256
"""Words in one block of data; a block is parsed when one of its words is opened."""

WORDS, CONTEXTS, NEAR, MEMBERSHIPS = 40, 16, 12, 8
"""How many of each are kept for a class or word; a leaf keeps all its words."""

DIGITS = 3
"""What a bar can show."""


def render(**values: Any) -> str:
    """The page; scripts and styles are linked unless they are given."""
    given = dict.fromkeys(("title", "script", "styles", "policy")) | {"blocks": {}} | values
    return fill(PACKAGE, "assets/page.html", **given)


def page(
    desk: Desk, progress: Report | None = None, *, evidence: int = 0, sketches: bool = False
) -> str:
    """The whole page; the same thesaurus gives the same page.

    Sentences are in it only if they are asked for, so many of each word and context; and so are
    sketches, which make it several times as large.
    """
    views, size = desk.views, len(desk.views.thesaurus)
    if evidence and not views.thesaurus.has_evidence:
        raise InputError(f"{desk.path}: no sentences were kept; build it again with --evidence N")
    contexts, blocks = dict[str, int](), dict[str, str]()
    for begin in range(0, size, SHARD):
        rows = range(begin, min(begin + SHARD, size))
        shown = list(views.each_word(rows, NEAR))
        blocks[f"words-{begin // SHARD}"] = embed([_word(view, contexts) for view in shown])
        if evidence:
            lines = [
                views.witness(
                    view["word"], [one["context"] for one in view["contexts"][:CONTEXTS]], evidence
                )
                for view in shown
            ]
            blocks[f"lines-{begin // SHARD}"] = embed(lines)
        if sketches:
            drawn = [views.sketch(view["id"]) for view in shown]
            blocks[f"sketches-{begin // SHARD}"] = embed(drawn)
        if progress is not None:
            progress(Progress(rows.stop, size))
    nodes = range(views.thesaurus.tree.n_nodes)
    blocks["classes"] = embed([_class(views, node, contexts) for node in nodes])
    blocks["words"] = embed([str(word) for word in views.thesaurus.words])
    blocks["places"] = embed(views.thesaurus.places.tolist())
    blocks["contexts"] = embed([views.spell(context) for context in contexts])
    blocks["notes"] = embed(views.all_notes())
    blocks["tree"] = embed(desk.now.tree())
    blocks["path"] = embed(views.path())
    about = desk.now.overview() | {"editable": False, "locked": None, "live": False, "shard": SHARD}
    about["evidence"] = evidence > 0
    about |= {"edits": 0, "last": None, "next": None, "changes": 0, "open": 0}
    blocks["overview"] = embed(about)
    if about["compare"] is not None:
        ks = [k for k in about["compare"]["ks"] if k <= max(CUTS)]
        blocks["compare"] = embed({str(k): desk.now.compare(k) for k in ks})
    script, styles = bundle("explore"), asset(PACKAGE, "assets/explore.css")
    policy = POLICY.format(script=digest(script), style=digest(styles), connect="'none'")
    return render(
        title=views.name,
        policy=Markup(policy),
        script=Markup(script),
        styles=Markup(styles),
        blocks={name: Markup(text) for name, text in blocks.items()},
    )


def _class(views: Views, node: int, contexts: dict[str, int]) -> list[Any]:
    """Words as row, bits apart, probability; contexts as number, probability, lift, and classes of
    contexts likewise; all flat."""
    leaf = not views.thesaurus.tree.children(node)
    n = max(WORDS, int(views.thesaurus.sizes[node])) if leaf else WORDS
    view = views.word_class(node, n)
    typical = _flatten(view["typical"], "id", "distance_bits", "probability")
    alike = _number(view["context_classes"], contexts)
    return [typical, _number(view["contexts"], contexts), alike]


def _word(view: dict[str, Any], contexts: dict[str, int]) -> list[Any]:
    return [
        view["observations"],
        view["among"],
        _flatten(view["memberships"][:MEMBERSHIPS], "node", "probability"),
        _flatten(view["neighbours"], "id", "similarity"),
        _number(view["contexts"], contexts),
        [
            [
                one["node"],
                brief(one["weight"], DIGITS),
                [like["id"] for like in one["like"]],
                _number(one["contexts"], contexts),
            ]
            for one in view["senses"]
        ],
    ]


def _number(found: list[dict[str, Any]], contexts: dict[str, int]) -> list[Any]:
    """Contexts by their numbers, in the order they were met."""
    rows = [
        {**one, "number": contexts.setdefault(one["context"], len(contexts))}
        for one in found[:CONTEXTS]
    ]
    return _flatten(rows, "number", "amount", "lift")


def _flatten(rows: list[dict[str, Any]], first: str, *rest: str) -> list[Any]:
    """The same of each row, one after the other: a number, and values in few digits."""
    return [x for row in rows for x in (row[first], *(brief(row[one], DIGITS) for one in rest))]
