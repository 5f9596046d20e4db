"""Exports of a thesaurus to the formats of other tools: one function per format."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from roget import catalogue
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.thesaurus import collapse
from roget.report.exports.base import PLAIN, Target
from roget.report.language import find_language
from roget.report.options import ReportOptions

QUOTING = ("skos", "skos-xml", "json", "thesaurus")
"""Formats that can include example sentences."""

SKOS = ("skos", "skos-xml")
"""SKOS formats, in which concepts have IRIs and links."""
_LINKING = ("base", "collections", "related")
"""Options that only SKOS formats accept."""


def export(
    thesaurus: Thesaurus, target: Target, to: str | None = None, options: ReportOptions = PLAIN
) -> str:
    """Export a thesaurus and return the format, which by default follows from the file's suffix."""
    format = detect_format(target) if to is None else to
    write = catalogue.load("exporters", format)
    if options.evidence and format not in QUOTING:
        raise InputError(
            f"--evidence: the format {format} cannot include sentences; use one of "
            f"{', '.join(QUOTING)}",
            code="conflicting-options",
        )
    if options.evidence and thesaurus.counts.evidence is None:
        raise InputError(
            "--evidence: the thesaurus has no example sentences; build it with --evidence N",
            code="missing-option",
        )
    for name in _LINKING if format not in SKOS else ():
        if getattr(options, name) != getattr(PLAIN, name):
            raise InputError(
                f"--{name} does not apply to {format}, only to {' and '.join(SKOS)}",
                code="conflicting-options",
            )
    options = replace(
        options,
        language=options.language or find_language(thesaurus),
        state=thesaurus.editor.state,
    )
    write(collapse(thesaurus, options.levels or (), options.min_children), target, options)
    return format


def detect_format(target: Target) -> str:
    """Return the format inferred from the suffix of a file."""
    if not isinstance(target, str | os.PathLike):
        raise InputError(
            "the format of a stream cannot be inferred; pass it, e.g. to='json'",
            code="missing-option",
        )
    known = catalogue.suffixes("exporters")
    # The Brown clustering program writes a file named "paths".
    name = Path(target).name
    format = "brown" if name == "paths" else known.get(Path(target).suffix.lower())
    if format is None:
        raise InputError(
            f"{os.fspath(target)}: unknown file extension; use one of {' '.join(known)}, or pass "
            f"--to with one of {' '.join(catalogue.names('exporters'))}",
            code="unsupported-format",
        )
    return format
