"""Read files with one label per line. Line i is the label of item i.

An empty line is an item without a label.
"""

from __future__ import annotations

import numpy as np

from roget.core.io.problems import Problems
from roget.errors import Notice
from roget.scoring.labels.columns import LABEL_NAMES, SINGLE, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.labels import FirstRow, code_texts
from roget.scoring.labels.readers.base import CLUSTERS_HINT, LabelReader, refuse_columns
from roget.scoring.labels.table import LabelTable


def read_lines(
    file: LabelFile, columns: Columns | None, roles: LabelRoles, problems: Problems
) -> LabelTable:
    """Read a file with one label per line."""
    refuse_columns(file, columns, "a file with one label per line", "one label per line")
    texts = [text.strip() for _, text in file.lines()]
    if file.header:
        texts = texts[1:]
    labels = code_texts(texts).drop_empty()
    rows = LabelTable(problems, np.arange(1, labels.codes.size + 1), None, {"label": labels})
    doubt = warn_first_line(file)
    if doubt is not None:
        rows.first_row = FirstRow(texts[0] if texts else "", is_header=False, doubt=doubt)
    return rows


def warn_first_line(file: LabelFile) -> Notice | None:
    """Return a notice if the first label looks like a header or a comment."""
    line, text = file.first_line
    if file.header is not None:
        return None
    if text.startswith("#"):
        read_as = f"{file.name}:{line}: {text.strip()!r} is read as a label"
        return Notice(f"{read_as}; {CLUSTERS_HINT}", code="ambiguous-header")
    if line > 1 or not SINGLE.is_header([text], LABEL_NAMES):
        return None
    return Notice(
        f"{file.name}:1: {text.strip()!r} is read as a label; if it is a header, pass --header",
        code="ambiguous-header",
    )


READER = LabelReader("One label per line. Line i is the label of item i.", table=read_lines)
