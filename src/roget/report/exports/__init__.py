"""A thesaurus in the formats of other tools: one function for each, all called alike."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from roget import catalogue
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.nodes import collapse
from roget.report.exports.base import PLAIN, Target
from roget.report.language import find_language
from roget.report.options import ReportOptions

QUOTING = ("skos", "skos-xml", "json", "thesaurus")
"""Formats that can hold sentences."""

SKOS = ("skos", "skos-xml")
"""Formats of addresses and links."""
_LINKING = ("base", "collections", "related")
"""Options of these only."""


def export(
    thesaurus: Thesaurus, target: Target, to: str | None = None, options: ReportOptions = PLAIN
) -> str:
    """Write a thesaurus in a format, if not named that of the file's suffix; the format's name."""
    format = detect_format(target) if to is None else to
    write = catalogue.load("exporters", format)
    if options.evidence and format not in QUOTING:
        raise InputError(f"evidence: {format} holds no sentences; {', '.join(QUOTING)} do")
    if options.evidence and thesaurus.counts.evidence is None:
        raise InputError("evidence: no sentences were kept; count or build with --evidence N")
    for name in _LINKING if format not in SKOS else ():
        if getattr(options, name) != getattr(PLAIN, name):
            raise InputError(f"{name}: {format} has none; {' and '.join(SKOS)} have")
    options = replace(
        options,
        language=options.language or find_language(thesaurus),
        state=thesaurus.editor.state,
    )
    write(collapse(thesaurus, options.levels or (), options.min_children), target, options)
    return format


def detect_format(target: Target) -> str:
    """The format that the suffix of a file tells."""
    if not isinstance(target, str | os.PathLike):
        raise InputError("a stream has no suffix: name the format")
    known = catalogue.suffixes("exporters")
    # Brown's own program calls its file just "paths".
    name = Path(target).name
    told = "brown" if name == "paths" else known.get(Path(target).suffix.lower())
    if told is None:
        raise InputError(
            f"{os.fspath(target)}: the name does not tell the format; expected one of "
            f"{' '.join(known)}, or --to with one of {' '.join(catalogue.names('exporters'))}"
        )
    return told
