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
            metavar="[FILE]",
            help="Edits to be made, all or none: a table (.tsv, .csv, …) with a header of action, "
            "class, word, text, into, field; or SKOS that roget export wrote and another tool has "
            "changed.",
        ),
    ] = None,
    *,
    asked: EditOptions,
) -> Report:
    """Edit a thesaurus from a table; undo, redo; or list all edits that were made.

    Actions are rename, move, merge, nest (put under), add, delete, split and note. A class is named
    by its id, by its name, or by a word in it; several words in a cell are parted by |. Of SKOS
    that was exported and changed (.ttl, .nt, .rdf), what differs from the thesaurus is done.
    """
    from roget.learn import editing
    from roget.report import edits

    with bar("editing", "edits") as tell:
        done = editing.edit(thesaurus, file, **vars(asked), progress=tell)
    is_asked = file is not None or asked.undo or asked.redo or asked.undo_to is not None
    return edits.changes(done, asked.dry_run) if is_asked else edits.history(done.thesaurus)
