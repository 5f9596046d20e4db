"""The smoke set: commands that are run in order in one folder, by every environment."""

from __future__ import annotations

JSON = ("--format", "json")
CLUSTERERS = ("spherical", "soft", "symmetric", "mdl", "comdl", "agglomerative")

COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "gold.tsv", "one.tsv", *JSON),
    "score --ci": ("score", "gold.tsv", "one.tsv", "--ci", "200", "--all", *JSON),
    "score to a page": ("score", "gold.tsv", "one.tsv", "-o", "score.html"),
    "compare": ("compare", "gold.tsv", "a=one.tsv", "b=two.tsv", "--ci", "100", *JSON),
    "agree": ("agree", "gold.tsv", "one.tsv", "two.tsv", *JSON),
    "convert": ("convert", "one.tsv", "-o", "one.parquet"),
    "score Parquet": ("score", "gold.tsv", "one.parquet", *JSON),
    "sql": ("sql", "gold", "system"),
    "count": ("count", "text.conllu", "--relation", "obj", "--relation", "subj", "-o", "counts"),
    "count objects": ("count", "other.conllu", "--relation", "obj", "-o", "objects"),
    "count text": ("count", "text.txt", "other.txt", "--window", "2", "-o", "windows"),
    "count to a file": ("count", "text.txt", "--window", "2", "-o", "windows.tsv"),
    "build": (
        "build", "text.conllu", "--relation", "obj", "--method", "mdl", "--no-heldout",
        "--min-count", "1", "-o", "t",
    ),
    **{
        f"build {name}": (
            "build", "windows", "--method", name, "--min-count", "1", "-o", f"t-{name}",
        )
        for name in CLUSTERERS
    },
    "grow": ("grow", "t", "more.conllu"),
    "edit": ("edit", "t", "edits.tsv"),
    **{
        f"export {suffix}": ("export", "t", "-o", f"t.{suffix}")
        for suffix in ("ttl", "json", "nwk", "tsv", "dot", "html")
    },
    "explore --static": ("explore", "t", "--static", "explore.html"),
    "neighbours": ("neighbours", "t", "tee", *JSON),
    "senses": ("senses", "t", "tee", *JSON),
    "sketch": ("sketch", "counts", "tee", *JSON),
    "why": ("why", "t", "tee", "milch", *JSON),
    "shift": ("shift", "windows", "more.txt", *JSON),
    "classify": ("classify", "t", "objects", *JSON),
    "place": ("place", "taxonomy.tsv", "counts", *JSON),
    "prefer": ("prefer", "counts", "trinken", "obj", *JSON),
    "heldout": ("heldout", "counts", "--model", "mdl", "--splits", "2", *JSON),
    "attach": ("attach", "train", "--quads", "quads.txt", "--pairs", "counts", "-o", "attacher"),
    "list": ("list", "measures", *JSON),
    "explain": ("explain", "bias"),
    "data": ("data", "list"),
    "reproduce": ("reproduce", "v-measure/figure-2", *JSON),
}  # fmt: skip

QUICK = (
    "score", "compare", "convert", "score Parquet", "count", "count text", "build",
    "build soft", "grow", "edit", "export ttl", "export json", "explore --static",
    "neighbours", "heldout",
)  # fmt: skip
"""Names of the commands of a quick run."""
