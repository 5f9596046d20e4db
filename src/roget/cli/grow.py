"""`roget grow THESAURUS|TAXONOMY TEXT...`."""

from __future__ import annotations

import shlex
import time
from typing import Annotated

import typer

from roget.cli.parameters import join_texts
from roget.cli.shared import (
    Format,
    bar,
    deliver,
    gather_warnings,
    print_notes,
    print_written,
    target,
)
from roget.learn.command_options import PlaceOptions, TaxonomyOptions
from roget.learn.growth.options import GrowOptions


def grow(
    thesaurus: Annotated[
        str,
        typer.Argument(
            metavar="THESAURUS",
            help="A thesaurus that roget built: a folder; or a taxonomy of others: SKOS, "
            "child–parent TSV, a WordNet folder, wn:ID.",
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="New text, counted as that of the thesaurus was; or counts.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        target(
            "DIR|FILE",
            "The grown thesaurus: a folder. Default: in its place. Of a taxonomy, the candidates: "
            ".ttl is SKOS, .csv and .tsv have a column for people to accept them.",
        ),
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="List the changes that are open, and do nothing.")
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBERS", help="Accept changes by number, such as 3,5-9; or all."),
    ] = None,
    refuse: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBERS", help="Take changes back by number, such as 4; or all."),
    ] = None,
    accepted: Annotated[
        str | None,
        typer.Option(
            metavar="SHEET",
            help="Of a taxonomy: write the candidates as SKOS (-o FILE.ttl) that people have "
            "marked in the column accept of a .csv or .tsv.",
        ),
    ] = None,
    *,
    asked: GrowOptions,
    given: TaxonomyOptions,
    placing: PlaceOptions,
    format: Format = None,
) -> None:
    """Add more text to a thesaurus: its classes, their ids and all edits stay.

    New words are placed; words that new text clearly puts elsewhere move, classes that have become
    two split. All of it is listed, by numbers by which it can be accepted or refused.

    A taxonomy that people made, such as a SKOS file or WordNet, stays as it is: words of the text
    that it lacks are placed into it as candidates, with a score and the reasons. --hide N tells
    how good that is, on N words that it has.
    """
    from roget.cli.placing import is_other, place, read_as, refuse_asked, write_accepted
    from roget.errors import InputError
    from roget.learn.growth.grow import decide, run
    from roget.learn.thesaurus import Thesaurus
    from roget.learn.thesaurus.records import OPEN
    from roget.report import growth as reports

    if is_other(thesaurus):
        if review or accept is not None or refuse is not None:
            raise InputError(f"{thesaurus}: --review, --accept and --refuse are for thesauri")
        refuse_asked(asked, ("move", "split", "min_contexts"), f"{thesaurus} is a taxonomy")
        if accepted is not None:
            if inputs:
                raise InputError("--accepted is about candidates that are there: leave inputs out")
            write_accepted(thesaurus, accepted, output, given, placing)
            return
        place(thesaurus, inputs or [], output, read_as(asked), given, placing, format)
        return
    if accepted is not None:
        raise InputError(f"--accepted: {thesaurus} is a thesaurus, which has --accept")
    for one in (given, placing):
        refuse_asked(one, vars(one), f"{thesaurus} is a thesaurus, and this is for taxonomies")
    if review or accept is not None or refuse is not None:
        if inputs or output is not None:
            raise InputError(
                "--review, --accept and --refuse are about changes that are there: leave inputs "
                "and -o out"
            )
        found = Thesaurus.load(thesaurus)
        if accept is None and refuse is None:
            deliver(reports.review(found), format)
            return
        after = decide(thesaurus, join_texts(accept), join_texts(refuse))
        print_written([thesaurus])
        whole = review or format is not None
        deliver(reports.review(after) if whole else reports.decided(found, after), format)
        return
    if not inputs:
        raise InputError("nothing to grow by: name files, folders or counts, or --review")
    began = time.monotonic()
    with gather_warnings() as said, bar("counting", "bytes") as read, bar("learning") as learn:
        grown = run(thesaurus, inputs, output, asked, reading=read, learning=learn)
    print_notes(*grown.notes, *said, kind="note")
    print_notes(f"wrote {output or thesaurus} in {time.monotonic() - began:.1f} s")
    deliver(reports.report(grown), format)
    if any(one.state == OPEN for one in grown.changes):
        _print_next_steps(output or thesaurus)


def _print_next_steps(folder: str) -> None:
    place = shlex.quote(folder)
    print_notes(
        "next:",
        f"  roget grow {place} --review",
        f"  roget grow {place} --accept 3,5-9   # or all",
        f"  roget grow {place} --refuse 4",
        f"  roget explore {place}   # Changes",
    )
