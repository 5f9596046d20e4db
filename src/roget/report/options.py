"""Options for exports."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roget.core.options import Checked, option
from roget.errors import InputError

_LANGUAGE = re.compile(
    r"[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?"
    r"(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wyz](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?"
    r"|x(-[a-z0-9]{1,8})+",
    re.IGNORECASE,
)
"""Pattern that matches BCP 47 tags: language, script, region, variants, extensions, private use."""
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f<>\"{}|^`\\]+")


def is_language(tag: str) -> bool:
    """Return True if a string is a valid BCP 47 language tag.

    >>> [is_language(tag) for tag in ("pt-BR", "zh-Hant-TW", "english", "en_US")]
    [True, True, False, False]
    """
    return _LANGUAGE.fullmatch(tag) is not None


def is_address(text: str) -> bool:
    """Return True if a string is an absolute IRI.

    >>> is_address("https://you.org/t#dog"), is_address("00001740-n")
    (True, False)
    """
    return _IRI.fullmatch(text) is not None


@dataclass(frozen=True)
class ReportOptions(Checked):
    """Options for an export: title, language, base IRI and content."""

    title: str | None = option(
        None, help="Title of the export. Default: the file name of THESAURUS."
    )
    language: str | None = option(
        None,
        metavar="TAG",
        help="Language of the words, e.g. en or pt-BR, for SKOS, HTML and JSON. Default: the "
        "language of the corpus.",
    )
    base: str | None = option(
        None,
        metavar="IRI",
        help="SKOS: base IRI of all concepts, e.g. https://you.org/t#. Default: "
        "urn:x-roget:thesaurus:TITLE#.",
    )

    levels: tuple[int, ...] | None = option(
        None,
        many=",",
        minimum=2,
        metavar="K,K,…",
        help="Number of classes at each level to export, e.g. 8,64 for 8 classes with 64 "
        "subclasses in total. Default: the levels chosen by `roget build`.",
    )
    all_splits: bool = option(
        False, help="Export the whole tree instead of only the levels chosen by `roget build`."
    )
    unsorted: bool = option(
        False,
        help=(
            "Include classes with low trust in SKOS files and booklets. Default: leave them out."
        ),
    )
    min_children: int = option(
        1, minimum=1, help="Replace classes with fewer than N subclasses by their subclasses."
    )
    collections: tuple[int, ...] | None = option(
        None,
        many=",",
        minimum=2,
        metavar="K,K,…",
        help="SKOS: add a collection of the K classes at one level of the tree, for each of "
        "these numbers K. Default: the numbers in --levels.",
    )
    related: int = option(
        0,
        minimum=0,
        help="SKOS: add skos:related links between each word and at least its N nearest "
        "neighbours. Links are symmetric, so a word may have more.",
    )

    evidence: int = option(
        0,
        minimum=0,
        help="Number of example sentences to include per word (SKOS, JSON). In a thesaurus "
        "folder, all sentences are included.",
    )
    state: str | None = None
    """Identifier of the state of the whole thesaurus. Set internally."""
    build_levels: bool = False
    """True if the levels are the levels of the build. Set internally."""
    left_out: tuple[int, ...] = ()
    """Ids of the leaf classes that are left out. Set internally."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None and not is_language(self.language):
            raise InputError(
                f"language {self.language!r}: not a language tag such as en or pt-BR",
                code="invalid-option",
            )
        if self.base is not None and not is_address(self.base):
            raise InputError(
                f"base {self.base!r}: not an IRI such as https://you.org/t#",
                code="invalid-option",
            )

    @property
    def called(self) -> str:
        """The title, or "Thesaurus" if none was passed."""
        return self.title or "Thesaurus"


@dataclass(frozen=True)
class ExportOptions(ReportOptions):
    """Options for `roget export`."""

    to: str | None = option(
        None,
        choices="exporters",
        called="export format",
        help="Export format. Default: inferred from the file name.",
    )
