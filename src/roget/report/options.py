"""What can be asked of exports."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roget.core.options import Checked, option
from roget.errors import InputError

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f<>\"{}|^`\\]+")


@dataclass(frozen=True)
class Options(Checked):
    """What a thesaurus is called, the language of its words, and the start of its addresses."""

    title: str | None = option(None, help="What to call it. Default: the name of THESAURUS.")
    language: str | None = option(
        None, metavar="TAG", help="The language of the words, such as en or pt-BR (SKOS, HTML)."
    )
    base: str = option(
        "urn:x-roget:thesaurus#",
        metavar="IRI",
        help="SKOS: what addresses of classes and words begin with, such as https://you.org/t#.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None and not _LANGUAGE.fullmatch(self.language):
            raise InputError(f"language {self.language!r}: expected a tag such as en or pt-BR")
        if not _IRI.fullmatch(self.base):
            raise InputError(f"base {self.base!r}: expected an address such as https://you.org/t#")

    @property
    def called(self) -> str:
        """The title, or what a thesaurus without one is called."""
        return self.title or "Thesaurus"


@dataclass(frozen=True)
class ExportOptions(Options):
    """Of writing a thesaurus for other tools."""

    to: str | None = option(
        None,
        choices="exporters",
        called="export format",
        help="The format, if the name does not tell.",
    )
