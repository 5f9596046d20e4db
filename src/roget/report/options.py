"""What can be asked of exports."""

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
"""Language, script, region, variants, extensions and private use, as BCP 47 has them."""
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f<>\"{}|^`\\]+")


def is_language(tag: str) -> bool:
    """Whether a text is a tag of a language.

    >>> [is_language(tag) for tag in ("pt-BR", "zh-Hant-TW", "english", "en_US")]
    [True, True, False, False]
    """
    return _LANGUAGE.fullmatch(tag) is not None


def is_address(text: str) -> bool:
    """Whether a text is an address (IRI).

    >>> is_address("https://you.org/t#dog"), is_address("00001740-n")
    (True, False)
    """
    return _IRI.fullmatch(text) is not None


@dataclass(frozen=True)
class ReportOptions(Checked):
    """What a thesaurus is called, the language of its words, and the start of its addresses."""

    title: str | None = option(None, help="What to call it. Default: the name of THESAURUS.")
    language: str | None = option(
        None,
        metavar="TAG",
        help="The language of the words, such as en or pt-BR (SKOS, HTML, JSON). Default: what the "
        "corpus tells.",
    )
    base: str = option(
        "urn:x-roget:thesaurus#",
        metavar="IRI",
        help="SKOS: what addresses of classes and words begin with, such as https://you.org/t#.",
    )

    levels: tuple[int, ...] | None = option(
        None,
        many=",",
        minimum=2,
        metavar="K,K,…",
        help="Only the classes of these cuts, such as 8,64: 8 classes and their 64 parts.",
    )
    min_children: int = option(
        1, minimum=1, help="Classes of fewer classes than this give way to them."
    )
    collections: tuple[int, ...] | None = option(
        None,
        many=",",
        minimum=2,
        metavar="K,K,…",
        help="SKOS: a collection of the classes of each of these cuts. Default: of the levels.",
    )
    related: int = option(
        0, minimum=0, help="SKOS: link each word to so many of its neighbours, as related."
    )

    evidence: int = option(
        0,
        minimum=0,
        help="So many sentences of each word, as examples (SKOS, JSON); a folder keeps all it has. "
        "None leave the thesaurus unless this is asked for.",
    )
    state: str | None = None
    """Of the whole thesaurus, where only some levels are written."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None and not is_language(self.language):
            raise InputError(f"language {self.language!r}: expected a tag such as en or pt-BR")
        if not is_address(self.base):
            raise InputError(f"base {self.base!r}: expected an address such as https://you.org/t#")

    @property
    def called(self) -> str:
        """The title, or what a thesaurus without one is called."""
        return self.title or "Thesaurus"


@dataclass(frozen=True)
class ExportOptions(ReportOptions):
    """Of writing a thesaurus for other tools."""

    to: str | None = option(
        None,
        choices="exporters",
        called="export format",
        help="The format, if the name does not tell.",
    )
