"""Exports of a thesaurus to the formats of other tools: one function per format."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from roget import catalogue
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus, quality
from roget.learn.thesaurus.thesaurus import collapse, keep_build_levels
from roget.report.exports.base import PLAIN, Target
from roget.report.language import find_language
from roget.report.options import ReportOptions

QUOTING = ("skos", "skos-xml", "json", "thesaurus")
"""Formats that can include example sentences."""

SKOS = ("skos", "skos-xml")
"""SKOS formats, in which concepts have IRIs and are linked."""
BOOKLETS = ("markdown", "html", "pdf")
SHALLOW = (*SKOS, *BOOKLETS, "json", "tsv", "csv", "xlsx", "parquet", "graphviz")
"""Formats that by default contain only the levels of the build. All other formats store whole
trees."""
_LINKING = ("base", "collections", "related")
"""Options that are accepted only by SKOS formats."""


def export(
    thesaurus: Thesaurus, target: Target, to: str | None = None, options: ReportOptions = PLAIN
) -> str:
    """Export a thesaurus and return the format, by default inferred from the suffix of the file."""
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
    by_build = has_build_levels(thesaurus, format, options)
    options = replace(
        options,
        language=options.language or find_language(thesaurus),
        state=thesaurus.editor.state,
        build_levels=by_build,
        left_out=select_left_out(thesaurus, format, options),
    )
    write(select_classes(thesaurus, format, options), target, options)
    return format


def has_build_levels(thesaurus: Thesaurus, format: str, options: ReportOptions) -> bool:
    """Return True if the export has the levels of the build: no others were requested."""
    chosen = options.levels is None and not options.all_splits
    return format in SHALLOW and chosen and bool(thesaurus.provenance.get("levels"))


def select_classes(thesaurus: Thesaurus, format: str, options: ReportOptions) -> Thesaurus:
    """Return the thesaurus with the levels to be exported."""
    if has_build_levels(thesaurus, format, options):
        return keep_build_levels(thesaurus, options.min_children)
    return collapse(thesaurus, options.levels or (), options.min_children)


def select_left_out(thesaurus: Thesaurus, format: str, options: ReportOptions) -> tuple[int, ...]:
    """Return the ids of leaf classes with low trust that are left out of the export.

    If levels above the leaves are requested, all words are exported.
    """
    coarse = options.levels is not None and max(options.levels) < thesaurus.tree.n_clusters
    if options.unsorted or coarse or format not in (*SKOS, *BOOKLETS):
        return ()
    low = quality.unsorted(thesaurus)
    if len(low) == thesaurus.tree.n_clusters:
        return ()
    return tuple(int(thesaurus.ids[node]) for node in low)


def detect_format(target: Target) -> str:
    """Return the format inferred from the suffix of a file."""
    if not isinstance(target, str | os.PathLike):
        raise InputError(
            "the format of a stream cannot be inferred; pass it, e.g. to='json'",
            code="missing-option",
        )
    known = catalogue.suffixes("exporters")
    # The Brown clustering program writes its output to a file named "paths".
    name = Path(target).name
    format = "brown" if name == "paths" else known.get(Path(target).suffix.lower())
    if format is None:
        raise InputError(
            f"{os.fspath(target)}: unknown file extension; use one of {' '.join(known)}, or pass "
            f"--to with one of {' '.join(catalogue.names('exporters'))}",
            code="unsupported-format",
        )
    return format
