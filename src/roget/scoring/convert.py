"""Labels from one format to another, with nothing lost on the way."""

from __future__ import annotations

import os
from typing import Any

from roget.errors import InputError
from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.files import SUFFIXES, Source
from roget.scoring.labels.memory import as_labels
from roget.scoring.labels.write import FORMATS, write_labels


def convert(
    source: Any,
    target: str | os.PathLike[str],
    from_: str | None = None,
    to: str | None = None,
    columns: Columns | None = None,
) -> Labels:
    """Read labels, write them in another format, and return them.

    The source is anything `roget.score` takes. Formats are told by name, unless `from_` and `to`
    name them; `columns` chooses the columns of the source. Items, groups, labels and weights all
    come back when the target is read, or nothing is written and the error says what is in the way.
    """
    form = _format(target, to)
    labels = as_labels(source, labels=from_, columns=columns, name="the labels")
    write_labels(labels, target, form)
    return labels


def _format(target: str | os.PathLike[str], to: str | None) -> str:
    """The format to write: the one asked for, else the one the name tells."""
    place = Source(target)
    if place.standard_input:
        raise InputError("labels are written to a file: expected its name, found '-'")
    if place.compressed:
        raise InputError(
            f"{place.name}: compressed files are read but not written; expected a name without "
            f"{place.path.suffix}"
        )
    form = to or SUFFIXES.get(place.suffix)
    if form is None:
        raise InputError(
            f"{place.name}: its name does not tell the format to write; expected one that ends in "
            f"{', '.join(SUFFIXES)}, or --to with one of {', '.join(FORMATS)}"
        )
    return form
