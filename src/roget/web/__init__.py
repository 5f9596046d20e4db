"""The explorer: a thesaurus as a page, served on this machine or written as one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roget.core.options import Checked, copy_option, option
from roget.scoring.options import ConvertOptions


@dataclass(frozen=True)
class ExploreOptions(Checked):
    """Of looking at a thesaurus."""

    port: int | None = option(None, minimum=1, maximum=65535, help="Default: any that is free.")
    open: bool = option(True, help="Open the page in the browser.")
    static: str | None = option(
        None, metavar="FILE", help="Write one HTML file that needs no server, and stop."
    )
    evidence: int = option(
        0,
        minimum=0,
        metavar="N",
        help="In the file, N sentences of each word and context, if they were kept.",
    )
    sketches: bool = option(False, help="In the file, the sketches of all words: much larger.")
    compare: str | None = option(
        None,
        metavar="THESAURUS|GOLD",
        help="Set beside it another thesaurus (a folder, SKOS, WordNet), or a file of words and "
        "their classes.",
    )
    columns: Mapping[str, str] | None = copy_option(ConvertOptions, "columns", None)
