"""The command `roget shift OLD NEW [WORD...]`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from roget.cli.shared import bar, print_notes
from roget.learn.options import Compared, ShiftOptions
from roget.report import Report

_HELP = "Counts, a thesaurus, a table, or a corpus: a file, a folder or a pattern"


def shift(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help=f"{_HELP}. `background` stands for the background counts of NEW.",
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(metavar="NEW", help="The later text, or any text to compare with OLD."),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD...",
            help="Words to compare, even if they are rare [default: list the words that changed "
            "most].",
            show_default=False,
        ),
    ] = None,
    quotes: Annotated[
        int | None,
        typer.Option(
            "--quotes",
            min=0,
            metavar="N",
            help="Number of example sentences per context [default: 0, or 1 if OLD is "
            "`background`].",
            show_default=False,
        ),
    ] = None,
    *,
    asked: ShiftOptions,
    given: Compared,
) -> Report:
    """List the words whose use changed most between two corpora or periods.

    The change of a word measures how much its contexts differ between the two corpora, beyond
    sampling error. Words that occur in only one corpus are listed separately. Texts are counted as
    by `roget count`. If OLD is "background", a thesaurus is compared with its background counts.
    """
    from roget.errors import InputError
    from roget.learn.load import BACKGROUND, open_pair
    from roget.learn.usage.shift import shift as compare
    from roget.learn.usage.sketch import find_lines
    from roget.report.shift import report

    with (
        bar("counting", "bytes") as reading,
        open_pair(old, new, given, reading, quotes or 0) as (before, after, notes),
    ):
        print_notes(*notes, kind="note")
        if quotes is None:
            quotes = int(old == BACKGROUND and after.evidence is not None)
        if quotes and before.evidence is None and after.evidence is None:
            raise InputError(
                f"--quotes {quotes}: neither input contains sentences; count or build with "
                "--evidence N",
                code="conflicting-options",
            )
        with bar("comparing", "words") as progress:
            found = compare(
                before,
                after,
                words or (),
                min_count=given.min_count,
                **vars(asked),
                progress=progress,
            )
        find = [partial(find_lines, one, n=quotes) for one in (before, after)] if quotes else None
        return report(found, (old, new), find, given.min_count)
