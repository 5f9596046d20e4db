"""The explorer: a thesaurus as a web page, served locally or written as one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roget.core.options import Checked, copy_option, option
from roget.scoring.options import ConvertOptions


@dataclass(frozen=True)
class ExploreOptions(Checked):
    """Options for `roget explore`."""

    port: int | None = option(
        None, minimum=1, maximum=65535, help="Port of the local server [default: any free port]."
    )
    open: bool = option(True, help="Open the page in the browser.")
    static: str | None = option(
        None,
        metavar="FILE",
        help="Write one self-contained HTML file instead of starting a server.",
    )
    evidence: int = option(
        0,
        minimum=0,
        metavar="N",
        help="With --static: include N example sentences per word and context.",
    )
    sketches: bool = option(
        False,
        help="With --static: include the sketches of all words, which makes the file much larger.",
    )
    compare: str | None = option(
        None,
        metavar="THESAURUS|GOLD",
        help="Compare with another thesaurus (a folder, SKOS file or WordNet) or with a gold "
        "standard "
        "(a file of words and their classes).",
    )
    columns: Mapping[str, str] | None = copy_option(ConvertOptions, "columns", None)
