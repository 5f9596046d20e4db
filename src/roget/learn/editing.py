"""Edit thesaurus folders: apply a file of edits, undo and redo."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from roget.catalogue import suffixes
from roget.core.io.problems import plural
from roget.core.io.source import Source
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.options import EditOptions
from roget.learn.taxonomy.changes import read_changes
from roget.learn.thesaurus import Edit, Thesaurus
from roget.learn.thesaurus.edits import apply_edits, read_requests


class EditResult(NamedTuple):
    """An edited thesaurus, and the edits that were applied and undone."""

    thesaurus: Thesaurus
    done: tuple[Edit, ...]
    """Edits that were applied or redone, in order."""
    undone: tuple[Edit, ...]
    """Edits that were undone, the most recent first."""


@with_options(EditOptions)
def edit(
    path: PathLike,
    file: PathLike | None = None,
    *,
    progress: Report | None = None,
    **options: Any,
) -> EditResult:
    """Edit a thesaurus folder: apply the edits in a file, undo or redo, and save the result.

    If an edit in the file fails, the folder is left unchanged.

    Parameters
    ----------
    path
        The folder.
    file
        A table of edits (see `read_requests`), or a SKOS export that another tool has changed (see
        `taxonomy.changes`).
    progress
        Called with the number of edits made.

    Returns
    -------
    EditResult
        The edited thesaurus, which is unchanged if nothing was requested.

    Raises
    ------
    InputError
        If an edit cannot be applied (the message names its line), or if there are fewer edits to
        undo or redo than requested.
    """
    request = EditOptions(**choose(EditOptions, options))
    ways = sum((file is not None, request.undo, request.redo, request.undo_to is not None))
    if ways > 1:
        raise InputError(
            "pass only one of FILE, --undo, --redo and --undo-to", code="conflicting-options"
        )
    before = Thesaurus.load(path)
    after, known = before, before.editor.done
    if file is not None:
        is_skos = suffixes("taxonomies").get(Source(os.fspath(file)).suffix) == "skos"
        requests = read_changes(before, file, request.language) if is_skos else read_requests(file)
        after = apply_edits(before, requests, progress)
    elif request.undo:
        _check_number("undo", request.n, len(known))
        after = before.editor.undo_to(len(known) - request.n)
    elif request.redo:
        _check_number("redo", request.n, len(before.undone))
        for _ in range(request.n):
            after = after.editor.redo()
    elif request.undo_to is not None:
        after = before.editor.undo_to(request.undo_to)
    if ways and not request.dry_run:
        after.save(path)
    return EditResult(after, after.editor.done[len(known) :], known[len(after.editor.done) :][::-1])


def _check_number(verb: str, n: int, there: int) -> None:
    """Raise an error if there are fewer edits to undo or redo than requested."""
    if not there:
        raise InputError(f"nothing to {verb}", code="edit-refused")
    if n > there:
        only = f"there {'is' if there == 1 else 'are'} only {there}"
        raise InputError(f"cannot {verb} {plural(n, 'edit')}: {only}", code="edit-refused")
