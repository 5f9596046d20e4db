"""`roget place TAXONOMY COUNTS...`."""

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
from roget.learn.command_options import PlaceOptions, TaxonomyOptions
from roget.learn.placing.options import CorpusOptions

if TYPE_CHECKING:
    from roget.core.counts import Counts
    from roget.learn.taxonomy.taxonomy import Taxonomy

TURTLE = ".ttl"
"""Suffix of SKOS output."""


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
            help="Counts of `roget count`, or text, which is counted.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        target(
            "FILE",
            "Write the candidates: .ttl is SKOS; .csv and .tsv have a column to accept them.",
        ),
    ] = None,
    accepted: Annotated[
        str | None,
        typer.Option(
            metavar="SHEET",
            help="Write the candidates marked in the column accept of SHEET (.csv or .tsv) as "
            "SKOS to -o FILE.ttl.",
        ),
    ] = None,
    *,
    classes: TaxonomyOptions,
    placing: PlaceOptions,
    corpus: CorpusOptions,
    format: Format = None,
) -> None:
    """Place words of a corpus in an existing taxonomy such as a SKOS file or WordNet.

    Words missing from the taxonomy get candidate classes, each with a score and the reasons. The
    taxonomy is not changed. --hide N tests the placement on N words of the taxonomy.
    """
    from roget.errors import InputError
    from roget.learn.thesaurus.files import is_thesaurus

    if is_thesaurus(taxonomy):
        raise InputError(
            f"{taxonomy} is a thesaurus that roget built: use roget grow {taxonomy}",
            code="conflicting-options",
        )
    if accepted is None:
        _place(taxonomy, inputs or [], output, classes, placing, corpus, format)
        return
    if inputs:
        raise InputError("--accepted takes no text or counts", code="conflicting-options")
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
            f"--accepted {sheet}: name the SKOS file to write, -o FILE{TURTLE}",
            code="missing-option",
        )
    check_file(output)
    known = taxonomy_of(taxonomy, language=classes.language, part=classes.part)
    found = read_accepted(sheet, known)
    write_lines(output, write_accepted(found, _choose_language(classes, known)))
    words = plural(len({one.word for one in found}), "word")
    print_notes(f"wrote {output}: {words}, to be loaded together with {taxonomy}")


def _refuse_options(options: Any, names: Iterable[str]) -> None:
    """Refuse options that have no effect with --accepted."""
    from roget.errors import InputError

    for name in names:
        if getattr(options, name) != getattr(type(options), name):
            flag = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{flag} {getattr(options, name)}: no effect with --accepted",
                code="conflicting-options",
            )


def _check_output(output: str | None, format: str | None, classes: TaxonomyOptions) -> bool:
    """Refuse an output that cannot be written, before the work; return whether it is SKOS."""
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
            f"{output}: a test (--hide) has no candidates to write as SKOS",
            code="conflicting-options",
        )
    return True


def _choose_language(
    classes: TaxonomyOptions, known: Taxonomy, counts: Counts | None = None
) -> str:
    """Return the language of labels: requested, or of the taxonomy or corpus; print it."""
    from roget.report.language import UNKNOWN
    from roget.report.options import is_language

    if classes.language is not None:
        return classes.language
    language = known.language
    if not language and counts is not None:
        language = counts.provenance.get("language")
    is_known = isinstance(language, str) and is_language(language) and language != UNKNOWN
    return print_language(language if is_known else None)
