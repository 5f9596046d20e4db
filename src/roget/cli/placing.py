"""What `roget grow` does with a taxonomy of others: candidates for it, or a trial."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from roget.cli.shared import bar, choose, deliver, print_language, print_notes, print_written
from roget.learn.command_options import PlaceOptions, TaxonomyOptions
from roget.learn.options import Placing

if TYPE_CHECKING:
    from roget.core.counts import Counts
    from roget.learn.taxonomy.taxonomy import Taxonomy

TURTLE = ".ttl"
"""How files end that SKOS is written to."""


def is_other(name: str) -> bool:
    """Whether a name means a taxonomy that people made, rather than a thesaurus of ours."""
    from roget.learn.taxonomy import kind_of_folder

    path = Path(name)
    return not path.is_dir() or kind_of_folder(path) is not None


def refuse_asked(options: Any, names: Iterable[str], why: str) -> None:
    """Refuse options that would have no effect."""
    from roget.errors import InputError

    for name in names:
        if getattr(options, name) != getattr(type(options), name):
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"{flag} {getattr(options, name)}: {why}; leave it out")


def read_as(asked: Any) -> Placing:
    """How text is counted, as far as growth is asked to read it in some way."""
    shared = ("reader", "encoding", "processes", "memory", "engine", "scheduler")
    return Placing(**{name: getattr(asked, name) for name in shared})


def place(
    taxonomy: str,
    inputs: Sequence[str],
    output: str | None,
    counting: Placing,
    given: TaxonomyOptions,
    asked: PlaceOptions,
    format: str | None,
) -> None:
    """Place words of the inputs in a taxonomy, or test placement on hidden words."""
    from rich.console import Console

    from roget.learn.load_counts import read_corpus
    from roget.learn.placing.holdout import hide
    from roget.learn.placing.place import place as find
    from roget.learn.taxonomy import taxonomy_of
    from roget.report import placing as reports
    from roget.report.exports.base import write_lines

    skos = _check_output(output, format, given)
    with Console(stderr=True).status(f"reading {taxonomy}"):
        classes = taxonomy_of(taxonomy, language=given.language, part=given.part)
    wanted = replace(counting, min_count=given.min_count)
    if given.part != "noun" and wanted.relation is None:
        wanted = replace(wanted, relation=f"{given.part}s")
    with bar("counting", "bytes") as reading:
        found = read_corpus(inputs, wanted, reading)
    print_notes(*found.notes, kind="note")
    with bar("placing", "words") as progress:
        if given.hide is not None:
            tried = hide(classes, found.counts, given.hide, progress=progress, **vars(asked))
            deliver(reports.trial(tried, taxonomy), format, output)
            return
        placed = find(classes, found.counts, progress=progress, **vars(asked))
    print_notes(*reports.doubt(placed), kind="warning")
    if output is not None and skos:
        language = _choose_language(given, classes, found.counts)
        write_lines(output, reports.turtle(placed, language))
        print_written([output])
        return
    deliver(reports.report(placed, taxonomy, found.rare, given.min_count), format, output)


def write_accepted(
    taxonomy: str, sheet: str, output: str | None, given: TaxonomyOptions, asked: PlaceOptions
) -> None:
    """Write what people accepted in a sheet of candidates, as SKOS."""
    from roget.core.store import check_file
    from roget.errors import InputError
    from roget.learn.placing.sheet import read_accepted
    from roget.learn.taxonomy import taxonomy_of
    from roget.report.exports.base import write_lines
    from roget.report.format import plural
    from roget.report.placing import accepted

    for options, names in ((given, ("hide", "min_count")), (asked, vars(asked))):
        refuse_asked(options, names, "nothing is placed with --accepted")
    if output is None or PurePath(output).suffix.lower() != TURTLE:
        raise InputError(f"--accepted {sheet}: name the SKOS file to write, -o FILE{TURTLE}")
    check_file(output)
    classes = taxonomy_of(taxonomy, language=given.language, part=given.part)
    found = read_accepted(sheet, classes)
    write_lines(output, accepted(found, _choose_language(given, classes)))
    many = plural(len({one.word for one in found}), "word")
    print_notes(f"wrote {output}: {many}, to be loaded together with {taxonomy}")


def _check_output(output: str | None, format: str | None, given: TaxonomyOptions) -> bool:
    """Refuse a file that could not be written, before the work; whether it is to be SKOS."""
    if output is None or output == "-":
        return False
    from roget.core.store import check_file
    from roget.errors import InputError

    check_file(output)
    if format is not None or PurePath(output).suffix.lower() != TURTLE:
        choose(format, output)
        return False
    if given.hide is not None:
        raise InputError(f"{output}: a trial (--hide) has no candidates to write as SKOS")
    return True


def _choose_language(
    given: TaxonomyOptions, classes: Taxonomy, counts: Counts | None = None
) -> str:
    """Return the language of labels: requested, or of the taxonomy or corpus; print it."""
    from roget.report.language import UNKNOWN
    from roget.report.options import is_language

    if given.language is not None:
        return given.language
    told = classes.language
    if not told and counts is not None:
        told = counts.provenance.get("language")
    known = isinstance(told, str) and is_language(told) and told != UNKNOWN
    return print_language(told if known else None)
