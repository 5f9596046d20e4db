"""`roget edit THESAURUS [FILE]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import bar
from roget.learn.command_options import EditOptions
from roget.report import Report


def edit(
    thesaurus: Annotated[
        str, typer.Argument(metavar="THESAURUS", help="A thesaurus folder of roget build.")
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Edits, applied all or none: a table (.tsv, .csv, …) with the columns action, "
            "class, word, text, into, field; or exported SKOS that another tool has changed.",
        ),
    ] = None,
    *,
    asked: EditOptions,
) -> Report:
    """Edit a thesaurus from a table, undo or redo edits, or list all edits.

    Actions are rename, move, merge, nest (put under), add, delete, split and note. A class is
    identified by its id, its name or a word in it; several words in a cell are separated by |. If
    FILE is an exported and changed SKOS file (.ttl, .nt, .rdf), its differences are applied.
    """
    from roget.learn import editing
    from roget.report import edits

    with bar("editing", "edits") as progress:
        done = editing.edit(thesaurus, file, **vars(asked), progress=progress)
    is_asked = file is not None or asked.undo or asked.redo or asked.undo_to is not None
    return edits.changes(done, asked.dry_run) if is_asked else edits.history(done.thesaurus)
