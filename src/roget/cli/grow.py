"""`roget grow THESAURUS TEXT...`."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
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
from roget.learn.growth.options import GrowOptions


def grow(
    thesaurus: Annotated[
        str,
        typer.Argument(
            metavar="THESAURUS",
            help="A thesaurus folder of `roget build`.",
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="New text, counted like the text of the thesaurus; or counts.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        target(
            "DIR",
            "Write the grown thesaurus to this folder [default: THESAURUS].",
        ),
    ] = None,
    review: Annotated[bool, typer.Option("--review", help="List the open changes.")] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBERS", help="Accept changes by number, e.g. 3,5-9, or all."),
    ] = None,
    refuse: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBERS", help="Revert changes by number, e.g. 4, or all."),
    ] = None,
    *,
    options: GrowOptions,
    format: Format = None,
) -> None:
    """Add text to a thesaurus, keeping its classes, their ids and all edits.

    New words are placed. Words move and classes split if the new text clearly supports it. All
    changes are numbered, to be accepted or refused.
    """
    from roget.errors import InputError
    from roget.learn.growth.grow import decide, run
    from roget.learn.thesaurus import Thesaurus
    from roget.learn.thesaurus.records import OPEN
    from roget.report import growth as reports

    if _is_taxonomy(thesaurus):
        raise InputError(
            f"{thesaurus} is not a thesaurus that roget built: use roget place {thesaurus} to "
            "place words in a taxonomy",
            code="conflicting-options",
        )
    if review or accept is not None or refuse is not None:
        if inputs or output is not None:
            raise InputError(
                "--review, --accept and --refuse take no text and no -o",
                code="conflicting-options",
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
        raise InputError(
            "no text: name files, folders or counts, or pass --review", code="missing-option"
        )
    began = time.monotonic()
    with gather_warnings() as said, bar("counting", "bytes") as read, bar("learning") as learn:
        grown = run(thesaurus, inputs, output, options, reading=read, learning=learn)
    print_notes(*grown.notes, *said, kind="note")
    print_notes(f"wrote {output or thesaurus} in {time.monotonic() - began:.1f} s")
    deliver(reports.report(grown), format)
    if any(one.state == OPEN for one in grown.changes):
        _print_next_steps(output or thesaurus)


def _is_taxonomy(name: str) -> bool:
    """Return whether a name is that of a file or a WordNet folder, not of a thesaurus folder."""
    from roget.learn.taxonomy import kind_of_folder

    path = Path(name)
    return not path.is_dir() or kind_of_folder(path) is not None


def _print_next_steps(folder: str) -> None:
    place = shlex.quote(folder)
    print_notes(
        "next:",
        f"  roget grow {place} --review",
        f"  roget grow {place} --accept 3,5-9   # or all",
        f"  roget grow {place} --refuse 4",
        f"  roget explore {place}   # Changes",
    )
