"""The command `roget grow THESAURUS TEXT...`."""

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
            help="A thesaurus folder created by `roget build`.",
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="New text or counts. Text is counted with the settings of the thesaurus.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        target(
            "DIR",
            "Folder for the grown thesaurus [default: THESAURUS].",
        ),
    ] = None,
    review: Annotated[
        bool,
        typer.Option(
            "--review", help="List the changes that are neither accepted nor refused yet."
        ),
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBERS",
            help="Accept changes by number, e.g. 3,5-9, or `all` open changes.",
        ),
    ] = None,
    refuse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBERS",
            help="Reject and undo changes by number, e.g. 4, or `all` open changes.",
        ),
    ] = None,
    *,
    options: GrowOptions,
    format: Format = None,
) -> None:
    """Add text to a thesaurus, keeping its classes, their ids and all edits.

    New words are assigned to classes. Words move and classes split if the new text clearly supports
    it. Changes are numbered, so you can accept or refuse each of them.
    """
    from roget.errors import InputError
    from roget.learn.growth.grow import decide, run
    from roget.learn.thesaurus import Thesaurus
    from roget.learn.thesaurus.edits import OPEN
    from roget.report import growth as reports

    if _is_taxonomy(thesaurus):
        raise InputError(
            f"{thesaurus} was not built by roget; to place words in a taxonomy, use "
            f"roget place {thesaurus}",
            code="conflicting-options",
        )
    if review or accept is not None or refuse is not None:
        if inputs or output is not None:
            raise InputError(
                "--review, --accept and --refuse cannot be combined with new text or -o",
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
            "no new text: pass files, folders or counts, or --review to list changes",
            code="missing-option",
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
    """Return True if a path is a file or a WordNet folder rather than a thesaurus folder."""
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
