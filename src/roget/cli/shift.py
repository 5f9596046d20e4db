"""`roget shift OLD NEW [WORD...]`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from roget.cli.shared import bar, tell
from roget.learn.command_options import ShiftOptions
from roget.learn.options import Compared
from roget.report import Report

_HELP = "Counts, a thesaurus, a table, or a corpus: a file, a folder or a pattern"


def shift(
    old: Annotated[str, typer.Argument(metavar="OLD", help=f"{_HELP}.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The same, of later or other text.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD...]",
            help="Only these words, however rare. Default: those that changed most.",
            show_default=False,
        ),
    ] = None,
    quotes: Annotated[
        int,
        typer.Option(
            "--quotes",
            min=0,
            metavar="N",
            help="So many sentences behind each context; texts are counted with as many.",
        ),
    ] = 0,
    *,
    asked: ShiftOptions,
    given: Compared,
) -> Report:
    """The words whose use changed most between two corpora or periods, and what changed.

    A word's change is how much its contexts differ beyond what chance makes of so few tokens; words
    that only one of the two has are told as well. Texts are counted alike, as `roget count` does.
    """
    from roget.errors import InputError
    from roget.learn.load import open_pair
    from roget.learn.shift import shift as compare
    from roget.learn.sketch import find_lines
    from roget.report.shift import report

    with (
        bar("counting", "bytes") as reading,
        open_pair(old, new, given, reading, quotes) as (before, after, notes),
    ):
        tell(*notes, kind="note")
        if quotes and before.evidence is None and after.evidence is None:
            raise InputError(
                f"--quotes {quotes}: neither keeps sentences; count or build them with --evidence N"
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
