"""The command `roget edit THESAURUS [FILE]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import bar
from roget.learn.options import EditOptions
from roget.report import Report


def edit(
    thesaurus: Annotated[
        str,
        typer.Argument(metavar="THESAURUS", help="A thesaurus folder created by `roget build`."),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Table of edits (.tsv, .csv, …) with the columns action, class, word, text, "
            "into and field, or a SKOS export changed in another tool.",
        ),
    ] = None,
    *,
    asked: EditOptions,
) -> Report:
    """Apply edits from a table to a thesaurus, undo or redo edits, or list all edits.

    The actions are rename, move, merge, nest (put one class under another), add, delete, split and
    note. A class is identified by its id, its name or a word in it. Several words in a cell are
    separated by |. If FILE is a changed SKOS export (.ttl, .nt, .rdf), its differences from the
    exported state are applied. If an edit in FILE cannot be applied, none are.
    """
    from roget.learn import editing
    from roget.report import edits

    with bar("editing", "edits") as progress:
        done = editing.edit(thesaurus, file, **vars(asked), progress=progress)
    is_asked = file is not None or asked.undo or asked.redo or asked.undo_to is not None
    return edits.changes(done, asked.dry_run) if is_asked else edits.history(done.thesaurus)
