"""The command `roget place TAXONOMY COUNTS...`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roget.cli.shared import (
    Format,
    bar,
    choose,
    deliver,
    print_language,
    print_notes,
    print_written,
    target,
)
from roget.learn.options import CorpusOptions, PlaceOptions, TaxonomyOptions

if TYPE_CHECKING:
    from roget.core.counts import Counts
    from roget.learn.taxonomy.taxonomy import Taxonomy

TURTLE = ".ttl"
"""File suffix of SKOS output in Turtle."""


def place(
    taxonomy: Annotated[
        str,
        typer.Argument(
            metavar="TAXONOMY",
            help="A taxonomy: a SKOS file, a child–parent table, a WordNet folder, or wn:ID.",
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COUNTS...",
            help="Counts written by `roget count`, or text to count.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        target(
            "FILE",
            "File for the candidates: .ttl is SKOS; .csv and .tsv have a column to mark accepted "
            "ones.",
        ),
    ] = None,
    accepted: Annotated[
        str | None,
        typer.Option(
            metavar="SHEET",
            help="Write the candidates that were accepted in SHEET (column `accept` of a .csv or "
            ".tsv file) as SKOS to -o FILE.ttl.",
        ),
    ] = None,
    *,
    classes: TaxonomyOptions,
    placing: PlaceOptions,
    corpus: CorpusOptions,
    format: Format = None,
) -> None:
    """Place the words of a corpus in an existing taxonomy, such as a SKOS file or WordNet.

    For each word that is missing from the taxonomy, candidate classes are listed with scores and
    reasons. The taxonomy is not changed. --hide N tests the method: it hides N words of the
    taxonomy and compares their candidates with their true classes.
    """
    from roget.errors import InputError
    from roget.learn.thesaurus.files import is_thesaurus

    if is_thesaurus(taxonomy):
        raise InputError(
            f"{taxonomy} was built by roget; to add words, use roget grow {taxonomy}",
            code="conflicting-options",
        )
    if accepted is None:
        _place(taxonomy, inputs or [], output, classes, placing, corpus, format)
        return
    if inputs:
        raise InputError(
            "--accepted cannot be combined with text or counts", code="conflicting-options"
        )
    _write_accepted(taxonomy, accepted, output, classes, placing)


def _place(
    taxonomy: str,
    inputs: list[str],
    output: str | None,
    classes: TaxonomyOptions,
    placing: PlaceOptions,
    corpus: CorpusOptions,
    format: str | None,
) -> None:
    """Place words, or test the placement on hidden words, and write the result."""
    from rich.console import Console

    from roget.learn.load_counts import read_corpus
    from roget.learn.placing.holdout import hide
    from roget.learn.placing.place import place as find
    from roget.learn.taxonomy import taxonomy_of
    from roget.report import placing as reports
    from roget.report.exports.base import write_lines

    is_skos = _check_output(output, format, classes)
    with Console(stderr=True).status(f"reading {taxonomy}"):
        known = taxonomy_of(taxonomy, language=classes.language, part=classes.part)
    with bar("counting", "bytes") as reading:
        plan = corpus.plan(classes.min_count, classes.part)
        loaded = read_corpus(inputs, plan, reading)
    print_notes(*loaded.notes, kind="note")
    with bar("placing", "words") as progress:
        if classes.hide is not None:
            tested = hide(known, loaded.counts, classes.hide, progress=progress, **vars(placing))
            deliver(reports.report_test(tested, taxonomy), format, output)
            return
        placed = find(known, loaded.counts, progress=progress, **vars(placing))
    print_notes(*reports.warn_scores(placed), kind="warning")
    if output is not None and is_skos:
        language = _choose_language(classes, known, loaded.counts)
        write_lines(output, reports.write_turtle(placed, language))
        print_written([output])
        return
    deliver(reports.report(placed, taxonomy, loaded.rare, classes.min_count), format, output)


def _write_accepted(
    taxonomy: str, sheet: str, output: str | None, classes: TaxonomyOptions, placing: PlaceOptions
) -> None:
    """Write the candidates accepted in a sheet as SKOS."""
    from roget.core.store import check_file
    from roget.errors import InputError
    from roget.learn.placing.sheet import read_accepted
    from roget.learn.taxonomy import taxonomy_of
    from roget.report.exports.base import write_lines
    from roget.report.format import plural
    from roget.report.placing import write_accepted

    for options, names in ((classes, ("hide", "min_count")), (placing, vars(placing))):
        _refuse_options(options, names)
    if output is None or PurePath(output).suffix.lower() != TURTLE:
        raise InputError(
            f"--accepted {sheet} requires an output file: pass -o FILE{TURTLE}",
            code="missing-option",
        )
    check_file(output)
    known = taxonomy_of(taxonomy, language=classes.language, part=classes.part)
    found = read_accepted(sheet, known)
    write_lines(output, write_accepted(found, _choose_language(classes, known)))
    words = plural(len({one.word for one in found}), "word")
    print_notes(f"wrote {output}: {words}; load it together with {taxonomy}")


def _refuse_options(options: Any, names: Iterable[str]) -> None:
    """Raise an error if an option was passed that has no effect with --accepted."""
    from roget.errors import InputError

    for name in names:
        if getattr(options, name) != getattr(type(options), name):
            flag = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{flag} {getattr(options, name)} has no effect with --accepted; remove it",
                code="conflicting-options",
            )


def _check_output(output: str | None, format: str | None, classes: TaxonomyOptions) -> bool:
    """Check that the output can be written before any work is done.

    Return True if its format is SKOS.
    """
    if output is None or output == "-":
        return False
    from roget.core.store import check_file
    from roget.errors import InputError

    check_file(output)
    if format is not None or PurePath(output).suffix.lower() != TURTLE:
        choose(format, output)
        return False
    if classes.hide is not None:
        raise InputError(
            f"{output}: a test (--hide) cannot be written as SKOS; choose another file type",
            code="conflicting-options",
        )
    return True


def _choose_language(
    classes: TaxonomyOptions, known: Taxonomy, counts: Counts | None = None
) -> str:
    """Return the label language.

    If none was requested, print and use that of the taxonomy or corpus.
    """
    from roget.report.language import UNKNOWN
    from roget.report.options import is_language

    if classes.language is not None:
        return classes.language
    language = known.language
    if not language and counts is not None:
        language = counts.provenance.get("language")
    is_known = isinstance(language, str) and is_language(language) and language != UNKNOWN
    return print_language(language if is_known else None)
